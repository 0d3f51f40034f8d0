import { Context, Effect, Layer } from "effect"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Admission } from "./Admission.ts"
import { stateOf } from "./RequestState.ts"
import { kept, readShared } from "./SharedReads.ts"

/** A connection on which nobody has asked anything is let go so long after the end began: a request may be on its way. */
const grace = 200
/** By then the last requests have been answered or given up. */
const patience = 11_000

/** With so many requests behind the one that is being answered, no more is read from a connection. */
const enough = 2

/** So many bytes are parsed before it is looked whether they are requests behind each other. */
const slice = 128

const blankLine = "\r\n\r\n"

/**
 * Where a slice ends: behind a head, since Node counts the time from the first byte of one until its last. Where no head
 * ends in so many bytes it goes on to the next: these are of a long head or a body.
 */
const sliceEnd = (bytes: Buffer, from: number): number => {
  const end = from + slice
  if (end >= bytes.length) return bytes.length
  const last = bytes.subarray(from, end).lastIndexOf(blankLine)
  if (last >= 0) return from + last + blankLine.length
  const next = bytes.indexOf(blankLine, end - blankLine.length)
  return next < 0 ? bytes.length : next + blankLine.length
}

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
  /** Milliseconds from the head of a request until it has come whole; an upload that was let in may take longer. */
  readonly wholeWithin: number
  /** Bytes of answers that wait for their readers, in all; above it the slowest readers are let go. */
  readonly maxUnread: number
  /** Requests that wait for those before them, in all, of 2 KB or 3; above it whoever has sent the most is let go. */
  readonly maxWaiting: number
  /** Bytes that were read behind such requests, in all; above it whoever has sent the most is let go. */
  readonly maxUnparsed: number
}

export const defaults: Limits = {
  max: 10_000,
  stalledAfter: 60_000,
  wholeWithin: 120_000,
  maxUnread: 64 * 1024 * 1024,
  maxWaiting: 32_000,
  maxUnparsed: 32 * 1024 * 1024
}

/** As Node says it of a request that takes too long as a whole. */
const timedOut = (message: string) => Object.assign(new Error(message), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
const silent = timedOut("the client was silent")
const late = timedOut("the request took too long to come whole")

interface Connection {
  isUsed: boolean
  readonly answering: Array<ServerResponse>
  /**
   * Requests that were sent behind each other are answered in turn (RFC 9112, section 9.3.2): what waits holds no answer
   * yet, however slowly the one before is read.
   */
  readonly waiting: Array<() => void>
  /** Whether what is read on it passes through here: other runtimes than Node parse it themselves. */
  isSliced: boolean
  /**
   * A request that takes no place before its body has come. No function that would look: each would hold its answer, and
   * what V8 keeps of those that were called here held one answer for each connection until a full collection.
   */
  arriving: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined
  /** The request whose body is on its way, and since when. */
  receiving: IncomingMessage | undefined
  receivingSince: number
  /** What has been read and is not parsed yet. */
  unparsed: Buffer | undefined
  /** What the client has taken of the answers, and since when it has taken no more. */
  taken: number
  takenAt: number
}

/**
 * Whether a body is waited for: one that Node takes on before anybody asks for it. Where nobody has signed that may be said
 * of all; elsewhere a body of unknown length is not waited for, as the answer may well go before it.
 */
const isShort = ({ headers, readableHighWaterMark, url }: IncomingMessage): boolean =>
  headers["content-length"] === undefined
    ? headers["transfer-encoding"] !== undefined && url?.startsWith("/v2/auth/") === true
    : Number(headers["content-length"]) <= readableHighWaterMark

/** Bytes that the system has taken on for a client: what is left of those it was given, only the handle knows. */
const takenOf = (socket: Socket): number => {
  const { _handle } = socket as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
  }
  return _handle == null ? 0 : _handle.bytesWritten - _handle.writeQueueSize
}

