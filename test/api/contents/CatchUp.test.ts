import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Restores from "../../../services/writer/Restores.ts"
import { startRestorable } from "../../support/storage/RestoredApp.ts"
import { beforeStatement } from "../../support/Statements.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"

const notes = 120
let app: TestApp
/** A second node on the same database. */
let second: TestApp

const post = async (path: string, body: object, of = app) => (await of.call("POST", path, body)).body
const get = async (path: string, of = app) => {
  const { body, status, text } = await of.call("GET", path)
  expect(status, text).toBe(200)
  return body
}

/** Makes notes with links and tasks; the first ones link to later ones. Returns their ids. */
const makeNotes = async (word: string, of = app): Promise<ReadonlyArray<string>> => {
  const { id: notebook_id } = await post("/notebooks", { name: word }, of)
  const changes = Array.from({ length: notes }, (_, number) => {
    const body = `---\nrank: ${number}\n---\n[[${word} ${number + 1}]] [[Nowhere]]\n\n- [ ] call ${number} due:2026-12-01`
    return { type: "note", op: "upsert", data: { notebook_id, title: `${word} ${number}`, body } }
  })
  const { results } = await post("/sync/push", { changes }, of)
  return results.map(({ id }: any) => id)
}

const tables = ["note_contents", "note_links", "note_link_keys", "note_tasks", "note_properties"]

/** All rows that follow from texts. */
const rowsOf = async (of = app) =>
  Object.fromEntries(
    await Promise.all(
      tables.map(async (name) => {
        const rows = await of.sql(`SELECT t::text AS row FROM ${name} t ORDER BY 1`)
        return [name, rows.map(({ row }) => row)] as const
      })
    )
  )

/** The rows that a node reads alone from the beginning. */
const readAgain = async (of = app) => {
  await of.sql("UPDATE content_places SET epoch = ''")
  await get("/links?limit=1", of)
  return rowsOf(of)
}

beforeAll(async () => {
  app = await startApp()
  second = await startApp({ databaseOf: app })
})
afterAll(async () => {
  await second.stop()
  await app.stop()
})

