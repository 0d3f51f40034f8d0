const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes
const days = 24 * hours

/** How long after the try before it each one comes (contract 9). */
export const schedule = [
  0,
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours
] as const

/** Each delay is up to so much shorter or longer, so that those who failed together do not come back together. */
const jitter = 0.2
/** A receiver may ask for so much, and no more. */
const longestRetryAfter = days

/** Nothing but failure for so long switches a webhook off. */
export const patience = 5 * days

/** The milliseconds that a `Retry-After` asks for (RFC 9110, section 10.2.3); undefined when it is none. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  // A date names its day; all else that could be read as one is none.
  const isDate = /^[A-Z][a-z]+,? /.test(header)
  const asked = /^\d{1,12}$/.test(header) ? Number(header) * seconds : isDate ? Date.parse(header) - now : NaN
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), longestRetryAfter)
}

/**
 * Milliseconds from a failed try to the next one; undefined after the last. `attempts`: how many were made; `random`:
 * from 0 up to 1.
 */
export const delayAfter = (attempts: number, random: number, retryAfter = 0): number | undefined => {
  const delay = schedule[attempts]
  return delay === undefined ? undefined : Math.max(Math.round(delay * (1 - jitter + 2 * jitter * random)), retryAfter)
}
