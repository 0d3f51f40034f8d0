import dayjs from "dayjs"
import timezonePlugin from "dayjs/plugin/timezone.js"
import utc from "dayjs/plugin/utc.js"

dayjs.extend(utc)
dayjs.extend(timezonePlugin)

/** Parses times as people and programs write them, if they have only one meaning. */

/** The moment and the time zone in which times are read. */
export interface Clock {
  /** Dates after it are not those of a creation or a change, and reminders before it are over. */
  readonly now: Date
  /** The time zone (IANA) of times that state none. */
  readonly timezone: string
}

/** The moment of a local time, such as `2023-07-04T20:15`, in a time zone; undefined if it is not a time. */
export const momentOf = (local: string, timezone: string): string | undefined => {
  if (timezone === "UTC") return iso(`${local}Z`)
  const time = dayjs.tz(local, timezone)
  return time.isValid() ? iso(time.toISOString()) : undefined
}

const isoDate = /^(\d{4})[-/.](\d\d?)[-/.](\d\d?)$|^(\d{4})年(\d\d?)月(\d\d?)日$|^(\d{4})년 (\d\d?)월 (\d\d?)일$/

const two = (digits: string): string => digits.padStart(2, "0")

/** A day, if it exists: JavaScript reads the 31st of February as the 3rd of March. */
const dayOf = (year: string, month: string, day: string): string | undefined => {
  const text = `${year}-${two(month)}-${two(day)}`
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text) ? text : undefined
}

/** Languages whose names of months and days are known. */
const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "hr", "ru", "uk"]

const letters = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{M}]/gu, "")

/** Numbers of months or of days of the week by their names; `first` is a time in the first of them. */
const numbersByName = (kind: "month" | "weekday", first: number, count: number): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  // Names that differ in meaning between languages: a date with one of them is ambiguous.
  const doubtful = new Set<string>()
  const step = (kind === "month" ? 31 : 1) * 86_400_000
  for (const language of languages) {
    for (const style of ["long", "short"] as const) {
      for (const rest of [{}, { day: "numeric" }] as const) {
        const format = new Intl.DateTimeFormat(language, { [kind]: style, ...rest, timeZone: "UTC" })
        for (let number = 0; number < count; number++) {
          const parts = format.formatToParts(first + number * step)
          const name = letters(parts.find(({ type }) => type === kind)?.value ?? "")
          if (found.has(name) && found.get(name) !== number) doubtful.add(name)
          if (name !== "") found.set(name, number)
        }
      }
    }
  }
  for (const name of doubtful) found.delete(name)
  return found
}

let names: Readonly<Record<"month" | "weekday", ReadonlyMap<string, number>>> | undefined
const numberOf = (kind: "month" | "weekday", word: string): number | undefined => {
  names ??= {
    // Each step of 31 days from the third of January falls in the next month.
    month: numbersByName("month", Date.UTC(2024, 0, 3), 12),
    weekday: numbersByName("weekday", Date.UTC(2024, 0, 7), 7)
  }
  const name = letters(word)
  return names[kind].get(kind === "month" && name === "sept" ? "sep" : name)
}

const monthOf = (word: string): string | undefined => {
  const number = numberOf("month", word)
  return number === undefined ? undefined : String(number + 1)
}

/** `March 4th, 2024`, `4. März 2024`, `4 de marzo de 2024`, with or without a day of the week, which must be right. */
const namedDay = (text: string): string | undefined => {
  const [, word = "", rest = ""] = /^(\p{L}+)\.?,? (.*)$/u.exec(text) ?? []
  const weekday = numberOf("weekday", word)
  const day = weekday === undefined ? undefined : spelledDay(rest)
  if (day === undefined) return spelledDay(text)
  return new Date(`${day}T00:00:00Z`).getUTCDay() === weekday ? day : undefined
}

const spelledDay = (text: string): string | undefined => {
  const monthFirst = /^(\p{L}+)\.? (\d\d?)(?:st|nd|rd|th)?,? (\d{4})$/u.exec(text)
  if (monthFirst !== null) {
    const [, name = "", day = "", year = ""] = monthFirst
    const month = monthOf(name)
    return month === undefined ? undefined : dayOf(year, month, day)
  }
  const dayFirst =
    /^(\d\d?)(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:of |de |del )?(\p{L}+)\.?,?[\s-]+(?:de |del )?(\d{4})(?:\s*г\.|\s*р\.)?$/u.exec(
      text
    )
  if (dayFirst === null) return undefined
  const [, day = "", name = "", year = ""] = dayFirst
  const month = monthOf(name)
  return month === undefined ? undefined : dayOf(year, month, day)
}

