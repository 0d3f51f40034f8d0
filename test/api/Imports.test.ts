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
    await expectTruth(app)
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
    await expectTruth(app)
  })
})
