import { type EventType, eventTypes } from "../EventTypes.ts"

/** Names of a subscription: `note.created`, all of a resource as `note.*`, or all there are as `*`. */
export const patterns: ReadonlyArray<string> = [
  "*",
  ...new Set(eventTypes.map((type) => `${type.slice(0, type.indexOf(".") + 1)}*`)).difference(new Set(["*"])),
  ...eventTypes
]

/** The types that patterns name. */
export const typesOf = (given: ReadonlyArray<string>): ReadonlyArray<EventType> =>
  eventTypes.filter((type) => given.some((pattern) => pattern === "*" || pattern === type || isIn(type, pattern)))

const isIn = (type: EventType, pattern: string): boolean =>
  pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))
