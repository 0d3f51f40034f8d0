/** Reads members of JSON that other programs have written: a member of another type counts as absent. */

export type JsonObject = Readonly<Record<string, unknown>>

export const objectIn = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

export const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

/** A text on one line. */
export const lineOf = (text: string): string =>
  text
    .split("\n")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" ")

/** A time from its milliseconds since 1970, or as text in ISO 8601; undefined if it is none, or in the future. */
export const pastTime = (value: unknown, now: Date): string | undefined => {
  if (typeof value !== "number" && typeof value !== "string") return undefined
  const time = new Date(value)
  const isPast = time.getTime() > 0 && time.getTime() <= now.getTime()
  return isPast ? time.toISOString() : undefined
}
