import { describe, expect, it } from "vitest"
import { Feed } from "../../../services/sync/Feeds.ts"

const entry = (bytes: number) => ({ type: "note", as_of: 0, bytes: new Uint8Array(bytes), userEvent: undefined })

describe("Feed", () => {
  it("keeps a bounded number of changes and bytes, and reports lost changes", () => {
    const many = new Feed("ws_x", "epoch", 0)
    for (let seq = 1; seq <= 10_000; seq++) many.add(seq, entry(1))
    expect(many.hasLost(10_000 - 4_096)).toBe(false)
    expect(many.hasLost(10_000 - 4_097)).toBe(true)
    expect(many.after(1)).toBe("slow")
    expect(many.after(9_998)).toMatchObject([{ seq: 9_999 }, { seq: 10_000 }])

    const large = new Feed("ws_x", "epoch", 0)
    for (let seq = 1; seq <= 100; seq++) large.add(seq, entry(1024 * 1024))
    expect(large.hasLost(100 - 16)).toBe(false)
    expect(large.hasLost(100 - 17)).toBe(true)
  })

  it("returns changes in chunks, with at least one change in each", () => {
    const feed = new Feed("ws_x", "epoch", 0)
    for (let seq = 1; seq <= 10; seq++) feed.add(seq, entry(200 * 1024))
    feed.add(11, entry(5 * 1024 * 1024))
    expect(feed.after(0)).toMatchObject([{ seq: 1 }, { seq: 2 }])
    expect(feed.after(9)).toMatchObject([{ seq: 10 }, { seq: 11 }])
    expect(feed.after(10)).toMatchObject([{ seq: 11 }])
    expect(feed.after(11)).toEqual([])
  })

  it("skips log entries that change no record", () => {
    const feed = new Feed("ws_x", "epoch", 5)
    feed.add(6, null)
    feed.add(7, entry(1))
    expect(feed.after(5)).toMatchObject([{ seq: 7 }])
    expect([feed.head, feed.hasLost(4), feed.hasLost(5)]).toEqual([7, true, false])
  })
})
