const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes
const days = 24 * hours

/** Milliseconds between each attempt and the previous one (contract 9). */
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

/** Maximum share by which a delay is shorter or longer, so that deliveries that failed together spread out. */
const jitter = 0.2
/** Maximum delay in milliseconds that an endpoint may request. */
const longestRetryAfter = days

/** Milliseconds of failures only, after which a webhook is disabled. */
export const maxRetryTime = 5 * days

/** Returns the milliseconds of a `Retry-After` header (RFC 9110, section 10.2.3); undefined if it is not valid. */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  // A date begins with the name of a day. `Date.parse` would accept other texts too.
  const isDate = /^[A-Z][a-z]+,? /.test(header)
  const asked = /^\d{1,12}$/.test(header) ? Number(header) * seconds : isDate ? Date.parse(header) - now : NaN
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), longestRetryAfter)
}

/**
 * Returns the milliseconds from a failed attempt to the next one; undefined after the last. `attempts` is the number of
 * attempts so far, `random` is in [0, 1).
 */
export const delayAfter = (attempts: number, random: number, retryAfter = 0): number | undefined => {
  const delay = schedule[attempts]
  return delay === undefined ? undefined : Math.max(Math.round(delay * (1 - jitter + 2 * jitter * random)), retryAfter)
}