/** Node's own mark on a connection whose answers are not taken: its parser takes no more until they are. */
const isHalted = (socket: Socket): boolean => (socket as { readonly _paused?: boolean })._paused === true

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
    Layer.effect(
      Connections,
      Effect.map(Admission, (admission) => {
        // By connection, of which there are few: a set of the answers under way would be rebuilt all the time, and what
        // V8 leaves behind of it holds them until a full collection.
        const open = new Map<Socket, Connection>()
        let watched: Server | undefined
        let draining = false
        const ended = { dropped: 0, stalled: 0, unread: 0, crowded: 0 }
        let waitingCount = 0
        let unparsedBytes = 0

        const forget = (connection: Connection): void => {
          waitingCount -= connection.waiting.splice(0).length
          if (connection.unparsed !== undefined) unhold(connection)
        }

        /** Lets go of whoever has sent the most. */
        const makeRoom = (sent: (connection: Connection) => number): void => {
          let most: readonly [Socket, Connection] | undefined
          for (const one of open) if (most === undefined || sent(one[1]) > sent(most[1])) most = one
          if (most === undefined) return
          ended.crowded++
          forget(most[1])
          most[0].destroy()
        }

        const wait = (socket: Socket, { waiting }: Connection, begin: () => void): void => {
          if (waitingCount >= limits.maxWaiting) makeRoom((connection) => connection.waiting.length)
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

        const hold = (socket: Socket, connection: Connection, bytes: Buffer): void => {
          const unparsed = kept(bytes)
          connection.unparsed = unparsed
          // A part holds all of what was read.
          unparsedBytes += unparsed.buffer.byteLength
          socket.pause()
          if (unparsedBytes > limits.maxUnparsed) makeRoom(({ unparsed }) => unparsed?.buffer.byteLength ?? 0)
        }

        const unhold = (connection: Connection): Buffer => {
          const bytes = connection.unparsed!
          connection.unparsed = undefined
          unparsedBytes -= bytes.buffer.byteLength
          return bytes
        }

        /**
         * Node parses all that it has read at once, and 64 KB may hold hundreds of requests. So it is given a little at a
         * time where they are sent behind each other, and no more while enough of them wait.
         */
        const parseInSlices = (socket: Socket, connection: Connection, parsed: () => void): void => {
          const [parse] = socket.listeners("data") as Array<(bytes: Buffer) => void>
          let isDue = false

          const feed = (bytes: Buffer): void => {
            if (parse === undefined) return
            connection.isSliced = true
            let at = 0
            while (at < bytes.length) {
              const end = sliceEnd(bytes, at)
              parse.call(socket, end - at === bytes.length ? bytes : bytes.subarray(at, end))
              at = end
              parsed()
              // What could not be read has been answered.
              if (!socket.writable) return
              if (isHalted(socket) || connection.waiting.length > 0) break
            }
            if (at >= bytes.length) return
            hold(socket, connection, bytes.subarray(at))
            advance()
          }

          const advance = (): void => {
            if (isDue || connection.unparsed === undefined || connection.waiting.length >= enough) return
            isDue = true
            setImmediate(() => {
              isDue = false
              if (connection.unparsed === undefined || isHalted(socket)) return
              feed(unhold(connection))
              if (connection.unparsed === undefined && !isHalted(socket)) socket.resume()
            })
          }

          if (parse !== undefined) {
            socket.removeListener("data", parse)
            // With a listener, Node's parser does not read by itself any more.
            socket.on("data", feed)
            readShared(socket, feed)
          }
          // Node reads on after each request that has come as a whole, and when its answers are taken again.
          socket.on("resume", () => {
            if (connection.unparsed === undefined && connection.waiting.length < enough) return
            socket.pause()
            advance()
          })
        }

        /** Nothing went either way for too long. Where the client waits for us, so be it: of a long poll, or a long search. */
        const stalled = (server: Server, socket: Socket): void => {
          const response = open.get(socket)?.answering[0]
          // Of those who do not read it is found out elsewhere.
          if (response !== undefined && (response.req.complete || socket.writableLength > 0)) {
            socket.setTimeout(limits.stalledAfter)
            return
          }
          if (response === undefined) {
            socket.destroy()
            return
          }
          ended.stalled++
          server.emit("clientError", silent, socket)
        }

        /**
         * Lets go of those who have taken nothing for too long of what waits for them. Node's own timer begins anew with all
         * that is written to them, and with all that they send.
         */
        const endUnread = (): void => {
          const now = performance.now()
          for (const [socket, connection] of open) {
            const taken = takenOf(socket)
            if (socket.writableLength === 0 || taken !== connection.taken) {
              connection.taken = taken
              connection.takenAt = now
            } else if (now - connection.takenAt >= limits.stalledAfter) {
              ended.stalled++
              // What the system holds for them goes as well.
              socket.resetAndDestroy()
            }
          }
        }

        /** What is left of a request that was answered; of an upload too it has to come in time. */
        const rest = (connection: Connection, request: IncomingMessage): void => {
          const state = stateOf(request)
          if (request.complete) connection.receiving = undefined
          else if (state.isLetIn) {
            state.isLetIn = false
            connection.receivingSince = performance.now()
          }
        }

        /** Node's own time-out of requests would end slow uploads as well. Without it all others still have to come in time. */
        const endLate = (server: Server): void => {
          const latest = performance.now() - limits.wholeWithin
          for (const [socket, connection] of open) {
            const { receiving } = connection
            if (receiving === undefined) continue
            if (receiving.complete) connection.receiving = undefined
            else if (connection.receivingSince <= latest && !stateOf(receiving).isLetIn) {
              connection.receiving = undefined
              server.emit("clientError", late, socket)
            }
          }
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
            socket.resetAndDestroy()
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
            const look = () => {
              relieve()
              endUnread()
              endLate(server)
            }
            const looking = setInterval(look, Math.min(lookEvery, limits.stalledAfter, limits.wholeWithin)).unref()
            server.once("close", () => clearInterval(looking))
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
              if (draining) response.shouldKeepAlive = false
              // The whole answer has been handed over: what the client has not taken yet is held.
              response.once("prefinish", () => {
                if (socket.writableLength > large) relieve()
              })
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
          drain: () => {
            draining = true
            for (const { answering } of open.values())
              for (const response of answering) response.shouldKeepAlive = false
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
    )
}
