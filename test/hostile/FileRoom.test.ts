import { once } from "node:events"
import { readdirSync, statSync } from "node:fs"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { planDefaults } from "../../services/workspaces/Plans.ts"
import { Files, someBytes } from "../support/Files.ts"
import { eventually } from "../support/flows/eventually.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { zipOf } from "../services/transfers/Zip.ts"
import { useApp } from "../support/useApp.ts"

const mebibyte = 1024 * 1024
/** The storage limit of the plan in bytes; a workspace may store twice as much including unused files. */
const storage = 4 * mebibyte
const limit = 2 * storage

const { app, given } = useApp({
  settings: {
    policies: {
      signUp: "open",
      planChanges: "owner",
      ownedWorkspaces: 0,
      limits: { ...planDefaults, team: { ...planDefaults.team, storage_bytes: storage } }
    }
  }
})
let note: string
let files: Files

beforeAll(async () => {
  files = new Files(app)
  const [{ id: notebook_id }] = (await given("GET", "/notebooks")).data
  note = (await given("POST", "/notes", { notebook_id, title: "With files" })).id
})

/** Bytes of all files on the disk, stored and staged. */
const onDisk = (): number =>
  readdirSync(join(app.dataDir, "files"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0
    )

const reserved = async (): Promise<number> =>
  (await app.sql("SELECT coalesce(sum(bytes), 0)::float8 AS n FROM staged_files"))[0].n

/** Waits until an import has ended. */
const ended = (id: string) =>
  eventually("the import has ended", async () =>
    ["done", "failed"].includes((await given("GET", `/imports/${id}`)).status)
  )

const addFile = async (bytes = mebibyte) => {
  const upload = await given("POST", "/attachments/uploads", { note_id: note, filename: "a.bin" })
  return { id: upload.id as string, sent: await files.put(upload, someBytes(bytes)) }
}

const problem = { status: 403, code: "quota_exceeded", quota: "storage_bytes", limit }

const bodyOf = async (response: IncomingMessage): Promise<any> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of response) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

describe("files on the disk", () => {
  it("of deleted attachments count until they are collected, which happens when space is needed", async () => {
    for (let n = 0; n < 20; n++) {
      const { id, sent } = await addFile()
      expect([n, sent.status]).toEqual([n, 200])
      await given("DELETE", `/attachments/${id}`)
      expect(onDisk()).toBeLessThanOrEqual(limit)
    }
    expect((await given("GET", "/usage")).storage_bytes).toBe(0)
    expect(await reserved()).toBe(0)
    await expectTruth(app)
  })

  it("of imports count until they are collected", async () => {
    for (let n = 0; n < 9; n++) {
      const { upload_url, id } = await given("POST", "/imports", { source: "markdown" })
      const sent = await files.put({ upload_url }, someBytes(mebibyte))
      expect([n, sent.status]).toEqual([n, 200])
      await ended(id)
      expect(onDisk()).toBeLessThanOrEqual(limit)
    }
  })

  it("of a highly compressed archive are imported as far as there is space", async () => {
    const entries = Array.from({ length: 24 }, (_, n) => ({ name: `f${n}.bin`, content: Buffer.alloc(mebibyte, n) }))
    const content = entries.map(({ name }) => `![](${name})`).join("\n")
    const { id, upload_url } = await given("POST", "/imports", { source: "markdown" })
    expect((await files.put({ upload_url }, zipOf([{ name: "n.md", content }, ...entries]))).status).toBe(200)
    await ended(id)
    const { errors } = await given("GET", `/imports/${id}`)
    expect(errors.filter(({ code }: any) => code === "quota_exceeded").length).toBeGreaterThan(0)
    expect(onDisk()).toBeLessThanOrEqual(limit)
    for (const { id } of (await given("GET", "/attachments")).data) await given("DELETE", `/attachments/${id}`)
    // The hourly job collects files that no record has used.
    await app.advance("3 hours")
    await app.idle()
  })

  it("of unfinished uploads are reserved before they are written, and refused beyond the limit", async () => {
    const { hostname, port } = new URL(app.url)
    const sending: Array<ClientRequest> = []
    const refused: Array<any> = []
    for (let n = 0; n < 12; n++) {
      const sent = request({
        hostname,
        port,
        path: "/v2/imports",
        method: "POST",
        headers: { authorization: `Bearer ${app.key}`, "content-type": "multipart/form-data; boundary=b" }
      })
      sent.on("error", () => {})
      sent.on("response", async (response) => {
        refused.push(await bodyOf(response))
      })
      sent.write(
        '--b\r\nContent-Disposition: form-data; name="source"\r\n\r\nmarkdown\r\n' +
          '--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
      )
      sent.write(someBytes(mebibyte))
      sending.push(sent)
    }
    await eventually("some uploads are refused, others wait", async () => refused.length >= 4 && (await reserved()) > 0)
    for (const body of refused) expect(body).toMatchObject(problem)
    expect(onDisk()).toBeLessThanOrEqual(limit)
    for (const sent of sending) sent.destroy()
    await eventually("no space is reserved", async () => (await reserved()) === 0)
    const { id, sent } = await addFile()
    expect(sent.status).toBe(200)
    await given("DELETE", `/attachments/${id}`)
  })

  it("are refused by their declared length, before any byte is written", async () => {
    const { upload_url } = await given("POST", "/imports", { source: "markdown" })
    const { hostname, pathname, port, search } = new URL(files.at(upload_url))
    const sent = request({
      hostname,
      port,
      path: pathname + search,
      method: "PUT",
      headers: { "content-length": String(limit + 1) }
    })
    sent.on("error", () => {})
    sent.flushHeaders()
    const [response] = await once(sent, "response")
    expect(await bodyOf(response)).toMatchObject(problem)
    sent.destroy()
    expect(await reserved()).toBe(0)
    // The upload URL is still valid.
    expect((await files.put({ upload_url }, Buffer.from("# Small"))).status).toBe(200)
  })

  it("of two simultaneous uploads do not use the same space twice", async () => {
    const { upload_url: one } = await given("POST", "/imports", { source: "markdown" })
    const { upload_url: other } = await given("POST", "/imports", { source: "markdown" })
    const half = Math.floor(limit * 0.6)
    const answers = await Promise.all([one, other].map((upload_url) => files.put({ upload_url }, someBytes(half))))
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    expect(onDisk()).toBeLessThanOrEqual(limit)
    await eventually("both imports have ended", async () => {
      const rows = await app.sql("SELECT 1 FROM imports WHERE status = 'queued' AND blob IS NOT NULL")
      return rows.length === 0
    })
  })

  it("of old exports are deleted for later ones, and an export is never refused", async () => {
    await addFile(1.5 * mebibyte)
    for (let n = 0; n < 5; n++) {
      const { id } = await given("POST", "/exports", { scope: "workspace" })
      await eventually("the export is ready", async () => (await given("GET", `/exports/${id}`)).status === "ready")
      const { download_url } = await given("GET", `/exports/${id}`)
      expect((await files.call("GET", download_url)).bytes.length).toBeGreaterThan(1.5 * mebibyte)
      expect(onDisk()).toBeLessThanOrEqual(limit + 2 * mebibyte)
    }
    const { data } = await given("GET", "/exports")
    expect(data.reduce((sum: number, { size_bytes }: any) => sum + size_bytes, 0)).toBeLessThanOrEqual(storage)
    await expectTruth(app)
  })
})
