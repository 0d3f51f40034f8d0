import * as Ids from "../Ids.ts"

/** Makes the id of an event, which contains its seq. */
export const eventId = (seq: number): string => `ev_${Ids.base62(seq, 8)}${Ids.random(14)}`

/** The seq in the id of an event, by which the log is read; -1 if it is no such id. */
export const seqOfEvent = (id: string): number =>
  /^ev_[0-9A-Za-z]{22}$/.test(id) ? Ids.fromBase62(id.slice(3, 11)) : -1
