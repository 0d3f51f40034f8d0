import dayjs, { type Dayjs, type ManipulateType } from "dayjs"
import advancedFormat from "dayjs/plugin/advancedFormat.js"
import timezone from "dayjs/plugin/timezone.js"
import utc from "dayjs/plugin/utc.js"
import { randomUUID } from "node:crypto"

dayjs.extend(utc)
dayjs.extend(timezone)
dayjs.extend(advancedFormat)

/** What built-in variables are made of (contract 5). */
export interface Surroundings {
  readonly millis: number
  readonly timezone: string
  readonly texts: Readonly<Record<"title" | "user.name" | "user.email" | "notebook.name" | "workspace.name", string>>
}

export interface Rendered {
  readonly text: string
  /** Names that nothing is known of, each once, in their order. */
  readonly unresolved: ReadonlyArray<string>
}

/** Moments, with the format that they have when none is given. */
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

/** `{{name}}`, for moments with shifts and a format: `{{date+1d-2h:DD.MM.YYYY}}`. */
const variable = /\{\{[ \t]*([\p{L}_][\p{L}\p{N}_.-]*?)((?:[+-]\d{1,4}[hdwmy])*)[ \t]*(?::([^{}\n]{1,100}))?\}\}/gu

const shifted = (moment: Dayjs, shifts: string): Dayjs => {
  let at = moment
  for (const [, amount, unit] of shifts.matchAll(/([+-]\d{1,4})([hdwmy])/g)) at = at.add(Number(amount), units[unit!]!)
  return at
}

/**
 * The text of a template with its variables in place. Values are inserted as they are, and never looked into again; an
 * unknown variable stays. Undefined when it gets longer than `maxBytes` in UTF-8: it is not made to the end then.
 */
export const render = (
  template: string,
  variables: Readonly<Record<string, string>>,
  { millis, texts, timezone }: Surroundings,
  maxBytes: number
): Rendered | undefined => {
  const now = dayjs(millis).tz(timezone)
  const valueOf = (name: string, shifts: string, format: string | undefined): string | undefined => {
    if (Object.hasOwn(variables, name)) return variables[name]
    if (Object.hasOwn(moments, name)) return shifted(now, shifts).format(format?.trim() ?? moments[name])
    if (shifts !== "" || format !== undefined) return undefined
    if (name === "uuid") return randomUUID()
    return Object.hasOwn(texts, name) ? texts[name as keyof typeof texts] : undefined
  }
  const parts: Array<string> = []
  const unresolved = new Set<string>()
  let bytes = 0
  let end = 0
  const add = (text: string): boolean => {
    parts.push(text)
    bytes += Buffer.byteLength(text)
    return bytes <= maxBytes
  }
  for (const match of template.matchAll(variable)) {
    const [whole, name, shifts, format] = match
    const value = valueOf(name!, shifts!, format)
    if (value === undefined) unresolved.add(name!)
    if (!add(template.slice(end, match.index)) || !add(value ?? whole)) return undefined
    end = match.index + whole.length
  }
  return add(template.slice(end)) ? { text: parts.join(""), unresolved: [...unresolved] } : undefined
}
