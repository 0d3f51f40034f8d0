import { NodeHttpServerRequest } from "@effect/platform-node"
import { Clock, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { dispositionOf } from "../../../../services/Disposition.ts"
import { freeBuffer } from "../../../../services/files/FreeBuffer.ts"
import { isSniffed, servedType } from "../../../../services/MediaTypes.ts"
import type { AttachmentFile } from "../../../../services/notes/attachments/AddressedAttachments.ts"
import type { ByteRange } from "../../../../services/files/Blobs.ts"
import { problem, problemOf } from "./Problem.ts"
import { rangesOf } from "./Ranges.ts"
import * as Respond from "./Respond.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** A file to be sent in a response. */
export interface ServedFile<E> {
  /** Strong, with its quotation marks. */
  readonly etag: string
  readonly size: number
  /** The media type that the uploader claimed. */
  readonly content_type: string
  readonly filename: string
  /** When the URL expires, in milliseconds: caches must not keep the file longer. */
  readonly expires_at?: number
  readonly read: (range?: ByteRange) => Effect.Effect<Readable, E>
  /** The first 512 bytes, read only if they decide the media type. */
  readonly head?: Effect.Effect<Uint8Array, E>
}

/**
 * A page in a file may do nothing, and has an opaque origin. Images, sound and video are shown in a document that the
 * browser creates, with its own style.
 */
const policy = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"

const headersOf = Effect.fnUntraced(function* <E>(file: ServedFile<E>) {
  const head = file.head === undefined || !isSniffed(file.content_type) ? undefined : yield* file.head
  const { content_type, isInline } = servedType(file.content_type, head)
  const now = yield* Clock.currentTimeMillis
  const seconds = file.expires_at === undefined ? 0 : Math.max(0, Math.floor((file.expires_at - now) / 1000))
  return {
    content_type,
    always: {
      etag: file.etag,
      "accept-ranges": "bytes",
      "cache-control": seconds === 0 ? "private, no-cache" : `private, max-age=${seconds}`,
      "content-security-policy": policy,
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-disposition": dispositionOf(file.filename, isInline)
    }
  }
})

/**
 * Destroys the stream when its response ends: sent, aborted by its client, or never begun. Between opening the stream and
 * this call, the effect must not be interrupted.
 */
const endingWith = (request: Request, body: Readable): Readable => {
  const response = NodeHttpServerRequest.toServerResponse(request)
  // An error after the last read needs no handling.
  body.on("error", () => {})
  if (response.destroyed || response.closed) body.destroy()
  else response.once("close", () => body.destroy())
  return body
}

const opened = <E>(request: Request, open: Effect.Effect<Readable, E>) =>
  Effect.uninterruptible(Effect.map(open, (body) => endingWith(request, body)))

/** Bytes up to which a body is read completely before it is sent. */
const short = 256 * 1024

const whole = async (body: Readable): Promise<Uint8Array> => {
  const chunks: ReadonlyArray<Uint8Array> = await body.toArray()
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** Yields chunk by chunk, and returns the memory of a chunk once the system has taken it over. */
async function* flowing(request: Request, body: Readable): AsyncGenerator<Uint8Array> {
  const response = NodeHttpServerRequest.toServerResponse(request)
  for await (const chunk of body) {
    yield chunk
    if (response.writableLength === 0) freeBuffer(chunk)
  }
}

interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly contentLength: number
}

/** A response with a raw body, which no other station changes: a file is never compressed. */
const respond = (request: Request, body: Readable, head: Head): Effect.Effect<Response> =>
  head.contentLength <= short
    ? Effect.map(
        Effect.promise(() => whole(body)),
        (bytes) => HttpServerResponse.raw(bytes, head)
      )
    : Effect.succeed(
        HttpServerResponse.stream(
          Stream.fromAsyncIterable(flowing(request, body), (error) => error),
          head
        )
      )

/** Sends a stream of a known size as a file to be saved, without ranges. Caches must not keep it. */
export const savedResponse = Effect.fnUntraced(function* (file: {
  readonly filename: string
  readonly size: number
  readonly content: Readable
}) {
  const request = yield* HttpServerRequest.HttpServerRequest
  return yield* respond(request, endingWith(request, file.content), {
    status: 200,
    headers: {
      "cache-control": "no-store",
      "content-disposition": dispositionOf(file.filename, false),
      "x-content-type-options": "nosniff"
    },
    contentType: "application/octet-stream",
    contentLength: file.size
  })
})

/** Several parts of a file (RFC 9110, section 14.6), opened one after the other; the first is already open. */
const partsOf = <E>(
  file: ServedFile<E>,
  content_type: string,
  ranges: ReadonlyArray<ByteRange>,
  first: Readable,
  run: (open: Effect.Effect<Readable, E>) => Promise<Readable>
) => {
  const boundary = randomBytes(18).toString("hex")
  const heads = ranges.map(({ end, start }) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${content_type}\r\nContent-Range: bytes ${start}-${end}/${file.size}\r\n\r\n`
    )
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* parts() {
    for (const [index, range] of ranges.entries()) {
      yield heads[index]!
      yield* index === 0 ? first : await run(file.read(range))
    }
    yield tail
  }
  const bytes = ranges.reduce((sum, { end, start }) => sum + end - start + 1, 0)
  return {
    body: Readable.from(parts(), { objectMode: false }),
    length: heads.reduce((sum, head) => sum + head.length, bytes + tail.length),
    content_type: `multipart/byteranges; boundary=${boundary}`
  }
}

/** The requested ranges, if If-Range matches. HEAD ignores Range (RFC 9110, section 14.2). */
const requestedRanges = ({ headers, method }: Request, { etag, size }: ServedFile<unknown>) => {
  const condition = headers["if-range"]
  if (method === "HEAD" || (condition !== undefined && condition !== etag)) return undefined
  return rangesOf(headers["range"], size)
}

/**
 * Responds to GET and HEAD of a file (RFC 9110, sections 13 to 15): whole or in ranges, with headers that keep browsers
 * from running it as a page of this origin. Bytes are sent as fast as the client reads them, and a stream that fails ends
 * the connection. The file is never compressed.
 */
export const fileResponse = <E>(file: ServedFile<E>): Effect.Effect<Response, E, Request> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const stale = Respond.unexpected(request, file.etag)
    if (stale !== undefined) return yield* problemOf(stale)
    const { always, content_type } = yield* headersOf(file)
    if (Respond.isKnown(request, file.etag)) return HttpServerResponse.empty({ status: 304, headers: always })
    const ranges = requestedRanges(request, file)

    if (ranges?.length === 0) {
      return yield* problem({
        status: 416,
        code: "range_not_satisfiable",
        detail: `The file has ${file.size} bytes`,
        headers: { "accept-ranges": "bytes", "content-range": `bytes */${file.size}`, "cache-control": "no-store" }
      })
    }
    if (request.method === "HEAD") {
      return HttpServerResponse.empty({
        status: 200,
        headers: { ...always, "content-type": content_type, "content-length": String(file.size) }
      })
    }
    if (ranges === undefined) {
      const body = yield* opened(request, file.read())
      return yield* respond(request, body, {
        status: 200,
        headers: always,
        contentType: content_type,
        contentLength: file.size
      })
    }
    const [range] = ranges as readonly [ByteRange, ...ReadonlyArray<ByteRange>]
    const body = yield* opened(request, file.read(range))
    if (ranges.length === 1) {
      return yield* respond(request, body, {
        status: 206,
        headers: { ...always, "content-range": `bytes ${range.start}-${range.end}/${file.size}` },
        contentType: content_type,
        contentLength: range.end - range.start + 1
      })
    }
    const context = yield* Effect.context<never>()
    const several = partsOf(file, content_type, ranges, body, Effect.runPromiseWith(context))
    return HttpServerResponse.raw(endingWith(request, several.body), {
      status: 206,
      headers: always,
      contentType: several.content_type,
      contentLength: several.length
    })
  })

/** Bytes of a file that are enough to detect its media type. */
const headBytes = 512

/** Responds to GET and HEAD of an attachment, as `fileResponse` does. */
export const attachmentResponse = ({ read, row }: AttachmentFile, expires_at?: number) =>
  fileResponse({
    // Its bytes never change; its name and media type may.
    etag: Respond.etagOf(`${row.id} ${row.revision} ${row.sha256}`),
    size: row.size!,
    content_type: row.content_type,
    filename: row.filename,
    ...(expires_at === undefined ? {} : { expires_at }),
    read,
    head:
      row.size === 0
        ? Effect.succeed(new Uint8Array())
        : Effect.flatMap(read({ start: 0, end: Math.min(row.size!, headBytes) - 1 }), (body) =>
            Effect.promise(() => buffer(body))
          )
  })
