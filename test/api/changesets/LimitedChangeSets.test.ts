import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../../services/database/Database.ts"
import { reverting } from "../../support/changesets/Reverting.ts"
import { whileRevertsWait } from "../../support/changesets/WaitingReverts.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { limitedKey } from "../../support/reach/LimitedKey.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

let count = 0
const newSet = (): string => `cs_${String(++count).padStart(20, "l")}`

/** A workspace with a limited key, and requests of the key in change sets. */
const start = async () => {
  const made = await limitedKey(app)
  const { headers, team } = made
  const asked = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const response = await app.call(method, path, body, { ...headers, ...more })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
    return response.body
  }
  const inSet = (set: string) => (method: string, path: string, body?: unknown) =>
    asked(method, path, body, { "change-set": set })
  const status = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
    (await app.call(method, path, body, { ...headers, ...more })).status
  const revert = reverting(asked)
  const read = (id: string) => made.given("GET", `/notes/${id}`)
  return { ...made, asked, inSet, status, revert, read, ownerReverts: reverting(made.given), id: team.id }
}

describe("a change set of an API key that reaches some notebooks", () => {
  it("is reverted by the key, and its revert too", async () => {
    const { asked, below, given, home, id, inSet, note, read, revert } = await start()
    const [edited, moved, trashed] = [
      await note(home, "Edited", { body: "one\n", tags: ["old"] }),
      await note(home, "Moved"),
      await note(below, "Trashed")
    ]
    const comment = (await given("POST", `/notes/${edited}/comments`, { body: "before" })).id
    const set = newSet()
    const write = inSet(set)
    await write("PATCH", `/notes/${edited}`, { body: "one\nmachine\n", tags: ["fresh"] })
    await write("PATCH", `/notes/${moved}`, { notebook_id: below })
    await write("DELETE", `/notes/${trashed}`)
    await write("PATCH", `/notes/${edited}/comments/${comment}`, { body: "after" })
    const added = (await write("POST", `/notes/${edited}/comments`, { body: "added" })).id
    const remind = { note_id: moved, remind_at: "2031-01-01T00:00:00.000Z" }
    const reminder = (await write("POST", "/reminders", remind)).id
    const notebook = (await write("POST", "/notebooks", { name: "Made", parent_id: below })).id
    await write("PATCH", `/notebooks/${home}`, { name: "House" })
    const created = (await write("POST", "/notes", { notebook_id: notebook, title: "Created", tags: ["fresh"] })).id
    const ids = [edited, moved, trashed, comment, added, reminder, notebook, home, created]
    // Not the tag, which is one of the workspace.
    expect(await asked("GET", `/change-sets/${set}`)).toMatchObject({ records: 9, changes: 9, reverted_by: null })
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({ records: 10, changes: 10 })
    const records = (await asked("GET", `/change-sets/${set}/records`)).data
    expect(records.map((record: any) => record.id).toSorted()).toEqual(ids.toSorted())
    const of = (of: string) => records.find((record: any) => record.id === of)
    expect(of(moved)).toMatchObject({ before: { notebook_id: home }, after: { notebook_id: below } })
    expect(of(home)).toMatchObject({ before: { name: "Home" }, after: { name: "House" }, title: "House" })
    expect(of(edited).diff).toEqual(
      (await given("GET", `/change-sets/${set}/records?limit=100`)).data.find((record: any) => record.id === edited)
        .diff
    )
    const before = { edited: await read(edited), comments: (await given("GET", `/notes/${edited}/comments`)).data }

    const preview = await revert(set, { preview: true })
    const undone = await revert(set)
    expect(undone.counts).toEqual([9, 0, 0])
    expect(preview).toMatchObject({ counts: undone.counts, records: undone.records })
    expect(Object.keys(undone.records).toSorted()).toEqual(ids.toSorted())
    expect(await read(edited)).toMatchObject({ body: "one\n", tags: ["old"] })
    expect(await read(moved)).toMatchObject({ notebook_id: home })
    expect(await read(trashed)).toMatchObject({ notebook_id: below })
    expect((await given("GET", `/notes/${edited}/comments`)).data).toMatchObject([{ id: comment, body: "before" }])
    expect((await given("GET", "/reminders")).data).toEqual([])
    expect((await given("GET", "/notebooks")).data.map(({ name }: any) => name)).not.toContain("Made")
    expect((await given("GET", `/notebooks/${home}`)).name).toBe("Home")
    expect(await asked("GET", `/change-sets/${set}`)).toMatchObject({ reverted_by: undone.reverted_by })
    expect(await given("GET", `/change-sets/${set}`)).toMatchObject({ reverted_by: undone.reverted_by })
    expect((await asked("GET", "/change-sets")).data.map(({ origin }: any) => origin).toSorted()).toEqual([
      "header",
      "revert"
    ])

    const again = await revert(undone.reverted_by!)
    expect(again.counts).toEqual([9, 0, 0])
    expect(await read(edited)).toMatchObject({ body: before.edited.body, tags: ["fresh"] })
    expect((await given("GET", `/notes/${edited}/comments`)).data).toHaveLength(before.comments.length)
    expect(await read(created)).toMatchObject({ notebook_id: notebook, title: "Created" })
    expect((await given("GET", "/reminders")).data).toMatchObject([{ id: reminder }])
    await expectTruth(app, id)
  })

  it("has nothing of a record that has left the notebooks, and leaves that as it is", async () => {
    const { asked, given, home, inSet, note, read, revert, secret, closed } = await start()
    const [stays, leaves, closes] = [await note(home, "Stays"), await note(home, "Leaves"), await note(home, "Closes")]
    const set = newSet()
    const write = inSet(set)
    for (const each of [stays, leaves, closes]) await write("PATCH", `/notes/${each}`, { body: "machine" })
    const comment = (await write("POST", `/notes/${leaves}/comments`, { body: "machine" })).id
    const gone = (await write("POST", `/notes/${leaves}/comments`, { body: "gone" })).id
    await write("DELETE", `/notes/${leaves}/comments/${gone}`)
    expect(await asked("GET", `/change-sets/${set}`)).toMatchObject({ records: 5, changes: 6 })
    await given("PATCH", `/notes/${leaves}`, { notebook_id: secret })
    await given("PATCH", `/notes/${closes}`, { notebook_id: closed })
    // It is read, and not written to.
    expect(await asked("GET", `/change-sets/${set}`)).toMatchObject({ records: 2, changes: 2 })
    const shown = JSON.stringify(await asked("GET", `/change-sets/${set}/records`))
    for (const id of [leaves, comment, gone]) expect(shown).not.toContain(id)
    const preview = await revert(set, { preview: true })
    const done = await revert(set)
    expect(done).toMatchObject({ counts: [1, 0, 0], records: { [stays]: ["reverted", null, []] } })
    expect(preview.records).toEqual(done.records)
    expect(await asked("GET", `/reverts/${done.id}`)).toMatchObject({ records: 1 })
    expect((await given("GET", `/reverts/${done.id}/records`)).data).toHaveLength(1)
    expect(await given("GET", `/reverts/${done.id}`)).toMatchObject({ records: 1, reverted: 1 })
    expect(await read(stays)).toMatchObject({ body: "" })
    for (const id of [leaves, closes]) expect(await read(id)).toMatchObject({ body: "machine", version: 3 })
    // A record that has left since its revert is not mentioned either.
    await given("PATCH", `/notes/${stays}`, { notebook_id: secret })
    expect(await asked("GET", `/reverts/${done.id}`)).toMatchObject({ records: 0, reverted: 0 })
    expect((await asked("GET", `/reverts/${done.id}/records`)).data).toEqual([])
    await given("DELETE", `/notes/${leaves}/comments/${comment}`)
    expect(await asked("GET", `/change-sets/${set}`)).toMatchObject({ records: 1, changes: 1 })
    await given("PATCH", `/notes/${leaves}`, { notebook_id: home })
    expect(await asked("GET", `/change-sets/${set}`)).toMatchObject({ records: 4, changes: 5 })
  })

  it("keeps what others have written since, and the present names of tags in the notebooks", async () => {
    const { given, home, inSet, note, read, revert, secret } = await start()
    const one = await note(home, "One", { body: "a\n\nb\n", tags: ["red", "blue"] })
    await note(home, "Two", { tags: ["red"] })
    await note(secret, "Three", { tags: ["blue"] })
    const set = newSet()
    await inSet(set)("PATCH", `/notes/${one}`, { body: "machine\na\n\nb\n", tags: [] })
    const tags = (await given("GET", "/tags")).data
    for (const [name, next] of [
      ["red", "crimson"],
      ["blue", "navy"]
    ])
      await given("PATCH", `/tags/${tags.find((tag: any) => tag.name === name).id}`, { name: next })
    await given("PATCH", `/notes/${one}`, { body: "machine\na\n\nb\nperson\n", title: "Person's" })
    expect((await revert(set)).counts).toEqual([0, 1, 0])
    const found = await read(one)
    expect(found).toMatchObject({ body: "a\n\nb\nperson\n", title: "Person's" })
    // No note in the notebooks had the other tag when it was renamed.
    expect(found.tags.toSorted()).toEqual(["blue", "crimson"])
  })

  it("does not show where a notebook is that the key reaches by its name", async () => {
    const { asked, around, given, home, inSet, revert } = await start()
    const set = newSet()
    await inSet(set)("PATCH", `/notebooks/${home}`, { name: "Hut", color: "#112233" })
    await given("POST", `/notebooks/${home}/move`, { parent_id: null })
    const { data } = await asked("GET", `/change-sets/${set}/records`)
    expect(data).toMatchObject([{ before: { name: "Home", color: null }, after: { name: "Hut", color: "#112233" } }])
    expect(JSON.stringify(data)).not.toContain(around)
    expect((await revert(set)).counts).toEqual([1, 0, 0])
    expect(await given("GET", `/notebooks/${home}`)).toMatchObject({ name: "Home", parent_id: null })
  })
})

