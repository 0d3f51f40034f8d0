import { Effect } from "effect"
import { NotFound, Unavailable } from "../../../../../services/Errors.ts"
import { Reauthentication } from "../../../../../services/identity/Reauthentication.ts"
import { ProviderSignIns } from "../../../../../services/oidc/ProviderSignIns.ts"
import { UserIdentities } from "../../../../../services/oidc/UserIdentities.ts"
import { Principal } from "../../../../../services/Principal.ts"
import { setSignIn } from "../../pages/SignInCookie.ts"
import * as Respond from "../../responses/Respond.ts"
import * as Handlers from "../Handlers.ts"

export const IdentitiesHttp = Handlers.group(
  "identities",
  { identities: UserIdentities, reauthentication: Reauthentication, signIns: ProviderSignIns },
  ({ identities, reauthentication, signIns }) => {
    /** The browser of this request gets the cookie: no other one can complete what the user has begun. */
    const begin = Effect.fnUntraced(function* (kind: "connect" | "confirm", provider: number) {
      const { credential_id: session_id, home_id: workspace_id, ip, user_id } = yield* Principal
      const { cookie, redirect_url } = yield* Effect.catchTag(
        signIns.begin(provider, { kind, workspace_id, user_id, session_id }, { ip }),
        "SignInRefused",
        ({ reason }) =>
          Effect.fail(
            reason === "unknownProvider"
              ? NotFound.of("provider")
              : new Unavailable({
                  code: "service_unavailable",
                  detail: "The provider cannot be reached",
                  retry_after: 10
                })
          )
      )
      return Respond.value({ redirect_url }, 200, {
        ...Respond.unstored,
        ...setSignIn(yield* Respond.PublicUrl, cookie)
      })
    })
    return {
      list: ({ query }) => Effect.flatMap(identities.list(query), Respond.page),
      connect: Effect.fnUntraced(function* ({ payload }) {
        yield* reauthentication.need(payload.current_password)
        return yield* begin("connect", payload.provider)
      }),
      confirm: ({ payload }) => begin("confirm", payload.provider),
      delete: Effect.fnUntraced(function* ({ params }) {
        yield* identities.delete(params.id, yield* Respond.condition)
        return Respond.deleted(params.id)
      })
    }
  }
)
