import { connect, createServer, type Server, type Socket } from "node:net"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Where a connection to PostgreSQL breaks, at a message with log entries or a later one. `before`: the server does not
 * receive the message. `during`: the server receives it, and the client is disconnected at once. `after`: the server
 * has executed it, and its response is dropped.
 */
export interface Cut {
  readonly at: "before" | "during" | "after"
  /** The message to cut, counted from the one with log entries: 0 is that one, 1 the next one, which is a COMMIT. */
  readonly skip: number
}

/** A Unix socket that forwards to PostgreSQL and cuts connections at chosen moments. */
export class PostgresProxy {
  readonly socketDirectory = mkdtempSync(join(tmpdir(), "sheaf-proxy-"))
  readonly cuts: Array<Cut> = []
  /** Number of cuts so far. */
  made = 0
  private messages = 0
  private isFrozen = false
  private waiting: ReadonlyArray<{ readonly at: number; readonly reached: () => void }> = []
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private readonly target: string
  private readonly sign: string

  /** `sign` is contained in the messages at which it may cut; by default the prefix of log entry ids. */
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
        // Bytes sent before still arrive; `end` closes this side after them.
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
          // The server continues: its side stays open until it responds.
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

  /** Pauses all open and new connections until `thaw`, without closing them. */
  freeze(): void {
    this.isFrozen = true
    for (const socket of this.sockets) socket.pause()
  }

  /** Forwards the held data, also on connections that one side has closed. */
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

  /** Resolves after this number of further messages to PostgreSQL. */
  after(messages: number): Promise<void> {
    if (messages === 0) return Promise.resolve()
    return new Promise((reached) => {
      this.waiting = [...this.waiting, { at: this.messages + messages, reached }]
    })
  }

  /** Resolves when all currently open connections are closed at both ends. */
  async ended(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))))
  }

  /**
   * Repeats `terminate`, which ends the connections at the server, until all that are open now are closed. Once is not
   * enough: the server does not know a connection that is still being opened.
   */
  async end(terminate: () => Promise<void>): Promise<void> {
    let isOpen = true
    void this.ended().then(() => (isOpen = false))
    while (isOpen) await terminate()
  }

  stop(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
    rmSync(this.socketDirectory, { recursive: true, force: true })
  }
}
