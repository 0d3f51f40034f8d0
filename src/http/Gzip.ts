import { constants, crc32, createDeflateRaw, type DeflateRaw } from "node:zlib"

/** An answer is packed in two thirds of the time that the level by default takes, and is a twentieth longer. */
export const level = 3
/** What is larger takes room of its own, and comes in larger pieces: the main loop has half the work with them. */
export const mostAtOnce = 64 * 1024
/** So many wait for the next answers, each with 270 KB. */
const maxIdle = 4
const idle: Array<DeflateRaw> = []

/** What stands before deflated bytes (RFC 1952): the format, no flags, no time, any system. */
const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)

/**
 * A text in gzip's format. Who packs it is used again: V8 keeps what belongs to a native object, here the text and its
 * packed form, until a full collection, and with one for each answer such collections came every hundred answers.
 */
export const gzipped = (text: Uint8Array): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    // Each write is a text of its own, and is packed to its end.
    const deflate = idle.pop() ?? createDeflateRaw({ level, flush: constants.Z_FINISH })
    const pieces: Array<Uint8Array> = [header]
    const take = (piece: Buffer) => pieces.push(piece)
    deflate.on("data", take)
    deflate.once("error", reject)
    deflate.write(text, (error) => {
      if (error) return
      deflate.off("data", take)
      deflate.off("error", reject)
      deflate.reset()
      if (idle.length < maxIdle) idle.push(deflate)
      else deflate.close()
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(crc32(text))
      trailer.writeUInt32LE(text.length >>> 0, 4)
      pieces.push(trailer)
      resolve(Buffer.concat(pieces))
    })
  })
