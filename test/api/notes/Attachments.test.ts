import { Effect } from "effect"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { collectBlobs } from "../../../services/files/BlobCollection.ts"
import { Database } from "../../../services/database/Database.ts"
import { planDefaults, policyDefaults } from "../../../services/workspaces/Plans.ts"
import { Files, sha256Of, someBytes } from "../../support/Files.ts"
import { invalid, notFound, unresolved } from "../../support/Scenario.ts"
import { guest } from "../../support/people/People.ts"
import { RawWire, statuses } from "../../support/RawHttp.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"

const mebibyte = 1024 * 1024
const policies = {
  ...policyDefaults,
  signUp: "open" as const,
  limits: { ...planDefaults, team: { ...planDefaults.team, attachment_bytes: mebibyte, storage_bytes: 8 * mebibyte } }
}
const { act, app, given, refuse } = useApp({ settings: { policies } })
let files: Files
let inbox: string
let note: string

beforeAll(async () => {
  files = new Files(app)
  inbox = (await app.call("GET", "/notebooks")).body.data[0].id
})
const makeNote = async (body = "") =>
  (await given("POST", "/notes", { notebook_id: inbox, title: "With files", body })).id
beforeEach(async () => {
  note = await makeNote()
})

const begin = (more: object = {}) =>
  given("POST", "/attachments/uploads", { note_id: note, filename: "a.txt", ...more })
const usage = async (): Promise<number> => (await given("GET", "/usage")).storage_bytes
/** Returns the hashes of the blobs on disk. */
const kept = (): ReadonlyArray<string> =>
  readdirSync(join(app.dataDir, "files"), { recursive: true, encoding: "utf8" })
    .map((path) => path.split("/").at(-1)!)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
const staged = (): ReadonlyArray<string> => readdirSync(join(app.dataDir, "files", "staging"))
/** Advances the clock, and waits for the jobs that are due. */
const pass = async (duration: Parameters<typeof app.advance>[0]) => {
  for (const each of ["1 minute", duration] as const) {
    await app.advance(each)
    await app.idle()
  }
  // A job that waits for the disk may time out while the clock moves, so blobs are collected again here.
  await app.run(collectBlobs)
}
const refusedUpload = { status: 403, code: "invalid_signature" }

