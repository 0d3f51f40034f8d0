import { Effect, Schedule } from "effect"
import { setFlagsFromString } from "node:v8"

/** From here on memory is scarce: more than a busy server takes (285 to 333 MB), and less than it may. */
const scarceBytes = 360 * 1024 * 1024
/**
 * By so much of its size a heap grows where memory is scarce, between two full collections; otherwise V8 decides, by how fast
 * it collects.
 */
const scarcePercent = 10
const lookedEvery = "100 millis"

/**
 * Collects more while memory is scarce. A burst makes each thread's heap grow by a multiple, most of it garbage; all
 * together they took a sixth more. At all times it would cost pulls a fifth.
 */
export const watch: Effect.Effect<never> = Effect.suspend(() => {
  let isScarce = false
  const look = Effect.sync(() => {
    if (process.memoryUsage.rss() > scarceBytes === isScarce) return
    isScarce = !isScarce
    setFlagsFromString(`--heap-growing-percent=${isScarce ? scarcePercent : 0}`)
  })
  return Effect.andThen(Effect.repeat(look, Schedule.spaced(lookedEvery)), Effect.never)
})
