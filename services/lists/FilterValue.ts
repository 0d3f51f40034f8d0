import { keyOfBoolean, keyOfDate, keyOfNumber } from "../markdown/PropertyKeys.ts"
import type { FilterField, FilterValue, Span } from "./Filter.ts"

/** A value as written. `escaped` has the positions of its characters that were escaped by a backslash. */
export interface Written {
  readonly position: number
  readonly text: string
  readonly escaped: ReadonlySet<number>
  readonly isQuoted: boolean
}

const day = 24 * 3600_000

/** Sorts after the text of every timestamp. */
const endOfTime = "~"

const textOf = (millis: number): string => {
  const text = new Date(millis).toISOString()
  return text.startsWith("+") ? endOfTime : text
}

const written = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$/

/** Parses RFC 3339, with a precision of milliseconds, or a date: its whole day in UTC. */
export const spanOf = (text: string): Span | undefined => {
  const match = written.exec(text)
  if (match === null) return undefined
  const [year, month, date, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number
  ]
  const midnight = new Date(0).setUTCFullYear(year, month - 1, date)
  const calendar = new Date(midnight)
  if (calendar.getUTCMonth() !== month - 1 || calendar.getUTCDate() !== date) return undefined
  if (match[4] === undefined) return { from: textOf(midnight), until: textOf(midnight + day) }
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[8] === "-" ? -1 : 1)
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"))
  const millis = midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fraction - offset
  // Only years of four digits sort correctly as text.
  const from = new Date(millis).toISOString()
  return /^[+-]/.test(from) ? undefined : { from, until: textOf(millis + 1) }
}

/** The key of a bare number, date or boolean, as properties have it; undefined for other texts. */
const typedKey = (text: string): string | undefined => {
  if (text === "true" || text === "false") return keyOfBoolean(text === "true")
  const number = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  // Larger numbers of properties are texts.
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? keyOfNumber(number) : keyOfDate(text)
}

/** Whether the value of a property is `true` or `false`, which have no order. */
export const isBooleanKey = (value: FilterValue): boolean =>
  typeof value === "object" && "from" in value && value.from.startsWith("1")

/** The value in the type of its field, or a text with the expected form. `wildcards`: stars at the ends are such. */
export const valueOf = (field: FilterField, value: Written, wildcards: boolean): FilterValue | string => {
  const { escaped, isQuoted, text } = value
  switch (field.type) {
    case "int":
      return /^-?[0-9]{1,15}$/.test(text) ? Number(text) : "a whole number of at most 15 digits"
    case "boolean":
      return text === "true" ? true : text === "false" ? false : "true or false"
    case "timestamp":
      return spanOf(text) ?? "a timestamp such as 2026-03-01T12:00:00Z, or a date such as 2026-03-01"
    case "date":
      return text.length === "2026-03-01".length && spanOf(text) !== undefined
        ? { text, start: false, end: false }
        : "a date such as 2026-03-01"
    case "enum":
      return field.values.includes(text) ? { text, start: false, end: false } : `one of ${field.values.join(", ")}`
    default: {
      const key = field.type === "property" && !isQuoted && escaped.size === 0 ? typedKey(text) : undefined
      // A day is before its times, which begin with it.
      if (key !== undefined) return { from: key, until: `${key}${endOfTime}` }
      if (text === "" && !isQuoted) return "a value"
      const star = (index: number) => wildcards && text[index] === "*" && !escaped.has(index)
      const start = star(0)
      const end = text.length > 1 && star(text.length - 1)
      return { text: text.slice(start ? 1 : 0, end ? -1 : undefined), start, end: end || (start && text.length === 1) }
    }
  }
}
