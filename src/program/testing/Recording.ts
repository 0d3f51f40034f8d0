/** Maximum number of entries of a recording: a server for tests may run for long. */
const most = 10_000

/** Adds an entry, and forgets the oldest beyond the maximum. */
export const record = <A>(entries: Array<A>, entry: A): void => {
  entries.push(entry)
  if (entries.length > most) entries.splice(0, entries.length - most)
}

/** A mail that the server sent. */
export interface SentMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** RFC 3339, by the server's clock. */
  readonly created_at: string
}

/** A request of a webhook, as the receiver got it, or would have got it. */
export interface SentDelivery {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The bytes that are signed. */
  readonly raw: string
  /** The same as JSON. */
  readonly body: unknown
  /** The status of the response; null if there was none. */
  readonly status: number | null
}

/** A Web Push message to a device. */
export interface SentPush {
  readonly endpoint: string
  /** Seconds for which the push service keeps it. */
  readonly ttl: number
  readonly urgency: string | null
  readonly topic: string | null
  /** Undefined if the device is not one of `pushDevice()`. */
  readonly payload: unknown
}

/** The recordings of an instance, oldest entry first. */
export interface Recordings {
  readonly mails: Array<SentMail>
  readonly pushes: Array<SentPush>
  readonly deliveries: Array<SentDelivery>
}

/** Returns a function that makes the recordings what they are now. */
export const save = (recordings: Recordings): (() => void) => {
  const { deliveries, mails, pushes } = recordings
  const saved = [mails, pushes, deliveries].map((entries) => [entries as Array<unknown>, [...entries]] as const)
  return () => {
    for (const [entries, before] of saved) entries.splice(0, entries.length, ...before)
  }
}
