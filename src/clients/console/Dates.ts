import { locale } from "./ChosenLanguage.ts"

const day = 24 * 60 * 60 * 1000

const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" })
const weekday = new Intl.DateTimeFormat(locale, { weekday: "short" })
const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" })
const dateOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" })
const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: "full" })
const whole = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" })

/** A time in a few letters: the hour of today, the weekday of this week, else the date. */
export const shortDate = (timestamp: string, now = Date.now()): string => {
  const at = new Date(timestamp)
  const today = new Date(now)
  if (at.toDateString() === today.toDateString()) return time.format(at)
  if (now - at.getTime() < 6 * day && at.getTime() < now) return weekday.format(at)
  return (at.getFullYear() === today.getFullYear() ? date : dateOfYear).format(at)
}

export const longDate = (timestamp: string | number): string => whole.format(new Date(timestamp))

/** From one time to another, in as few words as they need. */
export const dateRange = (from: string, to: string): string => whole.formatRange(new Date(from), new Date(to))

/** The day of a time, with its weekday. */
export const longDay = (timestamp: string): string => wholeDay.format(new Date(timestamp))

export const timeOfDay = (timestamp: string): string => time.format(new Date(timestamp))

/** With seconds. */
export const exactDate = (timestamp: string): string => exact.format(new Date(timestamp))