describe("upload to a signed URL", () => {
  it("makes a pending attachment ready, which is then served unchanged", async () => {
    const bytes = Buffer.from("what stands in the file")
    const { body, changes, status } = await act("POST", "/attachments/uploads", {
      note_id: note,
      filename: "Notes.TXT"
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^at_[0-9A-Za-z]{22}$/),
      note_id: note,
      filename: "Notes.TXT",
      content_type: "text/plain",
      size: null,
      sha256: null,
      status: "pending",
      created_at: "2026-03-01T12:00:00.000Z",
      url: null,
      upload_url: expect.stringMatching(/^http:\/\/sheaf\.test\/files\/uploads\//),
      upload_method: "PUT",
      upload_headers: { "content-type": "text/plain" },
      upload_expires_at: "2026-03-01T12:15:00.000Z"
    })
    expect(changes).toEqual([["attachment.created", body.id, 1]])
    const seq = await app.seq()
    const ready = await files.put(body, bytes)
    expect([ready.status, ready.body]).toEqual([
      200,
      {
        id: body.id,
        note_id: note,
        filename: "Notes.TXT",
        content_type: "text/plain",
        size: bytes.length,
        sha256: sha256Of(bytes),
        status: "ready",
        created_at: body.created_at,
        url: expect.stringMatching(/^http:\/\/sheaf\.test\/files\/ws_/)
      }
    ])
    expect((await app.changesAfter(seq)).map(({ type, version }) => [type, version])).toEqual([["attachment.ready", 2]])
    const [event] = (await given("GET", "/events?limit=1")).data
    expect(event).toMatchObject({
      type: "attachment.ready",
      resource_id: body.id,
      actor_id: expect.stringMatching(/^us_/)
    })
    expect((await app.call("GET", `/attachments/${body.id}`)).body).toEqual(ready.body)
    const served = await files.call("GET", ready.body.url)
    expect([served.status, served.bytes.toString(), served.headers.get("content-type")]).toEqual([
      200,
      bytes.toString(),
      expect.stringMatching(/^text\/plain/)
    ])
    expect((await files.call("HEAD", ready.body.url)).headers.get("content-length")).toBe(String(bytes.length))
    expect(staged()).toEqual([])
    await expectTruth(app)
  })

  it("works once, and leaves a ready attachment unchanged", async () => {
    const upload = await begin()
    const bytes = someBytes()
    expect((await files.put(upload, bytes)).status).toBe(200)
    for (const other of [someBytes(), someBytes(100), someBytes(10), Buffer.alloc(0)]) {
      const again = await files.put(upload, other)
      expect([again.status, again.body.code]).toEqual([410, "upload_expired"])
    }
    expect((await given("GET", `/attachments/${upload.id}`)).sha256).toBe(sha256Of(bytes))
    expect((await app.call("POST", `/attachments/${upload.id}/complete`)).status).toBe(200)
  })

  it("accepts the same bytes again, as after a lost response", async () => {
    const upload = await begin()
    const bytes = someBytes(70_000)
    const first = await files.put(upload, bytes)
    const before = await app.seq()
    const again = await files.put(upload, bytes)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await app.seq()).toBe(before)
    expect(staged()).toEqual([])
    await expectTruth(app)
  })

  it("accepts the same bytes twice at the same time", async () => {
    const upload = await begin()
    const bytes = someBytes(70_000)
    const both = await Promise.all([files.put(upload, bytes), files.put(upload, bytes)])
    expect(both.map(({ body, status }) => [status, body.status])).toEqual([
      [200, "ready"],
      [200, "ready"]
    ])
    expect(staged()).toEqual([])
    await expectTruth(app)
  })

  it("returns 422 for another size or hash than declared, changes nothing, and can be repeated", async () => {
    const bytes = someBytes(100)
    const upload = await begin({ size: 100, sha256: sha256Of(bytes).toUpperCase() })
    expect(upload).toMatchObject({ size: 100, sha256: sha256Of(bytes) })
    const seq = await app.seq()
    for (const [sent, code] of [
      [bytes.subarray(1), "size_mismatch"],
      [Buffer.concat([bytes, bytes]), "size_mismatch"],
      [Buffer.alloc(0), "size_mismatch"],
      [someBytes(100), "checksum_mismatch"]
    ] as const) {
      const { body, status } = await files.put(upload, sent)
      expect([status, body.code]).toEqual([422, code])
    }
    expect(await app.changesAfter(seq)).toEqual([])
    expect(staged()).toEqual([])
    expect((await files.put(upload, bytes)).body.status).toBe("ready")
  })

  it("returns 413 above the limit of the plan, whether or not the size was declared", async () => {
    const more = someBytes(mebibyte + 1)
    await refuse({ status: 413, code: "payload_too_large" }, "POST", "/attachments/uploads", {
      note_id: note,
      filename: "large",
      size: more.length
    })
    const { body, status } = await files.put(await begin(), more)
    expect([status, body.code, body.limit_bytes]).toEqual([413, "payload_too_large", mebibyte])
    expect((await files.put(await begin(), more.subarray(1))).status).toBe(200)
  })

  it("accepts an empty file", async () => {
    const { body } = await files.put(await begin(), Buffer.alloc(0))
    expect(body).toMatchObject({ status: "ready", size: 0 })
    const served = await files.call("GET", body.url)
    expect([served.status, served.bytes.length]).toEqual([200, 0])
  })

  it("counts wrong signatures as invalid credentials, and no expired URL", async () => {
    const { url } = await files.make(note, someBytes())
    await app.advance("20 minutes")
    const statuses = async (of: string) => {
      const found: Array<number> = []
      for (let n = 0; n < 21; n++) found.push((await files.call("GET", of)).status)
      return found
    }
    expect(await statuses(url)).toEqual(Array(21).fill(403))
    expect(await statuses(url.replace(/signature=.*/, "signature=AAAA"))).toEqual([...Array(20).fill(403), 429])
    await app.advance("1 minute")
  })

  it("rejects another id, purpose, method, expiry or signature, and an expired URL", async () => {
    const upload = await begin()
    const other = await begin()
    const ready = await files.make(note, someBytes())
    const swapped = (from: string, to: string) => upload.upload_url.replace(from, to)
    const forged = [
      swapped(upload.id, other.id),
      swapped("/uploads/", "/"),
      swapped(/expires=\d+/.exec(upload.upload_url)![0], "expires=4000000000"),
      upload.upload_url.replace(/signature=.*/, "signature="),
      upload.upload_url.replace(/&signature=.*/, ""),
      upload.upload_url.replace(/signature=./, (it: string) => (it.endsWith("A") ? "signature=B" : "signature=A")),
      ready.url.replace("/files/", "/files/uploads/")
    ]
    for (const url of forged) {
      const method = url.includes("/uploads/") ? "PUT" : "GET"
      const { body, status } = await files.call(method, url, method === "PUT" ? someBytes() : undefined)
      expect([url, status, body.code]).toEqual([url, 403, "invalid_signature"])
    }
    expect((await files.call("GET", upload.upload_url)).status).toBe(405)
    expect((await files.call("PUT", ready.url, someBytes())).status).toBe(405)
    await app.advance("15 minutes")
    const late = await files.put(upload, someBytes())
    expect([late.status, late.body.code]).toEqual([refusedUpload.status, refusedUpload.code])
    expect((await files.call("GET", ready.url)).status).toBe(403)
    // A caller who may change the attachment gets a new URL.
    const renewed = await given("GET", `/attachments/${upload.id}`)
    expect((await files.put(renewed, someBytes())).status).toBe(200)
  })

  it("rejects all URLs of a member who leaves, and upload URLs of a member who loses the right to write", async () => {
    const team = await Team.start(app)
    const note_id = await team.note()
    const [leaver, demoted, other] = [
      await team.member("editor"),
      await team.member("editor"),
      await team.member("editor")
    ]
    const ask = async (method: string, path: string, body: object | undefined, { headers }: Member) =>
      (await app.call(method, path, body, headers)).body
    const uploadOf = (member: Member) => ask("POST", "/attachments/uploads", { note_id, filename: "late" }, member)
    const uploads = { leaver: await uploadOf(leaver), demoted: await uploadOf(demoted), other: await uploadOf(other) }
    // The URL belongs to the user who requested it, not to the user who created the record.
    const shared = await ask("GET", `/attachments/${uploads.other.id}`, undefined, leaver)
    const ready = (await files.put(await uploadOf(other), someBytes())).body
    const urlFor = async (member: Member) => (await ask("GET", `/attachments/${ready.id}`, undefined, member)).url
    const urls = { leaver: await urlFor(leaver), demoted: await urlFor(demoted), other: await urlFor(other) }
    for (const url of Object.values(urls)) expect((await files.call("GET", url)).status).toBe(200)
    const another = urls.leaver.replace(leaver.user_id, other.user_id)
    await team.patch(`${team.members}/${demoted.member_id}`, { role: "viewer" })
    await app.call("DELETE", `${team.members}/${leaver.member_id}`, undefined, leaver.headers)
    const seq = (await team.changes(0)).length
    const refused = async (upload: any) => {
      const { body, status } = await files.put(upload, someBytes())
      return [status, body.code]
    }
    expect(await refused(uploads.leaver)).toEqual([403, "invalid_signature"])
    expect(await refused(shared)).toEqual([403, "invalid_signature"])
    expect(await refused(uploads.demoted)).toEqual([403, "insufficient_role"])
    expect((await files.call("GET", urls.leaver)).status).toBe(403)
    expect((await files.call("GET", another)).status).toBe(403)
    expect(await team.changes(seq)).toEqual([])
    expect(staged()).toEqual([])
    expect((await files.call("GET", urls.demoted)).status).toBe(200)
    expect((await files.call("GET", urls.other)).status).toBe(200)
    expect((await files.put(uploads.other, someBytes())).status).toBe(200)
  })

  it("is rejected when the member's role changes during the upload", async () => {
    const team = await Team.start(app)
    const editor = await team.member("editor")
    const input = { note_id: await team.note(), filename: "slow" }
    const { body: upload } = await app.call("POST", "/attachments/uploads", input, editor.headers)
    let send = () => {}
    const rest = new Promise<void>((resolve) => (send = resolve))
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(1000))
        await rest
        controller.enqueue(new Uint8Array(1000))
        controller.close()
      }
    })
    const answer = fetch(upload.upload_url.replace("http://sheaf.test", new URL(app.url).origin), {
      method: "PUT",
      body,
      duplex: "half"
    } as RequestInit)
    await expect.poll(staged).toHaveLength(1)
    await team.patch(`${team.members}/${editor.member_id}`, { role: "viewer" })
    send()
    const late = await answer
    expect([late.status, ((await late.json()) as any).code]).toEqual([403, "insufficient_role"])
    expect((await team.get(`/attachments/${upload.id}`)).status).toBe("pending")
  })

  it("returns 404 when the note was deleted meanwhile, and leaves no file", async () => {
    const upload = await begin()
    await given("DELETE", `/notes/${note}`)
    const { body, status } = await files.put(upload, someBytes())
    expect([status, body.code]).toEqual([404, "not_found"])
    expect(staged()).toEqual([])
  })
})

