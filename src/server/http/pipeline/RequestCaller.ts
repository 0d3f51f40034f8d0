import { Clock, Effect, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Errors from "../../../../services/Errors.ts"
import * as Ids from "../../../../services/Ids.ts"
import { ChangeSets } from "../../../../services/changesets/ChangeSets.ts"
import { type Credential, Credentials } from "../../../../services/identity/Credentials.ts"
import { Limits } from "../../../../services/limits/Limits.ts"
import { UsageCounters } from "../../../../services/activity/UsageCounters.ts"
import { Throttles } from "../../../../services/limits/Throttles.ts"
import { isAtLeast, type PrincipalShape } from "../../../../services/Principal.ts"
import { Plans } from "../../../../services/workspaces/Plans.ts"
import type { AccessRule } from "../../api/Authorization.ts"
import { Admission } from "../server/Admission.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import * as RateLimit from "./RateLimitHttp.ts"
import { stateOf } from "../server/RequestState.ts"

const missing = new Errors.Unauthorized({
  code: "authentication_required",
  detail: "Send an access token or API key: Authorization: Bearer <token>"
})

const noWorkspace = Errors.NotFound.of("workspace")

const mismatch = new Errors.Forbidden({
  code: "workspace_mismatch",
  detail: "An API key works only in the workspace in which it was created, and an app in the one that was chosen for it"
})

const oneFactor = (subject: string) =>
  new Errors.Forbidden({
    code: "two_factors_required",
    detail: `${subject} a sign-in with two factors: add one at POST /me/factors, or confirm with one at POST /auth/confirm`
  })
const workspaceBarred = oneFactor("This workspace needs")
const serverBarred = oneFactor("Operators of this server need")

const wrongDevice = new Errors.BadRequest({
  code: "invalid_header",
  detail: "Device-Id must be sy_ and 16 to 40 of [0-9A-Za-z_-]"
})

const wrongChangeSet = new Errors.BadRequest({
  code: "invalid_header",
  detail: "Change-Set must be cs_ and 16 to 40 of [0-9A-Za-z_-]"
})

/** The refusal of a limited credential: no scope is enough. */
const tooFar = new Errors.Forbidden({
  code: "insufficient_scope",
  detail: "This needs a credential that reaches the whole workspace",
  extra: { required_scopes: [] }
})

/** The refusal of a caller that lacks the scopes or the role in the workspace of the call (contract 4). */
export const refusalOf = (
  principal: Pick<PrincipalShape, "reach" | "role" | "scopes">,
  { isWithinReach, role, scopes }: AccessRule
): Errors.Forbidden | undefined => {
  if (principal.reach !== undefined && isWithinReach !== true) return tooFar
  if (!scopes.some((scope) => principal.scopes.has(scope))) {
    return new Errors.Forbidden({
      code: "insufficient_scope",
      detail: `One of these scopes is needed: ${scopes.join(", ")}`,
      extra: { required_scopes: scopes }
    })
  }
  if (!isAtLeast(principal.role, role)) {
    return new Errors.Forbidden({
      code: "insufficient_role",
      detail: `At least the role ${role} is needed`,
      extra: { required_role: role }
    })
  }
  return undefined
}

/** The workspace that a request names. An invalid id, which PostgreSQL may refuse, becomes one that does not exist. */
const named = (id: string | undefined): Ids.WorkspaceId | undefined =>
  id === undefined || Ids.isClientMade("ws", id) ? id : "ws_none"

/** The refusal of a caller without the rights that a request needs, if any. */
export type Refusal = (caller: Credential) => Errors.Forbidden | undefined

/** What a request is about other than a workspace. */
export interface Subject {
  /** The account of the caller: the requirements of a workspace do not apply. */
  readonly isOfAccount?: boolean
  /** The whole server: the header names no workspace, which may be gone. */
  readonly isOfServer?: boolean
  /** It changes no records, so that its change set needs no check. */
  readonly isReadOnly?: boolean
}

/**
 * Makes the function that identifies the caller of a request: checks the credential, counts the request against the rate
 * limits, and refuses a caller without the rights. `inPath` is the workspace that the path names.
 */
export const make = Effect.gen(function* () {
  const credentials = yield* Credentials
  const throttles = yield* Throttles
  const limits = yield* Limits
  const plans = yield* Plans
  const usage = yield* UsageCounters
  const addressOf = yield* ClientAddress
  const admission = yield* Admission
  const changeSets = yield* ChangeSets

  return Effect.fnUntraced(function* (
    secret: Redacted.Redacted,
    request: HttpServerRequest.HttpServerRequest,
    inPath: string | undefined,
    refusal: Refusal,
    { isOfAccount = false, isOfServer = false, isReadOnly = false }: Subject = {}
  ) {
    if (Redacted.value(secret) === "") return yield* missing
    const { headers } = request
    const inHeader = isOfServer ? undefined : headers["workspace-id"]
    const ip = addressOf(request)
    const known = yield* Effect.tapError(credentials.authenticate(secret, named(inPath ?? inHeader)), (error) =>
      // An expired credential is not a guess.
      error._tag === "Unauthorized" && error.code === "invalid_token" ? throttles.failedAuthentication(ip) : Effect.void
    )
    admission.know(Redacted.value(secret), known.user_id)
    // A request to a workspace of which the caller is not a member does not count against that workspace.
    const counted = known.isMember ? known.workspace_id : known.home_id
    if (known.isMember) stateOf(request.source).credential = known
    yield* RateLimit.take(limits, request, known.credential_id, counted, plans.limits[known.plan].requests_per_minute)
    if (known.isMember) usage.count(known.workspace_id)
    if (known.kind !== "session") {
      if (inHeader !== undefined && inHeader !== known.workspace_id) return yield* mismatch
      if (inPath !== undefined && inPath !== known.workspace_id) return yield* noWorkspace
    }
    if (!known.isMember) return yield* noWorkspace
    if (
      isOfServer &&
      known.serverBarredFrom !== Infinity &&
      known.serverBarredFrom <= (yield* Clock.currentTimeMillis)
    ) {
      return yield* serverBarred
    }
    const isFree = isOfServer || isOfAccount || known.workspaceBarredFrom === Infinity
    if (!isFree && known.workspaceBarredFrom <= (yield* Clock.currentTimeMillis)) return yield* workspaceBarred
    const refused = refusal(known)
    if (refused !== undefined) return yield* refused
    // A session has its device.
    const device = known.device_id === null ? headers["device-id"] : undefined
    if (device !== undefined && !Ids.isClientMade("sy", device)) return yield* wrongDevice
    const isForeign = device !== undefined && (yield* credentials.isForeignDevice(known, device))
    const set = headers["change-set"]
    if (set !== undefined && !Ids.isClientMade("cs", set)) return yield* wrongChangeSet
    if (set !== undefined && !isReadOnly) yield* changeSets.check(known, set)
    // Member by member: a copy by rest and spread takes fifteen times as long.
    const principal: PrincipalShape = {
      kind: known.kind,
      credential_id: known.credential_id,
      user_id: known.user_id,
      home_id: known.home_id,
      workspace_id: known.workspace_id,
      role: known.role,
      reach: known.reach,
      plan: known.plan,
      digest: known.digest,
      scopes: known.scopes,
      expires_at: known.expires_at,
      device_id: known.device_id ?? (isForeign ? null : (device ?? null)),
      app: known.app,
      change_set: set === undefined ? undefined : { id: set, origin: "header" },
      names_foreign_device: isForeign,
      ip,
      user_agent: headers["user-agent"] ?? null
    }
    return principal
  })
})
