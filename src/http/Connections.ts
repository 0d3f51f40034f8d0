import { Context, Effect, Layer } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Admission } from "./Admission.ts"
import type { Connection, Ended, Limits, Open } from "./Connection.ts"
import * as Pipelining from "./Pipelining.ts"
import { stateOf } from "./RequestState.ts"
import * as Stragglers from "./Stragglers.ts"

/** A connection without a request is ended when it is so old, once the end began: its first request may be on its way. */
const grace = 200
/** By then the last requests have been answered or given up. */
const patience = 11_000

/**
 * Whether a body is waited for: one that Node takes on before anybody asks for it. Where nobody has signed that may be said
 * of all; elsewhere a body of unknown length is not waited for, as the answer may well go before it.
 */
const isShort = ({ headers, readableHighWaterMark, url }: IncomingMessage): boolean =>
  headers["content-length"] === undefined
    ? headers["transfer-encoding"] !== undefined && url?.startsWith("/v2/auth/") === true
    : Number(headers["content-length"]) <= readableHighWaterMark

/**
 * Bounds what connections cost, and ends them when the server stops. Node by itself closes only those that wait for a
 * further request at that moment: it keeps one that has never asked, and goes on serving one whose request is answered
 * later.
 */
export class Connections extends Context.Service<
  Connections,
  {
    readonly watch: (server: Server) => Server
    /** From now on each response is the last on its connection, and announces it: the client opens the next one elsewhere. */
    readonly retire: () => void
    /** Retires connections, and ends the ones without a request, or whose last response did not announce the end. */
    readonly drain: () => void
    /** Requests that are being answered. */
    readonly answering: () => number
    readonly open: () => number
    readonly ended: () => Readonly<Ended>
  }
>()("sheaf/Connections") {
  static readonly layer = (limits: Limits) =>
    Layer.effect(
      Connections,
      Effect.map(Admission, (admission) => {
        const open: Open = new Map()
        let watched: Server | undefined
        let retiring = false
        let draining = false
        const ended: Ended = { dropped: 0, stalled: 0, unread: 0, crowded: 0 }
        const { forget, goOn, parseInSlices, wait } = Pipelining.make(open, limits, ended)
        const stragglers = Stragglers.make(open, limits, ended)

        /** What is left of a request that was answered; of an upload too it has to come in time. */
        const rest = (connection: Connection, request: IncomingMessage): void => {
          const state = stateOf(request)
          if (request.complete) connection.receiving = undefined
          else if (state.isLetIn) {
            state.isLetIn = false
            connection.receivingSince = performance.now()
          }
        }

        const retire = () => {
          retiring = true
          for (const { answering } of open.values()) for (const response of answering) response.shouldKeepAlive = false
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
            stragglers.watch(server)
            const emit: (event: string, ...args: ReadonlyArray<any>) => boolean = server.emit.bind(server)

            const enterArrived = (connection: Connection): void => {
              if (connection.arriving === undefined) return
              const { request, response } = connection.arriving
              if (!request.complete && request.readableLength < request.readableHighWaterMark) return
              connection.arriving = undefined
              admission.enter(request, () => emit("request", request, response))
            }

            server.on("connection", (socket) => {
              const connection: Connection = {
                isUsed: false,
                openedAt: performance.now(),
                answering: [],
                waiting: [],
                isSliced: false,
                arriving: undefined,
                receiving: undefined,
                receivingSince: 0,
                unparsed: undefined,
                taken: 0,
                takenAt: performance.now()
              }
              open.set(socket, connection)
              socket.once("close", () => {
                open.delete(socket)
                forget(connection)
              })
              parseInSlices(socket, connection, () => enterArrived(connection))
            })
            const begin = (
              connection: Connection,
              request: IncomingMessage,
              response: ServerResponse,
              event: string
            ) => {
              const { socket } = request
              connection.isUsed = true
              connection.answering.push(response)
              if (retiring) response.shouldKeepAlive = false
              response.once("prefinish", () => stragglers.answered(socket))
              response.once("close", () => {
                connection.arriving = undefined
                if (connection.receiving === request) rest(connection, request)
                admission.leave(request)
                connection.answering.splice(connection.answering.indexOf(response), 1)
                if (draining) socket.destroySoon()
                else if (!socket.destroyed) goOn(socket, connection)
              })
              // Who waits to be told to go on sends no body before.
              if (event === "request" && connection.isSliced && isShort(request)) {
                connection.arriving = { request, response }
                enterArrived(connection)
              } else {
                admission.enter(request, () => emit(event, request, response))
              }
            }

            server.emit = (event: string, ...args: ReadonlyArray<any>): boolean => {
              const isRequest = event === "request" || event === "checkContinue"
              const connection = isRequest ? open.get(args[0].socket) : undefined
              if (connection === undefined) return emit(event, ...args)
              const [request, response] = args
              connection.receiving = request
              connection.receivingSince = performance.now()
              const answer = () => begin(connection, request, response, event)
              if (connection.answering.length + connection.waiting.length === 0) answer()
              else wait(request.socket, connection, answer)
              return true
            }
            return server
          },
          retire,
          drain: () => {
            retire()
            draining = true
            const timers = [
              setInterval(() => {
                const before = performance.now() - grace
                for (const [socket, { isUsed, openedAt }] of open) {
                  if (!isUsed && socket.bytesRead === 0 && openedAt < before) socket.destroy()
                }
              }, grace),
              setTimeout(() => watched?.closeAllConnections(), patience)
            ]
            watched?.once("close", () => timers.forEach(clearTimeout))
          }
        })
      })
    )
}
