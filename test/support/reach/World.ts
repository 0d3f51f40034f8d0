import { Team } from "../people/Team.ts"
import type { ApiResponse, TestApp } from "../TestApp.ts"
import type { LimitedOperation } from "./LimitedOperations.ts"
import { isWhole, pullOf, pushOf, streamed } from "./SyncSteps.ts"
import { endOf, inSomeSet, ownSets } from "./SetSteps.ts"
import { argumentsOf, type ListedTool, listedTools, resultOf, withoutMarks } from "./ToolCalls.ts"
import { bodies, filters, queries, sorts, tags, titles } from "./Texts.ts"
import { archiveOf, contentsOf, ended, exportOf, importOf } from "./Transfers.ts"
import { contentAt, formOf, got, hashAt, put, sizeAt } from "./Uploads.ts"

/** A workspace with a limited key, as one of two that differ only in what the key does not reach. */

/** A random choice; the same numbers make the same request in each world. */
export interface Step {
  readonly operation: number
  readonly numbers: ReadonlyArray<number>
}

export type Kind =
  | "export"
  | "import"
  | "note"
  | "notebook"
  | "tag"
  | "comment"
  | "reminder"
  | "task"
  | "attachment"
  | "share"
  | "event"
  | "change_set"
  | "revert"

export const prefixes: Readonly<Record<Kind, string>> = {
  export: "ex",
  import: "im",
  note: "nt",
  notebook: "nb",
  tag: "tg",
  comment: "cm",
  reminder: "rm",
  share: "sh",
  task: "tk",
  attachment: "at",
  event: "ev",
  change_set: "cs",
  revert: "rv"
}

const sections: Readonly<Record<string, Kind>> = {
  exports: "export",
  imports: "import",
  notes: "note",
  notebooks: "notebook",
  tags: "tag",
  comments: "comment",
  reminders: "reminder",
  shares: "share",
  tasks: "task",
  attachments: "attachment",
  events: "event",
  "change-sets": "change_set",
  reverts: "revert"
}

/** Lists in an order that differs between worlds: ids of links and tasks are hashes, and those of files of a copied note random. */
const inAnyOrder = new Set(["listTasks", "listLinks", "listNoteLinks", "listAttachments"])
const directions = ["in", "out", "broken", "unlinked"]

export class World {
  readonly team: Team
  /** Ids that the key has seen, the same in each world at each place. */
  readonly seen = new Map<Kind, Array<string>>()
  /** Ids that the key does not reach; in the world without these records, ids of nothing. */
  readonly unseen = new Map<Kind, Array<string>>()
  /** The operations that have succeeded. */
  readonly successful = new Set<string>()
  /** The MCP tools that exist for the key. */
  tools: ReadonlyArray<ListedTool> = []
  /** A notebook that the key does not reach. */
  elsewhere = ""
  readonly #names = new Map<string, string>()
  readonly #cursors = new Map<string, string>()
  /** The cursor of the last response of sync. */
  #position: string | undefined
  #key: Readonly<Record<string, string>> = {}

  private constructor(team: Team) {
    this.team = team
    for (const kind of Object.keys(prefixes) as ReadonlyArray<Kind>) {
      this.seen.set(kind, [])
      this.unseen.set(kind, [])
    }
    this.seen.get("change_set")!.push(...ownSets)
  }

