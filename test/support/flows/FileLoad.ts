import { sha256Of } from "./Contents.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { call, type Server, type WireResponse } from "./Wire.ts"

/** File contents that all workers of all rounds attach repeatedly. */
const contents = [0, 1, 700, 65_536, 300_000, 900_000].map((size) => Buffer.alloc(size, `${size} bytes `))

/** The connection broke or files were unreachable: the request may or may not have been carried out. */
class NoResponse extends Error {}

/** A worker that attaches and removes files, and trashes, restores and purges its own notes, one request at a time. */
class Worker {
  /** SHA-256 of attachments that must exist because all their requests succeeded, by id. */
  readonly sure = new Map<string, string>()
  private readonly ofNote = new Map<string, Set<string>>()
  private readonly random: Random
  private readonly server: Server
  private readonly notebook: string

  constructor(server: Server, notebook: string, seed: number) {
    this.random = new Random(seed)
    this.server = server
    this.notebook = notebook
  }

  private async ask(expected: number, method: string, path: string, body?: unknown): Promise<any> {
    const answer = await unlessBroken(() => call(this.server, method, path, body))
    return asExpected(expected, `${method} ${path}`, answer)
  }

  private async put(url: string, headers: Record<string, string>, bytes: Buffer): Promise<any> {
    const answer = await unlessBroken(async () => {
      const response = await fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) })
      return { status: response.status, headers: response.headers, body: await response.json() }
    })
    return asExpected(200, `PUT ${url}`, answer)
  }

  private async note(): Promise<string> {
    if (this.ofNote.size < 3 || this.random.chance(0.1)) {
      const { id } = await this.ask(201, "POST", "/notes", { notebook_id: this.notebook, title: this.random.text(8) })
      this.ofNote.set(id, new Set())
      return id
    }
    return this.random.pick([...this.ofNote.keys()])
  }

  private async attach(): Promise<void> {
    const note_id = await this.note()
    const bytes = this.random.chance(0.7)
      ? this.random.pick(contents)
      : Buffer.alloc(this.random.between(1, 200_000), this.random.text(40))
    const sha256 = sha256Of(bytes)
    const claimed = this.random.chance(0.5) ? { size: bytes.length, sha256 } : {}
    const begun = await this.ask(201, "POST", "/attachments/uploads", { note_id, filename: "file", ...claimed })
    const ready = begun.status === "ready" ? begun : await this.put(begun.upload_url, begun.upload_headers, bytes)
    if (ready.status !== "ready" || ready.sha256 !== sha256)
      throw new Error(`unexpected attachment: ${JSON.stringify(ready)}`)
    this.sure.set(ready.id, sha256)
    this.ofNote.get(note_id)!.add(ready.id)
  }

  private async remove(): Promise<void> {
    if (this.sure.size === 0) return
    const id = this.random.pick([...this.sure.keys()])
    this.sure.delete(id)
    for (const ids of this.ofNote.values()) ids.delete(id)
    await this.ask(200, "DELETE", `/attachments/${id}`)
  }

  private async trashAndRestore(): Promise<void> {
    const note = await this.note()
    const hashes = [...this.ofNote.get(note)!].map((id) => [id, this.sure.get(id)!] as const)
    for (const [id] of hashes) this.sure.delete(id)
    await this.ask(200, "DELETE", `/notes/${note}`)
    await this.ask(200, "POST", `/notes/${note}/restore`)
    for (const [id, sha256] of hashes) this.sure.set(id, sha256)
  }

  private async purge(): Promise<void> {
    const note = await this.note()
    for (const id of this.ofNote.get(note)!) this.sure.delete(id)
    this.ofNote.delete(note)
    await this.ask(200, "DELETE", `/notes/${note}?permanent=true`)
  }

  /** Runs one random step; returns false when it got no response. */
  async step(): Promise<boolean> {
    const what = this.random.weighted({ attach: 6, remove: 4, trash: 1, purge: 1, copy: 1 })
    try {
      if (what === "attach") await this.attach()
      if (what === "remove") await this.remove()
      if (what === "trash") await this.trashAndRestore()
      if (what === "purge") await this.purge()
      if (what === "copy") await this.ask(200, "POST", `/notes/${await this.note()}/duplicate`)
      return true
    } catch (error) {
      if (error instanceof NoResponse) return false
      throw error
    }
  }
}

const unlessBroken = (ask: () => Promise<WireResponse>): Promise<WireResponse> =>
  ask().catch((error) => {
    // A connection error of `fetch`.
    if (error instanceof TypeError) throw new NoResponse()
    throw error
  })

const asExpected = (expected: number, what: string, { body, status }: WireResponse): any => {
  if (status === 503) throw new NoResponse()
  if (status !== expected) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Workers that run until the server is gone. */
export class FileLoad {
  private readonly workers: ReadonlyArray<Worker>
  private done = 0
  private onDone = () => {}
  private work: Promise<unknown> = Promise.resolve()

  constructor(server: Server, notebook: string, seed: number) {
    this.workers = Array.from({ length: 6 }, (_, index) => new Worker(server, notebook, seed * 10 + index))
  }

  start(): void {
    this.work = Promise.all(
      this.workers.map(async (worker) => {
        while (await worker.step()) {
          this.done++
          this.onDone()
        }
      })
    )
    // `ended` and `further` report the failure.
    this.work.catch(() => this.onDone())
  }

  /** Waits for `count` more steps. */
  async further(count: number): Promise<void> {
    const until = this.done + count
    const reached = new Promise<void>((resolve) => {
      this.onDone = () => this.done >= until && resolve()
    })
    await Promise.race([reached, this.work])
  }

  /** Resolves when no worker gets a response any more. */
  get ended(): Promise<unknown> {
    return this.work
  }

  /** SHA-256 of the attachments that must exist, by id. */
  get sure(): ReadonlyMap<string, string> {
    return new Map(this.workers.flatMap(({ sure }) => [...sure]))
  }
}
