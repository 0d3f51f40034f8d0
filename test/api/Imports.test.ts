import { describe, expect, it } from "vitest"
import { Files, sha256Of } from "../support/Files.ts"
import { Importing } from "../support/Importing.ts"
import { invalid, notFound, unresolved } from "../support/Scenario.ts"
import { Team } from "../support/Team.ts"
import { expectTruth } from "../support/Truth.ts"
import { useApp } from "../support/useApp.ts"
import { zipOf } from "../services/transfers/Zip.ts"

const { app, refuse } = useApp()

const start = async () => new Importing(await Team.start(app))

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const vault = zipOf([
  { name: "Root.md", content: "Root of [[Plan]]" },
  {
    name: "Work/Plan.md",
    content:
      "---\ntags: [work, big]\ncreated: 2020-01-02T03:04:05Z\n---\n# Plan\n\n![[pixel.png]] and [[Root]] and [[Nowhere]]\n"
  },
  { name: "Work/Deep/Er/Than/Five/Levels/Low.md", content: "low" },
  { name: "Work/pixel.png", content: png }
])

describe("imports", () => {
  it("wait for their file, which a signed address takes once, and bring in what it holds", async () => {
    const own = await start()
    const { team } = own
    const made = await team.post("/imports", {
      source: "markdown",
      filename: "vault.zip",
      status: "failed",
      imported: 7
    })
    expect(made).toEqual({
      id: expect.stringMatching(/^im_/),
      source: "markdown",
      status: "queued",
      notebook_id: null,
      filename: "vault.zip",
      size_bytes: null,
      imported: 0,
      total: null,
      errors: [],
      created_at: "2026-03-01T12:00:00.000Z",
      progress: 0,
      upload_url: expect.stringMatching(/^http:\/\/sheaf\.test\/files\/imports\//),
      upload_method: "PUT",
      upload_headers: { "content-type": "application/octet-stream" },
      upload_expires_at: "2026-03-01T12:15:00.000Z"
    })
    // Told anew, also when the answer was lost.
    expect((await team.get(`/imports/${made.id}`)).upload_url).toBe(made.upload_url)
    const files = new Files(app)
    expect((await files.call("PUT", `${made.upload_url}0`, vault)).status).toBe(403)
    const sent = await files.put(made, vault)
    expect(sent.status).toBe(200)
    expect(sent.body).toMatchObject({ id: made.id, size_bytes: vault.length, upload_url: null })
    const done = await own.ended(made.id)
    expect(done).toMatchObject({ status: "done", imported: 3, total: 3, progress: 1, upload_url: null })
    expect(done.errors).toEqual([
      { file: "Work/Plan.md", code: "link_not_found", message: expect.stringContaining("Nowhere") },
      { file: "Work/Deep/Er/Than/Five/Levels/Low.md", code: "notebook_folded", message: expect.any(String) }
    ])
    expect((await files.put(made, vault)).body).toMatchObject({ status: 410, code: "upload_expired" })

    const notes = await own.notes()
    const [low, plan, root] = notes
    expect(notes.map(({ notebook, title }) => [title, notebook])).toEqual([
      ["Low", ["Work", "Deep", "Er", "Than", "Five / Levels"]],
      ["Plan", ["Work"]],
      ["Root", ["Inbox"]]
    ])
    expect(low).toMatchObject({ version: 1, author_id: team.owner.user_id })
    expect(plan).toMatchObject({ tags: ["work", "big"], created_at: "2020-01-02T03:04:05.000Z" })
    const [attachment] = (await team.get("/attachments")).data
    expect(attachment).toMatchObject({
      note_id: plan.id,
      filename: "pixel.png",
      content_type: "image/png",
      status: "ready",
      sha256: sha256Of(png)
    })
    expect(plan.body).toContain(`(attachment:${attachment.id})`)
    expect(plan.body).toContain(`(note:${root.id})`)
    expect(plan.body).toContain("[[Nowhere]]")
    expect(root.body).toContain(`(note:${plan.id})`)
    expect((await files.call("GET", attachment.url)).bytes).toEqual(png)
    expect((await team.post("/search", { query: "pixel" })).hits[0].id).toBe(plan.id)

    const told = { source: "markdown", filename: "vault.zip", notebook_id: null, imported: 3, total: 3, errors: 2 }
    const [event] = (await team.get("/events?filter=resource_type%3Dimport")).data
    expect(event).toMatchObject({ type: "import.done", resource_id: made.id, actor_id: team.owner.user_id, data: told })
    const [entry] = (await team.get("/audit-log?filter=action%3Dimport.done")).data
    expect(entry).toMatchObject({ resource_id: made.id, metadata: told })
    expect((await team.get("/imports?filter=status%3Ddone&sort=status")).data.map(({ id }: any) => id)).toEqual([
      made.id
    ])
    await expectTruth(app, own.team.id)
  })

  it("need a source that is known, and a notebook that is there", async () => {
    await refuse(invalid("source", "required"), "POST", "/imports", {})
    await refuse(invalid("source", "unknown"), "POST", "/imports", { source: "onenote" })
    await refuse(invalid("filename", "invalid"), "POST", "/imports", { source: "enex", filename: "../x.enex" })
    await refuse(unresolved("notebook_id"), "POST", "/imports", { source: "enex", notebook_id: "nb_unknown" })
    await refuse(notFound, "GET", "/imports/im_unknown")
  })

  it("come in one call as a form, once for one Idempotency-Key", async () => {
    const own = await start()
    const { id: notebook_id } = await own.team.post("/notebooks", { name: "Here" })
    const fields = { source: "markdown", notebook_id }
    const headers = { "idempotency-key": "once" }
    const first = await own.form(fields, "One.md", Buffer.from("# One\n\n#tag"), own.team.owner, headers)
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ status: "queued", filename: "One.md", notebook_id, upload_url: null })
    const second = await own.form(fields, "One.md", Buffer.from("# One\n\n#tag"), own.team.owner, headers)
    expect([second.status, second.body.id, second.headers.get("idempotent-replayed")]).toEqual([
      201,
      first.body.id,
      "true"
    ])
    const other = await own.form(fields, "One.md", Buffer.from("# Two"), own.team.owner, headers)
    expect(other.body.code).toBe("idempotency_key_reused")
    expect(await own.ended(first.body.id)).toMatchObject({ status: "done", imported: 1, errors: [] })
    expect(await own.notes()).toMatchObject([{ title: "One", notebook: ["Here"], tags: ["tag"] }])
    expect((await own.form({ source: "word" }, "One.md", Buffer.from("x"))).body.code).toBe("validation_failed")
    await expectTruth(app, own.team.id)
  })

  it("take an export in JSON back without loss: ids, times, history and all that hangs on notes", async () => {
    const from = await start()
    const { team } = from
    const [inbox] = (await team.get("/notebooks")).data
    const work = await team.post("/notebooks", { name: "Work", color: "#123456", icon: "book" })
    const below = await team.post("/notebooks", { name: "Below", parent_id: work.id })
    await team.post("/tags", { name: "unused", color: "#abcdef" })
    await app.advance("1 minute")
    const note = await team.post("/notes", {
      notebook_id: below.id,
      title: "Old",
      body: "first",
      tags: ["Big"],
      pinned: true
    })
    const other = await team.post("/notes", { notebook_id: inbox.id, title: "Other", body: `To [it](note:${note.id})` })
    await app.advance("1 minute")
    await team.patch(`/notes/${note.id}`, { title: "New" })
    await app.advance("1 minute")
    const files = new Files(app)
    const attach = async (note_id: string, filename: string, bytes: Buffer) =>
      (await files.put(await team.post("/attachments/uploads", { note_id, filename }), bytes)).body
    const file = await attach(note.id, "pixel.png", png)
    await attach(other.id, "same.png", png)
    await attach(other.id, "large.bin", Buffer.alloc(700_000, "x"))
    await team.patch(`/notes/${note.id}`, { body: `second ![](attachment:${file.id})` })
    await team.post(`/notes/${other.id}/archive`)
    const comment = await team.post(`/notes/${note.id}/comments`, { body: "Why?" })
    await team.post(`/notes/${note.id}/comments`, { body: "Because", parent_id: comment.id })
    await team.post("/reminders", { note_id: note.id, remind_at: "2031-05-01T08:00:00Z", channel: "email" })
    await team.post("/templates", { name: "Daily", body: "{{date}}" })
    await app.advance("1 minute")
    const first = await from.exported("json")

    // Into a workspace with an empty Inbox alone, which makes way: as it was.
    const into = new Importing(await Team.of(app, team.owner))
    await app.call("PATCH", `/workspaces/${into.team.id}`, { plan: "team" }, into.team.owner.headers)
    const done = await into.all("json", "export.zip", first.bytes)
    expect(done).toMatchObject({ status: "done", imported: 2, total: 2, errors: [] })
    const second = await into.exported("json")
    expect([...second.files.keys()]).toEqual([...first.files.keys()])
    for (const [path, bytes] of first.files) {
      if (path !== "manifest.json") expect(second.files.get(path)!.toString(), path).toBe(bytes.toString())
    }

    // Into one that has something: beside it, with other ids, whose links lead to each other.
    const again = await into.all("json", "export.zip", first.bytes)
    expect(again).toMatchObject({ status: "done", imported: 2, errors: [] })
    const notes = await into.notes()
    expect(notes.map(({ notebook, title }) => [title, notebook])).toEqual([
      ["New", ["Work", "Below"]],
      ["New", ["Work", "Below"]],
      ["Other", ["Inbox"]],
      ["Other", ["Inbox"]]
    ])
    const copy = notes.find(({ id, title }) => title === "New" && id !== note.id)
    expect(notes.find(({ body, title }) => title === "Other" && body.includes(copy.id))).toBeDefined()
    const versions = (await into.team.get(`/notes/${copy.id}/versions`)).data
    expect(versions.map(({ title, version }: any) => [version, title])).toEqual([
      [3, "New"],
      [2, "New"],
      [1, "Old"]
    ])
    const attached = (await into.team.get(`/attachments?filter=note_id%3D${copy.id}`)).data
    expect(copy.body).toBe(`second ![](attachment:${attached[0].id})`)
    expect((await files.call("GET", attached[0].url)).bytes).toEqual(png)
    await expectTruth(app, into.team.id)
  })
})
