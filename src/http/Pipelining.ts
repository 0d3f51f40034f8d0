import type { Socket } from "node:net"
import type { Connection, Ended, Limits, Open } from "./Connection.ts"
import { kept, readShared } from "./SharedReads.ts"

/** With so many requests behind the one that is being answered, no more is read from a connection. */
const enough = 2

/** So many bytes are parsed before it is looked whether they are requests behind each other. */
const slice = 128

/** Where there is no room, some are let go of until no more than this share of what is allowed is taken. */
const filled = 15 / 16

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

/** Node's own mark on a connection whose answers are not taken: its parser takes no more until they are. */
const isHalted = (socket: Socket): boolean => (socket as { readonly _paused?: boolean })._paused === true

/**
 * What clients send ahead: requests behind one that is being answered, and bytes behind those. Node by itself takes all
 * that comes, and begins all at once.
 */
export const make = (open: Open, limits: Limits, ended: Ended) => {
  let waitingCount = 0
  let unparsedBytes = 0

  const forget = (connection: Connection): void => {
    waitingCount -= connection.waiting.splice(0).length
    if (connection.unparsed !== undefined) unhold(connection)
  }

  /** Lets go of those who have sent the most until some of what they may is free again: to find them, all are looked at. */
  const makeRoom = (sent: (connection: Connection) => number, total: () => number, most: number): void => {
    const all = [...open].filter(([, connection]) => sent(connection) > 0)
    all.sort(([, one], [, other]) => sent(other) - sent(one))
    for (const [socket, connection] of all) {
      if (total() <= most * filled) return
      ended.crowded++
      forget(connection)
      socket.destroy()
    }
  }

  const waitingOf = ({ waiting }: Connection): number => waiting.length
  /** A part holds all of what was read. */
  const unparsedOf = ({ unparsed }: Connection): number => unparsed?.buffer.byteLength ?? 0

  const wait = (socket: Socket, { waiting }: Connection, begin: () => void): void => {
    if (waitingCount >= limits.maxWaiting) makeRoom(waitingOf, () => waitingCount, limits.maxWaiting)
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
    connection.unparsed = kept(bytes)
    unparsedBytes += unparsedOf(connection)
    socket.pause()
    if (unparsedBytes > limits.maxUnparsed) makeRoom(unparsedOf, () => unparsedBytes, limits.maxUnparsed)
  }

  const unhold = (connection: Connection): Buffer => {
    const bytes = connection.unparsed!
    unparsedBytes -= unparsedOf(connection)
    connection.unparsed = undefined
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

  return { forget, goOn, parseInSlices, wait }
}
