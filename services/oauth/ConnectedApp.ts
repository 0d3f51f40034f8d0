import { Schema } from "effect"
import { asRead } from "../database/TextOrder.ts"
import * as Fields from "../Fields.ts"
import { listOf } from "../lists/ListSpec.ts"
import { appScopes } from "../identity/Scopes.ts"
import { askedReachOf, reachOf } from "../Reach.ts"
import * as Text from "../Text.ts"
import { uriLength } from "./RedirectUris.ts"

const aboutName = { description: "The name that the app gives itself.", examples: ["Claude"] }
const aboutScopes = { description: "What the app may do.", examples: [["notes:read", "notes:write"] as const] }

const AppScope = Text.oneOf(appScopes, "unknown_scope").annotate({ identifier: "AppScope" })

const AppWorkspace = Schema.Struct({
  id: Fields.id("ws", "The workspace's id."),
  name: Schema.NullOr(Fields.text("Its name; null if the user is no longer a member.", "Research"))
}).annotate({ identifier: "AppWorkspace" })

/** An app that the user has connected (contract 4). */
export const ConnectedApp = Schema.Struct({
  id: Fields.ownId("se"),
  name: Schema.String.annotate(aboutName),
  client_id: Fields.text("The URL of the app's own description, or its registration.", "https://example.com/client"),
  scopes: Schema.Array(AppScope).annotate(aboutScopes),
  workspace: AppWorkspace.annotateKey({ description: "The only workspace in which it acts." }),
  notebooks: reachOf("app"),
  user_agent: Schema.NullOr(Fields.userAgent),
  ip: Schema.NullOr(Fields.ip),
  last_active_at: Fields.time("When it was last used."),
  created_at: Fields.createdAt,
  expires_at: Fields.time("When it ends, unless the app refreshes its tokens before.")
}).annotate({ identifier: "ConnectedApp" })
export type ConnectedApp = typeof ConnectedApp.Type

const request = Schema.String.check(Text.characters(8_000)).annotate({
  description: "The query of the address `/oauth/authorize`, to which the app has sent the browser.",
  examples: ["response_type=code&client_id=https%3A%2F%2Fexample.com%2Fclient&redirect_uri=…"]
})

export const AppRequest = Schema.Struct({ request }).annotate({ identifier: "AppRequest" })

/** What an app asks for: the consent page shows it. */
export const AppRequested = Schema.Struct({
  client_id: ConnectedApp.fields.client_id,
  name: ConnectedApp.fields.name,
  known_by: Schema.Literals(["document", "registration", "operator"]).annotate({
    description:
      "How the server knows the app: by a document at the host of `client_id`, by what the app itself has registered, which anyone can claim, or by the operator."
  }),
  redirect_host: Fields.text("The host, or the scheme, to which the browser goes.", "example.com"),
  is_local: Schema.Boolean.annotate({
    description:
      "Whether the browser goes to a program on the user's own machine. Any program there can pretend to be the app."
  }),
  scopes: Schema.Array(AppScope).annotate({ description: "What it asks for.", examples: aboutScopes.examples }),
  refuse_url: Fields.text(
    "The address that the browser goes to if the user refuses.",
    "https://example.com/callback?error=access_denied"
  )
}).annotate({ identifier: "AppRequested" })
export type AppRequested = typeof AppRequested.Type

export const AppConnect = Schema.Struct({
  request,
  scopes: Schema.optionalKey(
    Schema.Array(AppScope)
      .check(Text.notEmpty(), Text.atMost(20))
      .annotate({ description: "What the app gets. Default: all that it asks for.", examples: aboutScopes.examples })
  ),
  workspace_id: Schema.optionalKey(
    Text.Text.annotate(Fields.aboutId("ws", "The workspace in which it acts. Default: the one of this request."))
  ),
  notebooks: askedReachOf("app"),
  current_password: Fields.currentPassword
}).annotate({ identifier: "AppConnect" })
export type AppConnect = typeof AppConnect.Type

export const AppAllowed = Schema.Struct({
  redirect_url: Fields.text(
    "The address that the browser goes to. It has a code, which the app exchanges once within 5 minutes.",
    "https://example.com/callback?code=sfo_…"
  )
}).annotate({ identifier: "AppAllowed" })

/** The apps of a user, of which there are at most 100. */
export const connectedAppList = listOf(ConnectedApp, {
  path: "/me/connected-apps",
  from: `(SELECT s.workspace_id, s.user_id, s.id, s.device_name AS name, s.app ->> 'client_id' AS client_id,
    ARRAY(SELECT json_array_elements_text(s.app -> 'scopes')) AS scopes,
    json_build_object('id', s.app ->> 'workspace_id', 'name', (
      SELECT w.name FROM workspaces w JOIN members m ON m.workspace_id = w.workspace_id AND m.user_id = s.user_id
      WHERE w.workspace_id = s.app ->> 'workspace_id' AND w.deleted_at IS NULL
    )) AS workspace, s.app -> 'notebooks' AS notebooks, s.user_agent, s.ip, s.last_active_at, s.created_at, s.expires_at
    FROM sessions s WHERE s.app IS NOT NULL) a`,
  sort: ["-created_at", "name", "last_active_at"],
  filter: ["id", "name", "client_id", "created_at", "last_active_at"],
  words: ["name"],
  unindexedSorts: ["created_at", "name", "last_active_at"],
  sorts: { name: { sql: asRead("name"), type: "text" } }
})

/** Names the client whose apps an operator ends. */
export const EndApps = Schema.Struct({
  client_id: Text.singleLine(uriLength, {
    description: "The client: the URL of its metadata document, or the id of its registration.",
    examples: ["https://example.com/client"]
  }),
  current_password: Fields.currentPassword
}).annotate({ identifier: "EndApps" })

export const EndedApps = Schema.Struct({
  ended: Fields.count("The number of apps that this request has ended.", 100),
  has_more: Schema.Boolean.annotate({
    description: "Whether users still have apps of the client: send the request again.",
    examples: [true]
  })
}).annotate({ identifier: "EndedApps" })
export type EndedApps = typeof EndedApps.Type
