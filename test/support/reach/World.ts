import { Team } from "../people/Team.ts"
import type { ApiResponse, TestApp } from "../TestApp.ts"
import type { LimitedOperation } from "./LimitedOperations.ts"
import { pullOf, pushOf, streamed } from "./SyncSteps.ts"
import { argumentsOf, type ListedTool, listedTools, resultText } from "./ToolCalls.ts"

/** A workspace with a limited key, as one of two that differ only in what the key does not reach. */

/** A random choice; the same numbers make the same request in each world. */
export interface Step {
  readonly operation: number
  readonly numbers: ReadonlyArray<number>
}

type Kind = "note" | "notebook" | "tag" | "comment" | "reminder" | "task"

const prefixes: Readonly<Record<Kind, string>> = {
  note: "nt",
  notebook: "nb",
  tag: "tg",
  comment: "cm",
  reminder: "rm",
  task: "tk"
}

const titles = ["Plan", "Trip", "Secret", "Über"]
const bodies = [
  "",
  "[[Plan]] [[Trip]] [[Secret]] [[Private/Secret]] [[Shared/Plan]] [[../Plan]] ![[Alias#a|b]]\n\n- [ ] tickets 📅 2026-12-01 #work\n- [x] done",
  "---\naliases: [Secret]\nstatus: open\ncount: 3\n---\nwords [[Alias]]\n- [ ] call ⏫",
  "# Heading\n\nplain text with [a link](note:NOTE)"
]
const tags = [["red"], ["red", "blue"], []]
const filters = [
  "notebook_id = NOTEBOOK",
  "id = NOTE",
  "title = Secret",
  "deleted_at:*",
  "archived = true",
  "tags = hidden",
  "tags = red",
  'properties.status = "open"',
  "properties.secret:*",
  "done = false",
  "broken = true",
  "target_id = NOTE",
  "resolved_by = title",
  "resolved_by = alias",
  "status = ambiguous",
  "due < 2026-12-31",
  "nonsense ="
]
/** Words of both sides, wrong spellings, beginnings and operators. */
const queries = [
  "plan",
  "secret",
  "sekret",
  "trip",
  "hidd",
  "heading",
  "milk OR hidden",
  '"plain text"',
  "alais",
  "-trip words",
  "#hidden",
  "#red"
]
const sorts = ["title", "-updated_at", "created_at", "word_count", "name", "note_count", "due", "properties.status"]
const sections: Readonly<Record<string, Kind>> = {
  notes: "note",
  notebooks: "notebook",
  tags: "tag",
  comments: "comment",
  reminders: "reminder",
  tasks: "task"
}

/** Lists in an order that is different in each world: ids of links and tasks are hashes. */
const ordersByHash = new Set(["listTasks", "listLinks", "listNoteLinks"])
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
    }
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

  #id(kind: Kind, number: number): string {
    const all = number % 3 === 0 ? this.unseen.get(kind)! : this.seen.get(kind)!
    return all[number % Math.max(1, all.length)] ?? `${prefixes[kind]}_00000000000000000000`
  }

  #filled(text: string, number: number): string {
    return text.replaceAll("NOTEBOOK", this.#id("notebook", number)).replaceAll("NOTE", this.#id("note", number))
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
      links: "keep",
      append: "more",
      done: numbers[7]! % 2 === 0,
      text: "buy milk",
      due: "2026-12-24",
      note_id: this.#id("note", numbers[8]!),
      remind_at: "2030-01-01T00:00:00.000Z",
      channel: "webhook",
      parent_id: this.#id("comment", numbers[9]!),
      resolved: true,
      id: this.#id("note", numbers[8]!)
    }
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
    const names = path.includes("comments")
      ? ["body", "parent_id", "resolved"]
      : path.includes("reminders")
        ? ["note_id", "remind_at", "channel", "done"]
        : path.includes("tasks")
          ? ["done", "text", "due", "version"]
          : path.endsWith("edits")
            ? ["append", "version"]
            : ["notebook_id", "title", "body", "tags", "version", "pinned", "archived", "links", "id"]
    const needed = method === "POST" ? names.slice(0, path.includes("comments") ? 1 : 3) : []
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
      done: numbers[7]! % 2 === 0,
      due: "2026-12-24",
      remind_at: "2030-01-01T00:00:00.000Z",
      channel: "webhook",
      direction: at(["in", "out", "broken", "unlinked"], 8)
    })
    const text = await resultText(this.#wire, tool.name, args)
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
      if (ordersByHash.has(name)) query.set("limit", "200")
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
    const response = await this.team.app.call(method, path, body, this.#key)
    if (response.status >= 500) throw new Error(response.text)
    if (response.status < 300) this.successful.add(name)
    if (ordersByHash.has(name) && response.status === 200) {
      const keyOf = (task: object) => this.#named(JSON.stringify(task), () => "")
      response.body.data.sort((a: object, b: object) => (keyOf(a) < keyOf(b) ? -1 : 1))
    }
    this.#learn(name, response)
    const text = response.status === 204 ? "" : JSON.stringify(response.body ?? response.text)
    return `${method} ${this.#named(path)} ${this.#named(JSON.stringify(body) ?? "")}: ${response.status} ${this.#named(text)}`
  }

  #learn(name: string, { body }: ApiResponse): void {
    if (typeof body?.next_cursor === "string") this.#cursors.set(name, body.next_cursor)
    else this.#cursors.delete(name)
    const known = new Set([...this.seen.values()].flat())
    if (typeof body?.cursor === "string") this.#position = body.cursor
    const found: ReadonlyArray<any> = body?.data ?? body?.changes ?? [body]
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
      .replaceAll(/"(next_cursor|cursor|request_id)":"[^"]*"|"(took_ms)":\d+/g, '"$1$2":"…"')
      .replaceAll(/cursor=[^&\s]*/g, "cursor=…")
      .replaceAll(/\bperson-\d+/g, "person")
      .replaceAll(/\b([a-z]{2})_[0-9A-Za-z_-]{16,40}/g, (id, prefix: string) => {
        const known = this.#names.get(id) ?? unknown?.() ?? `${prefix}#${this.#names.size}`
        if (known === "") return known
        this.#names.set(id, known)
        return known
      })
  }
}

