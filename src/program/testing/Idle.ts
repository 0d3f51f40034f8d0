import { Clock, Data, Duration, Effect } from "effect"
import { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import { closely, LeapClock, millisOf, settled } from "./LeapClock.ts"

/** Work that becomes due within this share of a move of the clock is done together. */
const share = 1 / 100

/** Background work has not ended in time; the message names it. */
export class NotIdle extends Data.TaggedError("NotIdle")<{ readonly message: string }> {}

/** Lets callbacks and sockets continue. */
const turn = Effect.promise(() => new Promise<void>((done) => setTimeout(done, 1)))

/**
 * Waits until no background work of this node is running or due. Returns when the next of it is due, in Unix
 * milliseconds; Infinity if nothing waits. Fails if that takes longer than `patience`, in real time.
 */
export const idle = Effect.fnUntraced(function* (patience: Duration.Input = "1 minute") {
  const { parts } = yield* BackgroundWork
  const deadline = performance.now() + Duration.toMillis(patience)
  let late = parts
  yield* settled
  while (performance.now() < deadline) {
    late = parts.filter(({ isBusy }) => isBusy())
    if (late.length === 0) {
      const now = yield* Clock.currentTimeMillis
      const times = yield* Effect.forEach(parts, ({ nextDue }) => nextDue, { concurrency: "unbounded" })
      late = parts.filter(({ isBusy }, index) => isBusy() || times[index]! <= now)
      if (late.length === 0) return Math.min(...times)
    }
    for (const { runNow } of late) runNow()
    yield* turn
  }
  const names = late.map(({ name }) => name).join(", ")
  const limit = Duration.format(Duration.fromInputUnsafe(patience))
  return yield* new NotIdle({ message: `background work has not ended within ${limit}: ${names}` })
})

const advanceBy = Effect.fnUntraced(function* (total: number) {
  const clock = yield* LeapClock
  // A move that is not possible is refused before anything happens.
  if (!clock.isPossible(total)) return yield* clock.leap(total)
  const end = (yield* Clock.currentTimeMillis) + total
  const leap = total <= closely ? clock.advance : clock.leap
  const step = Math.ceil(total * share)
  let due = yield* idle()
  while (true) {
    const now = yield* Clock.currentTimeMillis
    const next = Math.max(due, now + step)
    if (!(next < end)) break
    yield* leap(next - now)
    due = yield* idle()
  }
  yield* clock.advance(end - (yield* Clock.currentTimeMillis))
  yield* idle()
})

/**
 * Moves the clock, and waits for all background work that becomes due on the way, each at its time or up to a hundredth
 * of the move later. A negative duration sets the clock back. Dies of a move that is not possible.
 */
export const advance = (duration: Duration.Input) =>
  Effect.suspend(() => {
    const total = millisOf(duration)
    return Effect.flatMap(LeapClock, ({ turn }) => turn.withPermit(advanceBy(total)))
  })
