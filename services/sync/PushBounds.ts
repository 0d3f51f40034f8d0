import { FairQueue } from "../budgets/FairQueue.ts"
import { TooLarge } from "../Errors.ts"

/** So many bytes of records one push may read and answer with; whatever entries are left then are to be sent again. */
export const maxHeld = 32 * 1024 * 1024

/** So many bytes of records are read at a time, while a push goes on. */
export const maxAhead = 4 * 1024 * 1024
/** A text whose size nobody has noted, such as that of a note in the trash or of an earlier version, counts for so much. */
export const unknownBytes = 64 * 1024

/** The records of so few entries are read at once, whatever their size. */
export const few = 4

export const heldEnough = new TooLarge({
  code: "payload_too_large",
  detail: "This push has reached its limit: send this change again in another push",
  extra: { limit_bytes: maxHeld }
})

/** Pushes about more than is read at a time: together they hold what two of them may. */
export const largePushes = () =>
  new FairQueue({
    concurrency: 2,
    concurrencyPerKey: 1,
    maxWaitingPerKey: 20,
    maxWaiting: 200,
    maxWait: "15 seconds",
    detail: "Too many large pushes are waiting"
  })

/** Whether a value holds more than so many others: each costs a schema far more than its bytes. */
export const hasMany = (value: unknown, most: number): boolean => {
  let left = most
  const look = (value: unknown): boolean => {
    if (--left < 0) return true
    return typeof value === "object" && value !== null && Object.values(value).some(look)
  }
  return look(value)
}
