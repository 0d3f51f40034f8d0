import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

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

/** Connections that were closed so far, because there were too many or because their clients did not go on. */
export interface Ended {
  dropped: number
  stalled: number
  unread: number
  crowded: number
}

export interface Connection {
  isUsed: boolean
  /** By `performance.now()`. */
  readonly openedAt: number
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
 * Answers under way are found by connection, of which there are few: a set of them would be rebuilt all the time, and what
 * V8 leaves behind of it holds them until a full collection.
 */
export type Open = Map<Socket, Connection>