describe("upload in one request", () => {
  const send = async (
    fields: Readonly<Record<string, string>>,
    bytes: Uint8Array,
    {
      headers = {},
      name = "photo.png",
      type = ""
    }: { headers?: Record<string, string>; name?: string; type?: string } = {}
  ) => {
    const form = new FormData()
    for (const [field, value] of Object.entries(fields)) form.append(field, value)
    form.append("file", new Blob([new Uint8Array(bytes)], { type }), name)
    const response = await fetch(`${app.url}/attachments`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}`, ...headers },
      body: form
    })
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
  }

  it("returns a ready attachment as described by the form and its file", async () => {
    const bytes = someBytes(100_000)
    const seq = await app.seq()
    const { body, status } = await send({ note_id: note, sha256: sha256Of(bytes), size: "100000" }, bytes)
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({
        note_id: note,
        filename: "photo.png",
        content_type: "image/png",
        size: 100_000,
        sha256: sha256Of(bytes),
        status: "ready",
        upload_url: null
      })
    ])
    expect((await app.changesAfter(seq)).map(({ type }) => type)).toEqual(["attachment.created", "attachment.ready"])
    expect((await files.call("GET", body.url)).bytes.equals(bytes)).toBe(true)
    const named = await send({ note_id: note, filename: "other.txt", content_type: "text/markdown" }, bytes)
    expect(named.body).toMatchObject({ filename: "other.txt", content_type: "text/markdown" })
    expect((await send({ note_id: note }, bytes, { type: "image/jpeg" })).body.content_type).toBe("image/jpeg")
  })

  it("sends 100 Continue only to an authorized request", async () => {
    const ask = (authorization: string) =>
      new RawWire(app).exchange(
        [
          "POST /v2/attachments HTTP/1.1",
          "Host: x",
          "Content-Type: multipart/form-data; boundary=b",
          "Content-Length: 500",
          "Expect: 100-continue",
          authorization,
          "",
          ""
        ].join("\r\n")
      )
    expect(statuses(await ask(`Authorization: Bearer ${app.key}`))[0]).toBe(100)
    expect(statuses(await ask("Authorization: Bearer sfk_none"))).toEqual([401])
  })

  it("stores nothing when a field or the file is invalid", async () => {
    const bytes = someBytes(100)
    const seq = await app.seq()
    for (const [fields, code] of [
      [{}, "validation_failed"],
      [{ note_id: "nt_missing" }, "unresolved_reference"],
      [{ note_id: note, size: "99" }, "size_mismatch"],
      [{ note_id: note, size: "101" }, "size_mismatch"],
      [{ note_id: note, size: "many" }, "validation_failed"],
      [{ note_id: note, sha256: "0".repeat(64) }, "checksum_mismatch"],
      [{ note_id: note, filename: "a/b" }, "validation_failed"]
    ] as const) {
      const { body, status } = await send(fields, bytes)
      expect([fields, status, body.code]).toEqual([fields, 422, code])
    }
    const { body, status } = await send({ note_id: note }, someBytes(mebibyte + 1))
    expect([status, body.code]).toEqual([413, "payload_too_large"])
    expect(await app.changesAfter(seq)).toEqual([])
    expect(staged()).toEqual([])
    await expectTruth(app)
  })

  it("creates one attachment under an Idempotency-Key, whatever the form's boundary", async () => {
    const bytes = someBytes(1000)
    const headers = { "idempotency-key": sha256Of(bytes) }
    const first = await send({ note_id: note }, bytes, { headers })
    const seq = await app.seq()
    const again = await send({ note_id: note }, bytes, { headers })
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, first.body, "true"])
    const other = await send({ note_id: note }, someBytes(1000), { headers })
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"])
    const renamed = await send({ note_id: note }, bytes, { headers, name: "other.png" })
    expect([renamed.status, renamed.body.code]).toEqual([422, "idempotency_key_reused"])
    expect(await app.changesAfter(seq)).toEqual([])
    expect(staged()).toEqual([])
  })
})

describe("deduplication of content", () => {
  it("stores equal content once, counts it for each attachment, and finds it by its hash", async () => {
    const bytes = someBytes(1000)
    const before = await usage()
    const first = await files.make(note, bytes)
    const { body, changes } = await act("POST", "/attachments", {
      note_id: note,
      filename: "again.bin",
      sha256: sha256Of(bytes)
    })
    expect(body).toMatchObject({ status: "ready", size: 1000, upload_url: null, upload_expires_at: null })
    expect(changes).toEqual([
      ["attachment.created", body.id, 1],
      ["attachment.ready", body.id, null]
    ])
    const third = await files.make(note, bytes)
    expect(await usage()).toBe(before + 3000)
    expect(kept().filter((name) => name === sha256Of(bytes))).toHaveLength(1)
    for (const { id } of [first, body, third]) await given("DELETE", `/attachments/${id}`)
    expect(await usage()).toBe(before)
    await expectTruth(app)
  })

  it("mends a file that is lost or damaged when its bytes come again", async () => {
    const bytes = someBytes()
    const upload = await begin()
    await files.put(upload, bytes)
    const { url } = await given("GET", `/attachments/${upload.id}`)
    const [path] = readdirSync(join(app.dataDir, "files"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(sha256Of(bytes)))
      .map((path) => join(app.dataDir, "files", path))
    const other = await begin()
    for (const again of [upload, other, other]) {
      rmSync(path!)
      expect((await files.call("GET", url)).status).toBe(404)
      expect((await files.put(again, bytes)).status).toBe(200)
      expect((await files.call("GET", url)).bytes.equals(bytes)).toBe(true)
    }
  })

  it("does not reveal content to another workspace", async () => {
    const bytes = someBytes()
    await files.make(note, bytes)
    const other = await guest(app, { elsewhere: true })
    const notebook = (await app.call("GET", "/notebooks", undefined, other.headers)).body.data[0].id
    const theirs = (await app.call("POST", "/notes", { notebook_id: notebook, title: "t" }, other.headers)).body.id
    const claim = { note_id: theirs, filename: "x", sha256: sha256Of(bytes) }
    const { body } = await app.call("POST", "/attachments/uploads", claim, other.headers)
    expect(body.status).toBe("pending")
    await refuse(unresolved("note_id"), "POST", "/attachments", { note_id: theirs, filename: "x" })
  })

  it("rejects another size than that of the stored content", async () => {
    const bytes = someBytes(10)
    await files.make(note, bytes)
    await refuse({ status: 422, code: "size_mismatch" }, "POST", "/attachments", {
      note_id: note,
      filename: "x",
      size: 11,
      sha256: sha256Of(bytes)
    })
  })

  it("removes content an hour after its last attachment is deleted", async () => {
    const [alone, shared] = [someBytes(), someBytes()]
    const gone = await files.make(note, alone)
    const one = await files.make(note, shared)
    await files.make(note, shared)
    await given("DELETE", `/attachments/${gone.id}`)
    await given("DELETE", `/attachments/${one.id}`)
    await pass("3 hours")
    expect(kept()).not.toContain(sha256Of(alone))
    expect(kept()).toContain(sha256Of(shared))
    // The same content can be uploaded again.
    const again = await files.make(note, alone)
    expect((await files.call("GET", again.url)).bytes.equals(alone)).toBe(true)
    await expectTruth(app)
  })
})

describe("attachments", () => {
  it("move to the trash with their note, are restored with it, and are erased with it", async () => {
    const bytes = someBytes(500)
    const before = await usage()
    const ready = await files.make(note, bytes)
    const waiting = await begin()
    const trashed = await act("DELETE", `/notes/${note}`)
    expect(new Set(trashed.changes.map(([type, id]) => `${type} ${id}`))).toEqual(
      new Set([`note.deleted ${note}`, `attachment.deleted ${ready.id}`, `attachment.deleted ${waiting.id}`])
    )
    await refuse(notFound, "GET", `/attachments/${ready.id}`)
    expect((await files.call("GET", ready.url)).status).toBe(404)
    expect((await given("GET", `/attachments?filter=note_id%3D${note}`)).data).toEqual([])
    expect(await usage()).toBe(before + 500)
    await given("POST", `/notes/${note}/restore`)
    expect(await given("GET", `/attachments/${ready.id}`)).toEqual(ready)
    expect((await files.call("GET", ready.url)).bytes.equals(bytes)).toBe(true)
    await act("DELETE", `/notes/${note}`)
    await given("DELETE", `/notes/${note}?permanent=true`)
    expect(await usage()).toBe(before)
    await refuse(notFound, "GET", `/attachments/${ready.id}`)
    await expectTruth(app)
  })

  it.each(["note", "notebook"])(
    "that are pending move to the trash with their %s and are restored as pending",
    async (what) => {
      const folder = await given("POST", "/notebooks", { name: "Folder" })
      const { id: own } = await given("POST", "/notes", { notebook_id: folder.id, title: "Waiting" })
      const waiting = await given("POST", "/attachments/uploads", { note_id: own, filename: "a.txt" })
      const path = what === "note" ? `/notes/${own}` : `/notebooks/${folder.id}`
      await given("DELETE", path)
      expect((await files.put(waiting, someBytes())).status).toBe(404)
      await refuse(notFound, "GET", `/attachments/${waiting.id}`)
      const restored = await act("POST", `${path}/restore`)
      expect(restored.changes.map(([type, id]) => `${type} ${id}`)).toContain(`attachment.created ${waiting.id}`)
      const back = await given("GET", `/attachments/${waiting.id}`)
      expect(back).toMatchObject({ status: "pending", upload_url: expect.any(String) })
      // The earlier URL works until it expires.
      expect((await files.put(waiting, someBytes())).body.status).toBe("ready")
      await expectTruth(app)
    }
  )

  it("that are pending are deleted a day after their creation, also in the trash", async () => {
    const waiting = await begin()
    await given("DELETE", `/notes/${note}`)
    await pass("25 hours")
    await given("POST", `/notes/${note}/restore`)
    await refuse(notFound, "GET", `/attachments/${waiting.id}`)
    await expectTruth(app)
  })

  it("move to the trash with the notes of a deleted notebook", async () => {
    const notebook = (await given("POST", "/notebooks", { name: "Deleted" })).id
    note = (await given("POST", "/notes", { notebook_id: notebook, title: "t" })).id
    const ready = await files.make(note, someBytes())
    const { changes } = await act("DELETE", `/notebooks/${notebook}`)
    expect(changes.map(([type]) => type)).toEqual(
      expect.arrayContaining(["note.deleted", "attachment.deleted", "notebook.deleted"])
    )
    await refuse(notFound, "GET", `/attachments/${ready.id}`)
    await given("POST", `/notes/${note}/restore`)
    expect((await given("GET", `/attachments/${ready.id}`)).status).toBe("ready")
    await expectTruth(app)
  })

  it("are copied with their note, whose text links to the copies", async () => {
    const bytes = someBytes(300)
    const image = await files.make(note, bytes, { filename: "pic.png" })
    await begin()
    await given("PATCH", `/notes/${note}`, {
      body: `![pic](attachment:${image.id}) and attachment:at_0000000000000000`
    })
    const copy = await given("POST", `/notes/${note}/duplicate`)
    const { data } = await given("GET", `/attachments?filter=note_id%3D${copy.id}`)
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({ filename: "pic.png", sha256: image.sha256, status: "ready", note_id: copy.id })
    expect(data[0].id).not.toBe(image.id)
    expect(copy.body).toBe(`![pic](attachment:${data[0].id}) and attachment:at_0000000000000000`)
    await given("DELETE", `/notes/${note}?permanent=true`)
    expect((await files.call("GET", data[0].url)).bytes.equals(bytes)).toBe(true)
    await expectTruth(app)
  })

  it("allow changes of note, name and type only", async () => {
    const ready = await files.make(note, someBytes())
    const other = await makeNote()
    const { body, changes } = await act("PATCH", `/attachments/${ready.id}`, {
      note_id: other,
      filename: "renamed.png",
      content_type: "image/png",
      size: 1,
      sha256: "no",
      url: "http://elsewhere.test"
    })
    expect(body).toEqual({ ...ready, note_id: other, filename: "renamed.png", content_type: "image/png" })
    expect(changes).toEqual([["attachment.updated", ready.id, 3]])
    expect((await act("PATCH", `/attachments/${ready.id}`, { note_id: other })).changes).toEqual([])
    await refuse(unresolved("note_id"), "PATCH", `/attachments/${ready.id}`, { note_id: "nt_none" })
    await refuse(invalid("filename", "invalid"), "PATCH", `/attachments/${ready.id}`, { filename: "../etc/passwd" })
    const served = await files.call("GET", body.url)
    expect(served.headers.get("content-disposition")).toContain("renamed.png")
  })

  it("have a normalized type, and return 404 for their URLs when the workspace is deleted", async () => {
    const typed = await begin({ content_type: 'Text/PLAIN; Charset="UTF-8"' })
    expect(typed.content_type).toBe("text/plain;charset=UTF-8")
    const bytes = someBytes()
    const ready = await files.make(note, bytes)
    const waiting = await begin()
    const gone = async (at: string | null) => {
      await app.run(
        Effect.flatMap(Database, ({ write }) =>
          write.unsafe("UPDATE workspaces SET deleted_at = $2 WHERE workspace_id = $1", [app.workspace_id, at])
        )
      )
    }
    await gone("2026-03-01T12:00:00.000Z")
    expect((await files.call("GET", ready.url)).status).toBe(404)
    expect((await files.put(waiting, bytes)).status).toBe(404)
    await gone(null)
    expect((await files.call("GET", ready.url)).status).toBe(200)
  })

  it("are listed with their URLs, filtered and sorted", async () => {
    for (const [filename, length] of [
      ["b.bin", 30],
      ["a.bin", 20],
      ["c.bin", 10]
    ] as const) {
      await files.make(note, someBytes(length), { filename })
    }
    await begin({ filename: "d.bin" })
    const names = async (query: string) =>
      (await given("GET", `/attachments?${new URLSearchParams({ filter: `note_id=${note}` })}&${query}`)).data.map(
        ({ filename }: any) => filename
      )
    expect(await names("sort=filename")).toEqual(["a.bin", "b.bin", "c.bin", "d.bin"])
    expect(await names("sort=-size")).toEqual(["b.bin", "a.bin", "c.bin", "d.bin"])
    const { data } = await given(
      "GET",
      `/attachments?${new URLSearchParams({ filter: `note_id=${note} size>15 status=ready` })}`
    )
    expect(data.map(({ size }: any) => size).toSorted()).toEqual([20, 30])
    for (const { id, url } of data) {
      expect(url).toBe((await given("GET", `/attachments/${id}`)).url)
      expect((await files.call("GET", url)).status).toBe(200)
    }
  })

  it("keep their URL for five minutes, return a new one on demand, and have an ETag that changes with it", async () => {
    const { id, url } = await files.make(note, someBytes())
    const tagged = async () => (await app.call("GET", `/attachments/${id}`)).headers.get("etag")!
    const tag = await tagged()
    await app.advance("4 minutes")
    expect((await given("GET", `/attachments/${id}`)).url).toBe(url)
    expect((await app.call("GET", `/attachments/${id}`, undefined, { "if-none-match": tag })).status).toBe(304)
    const fresh = await given("GET", `/attachments/${id}/download`)
    expect(fresh.url).not.toBe(url)
    await app.advance("1 minute")
    const next = (await given("GET", `/attachments/${id}`)).url
    expect(next).not.toBe(url)
    expect(await tagged()).not.toBe(tag)
    await app.advance("9 minutes")
    expect((await files.call("GET", url)).status).toBe(200)
    await app.advance("1 minute")
    expect((await files.call("GET", url)).status).toBe(403)
    expect((await files.call("GET", fresh.url)).status).toBe(200)
    await app.advance("4 minutes")
    expect((await files.call("GET", fresh.url)).status).toBe(403)
    const redirect = await fetch(`${app.url}/attachments/${id}/download?redirect=true`, {
      headers: { authorization: `Bearer ${app.key}` },
      redirect: "manual"
    })
    expect(redirect.status).toBe(302)
    expect((await files.call("GET", redirect.headers.get("location")!)).status).toBe(200)
  })

  describe.each(["pending", "ready"])("that are %s", (status) => {
    const ways = ["POST /attachments/uploads", "GET", "GET after 11 minutes", "PATCH", "GET download"]
    const possible = ways.filter((way) => status === "ready" || way !== "GET download")

    it.each(possible)("accept in If-Match the ETag of the response to %s", async (way) => {
      const bytes = someBytes()
      const known = status === "ready" ? { sha256: sha256Of(bytes) } : {}
      if (status === "ready") await files.make(note, bytes)
      const made = await act("POST", "/attachments/uploads", { note_id: note, filename: "a.txt", ...known })
      expect(made.body.status).toBe(status)
      const path = `/attachments/${made.body.id}`
      const responses: Record<string, () => Promise<{ readonly headers: Headers }>> = {
        "POST /attachments/uploads": async () => made,
        GET: () => act("GET", path),
        "GET after 11 minutes": () => act("GET", path),
        PATCH: () => act("PATCH", path, { filename: "first.txt" }),
        "GET download": () => act("GET", `${path}/download`)
      }
      const etag = (await responses[way]!()).headers.get("etag")!
      if (way.endsWith("minutes")) await app.advance("11 minutes")
      else await app.advance("1 second")
      expect((await act("PATCH", path, { filename: "b.txt" }, { "if-match": etag })).status).toBe(200)
      const stale = { status: 412, code: "precondition_failed" }
      await refuse(stale, "PATCH", path, { filename: "c.txt" }, { "if-match": etag })
      await refuse(stale, "DELETE", path, undefined, { "if-match": etag })
      await refuse(stale, "POST", `${path}/complete`, undefined, { "if-match": etag })
    })
  })

  it("that are pending have an ETag that changes with their upload URL", async () => {
    const { id } = await begin()
    const etag = (await act("GET", `/attachments/${id}`)).headers.get("etag")!
    await app.advance("1 second")
    expect((await act("GET", `/attachments/${id}`, undefined, { "if-none-match": etag })).status).toBe(200)
  })

  it("that became ready do not match the ETag of their pending state", async () => {
    const made = await begin()
    const path = `/attachments/${made.id}`
    const etag = (await act("GET", path)).headers.get("etag")!
    await files.put(made, someBytes())
    const stale = { status: 412, code: "precondition_failed" }
    await refuse(stale, "PATCH", path, { filename: "b.txt" }, { "if-match": etag })
  })

  it("that are pending return 409 for download and complete, and are deleted after a day", async () => {
    const { id } = await begin()
    for (const [method, rest] of [
      ["POST", "complete"],
      ["GET", "download"]
    ] as const) {
      await refuse({ status: 409, code: "attachment_not_ready" }, method, `/attachments/${id}/${rest}`)
    }
    const seq = await app.seq()
    await pass("25 hours")
    await refuse(notFound, "GET", `/attachments/${id}`)
    expect((await app.changesAfter(seq)).map(({ resource_id, type }) => [type, resource_id])).toContainEqual([
      "attachment.deleted",
      id
    ])
    await expectTruth(app)
  })

  it("reject invalid names, types, sizes and hashes", async () => {
    const refused = (more: object, field: string, code: string) =>
      refuse(invalid(field, code), "POST", "/attachments", { note_id: note, filename: "a", ...more })
    for (const filename of ["..", "a/b", "a\\b"]) await refused({ filename }, "filename", "invalid")
    await refused({ filename: "x".repeat(256) }, "filename", "too_long")
    await refused({ filename: " " }, "filename", "blank")
    await refused({ filename: "nul\0" }, "filename", "invalid_characters")
    for (const content_type of ["no type", "a/b\r\nx: y", "text"])
      await refused({ content_type }, "content_type", "invalid")
    await refused({ size: -1 }, "size", "out_of_range")
    await refused({ size: 1.5 }, "size", "out_of_range")
    await refused({ sha256: "abc" }, "sha256", "invalid")
    await refuse(unresolved("note_id"), "POST", "/attachments", { note_id: "nt_missing", filename: "a" })
    for (const filename of ["💾 Übersicht.pdf", "x".repeat(255), "עברית\u202egpj.exe", "tab\tname"]) {
      const ready = await files.make(note, someBytes(), { filename })
      const served = await files.call("GET", ready.url)
      expect([ready.filename, served.status]).toEqual([filename.replace("\t", " "), 200])
    }
  })

  it("show the upload URL only to callers that may write", async () => {
    const { id } = await begin()
    const readers = [
      (await given("POST", "/api-keys", { name: "reader", scopes: ["files:read"] })).secret,
      (await given("POST", "/api-keys", { name: "notes", scopes: ["notes:read"] })).secret
    ]
    for (const secret of readers) {
      const { body, status } = await app.call("GET", `/attachments/${id}`, undefined, {
        authorization: `Bearer ${secret}`
      })
      expect([status, body.status, "upload_url" in body]).toEqual([200, "pending", false])
    }
    const writer = (await given("POST", "/api-keys", { name: "writer", scopes: ["files:write"] })).secret
    const { body } = await app.call("GET", `/attachments/${id}`, undefined, { authorization: `Bearer ${writer}` })
    expect((await files.put(body, someBytes())).status).toBe(200)
  })

  it("never exceed the storage of the workspace, even with concurrent uploads", async () => {
    const left = 8 * mebibyte - (await usage()) - (await given("GET", "/usage")).text_bytes
    const size = 400 * 1024
    const fit = Math.floor(left / size)
    const uploads = await Promise.all(Array.from({ length: fit + 5 }, () => begin()))
    const answers = await Promise.all(uploads.map((upload) => files.put(upload, someBytes(size))))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(fit)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code))).toEqual(
      new Set(["quota_exceeded"])
    )
    await refuse({ status: 403, code: "quota_exceeded" }, "POST", "/attachments", {
      note_id: note,
      filename: "x",
      size
    })
    for (const { body, status } of answers) if (status === 200) await given("DELETE", `/attachments/${body.id}`)
    await expectTruth(app)
  })
})

describe("attachments in sync", () => {
  const pull = async (cursor?: string) => given("POST", "/sync/pull", { cursor, types: ["attachment"], limit: 500 })
  const push = async (changes: ReadonlyArray<object>) => (await given("POST", "/sync/push", { changes })).results

  it("are pulled as stored, without URLs, and deleted with their note", async () => {
    const { cursor } = await pull()
    const ready = await files.make(note, someBytes())
    const { url: _, ...data } = ready
    const first = await pull(cursor)
    expect(first.changes).toMatchObject([{ type: "attachment", id: ready.id, op: "upsert", revision: 2, data }])
    expect(Object.keys(first.changes[0].data).toSorted()).toEqual(Object.keys(data).toSorted())
    await given("DELETE", `/notes/${note}`)
    const second = await pull(first.cursor)
    expect(second.changes).toMatchObject([{ id: ready.id, op: "delete", revision: 3, data: null }])
    await given("POST", `/notes/${note}/restore`)
    expect((await pull(second.cursor)).changes).toMatchObject([{ id: ready.id, op: "upsert", revision: 4, data }])
  })

  it("are pushed with their note, and their bytes are uploaded to the URL that GET returns", async () => {
    const bytes = someBytes(200)
    const id = `at_${"a".repeat(10)}${Date.now().toString(36)}`
    const results = await push([
      { type: "note", op: "upsert", client_ref: "n", data: { notebook_id: inbox, title: "offline" } },
      {
        type: "attachment",
        op: "upsert",
        id,
        data: { note_id: "$n", filename: "o.bin", size: 200, sha256: sha256Of(bytes) }
      }
    ])
    expect(results.map(({ status }: any) => status)).toEqual(["applied", "applied"])
    const waiting = await given("GET", `/attachments/${id}`)
    expect(waiting).toMatchObject({ status: "pending", note_id: results[0].id })
    expect((await files.put(waiting, bytes)).body.status).toBe("ready")
    const [renamed] = await push([{ type: "attachment", op: "upsert", id, revision: 2, data: { filename: "p.bin" } }])
    expect(renamed).toMatchObject({ status: "applied", revision: 3 })
    const [stale] = await push([{ type: "attachment", op: "upsert", id, revision: 2, data: { filename: "q.bin" } }])
    expect(stale.status).toBe("conflict")
    const [deleted] = await push([{ type: "attachment", op: "delete", id, revision: 3 }])
    expect(deleted.status).toBe("applied")
    await expectTruth(app)
  })
})
