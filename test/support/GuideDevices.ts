import fc from "fast-check"
import { vi } from "vitest"
import type { GuideClient } from "./GuideClient.ts"
import type { Guest } from "./People.ts"
import { aged } from "./SyncCursors.ts"

const hour = 3600_000
const { fetch } = globalThis

/** The state of a client on disk. A crash loses every change after it was written, and the request in progress. */
const stored = (client: any): string =>
  JSON.stringify({ ...client, records: [...client.records], named: client.named && [...client.named] })

const revived = (at: GuideClient, text: string): any => {
  const { named, records, ...kept } = JSON.parse(text)
  const sets = { records: new Map(records), named: named === null ? null : new Set(named) }
  return Object.assign(new at.guide.SyncClient("", ""), kept, sets)
}

type Kind = "note" | "notebook" | "template"
const prefixes: Readonly<Record<Kind, string>> = { note: "nt_", notebook: "nb_", template: "tp_" }

const kind = fc.constantFrom<Kind>("note", "note", "note", "notebook", "template")
const device = fc.nat(2)
/** Selects one of the records that a device shows. */
const which = fc.nat(100)
/** The next action of a device, or of its user in another client. */
export const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("create" as const), device, kind, which }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), device, kind, which, place: fc.nat(100) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("rename" as const), device, kind, which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("tag" as const), device, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete" as const), device, kind, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("undo" as const), device, kind, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore" as const), device, which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("purge" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("age" as const), device, days: fc.constantFrom(2, 91) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("sync" as const),
      device,
      /** The request that fails, if the sync gets that far, and whether the server received it. */
      fails: fc.option(fc.record({ request: fc.nat(4), isServed: fc.boolean() })),
      /** The request during which the user edits, and the app calls `sync()` again. */
      overlap: fc.option(fc.record({ request: fc.nat(4), kind, which, place: fc.nat(100) }))
    })
  }
)
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Sync = Extract<Step, { readonly do: "sync" }>

/** Three devices of one user that run the client of the guide and may crash at any step. */
export class Devices {
  readonly clients: Array<any>
  /** Words that a device added and that no device which showed them deleted. */
  readonly words = new Set<string>()
  private readonly at: GuideClient
  private readonly user: Guest
  private made = 0

  constructor(at: GuideClient, user: Guest) {
    this.at = at
    this.user = user
    this.clients = Array.from({ length: 3 }, () => new this.at.guide.SyncClient(this.at.app.url, user.key))
  }

  private word(): string {
    const word = `w${++this.made}w`
    this.words.add(word)
    return word
  }

  private shown(client: any, type: Kind): Array<{ readonly id: string; readonly data: any }> {
    const ids = new Set<string>([...client.records.keys(), ...client.queue.map((edit: any) => edit.id)])
    return [...ids]
      .filter((id) => id.startsWith(prefixes[type]))
      .map((id) => ({ id, data: client.get(id) }))
      .filter(({ data }) => data !== undefined)
  }

  private pick(client: any, type: Kind, which: number) {
    const shown = this.shown(client, type)
    return shown[which % shown.length]
  }

  private dropWords(text: unknown): void {
    for (const [word] of JSON.stringify(text).matchAll(/w\d+w/g)) this.words.delete(word)
  }

