import { Effect, References } from "effect"

/**
 * A method with a span of its name (`Notes.archive`), like `Effect.fn(name)`, at a tenth of the cost when tracing is off:
 * `Effect.fn` captures stack frames and extends the context on each call.
 *
 * As with `Effect.fnUntraced`, the generator function is made once. `Effect.gen(function*() {…})` inside a method makes
 * one on each call, and V8 gives each its own hidden class in old space: garbage that keeps everything in the scope of
 * the function alive until a full collection. Methods on the path of a request therefore never use it.
 */
export const traced = (name: string): Effect.fn.Traced =>
  ((body: (...args: ReadonlyArray<unknown>) => any) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber((fiber) => {
        const made = body(...args)
        const effect: Effect.Effect<unknown, unknown, unknown> = Effect.isEffect(made) ? made : Effect.gen(() => made)
        return fiber.getRef(References.TracerEnabled) ? Effect.withSpan(effect, name) : effect
      })) as Effect.fn.Traced
