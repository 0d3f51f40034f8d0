import { Effect } from "effect"
import { Headers, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { roomFor } from "../../../services/Deflate.ts"
import { type Coding, codingFor } from "./Accept.ts"

/** Less is sent as it is: it fits into a packet. */
const worthwhile = 1024

/** A shorter one is compressed in a millisecond or two. */
const large = 64 * 1024

/** So many bytes of large answers are compressed at a time, or one: it is done on the threads that passwords and files need. */
const maxCompressing = 4 * 1024 * 1024
let compressing = 0

const text = /^(text\/(?!event-stream)|application\/([\w.-]+\+)?json)/

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** How hard to try: for an answer of one request, or for one that is compressed once and sent many times. */
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
 * Each coding is a representation of its own, and a strong tag names one of them (RFC 9110, section 8.8.3): the coding
 * stands at the tag's end, after a character that no tag has otherwise.
 */
const tagOf = (etag: string, coding: Coding): string => `${etag.slice(0, -1)};${coding}"`

const codings = /;(?:br|gzip)"/g

/** The request as handlers see it: tags in it name the state of the resource, whatever the coding that it came in. */
export const uncoded = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const match = request.headers["if-match"]
  const noneMatch = request.headers["if-none-match"]
  if (match?.includes(";") !== true && noneMatch?.includes(";") !== true) return request
  return request.modify({
    headers: Headers.setAll(request.headers, {
      ...(match === undefined ? {} : { "if-match": match.replaceAll(codings, '"') }),
      ...(noneMatch === undefined ? {} : { "if-none-match": noneMatch.replaceAll(codings, '"') })
    })
  })
}

const vary = (response: HttpServerResponse.HttpServerResponse): string =>
  response.headers["vary"] === undefined ? "Accept-Encoding" : `${response.headers["vary"]}, Accept-Encoding`

/** Whether the answer looks different to clients that take a coding. */
export const isCompressible = ({ body, headers }: HttpServerResponse.HttpServerResponse): boolean =>
  body._tag === "Uint8Array" &&
  body.contentLength >= worthwhile &&
  text.test(body.contentType) &&
  headers["content-encoding"] === undefined &&
  headers["content-range"] === undefined

/** The answer when it is not compressed, but might be. */
export const plain = (response: HttpServerResponse.HttpServerResponse) =>
  isCompressible(response) ? HttpServerResponse.setHeader(response, "vary", vary(response)) : response

/** What a client has already in a coding is named as it has it. */
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

/** The answer in a coding, made outside the event loop; as it is when it is not to be compressed. */
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

/** Compresses the answer by what Accept-Encoding asks for. */
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
    // Sent as it is, it costs the network more, and nobody else.
    if (compressing > 0 && compressing + bytes > maxCompressing) return Effect.succeed(plain(response))
    compressing += bytes
    return Effect.promise(() => inCoding(response, coding, "each").finally(() => (compressing -= bytes)))
  })
}