  static async two(app: TestApp): Promise<readonly [World, World]> {
    const worlds = [new World(await Team.start(app)), new World(await Team.start(app))] as const
    // At different times, which are the same in both: ids then have the same order.
    const make = async (kind: Kind, path: (world: World) => string, body: (world: World) => object) => {
      await app.advance("1 second")
      for (const world of worlds) await world.#make(kind, path(world), body(world))
    }
    const notebook = (world: World, index: number) => world.seen.get("notebook")![index]!
    const path = () => "/notebooks"
    await make("notebook", path, () => ({ name: "Shared" }))
    await make("notebook", path, (world) => ({ name: "Below", parent_id: notebook(world, 0) }))
    await make("notebook", path, () => ({ name: "Read" }))
    for (const [index, place] of [0, 2, 0].entries()) {
      const note = { title: titles[index], body: bodies[index + 1], tags: ["red"] }
      await make(
        "note",
        () => "/notes",
        (world) => ({ ...note, notebook_id: notebook(world, place) })
      )
      await make(
        "comment",
        (world) => `/notes/${world.seen.get("note")![index]}/comments`,
        () => ({ body: "first" })
      )
      await make(
        "attachment",
        () => "/attachments/uploads",
        (world) => ({ note_id: world.seen.get("note")![index], filename: `${index}.txt` })
      )
    }
    await app.advance("1 second")
    for (const world of worlds) {
      await world.given("PATCH", `/notes/${world.seen.get("note")![0]}`, { body: "the second version" })
    }
    const reminder = { remind_at: "2030-01-01T00:00:00.000Z", channel: "webhook" }
    await make(
      "reminder",
      () => "/reminders",
      (world) => ({ ...reminder, note_id: world.seen.get("note")![0] })
    )
    for (const world of worlds) {
      const notebooks = [
        { id: notebook(world, 0), access: "write", include_subnotebooks: true },
        { id: notebook(world, 2), access: "read", include_subnotebooks: false }
      ]
      const key = await world.given("POST", "/api-keys", { name: "limited", notebooks })
      world.#key = { authorization: `Bearer ${key.secret}` }
      world.tools = await listedTools(world.#wire)
      world.elsewhere = (await world.given("POST", "/notebooks", { name: "Elsewhere" })).id
    }
    return worlds
  }

  /** A record of the owner that the key reaches. */
  async #make(kind: Kind, path: string, body: object): Promise<void> {
    this.seen.get(kind)!.push((await this.given("POST", path, body)).id)
  }

  async given(method: string, path: string, body?: unknown): Promise<any> {
    const response = await this.team.app.call(method, path, body, this.team.owner.headers)
    if (response.status >= 300) throw new Error(response.text)
    return response.body
  }

  get #wire() {
    return { url: this.team.app.url, headers: this.#key }
  }

