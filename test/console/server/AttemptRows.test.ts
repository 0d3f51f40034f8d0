import { describe, expect, it } from "vitest"
import { type Backup, grouped, intervalText } from "../../../src/clients/console/server/AttemptRows.ts"

const attempt = (id: number, error: string | null, kind: Backup["kind"] = "scheduled"): Backup => ({
  id: `bk_${id}`,
  kind,
  target: "/backup/",
  encrypted: false,
  bytes: error === null ? 1 : null,
  error,
  started_at: `2026-03-01T12:${60 - id}:00.000Z`,
  ended_at: null
})

describe("the list of backups", () => {
  it("has one row for equal failures that follow each other", () => {
    const backups = [
      attempt(1, "full"),
      attempt(2, "full"),
      attempt(3, "full", "manual"),
      attempt(4, "full"),
      attempt(5, "gone"),
      attempt(6, null),
      attempt(7, null)
    ]
    expect(grouped(backups).map(({ count, id }) => [id, count])).toEqual([
      ["bk_1", 2],
      ["bk_3", 1],
      ["bk_4", 1],
      ["bk_5", 1],
      ["bk_6", 1],
      ["bk_7", 1]
    ])
  })

  it("shows the interval in the unit in which it was set", () => {
    expect([300, 5400, 21_600, 86_400, 1_209_600].map(intervalText)).toEqual([
      "5 minutes",
      "90 minutes",
      "6 hours",
      "1 day",
      "2 weeks"
    ])
  })
})
