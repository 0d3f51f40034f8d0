/** A clock that jumps. `node --import` of this file starts a program `CLOCK_AHEAD` milliseconds ahead. */
const now = Date.now
let ahead = Number(process.env["CLOCK_AHEAD"] ?? 0)

/** Moves the clock of this process, also back. Timers do not change. */
export const jump = (millis: number): void => void (ahead += millis)

Date.now = () => now() + ahead
globalThis.Date = new Proxy(Date, {
  construct: (target, values, subclass) =>
    Reflect.construct(target, values.length === 0 ? [Date.now()] : values, subclass)
})
