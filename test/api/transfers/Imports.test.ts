import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Blobs } from "../../../services/files/Blobs.ts"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import * as FaultyBlobs from "../../support/FaultyBlobs.ts"
import { Files, sha256Of } from "../../support/Files.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { Importing } from "../../support/Importing.ts"
import { ofOperator } from "../../support/OperatorJob.ts"
import { invalid, notFound, unresolved } from "../../support/Scenario.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { startApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"
import { zipOf } from "../../services/transfers/Zip.ts"

const faults = new FaultyBlobs.BlobFaults()
const { app, refuse } = useApp({ layers: FaultyBlobs.layer(faults) })

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
  it("wait for their file, accept it once at a signed URL, and import its content", async () => {
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
      preview: false,
      notebook_id: null,
      filename: "vault.zip",
      size_bytes: null,
      on_existing: "skip",
      imported: 0,
      skipped: 0,
      updated: 0,
      notebooks: 0,
      tags: 0,
      attachments: 0,
      total: null,
      errors: [],
      created_at: "2026-03-01T12:00:00.000Z",
      progress: 0,
      upload_url: expect.stringMatching(/^http:\/\/sheaf\.test\/files\/imports\//),
      upload_method: "PUT",
      upload_headers: { "content-type": "application/octet-stream" },
      upload_expires_at: "2026-03-01T12:15:00.000Z"
    })
    // The URL is returned again, in case the first response was lost.
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
    const again = await files.put(made, vault)
    expect([again.status, again.body]).toEqual([200, done])
    const other = Buffer.from(vault)
    other[other.length - 1]! ^= 1
    expect((await files.put(made, other)).body).toMatchObject({ status: 410, code: "upload_expired" })
    expect((await files.put(made, vault.subarray(1))).body).toMatchObject({ status: 410, code: "upload_expired" })

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

    const details = { source: "markdown", filename: "vault.zip", notebook_id: null, imported: 3, total: 3, errors: 2 }
    const [event] = (await team.get("/events?filter=resource_type%3Dimport")).data
    expect(event).toMatchObject({
      type: "import.done",
      resource_id: made.id,
      actor_id: team.owner.user_id,
      data: details
    })
    const [entry] = (await team.get("/audit-log?filter=action%3Dimport.done")).data
    expect(entry).toMatchObject({ resource_id: made.id, metadata: details })
    expect((await team.get("/imports?filter=status%3Ddone&sort=status")).data.map(({ id }: any) => id)).toEqual([
      made.id
    ])
    await expectTruth(app, own.team.id)
  })

  it("require a known source and an existing notebook", async () => {
    await refuse(invalid("source", "required"), "POST", "/imports", {})
    await refuse(invalid("source", "unknown"), "POST", "/imports", { source: "onenote" })
    await refuse(invalid("on_existing", "unknown"), "POST", "/imports", { source: "enex", on_existing: "replace" })
    await refuse(invalid("filename", "invalid"), "POST", "/imports", { source: "enex", filename: "../x.enex" })
    await refuse(unresolved("notebook_id"), "POST", "/imports", { source: "enex", notebook_id: "nb_unknown" })
    await refuse(notFound, "GET", "/imports/im_unknown")
  })

  it("are created in one request with a form, once per Idempotency-Key", async () => {
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

  it("restore a JSON export without loss: ids, times, history and all records of notes", async () => {
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
    const daily = `{{date}} [it](note:${note.id}) ![](attachment:${file.id})`
    await team.post("/templates", { name: "Daily", body: daily })
    await app.advance("1 minute")
    const first = await from.exported("json")

    // Into a workspace that has only an empty Inbox, which the import replaces: everything is equal.
    const into = new Importing(await Team.of(app, team.owner))
    await app.call("PATCH", `/workspaces/${into.team.id}`, { plan: "team" }, into.team.owner.headers)
    const done = await into.all("json", "export.zip", first.bytes)
    expect(done).toMatchObject({ status: "done", imported: 2, total: 2, errors: [] })
    const second = await into.exported("json")
    expect([...second.files.keys()]).toEqual([...first.files.keys()])
    for (const [path, bytes] of first.files) {
      if (path !== "manifest.json") expect(second.files.get(path)!.toString(), path).toBe(bytes.toString())
    }

    // Into a workspace with content: the notes are added with new ids, and link to each other.
    const again = await into.all("json", "export.zip", first.bytes, { on_existing: "duplicate" })
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
    const templates = (await into.team.get("/templates")).data.map(({ body }: any) => body)
    expect(templates.toSorted()).toEqual(
      [daily, `{{date}} [it](note:${copy.id}) ![](attachment:${attached[0].id})`].toSorted()
    )
    await expectTruth(app, into.team.id)
  })

  it("use an existing notebook of the same name, also in another Unicode normal form", async () => {
    const own = await start()
    await own.team.post("/notebooks", { name: "Caf\u00e9" })
    const done = await own.all(
      "markdown",
      "vault.zip",
      zipOf([
        { name: "Cafe\u0301/one.md", content: "one" },
        { name: "Caf\u00e9/two.md", content: "two" },
        { name: "cafe/three.md", content: "three" }
      ])
    )
    expect(done).toMatchObject({ status: "done", imported: 3, errors: [] })
    const names = (await own.team.get("/notebooks")).data.map(({ name }: any) => name)
    expect(names.toSorted()).toEqual(["Caf\u00e9", "Inbox", "cafe"].toSorted())
    const places = (await own.notes()).map(({ notebook, title }) => [title, ...notebook])
    expect(places).toEqual([
      ["one", "Caf\u00e9"],
      ["three", "cafe"],
      ["two", "Caf\u00e9"]
    ])
  })

  it("stop at the limits of the plan, keep the notes and files below them, and report the rest", async () => {
    const small = await startApp({
      settings: {
        policies: {
          signUp: "open",
          planChanges: "owner",
          ownedWorkspaces: 0,
          limits: { ...planDefaults, team: { ...planDefaults.team, notes: 2, tags: 1, attachment_bytes: 100 } }
        }
      }
    })
    try {
      const own = new Importing(await Team.start(small))
      const done = await own.all(
        "markdown",
        "vault.zip",
        zipOf([
          { name: "a.md", content: "---\ntags: [one, two]\n---\n![](pixel.png) ![](large.bin)" },
          { name: "b.md", content: "b" },
          { name: "c.md", content: "c" },
          { name: "d.md", content: "d" },
          { name: "pixel.png", content: png },
          { name: "large.bin", content: "x".repeat(101) }
        ])
      )
      expect(done).toMatchObject({ status: "done", imported: 2, total: 4 })
      expect(done.errors.map(({ code, file }: any) => [file, code])).toEqual([
        ["large.bin", "too_large"],
        ["a.md", "quota_exceeded"],
        ["c.md", "quota_exceeded"]
      ])
      expect(done.errors.at(-1).message).toBe(
        "The plan of the workspace allows 2 notes: 2 items were not imported, starting with this one"
      )
      expect((await own.notes()).map(({ title }) => title)).toEqual(["a", "b"])
      expect((await own.team.get("/attachments")).data).toMatchObject([{ filename: "pixel.png" }])
      const none = await own.all("markdown", "more.md", Buffer.from("# More"))
      expect(none).toMatchObject({ status: "failed", imported: 0 })
      await expectTruth(small, own.team.id)
    } finally {
      await small.stop()
    }
  })

  it("require the role editor and a write scope; readers see no upload URL", async () => {
    const own = await start()
    const viewer = await own.team.member("viewer")
    const reader = await own.team.key("editor", ["notes:read"])
    const call = (method: string, path: string, who: Member, body?: object) => app.call(method, path, body, who.headers)
    expect((await call("POST", "/imports", viewer, { source: "enex" })).body.code).toBe("insufficient_role")
    expect((await call("POST", "/imports", reader, { source: "enex" })).body.code).toBe("insufficient_scope")
    expect((await own.form({ source: "markdown" }, "One.md", Buffer.from("x"), viewer)).body.code).toBe(
      "insufficient_role"
    )
    const { id } = await own.team.post("/imports", { source: "enex" })
    for (const who of [viewer, reader]) {
      const found = await call("GET", `/imports/${id}`, who)
      expect(found.body).not.toHaveProperty("upload_url")
      expect((await call("GET", "/imports", who)).body.data).toEqual([found.body])
    }
    expect((await call("GET", `/imports/${id}`, (await start()).team.owner)).status).toBe(404)
  })

  it("fail when the user loses the right to write or the workspace is deleted", async () => {
    const own = await start()
    const editor = await own.team.member("editor")
    const made = (await app.call("POST", "/imports", { source: "markdown" }, editor.headers)).body
    await own.team.patch(`${own.team.members}/${editor.member_id}`, { role: "viewer" })
    const files = new Files(app)
    expect((await files.put(made, Buffer.from("# Late"))).status).toBe(200)
    const failed = await own.ended(made.id)
    expect(failed).toMatchObject({ status: "failed", imported: 0, errors: [{ code: "insufficient_role" }] })
    const [event] = (await own.team.get("/events?filter=resource_type%3Dimport")).data
    expect(event).toMatchObject({ type: "import.failed", data: { errors: 1 } })

    const other = await start()
    const waiting = await other.team.post("/imports", { source: "markdown" })
    await app.call(
      "DELETE",
      `/workspaces/${other.team.id}?confirm=${other.team.slug}`,
      undefined,
      other.team.owner.headers
    )
    expect((await files.put(waiting, Buffer.from("# Late"))).status).toBe(404)
    await expectTruth(app, own.team.id)
  })

  it("move notes of a notebook deleted meanwhile to another one, and do not restore notes deleted since", async () => {
    const own = await start()
    const { id: notebook_id } = await own.team.post("/notebooks", { name: "Gone" })
    const made = await own.team.post("/imports", { source: "markdown", notebook_id })
    await app.call("DELETE", `/notebooks/${notebook_id}`, undefined, own.team.owner.headers)
    const archive = zipOf([
      { name: "Sub/a.md", content: "a" },
      { name: "b.md", content: "b" }
    ])
    await new Files(app).put(made, archive)
    expect(await own.ended(made.id)).toMatchObject({ status: "done", imported: 2 })
    const notes = await own.notes()
    expect(notes.map(({ notebook, title }) => [title, notebook])).toEqual([
      ["a", ["Sub"]],
      ["b", ["Inbox"]]
    ])
    // Runs the same import a second time, as after a crash before its end was stored.
    await own.leftQueue(made.id)
    await app.call("DELETE", `/notes/${notes[0].id}?permanent=true`, undefined, own.team.owner.headers)
    const before = (await own.team.changes(0)).length
    const file = await keptFile(own, archive)
    await app.sql("UPDATE imports SET status = 'queued', blob = $2, ends_at = NULL WHERE id = $1", [made.id, file])
    await app.sql("UPDATE blobs SET refs = refs + 1, unused_since = NULL WHERE workspace_id = $1 AND sha256 = $2", [
      own.team.id,
      file
    ])
    await app.sql(
      "INSERT INTO transfers VALUES ($1, $2, 0, 0, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z')",
      [own.team.id, made.id]
    )
    await eventually("it is taken up", async () => {
      // A poll of the queue that is under way misses a move of the clock.
      await app.advance("10 seconds")
      return (await own.team.get(`/imports/${made.id}`)).status !== "queued"
    })
    expect(await own.ended(made.id)).toMatchObject({ status: "done", imported: 2 })
    expect((await own.notes()).map(({ title }) => title)).toEqual(["b"])
    expect((await own.team.changes(before)).map(({ type }) => type)).toEqual(["import.done"])
  })

  it("end as failed when the operator cancels them, and continue without doubled notes when they are repeated", async () => {
    const own = await start()
    const jobs = ofOperator(app, own.team.id)
    const waiting = await own.team.post("/imports", { source: "markdown", filename: "later.md" })
    const archive = zipOf([
      { name: "a.md", content: "![](p.png)" },
      { name: "p.png", content: png },
      { name: "z.md", content: "last" }
    ])
    // Duplicates would be new notes.
    const read = faults.stall("read")
    const id = await own.begin("markdown", "vault.zip", archive, { on_existing: "duplicate" })
    await read.reached
    const next = await own.begin("markdown", "next.md", Buffer.from("next"))
    const states = async () => new Map((await jobs.list()).map((job) => [job.id, job.state]))
    expect(await states()).toEqual(
      new Map([
        [waiting.id, "awaiting_file"],
        [id, "running"],
        [next, "queued"]
      ])
    )
    await jobs.cancel(waiting.id)
    await jobs.cancel(id)
    read.release()
    // The next import of the workspace follows.
    expect(await own.ended(next)).toMatchObject({ status: "done", imported: 1 })
    const errors = [{ file: "vault.zip", code: "not_ended", message: "The operator of the server cancelled it" }]
    expect(await own.team.get(`/imports/${id}`)).toMatchObject({ status: "failed", imported: 0, errors })
    const failed = (await jobs.list()).map(({ error, id, state }) => [id, { state, error }] as const)
    const { message: error } = errors[0]!
    expect(new Map(failed)).toEqual(
      new Map([
        [waiting.id, { state: "failed", error }],
        [id, { state: "failed", error }]
      ])
    )
    await own.leftNothing()
    await expect(jobs.retry(waiting.id)).rejects.toThrow(/file has never arrived/)
    await expect(jobs.retry(next)).rejects.toThrow(/not failed/)

    for (const imported of [2, 2]) {
      await jobs.retry(id)
      expect(await own.ended(id)).toMatchObject({ status: "done", imported, errors: [], total: 2 })
      expect(await own.notes()).toHaveLength(3)
      // As if it had failed at its last step.
      await app.sql("UPDATE imports SET status = 'failed' WHERE id = $1", [id])
    }
    await expectTruth(app)

    const blob = sha256Of(archive)
    await app.run(Effect.flatMap(Blobs, (blobs) => blobs.remove({ workspace_id: own.team.id, sha256: blob })))
    await expect(jobs.retry(id)).rejects.toThrow(/file is gone/)
    await app.sql("DELETE FROM blobs WHERE sha256 = $1", [blob])
    await expect(jobs.retry(id)).rejects.toThrow(/file is gone/)
    expect(await own.team.get(`/imports/${id}`)).toMatchObject({ status: "failed" })
  })

  it("are limited to twenty in the queue and twenty that wait for their file; the oldest of these fails", async () => {
    const own = await start()
    const ids: Array<string> = []
    for (let number = 0; number < 21; number++) {
      ids.push((await own.team.post("/imports", { source: "enex", filename: `${number}.enex` })).id)
      await app.advance("1 millis")
    }
    expect(await own.team.get(`/imports/${ids[0]}`)).toMatchObject({
      status: "failed",
      errors: [{ code: "nothing_came" }]
    })
    expect(await own.team.get(`/imports/${ids[1]}`)).toMatchObject({ status: "queued", upload_url: expect.any(String) })
    // Queued rows that no worker claims.
    await app.sql(
      `INSERT INTO exports SELECT $1, 'ex_waiting00000000' || lpad(n::text, 4, '0'), 'workspace', 'json', 'queued', NULL, true,
        NULL, NULL, NULL, '2026-03-01T12:00:00.000Z', NULL, NULL FROM generate_series(1, 22) n`,
      [own.team.id]
    )
    const refused = await own.form({ source: "markdown" }, "One.md", Buffer.from("x"))
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } })
    const upload = await own.team.get(`/imports/${ids[2]}`)
    expect((await new Files(app).put(upload, Buffer.from("x"))).body).toMatchObject({
      status: 429,
      code: "rate_limited"
    })
    await app.sql("DELETE FROM exports WHERE workspace_id = $1", [own.team.id])
    // The URL can be used again.
    expect((await new Files(app).put(upload, Buffer.from("x"))).status).toBe(200)
    await own.ended(ids[2]!)
    await app.advance("25 hours")
    await app.idle()
    // Read from the database, because the session has expired.
    const [last] = await app.sql("SELECT status, errors FROM imports WHERE id = $1", [ids[20]])
    expect(last).toMatchObject({ status: "failed", errors: [{ code: "nothing_came" }] })
    // Imports are deleted when their retention ends.
    await expectTruth(app, own.team.id)
    await app.advance("90 days")
    await app.idle()
    await app.advance("1 hour")
    await app.idle()
    expect(await app.sql("SELECT id FROM imports WHERE workspace_id = $1", [own.team.id])).toEqual([])
  })

  it("keep waiting, and leave no file, after an upload that broke off", async () => {
    const own = await start()
    const made = await own.team.post("/imports", { source: "markdown" })
    const address = new URL(new Files(app).at(made.upload_url))
    await new Promise<void>((resolve) => {
      const request = httpRequest(address, { method: "PUT", headers: { "content-length": "1000000" } })
      request.on("error", () => resolve())
      request.write(Buffer.alloc(300_000), () => request.destroy())
    })
    await expect.poll(() => readdirSync(join(app.dataDir, "files", "staging"))).toEqual([])
    expect(await own.team.get(`/imports/${made.id}`)).toMatchObject({ status: "queued", size_bytes: null })
    expect((await new Files(app).put(made, Buffer.from("# Whole"))).status).toBe(200)
    expect(await own.ended(made.id)).toMatchObject({ status: "done", imported: 1 })
  })

  it("create reminders for future reminders of Evernote", async () => {
    const own = await start()
    const note = (time: string) =>
      `<note><title>T</title><content><![CDATA[<en-note>x</en-note>]]></content><note-attributes><reminder-time>${time}</reminder-time></note-attributes></note>`
    const enex = `<en-export>${note("20300101T000000Z")}${note("20200101T000000Z")}</en-export>`
    await own.all("enex", "My notes.enex", Buffer.from(enex))
    expect((await own.team.get("/reminders")).data).toMatchObject([
      { remind_at: "2030-01-01T00:00:00.000Z", done: false, channel: "push", user_id: own.team.owner.user_id }
    ])
    expect((await own.notes()).map(({ notebook }) => notebook)).toEqual([["My notes"], ["My notes"]])
  })

  it("of a JSON export assign all notes, versions, comments and reminders to the importing user", async () => {
    const own = await start()
    const member = await own.team.member("admin")
    const stranger = (await start()).team.owner
    const [inbox] = (await own.team.get("/notebooks")).data
    const times = { created_at: "2020-01-01T00:00:00.000Z", updated_at: "2020-01-01T00:00:00.000Z" }
    const noteBy = (letter: string, author_id: string | null) => {
      const id = (prefix: string) => `${prefix}_${letter.repeat(20)}`
      const { created_at } = times
      const marks = { tags: [], pinned: false, archived: false }
      const text = { title: letter, body: "x", ...marks, notebook_id: inbox.id, author_id, restored_from: null }
      const note = { id: id("nt"), ...text, version: 2, ...times }
      const versions = [{ ...text, version: 1, word_count: 1, created_at }]
      const comments = [
        { id: id("cm"), parent_id: null, author_id, body: "by", resolved: false, deleted: false, ...times }
      ]
      const user_id = author_id ?? member.user_id
      const reminders = [
        { id: id("rm"), remind_at: "2031-01-01T00:00:00Z", channel: "push", done: false, user_id, ...times }
      ]
      const content = JSON.stringify({ note, versions, attachments: [], comments, reminders })
      return { name: `notes/${note.id}.json`, content }
    }
    const manifest = JSON.stringify({ format: "sheaf-export", version: 1, include_attachments: true })
    const file = zipOf([
      { name: "manifest.json", content: manifest },
      { name: "notebooks.json", content: JSON.stringify([{ ...inbox, ...times }]) },
      { name: "tags.json", content: "[]" },
      noteBy("a", stranger.user_id),
      noteBy("b", member.user_id),
      noteBy("c", own.team.owner.user_id),
      noteBy("d", null)
    ])
    expect(await own.all("json", "export.zip", file)).toMatchObject({ status: "done", imported: 4, errors: [] })
    const [row] = await app.sql("SELECT keeps_ids FROM imports WHERE workspace_id = $1", [own.team.id])
    expect(row.keeps_ids).toBe(true)
    for (const [table, column, count] of [
      ["notes", "author_id", 4],
      ["note_versions", "author_id", 4],
      ["comments", "author_id", 4],
      ["reminders", "user_id", 4]
    ] as const) {
      const rows = await app.sql(`SELECT ${column} AS user_id FROM ${table} WHERE workspace_id = $1`, [own.team.id])
      expect([table, ...rows.map(({ user_id }) => user_id)]).toEqual([
        table,
        ...Array(count).fill(own.team.owner.user_id)
      ])
    }
  })

  it("of a modified JSON export import only its valid parts, under the name of the importing user", async () => {
    const own = await start()
    const editor = await own.team.member("editor")
    const note = (number: number, more: object = {}) => ({
      id: `nt_made00000000000000${number}`,
      notebook_id: "nb_made000000000000000",
      title: `Made ${number}`,
      body: "x",
      tags: [],
      pinned: false,
      archived: false,
      version: 2,
      created_at: "2020-01-01T00:00:00.000Z",
      updated_at: "2020-01-01T00:00:00.000Z",
      author_id: own.team.owner.user_id,
      restored_from: null,
      ...more
    })
    const whole = (one: any, more: object = {}) => ({
      name: `notes/${one.id}.json`,
      content: JSON.stringify({ note: one, versions: [], attachments: [], comments: [], reminders: [], ...more })
    })
    const made = (await app.call("POST", "/imports", { source: "json" }, editor.headers)).body
    await new Files(app).put(
      made,
      zipOf([
        {
          name: "manifest.json",
          content: JSON.stringify({ format: "sheaf-export", version: 1, include_attachments: true })
        },
        { name: "notebooks.json", content: "[]" },
        { name: "tags.json", content: JSON.stringify([{ id: "tg_short", name: "no tag", created_at: "x" }]) },
        whole(note(1), {
          reminders: [
            {
              id: "rm_made00000000000000",
              remind_at: "2031-01-01T00:00:00Z",
              channel: "email",
              done: false,
              user_id: own.team.owner.user_id,
              created_at: "2020-01-01T00:00:00Z",
              updated_at: "2020-01-01T00:00:00Z"
            }
          ],
          attachments: [
            {
              id: "at_made00000000000000",
              filename: "a.bin",
              content_type: "x/y",
              size: 1,
              sha256: "0".repeat(64),
              created_at: "2020-01-01T00:00:00Z"
            }
          ]
        }),
        whole(note(2, { title: "x".repeat(201) })),
        { name: "notes/nt_made000000000000003.json", content: '{"note":{' },
        whole(note(4, { id: "../../etc/passwd" }))
      ])
    )
    const done = await own.ended(made.id)
    expect(done).toMatchObject({ status: "done", imported: 1 })
    expect(done.errors.map(({ code }: any) => code).toSorted()).toEqual([
      "invalid_file",
      "invalid_file",
      "invalid_file",
      "missing_file",
      "unsafe_path"
    ])
    expect(await own.notes()).toMatchObject([{ title: "Made 1", notebook: ["Inbox"], author_id: editor.user_id }])
    expect((await own.team.get("/reminders")).data).toMatchObject([{ user_id: editor.user_id }])
    const wrong = await own.all("json", "vault.zip", vault)
    expect(wrong).toMatchObject({ status: "failed", errors: [{ file: "vault.zip", code: "not_readable" }] })
  })

  it("yield to imports of other owners, and lose or duplicate no note when they resume", async () => {
    const [one, two, other] = [await start(), await start(), await start()]
    const count = 1_000
    const many = zipOf(Array.from({ length: count }, (_, n) => ({ name: `${n}.md`, content: `word${n}` })))
    const long = [await one.begin("markdown", "many.zip", many), await two.begin("markdown", "many.zip", many)]
    const tries = (least: number) =>
      app.sql("SELECT id FROM transfers WHERE id = ANY($1::text[]) AND attempts >= $2::int", [long, String(least)])
    await expect.poll(async () => (await tries(1)).length).toBe(2)
    const passing = await other.begin("markdown", "a.md", Buffer.from("word"))
    await expect
      .poll(async () => {
        await app.move("1 second")
        return (await other.team.get(`/imports/${passing}`)).status
      })
      .toBe("done")
    // One of the long imports yielded, and starts again.
    await expect.poll(async () => (await tries(2)).length).toBeGreaterThan(0)
    for (const [index, own] of [one, two].entries()) {
      const { errors, imported, status, total } = await own.ended(long[index]!)
      expect({ errors, imported, status, total }).toEqual({ errors: [], imported: count, status: "done", total: count })
      const [row] = await app.sql(
        "SELECT count(*)::int AS notes, count(DISTINCT title)::int AS titles FROM notes WHERE workspace_id = $1",
        [own.team.id]
      )
      expect(row).toEqual({ notes: count, titles: count })
    }
  })

  it("are distributed over two nodes, each import to one of them", async () => {
    const other = await startApp({ databaseOf: app, settings: { dataDir: app.dataDir } })
    try {
      const many: Array<Importing> = []
      for (let number = 0; number < 3; number++) many.push(await start())
      // More notes than one batch, and more imports than two nodes run at a time.
      const count = 110
      const archive = zipOf(
        Array.from({ length: count }, (_, n) => ({ name: `${n}.md`, content: `# ${n}\n\n![](p.png)` })).concat({
          name: "p.png",
          content: png.toString("latin1")
        })
      )
      const more = { on_existing: "duplicate" }
      const begun = await Promise.all(
        many.flatMap((own) =>
          [0, 1].map(async () => [own, await own.begin("markdown", "vault.zip", archive, more)] as const)
        )
      )
      for (const [own, id] of begun) expect(await own.ended(id)).toMatchObject({ status: "done", imported: count })
      for (const own of many) {
        expect(await own.notes()).toHaveLength(2 * count)
        await expectTruth(app, own.team.id)
      }
    } finally {
      await other.stop()
    }
  })
})

/** Returns the hash of a file that the workspace already stores. */
const keptFile = async (own: Importing, bytes: Buffer): Promise<string> => {
  const sha256 = sha256Of(bytes)
  expect(
    await app.sql("SELECT sha256 FROM blobs WHERE workspace_id = $1 AND sha256 = $2", [own.team.id, sha256])
  ).toHaveLength(1)
  return sha256
}
