import { type EventType, eventTypes } from "../EventTypes.ts"

/** Patterns of a subscription: `note.created`, all types of a resource as `note.*`, or all types as `*`. */
export const patterns: ReadonlyArray<string> = [
  "*",
  ...new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf(".") + 1)}*`)).difference(new Set(["*"])),
  ...eventTypes
]

/** Returns the event types that match patterns. */
export const typesOf = (given: ReadonlyArray<string>): ReadonlyArray<EventType> =>
  eventTypes.filter((type) => given.some((pattern) => pattern === "*" || pattern === type || isIn(type, pattern)))

const isIn = (type: EventType, pattern: string): boolean =>
  pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))
