import fc from "fast-check"
import { Importing } from "../Importing.ts"
import { reverting } from "../changesets/Reverting.ts"
import { Team } from "../people/Team.ts"
import type { ApiResponse, TestApp } from "../TestApp.ts"
import { checkCopied, checkReverted, checkTicked, checkUpdated, type Linked } from "./LinkChecks.ts"
import { LinkedDevice } from "./LinkedDevice.ts"
import { at, bodyOf, folders, titles } from "./LinkedTexts.ts"

const kinds = [
  "create",
  "rename",
  "renameWithLinks",
  "renameAndRevert",
  "move",
  "moveWithLinks",
  "write",
  "push",
  "trash",
  "restore",
  "purge",
  "renameNotebook",
  "moveNotebook",
  "restoreVersion",
  "attach",
  "tick",
  "date",
  "editOffline",
  "editOffline",
  "sync",
  "revert"
] as const
/** They take much longer. */
const transfers = ["copyMarkdown", "copyJson", "importMarkdown", "importJson"] as const

type Kind = (typeof kinds)[number] | (typeof transfers)[number]

const number = fc.nat(20)

export const stepOf = fc.record({
  kind: fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom<Kind>(...kinds) },
    { weight: 1, arbitrary: fc.constantFrom<Kind>(...transfers) }
  ),
  a: number,
  b: number,
  c: number
})
export interface Step {
  readonly kind: Kind
  readonly a: number
  readonly b: number
  readonly c: number
}

/** Each kind once, after an edit on a device that others have overtaken. */
export const everyStep: ReadonlyArray<Step> = ["editOffline" as const, ...kinds, ...transfers].map((kind, index) => ({
  kind,
  a: index,
  b: index * 3,
  c: index * 5
}))

const tables = ["note_contents", "note_links", "note_link_keys", "note_tasks", "note_properties"]
const lists = ["/links", "/tasks", "/properties"]

/** A workspace of its own, and what its clients do there. */
export class LinkedWorkspace {
  readonly team: Team
  readonly #importing: Importing
  readonly #device: LinkedDevice
  readonly log: Array<string> = []
  readonly #notebooks: Array<string> = []
  readonly #notes: Array<string> = []
  #files = 0
  #imports = 0
  #sets = 0

  private constructor(team: Team, device: LinkedDevice) {
    this.team = team
    this.#importing = new Importing(team)
    this.#device = device
  }

  static async start(app: TestApp): Promise<LinkedWorkspace> {
    const team = await Team.start(app)
    const made = new LinkedWorkspace(team, await LinkedDevice.open(team))
    for (const name of folders) {
      made.#notebooks.push((await made.call("POST", "/notebooks", { name })).body.id)
    }
    for (let index = 0; index < 4; index++) await made.run({ kind: "create", a: index, b: index, c: index })
    await made.#device.sync()
    return made
  }

  close(): Promise<void> {
    return this.#device.close()
  }

