import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"
import * as FaultyBlobs from "../../support/FaultyBlobs.ts"
import { Files, sha256Of, someBytes } from "../../support/Files.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { ofOperator } from "../../support/OperatorJob.ts"
import { Importing } from "../../support/Importing.ts"
import { invalid, notFound, unresolved } from "../../support/Scenario.ts"
import { Team } from "../../support/people/Team.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { type Unzipped, unzip } from "../../support/Unzip.ts"
import { useApp } from "../../support/useApp.ts"

const faults = new FaultyBlobs.BlobFaults()
const { app, refuse } = useApp({ layers: FaultyBlobs.layer(faults) })
let files: Files

/** A validator for each file of a JSON export, compiled from the schema that the server publishes. */
const checks = new Map<string, ValidateFunction>()

beforeAll(async () => {
  files = new Files(app)
  const schema: any = await (await fetch(new URL("/docs/export.schema.json", app.url))).json()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(schema, "format")
  for (const name of Object.keys(schema.properties)) {
    const pointer = name.replaceAll("/", "~1").replaceAll("<", "%3C").replaceAll(">", "%3E")
    checks.set(name, ajv.compile({ $ref: `format#/properties/${pointer}` }))
  }
})

/** Starts a separate team for each test, because an export contains the whole workspace. */
const team = () => Team.start(app)

const ended = async (of: Team, id: string): Promise<any> => {
  let found: any
  await eventually("the export has ended", async () => {
    found = await of.get(`/exports/${id}`)
    return found.status === "ready" || found.status === "failed"
  })
  return found
}

/** Creates an export, waits for it, and downloads it. */
const exported = async (of: Team, body: object): Promise<Unzipped & { readonly bytes: Buffer; readonly made: any }> => {
  const { id } = await of.post("/exports", body)
  const made = await ended(of, id)
  expect(made).toMatchObject({ status: "ready", progress: 1, error: null })
  const answer = await files.call("GET", made.download_url)
  expect(answer.status).toBe(200)
  expect(answer.bytes.length).toBe(made.size_bytes)
  return { ...(await unzip(answer.bytes)), bytes: answer.bytes, made }
}

const textOf = ({ files: found }: Unzipped, path: string): string => {
  const bytes = found.get(path)
  if (bytes === undefined) throw new Error(`there is no ${path}, but ${[...found.keys()].join(", ")}`)
  return bytes.toString()
}
const jsonOf = (of: Unzipped, path: string): any => JSON.parse(textOf(of, path))

