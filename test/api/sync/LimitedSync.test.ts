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
    expect(await pull()).toEqual([`-${one}`, `-${last}`])
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
    await given("POST", `/notebooks/${below}/move`, { parent_id: secret })
    expect(await expired()).toMatchObject({ code: "cursor_expired", status: 410, resync_cursor: null })
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
      "insufficient_scope",
      "insufficient_scope",
      "unresolved_reference"
    ])
    expect(body.conflicts).toMatchObject([{ reason: "unknown_revision", server: null, base: null, revision: null }])
    expect(body.changes).toHaveLength(3)
    expect((await given("GET", `/notes/${hidden}`)).title).toBe("Two")
    expect((await ask("POST", "/sync/pull", { cursor: body.cursor })).body.changes).toEqual([])
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
