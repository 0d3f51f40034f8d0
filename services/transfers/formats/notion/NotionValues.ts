import { stringify } from "yaml"
import type { Converted } from "../Converted.ts"
import { cleaned } from "../Decoding.ts"

/** What pages of Notion say beside their text, in whatever form they were exported. */

/** What its own ids look like, at the end of names. */
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

/** `March 1, 2024 3:04 PM`, as Notion writes a time; its zone is not known. Two of them, `… → …`, are none. */
const timeOf = (text: string): string | undefined => {
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
  // A day that its month does not have would be one of the next month.
  return Number.isNaN(time.getTime()) || time.getUTCDate() !== Number(day) ? undefined : time.toISOString()
}

export interface Property {
  readonly name: string
  /** Several of a choice of several. */
  readonly value: string | boolean | ReadonlyArray<string>
  readonly kind?: string
}

const created = /^(?:date )?created(?: (?:time|at|on))?$/i
const updated = /^(?:last )?(?:edited|updated|modified)(?: (?:time|at|on))?$/i

const timeFieldOf = ({ kind, name }: Property): "created_at" | "updated_at" | undefined => {
  if (kind === "created_time" || created.test(name)) return "created_at"
  return kind === "last_edited_time" || updated.test(name) ? "updated_at" : undefined
}

/** Properties as a note has them: tags and times where they are that, the others as front matter. */
export const ofProperties = (properties: ReadonlyArray<Property>, now: Date) => {
  const rest: Array<readonly [string, Property["value"]]> = []
  const tags: Array<string> = []
  const times: { created_at?: string; updated_at?: string } = {}
  const problems: Array<Converted["problems"][number]> = []
  for (const property of properties) {
    const { name, value } = property
    if (value === "" || (Array.isArray(value) && value.length === 0)) continue
    if (/^tags?$/i.test(name) && typeof value !== "boolean") {
      const split = typeof value === "string" ? value.split(",") : value
      // Links to rows of another database are no tags.
      if (!split.some((each) => each.includes("]("))) {
        tags.push(...split)
        continue
      }
    }
    const field = typeof value === "string" ? timeFieldOf(property) : undefined
    if (typeof value === "string" && field !== undefined) {
      const time = timeOf(value)
      // What is still to come did not make the note.
      const isPast = time !== undefined && Date.parse(time) <= now.getTime()
      if (isPast && times[field] === undefined) {
        times[field] = time
        continue
      }
      if (!isPast) {
        const message = `What "${name}" says is not clear as a date of the past; it stays in the text`
        problems.push({ code: "date_not_read", message })
      }
    }
    rest.push([name, value])
  }
  const matter = new Map<string, Property["value"]>()
  for (const [name, value] of rest) {
    // Columns of one name, or of none, are told apart.
    const label = cleaned(name) || "property"
    let key = label
    for (let count = 2; matter.has(key); count++) key = `${label} (${count})`
    matter.set(key, value)
  }
  const head = rest.length === 0 ? "" : `---\n${stringify(Object.fromEntries(matter), { lineWidth: 0 })}---\n`
  return { head, tags, ...times, problems }
}
