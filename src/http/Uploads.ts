import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import type { Source } from "../../services/storage/Blobs.ts"

/** tmp */
export const uploading = <A, E, R>(take: (source: Source) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    take((request.source as IncomingMessage).iterator({ destroyOnReturn: false }))
  )
