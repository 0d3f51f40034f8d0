import { describe, expect, it } from "vitest"
import { batchOf, type Edit, type View } from "../../src/clients/sync/Edit.ts"
import { settle } from "../../src/clients/sync/Rules.ts"

let made = 0
const edit = (given: Partial<Edit>): Edit => ({
  mutation_id: `m${++made}`,
  type: "note",
  id: `nt_${made}`,
  op: "upsert",
  revision: 0,
  data: {},
  seen: {},
  ...given
})

describe("a push", () => {
  it("has at most 500 entries", () => {
    const edits = Array.from({ length: 501 }, () => edit({}))
    expect(batchOf(edits)).toEqual(edits.slice(0, 500))
  })

  it("has at most five million characters, or a single entry", () => {
    const edits = Array.from({ length: 6 }, () => edit({ data: { body: "x".repeat(1_200_000) } }))
    expect(batchOf(edits)).toEqual(edits.slice(0, 4))
    const large = edit({ data: { icon: "x".repeat(6_000_000) } })
    expect(batchOf([large, ...edits])).toEqual([large])
  })

  it("has one edit of each record", () => {
    const [one, other] = [edit({ id: "nt_one" }), edit({ id: "nt_other" })]
    expect(batchOf([one, other, edit({ id: "nt_one" }), edit({})])).toEqual([one, other])
  })

  it("begins with new notebooks, but does not move edits of a notebook before its deletion", () => {
    const [note, created] = [edit({}), edit({ type: "notebook", id: "nb_new" })]
    const removed = edit({ type: "notebook", id: "nb_old", op: "delete", revision: 3 })
    const again = edit({ type: "notebook", id: "nb_old" })
    expect(batchOf([note, removed, created])).toEqual([created, note, removed])
    expect(batchOf([note, removed, again, created])).toEqual([created, note, removed])
  })
})

describe("the result of an edit", () => {
  const view: View = {
    known: () => undefined,
    shown: () => ({ op: "delete", data: {} }),
    notebooks: () => [],
    isWaiting: () => false
  }

  it("gives its revision to later edits of the record if it was applied", () => {
    const [first, later] = [edit({ id: "nt_a", revision: 4 }), edit({ id: "nt_a", revision: 4 })]
    expect(settle(first, { status: "applied", revision: 5 }, [later], view)).toEqual({
      again: [],
      later: [{ ...later, revision: 5 }]
    })
    // A duplicate may include changes that the user has not seen.
    expect(settle(first, { status: "duplicate", revision: 7 }, [later], view).later).toEqual([later])
  })

  it("is kept as the state of the record after a duplicate, until the server sends it", () => {
    const settled = settle(edit({ id: "nt_a", data: { title: "A" } }), { status: "duplicate", revision: 1 }, [], view)
    expect(settled.known).toEqual({ type: "note", id: "nt_a", op: "upsert", revision: 1, data: { title: "A" } })
  })

  it("names the note in what settles a conflict: the merge, and the copy of words that have no place", () => {
    const mine = edit({
      id: "nt_a",
      revision: 1,
      data: { title: "Mine", body: "mine" },
      seen: { title: "A", body: "" }
    })
    const server = {
      type: "note",
      id: "nt_a",
      op: "upsert",
      revision: 2,
      data: { title: "Theirs", body: "theirs" }
    } as const
    const conflict = { mutation_id: mine.mutation_id, revision: 2, server }
    const { again } = settle(mine, { status: "conflict", conflict }, [], { ...view, notebooks: () => ["nb_a"] })
    const [copy, merge, ...none] = again
    expect(none).toEqual([])
    expect(copy).toMatchObject({ type: "note", revision: 0, data: { body: "mine" }, conflict_of: "nt_a" })
    expect(copy!.id).not.toBe("nt_a")
    expect(merge).toMatchObject({ id: "nt_a", revision: 2, conflict_of: "nt_a" })
  })

  it("makes a record again that others have changed and then deleted, as it was last known", () => {
    const mine = edit({ type: "tag", id: "tg_a", revision: 2, data: { color: "#ff0000" }, seen: { name: "former" } })
    const server = { type: "tag", id: "tg_a", op: "delete", revision: 4, data: null } as const
    const conflict = { mutation_id: mine.mutation_id, revision: 4, server }
    const known = () => ({ ...server, data: { name: "newer", color: "#00ff00" } })
    const { again } = settle(mine, { status: "conflict", conflict }, [], { ...view, known })
    expect(again).toMatchObject([{ id: "tg_a", revision: 4, data: { name: "newer", color: "#ff0000" } }])
  })

  it("makes a notebook for a note that has none", () => {
    const note = edit({ data: { notebook_id: "nb_gone", title: "A" } })
    const error = { code: "unresolved_reference", status: 422, detail: "There is no such notebook" } as const
    const { again, gone } = settle(note, { status: "rejected", error }, [], view)
    expect(again).toMatchObject([
      { type: "notebook", data: { name: "Conflicts" } },
      { type: "note", data: { notebook_id: again[0]!.id, title: "A" } }
    ])
    expect(gone).toBe("nb_gone")
  })
})
