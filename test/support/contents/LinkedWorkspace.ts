import fc from "fast-check"
import { expect } from "vitest"
import { Team } from "../people/Team.ts"
import type { ApiResponse, TestApp } from "../TestApp.ts"

/** Few names, so that notes have the same ones. */
const titles = ["Plan", "plan", "Trip", "Trip#1", "Über", "A/B"]
const folders = ["Work", "Home", "Work"]

const kinds = [
  "create",
  "rename",
  "renameWithLinks",
  "move",
  "write",
  "push",
  "trash",
  "restore",
  "purge",
  "renameNotebook",
  "moveNotebook",
  "restoreVersion",
  "attach",
  "tick"
] as const

export const stepOf = fc.record({
  kind: fc.constantFrom(...kinds),
  a: fc.nat(20),
  b: fc.nat(20),
  c: fc.nat(20)
})
interface Step {
  readonly kind: (typeof kinds)[number]
  readonly a: number
  readonly b: number
  readonly c: number
}

const at = <A>(all: ReadonlyArray<A>, index: number): A => all[index % all.length]!

/** A row of a link, with the text that it has in its note. */
interface Link {
  readonly note_id: string
  readonly target: string
  readonly status: string
  readonly resolved_by: string | null
  readonly target_id: string | null
  readonly candidates: ReadonlyArray<string>
  readonly body: string
}

const tables = ["note_contents", "note_links", "note_link_keys", "note_tasks", "note_properties"]

/** A workspace of its own, and what a client does there. */
export class LinkedWorkspace {
  readonly #team: Team
  readonly log: Array<string> = []
  readonly #notebooks: Array<string> = []
  readonly #notes: Array<string> = []
  #files = 0

  private constructor(team: Team) {
    this.#team = team
  }

  static async start(app: TestApp): Promise<LinkedWorkspace> {
    const made = new LinkedWorkspace(await Team.start(app))
    for (const name of folders) {
      made.#notebooks.push((await made.call("POST", "/notebooks", { name })).body.id)
    }
    for (let index = 0; index < 4; index++) await made.run({ kind: "create", a: index, b: index, c: index })
    return made
  }

