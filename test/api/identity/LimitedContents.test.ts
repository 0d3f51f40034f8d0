import { describe, expect, it } from "vitest"
import { Files, sha256Of, someBytes } from "../../support/Files.ts"
import { limitedKey } from "../../support/reach/LimitedKey.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

describe("the links of an API key that reaches some notebooks", () => {
  it("lead to notes in these notebooks, and are broken as if there were no others", async () => {
    const { ask, below, given, home, note, secret } = await limitedKey(app)
    const hidden = await note(secret, "Hidden", { body: "[[Plan]]" })
    const [plan, other] = [
      await note(home, "Plan"),
      await note(below, "Twice", { body: "---\naliases: [Also]\n---\n" })
    ]
    await note(secret, "Twice", { body: "---\naliases: [Also]\n---\nabout the plan" })
    const body = `[[Hidden]] [[Twice]] [[also]] [x](note:${hidden}) [[Around/Home/Plan]] [[Home/Plan]] ![[scan.pdf]] the plan`
    const source = await note(below, "Source", { body })
    const shown = async (path: string): Promise<ReadonlyArray<unknown>> =>
      (await ask("GET", path)).body.data.map((link: any) => [
        link.target,
        link.status,
        link.resolved_by,
        link.target_id,
        link.target_title
      ])
    const missing = ["missing", null, null, null]
    const expected = [
      ["Hidden", ...missing],
      ["Twice", "resolved", "title", other, "Twice"],
      ["also", "resolved", "alias", other, "Twice"],
      [hidden, ...missing],
      ["Around/Home/Plan", ...missing],
      ["Home/Plan", "resolved", "title", plan, "Plan"]
    ]
    expect(await shown(`/notes/${source}/links?direction=out`)).toEqual(expected)
    expect(await shown("/links")).toEqual(expected)
    const broken = [expected[0], expected[3], expected[4]]
    expect(await shown(`/notes/${source}/links?direction=broken`)).toEqual(broken)
    expect(await shown("/links?filter=broken = true")).toEqual(broken)
    expect(await shown(`/links?filter=target_id = ${plan}`)).toEqual([expected[5]])
    expect(await shown(`/notes/${plan}/links?direction=in`)).toEqual([expected[5]])
    expect(await shown(`/notes/${plan}/links?direction=unlinked`)).toEqual([])
    const ids = async (path: string) => (await ask("GET", path)).body.data.map(({ id }: any) => id).toSorted()
    expect(await ids(`/notes/${plan}/neighbours?depth=3`)).toEqual([other, source].toSorted())
    expect((await ask("GET", `/notes/${hidden}/links`)).status).toBe(404)
    await given("PATCH", `/notes/${source}`, { body: "the plan" })
    expect(await shown(`/notes/${plan}/links?direction=unlinked`)).toEqual([["plan", "unlinked", null, plan, "Plan"]])
  })
})

describe("a rename by an API key that reaches some notebooks", () => {
  it("rewrites the links in its notes, and in no other", async () => {
    const { ask, below, closed, given, home, note, secret } = await limitedKey(app)
    const plan = await note(home, "Plan")
    const [source, read, hidden] = [
      await note(below, "Source", { body: "[[Plan]]" }),
      await note(closed, "Read", { body: "[[Plan]]" }),
      await note(secret, "Hidden", { body: "[[Plan]]" })
    ]
    const kept = (await ask("PATCH", `/notes/${plan}`, { title: "Goal", links: "keep" })).body
    expect(kept.links).toEqual({ notes: 2, change_set_id: null })
    await ask("PATCH", `/notes/${plan}`, { title: "Plan" })
    const { links, title } = (await ask("PATCH", `/notes/${plan}`, { title: "Aim", links: "update" })).body
    expect([title, links]).toEqual(["Aim", { notes: 1, change_set_id: expect.stringMatching(/^cs_/) }])
    const bodies = async () =>
      Promise.all([source, read, hidden].map(async (id) => (await given("GET", `/notes/${id}`)).body))
    expect(await bodies()).toEqual(["[[Aim]]", "[[Plan]]", "[[Plan]]"])
    // These still lead to the note, by its former title.
    expect((await given("GET", `/notes/${hidden}/links?direction=out`)).data).toMatchObject([{ target_id: plan }])
    expect((await ask("GET", `/notes/${read}/links?direction=out`)).body.data).toMatchObject([{ target_id: plan }])
  })
})

