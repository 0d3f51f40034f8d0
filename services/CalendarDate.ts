/** Whether the month has this day. `Date` would read a later day as a day of the next month. */
export const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day > 0 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

const calendarDate = /^(\d{4})-(\d\d)-(\d\d)$/

/** Whether a text is a date of the calendar, such as `2026-12-01`. */
export const isCalendarDate = (text: string): boolean => {
  const match = calendarDate.exec(text)
  return match !== null && isDay(+match[1]!, +match[2]!, +match[3]!)
}
