import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Ended, Limits, Open } from "./Connection.ts"
import { stateOf } from "./RequestState.ts"

/** What is unread is looked at so often, */
const lookEvery = 1_000
/** and with each answer that leaves more than this. */
const large = 1024 * 1024

/** As Node says it of a request that takes too long as a whole. */
const timedOut = (message: string) => Object.assign(new Error(message), { code: "ERR_HTTP_REQUEST_TIMEOUT" })
const silent = timedOut("the client was silent")
const late = timedOut("the request took too long to come whole")

/** Bytes that the system has taken on for a client: what is left of those it was given, only the handle knows. */
const takenOf = (socket: Socket): number => {
  const { _handle } = socket as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
  }
  return _handle == null ? 0 : _handle.bytesWritten - _handle.writeQueueSize
}

/** Those who do not go on: who neither send what they owe nor read what they are owed. */
export const make = (open: Open, limits: Limits, ended: Ended) => {
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

  return {
    /** Looks for them until the server is closed. */
    watch: (server: Server): void => {
      server.setTimeout(limits.stalledAfter, (socket) => stalled(server, socket))
      const look = () => {
        relieve()
        endUnread()
        endLate(server)
      }
      const looking = setInterval(look, Math.min(lookEvery, limits.stalledAfter, limits.wholeWithin)).unref()
      server.once("close", () => clearInterval(looking))
    },
    /** A whole answer has been handed over: what the client has not taken yet is held. */
    answered: (socket: Socket): void => {
      if (socket.writableLength > large) relieve()
    }
  }
}