/** Returns front matter and body. */
const noteOf = (of: Unzipped, path: string) => {
  const [, matter = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(textOf(of, path)) ?? []
  return { matter: parse(matter), body }
}

const attach = async (of: Team, note_id: string, bytes: Buffer, filename: string): Promise<any> => {
  const made = await of.post("/attachments/uploads", { note_id, filename })
  return (await files.put(made, bytes)).body
}

describe("exports", () => {
  it("are queued, created, downloaded from a signed URL, and recorded in the event log and the audit log", async () => {
    const own = await team()
    const from = (await own.changes(0)).length
    const made = await own.post("/exports", { scope: "workspace", status: "failed", download_url: "http://x.test" })
    expect(made).toEqual({
      id: expect.stringMatching(/^ex_/),
      scope: "workspace",
      format: "markdown",
      status: "queued",
      notebook_id: null,
      include_attachments: true,
      error: null,
      size_bytes: null,
      expires_at: null,
      created_at: "2026-03-01T12:00:00.000Z",
      progress: 0,
      download_url: null
    })
    const ready = await ended(own, made.id)
    expect(ready).toEqual({
      ...made,
      status: "ready",
      progress: 1,
      size_bytes: expect.any(Number),
      expires_at: "2026-03-08T12:00:00.000Z",
      download_url: expect.stringMatching(/^http:\/\/sheaf\.test\/files\/exports\//)
    })
    const details = {
      scope: "workspace",
      format: "markdown",
      notebook_id: null,
      size_bytes: ready.size_bytes,
      error: null
    }
    expect(await own.changes(from)).toEqual([
      { type: "export.ready", resource_id: made.id, actor_id: own.owner.user_id, data: details }
    ])
    const [entry] = (await own.get("/audit-log?filter=action%3Dexport.ready")).data
    expect(entry).toMatchObject({ resource_id: made.id, actor_id: own.owner.user_id, metadata: details })
    const answer = await files.call("GET", ready.download_url)
    expect(answer.headers.get("content-type")).toBe("application/zip")
    expect(answer.headers.get("content-disposition")).toBe("attachment; filename=sheaf-markdown-2026-03-01.zip")
    expect((await files.call("GET", `${ready.download_url}0`)).status).toBe(403)
    await files.call("GET", ready.download_url)
    const [requested] = (await own.get("/audit-log?filter=action%3Dexport.requested")).data
    expect(requested).toMatchObject({
      resource_id: made.id,
      metadata: { scope: "workspace", format: "markdown", notebook_id: null, include_attachments: true }
    })
    const downloads = (await own.get("/audit-log?filter=action%3Dexport.downloaded")).data
    expect(downloads).toMatchObject([{ resource_id: made.id, actor_id: own.owner.user_id, ip: "127.0.0.1" }])
    expect((await own.get("/exports?filter=status%3Dready&sort=status")).data).toEqual([ready])
    const etag = (await app.call("GET", `/exports/${made.id}`, undefined, own.owner.headers)).headers.get("etag")!
    const known = await app.call("GET", `/exports/${made.id}`, undefined, {
      ...own.owner.headers,
      "if-none-match": etag
    })
    expect(known.status).toBe(304)
    await expectTruth(app)
  })

  it("end as failed when the operator cancels them, also while they run, and can then be repeated", async () => {
    const own = await team()
    const jobs = ofOperator(app, own.id)
    const stage = faults.stall("stage")
    const { id } = await own.post("/exports", { scope: "workspace" })
    await stage.reached
    expect(await jobs.list()).toMatchObject([{ id, kind: "export", workspace: own.slug, state: "running" }])
    await jobs.cancel(id)
    const detail = "The operator of the server cancelled it"
    expect(await own.get(`/exports/${id}`)).toMatchObject({ status: "failed", error: detail, size_bytes: null })
    expect((await own.changes(0)).at(-1)).toMatchObject({ type: "export.failed", resource_id: id, actor_id: null })
    const running = async () =>
      (await (await fetch(new URL("/metrics", app.url))).text()).match(/transfers_running (\d+)/)
    await eventually("the export has stopped", async () => (await running())?.[1] === "0")
    expect(await app.sql("SELECT 1 FROM transfers WHERE id = $1", [id])).toEqual([])
    await expect(jobs.cancel(id)).rejects.toThrow(/ended already/)

    expect(await jobs.list()).toMatchObject([{ id, state: "failed", error: detail, progress: 0 }])
    const retries = await Promise.allSettled([jobs.retry(id), jobs.retry(id)])
    expect(retries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(await ended(own, id)).toMatchObject({ id, status: "ready", error: null })
    expect(await jobs.list()).toEqual([])
    expect(await jobs.list({ ended: true })).toMatchObject([{ id, state: "done", progress: 1 }])
    await expect(jobs.retry(id)).rejects.toThrow(/not failed/)
    await expect(jobs.cancel(id)).rejects.toThrow(/ended already/)
    await expect(jobs.cancel("ex_unknown")).rejects.toThrow(/No such job/)
    const [entry] = (await own.get("/audit-log?filter=action%3Dserver.job_retried")).data
    expect(entry).toMatchObject({ resource_type: "export", resource_id: id, metadata: { by: "operator" } })
    await expectTruth(app)
  })

  it("of a deleted notebook cannot be repeated", async () => {
    const own = await team()
    const jobs = ofOperator(app, own.id)
    const { id: notebook_id } = await own.post("/notebooks", { name: "Gone" })
    const stage = faults.stall("stage")
    const { id } = await own.post("/exports", { scope: "notebook", notebook_id })
    await stage.reached
    await jobs.cancel(id)
    expect((await app.call("DELETE", `/notebooks/${notebook_id}`, undefined, own.owner.headers)).status).toBe(200)
    await expect(jobs.retry(id)).rejects.toThrow(/notebook of the export no longer exists/)
    expect(await own.get(`/exports/${id}`)).toMatchObject({ status: "failed" })
  })

  it("require a scope, and a notebook if the scope is a notebook", async () => {
    await refuse(invalid("scope", "required"), "POST", "/exports", {})
    await refuse(invalid("scope", "unknown"), "POST", "/exports", { scope: "note" })
    await refuse(invalid("format", "unknown"), "POST", "/exports", { scope: "workspace", format: "pdf" })
    await refuse(unresolved("notebook_id"), "POST", "/exports", { scope: "notebook" })
    await refuse(unresolved("notebook_id"), "POST", "/exports", { scope: "notebook", notebook_id: "nb_unknown" })
    await refuse(notFound, "GET", "/exports/ex_unknown")
  })

  it("of a workspace and their events are for admins and owners; exports of a notebook are for every reader", async () => {
    const own = await team()
    const editor = await own.member("editor")
    const viewer = await own.member("viewer")
    const admin = await own.member("admin")
    const [inbox] = (await own.get("/notebooks")).data
    const call = (method: string, path: string, who: { readonly headers: Record<string, string> }, body?: object) =>
      app.call(method, path, body, who.headers)
    const refused = await call("POST", "/exports", editor, { scope: "workspace" })
    expect(refused.body).toMatchObject({ status: 403, code: "insufficient_role", required_role: "admin" })
    const ofNotebook = { scope: "notebook", notebook_id: inbox.id }
    expect((await call("POST", "/exports", viewer, ofNotebook)).body.code).toBe("insufficient_role")
    const whole = (await call("POST", "/exports", admin, { scope: "workspace" })).body
    const part = (await call("POST", "/exports", editor, ofNotebook)).body
    for (const { id } of [whole, part]) await ended(own, id)
    for (const who of [editor, viewer]) {
      expect((await call("GET", `/exports/${whole.id}`, who)).status).toBe(404)
      expect((await call("GET", `/exports/${part.id}`, who)).status).toBe(200)
      expect((await call("GET", "/exports", who)).body.data.map(({ id }: any) => id)).toEqual([part.id])
      const events = (await call("GET", "/events?filter=resource_type%3Dexport", who)).body.data
      expect(events.map(({ resource_id }: any) => resource_id)).toEqual([part.id])
    }
    const seen = (await call("GET", "/events?filter=resource_type%3Dexport", admin)).body.data
    expect(seen.map(({ resource_id }: any) => resource_id).toSorted()).toEqual([whole.id, part.id].toSorted())
    const hidden = seen.find(({ resource_id }: any) => resource_id === whole.id)
    expect((await call("GET", `/events/${hidden.id}`, editor)).status).toBe(404)
    expect((await call("GET", `/events/${hidden.id}`, admin)).status).toBe(200)
    const addressOf = async (id: string) => (await call("GET", `/exports/${id}`, admin)).body.download_url
    const addresses = [await addressOf(whole.id), await addressOf(part.id)]
    const answers = () => Promise.all(addresses.map(async (url) => (await files.call("GET", url)).status))
    expect(await answers()).toEqual([200, 200])
    await own.patch(`${own.members}/${admin.member_id}`, { role: "editor" })
    expect(await answers()).toEqual([404, 200])
    await app.call("DELETE", `${own.members}/${admin.member_id}`, undefined, admin.headers)
    expect(await answers()).toEqual([403, 403])
  })

  it("in JSON contain everything with ids, times and history, and each file once", async () => {
    const own = await team()
    const outer = await own.post("/notebooks", { name: "Outer", color: "#123456" })
    const inner = await own.post("/notebooks", { name: "Inner", parent_id: outer.id })
    const first = await own.post("/notes", { notebook_id: outer.id, title: "First", body: "one", tags: ["a"] })
    await own.patch(`/notes/${first.id}`, { body: "two" })
    await own.patch(`/notes/${first.id}`, { title: "Renamed" })
    await app.advance("1 second")
    const note = await own.patch(`/notes/${first.id}`, { tags: ["a", "b"] })
    const archived = await own.post("/notes", { notebook_id: inner.id, title: "Archived" })
    await own.post(`/notes/${archived.id}/archive`)
    const trashed = await own.post("/notes", { notebook_id: inner.id, title: "Trashed" })
    await app.call("DELETE", `/notes/${trashed.id}`, undefined, own.owner.headers)
    const bytes = someBytes(70_000)
    const one = await attach(own, first.id, bytes, "one.bin")
    await attach(own, archived.id, bytes, "two.bin")
    const comment = await own.post(`/notes/${first.id}/comments`, { body: "said" })
    const reminder = await own.post("/reminders", { note_id: first.id, remind_at: "2031-05-01T08:00:00Z" })
    const template = await own.post("/templates", { name: "Daily", body: "{{date}}" })

    const found = await exported(own, { scope: "workspace", format: "json" })
    const sha256 = sha256Of(bytes)
    const tags = jsonOf(found, "tags.json")
    expect([...found.files.keys()].toSorted()).toEqual(
      [
        "manifest.json",
        "notebooks.json",
        "tags.json",
        `notes/${first.id}.json`,
        `notes/${archived.id}.json`,
        `templates/${template.id}.json`,
        `files/${sha256}`
      ].toSorted()
    )
    expect(found.files.get(`files/${sha256}`)).toEqual(bytes)
    expect(tags.map(({ name }: any) => name)).toEqual(["a", "b"])
    const { note_count: _, ...outerData } = outer
    expect(jsonOf(found, "notebooks.json")).toContainEqual(outerData)
    expect(jsonOf(found, `templates/${template.id}.json`)).toEqual(template)
    const whole = jsonOf(found, `notes/${first.id}.json`)
    const { url: __, ...attachment } = one
    expect(whole).toMatchObject({ note, attachments: [attachment], comments: [comment], reminders: [reminder] })
    expect(whole.versions.map(({ body, tags, title, version }: any) => [version, title, body, tags])).toEqual([
      [1, "First", "one", ["a"]],
      [2, "First", null, ["a"]],
      [3, "Renamed", null, ["a"]]
    ])
    expect(jsonOf(found, `notes/${archived.id}.json`).note.archived).toBe(true)
    const [head] = await app.sql("SELECT seq::float8 AS seq FROM heads WHERE workspace_id = $1", [own.id])
    expect(jsonOf(found, "manifest.json")).toEqual({
      format: "sheaf-export",
      version: 1,
      scope: "workspace",
      notebook_id: null,
      include_attachments: true,
      workspace: { id: own.id, name: "Team" },
      // The event of its own end is later.
      as_of: { seq: head.seq - 1, epoch: expect.any(String) },
      counts: { notebooks: 3, tags: 2, notes: 2, templates: 1, files: 1 }
    })
    for (const path of found.files.keys()) {
      const check = checks.get(path.replace(/(?<=\/)\w+(?=\.json)/, "<id>"))
      if (check === undefined) expect(path).toMatch(/^files\//)
      else expect([path, check(jsonOf(found, path)), check.errors]).toEqual([path, true, null])
    }
    const part = await exported(own, {
      scope: "notebook",
      notebook_id: inner.id,
      format: "json",
      include_attachments: false
    })
    expect([...part.files.keys()].toSorted()).toEqual(
      ["manifest.json", "notebooks.json", "tags.json", `notes/${archived.id}.json`].toSorted()
    )
    expect(jsonOf(part, "tags.json")).toEqual([])
  })

  it("in Markdown contain folders of files with front matter, linked to each other", async () => {
    const own = await team()
    const outer = await own.post("/notebooks", { name: "Plans: 2026" })
    const inner = await own.post("/notebooks", { name: "CON", parent_id: outer.id })
    const target = await own.post("/notes", { notebook_id: inner.id, title: "Where (it) leads?", tags: ["x"] })
    const bytes = someBytes()
    const source = await own.post("/notes", { notebook_id: outer.id, title: "Start", pinned: true })
    const file = await attach(own, source.id, bytes, "a picture.png")
    await app.advance("1 second")
    const second = await attach(own, target.id, someBytes(), "A Picture.png")
    const gone = "nt_0123456789abcdef0123"
    const body = [
      `A [link](note:${target.id}#part "said"), ![image](attachment:${file.id}), ![by name](<old/a picture.png>)`,
      `another's: [b](attachment:${second.id}), none: [c](note:${gone}), <note:${target.id}>`,
      `\`[code](note:${target.id})\``,
      "",
      "```",
      `[code](note:${target.id})`,
      "```",
      `[ref]: note:${target.id}`
    ].join("\n")
    await own.patch(`/notes/${source.id}`, { body })
    const found = await exported(own, { scope: "workspace" })
    expect([...found.files.keys()].toSorted()).toEqual([
      "Plans- 2026/Start.md",
      "Plans- 2026/_CON/Where (it) leads-.md",
      "_attachments/A Picture (2).png",
      "_attachments/a picture.png"
    ])
    expect(found.files.get("_attachments/a picture.png")).toEqual(bytes)
    const { body: written, matter } = noteOf(found, "Plans- 2026/Start.md")
    const to = "_CON/Where%20%28it%29%20leads-.md"
    expect(written.split("\n")).toEqual([
      `A [link](${to}#part "said"), ![image](../_attachments/a%20picture.png), ![by name](../_attachments/a%20picture.png)`,
      `another's: [b](../_attachments/A%20Picture%20%282%29.png), none: [c](note:${gone}), [note:${target.id}](${to})`,
      `\`[code](note:${target.id})\``,
      "",
      "```",
      `[code](note:${target.id})`,
      "```",
      `[ref]: ${to}`
    ])
    const changed = await own.get(`/notes/${source.id}`)
    expect(matter).toEqual({
      id: source.id,
      title: "Start",
      tags: [],
      created: changed.created_at,
      updated: changed.updated_at,
      archived: false,
      pinned: true
    })
    expect(noteOf(found, "Plans- 2026/_CON/Where (it) leads-.md").matter).toMatchObject({
      title: "Where (it) leads?",
      tags: ["x"]
    })
    const again = await exported(own, { scope: "workspace" })
    expect(again.bytes.equals(found.bytes)).toBe(true)
  })

  it.each(["json", "markdown"] as const)(
    "in %s omit missing or damaged files, list them, and can be imported",
    async (format) => {
      const own = await team()
      const notebook = await own.post("/notebooks", { name: "Files" })
      const note = await own.post("/notes", { notebook_id: notebook.id, title: "With files", body: "words" })
      const [whole, gone, broken] = [someBytes(300), someBytes(300), someBytes(900_000)]
      const first = await attach(own, note.id, whole, "whole.bin")
      const missing = await attach(own, note.id, gone, "gone.bin")
      await app.advance("1 second")
      const damaged = await attach(own, note.id, broken, "broken.bin")
      const pathOf = ({ sha256 }: any) => join(app.dataDir, "files", own.id, sha256.slice(0, 2), sha256)
      rmSync(pathOf(missing))
      const bytes = readFileSync(pathOf(damaged))
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(pathOf(damaged), bytes)

      const zip = await exported(own, { scope: "workspace", format })
      if (format === "json") {
        const manifest = jsonOf(zip, "manifest.json")
        const check = checks.get("manifest.json")!
        expect([check(manifest), check.errors]).toEqual([true, null])
        expect(manifest.counts.files).toBe(1)
        expect(manifest.missing_files).toEqual([
          {
            sha256: missing.sha256,
            reason: "missing",
            attachment_id: missing.id,
            note_id: note.id,
            filename: "gone.bin"
          },
          {
            sha256: damaged.sha256,
            reason: "damaged",
            attachment_id: damaged.id,
            note_id: note.id,
            filename: "broken.bin"
          }
        ])
        expect([...zip.files.keys()].filter((path) => path.startsWith("files/"))).toEqual([`files/${first.sha256}`])
      } else {
        expect(textOf(zip, "sheaf-missing-files.txt").split("\n").slice(2, 4)).toEqual([
          "_attachments/gone.bin\tmissing\tgone.bin of Files/With files.md",
          "_attachments/broken.bin\tdamaged\tbroken.bin of Files/With files.md"
        ])
        expect([...zip.files.keys()].filter((path) => path.startsWith("_attachments/"))).toEqual([
          "_attachments/whole.bin"
        ])
      }

      const other = await team()
      const imported = await new Importing(other).all(format, "export.zip", zip.bytes)
      expect(imported.status).toBe("done")
      const reported = imported.errors.map(({ code, message }: any) => `${code}: ${message}`)
      expect(reported.every((each: string) => each.startsWith("missing_file: "))).toBe(true)
      for (const name of ["gone.bin", "broken.bin"]) expect(reported.join()).toContain(name)
      const names = (await other.get("/attachments")).data.map(({ filename }: any) => filename)
      expect(names).toEqual(["whole.bin"])
    }
  )

  it("wait in a queue of twenty, in addition to two that run; one more is refused", async () => {
    const own = await team()
    // Queue rows that are not due, so no worker claims them.
    await app.sql(
      `INSERT INTO exports SELECT $1, 'ex_' || lpad(g::text, 22, '0'), 'workspace', 'json', 'queued', NULL, true, NULL, NULL,
        NULL, '2026-03-01T12:00:00.000Z', NULL, NULL FROM generate_series(1, 22) g`,
      [own.id]
    )
    const refused = await app.call("POST", "/exports", { scope: "workspace" }, own.owner.headers)
    expect(refused.body).toMatchObject({ status: 429, code: "rate_limited" })
    expect(refused.headers.get("retry-after")).toBe("60")
    await app.sql("DELETE FROM exports WHERE workspace_id = $1 AND id LIKE '%1'", [own.id])
    expect((await own.post("/exports", { scope: "workspace" })).status).toBe("queued")
  })

  it("are limited to the last five, kept for seven days, and delete their bytes with the last reference", async () => {
    const own = await team()
    const ids: Array<string> = []
    for (let count = 0; count < 6; count++) {
      await own.post("/notebooks", { name: `Another ${count}` })
      const { id } = await own.post("/exports", { scope: "workspace", format: "json" })
      await ended(own, id)
      ids.push(id)
      await app.advance("1 second")
    }
    expect((await own.get("/exports")).data.map(({ id }: any) => id)).toEqual(ids.slice(1).toReversed())
    const count = async () =>
      (await app.sql("SELECT count(*)::int AS n FROM blobs WHERE workspace_id = $1 AND refs > 0", [own.id]))[0].n
    expect(await count()).toBe(5)
    await app.advance("7 days")
    await app.idle()
    await app.advance("1 hour")
    await app.idle()
    expect(await app.sql("SELECT id FROM exports WHERE workspace_id = $1", [own.id])).toEqual([])
    expect(await count()).toBe(0)
    await expectTruth(app)
  })

  it("fail with a reason when their notebook was deleted before", async () => {
    const own = await team()
    const { id: notebook_id } = await own.post("/notebooks", { name: "Short-lived" })
    const id = "ex_0123456789abcdef012345"
    await app.call("DELETE", `/notebooks/${notebook_id}`, undefined, own.owner.headers)
    await app.sql(
      `INSERT INTO exports VALUES ($1, $2, 'notebook', 'json', 'queued', $3, true, NULL, NULL, NULL,
        '2026-03-01T12:00:00.000Z', NULL, NULL)`,
      [own.id, id, notebook_id]
    )
    await app.sql(
      "INSERT INTO transfers VALUES ($1, $2, 0, 0, '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z')",
      [own.id, id]
    )
    const failed = await eventually("it has failed", async () => {
      // A poll of the queue that is under way misses a move of the clock.
      await app.advance("10 seconds")
      const found: any = await own.get(`/exports/${id}`)
      return found.status === "failed" && found
    })
    expect(failed).toMatchObject({ status: "failed", download_url: null, error: expect.stringContaining("deleted") })
  })

  it("are created once per Idempotency-Key", async () => {
    const own = await team()
    const headers = { ...own.owner.headers, "idempotency-key": "once" }
    const first = await app.call("POST", "/exports", { scope: "workspace" }, headers)
    const second = await app.call("POST", "/exports", { scope: "workspace" }, headers)
    expect(second.body.id).toBe(first.body.id)
    expect(second.headers.get("idempotent-replayed")).toBe("true")
    await ended(own, first.body.id)
    expect((await own.get("/exports")).data).toHaveLength(1)
  })

  it("work for empty workspaces", async () => {
    const found = await exported(await team(), { scope: "workspace" })
    expect([...found.files.keys()]).toEqual([])
  })
})
