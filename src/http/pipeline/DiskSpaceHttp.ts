import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { ReadOnly } from "../../api/Idempotency.ts"

/** Signing in and out, and mending a password, also on a full disk. */
const signsIn = (path: string): boolean => path.startsWith("/v2/auth/") && path !== "/v2/auth/register"

/** Whether requests of an endpoint may add to the disk: all that write, except for deletions and signing in. */
export const adds = ({ annotations, method, path }: HttpApiEndpoint.Top): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "DELETE" && !Context.get(annotations, ReadOnly) && !signsIn(path)
