import { Cache, Context, Effect, Exit, Layer, Semaphore } from "effect"
import { Blobs } from "../files/Blobs.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import { traced } from "../Traced.ts"
import * as ClientMetadata from "./ClientMetadata.ts"
import { type OAuthError, refusal } from "./OAuthError.ts"

/** Maximum bytes of a document, and milliseconds until it is received. */
const maxBytes = 8 * 1024
const timeout = 5_000
/** Maximum number of documents in memory. */
const capacity = 500
/** Maximum number of documents that are read at once: any visitor can name one. */
const maxReading = 16
/** Seconds for which a document is used, whatever its headers say, and for which a failure is. */
const life = { least: 300, most: 24 * 3600, failed: 30 }

const unusable = (description: string) => refusal("invalid_client", description)

/** Whether a client id is the URL of a document. */
export const isDocument = (client_id: string): boolean => /^https?:\/\//i.test(client_id)

/** Why a URL is no client id (Client ID Metadata Document, section 3), judged by its text; undefined if it is one. */
const fault = (client_id: string): string | undefined => {
  if (!URL.canParse(client_id)) return "it is not a URL"
  // A parser removes dot segments.
  if (/\/(\.|%2e){1,2}(\/|$|\?|#)/i.test(client_id)) return "it has dot segments"
  if (client_id.includes("#")) return "it has a fragment"
  if (/^https?:\/\/[^/?]*(\/?\?|\/?$)/i.test(client_id)) return "it has no path"
  return undefined
}

/** Seconds for which a response may be used (RFC 9111), within limits. */
const freshness = (cacheControl: string | undefined): number => {
  const asked = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl ?? "")?.[1]
  return Math.min(life.most, Math.max(life.least, Number(asked ?? 0)))
}

/** The documents with which clients describe themselves, by the URLs that are their ids. */
export class ClientDocuments extends Context.Service<
  ClientDocuments,
  {
    readonly get: (client_id: string) => Effect.Effect<ClientMetadata.ClientMetadata, OAuthError>
  }
>()("sheaf/oauth/ClientDocuments") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      ClientDocuments,
      Effect.gen(function* () {
        const outgoing = yield* Outgoing
        const { direct } = yield* Blobs
        const reading = yield* Semaphore.make(maxReading)

        /** Users can store files at these: a document there would not be that of its host. */
        const ownHosts = Effect.map(direct?.origin ?? Effect.succeed(publicUrl), (files) =>
          [publicUrl, files].map((url) => new URL(url).host)
        )

        // Callers share a load: the hang-up of the first one does not end it.
        const load = Effect.fnUntraced(
          function* (client_id: string) {
            const wrong = fault(client_id) ?? outgoing.target(client_id).refusal
            if (wrong !== undefined) return yield* unusable(`The client id: ${wrong}`)
            if ((yield* ownHosts).includes(new URL(client_id).host)) {
              return yield* unusable("The client id is an address of this server")
            }
            const response = yield* outgoing
              .request({ url: client_id, method: "GET", headers: { accept: "application/json" }, timeout, maxBytes })
              .pipe(Effect.catch(({ message }) => Effect.fail(unusable(`The document of the client: ${message}`))))
            const { body, headers, isCut, status } = response
            if (status !== 200) return yield* unusable(`The document of the client has the status ${status}`)
            if (isCut) return yield* unusable(`The document of the client has more than ${maxBytes} bytes`)
            const value = yield* Effect.try({
              try: () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)) as { client_id?: unknown },
              catch: () => unusable("The document of the client is not JSON")
            })
            const metadata = yield* ClientMetadata.read(value)
            // As texts: a URL that only leads to the same place is another client.
            if (value.client_id !== client_id)
              return yield* unusable("The document of the client has another client_id")
            return { metadata, seconds: freshness(headers["cache-control"]) }
          },
          reading.withPermits(1),
          Effect.uninterruptible
        )

        const documents = yield* Cache.makeWith(load, {
          capacity,
          timeToLive: (exit) => `${Exit.isSuccess(exit) ? exit.value.seconds : life.failed} seconds`
        })

        return ClientDocuments.of({
          get: traced("ClientDocuments.get")((client_id: string) =>
            Effect.map(Cache.get(documents, client_id), ({ metadata }) => metadata)
          )
        })
      })
    )
}
