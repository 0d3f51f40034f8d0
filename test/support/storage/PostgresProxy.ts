import { connect, createServer, type Server, type Socket } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Where the line between a process and PostgreSQL breaks, at a message that carries log entries or at one after it.
 * `before`: the server never gets the message. `during`: the server gets it, the client is cut off at once. `after`: the
 * server has carried it out and has answered, the answer is dropped.
 */
export interface Cut {
  readonly at: "before" | "during" | "after"
  /** How many messages of the same connection pass after the one that carries log entries: 1 is a COMMIT. */
  readonly skip: number
}

/** A Unix socket that passes everything on to PostgreSQL, and cuts connections at chosen moments. */
export class PostgresProxy {
  readonly socketDirectory = mkdtempSync(join(tmpdir(), "sheaf-proxy-"))
  readonly cuts: Array<Cut> = []
  /** Cuts that were carried out. */
  made = 0
  private messages = 0
  private isFrozen = false
  private waiting: ReadonlyArray<{ readonly at: number; readonly reached: () => void }> = []
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private readonly target: string
  private readonly sign: string

  /** `sign`: what a message that it may cut holds; by default, the id of a log entry. */
  constructor(postgres: { readonly socketDirectory: string; readonly port: number }, sign = "ev_") {
    this.sign = sign
    const name = `.s.PGSQL.${postgres.port}`
    this.target = join(postgres.socketDirectory, name)
    this.server = createServer((client) => this.accept(client))
    this.server.listen(join(this.socketDirectory, name))
  }

  private accept(client: Socket): void {
    const server = connect(this.target)
    let passing = -1
    let answers = true
    let cutting: Cut | undefined
    let isAlone = false
    for (const [socket, other] of [
      [client, server],
      [server, client]
    ] as const) {
      this.sockets.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        this.sockets.delete(socket)
        // What was sent before still arrives; this side is closed once the other has seen the end, too.
        if (!isAlone) other.end()
      })
    }
    client.on("data", (chunk: Buffer) => {
      this.count()
      const [next] = this.cuts
      if (next !== undefined && cutting === undefined) {
        if (passing < 0 && chunk.includes(this.sign)) passing = next.skip
        if (passing >= 0 && passing-- === 0) {
          cutting = next
          this.cuts.shift()
          this.made++
          if (next.at === "before") return void client.destroy()
          answers = false
          server.write(chunk)
          // The server works on: its side stays open until it answers.
          if (next.at === "during") {
            isAlone = true
            client.destroy()
          }
          return
        }
      }
      server.write(chunk)
    })
    server.on("data", (chunk: Buffer) => {
      if (answers) return void client.write(chunk)
      client.destroy()
      server.destroy()
    })
    if (this.isFrozen) for (const socket of [client, server]) socket.pause()
  }

  /** Nothing passes until `thaw`, on connections that are open and on new ones; none is closed. */
  freeze(): void {
    this.isFrozen = true
    for (const socket of this.sockets) socket.pause()
  }

  /** What was held back passes, also on connections that one side has given up. */
  thaw(): void {
    this.isFrozen = false
    for (const socket of this.sockets) socket.resume()
  }

  private count(): void {
    this.messages++
    const due = this.waiting.filter(({ at }) => at <= this.messages)
    if (due.length === 0) return
    this.waiting = this.waiting.filter(({ at }) => at > this.messages)
    for (const { reached } of due) reached()
  }

  /** Resolves once so many more messages have come for PostgreSQL. */
  after(messages: number): Promise<void> {
    if (messages === 0) return Promise.resolve()
    return new Promise((reached) => {
      this.waiting = [...this.waiting, { at: this.messages + messages, reached }]
    })
  }

  /** Resolves once all connections that are open now have ended, at both of their ends. */
  async ended(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))))
  }

  stop(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
    rmSync(this.socketDirectory, { recursive: true, force: true })
  }
}
