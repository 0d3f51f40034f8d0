/** A time on this device, as the server writes times: 2026-11-29T12:34:56. */
export const isoTime = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)

/** A day on this device, as the server writes it: 2026-11-29. */
export const isoDay = (at: Date): string => isoTime(at).slice(0, 10)