  /** Sorts records in the same order in each world. */
  #sort(records: Array<object>): void {
    const keyOf = (record: object) => this.#named(withoutMarks(record), () => "")
    records.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }

  /** A value whose records are in the same order in each world. */
  #sorted(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value
    if (!Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#sorted(member)]))
    }
    const all = value.map((each) => this.#sorted(each))
    if (all.every((each): each is object => typeof each === "object" && each !== null)) this.#sort(all)
    return all
  }

  /** The file of an import. */
  #archive(numbers: ReadonlyArray<number>): Buffer {
    return archiveOf(numbers, {
      note: this.#id("note", numbers[8]!),
      notebook: this.#id("notebook", numbers[9]!),
      attachment: this.#id("attachment", numbers[7]!),
      comment: this.#id("comment", numbers[6]!)
    })
  }

  #id(kind: Kind, number: number): string {
    const all = number % 3 === 0 ? this.unseen.get(kind)! : this.seen.get(kind)!
    return all[number % Math.max(1, all.length)] ?? `${prefixes[kind]}_00000000000000000000`
  }

  #filled(text: string, number: number): string {
    return text
      .replaceAll("NOTEBOOK", this.#id("notebook", number))
      .replaceAll("NOTE", this.#id("note", number))
      .replaceAll("EVENT", this.#id("event", number))
  }

  #body(method: string, path: string, numbers: ReadonlyArray<number>): object {
    const at = <A>(all: ReadonlyArray<A>, index: number): A => all[numbers[index]! % all.length]!
    const values: Readonly<Record<string, unknown>> = {
      notebook_id: this.#id("notebook", numbers[0]!),
      title: at(titles, 1),
      body: this.#filled(at(bodies, 2), numbers[2]!),
      tags: at(tags, 3),
      version: 1 + (numbers[4]! % 3),
      pinned: numbers[5]! % 2 === 0,
      archived: numbers[6]! % 2 === 0,
      links: at(["keep", "update"], 3),
      append: "more",
      done: numbers[7]! % 2 === 0,
      text: "buy milk",
      due: "2026-12-24",
      note_id: this.#id("note", numbers[8]!),
      remind_at: "2030-01-01T00:00:00.000Z",
      channel: "webhook",
      breaks: numbers[5]! % 2 === 0,
      expires_at: "2030-01-01T00:00:00.000Z",
      parent_id: this.#id("comment", numbers[9]!),
      resolved: true,
      id: this.#id("note", numbers[8]!),
      filename: `${at(titles, 1)}.txt`,
      content_type: "text/plain",
      size: sizeAt(numbers[4]!),
      sha256: hashAt(numbers[4]!)
    }
    if (path === "/exports") return exportOf(numbers, this.#id("notebook", numbers[0]!))
    if (path === "/imports") return importOf(numbers, this.#id("notebook", numbers[0]!))
    if (path === "/sync/pull") return pullOf(numbers, this.#position)
    if (path === "/sync/push") {
      const of = (kind: Kind) => (index: number) => this.#id(kind, numbers[index % numbers.length]!)
      return pushOf(numbers, {
        note: of("note"),
        notebook: of("notebook"),
        comment: of("comment"),
        reminder: of("reminder")
      })
    }
    if (path.startsWith("/change-sets")) return numbers[1]! % 4 === 0 ? {} : { preview: true }
    if (path.startsWith("/notebooks")) {
      const parent_id = numbers[9]! % 5 === 0 ? null : this.#id("notebook", numbers[9]!)
      const isNamed = method === "POST" && !path.endsWith("/move")
      return {
        ...(isNamed || numbers[3]! % 3 === 0 ? { name: at(titles, 1) } : {}),
        ...(method === "POST" || numbers[4]! % 2 === 0 ? { parent_id } : {})
      }
    }
    if (path === "/search") {
      return {
        query: at(queries, 0),
        explain: numbers[1]! % 2 === 0,
        archived: null,
        limit: 1 + (numbers[2]! % 4),
        ...(numbers[3]! % 3 === 0 ? { notebook_id: this.#id("notebook", numbers[4]!) } : {}),
        ...(numbers[5]! % 3 === 0 ? { tags: at([["red"], ["hidden"]], 6) } : {}),
        ...(numbers[7]! % 4 === 0 ? { filter: "properties.secret:*" } : {})
      }
    }
    const names = path.includes("attachments")
      ? ["note_id", "filename", "sha256", "size", "content_type"].slice(0, method === "POST" ? 5 : 2)
      : path.includes("comments")
        ? ["body", "parent_id", "resolved"]
        : path.includes("shares")
          ? ["note_id", "breaks", "expires_at"]
          : path.includes("reminders")
            ? ["note_id", "remind_at", "channel", "done"]
            : path.includes("tasks")
              ? ["done", "text", "due", "version"]
              : path.endsWith("edits")
                ? ["append", "version"]
                : ["notebook_id", "title", "body", "tags", "version", "pinned", "archived", "links", "id"]
    const needed =
      method === "POST" ? names.slice(0, path.includes("comments") ? 1 : path.includes("attachments") ? 2 : 3) : []
    const chosen = names.filter(
      (name, index) => needed.includes(name) || numbers[(index + 3) % numbers.length]! % 3 === 0
    )
    return Object.fromEntries(chosen.map((name) => [name, values[name]]))
  }

  /** Calls a tool with the key, and returns what its result may depend on. */
  async call(tool: ListedTool, { numbers }: Step): Promise<string> {
    const at = <A>(all: ReadonlyArray<A>, index: number): A => all[numbers[index]! % all.length]!
    const version = 1 + (numbers[4]! % 3)
    const args = argumentsOf(tool, numbers, {
      note_id: this.#id("note", numbers[0]!),
      note_ids: [this.#id("note", numbers[0]!), this.#id("note", numbers[8]!)],
      id: tool.name === "set_task" ? this.#id("task", numbers[0]!) : this.#id("note", numbers[0]!),
      notebook_id: this.#id("notebook", numbers[1]!),
      query: at(queries, 2),
      filter: this.#filled(at(filters, 3), numbers[0]!),
      sort: at(sorts, 4),
      limit: 1 + (numbers[5]! % 4),
      version,
      to_version: numbers[5]! % 2 === 0 ? undefined : 1,
      compare_with: 1 + (numbers[5]! % 3),
      title: at(titles, 6),
      text: "some words",
      tags: at(tags, 7),
      add: ["red"],
      remove: ["blue"],
      append: "more",
      name: at(titles, 6),
      parent_id: this.#id("notebook", numbers[2]!),
      file_id: this.#id("attachment", numbers[3]!),
      done: numbers[7]! % 2 === 0,
      due: "2026-12-24",
      remind_at: "2030-01-01T00:00:00.000Z",
      channel: "webhook",
      direction: at(["in", "out", "broken", "unlinked"], 8),
      change_set: this.#id("change_set", numbers[0]!),
      preview: numbers[1]! % 2 === 0
    })
    const result = await resultOf(this.#wire, tool.name, args)
    for (const all of [result.tasks, result.links, result.files]) if (all !== undefined) this.#sort(all)
    const text = withoutMarks(result)
    if (!text.startsWith('{"code":')) this.successful.add(tool.name)
    return `${tool.name} ${this.#named(JSON.stringify(args))}: ${this.#named(text)}`
  }

  /** Sends a request with the key, and returns what it may depend on. */
  async ask(operation: LimitedOperation, { numbers }: Step): Promise<string> {
    const parts = operation.path.split("/").slice(1)
    const filled = parts.map((part, index) => {
      if (part === ":version") return String(1 + (numbers[0]! % 3))
      if (part === ":note_id" || (part === ":id" && index > 0)) {
        return this.#id(part === ":note_id" ? "note" : (sections[parts[index - 1]!] ?? "note"), numbers[index]!)
      }
      return part
    })
    const query = new URLSearchParams()
    const { method, name } = operation
    if (name === "streamChanges") {
      const text = await streamed(this.team.app, this.#key, numbers[0]! % 4 === 0 ? undefined : this.#position)
      if (!text.startsWith("4")) this.successful.add(name)
      return `${name}: ${this.#named(text)}`
    }
    if (name === "suggestCompletions") query.set("q", queries[numbers[0]! % queries.length]!.slice(0, 3))
    else if (method === "GET") {
      if (inAnyOrder.has(name)) query.set("limit", "100")
      else if (numbers[3]! % 2 === 0) query.set("limit", String(1 + (numbers[4]! % 3)))
      if (numbers[5]! % 3 === 0) query.set("sort", sorts[numbers[6]! % sorts.length]!)
      if (numbers[7]! % 2 === 0) query.set("filter", this.#filled(filters[numbers[8]! % filters.length]!, numbers[9]!))
      if (name === "findLinkedNote") {
        query.set("target", titles[numbers[1]! % titles.length]!)
        query.set("notebook_id", this.#id("notebook", numbers[2]!))
      }
      if (name === "listNoteLinks") query.set("direction", directions[numbers[0]! % directions.length]!)
      if (name === "listNeighbours") query.set("depth", String(1 + (numbers[0]! % 3)))
      const cursor = this.#cursors.get(name)
      if (cursor !== undefined && numbers[1]! % 4 === 0) query.set("cursor", cursor)
    } else if (method === "DELETE" && numbers[3]! % 4 === 0) query.set("permanent", "true")
    const path = `/${filled.join("/")}${query.size === 0 ? "" : `?${query}`}`
    const body = method === "GET" || method === "DELETE" ? undefined : this.#body(method, path, numbers)
    const isForm = (name === "createAttachment" || name === "createImport") && numbers[1]! % 2 === 0
    const bytes = name === "createImport" ? this.#archive(numbers) : contentAt(numbers[5]!)
    const response = isForm
      ? await this.sent(path, formOf(body!, bytes), this.#key)
      : await this.team.app.call(method, path, body, method === "GET" ? this.#key : inSomeSet(this.#key, numbers))
    if (response.status >= 500) throw new Error(response.text)
    if (response.status < 300) this.successful.add(name)
    if (inAnyOrder.has(name) && response.status === 200) this.#sort(response.body.data)
    if (name === "pullChanges" && isWhole(body ?? {}) && response.status === 201) this.#sort(response.body.changes)
    this.#learn(name, response)
    const { download_url, upload_url, url } = response.body ?? {}
    const file =
      typeof upload_url === "string"
        ? await put(this.team.app, { upload_url }, bytes)
        : typeof url === "string"
          ? await got(this.team.app, url)
          : typeof download_url === "string"
            ? JSON.stringify(this.#sorted(await contentsOf(this.team.app, download_url)))
            : ""
    if (/^create(Ex|Im)port$/.test(name) && response.status === 201) await ended(this.team.app, response.body.id)
    const isRevert = name === "revertChangeSet" && response.status === 201
    const shown = isRevert ? await endOf(this.team.app, this.#key, response.body.id) : (response.body ?? response.text)
    const text = response.status === 204 ? "" : JSON.stringify(shown)
    return `${method} ${this.#named(path)} ${this.#named(JSON.stringify(body) ?? "")}: ${response.status} ${this.#named(text + file)}`
  }

  /** Sends a form, by default as the owner. */
  async sent(path: string, form: FormData, headers = this.team.owner.headers): Promise<ApiResponse> {
    const response = await fetch(this.team.app.url + path, { method: "POST", headers, body: form })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }

  #learn(name: string, { body }: ApiResponse): void {
    if (typeof body?.next_cursor === "string") this.#cursors.set(name, body.next_cursor)
    else this.#cursors.delete(name)
    const known = new Set([...this.seen.values()].flat())
    if (typeof body?.cursor === "string") this.#position = body.cursor
    const all = body?.data ?? body?.changes
    const found: ReadonlyArray<any> = Array.isArray(all) ? all : [body]
    for (const each of found) {
      const kind = (Object.keys(prefixes) as ReadonlyArray<Kind>).find((kind) =>
        String(each?.id).startsWith(`${prefixes[kind]}_`)
      )
      if (kind !== undefined && !known.has(each.id)) this.seen.get(kind)!.push(each.id)
    }
  }

  /** A text whose ids are those of the order in which they came, without cursors, signatures and ids of requests. */
  #named(text: string, unknown?: () => string): string {
    return text
      .replaceAll(/"size_bytes":\d+/g, '"size_bytes":…')
      .replaceAll(/"(next_cursor|cursor|request_id)":"[^"]*"|"(took_ms)":\d+/g, '"$1$2":"…"')
      .replaceAll(/(cursor|signature)=[^&\s"]*/g, "$1=…")
      .replaceAll(/\bperson-\d+/g, "person")
      .replaceAll(/\/s\/[0-9A-Za-z_-]{22}/g, "/s/…")
      .replaceAll(/\b([a-z]{2})_[0-9A-Za-z_-]{16,40}/g, (id, prefix: string) => {
        const known = this.#names.get(id) ?? unknown?.() ?? `${prefix}#${this.#names.size}`
        if (known === "") return known
        this.#names.set(id, known)
        return known
      })
  }
}
