import { isCalendarDate } from "../CalendarDate.ts"
import { folded } from "./LinkText.ts"

/** The places of the values of properties among all values, by bytes: booleans, numbers, dates, texts. */

/** Maximum number of characters of values as they are shown, and of keys. */
export const longestText = 500
const longestKey = 200

/** The first characters of a text. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join("")

/** A text that PostgreSQL can store: escapes in YAML may stand for NUL and for lone surrogates. */
export const storable = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed()

export const keyOfBoolean = (value: boolean): string => `1${value ? 1 : 0}`

/** The bits of a double, changed so that they have the order of numbers. */
export const keyOfNumber = (value: number): string => {
  const bits = new DataView(new ArrayBuffer(8))
  // Zero has no sign here.
  bits.setFloat64(0, value === 0 ? 0 : value)
  const number = bits.getBigUint64(0)
  const ordered = number >> 63n === 0n ? number | (1n << 63n) : BigInt.asUintN(64, ~number)
  return `2${ordered.toString(16).padStart(16, "0")}`
}

const dateAndTime =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:\.(\d{1,9}))?)?[ \t]?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)?)?$/

/**
 * The key of a date, or of a date with a time, which is in UTC unless it has an offset; undefined for other texts. A date
 * is before the times of its day.
 */
export const keyOfDate = (text: string): string | undefined => {
  const found = dateAndTime.exec(text)
  if (found === null) return undefined
  const [, date = "", minute, second = ":00", fraction = "", hours, minutes = "00"] = found
  if (!isCalendarDate(date)) return undefined
  if (minute === undefined) return `3${date}`
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`
  const moment = new Date(`${date}T${minute}${second}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`)
  const iso = Number.isNaN(moment.getTime()) ? "" : moment.toISOString()
  // An offset may lead out of the years with four digits.
  return /^\d{4}-/.test(iso) ? `3${iso}` : undefined
}

/** The key of a text, equal for the same text in another case or Unicode form. */
export const keyOfText = (text: string): string => `4${cut(folded(storable(cut(text, longestText))), longestKey)}`
