import { Context, Effect, type Fiber } from "effect"

/**
 * What a request does that waits, for its turn in a queue of its own or for news: until then it was one of a few that are
 * worked on for its caller at a time, and now others may be.
 */
export const GivesWay = Context.Reference<(fiber: Fiber.Fiber<unknown, unknown>) => void>("sheaf/http/GivesWay", {
  defaultValue: () => () => {}
})

export const givingWay = Effect.withFiber((fiber) => {
  fiber.getRef(GivesWay)(fiber)
  return Effect.void
})