  /** A request in the present change set. */
  call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const set = { "change-set": `cs_${String(this.#sets).padStart(20, "0")}` }
    const headers = method === "GET" ? this.team.owner.headers : { ...this.team.owner.headers, ...set }
    return this.team.app.call(method, path, body, headers)
  }

  async #given(method: string, path: string, body?: unknown): Promise<any> {
    const response = await this.call(method, path, body)
    if (response.status >= 300) throw new Error(response.text)
    return response.body
  }

  /** Runs a step, and checks the links that it may have changed. */
  async run(step: Step): Promise<void> {
    await this.#run(step)
    // Notes that a device, an import or a revert made.
    const rows = await this.team.app.sql(
      "SELECT id FROM notes WHERE workspace_id = $1 AND id <> ALL($2::text[]) ORDER BY created_at, title, id",
      [this.team.id, this.#notes]
    )
    this.#notes.push(...rows.map(({ id }) => id))
  }

  async #run({ a, b, c, kind }: Step): Promise<void> {
    const id = at(this.#notes, a)
    const notebook = at(this.#notebooks, b)
    const title = at(titles, c)
    const did = (response: ApiResponse) => {
      this.log.push(`${kind} ${a} ${b} ${c} of ${id}: ${response.status}`)
      return response
    }
    switch (kind) {
      case "create": {
        const body = this.#notes.length === 0 ? "" : bodyOf(a, b, at(this.#notes, b))
        return void did(await this.call("POST", "/notes", { notebook_id: notebook, title, body }))
      }
      case "rename":
        return void did(await this.call("PATCH", `/notes/${id}`, { title }))
      case "move":
        return void did(await this.call("PATCH", `/notes/${id}`, { notebook_id: notebook }))
      case "renameWithLinks":
      case "moveWithLinks":
      case "renameAndRevert": {
        const before = await this.linked()
        const change = kind === "moveWithLinks" ? { notebook_id: notebook } : { title }
        this.#sets++
        const { body, status } = did(await this.call("PATCH", `/notes/${id}`, { ...change, links: "update" }))
        if (status !== 200) return
        checkUpdated(before, await this.linked(), id)
        if (kind !== "renameAndRevert" || body.links.change_set_id === null) return
        await this.#revert(body.links.change_set_id)
        return checkReverted(before, await this.linked())
      }
      case "write":
        return void did(await this.call("PATCH", `/notes/${id}`, { body: bodyOf(b, c, at(this.#notes, c)) }))
      case "push": {
        // Some are based on an earlier version, and are conflicts.
        const { body } = await this.call("GET", `/notes/${id}`)
        const revision = Math.max(1, (body.version ?? 1) - (c % 2))
        const data = { title, body: bodyOf(c, b, id) }
        return void did(
          await this.call("POST", "/sync/push", { changes: [{ type: "note", op: "upsert", id, revision, data }] })
        )
      }
      case "trash":
        return void did(await this.call("DELETE", `/notes/${id}`))
      case "restore":
        return void did(await this.call("POST", `/notes/${id}/restore`))
      case "purge":
        return void did(await this.call("DELETE", `/notes/${id}?permanent=true`))
      case "renameNotebook":
        return void did(await this.call("PATCH", `/notebooks/${notebook}`, { name: at(folders, c) }))
      case "moveNotebook":
        return void did(
          await this.call("POST", `/notebooks/${notebook}/move`, { parent_id: at([null, ...this.#notebooks], c) })
        )
      case "restoreVersion":
        return void did(await this.call("POST", `/notes/${id}/versions/1/restore`))
      case "attach": {
        if (this.#files++ > 2) return
        const form = { note_id: id, filename: "photo.png", content_type: "image/png", size: 1, sha256: "0".repeat(64) }
        return void did(await this.call("POST", "/attachments/uploads", form))
      }
      case "tick":
      case "date": {
        const { data } = (await this.call("GET", `/tasks?filter=note_id=${id}&sort=line`)).body
        if (data.length === 0) return
        const task = at<any>(data, b)
        const change = kind === "tick" ? { done: !task.done } : { due: at(["2026-12-24", null], c), priority: "high" }
        const before: string = (await this.#given("GET", `/notes/${id}`)).body
        const { status } = did(
          await this.call("PATCH", `/tasks/${task.id}`, {
            ...change,
            ...(c % 2 === 0 ? { version: task.version } : {})
          })
        )
        if (status !== 200) throw new Error(`the task was not changed: ${status}`)
        const after: string = (await this.#given("GET", `/notes/${id}`)).body
        // The task may have had the date and the priority.
        return kind === "date" && after === before ? undefined : checkTicked(before, after, task.line)
      }
      case "editOffline":
        this.log.push(`${kind} ${a} ${b} ${c}`)
        return this.#device.edit(a, b, c)
      case "sync":
        this.log.push(kind)
        return this.#device.sync()
      case "revert": {
        this.#sets++
        const { data } = await this.#given("GET", "/change-sets?limit=100")
        return data.length === 0 ? undefined : this.#revert(at<any>(data, a).id)
      }
      case "copyMarkdown":
      case "copyJson":
        this.log.push(kind)
        return this.#copy(kind === "copyJson" ? "json" : "markdown")
      case "importMarkdown":
      case "importJson": {
        if (this.#imports++ > 1) return
        const format = kind === "importJson" ? "json" : "markdown"
        const on_existing = at(["skip", "update", "duplicate"], c)
        this.log.push(`${kind} ${on_existing}`)
        const { bytes } = await this.#importing.exported(format)
        return void (await this.#importing.all(format, "own.zip", bytes, { on_existing }))
      }
    }
  }

  async #revert(set: string): Promise<void> {
    this.log.push(`revert ${set}`)
    this.#sets++
    await reverting((method, path, body) => this.#given(method, path, body))(set)
    // Its requests may not join a set that is reverted.
    this.#sets++
  }

  /** Imports an export into a new workspace, whose links lead to the copies of the notes. */
  async #copy(format: "json" | "markdown"): Promise<void> {
    const { links } = await this.linked()
    const { bytes, files } = await this.#importing.exported(format)
    const copy = new Importing(await Team.of(this.team.app, this.team.owner))
    await copy.all(format, "copy.zip", bytes)
    const made = new LinkedWorkspace(copy.team, this.#device)
    const rows = await copy.team.app.sql("SELECT note_id, path FROM note_originals WHERE workspace_id = $1", [
      copy.team.id
    ])
    const copies = new Map(
      format === "json"
        ? this.#notes.map((id) => [id, id])
        : rows.map(({ note_id, path }) => [/^id: (\S+)$/m.exec(files.get(path)!.toString())![1]!, note_id])
    )
    checkCopied(format, links, (await made.linked()).links, copies)
  }

  /** All derived rows, once they are complete, and the lists of them. */
  async rows(): Promise<ReadonlyArray<string>> {
    const listed: Array<object> = []
    for (const path of lists) {
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: any = await this.#given("GET", `${path}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`)
        listed.push(...page.data.map((row: object) => ({ table: path, ...row })))
        cursor = page.next_cursor
      }
    }
    const all = await Promise.all(
      tables.map((table) =>
        this.team.app.sql(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE workspace_id = $1`, [this.team.id])
      )
    )
    const stored = all.flatMap((rows, index) => rows.map(({ row }) => ({ table: tables[index], ...row })))
    return [...listed, ...stored]
      .map((row) =>
        JSON.stringify("candidates" in row ? { ...row, candidates: (row as any).candidates.toSorted() } : row)
      )
      .toSorted()
  }

  /** The same, read from all texts again. */
  async rowsAnew(): Promise<ReadonlyArray<string>> {
    for (const table of ["note_contents", "content_places"])
      await this.team.app.sql(`DELETE FROM ${table} WHERE workspace_id = $1`, [this.team.id])
    return this.rows()
  }

  async linked(): Promise<Linked> {
    await this.#given("GET", "/links?limit=1")
    const { id } = this.team
    const [links, notes, tree] = await Promise.all([
      this.team.app.sql("SELECT * FROM note_links WHERE workspace_id = $1", [id]),
      this.team.app.sql(
        `SELECT c.note_id, c.identity || coalesce((SELECT string_agg(f::text, '' ORDER BY f) FROM former_names f
          WHERE f.workspace_id = $1 AND f.note_id = c.note_id), '') AS identity FROM note_contents c WHERE workspace_id = $1`,
        [id]
      ),
      this.team.app.sql("SELECT id, parent_id, name FROM notebooks WHERE workspace_id = $1 ORDER BY id", [id])
    ])
    return {
      links: links as ReadonlyArray<any>,
      notes: new Map(notes.map(({ identity, note_id }) => [note_id, identity])),
      tree: JSON.stringify(tree)
    }
  }
}
