import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as Errors from "../../../services/Errors.ts"
import { BadRequest, Invalid, Unavailable } from "../../../services/Errors.ts"
import type { Principal } from "../../../services/Principal.ts"

/**
 * Checks that every request accepts the media type of the response and has a body that can be read, and, with
 * `Prefer: handling=strict`, that it has no unknown fields or parameters (contract 2).
 */
export class Conventions extends HttpApiMiddleware.Service<Conventions>()("sheaf/api/Conventions", {
  error: [BadRequest, Invalid, Unavailable]
}) {}

/** Whether a body may have as many values as a push. */
export const Extensive = Context.Reference<boolean>("sheaf/api/Extensive", { defaultValue: () => false })

/** The media type of an endpoint's responses. */
export const ResponseType = Context.Reference<string>("sheaf/api/ResponseType", {
  defaultValue: () => "application/json"
})

/** Honours Idempotency-Key on every POST that can change something (contract 2). */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: Principal }>()(
  "sheaf/api/Idempotency",
  { error: Errors.all }
) {}

/** Whether the response has a secret of the request alone. It is not stored: a repetition with the key is 409. */
export const ShownOnce = Context.Reference<boolean>("sheaf/api/ShownOnce", { defaultValue: () => false })

/** Whether a write can be carried out without being stored (contract 2, Dry run). */
export const DryRunnable = Context.Reference<boolean>("sheaf/api/DryRunnable", { defaultValue: () => false })

/** Whether a write has no dry run, but a `preview`. */
export const Previewable = Context.Reference<boolean>("sheaf/api/Previewable", { defaultValue: () => false })

/** A POST that only reads: an Idempotency-Key on it is ignored. */
export const ReadOnly = Context.Reference<boolean>("sheaf/api/ReadOnly", { defaultValue: () => false })
