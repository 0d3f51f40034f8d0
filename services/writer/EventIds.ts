import * as Ids from "../Ids.ts"

/** The place in the log is in it. */
export const eventId = (seq: number): string => `ev_${Ids.base62(seq, 8)}${Ids.random(14)}`

/** The seq of an event's id, or -1: the log is read by its own key. */
export const seqOfEvent = (id: string): number =>
  /^ev_[0-9A-Za-z]{22}$/.test(id) ? Ids.fromBase62(id.slice(3, 11)) : -1
