import { Effect } from "effect"
import { Headers, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { roomFor } from "../../../../services/Deflate.ts"
import { type Coding, codingFor } from "./Accept.ts"

/** Minimum bytes of a body to compress: a smaller one fits into a packet. */
const worthwhile = 1024

/** Bytes from which a body counts as large: a smaller one is compressed in one or two milliseconds. */
const large = 64 * 1024

/** Maximum bytes of large bodies compressed at a time, or one body: passwords and files need the same threads. */
const maxCompressing = 4 * 1024 * 1024
let compressing = 0

const text = /^(text\/(?!event-stream)|application\/([\w.-]+\+)?json)/

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Compression levels for a response to one request, and for one that is compressed once and sent many times. */
const efforts = { each: { br: 4, gzip: 3 }, once: { br: 9, gzip: 9 } }
type Effort = keyof typeof efforts

const encode: Readonly<Record<Coding, (body: Uint8Array, effort: Effort) => Promise<Uint8Array>>> = {
  br: (body, effort) =>
    brotli(body, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: efforts[effort].br,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length
      }
    }),
  gzip: (body, effort) => deflate(body, { level: efforts[effort].gzip, ...roomFor(body.length) })
}

/**
 * Each coding is a separate representation, and a strong tag identifies one (RFC 9110, section 8.8.3): the coding is
 * appended to the tag after a character that other tags do not contain.
 */
const tagOf = (etag: string, coding: Coding): string => `${etag.slice(0, -1)};${coding}"`

/**
 * The coding after a tag. Proxies that compress append it with other characters (Apache and Caddy `-gzip`, Jetty `--gzip`):
 * what is left must have the form of a tag of this service, as a hash can end in such characters.
 */
const codings = /(?<=:\d+|[".][\w-]{22})(?:;|--?)(?:br|gzip|zstd)"/g

/** The request for handlers: its entity tags identify the state of the resource, without the coding. */
export const uncoded = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const changed = ["if-match", "if-none-match"].flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const header = request.headers[name]
    const tags = header?.replaceAll(codings, '"')
    return tags === undefined || tags === header ? [] : [[name, tags]]
  })
  return changed.length === 0
    ? request
    : request.modify({ headers: Headers.setAll(request.headers, Object.fromEntries(changed)) })
}

const vary = (response: HttpServerResponse.HttpServerResponse): string =>
  response.headers["vary"] === undefined ? "Accept-Encoding" : `${response.headers["vary"]}, Accept-Encoding`

/** Whether a response is compressed for clients that accept a coding. */
const isCompressible = ({ body, headers }: HttpServerResponse.HttpServerResponse): boolean =>
  body._tag === "Uint8Array" &&
  body.contentLength >= worthwhile &&
  text.test(body.contentType) &&
  headers["content-encoding"] === undefined &&
  headers["content-range"] === undefined

/** The response without compression, with Vary if it could be compressed. */
export const plain = (response: HttpServerResponse.HttpServerResponse) =>
  isCompressible(response) ? HttpServerResponse.setHeader(response, "vary", vary(response)) : response

/** A 304 for a representation that the client has in a coding gets the tag of that coding. */
const unchanged = (
  { headers }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  coding: Coding
) => {
  const etag = response.headers["etag"]
  const tag = etag === undefined ? undefined : tagOf(etag, coding)
  return tag !== undefined && headers["if-none-match"]?.includes(tag) === true
    ? HttpServerResponse.setHeaders(response, { etag: tag, vary: vary(response) })
    : response
}

/** The response in a coding, compressed outside the event loop; unchanged if it is not compressible. */
export const inCoding = async (
  response: HttpServerResponse.HttpServerResponse,
  coding: Coding,
  effort: Effort
): Promise<HttpServerResponse.HttpServerResponse> => {
  const { body } = response
  if (!isCompressible(response) || body._tag !== "Uint8Array") return response
  const etag = response.headers["etag"]
  const { "content-length": _, ...headers } = response.headers
  return HttpServerResponse.uint8Array(await encode[coding](body.body, effort), {
    status: response.status,
    headers: {
      ...headers,
      "content-encoding": coding,
      vary: vary(response),
      ...(etag === undefined ? {} : { etag: tagOf(etag, coding) })
    },
    cookies: response.cookies,
    contentType: body.contentType
  })
}

/** Compresses a response according to Accept-Encoding. */
export const compressed = (
  request: HttpServerRequest.HttpServerRequest,
  acceptEncoding: string,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const isWhole = isCompressible(response)
  if (!isWhole && response.status !== 304) return Effect.succeed(response)
  const coding = codingFor(acceptEncoding)
  if (coding === undefined) return Effect.succeed(plain(response))
  if (!isWhole) return Effect.succeed(unchanged(request, response, coding))
  const bytes = response.body._tag === "Uint8Array" ? response.body.contentLength : 0
  if (bytes < large) return Effect.promise(() => inCoding(response, coding, "each"))
  return Effect.suspend(() => {
    // Sent without compression, it costs bandwidth only.
    if (compressing > 0 && compressing + bytes > maxCompressing) return Effect.succeed(plain(response))
    compressing += bytes
    return Effect.promise(() => inCoding(response, coding, "each").finally(() => (compressing -= bytes)))
  })
}
