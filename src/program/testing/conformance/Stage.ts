import { Clock } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Restores from "../../../../services/writer/Restores.ts"
import type { SheafClient } from "../../../clients/client/SheafClient.ts"
import { Sheaf } from "../Sheaf.ts"
import type { TestPostgres } from "../TemporaryPostgres.ts"
import type { SheafOptions } from "../TestRun.ts"
import { ClientFault } from "./ClientProcess.ts"
import { type Held, type HeldRecord, Player } from "./Player.ts"

/** The members that users write, by type: the others are of the server. */
const written: Readonly<Record<string, ReadonlyArray<string>>> = {
  note: ["notebook_id", "title", "body", "tags", "pinned", "archived"],
  notebook: ["name", "color", "icon", "parent_id"],
  tag: ["name", "color"],
  template: ["name", "body"],
  attachment: ["note_id", "filename"],
  comment: ["body", "resolved"],
  reminder: ["note_id", "remind_at", "channel"]
}

const prefixes = {
  note: "nt_",
  notebook: "nb_",
  tag: "tg_",
  template: "tp_",
  comment: "cm_",
  reminder: "rm_",
  attachment: "at_"
}

export interface StageOptions {
  readonly command: ReadonlyArray<string>
  /** Milliseconds for a reply of the client. */
  readonly deadline: number
  readonly postgres: TestPostgres
  readonly settings?: SheafOptions["settings"] | undefined
}

const nameOf = ({ data, id, type }: HeldRecord): string => `${type} '${data["title"] ?? data["name"] ?? id}'`
const textsOf = ({ data }: HeldRecord): string =>
  ["title", "name", "body"].map((member) => data[member] ?? "").join("\n")
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}]+/gu))
const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** The first difference between what the server and a client have, as a sentence. */
const difference = (server: Held["records"], { kept, records }: Held): string | undefined => {
  const undecided = new Set(kept.map(({ id }) => id))
  for (const theirs of server.values()) {
    if (undecided.has(theirs.id)) continue
    const mine = records.get(theirs.id)
    if (mine === undefined) {
      const [word] = wordsOf(textsOf(theirs))
      return `the client has no record of the word '${word}', that ${nameOf(theirs)} (${theirs.id}) has on the server`
    }
    for (const member of written[theirs.type] ?? []) {
      const [one, other] = [brief(mine.data[member]), brief(theirs.data[member])]
      if (JSON.stringify(mine.data[member]) !== JSON.stringify(theirs.data[member])) {
        return `${nameOf(theirs)} (${theirs.id}) has ${member} ${one} in the client, and ${other} on the server`
      }
    }
  }
  const more = [...records.values()].find(({ id, type }) => !server.has(id) && !undecided.has(id) && type in written)
  return more && `the client has ${nameOf(more)} (${more.id}), that the server does not have`
}

/** A server with clients for one scene. */
export class Stage {
  readonly #options: StageOptions
  /** It ends with the PostgreSQL, however this process ends. */
  readonly #folder: string
  readonly #players: Array<Player> = []
  readonly #sheaf: Sheaf
  /** Goes back to the backup, and the time at which it was made. */
  #backup: { readonly restore: () => Promise<void>; readonly at: number } | undefined
  #ids = 0

  private constructor(options: StageOptions, sheaf: Sheaf) {
    this.#options = options
    this.#folder = mkdtempSync(join(options.postgres.directory, "clients-"))
    this.#sheaf = sheaf
  }

  static async start(options: StageOptions): Promise<Stage> {
    const { postgres, settings } = options
    return new Stage(options, await Sheaf.start({ postgres, ...(settings && { settings }) }))
  }

