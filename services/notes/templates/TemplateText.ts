import dayjs, { type Dayjs, type ManipulateType } from "dayjs"
import advancedFormat from "dayjs/plugin/advancedFormat.js"
import buddhistEra from "dayjs/plugin/buddhistEra.js"
import isoWeek from "dayjs/plugin/isoWeek.js"
import localizedFormat from "dayjs/plugin/localizedFormat.js"
import timezonePlugin from "dayjs/plugin/timezone.js"
import utc from "dayjs/plugin/utc.js"
import weekOfYear from "dayjs/plugin/weekOfYear.js"
import weekYear from "dayjs/plugin/weekYear.js"
import { Effect } from "effect"

// All tokens that Day.js documents for `format`.
for (const plugin of [
  utc,
  timezonePlugin,
  weekOfYear,
  weekYear,
  isoWeek,
  advancedFormat,
  buddhistEra,
  localizedFormat
]) {
  dayjs.extend(plugin)
}

/** Values of the built-in variables (contract 5). */
export interface TemplateContext {
  readonly millis: number
  readonly timezone: string
  /** A Day.js locale: see `dateLocale`. */
  readonly locale: string
  /** Makes the value of each `{{uuid}}`. */
  readonly uuid: () => string
  readonly texts: Readonly<Record<"title" | "user.name" | "user.email" | "notebook.name" | "workspace.name", string>>
}

interface RenderedTemplate {
  readonly text: string
  /** Placeholders without a value, as they are written, each once, in order. */
  readonly unresolved: ReadonlyArray<string>
}

/** Maximum number of placeholders in a template, and of shifts in a placeholder (contract 5). */
export const maxPlaceholders = 1_000
export const maxShifts = 8

/** Number of placeholders that are rendered before other work can run: one may take half a millisecond. */
const placeholdersPerStep = 20

const maxFormat = 100

/** Other years do not have four digits, and most calendars do not cover them. */
const firstYear = 1000
const lastYear = 9999

/** Built-in moments, each with its default format. */
const moments: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD",
  time: "HH:mm",
  datetime: "YYYY-MM-DD HH:mm",
  year: "YYYY",
  month: "MM",
  day: "DD",
  weekday: "dddd"
}

const units: Readonly<Record<string, ManipulateType>> = { h: "hour", d: "day", w: "week", m: "month", y: "year" }

/** Both scans are linear, because a placeholder contains no braces. */
const placeholder = /\{\{([^{}\n]+)\}\}/g
const variableName = /^[\p{L}_][\p{L}\p{N}_.+-]*$/u
const shift = /([+-])(\d{1,4})([hdwmy])/y

interface Placeholder {
  readonly start: number
  readonly end: number
  /** The text before the colon, without surrounding white space. */
  readonly head: string
  readonly format: string | undefined
}

function* placeholdersOf(template: string): Generator<Placeholder> {
  for (const match of template.matchAll(placeholder)) {
    const inner = match[1]!
    const colon = inner.indexOf(":")
    const head = (colon < 0 ? inner : inner.slice(0, colon)).trim()
    if (!variableName.test(head)) continue
    const format = colon < 0 ? undefined : inner.slice(colon + 1).trim()
    yield { start: match.index, end: match.index + match[0].length, head, format }
  }
}

/** `date+1d-2h`: a built-in moment and its shifts. */
const shiftedMoment = /^([a-z]+)((?:[+-]\d+[A-Za-z]+)*)$/

const momentOf = (head: string): { readonly name: string; readonly shifts: string } | undefined => {
  const [, name, shifts] = shiftedMoment.exec(head) ?? []
  return name !== undefined && Object.hasOwn(moments, name) ? { name, shifts: shifts! } : undefined
}

const countShifts = (head: string): number => momentOf(head)?.shifts.match(/[+-]/g)?.length ?? 0

/** Whether a template is within the limits on placeholders and their shifts. */
export const isWithinLimits = (template: string): boolean => {
  let count = 0
  for (const { head } of placeholdersOf(template)) {
    if (++count > maxPlaceholders || countShifts(head) > maxShifts) return false
  }
  return true
}

/** Returns the local time of a time zone as a moment in UTC, so that arithmetic on it follows the calendar. */
const wallClock = (millis: number, timezone: string): Dayjs => {
  const offset = dayjs(millis).tz(timezone).utcOffset()
  return dayjs.utc(millis + offset * 60_000)
}

const instantOf = (wall: Dayjs, timezone: string): Dayjs => dayjs.tz(wall.format("YYYY-MM-DDTHH:mm:ss.SSS"), timezone)

/**
 * Returns now plus the shifts: hours are added to the instant, all other units to the calendar of the time zone.
 * Undefined unless the shifts have a form such as `+1d-2h`.
 */
