import type { ProblemCode } from "../../../services/ProblemCodes.ts"

/** The cause of a problem code, and its remedy. */
export interface Explanation {
  readonly status: number
  readonly title: string
  readonly cause: string
  readonly remedy: string
}

const code = (status: number, title: string, texts: Pick<Explanation, "cause" | "remedy">): Explanation => ({
  status,
  title,
  ...texts
})

const restart = "Or start again from the first page, without a cursor."
const signIn = "Sign in again, or create a new API key, and send it as Authorization: Bearer <token>."
const wait = "Wait for the seconds in Retry-After, then send the request again."

/** Every `code` that a problem can have (contract 2), with its title and the text of the page at `type`. */
export const problemCodes: Readonly<Record<ProblemCode, Explanation>> = {
  malformed_json: code(400, "Malformed JSON", {
    cause: "The body is not valid JSON, is not valid UTF-8, or is nested deeper than 100 levels.",
    remedy: "Send one JSON value, encoded in UTF-8."
  }),
  malformed_request: code(400, "Malformed request", {
    cause: "The request violates HTTP and could not be read.",
    remedy: "Check the request line, the headers, the framing of the body, and any proxy in between."
  }),
  invalid_parameter: code(400, "Invalid parameter", {
    cause: "A query or path parameter has an invalid value or, with strict handling, an unknown name.",
    remedy: "Correct the parameter that the detail names."
  }),
  invalid_limit: code(400, "Invalid limit", {
    cause: "The limit is not a whole number in the range that this list allows.",
    remedy: "Send a limit in the range that the detail names, or leave it out."
  }),
  invalid_sort: code(400, "Invalid sort", {
    cause: "The sort parameter names a field that this list cannot be sorted by.",
    remedy: "Use the fields in allowed_fields. A - before a field sorts in descending order."
  }),
  invalid_filter: code(400, "Invalid filter", {
    cause: "The filter has a syntax error, or names a field that this list cannot be filtered by.",
    remedy: "Correct the filter at the offset in position. Use the fields in allowed_fields."
  }),
  invalid_cursor: code(400, "Invalid cursor", {
    cause: "The cursor was not issued by this server, or was changed.",
    remedy: `Send a cursor exactly as it was received. ${restart}`
  }),
  cursor_mismatch: code(400, "Cursor does not match", {
    cause: "The cursor was issued for another path, sort, filter or workspace.",
    remedy: `Send the same parameters as in the request that returned this cursor. ${restart}`
  }),
  invalid_header: code(400, "Invalid header", {
    cause: "A header has an invalid value.",
    remedy: "Correct the header that the detail names."
  }),
  authentication_required: code(401, "Authentication required", {
    cause: "The request has no credential.",
    remedy: "Send an access token or an API key: Authorization: Bearer <token>."
  }),
  invalid_token: code(401, "Invalid token", {
    cause: "The access token or API key is unknown, revoked or mistyped.",
    remedy: signIn
  }),
  token_expired: code(401, "Token expired", {
    cause: "The access token or API key has expired.",
    remedy: "Get a new access token with the refresh token, or create a new API key."
  }),
  token_reused: code(401, "Refresh token reused", {
    cause: "A refresh token was used a second time, so its session was ended for safety.",
    remedy: "Sign in again. If the first use was not yours, change the password."
  }),
  invalid_credentials: code(401, "Invalid credentials", {
    cause: "The e-mail address and password do not match, or the password of the share is wrong.",
    remedy: "Check both, or reset the password."
  }),
  second_factor_required: code(401, "Second factor required", {
    cause: "The password is right, and the account has a second factor.",
    remedy:
      "Send the request again with a code of the authenticator app, or a recovery code, as code; or sign in with a passkey. The member factors names those of the account."
  }),
  invalid_code: code(401, "Invalid code", {
    cause: "The code is wrong, too old, or was used before.",
    remedy: "Wait for the next code of the authenticator app, check the clock of its device, or send a recovery code."
  }),
  invalid_passkey: code(401, "Invalid passkey", {
    cause: "The passkey is unknown here, its signature is wrong, or the request for it is older than five minutes.",
    remedy: "Begin the sign-in again, or use another passkey or the password."
  }),
  insufficient_scope: code(403, "Insufficient scope", {
    cause: "The credential has none of the scopes that this operation requires.",
    remedy: "Use a credential with one of the scopes in required_scopes."
  }),
  insufficient_role: code(403, "Insufficient role", {
    cause:
      "The caller's role in the workspace does not allow this operation, or only the creator of the API key may do it.",
    remedy: "Ask an admin or owner of the workspace, or the creator of the API key."
  }),
  plan_required: code(403, "Plan required", {
    cause: "The workspace's plan does not include this feature.",
    remedy: "Change the workspace to the plan in required_plan."
  }),
  quota_exceeded: code(403, "Quota exceeded", {
    cause:
      "The workspace has reached a limit of its plan, or the user has the maximum number of workspaces or API keys. The member quota names the limit.",
    remedy: "Delete something, or change to a larger plan. Reading and deleting still work."
  }),
  scope_not_grantable: code(403, "Scope cannot be granted", {
    cause:
      "An API key cannot have scopes that the credential creating it lacks, and a credential that expires earlier cannot rotate it.",
    remedy: "Request only scopes that the credential has, or sign in."
  }),
  workspace_mismatch: code(403, "Workspace does not match", {
    cause: "An API key works only in the workspace in which it was created.",
    remedy: "Leave Workspace-Id out, or use a credential of that workspace."
  }),
  sign_up_closed: code(403, "Sign-up closed", {
    cause: "This server accepts new users by invitation only.",
    remedy: "Register with the token of an invitation."
  }),
  password_sign_in_off: code(403, "Passwords switched off", {
    cause: "On this server users sign in by a provider. Passwords do not sign in, and no account has a new one.",
    remedy: "Open the console and sign in by the provider. Programs use an API key."
  }),
  account_suspended: code(403, "Account suspended", {
    cause: "The operator of the server has suspended the account.",
    remedy: "Ask the operator. Nothing of the account is deleted."
  }),
  reauthentication_required: code(403, "Recent sign-in required", {
    cause: "The last sign-in of the session, or its last confirmation, was more than 15 minutes ago.",
    remedy:
      "Confirm with any factor at POST /auth/confirm, or send the request again with the password as current_password."
  }),
  two_factors_required: code(403, "Sign-in with two factors required", {
    cause:
      "The workspace, or the server for its operators, requires a sign-in with two factors, and this session began with a password alone.",
    remedy:
      "Add an authenticator app or a passkey to the account at POST /me/factors, or confirm with one at POST /auth/confirm."
  }),
  invalid_signature: code(403, "Invalid signature", {
    cause: "The signature of the URL is wrong, the URL has expired, or its user left the workspace.",
    remedy: "Fetch the attachment, import or export again: the response has a new URL."
  }),
  forbidden: code(403, "Forbidden", {
    cause: "This caller may not use the operation.",
    remedy: "The detail names the callers that may use it."
  }),
  not_found: code(404, "Not found", {
    cause: "The resource does not exist, is in the trash, or the caller may not see it.",
    remedy: "Check the id and the workspace. A note in the trash can be restored."
  }),
  route_not_found: code(404, "Route not found", {
    cause: "No operation has this path.",
    remedy: "Compare the path with the API description, openapi.json."
  }),
  method_not_allowed: code(405, "Method not allowed", {
    cause: "The path exists, but does not support this method.",
    remedy: "Use a method listed in the Allow header."
  }),
  not_acceptable: code(406, "Not acceptable", {
    cause: "The Accept header excludes every media type that this operation returns.",
    remedy: "Accept one of the types in acceptable, or leave Accept out."
  }),
  request_timeout: code(408, "Request timed out", {
    cause: "The request did not arrive completely in time.",
    remedy: "Send the request again, without pauses."
  }),
  already_exists: code(409, "Already exists", {
    cause: "Another resource already has this name or id.",
    remedy: "Use the existing one, or choose another name."
  }),
  last_owner: code(409, "Last owner", {
    cause: "A workspace cannot be left without an owner.",
    remedy: "Make another member an owner first."
  }),
  invalid_state: code(409, "Invalid state", {
    cause: "The current state of the resource does not allow this operation.",
    remedy: "Read the resource and check its state."
  }),
  attachment_not_ready: code(409, "Attachment not ready", {
    cause: "The bytes of the attachment have not arrived yet.",
    remedy: "Upload them, then send the request again."
  }),
  idempotency_in_progress: code(409, "Request in progress", {
    cause: "A request with this Idempotency-Key is still running.",
    remedy: "Wait a moment, then send the same request with the same key."
  }),
  cursor_expired: code(410, "Cursor expired", {
    cause: "The cursor is older than 24 hours, or from before a restore of the server.",
    remedy: "Continue from resync_cursor; if it is null, pull without a cursor."
  }),
  invitation_expired: code(410, "Invitation expired", {
    cause: "The invitation has expired.",
    remedy: "Ask for a new invitation."
  }),
  share_expired: code(410, "Share expired", {
    cause: "The link has expired.",
    remedy: "Ask the person who shared it for a new link."
  }),
  upload_expired: code(410, "Upload expired", {
    cause: "The upload address has expired, or was used already.",
    remedy: "Start a new upload."
  }),
  restore_window_expired: code(410, "Too late to restore", {
    cause: "The resource was deleted more than 30 days ago.",
    remedy: "It cannot be restored any more."
  }),
  precondition_failed: code(412, "Precondition failed", {
    cause:
      "If-Match or version does not match the current state: the resource has changed meanwhile. Or a proxy that compresses responses has made the ETag weak (W/).",
    remedy:
      "Read the resource again, apply the change to its current state, and send the result. Send a weak ETag without W/."
  }),
  payload_too_large: code(413, "Payload too large", {
    cause:
      "The body has more bytes than limit_bytes. In the results of a push, earlier entries have used these bytes up.",
    remedy: "Send less data, or split it into several requests."
  }),
  unsupported_media_type: code(415, "Unsupported media type", {
    cause: "The body has a media type, charset or encoding that this operation does not support.",
    remedy: "Send application/json in UTF-8, not compressed, unless the operation names another type."
  }),
  range_not_satisfiable: code(416, "Range not satisfiable", {
    cause: "The Range header names only bytes after the end of the file.",
    remedy: "Request bytes within the size in Content-Range, or leave Range out."
  }),
  validation_failed: code(422, "Request validation failed", {
    cause: "The body can be read, but some of its values are invalid.",
    remedy: "Correct the fields that are listed in errors."
  }),
  unknown_field: code(422, "Unknown field", {
    cause: "The request prefers strict handling, and its body has unknown fields.",
    remedy: "Remove the fields that are listed in errors, or leave out Prefer: handling=strict."
  }),
  notebook_cycle: code(422, "Notebook inside itself", {
    cause: "A notebook cannot be moved into itself or a notebook inside it.",
    remedy: "Choose a parent outside the notebook."
  }),
  notebook_depth_exceeded: code(422, "Notebooks too deep", {
    cause: "Notebooks can be nested at most five levels deep, including those inside a moved notebook.",
    remedy: "Choose a parent nearer to the top."
  }),
  unresolved_reference: code(422, "Unresolved reference", {
    cause: "A field refers to a resource that does not exist in this workspace.",
    remedy: "Create that resource first, or refer to an existing one."
  }),
  checksum_mismatch: code(422, "Checksum mismatch", {
    cause: "The SHA-256 of the received bytes differs from sha256.",
    remedy: "Upload the file again."
  }),
  size_mismatch: code(422, "Size mismatch", {
    cause: "The number of received bytes differs from size.",
    remedy: "Upload the whole file again."
  }),
  idempotency_key_reused: code(422, "Idempotency-Key reused", {
    cause: "This Idempotency-Key was used for a request with another query or body.",
    remedy: "Use a new key for each new request."
  }),
  rate_limited: code(429, "Too many requests", {
    cause: "The credential, the workspace or the network has sent more requests than its limit allows.",
    remedy: wait
  }),
  login_throttled: code(429, "Too many log-ins", {
    cause: "Too many log-ins have failed for this e-mail address or from this network.",
    remedy: wait
  }),
  too_many_streams: code(429, "Too many streams", {
    cause: "The credential has the maximum number of open streams.",
    remedy: "Close one of the streams first."
  }),
  headers_too_large: code(431, "Header fields too large", {
    cause: "The request line and headers together are larger than 32 KiB.",
    remedy: "Shorten the URL, or send fewer or shorter headers."
  }),
  internal_error: code(500, "Internal error", {
    cause: "The server has an error.",
    remedy: "Send the request again later. If it fails again, report its request_id to the operator of the server."
  }),
  service_unavailable: code(503, "Service unavailable", {
    cause: "The server is starting or stopping, or cannot reach its database.",
    remedy: wait
  }),
  overloaded: code(503, "Overloaded", {
    cause: "Too much work is waiting, or this request took too long.",
    remedy: wait
  })
}

const explanations: ReadonlyMap<string, Explanation> = new Map(Object.entries(problemCodes))

/** The explanation of a code; undefined if there is no such code. */
export const explanationOf = (code: string): Explanation | undefined => explanations.get(code)
