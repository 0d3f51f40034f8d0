import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Coding, codingFor } from "./Accept.ts"
import * as Compression from "./Compression.ts"
import * as Respond from "./Respond.ts"

type Response = HttpServerResponse.HttpServerResponse

/**
 * A response that is the same for all clients: its bytes are stored once, compressed once per coding, and identified by
 * an ETag, so that another request costs almost nothing.
 */
export class StaticResponse {
  readonly #etag: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #plain: Response
  readonly #coded = new Map<Coding, Promise<Response>>()

  constructor(
    content: string | Uint8Array,
    options: { readonly contentType: string; readonly headers?: Readonly<Record<string, string>> }
  ) {
    this.#etag = Respond.etagOf(content)
    // By default it changes with the version of the server, and clients must notice that at once.
    this.#headers = { "cache-control": "no-cache", ...options.headers, etag: this.#etag }
    this.#plain = HttpServerResponse.uint8Array(typeof content === "string" ? Buffer.from(content) : content, {
      contentType: options.contentType,
      headers: this.#headers
    })
  }

  #inCoding(coding: Coding): Promise<Response> {
    let made = this.#coded.get(coding)
    if (made === undefined) this.#coded.set(coding, (made = Compression.inCoding(this.#plain, coding, "once")))
    return made
  }

  /** The response to a request: 304 if the client has it, else the body in the coding that the client prefers. */
  readonly response = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Effect.Effect<Response> => {
    if (Respond.isKnown(request, this.#etag)) {
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: this.#headers }))
    }
    const wanted = request.headers["accept-encoding"]
    const coding = wanted === undefined ? undefined : codingFor(wanted)
    return coding === undefined ? Effect.succeed(this.#plain) : Effect.promise(() => this.#inCoding(coding))
  })
}
