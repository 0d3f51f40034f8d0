import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as Errors from "../../services/Errors.ts"
import type { Principal } from "../../services/Principal.ts"

/** Honours Idempotency-Key on every POST that can change something (contract 2). */
export class Idempotency extends HttpApiMiddleware.Service<Idempotency, { requires: Principal }>()(
  "sheaf/api/Idempotency",
  { error: Errors.all }
) {}

/** A POST that only reads: an Idempotency-Key on it is ignored. */
export const ReadOnly = Context.Reference<boolean>("sheaf/api/ReadOnly", { defaultValue: () => false })
