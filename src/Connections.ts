import { Context, Layer } from "effect"
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A connection on which nobody has asked anything is let go so long after the end began: a request may be on its way. */
const grace = 200
/** By then the last requests have been answered or given up. */
const patience = 11_000

/**
 * Ends the connections of a server that stops. Node by itself closes only those that wait for a further request at that
 * moment: it keeps one that has never asked, and goes on serving one whose request is answered later.
 */
export class Connections extends Context.Service<Connections, {
  readonly watch: (server: Server) => Server
  /** From now on each answer is the last on its connection. */
  readonly drain: () => void
}>()("sheaf/Connections") {
  static readonly layer = Layer.sync(Connections, () => {
    // By connection, of which there are few: a set of the answers under way would be rebuilt all the time, and what
    // V8 leaves behind of it holds them until a full collection.
    const open = new Map<Socket, { isUsed: boolean; readonly answering: Array<ServerResponse> }>()
    let watched: Server | undefined
    let draining = false
    return Connections.of({
      watch: (server) => {
        watched = server
        server.on("connection", (socket) => {
          open.set(socket, { isUsed: false, answering: [] })
          socket.once("close", () => open.delete(socket))
        })
        server.on("request", ({ socket }, response) => {
          const connection = open.get(socket)
          if (connection === undefined) return
          connection.isUsed = true
          connection.answering.push(response)
          if (draining) response.shouldKeepAlive = false
          response.once("close", () => {
            connection.answering.splice(connection.answering.indexOf(response), 1)
            if (draining) socket.destroySoon()
          })
        })
        return server
      },
      drain: () => {
        draining = true
        for (const { answering } of open.values()) for (const response of answering) response.shouldKeepAlive = false
        const timers = [
          setTimeout(() => {
            for (const [socket, { isUsed }] of open) if (!isUsed && socket.bytesRead === 0) socket.destroy()
          }, grace),
          setTimeout(() => watched?.closeAllConnections(), patience)
        ]
        watched?.once("close", () => timers.forEach(clearTimeout))
      }
    })
  })
}
