import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { notForKeys } from "../../../../services/admin/OperatorProof.ts"
import { adminScopes } from "../../../../services/identity/Scopes.ts"
import { Credentials } from "../../../../services/identity/Credentials.ts"
import { Principal } from "../../../../services/Principal.ts"
import { ReadOnly } from "../../api/Conventions.ts"
import { Access, Authorization, SignedIn, WorkspaceParam } from "../../api/Authorization.ts"
import * as RequestCaller from "./RequestCaller.ts"

export const AuthorizationHttp = Layer.effect(
  Authorization,
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const callerOf = yield* RequestCaller.make

    return Authorization.of({
      bearer: (handler, { credential, endpoint }) => {
        const access = Context.getOrUndefined(endpoint.annotations, Access)
        if (access === undefined) return Effect.die(new Error(`${endpoint.identifier} declares no right`))
        const workspaceParam = Context.get(endpoint.annotations, WorkspaceParam)
        const isOfServer = access.scopes.every((scope) => adminScopes.some((each) => each === scope))
        const isReadOnly = endpoint.method === "GET" || Context.get(endpoint.annotations, ReadOnly)
        const subject = { isOfAccount: access.isOfAccount ?? false, isOfServer, isReadOnly }
        const signedIn = Context.get(endpoint.annotations, SignedIn)
        const refusal: RequestCaller.Refusal = (caller) =>
          signedIn && caller.kind !== "session" ? notForKeys : RequestCaller.refusalOf(caller, access)
        return Effect.withFiber((fiber) => {
          const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
          const inPath =
            workspaceParam === undefined
              ? undefined
              : Context.getUnsafe(fiber.context as Context.Context<HttpRouter.RouteContext>, HttpRouter.RouteContext)
                  .params[workspaceParam]
          return Effect.flatMap(callerOf(credential, request, inPath, refusal, subject), (principal) =>
            Effect.map(Effect.provideService(handler, Principal, principal), (response) => {
              if (response.status < 400) credentials.used(principal)
              return response
            })
          )
        })
      }
    })
  })
)
