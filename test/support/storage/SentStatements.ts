import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Calls `found` with the text of each statement in what a client sends to PostgreSQL on one connection. */
const reader = (found: (text: string) => void): ((chunk: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  // The first message of a connection has no type.
  let typeBytes = 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= typeBytes + 4) {
      const end = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < end) return
      const type = typeBytes === 0 ? "" : String.fromCharCode(rest[0]!)
      const [first, second] = rest.toString("utf8", typeBytes + 4, end).split("\0")
      // Query, and Parse, in which the name of the statement comes first.
      if (type === "Q") found(first!)
      if (type === "P") found(second!)
      rest = rest.subarray(end)
      typeBytes = 1
    }
  }
}

/** A Unix socket that forwards to PostgreSQL and keeps the texts of all statements, also those of worker threads. */
export class SentStatements {
  readonly socketDirectory = mkdtempSync(join(tmpdir(), "sheaf-statements-"))
  readonly texts = new Set<string>()
  private readonly sockets = new Set<Socket>()
  private readonly server

  constructor(postgres: { readonly socketDirectory: string; readonly port: number }) {
    const name = `.s.PGSQL.${postgres.port}`
    this.server = createServer((client) => {
      const upstream = connect(join(postgres.socketDirectory, name))
      client.on(
        "data",
        reader((text) => this.texts.add(text))
      )
      client.pipe(upstream).pipe(client)
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        this.sockets.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => (this.sockets.delete(socket), other.destroy()))
      }
    })
    this.server.listen(join(this.socketDirectory, name))
  }

  stop(): void {
    this.server.close()
    for (const socket of this.sockets) socket.destroy()
    rmSync(this.socketDirectory, { recursive: true, force: true })
  }
}
