import { createHash, randomBytes } from "node:crypto"
import type { StreamEvent } from "../EventStream.ts"
import { call, openStream, type Server, type WireResponse } from "./Wire.ts"

/** Milliseconds between two requests of a client, and before a retry. */
const pause = 20

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const wait = () => new Promise((resolve) => setTimeout(resolve, pause))

/**
 * Clients that send requests at a moderate rate through a proxy: each lists, creates, pushes, uploads or listens, one
 * request at a time. They retry requests that got 503 or no connection, as the contract asks; anything else is a
 * failure.
 */
export class SteadyClients {
  requests = 0
  /** Retries by cause. */
  readonly repeated: Record<string, number> = {}
  readonly failures: Array<string> = []
  /** Titles of acknowledged notes, by id. */
  readonly notes = new Map<string, string>()
  /** SHA-256 of acknowledged files, by attachment id. */
  readonly files = new Map<string, string>()
  /** How often each note arrived on the stream. */
  readonly received = new Map<string, number>()
  streams = 0
  private readonly server: Server
  private readonly notebook: string
  private readonly home: string
  private stopping = false
  private readonly writing: Promise<void>
  private readonly listening: Promise<void>
  private isWritten = false

  /** `home` is the note that gets the files. */
  constructor(server: Server, notebook: string, home: string) {
    this.server = server
    this.notebook = notebook
    this.home = home
    const steadily = async (step: () => Promise<void>) => {
      while (!this.stopping) {
        await step().catch((error: Error) => this.failures.push(error.message))
        await wait()
      }
    }
    this.writing = Promise.all(
      [this.list, this.create, this.create, this.push, this.upload].map((step) => steadily(() => step.call(this)))
    ).then(() => void (this.isWritten = true))
    this.listening = this.listen()
  }

  private async repeatedly(what: string, send: () => Promise<WireResponse>): Promise<WireResponse> {
    while (true) {
      this.requests++
      const response = await send().catch((error) => {
        const code = error.cause?.code ?? error.message
        if (code !== "ECONNREFUSED") throw new Error(`${what}: ${code} ${error.cause?.message ?? ""}`)
        return undefined
      })
      if (response !== undefined && response.status < 300) return response
      if (response !== undefined && response.status !== 503) {
        throw new Error(`${what}: ${response.status} ${JSON.stringify(response.body)}`)
      }
      const cause = response === undefined ? "ECONNREFUSED" : "503"
      this.repeated[cause] = (this.repeated[cause] ?? 0) + 1
      await wait()
    }
  }

  private send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) {
    return this.repeatedly(`${method} ${path}`, () => call(this.server, method, path, body, headers))
  }

  private async list(): Promise<void> {
    await this.send("GET", "/notes?limit=20")
  }

  private async create(): Promise<void> {
    const title = randomBytes(12).toString("hex")
    const key = { "idempotency-key": title }
    const { body } = await this.send("POST", "/notes", { notebook_id: this.notebook, title }, key)
    this.notes.set(body.id, title)
  }

  private readonly device = { id: `sy_${randomBytes(12).toString("hex")}`, name: "steady", platform: "test" }

  private async push(): Promise<void> {
    const title = randomBytes(12).toString("hex")
    const id = `nt_${randomBytes(10).toString("hex")}`
    const data = { notebook_id: this.notebook, title }
    const changes = [{ mutation_id: title, type: "note", op: "upsert", id, revision: 0, data }]
    const { body } = await this.send("POST", "/sync/push", { device: this.device, changes })
    if (!["applied", "duplicate"].includes(body.results[0].status)) throw new Error(JSON.stringify(body))
    this.notes.set(id, title)
  }

  private async upload(): Promise<void> {
    const bytes = randomBytes(50_000)
    const key = { "idempotency-key": sha256(bytes) }
    const { body: begun } = await this.send("POST", "/attachments/uploads", { note_id: this.home, filename: "a" }, key)
    await this.repeatedly("PUT of a file", async () => {
      const response = await fetch(begun.upload_url, { method: "PUT", headers: begun.upload_headers, body: bytes })
      return { status: response.status, headers: response.headers, body: await response.text() }
    })
    this.files.set(begun.id, sha256(bytes))
  }

  /** Listens to a stream, and opens it again when it ends. */
  private async listen(): Promise<void> {
    let last: string | undefined
    let lastEvent = ""
    const receive = ({ data, event, id }: StreamEvent) => {
      if (id !== undefined) last = id
      lastEvent = event
      if (event === "change" && data.id.startsWith("nt_"))
        this.received.set(data.id, (this.received.get(data.id) ?? 0) + 1)
    }
    while (true) {
      const stream = await openStream(this.server, last, receive).catch((error: Error) => {
        if (!error.message.startsWith("stream: 503")) this.failures.push(error.message)
        else this.repeated["503"] = (this.repeated["503"] ?? 0) + 1
        return undefined
      })
      if (stream === undefined) {
        await wait()
        continue
      }
      this.streams++
      const isOver = () =>
        this.isWritten && (this.failures.length > 0 || [...this.notes.keys()].every((id) => this.received.has(id)))
      while (stream.isOpen() && !isOver()) await wait()
      if (isOver()) return stream.close()
      if (lastEvent !== "bye") this.failures.push(`a stream ended after ${lastEvent}`)
    }
  }

  /** Waits until `count` more notes are acknowledged. */
  async further(count: number): Promise<void> {
    const until = this.notes.size + count
    while (this.notes.size < until && this.failures.length === 0) await wait()
  }

  /** Stops after every request got its response and the stream delivered every acknowledged note. */
  async finish(): Promise<void> {
    this.stopping = true
    await this.writing
    await this.listening
  }
}