/** `17/5/2022` and `5/17/2022`: the number that is too large for a month is the day. */
const numberedDay = (text: string): string | undefined => {
  const [, first = "", sign, second = "", year = ""] = /^(\d\d?)([/.-])(\d\d?)\2(\d{4})$/.exec(text) ?? []
  if (sign === undefined) return undefined
  if (Number(first) > 12 || first === second) return dayOf(year, second, first)
  return Number(second) > 12 ? dayOf(year, first, second) : undefined
}

const writtenDay = (text: string): string | undefined => {
  const numbers = isoDate
    .exec(text)
    ?.slice(1)
    .filter((part) => part !== undefined)
  if (numbers !== undefined) return dayOf(numbers[0]!, numbers[1]!, numbers[2]!)
  return namedDay(text) ?? numberedDay(text)
}

const clock =
  /^(.*?\p{L}.*?|.*?\d)(?:T|,?\s+(?:at\s+|um\s+|à\s+)?)(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([ap])?(?:(?<=[ap])\.?m\.?)?\s*(Z|(?:UTC|GMT)?\s?[+-]\d\d:?\d\d(?:\s\([\p{L}\s]+\))?|UTC|GMT)?$/iu

/** An offset from UTC; undefined if none is written. */
const zoneOf = (zone: string): string | undefined => {
  if (zone === "") return undefined
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)/.exec(zone) ?? []
  return sign === undefined ? "Z" : `${sign}${hours}:${minutes}`
}

const hourOf = (hour: number, half: string): number | undefined => {
  if (half === "") return hour <= 23 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0)
}

const textTimeOf = (text: string, timezone: string): string | undefined => {
  const day = writtenDay(text)
  if (day !== undefined) return iso(`${day}T00:00:00Z`)
  const match = clock.exec(text)
  if (match === null) return undefined
  const [, date = "", hour = "", minute = "", second = "00", fraction = "0", half = "", zone = ""] = match
  const written = writtenDay(date.replace(/,$/, "").trim())
  const hours = hourOf(Number(hour), half)
  if (written === undefined || hours === undefined) return undefined
  const local = `${written}T${two(String(hours))}:${minute}:${second}.${fraction.slice(0, 3)}`
  const offset = zoneOf(zone)
  return offset === undefined ? momentOf(local, timezone) : iso(local + offset)
}

const iso = (text: string): string | undefined => {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) || time.getUTCFullYear() < 1 ? undefined : time.toISOString()
}

const compactDate = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?$/

/** `20240105`, `202401051230` or `20240105123000`, as in note ids that are made from a time. */
const compactTimeOf = (digits: string, timezone: string): string | undefined => {
  const [, year = "", month = "", day = "", hour, minute = "00", second = "00"] = compactDate.exec(digits) ?? []
  const date = year === "" ? undefined : dayOf(year, month, day)
  if (date === undefined || hour === undefined) return date === undefined ? undefined : iso(`${date}T00:00:00Z`)
  return Number(hour) > 23 ? undefined : momentOf(`${date}T${hour}:${minute}:${second}`, timezone)
}

/** Seconds or milliseconds since 1970, from about 1980 to 2100: any other number, such as a year, is not a time. */
const epochTimeOf = (value: number): string | undefined => {
  if (value >= 3e8 && value <= 4.1e9) return new Date(value * 1000).toISOString()
  return value >= 6e11 && value <= 4.1e12 ? new Date(value).toISOString() : undefined
}

/** Maximum length in characters: longer values are sentences. */
const longest = 100

/**
 * The time that a value states, if it is unambiguous. A time without an offset is in `timezone`; a day is a day, as its
 * beginning in UTC.
 */
export const timeOf = (value: unknown, timezone: string): string | undefined => {
  if (typeof value === "number") return compactTimeOf(String(value), timezone) ?? epochTimeOf(value)
  if (typeof value !== "string" || value.length > longest) return undefined
  const text = value.trim().replaceAll(/\s+/g, " ")
  return compactTimeOf(text, timezone) ?? textTimeOf(text, timezone)
}