describe("the change sets of others", () => {
  it("do not exist for an API key that reaches some notebooks", async () => {
    const { ask, asked, given, home, inSet, key, note, notebooks, ownerReverts, status, team } = await start()
    const one = await note(home, "One")
    const other = (await given("POST", "/api-keys", { name: "other", notebooks })).secret
    const sets = [newSet(), newSet()]
    const callers = [team.owner.headers, { authorization: `Bearer ${other}` }]
    for (const [at, caller] of callers.entries()) {
      const sent = { ...caller, "change-set": sets[at]! }
      expect((await app.call("PATCH", `/notes/${one}`, { body: `${at}` }, sent)).status).toBe(200)
    }
    const preview = await ownerReverts(sets[0]!, { preview: true })
    expect((await ask("GET", "/change-sets")).body.data).toEqual([])
    for (const id of [...sets, newSet()]) {
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "/records"],
        ["POST", "/revert"]
      ] as const)
        expect(await status(method, `/change-sets/${id}${path}`, method === "POST" ? {} : undefined)).toBe(404)
    }
    for (const path of ["", "/records"]) expect(await status("GET", `/reverts/${preview.id}${path}`)).toBe(404)
    for (const id of sets) expect(await status("PATCH", `/notes/${one}`, { body: "x" }, { "change-set": id })).toBe(404)
    // The owner sees and reverts the set of the key.
    const own = newSet()
    await inSet(own)("PATCH", `/notes/${one}`, { body: "own" })
    const { reverted_by } = await ownerReverts(own)
    expect(await asked("GET", `/change-sets/${own}`)).toMatchObject({ reverted_by: null })
    expect(await status("GET", `/change-sets/${reverted_by}`)).toBe(404)
    expect(await status("PATCH", `/notes/${one}`, { body: "x" }, { "change-set": own })).toBe(409)
    const rotated = { authorization: `Bearer ${(await given("POST", `/api-keys/${key.id}/rotate`)).secret}` }
    expect((await app.call("GET", `/change-sets/${own}`, undefined, rotated)).status).toBe(200)
  })
})

