import { Effect, References } from "effect"

/**
 * A method with a span of its name (`Notes.archive`), like `Effect.fn(name)`, for a tenth of its price when nobody
 * traces: `Effect.fn` takes stack frames and extends the context on each call.
 *
 * As with `Effect.fnUntraced`, the generator function is made once. `Effect.gen(function*() {…})` inside a method makes
 * one on each call, and V8 gives each its own hidden class in old space: garbage that holds all that the function can
 * see until a full collection. Methods on the path of a request are therefore never written so.
 */
export const traced = (name: string): Effect.fn.Traced =>
  ((body: (...args: ReadonlyArray<unknown>) => any) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber((fiber) => {
        const made = body(...args)
        const effect: Effect.Effect<unknown, unknown, unknown> = Effect.isEffect(made) ? made : Effect.gen(() => made)
        return fiber.getRef(References.TracerEnabled) ? Effect.withSpan(effect, name) : effect
      })) as Effect.fn.Traced
