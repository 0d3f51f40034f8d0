import { ListObjectsV2Command } from "@aws-sdk/client-s3"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Files, sha256Of, someBytes } from "../../support/Files.ts"
import { type Scenario, scenarioOf } from "../../support/Scenario.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"
import { TcpProxy } from "../../support/servers/TcpProxy.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""
const server = s3 as S3Server

describe.skipIf(missing !== "")(`attachments in a bucket${missing}`, () => {
  let app: TestApp
  let { given, refuse } = {} as Scenario
  let files: Files
  let note: string

  beforeAll(async () => {
    const { client: _, ...place } = server
    // The bucket checks signatures against the real time.
    app = await startApp({ clock: "live", settings: { s3: place } })
    ;({ given, refuse } = scenarioOf(app))
    files = new Files(app)
    const inbox = (await app.call("GET", "/notebooks")).body.data[0].id
    note = (await given("POST", "/notes", { notebook_id: inbox, title: "With files" })).id
  })
  afterAll(async () => {
    await app?.stop()
    server.client.destroy()
  })

  const keys = async () =>
    ((await server.client.send(new ListObjectsV2Command({ Bucket: server.bucket }))).Contents ?? []).map(
      ({ Key }) => Key!
    )
  const begin = (bytes: Uint8Array, more: object = {}) =>
    given("POST", "/attachments/uploads", {
      note_id: note,
      filename: "Übersicht.png",
      size: bytes.length,
      sha256: sha256Of(bytes),
      ...more
    })
  const put = (url: string, headers: Record<string, string>, bytes: Uint8Array) =>
    fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) })

  it("reserve storage from the moment their upload URL is issued until they are ready or deleted", async () => {
    const used = async () => (await given("GET", "/usage")).storage_bytes
    const before = await used()
    const [one, other] = [someBytes(1_000), someBytes(1_000)]
    const ready = await begin(one)
    const removed = await begin(other)
    expect(await used()).toBe(before + 2_000)
    await put(ready.upload_url, ready.upload_headers, one)
    await put(removed.upload_url, removed.upload_headers, other)
    await given("POST", `/attachments/${ready.id}/complete`)
    expect(await used()).toBe(before + 2_000)
    await given("DELETE", `/attachments/${removed.id}`)
    expect(await used()).toBe(before + 1_000)
    expect((await keys()).filter((key) => key.startsWith("staging/"))).toEqual([])
    await expectTruth(app)
  })

  it("are uploaded to and downloaded from the bucket directly, once they are completed", async () => {
    const bytes = someBytes(100_000)
    const upload = await begin(bytes)
    expect(new URL(upload.upload_url).host).toBe(new URL(server.endpoint).host)
    await refuse({ status: 409, code: "attachment_not_ready" }, "POST", `/attachments/${upload.id}/complete`)
    expect((await put(upload.upload_url, upload.upload_headers, bytes)).status).toBe(200)
    const ready = await given("POST", `/attachments/${upload.id}/complete`)
    expect(ready).toMatchObject({ status: "ready", size: bytes.length, sha256: sha256Of(bytes) })
    expect(await given("POST", `/attachments/${upload.id}/complete`)).toEqual(ready)
    const served = await fetch(ready.url)
    expect(new URL(ready.url).host).toBe(new URL(server.endpoint).host)
    expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true)
    expect([served.headers.get("content-type"), served.headers.get("content-disposition")]).toEqual([
      "image/png",
      expect.stringContaining("filename*=UTF-8''%C3%9Cbersicht.png")
    ])
    expect((await fetch(ready.url, { headers: { range: "bytes=10-19" } })).status).toBe(206)
    // A later upload to the same URL changes nothing.
    await put(upload.upload_url, upload.upload_headers, bytes)
    expect((await given("GET", `/attachments/${upload.id}`)).sha256).toBe(sha256Of(bytes))
    expect((await keys()).filter((key) => key.endsWith(sha256Of(bytes)))).toHaveLength(1)
    await expectTruth(app)
  })

  it("are served as downloads if their type is text, and inline if it is an image", async () => {
    const bytes = Buffer.from("<!doctype html><script>alert(1)</script>")
    for (const [content_type, kind] of [
      ["text/plain", "attachment"],
      ["text/html", "attachment"],
      ["image/png", "inline"]
    ]) {
      const upload = await begin(bytes, { content_type })
      if (upload.upload_url !== null) await put(upload.upload_url, upload.upload_headers, bytes)
      const ready = await given("POST", `/attachments/${upload.id}/complete`)
      const disposition = new URL(ready.url).searchParams.get("response-content-disposition")
      expect(disposition, content_type).toMatch(new RegExp(`^${kind};`))
    }
  })

  it("are streamed by the server at share URLs until the share is deleted", async () => {
    const bytes = someBytes(300_000)
    const upload = await begin(bytes)
    await put(upload.upload_url, upload.upload_headers, bytes)
    await given("POST", `/attachments/${upload.id}/complete`)
    await given("PATCH", `/notes/${note}`, { body: `![x](attachment:${upload.id})` })
    const share = await given("POST", "/shares", { note_id: note })
    const page = await fetch(files.at(share.url), { headers: { accept: "text/html" } })
    expect(page.headers.get("content-security-policy")).toContain("img-src 'self';")
    expect(await page.text()).toContain(`<img src="${new URL(share.url).pathname}/files/${upload.id}"`)
    const file = files.at(`${share.url}/files/${upload.id}`)
    const served = await fetch(file, { redirect: "error" })
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "image/png"])
    expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true)
    const part = await fetch(file, { headers: { range: "bytes=10-19" } })
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(10, 20))).toBe(true)
    await given("DELETE", `/shares/${share.id}`)
    expect((await fetch(file)).status).toBe(404)
    await given("PATCH", `/notes/${note}`, { body: "" })
  })

  it("are completed by the first GET", async () => {
    for (const path of ["", "/download"]) {
      const bytes = someBytes()
      const upload = await begin(bytes)
      await put(upload.upload_url, upload.upload_headers, bytes)
      expect((await given("GET", `/attachments/${upload.id}${path}`)).status).toBe("ready")
    }
  })

  it("are uploaded through Sheaf if their size and hash are not declared", async () => {
    const bytes = someBytes(1000)
    const upload = await given("POST", "/attachments/uploads", { note_id: note, filename: "x.bin" })
    expect(upload.upload_url).toContain("/files/uploads/")
    const { body } = await files.put(upload, bytes)
    expect(body.status).toBe("ready")
    expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(bytes)).toBe(true)
    // Their size and hash are known from then on.
    expect(await begin(bytes)).toMatchObject({ status: "ready", upload_url: null })
  })

  it("are rejected by the bucket with other bytes, another length or another signature", async () => {
    const bytes = someBytes(500)
    const upload = await begin(bytes)
    const url = new URL(upload.upload_url)
    url.searchParams.set("X-Amz-Signature", "0".repeat(64))
    expect((await put(url.href, upload.upload_headers, bytes)).status).toBe(403)
    expect((await put(upload.upload_url, upload.upload_headers, someBytes(500))).status).toBeGreaterThanOrEqual(400)
    expect((await put(upload.upload_url, upload.upload_headers, someBytes(501))).status).toBeGreaterThanOrEqual(400)
    expect((await given("GET", `/attachments/${upload.id}`)).status).toBe("pending")
  })

  it("are completed by a limited key only in notebooks that it may write to", async () => {
    const notebook_id = (await given("GET", `/notes/${note}`)).notebook_id
    const keyFor = async (access: "read" | "write") => {
      const notebooks = [{ id: notebook_id, access, include_subnotebooks: false }]
      return { authorization: `Bearer ${(await given("POST", "/api-keys", { name: access, notebooks })).secret}` }
    }
    const [reader, writer] = [await keyFor("read"), await keyFor("write")]
    const bytes = someBytes()
    const upload = await begin(bytes)
    await put(upload.upload_url, upload.upload_headers, bytes)
    const complete = (headers: Record<string, string>) =>
      app.call("POST", `/attachments/${upload.id}/complete`, undefined, headers)
    expect((await complete(reader)).status).toBe(404)
    const read = await app.call("GET", `/attachments/${upload.id}`, undefined, reader)
    expect([read.status, read.body.status, read.body.upload_url]).toEqual([200, "pending", undefined])
    expect((await complete(writer)).body.status).toBe("ready")
    await expectTruth(app)
  })

  it("return 503 with Retry-After while the bucket cannot be reached; other requests succeed", async () => {
    const proxy = await TcpProxy.to(server.endpoint)
    const { client: _, ...place } = server
    const there = await startApp({
      databaseOf: app,
      clock: "live",
      settings: { s3: { ...place, endpoint: proxy.url } }
    })
    try {
      const filesThere = new Files(there)
      const { given } = scenarioOf(there)
      const bytes = someBytes()
      const ready = await filesThere.make(note, bytes)
      await given("PATCH", `/notes/${note}`, { body: `![x](attachment:${ready.id})` })
      const share = await given("POST", "/shares", { note_id: note })
      const direct = await given("POST", "/attachments/uploads", {
        note_id: note,
        filename: "direct.bin",
        size: bytes.length,
        sha256: sha256Of(someBytes())
      })
      const upload = await given("POST", "/attachments/uploads", { note_id: note, filename: "x.bin" })
      const entry = await given("POST", "/imports", { source: "markdown" })
      const form = (path: string, fields: Readonly<Record<string, string>>) => {
        const body = new FormData()
        for (const [name, value] of Object.entries(fields)) body.append(name, value)
        body.append("file", new Blob([new Uint8Array(someBytes())]), "a.md")
        return fetch(`${there.url}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${there.key}` },
          body
        })
      }
      const needing = () => [
        filesThere.put(upload, someBytes()),
        filesThere.put(entry, someBytes()),
        form("/attachments", { note_id: note }),
        form("/imports", { source: "markdown" }),
        there.call("POST", `/attachments/${direct.id}/complete`),
        fetch(filesThere.at(`${share.url}/files/${ready.id}`))
      ]
      const seq = await there.seq()
      proxy.turn("refuses")
      for (const response of await Promise.all(needing())) {
        expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
      }
      expect(await there.seq()).toBe(seq)

      expect((await given("GET", `/attachments/${ready.id}`)).url).toContain(proxy.url)
      expect((await given("POST", "/attachments/uploads", { note_id: note, filename: "later" })).status).toBe("pending")
      expect((await given("GET", `/attachments/${direct.id}`)).status).toBe("pending")
      expect((await fetch(filesThere.at(share.url))).status).toBe(200)
      const made = await given("POST", "/exports", { scope: "workspace", format: "json" })
      await given("DELETE", `/attachments/${ready.id}`)
      await given("PATCH", `/notes/${note}`, { title: "Written meanwhile" })

      proxy.turn("passes")
      expect((await filesThere.put(upload, bytes)).body).toMatchObject({ status: "ready" })
      expect((await given("GET", `/attachments/${direct.id}`)).status).toBe("pending")
      expect(["pending", "running", "ready"]).toContain((await given("GET", `/exports/${made.id}`)).status)
    } finally {
      await there.stop()
      await proxy.stop()
    }
  })
})
