import { describe, expect, it } from "vitest"
import { EventStream } from "../../support/EventStream.ts"
import { limitedKey } from "../../support/reach/LimitedKey.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

/** A workspace with a limited key, and what the key has pulled. */
const start = async () => {
  const found = await limitedKey(app)
  const { ask } = found
  let cursor: string | null = null
  /** The changes since the last call, and whether they are deletions. */
  const pull = async (limit = 2): Promise<ReadonlyArray<string>> => {
    const changes: Array<string> = []
    for (;;) {
      const { body, status } = await ask("POST", "/sync/pull", { cursor, limit })
      expect([status, body.code]).toEqual([201, undefined])
      cursor = body.cursor
      for (const { data, id, op } of body.changes) changes.push(op === "delete" ? `-${id}` : `${data.title ?? ""}${id}`)
      if (!body.has_more) return changes
    }
  }
  const expired = async () => (await ask("POST", "/sync/pull", { cursor })).body
  return { ...found, pull, expired, position: () => cursor }
}

describe("sync of a credential that reaches some notebooks", () => {
  it("pulls what it reaches, also what came and what left", async () => {
    const { ask, below, closed, given, home, note, pull, secret } = await start()
    const [one, hidden] = [await note(home, "One", { tags: ["red"] }), await note(secret, "Two")]
    const comment = (await given("POST", `/notes/${hidden}/comments`, { body: "before" })).id
    expect((await pull()).toSorted()).toEqual([home, below, closed, `One${one}`].toSorted())
    expect(await pull()).toEqual([])
    await given("PATCH", `/notes/${hidden}`, { title: "Three" })
    expect(await pull()).toEqual([])
    // With its parts, which did not change.
    await given("PATCH", `/notes/${hidden}`, { notebook_id: below })
    expect(await pull()).toEqual([`Three${hidden}`, comment])
    await given("DELETE", `/notes/${hidden}/comments/${comment}`)
    expect(await pull()).toEqual([`-${comment}`])
    await given("PATCH", `/notes/${hidden}`, { notebook_id: secret })
    await given("PATCH", `/notes/${hidden}`, { title: "Four" })
    expect(await pull()).toEqual([`-${hidden}`])
    await given("PATCH", `/notes/${hidden}`, { title: "Five" })
    await given("DELETE", `/notes/${hidden}?permanent=true`)
    expect(await pull()).toEqual([])
    await given("DELETE", `/notes/${one}`)
    expect(await pull()).toEqual([`-${one}`])
    await given("POST", `/notes/${one}/restore`, {})
    expect(await pull()).toEqual([`One${one}`])
    const last = (await given("POST", `/notes/${one}/comments`, { body: "last" })).id
    expect(await pull()).toEqual([last])
    await given("DELETE", `/notes/${one}?permanent=true`)
    expect((await pull()).toSorted()).toEqual([`-${one}`, `-${last}`].toSorted())
    const three = await note(home, "Three")
    const kept = (await given("POST", `/notes/${three}/comments`, { body: "kept" })).id
    expect(await pull()).toEqual([`Three${three}`, kept])
    await given("PATCH", `/notes/${three}`, { notebook_id: secret })
    expect(await pull()).toEqual([`-${three}`, `-${kept}`])
    await given("PATCH", `/notes/${three}`, { notebook_id: below })
    await given("DELETE", `/notes/${three}`)
    expect(await pull()).toEqual([`-${three}`, `-${kept}`])
    const own = (await ask("POST", "/notes", { notebook_id: home, title: "Own" })).body.id
    expect(await pull()).toEqual([`Own${own}`])
  })

  it("deletes parts that were deleted, or left their note, before the note left", async () => {
    const { below, given, home, note, pull, secret } = await start()
    const [one, two, far] = [await note(home, "One"), await note(home, "Two"), await note(secret, "Far")]
    const comment = async (id: string) => (await given("POST", `/notes/${id}/comments`, { body: "c" })).id
    const file = async (note_id: string) =>
      (await given("POST", "/attachments/uploads", { note_id, filename: "a.txt" })).id
    const [first, second, third] = [await comment(one), await comment(two), await comment(far)]
    const files = [await file(one), await file(one), await file(two)]
    await pull(50)
    await given("DELETE", `/notes/${one}/comments/${first}`)
    await given("PATCH", `/notes/${one}`, { notebook_id: secret })
    await given("DELETE", `/notes/${two}/comments/${second}`)
    await given("DELETE", `/notes/${two}`)
    // It was never within reach.
    await given("DELETE", `/notes/${far}/comments/${third}`)
    await given("PATCH", `/notes/${far}`, { notebook_id: below })
    const left = [first, second, one, two, ...files].map((id) => `-${id}`)
    expect((await pull(50)).toSorted()).toEqual([...left, `Far${far}`].toSorted())
  })

  it.each([0, 1])("deletes a file that leaves a note in the push that moves the note (order %i)", async (order) => {
    const { given, home, note, pull, secret } = await start()
    const [one, far] = [await note(home, "One"), await note(secret, "Far")]
    const file = await given("POST", "/attachments/uploads", { note_id: one, filename: "a.txt" })
    await pull()
    const changes = [
      { type: "note", op: "upsert", id: one, revision: 1, data: { notebook_id: secret } },
      { type: "attachment", op: "upsert", id: file.id, revision: 1, data: { note_id: far } }
    ]
    const { results } = await given("POST", "/sync/push", { changes: order === 0 ? changes : changes.toReversed() })
    expect(results.map(({ status }: any) => status)).toEqual(["applied", "applied"])
    expect((await pull()).toSorted()).toEqual([`-${one}`, `-${file.id}`].toSorted())
  })

  it("pulls many parts of a note that came, in pages", async () => {
    const { given, home, note, pull, secret } = await start()
    await pull()
    const id = await note(secret, "Far")
    const comments = []
    for (const body of ["a", "b", "c", "d", "e"]) {
      comments.push((await given("POST", `/notes/${id}/comments`, { body })).id)
    }
    await given("PATCH", `/notes/${id}`, { notebook_id: home })
    expect((await pull(1)).toSorted()).toEqual([...comments, `Far${id}`].toSorted())
  })

  it("ends its cursors when notebooks come or go, and not when one is created in them", async () => {
    const { below, expired, given, home, note, pull, secret } = await start()
    await note(below, "One")
    await pull()
    const made = (await given("POST", "/notebooks", { name: "New", parent_id: home })).id
    expect(await pull()).toEqual([made])
    expect(await pull()).toEqual([])
    await given("DELETE", `/notebooks/${made}`)
    expect(await pull()).toEqual([`-${made}`])
    await given("POST", `/notebooks/${made}/restore`, {})
    expect(await pull()).toEqual([made])
    await given("POST", `/notebooks/${below}/move`, { parent_id: secret })
    expect(await expired()).toMatchObject({ code: "cursor_expired", status: 410, resync_cursor: null })
  })

  it("has no tags and templates", async () => {
    const { ask, given, home, note } = await start()
    await given("POST", "/templates", { name: "T", body: "b" })
    await note(home, "One", { tags: ["red"] })
    const types = ["tag", "template"]
    const { body, status } = await ask("POST", "/sync/pull", { types })
    expect([status, body.changes, body.has_more]).toEqual([201, [], false])
    const again = await ask("POST", "/sync/pull", { types, cursor: body.cursor })
    expect([again.status, again.body.changes]).toEqual([201, []])
  })

  it("accepts no cursor of another reach", async () => {
    const { ask, given, pull, position } = await start()
    await pull()
    const whole = (await given("POST", "/sync/pull", {})).cursor
    expect((await ask("POST", "/sync/pull", { cursor: whole })).body).toMatchObject({ code: "cursor_expired" })
    await expect(given("POST", "/sync/pull", { cursor: position() })).rejects.toThrow("cursor_expired")
    const { body } = await ask("GET", "/sync/cursor")
    expect((await ask("POST", "/sync/pull", { cursor: body.cursor })).body).toMatchObject({ changes: [] })
  })

  it("pushes notes and their parts within reach, each entry by itself", async () => {
    const { ask, given, home, note, secret } = await start()
    const [own, hidden] = [await note(home, "One"), await note(secret, "Two")]
    const entry = (type: string, data: object, more: object = {}) => ({ type, op: "upsert", data, ...more })
    const changes = [
      entry("note", { notebook_id: home, title: "New" }),
      entry("note", { notebook_id: secret, title: "Outside" }),
      entry("note", { title: "Changed" }, { id: own, revision: 1 }),
      entry("note", { title: "Changed" }, { id: hidden, revision: 1 }),
      entry("note", { notebook_id: home, title: "Taken" }, { id: hidden }),
      { type: "note", op: "delete", id: hidden, revision: 1 },
      entry("comment", { note_id: own, body: "seen" }),
      entry("comment", { note_id: hidden, body: "unseen" }),
      entry("notebook", { name: "Other" }),
      entry("notebook", { name: "Inside", parent_id: home }),
      entry("notebook", { name: "Hut", parent_id: null }, { id: home, revision: 1 }),
      entry("tag", { name: "other" }),
      entry("note", { notebook_id: secret }, { id: own, revision: 2 })
    ]
    const { body, status } = await ask("POST", "/sync/push", { changes })
    expect(status).toBe(201)
    expect(body.results.map(({ error, status }: any) => error?.code ?? status)).toEqual([
      "applied",
      "unresolved_reference",
      "applied",
      "conflict",
      "not_found",
      "not_found",
      "applied",
      "unresolved_reference",
      "not_found",
      "applied",
      "applied",
      "insufficient_scope",
      "unresolved_reference"
    ])
    expect(body.conflicts).toMatchObject([{ reason: "unknown_revision", server: null, base: null, revision: null }])
    expect(body.changes).toHaveLength(5)
    // The notebook around this one stays unknown, and around it.
    expect(body.changes.find(({ id }: any) => id === home).data).toMatchObject({ name: "Hut", parent_id: null })
    expect((await given("GET", `/notebooks/${home}`)).parent_id).toEqual(expect.any(String))
    expect((await given("GET", `/notes/${hidden}`)).title).toBe("Two")
    expect((await ask("POST", "/sync/pull", { cursor: body.cursor })).body.changes).toEqual([])
  })

  it("knows only its own mutations, and conflicts of notes that it reaches", async () => {
    const { ask, given, home, note, secret, team } = await start()
    const hidden = await note(secret, "Hidden")
    const device = { id: "sy_0123456789abcdefghij" }
    const entry = { type: "template", op: "upsert", mutation_id: "m1", data: { name: "T", body: "hidden" } }
    await given("POST", "/sync/push", { device, changes: [entry] })
    const own = {
      type: "note",
      op: "upsert",
      mutation_id: "m1",
      conflict_of: hidden,
      data: { notebook_id: home, title: "Own" }
    }
    const stale = { type: "note", op: "upsert", id: hidden, revision: 7, data: { title: "x" } }
    const { body } = await ask("POST", "/sync/push", { device, changes: [own, stale] })
    expect(body.results.map(({ status }: any) => status)).toEqual(["applied", "conflict"])
    expect(body.changes.map(({ type }: any) => type)).toEqual(["note"])
    const { data } = await given("GET", `/notes/${hidden}/activity`)
    expect(data.map(({ type }: any) => type)).toEqual(["note.created"])
    const later = { ...entry, mutation_id: "m2" }
    expect((await given("POST", "/sync/push", { device, changes: [later] })).results[0].status).toBe("applied")
    expect(team.id).toBeDefined()
  })

  it("follows selected notebooks with a key that reaches everything", async () => {
    const { given, home, note, secret } = await start()
    const { secret: key } = await given("POST", "/api-keys", { name: "whole" })
    const headers = { authorization: `Bearer ${key}` }
    const pulled = await app.call("POST", "/sync/pull", { notebooks: [home] }, headers)
    const cursor = pulled.body.cursor
    const stream = await EventStream.open(app, { headers, cursor, notebooks: home })
    await note(secret, "Far")
    const near = await note(home, "Near")
    await stream.until(() => stream.changes.length === 1)
    expect(stream.changes.map(({ data }) => data.id)).toEqual([near])
    stream.close()
    const again = await app.call("POST", "/sync/pull", { cursor, notebooks: [home], wait: 1 }, headers)
    expect(again.body.changes.map(({ id }: any) => id)).toEqual([near])
    expect((await app.call("GET", "/sync/stream?notebooks=", undefined, headers)).status).toBe(400)
  })

  it("streams the rest of a page that ended between the parts of a note that came", async () => {
    const { ask, below, given, headers, note, pull, position, secret } = await start()
    const hidden = await note(secret, "Hidden")
    const comments = []
    for (let at = 0; at < 3; at++) comments.push((await given("POST", `/notes/${hidden}/comments`, { body: "c" })).id)
    await pull()
    await given("PATCH", `/notes/${hidden}`, { notebook_id: below })
    const { body } = await ask("POST", "/sync/pull", { cursor: position(), limit: 2 })
    const rest = [hidden, ...comments].filter((id) => !body.changes.some((change: { id: string }) => change.id === id))
    expect(rest).toHaveLength(2)
    // Nothing is written any more.
    const stream = await EventStream.open(app, { headers, cursor: body.cursor })
    await stream.until(() => stream.changes.length === 2)
    expect(stream.changes.map(({ data }) => data.id).toSorted()).toEqual(rest.toSorted())
    stream.close()
  })

  it("streams what it reaches, and ends when notebooks go", async () => {
    const { below, given, headers, home, note, secret } = await start()
    const { body } = await app.call("GET", "/sync/cursor", undefined, headers)
    const stream = await EventStream.open(app, { headers, cursor: body.cursor })
    await note(secret, "Hidden")
    const one = await note(below, "One")
    const made = (await given("POST", "/notebooks", { name: "New", parent_id: home })).id
    const two = await note(made, "Two")
    await given("PATCH", `/notes/${one}`, { notebook_id: secret })
    const ids = () => stream.changes.map(({ data }) => data.op + data.id)
    await stream.until(() => ids().includes(`delete${one}`) && ids().includes(`upsert${two}`))
    expect(
      ids()
        .filter((each) => !each.endsWith(one))
        .toSorted()
    ).toEqual([`upsert${made}`, `upsert${two}`].toSorted())
    await given("POST", `/notebooks/${below}/move`, { parent_id: secret })
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "notebooks" } })
  })
})
