import { Context, Effect, Layer, Option } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Access, Authorization } from "../../api/Authorization.ts"

/** Below it, and nowhere else, nobody need have signed in (contract 1). */
const open = "/v2/auth/"

/**
 * The endpoints whose rights are not clear: that ask for a credential and not for what it must allow, or the reverse,
 * or that ask for none outside `/auth`.
 */
export const undeclared = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> => {
  const found: Array<string> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const isGuarded = [...middleware].some(({ key }) => key === Authorization.key)
      const isDeclared = Option.isSome(Context.getOption(endpoint.annotations, Access))
      if (isGuarded !== isDeclared || (!isGuarded && !endpoint.path.startsWith(open))) {
        found.push(`${endpoint.method} ${endpoint.path}`)
      }
    }
  })
  return found
}

/** No API is served in which a right is not declared. */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      const found = undeclared(api)
      return found.length === 0 ? Effect.void : Effect.die(new Error(`No right is declared by ${found.join(", ")}`))
    })
  )
