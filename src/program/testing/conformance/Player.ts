import { ClientFault, ClientProcess, type Reply } from "./ClientProcess.ts"
import { type Exchange, Wire } from "./Wire.ts"

/** A record as a client or the server has it. */
export interface HeldRecord {
  readonly type: string
  readonly id: string
  readonly data: Readonly<Record<string, any>>
  /** Why the server refused an edit. */
  readonly code?: string
}

/** What a client has: its records, and edits on which its user is to decide. */
export interface Held {
  readonly records: ReadonlyMap<string, HeldRecord>
  readonly kept: ReadonlyArray<HeldRecord>
}

interface Opening {
  readonly command: ReadonlyArray<string>
  readonly deadline: number
  readonly folder: string
  readonly key: string
  readonly target: string
}

/** Maximum number of attempts until a sync succeeds. */
const maxAttempts = 12

const isRecords = (value: unknown): value is ReadonlyArray<HeldRecord> =>
  Array.isArray(value) &&
  value.every((each) => typeof each?.type === "string" && typeof each.id === "string" && typeof each.data === "object")

/** A client with a state in a folder, the user of it, and its network. */
export class Player {
  readonly wire: Wire
  readonly #opening: Opening
  #process: ClientProcess
  #isKilled = false
  /** Until when the server is not to be asked, in milliseconds. */
  #waitsUntil = 0

  private constructor(opening: Opening, wire: Wire, process: ClientProcess) {
    this.#opening = opening
    this.wire = wire
    this.#process = process
  }

  static async open(opening: Opening): Promise<Player> {
    const player = new Player(
      opening,
      await Wire.start(opening.target),
      new ClientProcess(opening.command, opening.deadline)
    )
    await player.#open()
    return player
  }

  async #open(): Promise<void> {
    const { folder, key } = this.#opening
    await this.#process.ask("open", { url: this.wire.url, key, folder })
  }

  /** Kills the process, and starts the command again with the state that it has left. */
  async restart(): Promise<void> {
    await this.kill()
    this.#process = new ClientProcess(this.#opening.command, this.#opening.deadline)
    this.#isKilled = false
    await this.#open()
  }

  /** Ends the process by `close`, and starts the command again. */
  async reopen(): Promise<void> {
    await this.#process.close()
    await this.restart()
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    await this.#process.kill()
  }

  async stop(): Promise<void> {
    await this.kill()
    this.wire.stop()
  }

  async #ask(command: string, input?: object): Promise<Reply> {
    const reply = await this.#process.ask(command, input)
    if (reply["error"] !== undefined && command !== "sync") {
      throw new ClientFault(`the client refuses ${command} ${JSON.stringify(input ?? {})}: ${reply["error"]}`)
    }
    return reply
  }

  /** The user changes members of a record, or makes it. */
  async write(type: string, id: string, data: object): Promise<void> {
    await this.#ask("write", { op: "upsert", type, id, data })
  }

  /** The user deletes a record. */
  async remove(type: string, id: string): Promise<void> {
    await this.#ask("write", { op: "delete", type, id })
  }

  /** One attempt. Returns the error, if any; also if the process was killed meanwhile. */
  async sync(): Promise<string | undefined> {
    const wait = this.#waitsUntil - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    try {
      const { error, retry_after = 0 } = await this.#ask("sync")
      this.#waitsUntil = performance.now() + Number(retry_after) * 1000
      return error === undefined || error === null ? undefined : String(error)
    } catch (error) {
      if (this.#isKilled) return "killed"
      throw error
    }
  }

  /** Attempts until one succeeds. */
  async synced(): Promise<void> {
    let error: string | undefined
    for (let attempts = 0; attempts < maxAttempts; attempts++) {
      error = await this.sync()
      if (error === undefined) return
    }
    throw new ClientFault(`sync fails ${maxAttempts} times in a row, at last with: ${error}`)
  }

  async read(): Promise<Held> {
    const { kept = [], records } = await this.#ask("read")
    if (!isRecords(records) || !isRecords(kept)) {
      throw new ClientFault("read returns no lists records and kept, each of whose entries has type, id and data")
    }
    return { records: new Map(records.map((each) => [each.id, each])), kept }
  }

  /** The exchanges of a kind since a position in all. */
  asked(kind: "pull" | "push", since = 0): ReadonlyArray<Exchange> {
    return this.wire.exchanges.slice(since).filter(({ path }) => path.startsWith(`/sync/${kind}`))
  }

  /** The number of exchanges so far. */
  get position(): number {
    return this.wire.exchanges.length
  }
}
