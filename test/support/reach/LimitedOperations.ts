import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Access } from "../../../src/server/api/Authorization.ts"
import { Api } from "../../../src/server/api/Api.ts"

export interface LimitedOperation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly scopes: ReadonlyArray<string>
}

/** The operations that follow the reach of a limited credential, from the API itself. */
export const limitedOperations = (): ReadonlyArray<LimitedOperation> => {
  const found: Array<LimitedOperation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const rule = Context.getOrUndefined(endpoint.annotations, Access)
      if (rule?.isWithinReach !== true) return
      const name = Context.getOrUndefined(endpoint.annotations, OpenApi.Identifier)!
      found.push({ name, method: endpoint.method, path: endpoint.path.replace(/^\/v2/, ""), scopes: rule.scopes })
    }
  })
  return found
}