describe("the attachments of an API key that reaches some notebooks", () => {
  it("are those of its notes, whose bytes it sends itself", async () => {
    const { ask, below, closed, given, home, note, secret } = await limitedKey(app)
    const files = new Files(app)
    const [own, read, hidden] = [await note(home, "One"), await note(closed, "Two"), await note(secret, "Three")]
    const bytes = someBytes()
    const begin = (note_id: string) => ({ note_id, filename: "a.bin", sha256: sha256Of(bytes), size: bytes.length })
    const [foreign, pending] = [
      await given("POST", "/attachments", begin(hidden)),
      await given("POST", "/attachments", begin(read))
    ]
    await files.put(foreign, bytes)
    // The workspace has the bytes, but none of the notebooks.
    const made = (await ask("POST", "/attachments", begin(own))).body
    expect(made).toMatchObject({ status: "pending", upload_url: expect.any(String) })
    expect((await files.put(made, bytes)).body.status).toBe("ready")
    const again = (await ask("POST", "/attachments/uploads", begin(own))).body
    expect(again.status).toBe("pending")
    expect((await ask("GET", `/attachments/${again.id}`)).body.upload_url).toEqual(expect.any(String))
    expect((await ask("GET", `/attachments/${pending.id}`)).body.upload_url).toBe(undefined)
    const listed = (await ask("GET", `/attachments?filter=sha256 = ${sha256Of(bytes)}`)).body.data
    expect(listed.map(({ id }: any) => id).toSorted()).toEqual([made.id, pending.id, again.id].toSorted())
    expect((await ask("POST", `/attachments/${made.id}/complete`)).body.status).toBe("ready")
    const { url } = (await ask("GET", `/attachments/${made.id}/download`)).body
    expect((await files.call("GET", url)).bytes.equals(bytes)).toBe(true)
    const refused: ReadonlyArray<readonly [method: string, path: string, body: object | undefined, status: number]> = [
      ["GET", `/attachments/${foreign.id}`, undefined, 404],
      ["GET", `/attachments/${foreign.id}/download`, undefined, 404],
      ["PATCH", `/attachments/${foreign.id}`, { filename: "b" }, 404],
      ["DELETE", `/attachments/${foreign.id}`, undefined, 404],
      ["POST", `/attachments/${foreign.id}/complete`, undefined, 404],
      ["PATCH", `/attachments/${pending.id}`, { filename: "b" }, 404],
      ["DELETE", `/attachments/${pending.id}`, undefined, 404],
      ["POST", "/attachments", begin(read), 404],
      ["POST", "/attachments", begin(hidden), 422],
      ["PATCH", `/attachments/${made.id}`, { note_id: read }, 404],
      ["PATCH", `/attachments/${made.id}`, { note_id: hidden }, 422]
    ]
    const before = await app.sql("SELECT workspace_id, seq FROM heads ORDER BY 1")
    for (const [method, path, body, status] of refused) {
      const response = await ask(method, path, body)
      expect([method, path, response.status]).toEqual([method, path, status])
    }
    expect(await app.sql("SELECT workspace_id, seq FROM heads ORDER BY 1")).toEqual(before)
    const moved = await note(below, "Four")
    expect((await ask("PATCH", `/attachments/${made.id}`, { note_id: moved })).body.note_id).toBe(moved)
    await given("PATCH", `/notes/${moved}`, { notebook_id: secret })
    expect((await ask("GET", `/attachments/${made.id}`)).status).toBe(404)
    expect((await ask("DELETE", `/attachments/${again.id}`)).status).toBe(200)
  })
})

