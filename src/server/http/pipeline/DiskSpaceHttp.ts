import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { ReadOnly } from "../../api/Conventions.ts"

/** Users can sign in, log out and reset a password on a full disk too. */
const signsIn = (path: string): boolean => path.startsWith("/v2/auth/") && path !== "/v2/auth/register"

/** Whether requests to an endpoint may need disk space: all writes except deletions and sign-in. */
export const adds = ({ annotations, method, path }: HttpApiEndpoint.Top): boolean =>
  method !== "GET" && method !== "HEAD" && method !== "DELETE" && !Context.get(annotations, ReadOnly) && !signsIn(path)