describe("contents of notes", () => {
  it("are the same when two nodes read a workspace at once", async () => {
    await makeNotes("Both")
    await Promise.all([get("/links?limit=1"), get("/links?limit=1", second)])
    const rows = await rowsOf()
    for (const name of ["note_contents", "note_links", "note_link_keys", "note_tasks"]) {
      expect(rows[name]!.length, name).toBeGreaterThanOrEqual(notes)
    }
    expect(await readAgain()).toEqual(rows)
  })

  const isWaiting = () => app.sql("SELECT FROM pg_locks WHERE NOT granted")

  it.each([
    ["before its rows are written", /FOR KEY SHARE/, (erasure: Promise<unknown>) => erasure],
    ["while its rows are written", /^INSERT INTO note_links/, () => expect.poll(isWaiting).not.toEqual([])],
    ["after its rows were written", /^UPDATE content_places/, () => expect.poll(isWaiting).not.toEqual([])]
  ])("have no rows of a note that is erased %s", async (when, statement, until) => {
    const [erased, kept] = await makeNotes(`Erased ${when}`)
    let erasure: Promise<unknown> | undefined
    const erase = Effect.promise(async () => {
      erasure = second.call("DELETE", `/notes/${erased}?permanent=true`)
      await until(erasure)
    })
    await beforeStatement(app, "write", statement, erase)
    expect((await get(`/notes/${kept}/links?direction=out`)).data).toHaveLength(2)
    expect(await erasure).toMatchObject({ status: 200 })
    expect((await get(`/tasks?filter=note_id=${erased}`)).data).toEqual([])
    const rows = await rowsOf()
    expect(JSON.stringify(rows["note_contents"])).not.toContain(erased)
    expect(await readAgain()).toEqual(rows)
  })

  it("are completed by the next request when a node ends in between", async () => {
    const third = await startApp({ databaseOf: app })
    const ids = await makeNotes("Ended")
    const reached = Promise.withResolvers<void>()
    // The rows of the first page are stored by then.
    await beforeStatement(
      third,
      "write",
      /^INSERT INTO note_links/,
      Effect.andThen(Effect.sync(reached.resolve), Effect.never),
      2
    )
    const request = third.call("GET", `/notes/${ids[0]}/links`).catch(() => undefined)
    await reached.promise
    await third.stop()
    await request
    const of = (id: string | undefined) => get(`/notes/${id}/links?direction=out`)
    expect([(await of(ids[0])).data, (await of(ids.at(-1))).data].map(({ length }) => length)).toEqual([2, 2])
    const rows = await rowsOf()
    expect(await readAgain()).toEqual(rows)
  })

  it("are read on when a note whose links wait to be resolved goes to the trash", async () => {
    const [trashed, kept] = await makeNotes("Waiting")
    await get(`/notes/${kept}/links`)
    await app.sql("UPDATE note_contents SET resolve_at = '' WHERE note_id = $1", [trashed])
    await app.call("DELETE", `/notes/${trashed}`)
    await get(`/notes/${kept}/links`)
    expect((await app.sql("SELECT 1 FROM note_contents WHERE note_id = $1", [trashed])).length).toBe(0)
  })

  it("lack a note that is too much work, and no other note", async () => {
    const { id: notebook_id } = await post("/notebooks", { name: "Hostile" })
    const body = `[[Friend]] - [ ] a\n${"[".repeat(500_000)}a${"](b)".repeat(50_000)}`
    const hostile = await post("/notes", { notebook_id, title: "Hostile", body })
    const friend = await post("/notes", { notebook_id, title: "Friend", body: "- [ ] wave [[Hostile]]" })
    expect((await get(`/notes/${friend.id}/links?direction=out`)).data).toMatchObject([{ target_id: hostile.id }])
    expect((await get(`/tasks?filter=note_id=${friend.id}`)).data).toHaveLength(1)
    expect((await get(`/notes/${hostile.id}/links?direction=out`)).data).toEqual([])
    await app.call("PATCH", `/notes/${hostile.id}`, { body: "[[Friend]]" })
    expect((await get(`/notes/${hostile.id}/links?direction=out`)).data).toMatchObject([{ target_id: friend.id }])
  }, 180_000)

  it("are written a few at a time where short texts have many", async () => {
    const { id: notebook_id } = await post("/notebooks", { name: "Many" })
    const body = Array.from({ length: 2_100 }, (_, number) => `[[a${number}]]`).join(" ")
    const changes = Array.from({ length: 5 }, (_, number) => ({
      type: "note",
      op: "upsert",
      data: { notebook_id, title: `Many ${number}`, body }
    }))
    const [{ id }] = (await post("/sync/push", { changes })).results
    await get(`/notes/${id}/links?direction=out`)
    const [{ count }] = await app.sql("SELECT count(*)::int AS count FROM note_links WHERE target = 'a7'")
    expect(count).toBe(5)
    expect((await app.sql("SELECT id FROM note_links WHERE note_id = $1", [id])).length).toBe(2_000)
  })

  it("end with the text that they are from, within a day, without a request", async () => {
    const { id: notebook_id } = await post("/notebooks", { name: "Words" })
    const { id } = await post("/notes", { notebook_id, title: "Words", body: "- [ ] xylophone" })
    expect((await get(`/tasks?filter=note_id=${id}`)).data).toHaveLength(1)
    await app.advance("11 minutes")
    await app.call("PATCH", `/notes/${id}`, { title: "Former words", body: "nothing" })
    await app.call("PATCH", `/notes/${id}`, { title: "Words" })
    const found = async () => (await app.sql("SELECT 1 FROM note_tasks WHERE note_id = $1", [id])).length
    expect(await found()).toBe(1)
    await app.advance("26 hours")
    expect(await found()).toBe(0)
    const former = async () => (await app.sql("SELECT 1 FROM former_names WHERE note_id = $1", [id])).length
    expect(await former()).toBe(2)
    await app.advance("90 days")
    expect(await former()).toBe(0)
  })
})

describe("contents of notes after a restore", () => {
  it("are in no backup, and are read from the restored texts", async () => {
    const restorable = await startRestorable()
    const first = restorable.app
    const [id] = await makeNotes("Saved", first)
    expect((await get(`/notes/${id}/links?direction=out`, first)).data).toHaveLength(2)
    await first.call("PATCH", `/notes/${id}`, { title: "Renamed" })
    const saved = await restorable.save()
    const names = saved.tables.map(([{ name }]) => name)
    expect(names).toContain("former_names")
    expect(names.filter((name) => [...tables, "content_places"].includes(name))).toEqual([])
    await first.call("PATCH", `/notes/${id}`, { body: "" })
    expect((await get(`/notes/${id}/links?direction=out`, first)).data).toEqual([])
    const later = await restorable.restore(saved)
    expect((await later.sql("SELECT 1 FROM note_contents")).length).toBe(0)
    expect((await get(`/notes/${id}/links?direction=out`, later)).data).toHaveLength(2)
    await restorable.stop()
  })

  it("are read again when the database was restored by other means", async () => {
    const own = await startApp()
    await makeNotes("Copied", own)
    await get("/links?limit=1", own)
    const rows = await rowsOf(own)
    await own.sql("UPDATE note_links SET target = 'elsewhere', status = 'missing', target_id = NULL")
    await own.run(Restores.renewAll(null))
    await get("/links?limit=1", own)
    expect(await rowsOf(own)).toEqual(rows)
    await own.stop()
  })
})
