import { Context, Layer } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { stateOf } from "./RequestState.ts"

/** Limits on connections, beyond those of Node's own server (`Server.ts`). */
export interface Limits {
  /** Maximum number of open connections; further ones are closed at once. */
  readonly max: number
  /** Milliseconds without a byte in either direction after which a connection is closed. */
  readonly idle: number
  /** Milliseconds in which a request must arrive completely. An accepted upload may take longer. */
  readonly wholeWithin: number
  /** Bytes of responses that all clients together have not read yet; above it the slowest readers are closed. */
  readonly maxUnread: number
  /** Maximum number of requests that a client sends on a connection before the response to the first one. */
  readonly maxPipelined: number
}

export const defaults: Limits = {
  max: 10_000,
  idle: 60_000,
  wholeWithin: 120_000,
  maxUnread: 32 * 1024 * 1024,
  maxPipelined: 100
}

/** Counts of closed connections, by reason. */
export interface Ended {
  /** Over the maximum. */
  dropped: number
  /** The client did not send the rest of its request, or did not read its response, in time. */
  stalled: number
  /** The client had the most unread bytes when the total was too large. */
  unread: number
  /** The client sent too many requests before the first response. */
  pipelined: number
}

/** A request that has not been responded to completely. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly since: number
}

interface Connection {
  readonly openedAt: number
  /** The request that is being responded to. */
  exchange: Exchange | undefined
  /** The number of requests that were sent before its response. */
  pipelined: number
}

/** Milliseconds between two checks for late requests and slow readers. */
const interval = 50
/** Milliseconds after which a stopping server closes a new connection without a request, which may be on its way. */
const grace = 200
/** Milliseconds after which all connections are closed: slightly longer than Effect's server waits for requests. */
const closeTimeout = 11_000

const late = Object.assign(new Error("the request did not arrive in time"), { code: "ERR_HTTP_REQUEST_TIMEOUT" })

/** Makes the response the last one of its connection. */
const closeAfter = ({ request, response }: Exchange): void => {
  if (response.headersSent) response.once("finish", () => request.socket.destroySoon())
  else response.setHeader("connection", "close")
}

/** Limits the cost of connections, and ends them when the server stops. */
export class Connections extends Context.Service<
  Connections,
  {
    readonly watch: (server: Server) => Server
    /** From now on each response announces that it is the last on its connection: the client reconnects elsewhere. */
    readonly retire: () => void
    /** Closes each connection after its current response, also if that did not announce it, and unused ones. */
    readonly drain: () => void
    /** The number of requests that are being responded to. */
    readonly inProgress: () => number
    readonly open: () => number
    readonly ended: () => Readonly<Ended>
  }
>()("sheaf/http/server/Connections") {
  static readonly layer = (limits: Limits) =>
    Layer.sync(Connections, () => {
      const open = new Map<Socket, Connection>()
      const ended: Ended = { dropped: 0, stalled: 0, unread: 0, pipelined: 0 }
      let watched: Server | undefined
      let isRetiring = false

      const begin = (request: IncomingMessage, response: ServerResponse): void => {
        const { socket } = request
        const connection = open.get(socket)
        if (connection === undefined) return
        if (connection.exchange !== undefined) {
          // Pipelined requests are not processed. Clients that send them repeat them on another connection (RFC 9112,
          // section 9.3.2).
          stateOf(request).isPipelined = true
          if (connection.pipelined++ === 0) closeAfter(connection.exchange)
          if (connection.pipelined === limits.maxPipelined) {
            ended.pipelined++
            socket.destroy()
          }
          return
        }
        const exchange = { request, response, since: performance.now() }
        connection.exchange = exchange
        if (isRetiring) closeAfter(exchange)
        response.once("close", () => {
          connection.exchange = undefined
          if (request.complete || socket.destroyed) return
          // The rest of a refused body must arrive in time too; the connection stays open for the response.
          setTimeout(() => {
            if (!request.complete) socket.destroy()
          }, limits.wholeWithin).unref()
        })
      }

      /** Replaces Node's handler, which closes every idle connection: a response may take longer. */
      const idled = (server: Server, socket: Socket): void => {
        const exchange = open.get(socket)?.exchange
        if (exchange === undefined) return void socket.destroy()
        if (!exchange.request.complete) {
          ended.stalled++
          server.emit("clientError", late, socket)
        } else if (socket.writableLength === 0) {
          socket.setTimeout(limits.idle)
        } else {
          ended.stalled++
          // This frees the system's send buffer too.
          socket.resetAndDestroy()
        }
      }

      const endLate = (server: Server): void => {
        const latest = performance.now() - limits.wholeWithin
        for (const [socket, { exchange }] of open) {
          if (exchange === undefined || exchange.since > latest || exchange.request.complete) continue
          if (stateOf(exchange.request).isAcceptedUpload) continue
          ended.stalled++
          server.emit("clientError", late, socket)
        }
      }

      const endUnread = (): void => {
        let unread = 0
        for (const socket of open.keys()) unread += socket.writableLength
        if (unread <= limits.maxUnread) return
        for (const socket of [...open.keys()].toSorted((one, other) => other.writableLength - one.writableLength)) {
          if (unread <= limits.maxUnread) return
          unread -= socket.writableLength
          ended.unread++
          socket.resetAndDestroy()
        }
      }

      const retire = (): void => {
        isRetiring = true
        // A response that has begun has announced keep-alive: a proxy may reuse its connection once more.
        for (const { exchange } of open.values()) {
          if (exchange !== undefined && !exchange.response.headersSent) closeAfter(exchange)
        }
      }

      return Connections.of({
        inProgress: () =>
          open.values().reduce((count, { exchange }) => (exchange === undefined ? count : count + 1), 0),
        open: () => open.size,
        ended: () => ended,
        watch: (server) => {
          watched = server
          server.maxConnections = limits.max
          server.on("drop", () => ended.dropped++)
          server.on("connection", (socket) => {
            open.set(socket, { openedAt: performance.now(), exchange: undefined, pipelined: 0 })
            socket.once("close", () => open.delete(socket))
          })
          server.prependListener("request", begin)
          server.prependListener("checkContinue", begin)
          server.setTimeout(limits.idle, (socket) => idled(server, socket))
          const looking = setInterval(
            () => {
              endUnread()
              endLate(server)
            },
            Math.min(interval, limits.wholeWithin)
          ).unref()
          server.once("close", () => clearInterval(looking))
          return server
        },
        retire,
        drain: () => {
          isRetiring = true
          for (const { exchange } of open.values()) if (exchange !== undefined) closeAfter(exchange)
          const timers = [
            setInterval(() => {
              const latest = performance.now() - grace
              for (const [socket, { openedAt }] of open) {
                if (socket.bytesRead === 0 && openedAt < latest) socket.destroy()
              }
            }, grace),
            setTimeout(() => watched?.closeAllConnections(), closeTimeout)
          ]
          watched?.once("close", () => timers.forEach(clearTimeout))
        }
      })
    })
}
