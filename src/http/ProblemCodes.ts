import type { ProblemCode } from "../../services/ProblemCodes.ts"

/** What a problem of one code means, and what a client does about it. */
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

const restart = "Start the list again without a cursor."
const signIn = "Sign in again, or make a new API key, and send it as Authorization: Bearer <token>."
const wait = "Wait for the seconds of Retry-After, then send the request again."

/** Every `code` that a problem can have (contract 2): the title of its answers, and the page that `type` leads to. */
export const problemCodes: Readonly<Record<ProblemCode, Explanation>> = {
  malformed_json: code(400, "Malformed JSON", {
    cause: "The body is not JSON in valid UTF-8, or it is nested deeper than 100 levels.",
    remedy: "Send one JSON value, encoded in UTF-8."
  }),
  malformed_request: code(400, "Malformed request", {
    cause: "The request breaks the rules of HTTP, so that it could not be read.",
    remedy: "Check the request line, the header fields and the framing of the body, or the proxy in between."
  }),
  invalid_parameter: code(400, "Invalid parameter", {
    cause: "A parameter of the address has a value that it cannot have, or strict handling does not know it.",
    remedy: "Correct the parameter that the detail names."
  }),
  invalid_limit: code(400, "Invalid limit", {
    cause: "The limit is not a whole number within the bounds of this list.",
    remedy: "Send a limit within the bounds that the detail names, or none."
  }),
  invalid_sort: code(400, "Invalid sort", {
    cause: "The sort names a field that this list cannot be sorted by.",
    remedy: "Use fields of allowed_fields, each with - before it for descending order."
  }),
  invalid_filter: code(400, "Invalid filter", {
    cause: "The filter cannot be understood, or names a field that cannot be filtered by.",
    remedy: "Correct the filter at position, with fields of allowed_fields."
  }),
  invalid_cursor: code(400, "Invalid cursor", {
    cause: "The cursor is not one that was issued here.",
    remedy: `Send a cursor just as it was received. ${restart}`
  }),
  cursor_mismatch: code(400, "Cursor of another list", {
    cause: "The cursor was issued for another path, sort, filter or workspace.",
    remedy: `Repeat the parameters of the page that the cursor came with. ${restart}`
  }),
  invalid_header: code(400, "Invalid header", {
    cause: "A header field has a value that it cannot have.",
    remedy: "Correct the header field that the detail names."
  }),
  authentication_required: code(401, "Authentication required", {
    cause: "The request carries no credential.",
    remedy: "Send an access token or API key: Authorization: Bearer <token>."
  }),
  invalid_token: code(401, "Invalid token", {
    cause: "The access token or API key is unknown, was revoked, or is misspelt.",
    remedy: signIn
  }),
  token_expired: code(401, "Token expired", {
    cause: "The time of the access token or API key is over.",
    remedy: "Ask for a new one with the refresh token, or make a new API key."
  }),
  token_reused: code(401, "Refresh token reused", {
    cause: "A refresh token was used a second time, so its session was ended for safety.",
    remedy: "Sign in again. If the first use was not yours, change the password."
  }),
  invalid_credentials: code(401, "Invalid credentials", {
    cause: "The e-mail address and password, or the password of a share, do not fit.",
    remedy: "Check both, or ask for a new password."
  }),
  insufficient_scope: code(403, "Insufficient scope", {
    cause: "The credential carries none of the scopes that this operation needs.",
    remedy: "Use a credential with one of required_scopes."
  }),
  insufficient_role: code(403, "Insufficient role", {
    cause:
      "The caller's role in the workspace does not allow this operation, or it is for the maker of the API key alone.",
    remedy: "Ask an admin or the owner of the workspace; of an API key its maker."
  }),
  plan_required: code(403, "Plan required", {
    cause: "The workspace's plan does not include this feature.",
    remedy: "Change the workspace to the plan that required_plan names."
  }),
  quota_exceeded: code(403, "Quota exceeded", {
    cause:
      "The workspace has used up what its plan includes, or the user owns as many workspaces, or has as many API keys, as they may: quota tells.",
    remedy: "Delete something, or change to a larger plan. Reading and deleting go on."
  }),
  scope_not_grantable: code(403, "Scope cannot be granted", {
    cause:
      "An API key cannot carry more scopes than the credential that asks, nor be renewed by one that ends before it.",
    remedy: "Ask for scopes that the credential has, or sign in."
  }),
  workspace_mismatch: code(403, "Another workspace", {
    cause: "An API key acts only in the workspace in which it was made.",
    remedy: "Leave Workspace-Id out, or use a credential of that workspace."
  }),
  sign_up_closed: code(403, "Sign-up closed", {
    cause: "This installation takes new users by invitation only.",
    remedy: "Register with the token of an invitation."
  }),
  invalid_signature: code(403, "Invalid signature", {
    cause: "The address is not one that this server signed for this, or its time is over.",
    remedy: "Ask for the attachment again: its `url` is signed anew."
  }),
  forbidden: code(403, "Forbidden", {
    cause: "The operation is not open to this caller.",
    remedy: "The detail says to whom it is."
  }),
  not_found: code(404, "Not found", {
    cause: "There is no such resource, it is in the trash, or it is not the caller's to see.",
    remedy: "Check the id and the workspace; a note in the trash can be restored."
  }),
  route_not_found: code(404, "Route not found", {
    cause: "No operation has this address.",
    remedy: "Compare the address with the API description, openapi.json."
  }),
  method_not_allowed: code(405, "Method not allowed", {
    cause: "The address is right, but it does not know this method.",
    remedy: "Use a method of the Allow header."
  }),
  not_acceptable: code(406, "Not acceptable", {
    cause: "The Accept header excludes every media type that this operation answers with.",
    remedy: "Accept one of the types that the detail names, or leave Accept out."
  }),
  request_timeout: code(408, "Request timed out", {
    cause: "The request did not arrive whole in time.",
    remedy: "Send it again without pauses."
  }),
  already_exists: code(409, "Already exists", {
    cause: "Another resource has this name or id already.",
    remedy: "Use the one that exists, or choose another name."
  }),
  last_owner: code(409, "Last owner", {
    cause: "A workspace cannot be left without an owner.",
    remedy: "Make another member owner first."
  }),
  invalid_state: code(409, "Invalid state", {
    cause: "The resource is not in a state in which this can be done.",
    remedy: "Read the resource, and act on its present state."
  }),
  attachment_not_ready: code(409, "Attachment not ready", {
    cause: "The bytes of the attachment have not arrived yet.",
    remedy: "Upload them, then ask again."
  }),
  idempotency_in_progress: code(409, "Request in progress", {
    cause: "A request with this Idempotency-Key is still running.",
    remedy: "Wait a moment, then send the same request with the same key."
  }),
  cursor_expired: code(410, "Cursor expired", {
    cause: "The cursor is older than it may be.",
    remedy: "Go on from resync_cursor; when it is null, pull without a cursor."
  }),
  invitation_expired: code(410, "Invitation expired", {
    cause: "The time of the invitation is over.",
    remedy: "Ask for it to be sent again."
  }),
  share_expired: code(410, "Share expired", {
    cause: "The time of the share link is over.",
    remedy: "Ask its owner for a new link."
  }),
  upload_expired: code(410, "Upload expired", {
    cause: "The upload address is too old, or was used already.",
    remedy: "Begin a new upload."
  }),
  restore_window_expired: code(410, "Too late to restore", {
    cause: "The note has been in the trash, or the workspace deleted, for longer than 30 days.",
    remedy: "It cannot be brought back."
  }),
  precondition_failed: code(412, "Precondition failed", {
    cause: "If-Match or version names another state than the current one: someone changed the resource meanwhile.",
    remedy: "Read it again, apply the change to what it is now, and send that."
  }),
  payload_too_large: code(413, "Payload too large", {
    cause: "The body has more bytes than limit_bytes; in the results of a push, the entries before have used them up.",
    remedy: "Send less, or divide it over several requests."
  }),
  unsupported_media_type: code(415, "Unsupported media type", {
    cause: "The body is of a media type, charset or encoding that this operation does not read.",
    remedy: "Send application/json in UTF-8, not compressed, unless the operation names another type."
  }),
  range_not_satisfiable: code(416, "Range not satisfiable", {
    cause: "The Range header asks for nothing but bytes behind the end of the file.",
    remedy: "Ask for bytes within the size that Content-Range names, or leave Range out."
  }),
  validation_failed: code(422, "Request validation failed", {
    cause: "The body can be read, but some of its values are not acceptable.",
    remedy: "Correct the fields that errors names."
  }),
  unknown_field: code(422, "Unknown field", {
    cause: "Strict handling was asked for, and the body has fields that this operation does not know.",
    remedy: "Remove the fields that errors names, or leave out Prefer: handling=strict."
  }),
  notebook_cycle: code(422, "Notebook inside itself", {
    cause: "A notebook cannot be moved into itself or a notebook inside it.",
    remedy: "Choose a parent outside the notebook."
  }),
  notebook_depth_exceeded: code(422, "Notebooks too deep", {
    cause: "Notebooks nest five levels deep at most, those inside a moved one included.",
    remedy: "Choose a parent nearer to the top."
  }),
  unresolved_reference: code(422, "Unresolved reference", {
    cause: "A field names a resource that does not exist here.",
    remedy: "Make that resource first, or name one that exists."
  }),
  checksum_mismatch: code(422, "Checksum mismatch", {
    cause: "The bytes that arrived do not have the announced SHA-256.",
    remedy: "Upload the file again."
  }),
  size_mismatch: code(422, "Size mismatch", {
    cause: "Not as many bytes arrived as were announced.",
    remedy: "Upload the whole file again."
  }),
  idempotency_key_reused: code(422, "Idempotency-Key reused", {
    cause: "This Idempotency-Key belongs to a request with another body.",
    remedy: "Use a new key for each new request."
  }),
  rate_limited: code(429, "Too many requests", {
    cause: "More requests were sent than the plan or the address allows for the time.",
    remedy: wait
  }),
  login_throttled: code(429, "Too many log-ins", {
    cause: "Log-in failed too often for this e-mail or address.",
    remedy: wait
  }),
  too_many_streams: code(429, "Too many streams", {
    cause: "The credential has as many open streams as it may have.",
    remedy: "End one of them first."
  }),
  headers_too_large: code(431, "Header fields too large", {
    cause: "The request line and header fields together are larger than 32 KiB.",
    remedy: "Shorten the address, or send fewer and shorter header fields."
  }),
  internal_error: code(500, "Internal error", {
    cause: "Something went wrong in the server.",
    remedy: "Send the request again later. Tell its request_id to whoever runs this installation."
  }),
  service_unavailable: code(503, "Service unavailable", {
    cause: "The server cannot answer now: it starts, stops, or cannot reach its database.",
    remedy: wait
  }),
  overloaded: code(503, "Overloaded", {
    cause: "More work is waiting than the server takes on, or this took too long.",
    remedy: wait
  })
}

const explanations: ReadonlyMap<string, Explanation> = new Map(Object.entries(problemCodes))

/** What is said of a code that may be none. */
export const explanationOf = (code: string): Explanation | undefined => explanations.get(code)
