import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { KeyRequest, keyRequestList } from "../../../../services/activity/KeyRequest.ts"
import {
  ApiKey,
  ApiKeyCreate,
  apiKeyList,
  ApiKeyRotate,
  ApiKeyUpdate,
  ApiKeyWithSecret
} from "../../../../services/identity/ApiKey.ts"
import { writes } from "../Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "../Envelopes.ts"
import { describing, listing, operations, passwordRequired } from "../Operation.ts"

// Reading needs the role that may create keys: below it there are none to see.
const read = operations(writes("keys:read"))
const write = operations(writes("keys:write"))

export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ApiKey) }).annotateMerge(
      read(
        "listApiKeys",
        "List API keys",
        "Owners and admins see all keys of the workspace, editors their own. The secrets are not included.",
        listing(apiKeyList)
      )
    ),
    HttpApiEndpoint.post("create", "/", {
      payload: ApiKeyCreate,
      success: ApiKeyWithSecret.pipe(created)
    }).annotateMerge(
      write(
        "createApiKey",
        "Create an API key",
        `Only this response has the secret. Without \`scopes\` the key gets all scopes that the caller may grant; others are refused with \`scope_not_grantable\`. A key created with an API key that expires, or with a replaced secret, expires with it or earlier. A key has the current role of its creator, and ends when the creator leaves the workspace. A user has at most 100 valid keys; the last 100 ended keys stay in the list. ${passwordRequired.text}`,
        { codes: [...passwordRequired.codes, "scope_not_grantable", "quota_exceeded", "unresolved_reference"] }
      )
    ),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ApiKey }).annotateMerge(
      read("getApiKey", "Get an API key", "`last_used_at` is the time of the last successful request.")
    ),
    HttpApiEndpoint.get("requests", "/:id/requests", {
      params: id,
      query: page,
      success: list(KeyRequest)
    }).annotateMerge(
      read(
        "listKeyRequests",
        "List requests of an API key",
        "Lists the last 1000 requests that were sent with the key, also refused ones, about a second after their responses. Bodies and headers are not kept. The list ends with the key, or 90 days after its last request. The operator can switch it off (`KEY_REQUESTS`).",
        listing(keyRequestList)
      )
    ),
    HttpApiEndpoint.patch("update", "/:id", { params: id, payload: ApiKeyUpdate, success: ApiKey }).annotateMerge(
      write(
        "updateApiKey",
        "Change an API key",
        `Changes its name and the notebooks that it reaches; only supplied fields change. Only the creator of a key can change it. Fewer notebooks or rights take effect at once, and end the streams opened with the key. For more of them the rules of a rotation hold: the caller has all scopes of the key and lives as long as it. ${passwordRequired.ofSessions} This is not needed for another name, or for fewer notebooks or rights.`,
        { codes: [...passwordRequired.codes, "scope_not_grantable", "forbidden", "unresolved_reference"] }
      )
    ),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted }).annotateMerge(
      write(
        "deleteApiKey",
        "Delete an API key",
        "Ends the key, and the streams opened with it, at once. If the key has `expires_at`, the webhooks, shares, invitations and keys created with it end too. A secret that a rotation replaced cannot delete keys (403 `forbidden`).",
        { codes: ["forbidden"] }
      )
    ),
    HttpApiEndpoint.post("rotate", "/:id/rotate", {
      params: id,
      payload: optionalBody(ApiKeyRotate),
      success: ApiKeyWithSecret
    }).annotateMerge(
      write(
        "rotateApiKey",
        "Rotate an API key",
        `Creates a new secret, which only this response shows; the old one stays valid for 24 hours. A second rotation ends the oldest secret. Only the creator of a key can rotate it, with a credential that has all scopes of the key. An API key that expires cannot rotate a key that lives longer, and a replaced secret cannot rotate keys (403 \`forbidden\`): sign in, or use the new secret. ${passwordRequired.text}`,
        { codes: [...passwordRequired.codes, "scope_not_grantable", "forbidden"] }
      )
    )
  )
  .prefix("/api-keys")
  .annotateMerge(describing("API keys", "Long-lived credentials for integrations, with a chosen set of scopes.")) {}
