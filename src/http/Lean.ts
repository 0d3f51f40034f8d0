import { Context, Effect, Layer } from "effect"
import { Authorization, Problems } from "../api/Authorization.ts"
import { Conventions } from "../api/Conventions.ts"
import { Idempotency } from "../api/Idempotency.ts"

/**
 * Effect copies what stands around a route when it is built into the context of each of its requests. With all services
 * of the program that was a tenth of the time of a read, so they are left out: handlers hold theirs from the start.
 */
const among =
  (isKept: (key: string) => boolean) =>
  <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Layer.effectContext(
      Effect.updateContext(Layer.build(layer), (context: Context.Context<any>) =>
        Context.makeUnsafe(new Map([...context.mapUnsafe].filter(([key]) => isKept(key))))
      )
    ) as Layer.Layer<A, E, R>

/** For the handlers of a group: what they are built from, and the middlewares of their endpoints. */
export const handlers = (...services: ReadonlyArray<Context.Key<any, any>>) => {
  const around = [Authorization, Conventions, Idempotency, Problems]
  const kept = new Set([
    "effect/Scope",
    "effect/Layer/CurrentMemoMap",
    ...[...around, ...services].map(({ key }) => key)
  ])
  return among((key) => kept.has(key))
}

const platform = /^(~?effect\/(FileSystem|Path|Stdio|Terminal|process\/|http\/Etag\/)|sheaf\/(?!http\/))/

/** For the server: settings such as the clock and the loggers, and what the edge of HTTP needs. */
export const server = among((key) => !platform.test(key))