  async take(step: Step): Promise<void> {
    const client = "device" in step ? this.clients[step.device] : undefined
    if (step.do === "create") {
      const notebook = this.pick(client, "notebook", step.which)
      const id = this.at.guide.newId(prefixes[step.kind])
      if (step.kind === "notebook") client.edit("notebook", id, { name: this.word() })
      else if (step.kind === "template") client.edit("template", id, { name: this.word(), body: this.word() })
      else if (notebook !== undefined) client.edit("note", id, { notebook_id: notebook.id, title: this.word() })
    } else if (step.do === "write" || step.do === "rename") {
      const found = this.pick(client, step.kind, step.which)
      if (found === undefined) return
      const { data, id } = found
      const name = step.kind === "note" ? "title" : "name"
      if (step.do === "write" && step.kind !== "notebook") {
        const written = `${data.body ?? ""}`.match(/\s+|\S+/g) ?? []
        const place = step.place % (written.length + 1)
        const text = [...written.slice(0, place), ` ${this.word()} `, ...written.slice(place)].join("")
        client.edit(step.kind, id, { body: text })
      } else client.edit(step.kind, id, { [name]: `${data[name]} ${this.word()}` })
    } else if (step.do === "tag") {
      const found = this.pick(client, "note", step.which)
      if (found !== undefined) client.edit("note", found.id, { tags: [...(found.data.tags ?? []), this.word()] })
    } else if (step.do === "delete") {
      const found = this.pick(client, step.kind, step.which)
      if (found === undefined) return
      // Deleted notes stay in the trash.
      if (step.kind !== "note") this.dropWords(found.data)
      client.edit(step.kind, found.id, {}, "delete")
    } else if (step.do === "undo") {
      const found = this.pick(client, step.kind, step.which)
      if (found === undefined) return
      client.edit(step.kind, found.id, {}, "delete")
      client.edit(step.kind, found.id, {})
    } else if (step.do === "restore") {
      const gone = [...client.records.values()].filter(
        ({ data, op, type }: any) => type === "note" && op === "delete" && data !== null
      )
      if (gone.length === 0) return
      const { id } = gone[step.which % gone.length]
      client.edit("note", id, { body: `${client.state(id).data.body ?? ""} ${this.word()}` })
    } else if (step.do === "purge") {
      const ids = await this.sql("SELECT id FROM notes WHERE workspace_id = $1 ORDER BY id")
      if (ids.length === 0) return
      const { id } = ids[step.which % ids.length]
      const rows = "SELECT title, body, tags FROM note_versions WHERE workspace_id = $1 AND note_id = $2"
      this.dropWords([
        await this.sql(rows, id),
        await this.sql("SELECT title, body, tags FROM notes WHERE workspace_id = $1 AND id = $2", id)
      ])
      const headers = { authorization: `Bearer ${this.user.key}` }
      await fetch(`${this.at.app.url}/notes/${id}?permanent=true`, { method: "DELETE", headers })
    } else if (step.do === "age") {
      if (client.cursor === null) return
      client.cursor = await aged(
        { ...this.at.app, workspace_id: this.user.workspace_id },
        client.cursor,
        step.days * 24 * hour
      )
    } else await this.sync(step.device, step)
  }

  /**
   * Syncs a device. A failed request is a crash: the device restarts with the state stored when it sent the request.
   */
  async sync(device: number, { fails, overlap }: Partial<Sync> = {}): Promise<void> {
    const client = this.clients[device]
    let requests = 0
    let disk = ""
    let hasCrashed = false
    const syncs: Array<Promise<void>> = []
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
      const request = requests++
      if (hasCrashed) throw new TypeError("the device has crashed")
      if (request > 100) throw new Error("the sync does not end")
      if (request === overlap?.request) {
        await this.take({ ...overlap, do: "write", device })
        syncs.push(client.sync())
      }
      disk = stored(client)
      if (request !== fails?.request) return fetch(...asked)
      hasCrashed = true
      if (fails.isServed) await (await fetch(...asked)).text()
      throw new TypeError("the network is gone")
    })
    syncs.push(client.sync())
    try {
      for (const each of syncs) await each
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
    } finally {
      await Promise.allSettled(syncs)
      spy.mockRestore()
    }
    if (hasCrashed) this.clients[device] = revived(this.at, disk)
  }

  sql(text: string, ...params: ReadonlyArray<string>) {
    return this.at.app.sql(text, [this.user.workspace_id, ...params])
  }

  /** All text on the server: live and trashed records, and the versions of notes. */
  async onServer(): Promise<string> {
    const tables = [
      "title, body, tags FROM notes",
      "title, body, tags FROM note_versions",
      "name, body FROM templates",
      "name FROM notebooks"
    ]
    const rows = await Promise.all(tables.map((from) => this.sql(`SELECT ${from} WHERE workspace_id = $1`)))
    return JSON.stringify(rows)
  }

  /** The records that a device shows, by id. */
  view(client: any): ReadonlyArray<readonly [string, unknown]> {
    const ids: Array<string> = [...client.records.keys()]
    return ids
      .map((id) => [id, client.get(id)] as const)
      .filter(([, data]) => data !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  }
}
