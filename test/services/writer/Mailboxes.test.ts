import { describe, expect, it } from "vitest"
import { WriterCache } from "../../../services/writer/WriterCache.ts"
import { noCounts } from "../../../services/tables/Counters.ts"
import { type Mailbox, Mailboxes } from "../../../services/writer/Mailboxes.ts"
import * as Column from "../../../services/tables/Column.ts"
import * as Table from "../../../services/tables/Table.ts"

const words = Table.make("words", { id: Column.text() }, { key: ["id"], resident: true })

const baseOf = (rows: number): WriterCache => {
  const base = new WriterCache({ ...noCounts, seq: 1, least_revision: 1 })
  base.hold(words, new Map(Array.from({ length: rows }, (_, index) => [String(index), { id: String(index) }])))
  return base
}

describe("the cache of the writer", () => {
  it("evicts the least recently used workspaces at once when it is full", () => {
    const mailboxes = new Mailboxes()
    const used: Array<Mailbox> = []
    for (let index = 0; index < 40; index++) {
      const mailbox = mailboxes.of(`ws_${index}`)
      mailbox.active = true
      mailboxes.hold(mailbox, baseOf(12_000))
      mailbox.active = false
      used.push(mailbox)
      expect(mailboxes.held.rows).toBeLessThanOrEqual(100_000)
    }
    expect(used.map(({ base }) => base !== undefined).lastIndexOf(false)).toBe(31)
    expect(mailboxes.held).toMatchObject({ workspaces: 8, rows: 96_000 })
  })

  it("caches nothing between batches for workspaces that exceed the limit while all are active", () => {
    const mailboxes = new Mailboxes()
    const active = Array.from({ length: 12 }, (_, index) => {
      const mailbox = mailboxes.of(`ws_${index}`)
      mailbox.active = true
      mailboxes.hold(mailbox, baseOf(12_000))
      return mailbox
    })
    expect(active.filter(({ base }) => base !== undefined)).toHaveLength(8)
    expect(mailboxes.held).toMatchObject({ workspaces: 12, rows: 96_000 })
    // A workspace from before there was a quota.
    const large = mailboxes.of("ws_large")
    mailboxes.hold(large, baseOf(150_000))
    expect(large.base).toBeUndefined()
    mailboxes.hold(active[0]!, undefined)
    expect(mailboxes.held.rows).toBe(84_000)
  })
})