const shifted = (shifts: string, { millis, timezone }: TemplateContext): Dayjs | undefined => {
  const calendar: Array<readonly [number, ManipulateType]> = []
  let hours = 0
  shift.lastIndex = 0
  while (shift.lastIndex < shifts.length) {
    const match = shift.exec(shifts)
    if (match === null) return undefined
    const amount = Number(match[1] + match[2]!)
    if (match[3] === "h") hours += amount
    else calendar.push([amount, units[match[3]!]!])
  }
  return calendar.reduce((at, [amount, unit]) => at.add(amount, unit), wallClock(millis + hours * 3_600_000, timezone))
}

/** Tokens of the time zone and of the instant, which a local time lacks. Text in brackets is not a token. */
const instantTokens = /\[[^\]]*\]|ZZ?|z{1,3}|X|x/g

const formatted = (wall: Dayjs, format: string, { locale, timezone }: TemplateContext): string => {
  let instant: Dayjs | undefined
  const values = new Map<string, string>()
  const valueOf = (token: string): string => {
    const known = values.get(token)
    if (known !== undefined) return known
    const value = `[${(instant ??= instantOf(wall, timezone)).format(token)}]`
    values.set(token, value)
    return value
  }
  const resolved = format.replaceAll(instantTokens, (token) => (token.startsWith("[") ? token : valueOf(token)))
  return wall.locale(locale).format(resolved)
}

const valueOf = (
  { format, head }: Placeholder,
  variables: Readonly<Record<string, string>>,
  context: TemplateContext
): string | undefined => {
  const moment = momentOf(head)
  const name = moment?.name ?? head
  if (Object.hasOwn(variables, name)) return variables[name]
  if (moment !== undefined) {
    if (format === "" || (format?.length ?? 0) > maxFormat) return undefined
    const at = shifted(moment.shifts, context)
    return at !== undefined && at.year() >= firstYear && at.year() <= lastYear
      ? formatted(at, format ?? moments[name]!, context)
      : undefined
  }
  if (format !== undefined) return undefined
  if (name === "uuid") return context.uuid()
  return Object.hasOwn(context.texts, name) ? context.texts[name as keyof typeof context.texts] : undefined
}

/**
 * Returns the text of a template with values in place of its placeholders: `{{name}}`, or a moment with shifts and a
 * Day.js format, `{{date+1d-2h:DD.MM.YYYY}}`. Values are inserted literally and not expanded. A placeholder without a
 * value stays verbatim. Undefined if the result is longer than `maxBytes` in UTF-8. The template must be within the
 * limits above.
 */
export const render = Effect.fnUntraced(function* (
  template: string,
  variables: Readonly<Record<string, string>>,
  context: TemplateContext,
  maxBytes: number
): Effect.fn.Return<RenderedTemplate | undefined> {
  const parts: Array<string> = []
  const unresolved = new Set<string>()
  /** Values by placeholder: equal placeholders have equal values, except for a UUID. */
  const known = new Map<string, string | undefined>()
  let bytes = 0
  let end = 0
  let count = 0
  const add = (text: string): boolean => {
    parts.push(text)
    bytes += Buffer.byteLength(text)
    return bytes <= maxBytes
  }
  for (const each of placeholdersOf(template)) {
    if (++count % placeholdersPerStep === 0) yield* Effect.yieldNow
    const written = template.slice(each.start, each.end)
    const value = known.has(written) ? known.get(written) : valueOf(each, variables, context)
    if (each.head !== "uuid") known.set(written, value)
    if (value === undefined) unresolved.add(each.head)
    if (!add(template.slice(end, each.start)) || !add(value ?? written)) return undefined
    end = each.end
  }
  return add(template.slice(end)) ? { text: parts.join(""), unresolved: [...unresolved] } : undefined
})

/** Returns the names that Day.js may have for the locale of a user, most specific first. */
const namesOf = (tag: string): ReadonlyArray<string> => {
  const { language, region, script } = new Intl.Locale(tag)
  const likely = new Intl.Locale(tag).maximize()
  return [
    [language, region],
    [language, script],
    [language, likely.script],
    [language === "zh" ? language : undefined, likely.region],
    [language === "no" ? "nb" : language]
  ]
    .filter((parts) => !parts.includes(undefined))
    .map((parts) => parts.join("-").toLowerCase())
}

/** Returns the Day.js locale for a BCP 47 tag; English if Day.js has none. */
export const dateLocale = (tag: string): Effect.Effect<string> => {
  const names = namesOf(tag)
  if (names[0] === "en" || names[0] === "en-us") return Effect.succeed("en")
  return Effect.map(
    // 140 files that most servers never need.
    Effect.promise(() => import("./DateLocales.ts")),
    ({ dateLocales }) => names.find((name) => dateLocales.has(name)) ?? "en"
  )
}
