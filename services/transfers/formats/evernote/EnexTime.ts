/** Times in the formats of Evernote and of programs that write its format. */

const written =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(?:Z|UTC|([+-])(\d\d):?(\d\d)?)?$/i

/**
 * Converts `20200102T030405Z` or ISO 8601 to a time of the API. Without a zone it is in UTC, and a day becomes its
 * beginning. Undefined for other text.
 */
export const timeOf = (text: string): string | undefined => {
  const match = written.exec(text.trim())
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const millis = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3))
  const [sign, hours, minutes] = match.slice(8)
  const zone = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === "-" ? -1 : 1)
  if (year! < 1 || month! < 1 || month! > 12 || hour! > 23 || minute! > 59 || second! > 60) return undefined
  const time = new Date(0)
  time.setUTCFullYear(year!, month! - 1, day)
  // A day that does not exist in its month becomes one of the next month.
  if (time.getUTCDate() !== day) return undefined
  time.setUTCHours(hour!, minute! - zone, second, millis)
  const inReach = time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999
  return inReach ? time.toISOString() : undefined
}

/** A time for users: in its zone if that is known, otherwise in UTC; text that is not a time stays as it is. */
export const momentIn = (text: string, zone: string, isDay: boolean): string => {
  const time = timeOf(text)
  if (time === undefined) return text.trim()
  const parts = (timeZone: string) =>
    new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      ...(isDay ? {} : { hour: "2-digit", minute: "2-digit" })
    }).format(new Date(time))
  try {
    return isDay ? parts(zone || "UTC") : `${parts(zone || "UTC")} ${zone || "UTC"}`
  } catch (error) {
    // This machine does not have the zone.
    if (!(error instanceof RangeError)) throw error
    return `${isDay ? parts("UTC") : `${parts("UTC")} UTC`} (${zone})`
  }
}