const words = ["Plan", "Secret", "Trip"]

/** Changes what the key does not reach. In the other world there are ids of nothing. */
export const outside = async (world: World, other: World, numbers: ReadonlyArray<number>): Promise<void> => {
  const [kind, a, b] = numbers as [number, number, number]
  const notebooks = world.unseen.get("notebook")!
  const notes = world.unseen.get("note")!
  const forget = (of: Kind, id: string) => {
    if (world.unseen.get(of)!.includes(id)) return
    world.unseen.get(of)!.push(id)
    other.unseen
      .get(of)!
      .push(`${prefixes[of]}_${"0".repeat(16)}${String(world.unseen.get(of)!.length).padStart(4, "0")}`)
  }
  const id = notes[a % Math.max(1, notes.length)]
  if (notebooks.length === 0 || kind % 8 === 0) {
    forget("notebook", (await world.given("POST", "/notebooks", { name: "Private" })).id)
  } else if (id === undefined || kind % 8 < 3) {
    const body = `---\nsecret: 1\naliases: [Alias, ${words[b % 3]}]\n---\n[[Plan]] [[Trip]]\n- [ ] hidden 📅 2026-12-02`
    const note = { notebook_id: notebooks[a % notebooks.length], title: words[b % 3], body, tags: ["hidden"] }
    const made = await world.given("POST", "/notes", note)
    forget("note", made.id)
    forget("comment", (await world.given("POST", `/notes/${made.id}/comments`, { body: "hidden" })).id)
    const task = (await world.given("GET", `/tasks?filter=note_id = ${made.id}`)).data[0]
    forget("task", task.id)
    const reminder = { note_id: made.id, remind_at: "2030-01-01T00:00:00.000Z", channel: "webhook" }
    forget("reminder", (await world.given("POST", "/reminders", reminder)).id)
    forget("tag", (await world.given("GET", "/tags?filter=name = hidden")).data[0].id)
  } else {
    const change =
      kind % 8 < 6
        ? { title: words[b % 3], pinned: a % 2 === 0, archived: b % 2 === 0 }
        : { body: `[[Trip]] ${b}`, tags: ["hidden", "more"] }
    const headers = world.team.owner.headers
    await world.team.app.call(
      kind % 8 === 7 ? "DELETE" : "PATCH",
      `/notes/${id}`,
      kind % 8 === 7 ? undefined : change,
      headers
    )
  }
}

/** Moves a note into what the key reaches, or out of it, in both worlds: from different notebooks. */
export const across = async (worlds: ReadonlyArray<World>, [kind, a, b]: ReadonlyArray<number>): Promise<void> => {
  for (const world of worlds) {
    const [notebooks, notes] = [world.seen.get("notebook")!, world.seen.get("note")!]
    const target = notebooks[a! % 3]!
    if (kind! % 2 === 0) {
      const made = await world.given("POST", "/notes", {
        notebook_id: world.elsewhere,
        title: words[b! % 3],
        body: "came"
      })
      await world.given("PATCH", `/notes/${made.id}`, { notebook_id: target })
      notes.push(made.id)
    } else {
      const { headers } = world.team.owner
      const to = b! % 2 === 0 ? world.elsewhere : target
      await world.team.app.call("PATCH", `/notes/${notes[a! % notes.length]}`, { notebook_id: to }, headers)
    }
  }
}