  call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    return this.#team.app.call(method, path, body, this.#team.owner.headers)
  }

  #body(a: number, b: number): string {
    const targets = [
      ...titles,
      "Work/Plan",
      "Home/Trip",
      "../Home/Plan",
      "Work/Home/Plan",
      `${at(this.#notes, b)}`,
      "photo.png",
      "Alias"
    ]
    const links = [0, 1, 2].map((offset) => `[[${at(targets, a * 3 + b + offset * 5)}#part|x]]`)
    const head =
      a % 4 === 0 ? `---\naliases: [Alias, ${at(titles, b)}]\nrelated: "[[${at(titles, a)}]]"\nn: ${b}\n---\n` : ""
    return `${head}# part\n\n${links.join(" ")} [md](${encodeURI(at(titles, b))}.md)\n\n- [ ] one due:2026-12-01\n- [x] two\n- [ ] one due:2026-12-01\n`
  }

  async run({ a, b, c, kind }: Step): Promise<void> {
    const id = at(this.#notes, a)
    const notebook = at(this.#notebooks, b)
    const title = at(titles, c)
    const did = (response: ApiResponse) => {
      this.log.push(`${kind} ${id} ${b} ${c}: ${response.status}`)
      return response
    }
    switch (kind) {
      case "create": {
        const body = this.#notes.length === 0 ? "" : this.#body(a, b)
        this.#notes.push(did(await this.call("POST", "/notes", { notebook_id: notebook, title, body })).body.id)
        return
      }
      case "rename":
        return void did(await this.call("PATCH", `/notes/${id}`, { title }))
      case "renameWithLinks":
        return void did(await this.call("PATCH", `/notes/${id}`, { title, links: "update" }))
      case "move":
        return void did(await this.call("PATCH", `/notes/${id}`, { notebook_id: notebook }))
      case "write":
        return void did(await this.call("PATCH", `/notes/${id}`, { body: this.#body(b, c) }))
      case "push": {
        const data = { title, body: this.#body(c, b) }
        const { body } = await this.call("GET", `/notes/${id}`)
        const changes = [{ type: "note", op: "upsert", id, revision: body.version ?? 1, data }]
        return void did(await this.call("POST", "/sync/push", { changes }))
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
      case "tick": {
        const { data } = (await this.call("GET", `/tasks?filter=note_id=${id}&sort=line`)).body
        if (data.length === 0) return
        const task = at<any>(data, b)
        const before: string = (await this.call("GET", `/notes/${id}`)).body.body
        const { status } = did(
          await this.call("PATCH", `/tasks/${task.id}`, { done: !task.done, version: task.version })
        )
        const after: string = (await this.call("GET", `/notes/${id}`)).body.body
        const differing = before
          .split("\n")
          .flatMap((line, index) => (line === after.split("\n")[index] ? [] : [index + 1]))
        const isOneLine = differing.length === 1 && differing[0] === task.line
        if (status !== 200 || !isOneLine || after.split("\n").length !== before.split("\n").length)
          throw new Error(
            `${this.log.join("\n")}\nA tick of line ${task.line} changed the lines ${differing.join(", ")}`
          )
        return
      }
    }
  }

  /** All derived rows, once they are complete. */
  async rows(): Promise<ReadonlyArray<string>> {
    await this.call("GET", "/links?limit=1")
    const all = await Promise.all(
      tables.map((table) =>
        this.#team.app.sql(`SELECT to_jsonb(t) - 'resolve_at' AS row FROM ${table} t WHERE workspace_id = $1`, [
          this.#team.id
        ])
      )
    )
    return all
      .flatMap((rows, index) => rows.map(({ row }) => ({ table: tables[index], ...row })))
      .map((row) => JSON.stringify("candidates" in row ? { ...row, candidates: row.candidates.toSorted() } : row))
      .toSorted()
  }

  async rowsAnew(): Promise<ReadonlyArray<string>> {
    for (const table of ["note_contents", "content_places"])
      await this.#team.app.sql(`DELETE FROM ${table} WHERE workspace_id = $1`, [this.#team.id])
    return this.rows()
  }

  links(): Promise<ReadonlyArray<Link>> {
    return this.#team.app.sql(
      `SELECT l.note_id, l.target, l.status, l.resolved_by, l.target_id, l.candidates, n.body FROM note_links l
        JOIN notes n ON n.workspace_id = l.workspace_id AND n.id = l.note_id WHERE l.workspace_id = $1`,
      [this.#team.id]
    )
  }
}

/**
 * A link that led to a note leads to it, or is listed as broken, unless the last step has changed that note or the one to
 * which it leads now, or the path of a notebook. A link with `..` says from where it leads.
 */
export const checkLinks = (
  before: ReadonlyArray<Link>,
  after: ReadonlyArray<Link>,
  log: ReadonlyArray<string>
): void => {
  const now = new Map(after.map((link) => [`${link.note_id} ${link.target} ${link.body}`, link]))
  for (const link of before) {
    const found = now.get(`${link.note_id} ${link.target} ${link.body}`)
    if (
      link.target_id === null ||
      link.target.includes("..") ||
      found === undefined ||
      found.target_id === link.target_id
    )
      continue
    const isBroken = found.status === "missing" || (found.status === "ambiguous" && found.candidates.length > 1)
    const isChanged = [link.target_id, found.target_id ?? link.target_id, "Notebook"].some((part) =>
      log.at(-1)!.includes(part)
    )
    const isAllowed = isBroken || found.status === "file" || isChanged
    expect(isAllowed, [...log, JSON.stringify(link), JSON.stringify(found)].join("\n")).toBe(true)
  }
}