describe("the notebooks of an API key that reaches some", () => {
  it("are made, renamed and moved below those that it may write with their sub-notebooks", async () => {
    const { around, ask, below, closed, given, home, note, secret } = await limitedKey(app)
    const made = (await ask("POST", "/notebooks", { name: "Made", parent_id: below })).body
    expect(made).toMatchObject({ name: "Made", parent_id: below })
    expect((await ask("POST", "/notes", { notebook_id: made.id, title: "In it" })).status).toBe(201)
    expect((await ask("POST", `/notebooks/${made.id}/move`, { parent_id: home })).body.parent_id).toBe(home)
    const renamed = (await ask("PATCH", `/notebooks/${home}`, { name: "Hut", parent_id: null })).body
    expect(renamed).toMatchObject({ name: "Hut", parent_id: null })
    expect((await given("GET", `/notebooks/${home}`)).parent_id).toBe(around)
    const own = await note(home, "One")
    await given("PATCH", `/notes/${own}`, { title: "Two" })
    const read = await note(closed, "Three")
    await given("PATCH", `/notes/${read}`, { title: "Four" })
    const refused: ReadonlyArray<readonly [method: string, path: string, body: object | undefined, status: number]> = [
      ["POST", "/notebooks", { name: "x" }, 404],
      ["POST", "/notebooks", { name: "x", parent_id: closed }, 404],
      ["POST", "/notebooks", { name: "x", parent_id: around }, 422],
      ["POST", "/notebooks", { name: "x", parent_id: secret }, 422],
      ["PATCH", `/notebooks/${closed}`, { name: "x" }, 404],
      ["PATCH", `/notebooks/${secret}`, { name: "x" }, 404],
      ["PATCH", `/notebooks/${around}`, { name: "x" }, 404],
      ["POST", `/notebooks/${made.id}/move`, { parent_id: null }, 404],
      ["POST", `/notebooks/${made.id}/move`, { parent_id: closed }, 404],
      ["POST", `/notebooks/${made.id}/move`, { parent_id: around }, 422],
      ["POST", `/notebooks/${home}/move`, { parent_id: closed }, 404],
      ["DELETE", `/notes/${read}/versions/1`, undefined, 404]
    ]
    const before = await app.sql("SELECT workspace_id, seq FROM heads ORDER BY 1")
    for (const [method, path, body, status] of refused) {
      const response = await ask(method, path, body)
      expect([method, path, body, response.status]).toEqual([method, path, body, status])
    }
    expect(await app.sql("SELECT workspace_id, seq FROM heads ORDER BY 1")).toEqual(before)
    expect((await given("GET", `/notes/${read}/versions`)).data).toHaveLength(2)
    expect((await ask("DELETE", `/notes/${own}/versions/1`)).status).toBe(200)
    expect((await ask("GET", `/notes/${own}/versions`)).body.data).toHaveLength(1)
  })

  it("gets no upload address again for a file that has left its notebooks", async () => {
    const { given, headers, home, note, secret } = await limitedKey(app)
    const id = await note(home, "One")
    const body = { note_id: id, filename: "a.txt" }
    const start = () => app.call("POST", "/attachments/uploads", body, { ...headers, "idempotency-key": "first" })
    expect((await start()).body.upload_url).toEqual(expect.any(String))
    await given("PATCH", `/notes/${id}`, { notebook_id: secret })
    expect((await start()).status).toBe(404)
  })

  it("cannot name the notebook around one of its own", async () => {
    const { around, ask, home, secret } = await limitedKey(app)
    for (const parent_id of [around, secret, "nb_0123456789abcdefghij"]) {
      expect((await ask("PATCH", `/notebooks/${home}`, { parent_id })).status).toBe(422)
    }
  })
})
