import { Context, Effect, Layer } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Access, Authorization } from "../../api/Authorization.ts"

/** The only path under which an endpoint may need no credential (contract 1). */
const open = "/v2/auth/"

/**
 * The endpoints whose rights are not clear: those that require a credential but declare no rights, or the reverse, those
 * outside `/auth` that require no credential, and changes of the whole server that declare no effect.
 */
export const undeclared = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> => {
  const found: Array<string> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const isGuarded = [...middleware].some(({ key }) => key === Authorization.key)
      const access = Context.getOrUndefined(endpoint.annotations, Access)
      const isSilent = access?.scopes.includes("admin:write") === true && access.effect === undefined
      if (isSilent || isGuarded !== (access !== undefined) || (!isGuarded && !endpoint.path.startsWith(open))) {
        found.push(`${endpoint.method} ${endpoint.path}`)
      }
    }
  })
  return found
}

/** Refuses to serve an API with an endpoint whose rights are not declared. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      const found = undeclared(api)
      return found.length === 0 ? Effect.void : Effect.die(new Error(`No right is declared by ${found.join(", ")}`))
    })
  )
