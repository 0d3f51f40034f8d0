import { Context, Layer } from "effect"
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A connection on which nobody has asked anything is let go so long after the end began: a request may be on its way. */
const grace = 200
/** By then the last requests have been answered or given up. */
const patience = 11_000

/** With so many requests behind the one that is being answered, no more is read from a connection. */
const enough = 8

/** What is unread is looked at so often, */
const lookEvery = 1_000
/** and with each answer that leaves more than this. */
const large = 1024 * 1024

/** What connections may cost. */
export interface Limits {
  /** Connections at once; the next are closed at once. */
  readonly max: number
  /** Milliseconds after which a connection is ended on which its client neither sends what it owes nor reads. */
  readonly stalledAfter: number
  /** Bytes of answers that wait for their readers, in all; above it the slowest readers are let go. */
  readonly maxUnread: number
  /** Requests that wait for those before them, in all, of 2 KB or 3; above it whoever has sent the most is let go. */
  readonly maxWaiting: number
}

export const defaults: Limits = { max: 10_000, stalledAfter: 60_000, maxUnread: 128 * 1024 * 1024, maxWaiting: 32_000 }

/** As Node says it of a request that takes too long as a whole. */
const silent = Object.assign(new Error("the client was silent"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })

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
 * Bounds what connections cost, and ends them when the server stops. Node by itself closes only those that wait for a
 * further request at that moment: it keeps one that has never asked, and goes on serving one whose request is answered
 * later.
 */
export class Connections extends Context.Service<
  Connections,
  {
    readonly watch: (server: Server) => Server
    /** From now on each answer is the last on its connection. */
    readonly drain: () => void
    /** Requests that are being answered. */
    readonly answering: () => number
    readonly open: () => number
    /** Connections that were closed so far, because there were too many or because their clients did not go on. */
    readonly ended: () => {
      readonly dropped: number
      readonly stalled: number
      readonly unread: number
      readonly crowded: number
    }
  }
>()("sheaf/Connections") {
  static readonly layer = (limits: Limits) =>
    Layer.sync(Connections, () => {
      // By connection, of which there are few: a set of the answers under way would be rebuilt all the time, and what
      // V8 leaves behind of it holds them until a full collection.
      const open = new Map<Socket, Connection>()
      let watched: Server | undefined
      let draining = false
      const ended = { dropped: 0, stalled: 0, unread: 0, crowded: 0 }
      let waitingCount = 0

      const forget = ({ waiting }: Connection): void => {
        waitingCount -= waiting.splice(0).length
      }

      /** Lets go of whoever has sent the most requests behind each other. */
      const makeRoom = (): void => {
        let most: readonly [Socket, Connection] | undefined
        for (const one of open) if (most === undefined || one[1].waiting.length > most[1].waiting.length) most = one
        if (most === undefined) return
        ended.crowded++
        forget(most[1])
        most[0].destroy()
      }

      /** What Node has read at once may hold hundreds of requests, and it parses them all: each of them waits. */
      const wait = (socket: Socket, { waiting }: Connection, begin: () => void): void => {
        if (waitingCount >= limits.maxWaiting) makeRoom()
        if (socket.destroyed) return
        waitingCount++
        if (waiting.push(begin) >= enough) socket.pause()
      }

      /** Not from within the answer before: all that waits would be answered before anything else is read. */
      const goOn = (socket: Socket, { waiting }: Connection): void => {
        if (waiting.length === 0) return
        setImmediate(() => {
          const begin = socket.destroyed ? undefined : waiting.shift()
          if (begin === undefined) return
          waitingCount--
          if (waiting.length < enough) socket.resume()
          begin()
        })
      }

      /** Nothing went either way for too long. Where the client waits for us, so be it: of a long poll, or a long search. */
      const stalled = (server: Server, socket: Socket): void => {
        const response = open.get(socket)?.answering[0]
        const isOurs = response !== undefined && response.req.complete && socket.writableLength === 0
        if (isOurs) {
          socket.setTimeout(limits.stalledAfter)
          return
        }
        if (response === undefined) {
          socket.destroy()
          return
        }
        ended.stalled++
        if (response.req.complete) socket.destroy()
        else server.emit("clientError", silent, socket)
      }

      /** Lets go of whoever has the most to read, until the rest is little enough. */
      const relieve = (): void => {
        let unread = 0
        for (const socket of open.keys()) unread += socket.writableLength
        if (unread <= limits.maxUnread) return
        for (const socket of [...open.keys()].toSorted((one, other) => other.writableLength - one.writableLength)) {
          if (unread <= limits.maxUnread) return
          unread -= socket.writableLength
          ended.unread++
          socket.destroy()
        }
      }

      return Connections.of({
        answering: () => {
          let count = 0
          for (const { answering } of open.values()) count += answering.length
          return count
        },
        open: () => open.size,
        ended: () => ended,
        watch: (server) => {
          watched = server
          server.maxConnections = limits.max
          server.on("drop", () => ended.dropped++)
          server.setTimeout(limits.stalledAfter, (socket) => stalled(server, socket))
          const looking = setInterval(relieve, lookEvery).unref()
          server.once("close", () => clearInterval(looking))
          server.on("connection", (socket) => {
            const connection: Connection = { isUsed: false, answering: [], waiting: [] }
            open.set(socket, connection)
            socket.once("close", () => {
              open.delete(socket)
              forget(connection)
            })
            // Node reads on after each request that has come as a whole.
            socket.on("resume", () => {
              if (connection.waiting.length >= enough) socket.pause()
            })
          })
          const emit: (event: string, ...args: ReadonlyArray<any>) => boolean = server.emit.bind(server)
          server.emit = (event: string, ...args: ReadonlyArray<any>): boolean => {
            const connection = event === "request" ? open.get(args[0].socket) : undefined
            if (connection === undefined || connection.answering.length + connection.waiting.length === 0) {
              return emit(event, ...args)
            }
            wait(args[0].socket, connection, () => emit(event, ...args))
            return true
          }
          server.prependListener("request", ({ socket }, response) => {
            const connection = open.get(socket)
            if (connection === undefined) return
            connection.isUsed = true
            connection.answering.push(response)
            if (draining) response.shouldKeepAlive = false
            // The whole answer has been handed over: what the client has not taken yet is held.
            response.once("prefinish", () => {
              if (socket.writableLength > large) relieve()
            })
            response.once("close", () => {
              connection.answering.splice(connection.answering.indexOf(response), 1)
              if (draining) socket.destroySoon()
              else if (!socket.destroyed) goOn(socket, connection)
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