  async stop(): Promise<void> {
    for (const player of this.#players) await player.stop()
    await this.#sheaf.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Another client of the same user, which has no state of its own. */
  get server(): SheafClient {
    return this.#sheaf.client
  }

  /** A new client without a state. */
  async client(): Promise<Player> {
    const folder = join(this.#folder, String(this.#players.length))
    mkdirSync(folder)
    const { command, deadline } = this.#options
    const player = await Player.open({ command, deadline, folder, key: this.#sheaf.key, target: this.#sheaf.url })
    this.#players.push(player)
    return player
  }

  id(type: keyof typeof prefixes): string {
    return `${prefixes[type]}scene${String(++this.#ids).padStart(16, "0")}`
  }

  advance(duration: Parameters<Sheaf["advance"]>[0]): Promise<void> {
    return this.#sheaf.advance(duration)
  }

  #now(): Promise<number> {
    return this.#sheaf.run(Clock.currentTimeMillis)
  }

  /** Stops the server and starts it again, with the same data. */
  async restart(): Promise<void> {
    await this.#sheaf.snapshot()
  }

  /** Makes a backup of the server. What follows is of a later time. */
  async backup(): Promise<void> {
    this.#backup = { at: await this.#now(), restore: await this.#sheaf.snapshot() }
    await this.advance("10 minutes")
  }

  /** Restores the backup, as `sheaf restore` does. The clock of the server continues. */
  async restore(): Promise<void> {
    const { at, restore } = this.#backup!
    const now = await this.#now()
    await restore()
    await this.advance(now - at)
    await this.#sheaf.run(Restores.renewAll(new Date(at).toISOString()))
    await this.restart()
  }

  /** All records that are on the server. */
  async everything(): Promise<Held["records"]> {
    const records = new Map<string, HeldRecord>()
    let cursor: string | undefined
    do {
      const page = await this.server.pullChanges({ limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      for (const { data, id, type } of page.changes) if (data) records.set(id, { type, id, data })
      cursor = page.has_more ? page.cursor : undefined
    } while (cursor !== undefined)
    return records
  }

  /** A notebook with a note on the server, and clients that have both. */
  async shared(count: number, body = "The heron waits\n\nThe swan swims\n") {
    const { id: notebook } = await this.server.createNotebook({ name: "Journeys" })
    const { id: note } = await this.server.createNote({ notebook_id: notebook, title: "Birds", body })
    const clients: Array<Player> = []
    for (let each = 0; each < count; each++) {
      const client = await this.client()
      await client.synced()
      clients.push(client)
    }
    return { notebook, note, clients, one: clients[0]!, two: clients[1]! }
  }

  /** Throws unless a client has what the server has. */
  async expectSame(player: Player, server: Held["records"]): Promise<Held> {
    const held = await player.read()
    const found = difference(server, held)
    if (found !== undefined) throw new ClientFault(found)
    return held
  }

  /**
   * Lets all clients sync until nothing is left to exchange. Then each has what the server has, and each of these words is
   * in a record of the server, or in what a client keeps for its user.
   */
  async settled(...words: ReadonlyArray<string>): Promise<Held["records"]> {
    for (let round = 0; round < 3; round++) for (const player of this.#players) await player.synced()
    const all: Array<Held> = []
    const server = await this.everything()
    for (const player of this.#players) {
      const before = player.position
      await player.synced()
      const more = player.asked("push", before).find(({ body }) => body?.changes?.length > 0)
      if (more !== undefined) {
        throw new ClientFault(`the client still pushes, although nothing is written: ${brief(more.body.changes)}`)
      }
      all.push(await this.expectSame(player, server))
    }
    const texts = [...server.values(), ...all.flatMap(({ kept }) => kept)].map(textsOf).join("\n")
    const there = wordsOf(texts)
    for (const word of words) {
      if (!there.has(word)) {
        throw new ClientFault(`the word '${word}' is lost: no record of the server has it, and no client keeps it`)
      }
    }
    return server
  }

  /** Throws unless each request of each client keeps the rules of all scenes. */
  checkRules(): void {
    for (const { wire } of this.#players) {
      const sent = new Map<string, string>()
      let [waits, because] = [0, 0]
      for (const { answer, body, came, path, retryAfter, status, went } of wire.exchanges) {
        if (came < waits) {
          throw new ClientFault(
            `the client sent ${path} ${Math.round(waits - came)} ms too early: Retry-After of a ${because} had not ended`
          )
        }
        if (retryAfter > 0) [waits, because] = [went + retryAfter * 1000, status ?? 0]
        const changes: ReadonlyArray<Record<string, any>> = body?.changes ?? []
        if (changes.length > 500)
          throw new ClientFault(`a push has ${changes.length} entries, and at most 500 are allowed`)
        for (const { mutation_id, ...change } of changes) {
          const text = JSON.stringify(change)
          if (mutation_id !== undefined && (sent.get(mutation_id) ?? text) !== text) {
            throw new ClientFault(`an edit without a response was sent again, but not unchanged: ${brief(change)}`)
          }
          if (status === undefined) sent.set(mutation_id, text)
          else sent.delete(mutation_id)
        }
        const { code, detail } = answer ?? {}
        if (code === "invalid_limit" || code === "malformed_json") {
          throw new ClientFault(`the server refuses a request to ${path}: ${detail}`)
        }
      }
    }
  }
}
