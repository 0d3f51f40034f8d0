import { stringify } from "yaml"
import type { Converted } from "../Converted.ts"
import { cleaned } from "../Decoding.ts"
import { type Clock, momentOf } from "../WrittenTime.ts"

/** Properties of Notion pages, in any form of export. */

/** Notion's ids at the end of names. */
const id = /(?:^|[\s-])([0-9a-f]{32})$/i

/** A name without its id. */
export const bareName = (name: string): string => name.replace(id, "").trim() || name

export const idIn = (name: string): string | undefined => id.exec(name)?.[1]?.toLowerCase()

const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december"
]

/** Parses `March 1, 2024 3:04 PM`; Notion does not write a zone: it is that of the user. A range, `… → …`, is not a time. */
const timeOf = (text: string, timezone: string): string | undefined => {
  const match =
    /^@?([A-Z][a-z]+) (\d{1,2}), (\d{4})(?: (\d{1,2}):([0-5]\d)(?: ?([AP]M))?)?$/.exec(text.trim()) ??
    /^@?()()(\d{4})\/(\d\d)\/(\d\d)(?: (\d{1,2}):([0-5]\d)(?: ?([AP]M))?)?$/.exec(text.trim())
  if (match === null) return undefined
  const isNumeric = match[1] === ""
  const month = isNumeric ? Number(match[4]) - 1 : months.indexOf(match[1]!.toLowerCase())
  const [day, hour, minute, half] = isNumeric
    ? [match[5], match[6], match[7], match[8]]
    : [match[2], match[4], match[5], match[6]]
  if (month < 0 || month > 11) return undefined
  const hours = half === undefined ? Number(hour ?? 0) : (Number(hour) % 12) + (half === "PM" ? 12 : 0)
  const time = new Date(Date.UTC(Number(match[3]), month, Number(day), hours, Number(minute ?? 0)))
  // A day that does not exist in its month becomes one of the next month.
  if (Number.isNaN(time.getTime()) || time.getUTCDate() !== Number(day)) return undefined
  return hour === undefined ? time.toISOString() : momentOf(time.toISOString().slice(0, -1), timezone)
}

export interface Property {
  readonly name: string
  /** An array for a multi-select. */
  readonly value: string | boolean | ReadonlyArray<string>
  readonly kind?: string
}

const created = /^(?:date )?created(?: (?:time|at|on))?$/i
const updated = /^(?:last )?(?:edited|updated|modified)(?: (?:time|at|on))?$/i

const timeFieldOf = ({ kind, name }: Property): "created_at" | "updated_at" | undefined => {
  if (kind === "created_time" || created.test(name)) return "created_at"
  return kind === "last_edited_time" || updated.test(name) ? "updated_at" : undefined
}

/** Converts properties: tags and times become members of the note, the others front matter. */
export const ofProperties = (properties: ReadonlyArray<Property>, clock: Clock) => {
  const rest: Array<readonly [string, Property["value"]]> = []
  const tags: Array<string> = []
  const times: { created_at?: string; updated_at?: string } = {}
  const problems: Array<Converted["problems"][number]> = []
  for (const property of properties) {
    const { name, value } = property
    if (value === "" || (Array.isArray(value) && value.length === 0)) continue
    if (/^tags?$/i.test(name) && typeof value !== "boolean") {
      const split = typeof value === "string" ? value.split(",") : value
      // Links to rows of another database are not tags.
      if (!split.some((each) => each.includes("]("))) {
        tags.push(...split)
        continue
      }
    }
    const field = typeof value === "string" ? timeFieldOf(property) : undefined
    if (typeof value === "string" && field !== undefined) {
      const time = timeOf(value, clock.timezone)
      // A time in the future is not that of the creation or a change.
      const isPast = time !== undefined && Date.parse(time) <= clock.now.getTime()
      if (isPast && times[field] === undefined) {
        times[field] = time
        continue
      }
      if (!isPast) {
        const message = `The value of "${name}" is not clearly a date in the past; it stays in the text`
        problems.push({ code: "date_not_read", message })
      }
    }
    rest.push([name, value])
  }
  const matter = new Map<string, Property["value"]>()
  for (const [name, value] of rest) {
    // Columns with the same name, or without one, get a number.
    const label = cleaned(name) || "property"
    let key = label
    for (let count = 2; matter.has(key); count++) key = `${label} (${count})`
    matter.set(key, value)
  }
  const head = rest.length === 0 ? "" : `---\n${stringify(Object.fromEntries(matter), { lineWidth: 0 })}---\n`
  return { head, tags, ...times, problems }
}
