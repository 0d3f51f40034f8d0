import { Effect } from "effect"
import { Invalid } from "../../../../../services/Errors.ts"
import { Reauthentication } from "../../../../../services/identity/Reauthentication.ts"
import { Throttles } from "../../../../../services/limits/Throttles.ts"
import { Authorizations } from "../../../../../services/oauth/Authorizations.ts"
import type { AppRequested } from "../../../../../services/oauth/ConnectedApp.ts"
import { ConnectedApps } from "../../../../../services/oauth/ConnectedApps.ts"
import * as RedirectUris from "../../../../../services/oauth/RedirectUris.ts"
import type { WorkspaceId } from "../../../../../services/Ids.ts"
import { Principal } from "../../../../../services/Principal.ts"
import * as Handlers from "../Handlers.ts"
import * as Respond from "../../responses/Respond.ts"

export const ConnectedAppsHttp = Handlers.group(
  "connectedApps",
  { apps: ConnectedApps, authorizations: Authorizations, reauthentication: Reauthentication, throttles: Throttles },
  ({ apps, authorizations, reauthentication, throttles }) => {
    const checked = Effect.fnUntraced(function* (request: string) {
      yield* throttles.authorization((yield* Principal).ip)
      return yield* Effect.catchTag(
        authorizations.check(new URLSearchParams(request)),
        "OAuthError",
        ({ description }) => Effect.fail(Invalid.field("request", "invalid", `is not valid: ${description}`))
      )
    })
    return {
      list: ({ query }) => Effect.flatMap(apps.list(query), Respond.page),
      describe: Effect.fnUntraced(function* ({ payload }) {
        const requested = yield* checked(payload.request)
        const { client, redirect_uri, scopes } = requested
        const shown: AppRequested = {
          client_id: client.id,
          name: client.name,
          known_by: client.known_by,
          redirect_host: RedirectUris.placeOf(redirect_uri),
          is_local: RedirectUris.isLocal(redirect_uri),
          scopes: scopes as AppRequested["scopes"],
          refuse_url: authorizations.refuse(requested)
        }
        return Respond.secret(shown)
      }),
      connect: Effect.fnUntraced(function* ({ payload }) {
        yield* reauthentication.need(payload.current_password)
        const requested = yield* checked(payload.request)
        const { workspace_id } = yield* Principal
        const redirect_url = yield* authorizations.allow(requested, {
          scopes: payload.scopes ?? requested.scopes,
          workspace_id: (payload.workspace_id as WorkspaceId | undefined) ?? workspace_id,
          notebooks: payload.notebooks ?? null
        })
        return Respond.secret({ redirect_url })
      }),
      get: ({ params }) => Effect.flatMap(apps.get(params.id), (app) => Respond.resource(app)),
      delete: Effect.fnUntraced(function* ({ params }) {
        yield* apps.delete(params.id, yield* Respond.condition)
        return Respond.deleted(params.id)
      })
    }
  }
)
