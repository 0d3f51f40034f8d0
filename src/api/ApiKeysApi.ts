import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ApiKey, ApiKeyCreate, ApiKeyRotate, ApiKeyWithSecret } from "../../services/identity/ApiKey.ts"
import { apiKeyList } from "../../services/identity/ApiKeyList.ts"
import { Access, writes } from "./Authorization.ts"
import { created, Deleted, id, list, optionalBody, page } from "./Envelopes.ts"
import { listing, operation } from "./Operation.ts"

// Whoever may have no keys has none to see either.
const read = writes("keys:read")
const write = writes("keys:write")

export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.get("list", "/", { query: page, success: list(ApiKey) })
      .annotateMerge(
        operation(
          "listApiKeys",
          "List API keys",
          "Owners and admins see all keys of the workspace, editors their own. Secrets are never shown again.",
          listing(apiKeyList)
        )
      )
      .annotate(Access, read),
    HttpApiEndpoint.post("create", "/", { payload: ApiKeyCreate, success: ApiKeyWithSecret.pipe(created) })
      .annotateMerge(
        operation(
          "createApiKey",
          "Create an API key",
          "The secret is in this answer only. Without `scopes` the key gets all that the caller may grant; more than that is refused. An API key that ends, and a secret that was replaced, make keys that end with them at the latest. A key acts with its maker's present role, and ends when they leave the workspace. A user has at most 100 keys that have not ended; of those that have, the last 100 stay in the list.",
          { codes: ["scope_not_grantable", "quota_exceeded"] }
        )
      )
      .annotate(Access, write),
    HttpApiEndpoint.get("get", "/:id", { params: id, success: ApiKey })
      .annotateMerge(operation("getApiKey", "Get an API key", "`last_used_at` is the last request that succeeded."))
      .annotate(Access, read),
    HttpApiEndpoint.make("DELETE")("delete", "/:id", { params: id, success: Deleted })
      .annotateMerge(
        operation("deleteApiKey", "Delete an API key", "Ends the key and the streams that it opened, at once.")
      )
      .annotate(Access, write),
    HttpApiEndpoint.post("rotate", "/:id/rotate", {
      params: id,
      payload: optionalBody(ApiKeyRotate),
      success: ApiKeyWithSecret
    })
      .annotateMerge(
        operation(
          "rotateApiKey",
          "Rotate an API key",
          "Issues a new secret, shown in this answer only; the old one stays valid for 24 hours. A second rotation ends the oldest. Only its maker rotates a key, with every scope that it has. An API key that ends rotates none that outlives it, and a secret that was replaced does not rotate its own key: sign in, or use the new secret.",
          { codes: ["scope_not_grantable"] }
        )
      )
      .annotate(Access, write)
  )
  .prefix("/api-keys")
  .annotateMerge(
    OpenApi.annotations({
      title: "API keys",
      description: "Long-lived credentials for integrations, with a chosen set of scopes."
    })
  ) {}
