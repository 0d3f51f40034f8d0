import { locale } from "../../ChosenLanguage.ts"
import { sizeOf } from "../../imports/sizeOf.ts"

const minute = 60_000
const day = 1440 * minute

/** A duration in seconds for people. */
const durationOf = (seconds: number): string => {
  const [unit, value] =
    seconds < 1
      ? ["millisecond", seconds * 1000]
      : seconds < 600
        ? ["second", seconds]
        : seconds < 36_000
          ? ["minute", seconds / 60]
          : ["hour", seconds / 3600]
  const digits = value < 10 ? 1 : 0
  const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(locale, style).format(value)
}

const plain = new Intl.NumberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 })

/** A value for people, with its unit if that is bytes or seconds. */
export const valueText = (value: number, unit: string): string =>
  unit === "bytes" ? sizeOf(value) : unit === "seconds" ? durationOf(value) : plain.format(value)

/**
 * Round values from 0 on for the marks of an axis, at most `most` and one more: the last is the maximum or above.
 * `isWhole`: without fractions.
 */
export const valueTicks = (maximum: number, most: number, isWhole: boolean): ReadonlyArray<number> => {
  const least = maximum / most
  const power = 10 ** Math.floor(Math.log10(least > 0 ? least : 1))
  const rounds = [1, 2, 2.5, 5, 10].map((factor) => factor * power)
  const step = rounds.find((each) => each >= least && (!isWhole || Number.isInteger(each))) ?? 1
  const count = Math.max(1, Math.ceil(maximum / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** The times of a chart: at least one step. All have the same length, in milliseconds; the first begins at `from`. */
export interface Steps {
  readonly from: number
  readonly step: number
  readonly count: number
}

/** The local time of a step, as a time in UTC. Steps of days are days of UTC, everywhere. */
const localOf = ({ from, step }: Steps, index: number): number => {
  const at = from + index * step
  return step >= day ? at : at - new Date(at).getTimezoneOffset() * minute
}

const formatOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" })
const clock = formatOf({ hour: "2-digit", minute: "2-digit" })
const date = formatOf({ day: "numeric", month: "short" })
const dateAndClock = formatOf({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })
const month = formatOf({ month: "short" })

/** Periods that begin at round times: a number that grows with each, and the text of its beginning. */
const periods = [
  ...[5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => ({ minutes, format: clock })),
  ...[1, 2, 7, 14].map((days) => ({ minutes: days * 1440, format: date }))
].map(({ format, minutes }) => ({ format, of: (local: number) => Math.floor(local / (minutes * minute)) }))
const months = [1, 2, 3, 6, 12].map((length) => ({
  format: month,
  of: (local: number) => {
    const at = new Date(local)
    return Math.floor((at.getUTCFullYear() * 12 + at.getUTCMonth()) / length)
  }
}))

interface TimeTick {
  readonly index: number
  readonly text: string
}

/** The steps with which a round period of local time begins: those of the shortest period that has at most `most`. */
export const timeTicks = (steps: Steps, most: number): ReadonlyArray<TimeTick> => {
  const locals = Array.from({ length: steps.count }, (_, index) => localOf(steps, index))
  for (const { format, of } of [...periods, ...months]) {
    const ticks = locals.flatMap((local, index) =>
      index > 0 && of(local) !== of(locals[index - 1]!) ? [{ index, text: format.format(local) }] : []
    )
    if (ticks.length <= most) return ticks
  }
  return []
}

/** The time of a step for people. */
export const stepText = (steps: Steps, index: number): string =>
  (steps.step >= day ? date : dateAndClock).format(localOf(steps, index))

/** The path of a line through values, in SVG, with a gap where a value is null. A value between gaps is a dot. */
export const linePath = (
  values: ReadonlyArray<number | null>,
  x: (index: number) => number,
  y: (value: number) => number
): string => {
  let path = ""
  let isOpen = false
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isOpen = false
      continue
    }
    const point = `${x(index).toFixed(1)} ${y(value).toFixed(1)}`
    const isDot = !isOpen && (values[index + 1] ?? null) === null
    path += `${isOpen ? "L" : "M"}${point}${isDot ? "h0" : ""}`
    isOpen = true
  }
  return path
}

/** The index of the step whose place is nearest to a place between 0 and 1. */
export const nearestStep = (place: number, count: number): number =>
  Math.max(0, Math.min(count - 1, Math.round(place * (count - 1))))
