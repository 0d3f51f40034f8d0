import type { Socket } from "node:net"

/** What all sockets read into, one after the other. As large as what Node would read at once. */
const shared = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * Bytes to keep: those in the shared buffer are overwritten by the next read of any socket. They have memory of their own,
 * which can be counted: Node's pool for small ones has pieces of 64 KB.
 */
export const kept = (bytes: Buffer): Buffer => {
  if (bytes.buffer !== shared.buffer) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}

interface Reading {
  readonly _handle: { readonly useUserBuffer?: (buffer: Buffer) => void } | null
  [name: symbol]: unknown
}

/**
 * Has a socket read into the shared buffer, as the option `onread` of `new Socket` would: a server makes its sockets
 * without options. By itself Node makes 64 KB for each read, and the garbage collector counts them: a tenth of a small
 * request. Whoever reads takes all, or keeps it by `kept`; its "data" events do not come any more.
 *
 * @returns whether the runtime could; Deno reads in its own way.
 */
export const readShared = (socket: Socket, read: (bytes: Buffer) => void): boolean => {
  const reading = socket as unknown as Reading
  const symbols = Object.getOwnPropertySymbols(socket)
  const buffer = symbols.find(({ description }) => description === "kBuffer")
  const callback = symbols.find(({ description }) => description === "kBufferCb")
  if (buffer === undefined || callback === undefined || reading._handle?.useUserBuffer === undefined) return false
  reading[buffer] = shared
  reading[callback] = (length: number) => {
    read(shared.subarray(0, length))
    return true
  }
  reading._handle.useUserBuffer(shared)
  return true
}
