import { Context, Layer } from "effect"
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A connection on which nobody has asked anything is let go so long after the end began: a request may be on its way. */
const grace = 200
/** By then the last requests have been answered or given up. */
const patience = 11_000

/** So many requests may be sent behind one that is still being answered. */
const maxWaiting = 1_000

interface Connection {
  isUsed: boolean
  readonly answering: Array<ServerResponse>
  /**
   * Requests that were sent behind each other are answered in turn (RFC 9112, section 9.3.2): what waits holds no answer
   * yet, however slowly the one before is read.
   */
  readonly waiting: Array<() => void>
}

/**
 * Ends the connections of a server that stops. Node by itself closes only those that wait for a further request at that
 * moment: it keeps one that has never asked, and goes on serving one whose request is answered later.
 */
export class Connections extends Context.Service<Connections, {
  readonly watch: (server: Server) => Server
  /** From now on each answer is the last on its connection. */
  readonly drain: () => void
  /** Requests that are being answered. */
  readonly answering: () => number
}>()("sheaf/Connections") {
  static readonly layer = Layer.sync(Connections, () => {
    // By connection, of which there are few: a set of the answers under way would be rebuilt all the time, and what
    // V8 leaves behind of it holds them until a full collection.
    const open = new Map<Socket, Connection>()
    let watched: Server | undefined
    let draining = false
    return Connections.of({
      answering: () => {
        let count = 0
        for (const { answering } of open.values()) count += answering.length
        return count
      },
      watch: (server) => {
        watched = server
        server.on("connection", (socket) => {
          open.set(socket, { isUsed: false, answering: [], waiting: [] })
          socket.once("close", () => open.delete(socket))
        })
        const emit: (event: string, ...args: ReadonlyArray<any>) => boolean = server.emit.bind(server)
        server.emit = (event: string, ...args: ReadonlyArray<any>): boolean => {
          const connection = event === "request" ? open.get(args[0].socket) : undefined
          if (connection === undefined || connection.answering.length === 0) return emit(event, ...args)
          if (connection.waiting.length === maxWaiting) args[0].socket.destroy()
          else connection.waiting.push(() => emit(event, ...args))
          return true
        }
        server.on("request", ({ socket }, response) => {
          const connection = open.get(socket)
          if (connection === undefined) return
          connection.isUsed = true
          connection.answering.push(response)
          if (draining) response.shouldKeepAlive = false
          response.once("close", () => {
            connection.answering.splice(connection.answering.indexOf(response), 1)
            if (draining) socket.destroySoon()
            else if (!socket.destroyed) connection.waiting.shift()?.()
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
