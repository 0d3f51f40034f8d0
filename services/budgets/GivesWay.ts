import { Context, Effect, type Fiber } from "effect"

/** What a request waits for: its turn in a queue of its own, or news, which take as long as they like and are no work. */
type Awaited = "turn" | "news"

/** What a request does that waits: until then it was one of a few that are worked on for its caller at a time. */
export const GivesWay = Context.Reference<(fiber: Fiber.Fiber<unknown, unknown>, awaited: Awaited) => void>(
  "sheaf/http/GivesWay",
  { defaultValue: () => () => {} }
)

const givingWay = (awaited: Awaited) =>
  Effect.withFiber((fiber) => {
    fiber.getRef(GivesWay)(fiber, awaited)
    return Effect.void
  })

export const awaitingTurn = givingWay("turn")
export const awaitingNews = givingWay("news")
