import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Coding, codingFor } from "./Accept.ts"
import * as Compression from "./Compression.ts"
import * as Respond from "./Respond.ts"

type Response = HttpServerResponse.HttpServerResponse

/**
 * An answer that is the same for everybody: its bytes are held once, compressed once in each coding, and named by an
 * ETag, so that asking for it again costs next to nothing.
 */
export class StaticAnswer {
  private readonly etag: string
  private readonly headers: Readonly<Record<string, string>>
  private readonly plain: Response
  private readonly coded = new Map<Coding, Promise<Response>>()

  constructor(
    text: string,
    options: { readonly contentType: string; readonly headers?: Readonly<Record<string, string>> }
  ) {
    this.etag = Respond.etagOf(text)
    // It changes with the version that runs here only, but then at once.
    this.headers = { "cache-control": "no-cache", ...options.headers, etag: this.etag }
    this.plain = HttpServerResponse.uint8Array(Buffer.from(text), {
      contentType: options.contentType,
      headers: this.headers
    })
  }

  private inCoding(coding: Coding): Promise<Response> {
    let made = this.coded.get(coding)
    if (made === undefined) this.coded.set(coding, (made = Compression.inCoding(this.plain, coding, "once")))
    return made
  }

  /** The answer to a request: what the client has not yet, in the coding that it wants most. */
  readonly answer = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Effect.Effect<Response> => {
    if (Respond.isKnown(request, this.etag)) {
      return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: this.headers }))
    }
    const wanted = request.headers["accept-encoding"]
    const coding = wanted === undefined ? undefined : codingFor(wanted)
    return coding === undefined ? Effect.succeed(this.plain) : Effect.promise(() => this.inCoding(coding))
  })
}
