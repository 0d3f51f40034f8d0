/** Sends files to a server and fetches them, from memory and into nothing, so that the load costs the machine little. */
import { randomBytes } from "node:crypto"
import { Agent, type IncomingMessage, request, type RequestOptions } from "node:http"
import type { FilledWorkspace } from "./operations.ts"

/** Where one file goes, and, when it is there, where it is fetched. */
export type Address = string

const pathOf = (url: string): string => (url.startsWith("http") ? url.replace(/^https?:\/\/[^/]+/, "") : url)

export class FileClient {
  private readonly agent: Agent
  private readonly port: number
  private readonly content: Buffer
  private made = 0

  constructor(port: number, size: number, lanes: number) {
    this.port = port
    this.agent = new Agent({ keepAlive: true, maxSockets: lanes })
    this.content = randomBytes(size)
  }

  private ask(options: RequestOptions, ...parts: ReadonlyArray<Uint8Array | string>): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port: this.port, agent: this.agent, ...options }, resolve)
      asked.on("error", reject)
      for (const part of parts) asked.write(part)
      asked.end()
    })
  }

  private async json(answer: IncomingMessage, status: number): Promise<any> {
    let text = ""
    for await (const chunk of answer.setEncoding("utf8")) text += chunk
    if (answer.statusCode !== status) throw new Error(`${answer.statusCode} instead of ${status}: ${text}`)
    return JSON.parse(text)
  }

  /** An address for a new attachment of Sheaf. */
  async begin({ key, notes }: FilledWorkspace): Promise<Address> {
    // A note has at most a thousand.
    const note_id = notes[this.made++ % notes.length]
    const text = JSON.stringify({ note_id, filename: "bench.bin" })
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text)
    }
    const answer = await this.ask({ method: "POST", path: "/v2/attachments/uploads", headers }, text)
    return pathOf((await this.json(answer, 201)).upload_url)
  }

  /** Bytes that nobody has sent before: 16 of them differ. Answers where they are fetched. */
  async put(path: Address): Promise<Address> {
    const head = randomBytes(16)
    const { content } = this
    const headers = { "content-length": content.length, "content-type": "application/octet-stream" }
    const answer = await this.ask({ method: "PUT", path, headers }, head, content.subarray(head.length))
    return pathOf((await this.json(answer, 200)).url)
  }

  async get(path: Address): Promise<void> {
    const answer = await this.ask({ path })
    let length = 0
    for await (const chunk of answer) length += chunk.length
    if (answer.statusCode !== 200 || length !== this.content.length) {
      throw new Error(`${answer.statusCode} with ${length} of ${this.content.length} bytes`)
    }
  }

  close(): void {
    this.agent.destroy()
  }
}

/** So many at a time. */
export const inLanes = async <A, B>(lanes: number, all: ReadonlyArray<A>, run: (one: A) => Promise<B>) => {
  const done: B[] = []
  const left = all.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const one of left) done.push(await run(one))
    })
  )
  return done
}
