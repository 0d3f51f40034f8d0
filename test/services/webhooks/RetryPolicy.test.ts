import { describe, expect, it } from "vitest"
import { delayAfter, retryAfterOf, schedule } from "../../../services/webhooks/RetryPolicy.ts"

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

describe("retries", () => {
  it.each([
    [1, 5 * seconds],
    [2, 5 * minutes],
    [3, 30 * minutes],
    [4, 2 * hours],
    [5, 5 * hours],
    [6, 10 * hours],
    [7, 14 * hours],
    [8, 20 * hours],
    [9, 24 * hours]
  ])("follow attempt %i after %i ms, up to 20 %% sooner or later", (attempts, delay) => {
    expect(delayAfter(attempts, 0.5)).toBe(delay)
    expect(delayAfter(attempts, 0)).toBe(delay * 0.8)
    expect(delayAfter(attempts, 0.999_999_999)).toBeCloseTo(delay * 1.2, 0)
  })

  it("end with attempt 10, 75 hours and 35 minutes after the first", () => {
    expect(delayAfter(10, 0.5)).toBeUndefined()
    expect(delayAfter(100, 0.5)).toBeUndefined()
    expect(schedule.reduce((sum, delay) => sum + delay, 0)).toBe(75 * hours + 35 * minutes + 5 * seconds)
  })

  it("wait for the time that the endpoint requests", () => {
    expect(delayAfter(1, 0.5, minutes)).toBe(minutes)
    expect(delayAfter(2, 0.5, minutes)).toBe(5 * minutes)
  })
})

describe("Retry-After", () => {
  const now = Date.parse("2026-03-01T12:00:00.000Z")
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["0", 0],
    ["120", 2 * minutes],
    ["86400", 24 * hours],
    ["999999999999", 24 * hours],
    ["9999999999999", undefined],
    ["Sun, 01 Mar 2026 12:01:00 GMT", minutes],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["Sun, 01 Mar 2099 12:00:00 GMT", 24 * hours],
    ["-5", undefined],
    ["soon", undefined],
    ["", undefined]
  ])("parses %s as %s ms", (header, millis) => {
    expect(retryAfterOf(header, now)).toBe(millis)
  })
})