describe("a revert of an API key that reaches some notebooks", () => {
  it("continues with what the key reaches when it runs", async () => {
    const { asked, below, given, home, inSet, key, note, read } = await start()
    const [inHome, inBelow] = [await note(home, "Home"), await note(below, "Below")]
    const set = newSet()
    for (const id of [inHome, inBelow]) await inSet(set)("PATCH", `/notes/${id}`, { body: "machine" })
    let id = ""
    await whileRevertsWait(app, async () => {
      const made = await asked("POST", `/change-sets/${set}/revert`, {})
      expect(made).toMatchObject({ status: "queued", records: 2 })
      id = made.id
      expect((await asked("POST", `/change-sets/${set}/revert`, {})).id).toBe(id)
      // The revert of the owner is another one.
      expect((await given("POST", `/change-sets/${set}/revert`, { preview: true })).id).not.toBe(id)
      const notebooks = [{ id: below, access: "write", include_subnotebooks: false }]
      await given("PATCH", `/api-keys/${key.id}`, { notebooks })
    })
    expect(await asked("GET", `/reverts/${id}`)).toMatchObject({ status: "done", records: 1, reverted: 1 })
    expect((await given("GET", `/reverts/${id}/records`)).data).toMatchObject([{ record_id: inBelow }])
    expect([(await read(inHome)).body, (await read(inBelow)).body]).toEqual(["machine", ""])
  })

  it("fails if the key has ended", async () => {
    const { asked, given, home, inSet, key, note, read } = await start()
    const one = await note(home, "One")
    const set = newSet()
    await inSet(set)("PATCH", `/notes/${one}`, { body: "machine" })
    let id = ""
    await whileRevertsWait(app, async () => {
      id = (await asked("POST", `/change-sets/${set}/revert`, {})).id
      await given("DELETE", `/api-keys/${key.id}`)
    })
    expect(await given("GET", `/reverts/${id}`)).toMatchObject({ status: "failed", reverted: 0, kept: 0 })
    expect(await read(one)).toMatchObject({ body: "machine", version: 2 })
  })

  it("stops between two steps once the key has ended", async () => {
    const { asked, given, home, key } = await start()
    const set = newSet()
    const data = { notebook_id: home, title: "Made" }
    const changes = Array.from({ length: 250 }, () => ({ type: "note", op: "upsert", data }))
    const { results } = await asked("POST", "/sync/push", { changes }, { "change-set": set })
    const last = results
      .map(({ id }: any) => id)
      .toSorted()
      .slice(-150)
    let reverted = 0
    let id = ""
    // The second step waits for the row of a note.
    await app.run(
      Effect.flatMap(Database, ({ write }) =>
        write.withTransaction(
          Effect.gen(function* () {
            yield* write.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield* write.unsafe("SELECT 1 FROM notes WHERE id = ANY($1::text[]) FOR UPDATE", [last])
            id = (yield* Effect.promise(() => asked("POST", `/change-sets/${set}/revert`, {}))).id
            while (reverted === 0) {
              reverted = (yield* Effect.promise(() => given("GET", `/reverts/${id}`))).reverted
            }
            yield* Effect.promise(() => given("DELETE", `/api-keys/${key.id}`))
          })
        )
      )
    )
    // If the step has waited for too long, it is repeated later.
    await app.advance("1 minute")
    const ended = await given("GET", `/reverts/${id}`)
    expect(ended.status).toBe("failed")
    expect(ended.reverted).toBeLessThan(250)
  })

  it("decides about notebooks by the notebooks that the key may write with their sub-notebooks", async () => {
    const { asked, below, given, home, inSet, key, revert } = await start()
    const set = newSet()
    const write = inSet(set)
    const made = (await write("POST", "/notebooks", { name: "Made", parent_id: home })).id
    const moved = (await write("POST", `/notebooks/${below}/move`, { parent_id: made })).id
    await given("POST", "/notebooks", { name: "Hidden", parent_id: made })
    const narrow = (...ids: ReadonlyArray<string>) =>
      given("PATCH", `/api-keys/${key.id}`, {
        notebooks: ids.map((id) => ({ id, access: "write", include_subnotebooks: false }))
      })
    await narrow(made, moved)
    const refused = { [made]: ["kept", "refused", []], [moved]: ["kept", "refused", []] }
    expect((await revert(set, { preview: true })).records).toEqual(refused)
    expect((await revert(set)).records).toEqual(refused)
    const { data } = await asked("GET", `/change-sets/${set}/records`)
    expect(JSON.stringify(data)).not.toContain(home)
    // With all of them it is not empty.
    await given("PATCH", `/api-keys/${key.id}`, {
      notebooks: [{ id: home, access: "write", include_subnotebooks: true }]
    })
    expect((await revert(set)).records).toEqual({
      [made]: ["kept", "not_empty", []],
      [moved]: ["reverted", null, []]
    })
    expect((await given("GET", `/notebooks/${below}`)).parent_id).toBe(home)
  })
})
