/** Times that are offered for a reminder, in the time zone of the browser. */

type Preset = "evening" | "tomorrow" | "week"

const at = (from: Date, days: number, hour: number): Date =>
  new Date(from.getFullYear(), from.getMonth(), from.getDate() + days, hour)

/** Days until the next Monday, from 1. */
const toMonday = (now: Date): number => (8 - now.getDay()) % 7 || 7

/** Times after now: this evening unless it is later, tomorrow morning, and Monday morning. */
export const presets = (now: Date): ReadonlyArray<readonly [Preset, Date]> => {
  const all: ReadonlyArray<readonly [Preset, Date]> = [
    ["evening", at(now, 0, 19)],
    ["tomorrow", at(now, 1, 9)],
    ["week", at(now, toMonday(now), 9)]
  ]
  return all.filter(([, time]) => time > now)
}

const two = (part: number): string => String(part).padStart(2, "0")

/** A time as an input of the type `datetime-local` has it. */
export const localInput = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}T${two(time.getHours())}:${two(time.getMinutes())}`
