import { createServer, type RequestListener } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, inject, it } from "vitest"
import {
  createClient,
  importFile,
  isProblem,
  memorySession,
  type Schemas,
  type SheafClient,
  SheafError,
  upload
} from "../../src/clients/client/ClientPackage.ts"
import { operations } from "../../src/clients/client/generated/OperationTable.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"

let sheaf: Sheaf
let client: SheafClient
let notebook_id: string
beforeAll(async () => {
  sheaf = await Sheaf.start({ postgres: inject("postgres") })
  client = createClient({ url: sheaf.url, key: sheaf.key })
  const { data } = await client.listNotebooks()
  notebook_id = data[0]!.id
})
beforeEach(() => {
  sheaf.faults.clear()
  sheaf.faults.happened.splice(0)
})
afterAll(() => sheaf.stop())

/** A server that is not Sheaf. */
const other = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`,
    [Symbol.dispose]: () => void (server.closeAllConnections(), server.close())
  }
}

it("is not created without the address of a server", () => {
  const refusal = "url must be like https://example.com/v2"
  // @ts-expect-error: an address is required.
  expect(() => createClient({ key: sheaf.key })).toThrow(new TypeError(refusal))
  for (const url of ["", "notes", "/v2", "localhost:4000/v2"]) {
    expect(() => createClient({ url }), url).toThrow(new TypeError(refusal))
  }
})

describe("operations", () => {
  it("are all methods", () => {
    for (const name of Object.keys(operations)) expect(client[name as "getMe"]).toBeInstanceOf(Function)
  })

  it("take parameters and members of the body in one typed object", async () => {
    const note = await client.createNote({ notebook_id, title: "Typed", body: "One" })
    expectTypeOf(note).toEqualTypeOf<Schemas["Note"]>()
    const second = await client.updateNote({ id: note.id, version: note.version, body: "Two" })
    expect(second).toMatchObject({ id: note.id, title: "Typed", body: "Two", version: 2 })
    expect(await client.getNoteVersion({ id: note.id, version: 1 })).toMatchObject({ body: "One" })
    expect(await client.deleteNote({ id: note.id, permanent: true })).toEqual({ id: note.id, deleted: true })
    // @ts-expect-error: a title is required.
    await expect(client.createNote({ notebook_id })).rejects.toMatchObject({ problem: { code: "validation_failed" } })
    // @ts-expect-error: an id is required.
    await expect(client.getNote({})).rejects.toThrow("id is required")
  })

  it("return pages, which are async iterables of all items", async () => {
    const names = Array.from({ length: 7 }, (_, index) => `tag-${index}`)
    for (const name of names) await client.createTag({ name })
    const page = await client.listTags({ limit: 3 })
    expect([page.data.length, page.has_more]).toEqual([3, true])
    const found: Array<string> = []
    for await (const { name } of client.listTags({ limit: 3 })) found.push(name)
    expect(found.toSorted()).toEqual(names)
  })

  it("take a record behind a proxy that makes its ETag weak", async () => {
    const weakening: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      const headers = new Headers(response.headers)
      headers.set("etag", `W/${headers.get("etag")}`)
      return new Response(response.body, { status: response.status, headers })
    }
    const behind = createClient({ url: sheaf.url, key: sheaf.key, fetch: weakening })
    const notebook = await behind.createNotebook({ name: "Weak" })
    const changed = await behind.updateNotebook({ id: notebook.id, name: "Changed" }, { ifMatch: notebook })
    expect(changed.name).toBe("Changed")
  })

  it("take a record as the state that must be current", async () => {
    const notebook = await client.createNotebook({ name: "Guarded" })
    await client.updateNotebook({ id: notebook.id, name: "Changed" }, { ifMatch: notebook })
    const stale = client.updateNotebook({ id: notebook.id, name: "Stale" }, { ifMatch: notebook })
    await expect(stale).rejects.toMatchObject({ problem: { code: "precondition_failed", status: 412 } })
    await expect(client.updateNotebook({ id: notebook.id, name: "x" }, { ifMatch: {} })).rejects.toThrow(TypeError)
  })
})

describe("problems", () => {
  it("are discriminated by their code", async () => {
    const error: unknown = await client.getNote({ id: "nt_0000000000000000" }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(SheafError)
    expect(isProblem(error, "not_found")).toBe(true)
    const refused: unknown = await client
      .createNote({ notebook_id, title: "x".repeat(201) })
      .catch((error: unknown) => error)
    if (!isProblem(refused, "validation_failed")) throw refused
    expect(refused.problem.errors).toMatchObject([{ field: "title", code: "too_long" }])
  })

  it("are those of a client from another bundle too", () => {
    const problem = { code: "not_found", status: 404, detail: "There is no such note" }
    const error = Object.assign(new Error("not_found"), { name: "SheafError", problem })
    expect(isProblem(error, "not_found")).toBe(true)
    expect(isProblem(new Error("not_found"), "not_found")).toBe(false)
  })

  it("name a response that is not one of Sheaf", async () => {
    using page = await other((_, response) =>
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>No</h1>")
    )
    const error = await createClient({ url: page.url, key: "x" })
      .getMe()
      .catch((error: unknown) => error)
    expect(isProblem(error, "unexpected_response")).toBe(true)
  })

  it("name a server that does not respond", async () => {
    const gone = createClient({ url: "http://127.0.0.1:9/v2", key: "x", retries: 0 })
    await expect(gone.getMe()).rejects.toMatchObject({ problem: { code: "no_response", status: 0 } })
  })
})

describe("requests", () => {
  it("are repeated while responses are lost or refused, and have their effect once", async () => {
    sheaf.faults.set({ seed: 5, lostResponses: 0.3, unavailable: 0.2 })
    const fast = createClient({ url: sheaf.url, key: sheaf.key, retries: 20, longestWait: 1_000 })
    const titles = Array.from({ length: 10 }, (_, index) => `Once ${index}`)
    const notes = await Promise.all(titles.map((title) => fast.createNote({ notebook_id, title })))
    await Promise.all(notes.slice(0, 5).map(({ id }) => fast.deleteNote({ id })))
    sheaf.faults.clear()
    const left: Array<string> = []
    for await (const { title } of client.listNotes()) if (title.startsWith("Once")) left.push(title)
    expect(left.toSorted()).toEqual(titles.slice(5))
  })

  it("wait as long as Retry-After asks for, but not longer than they may", async () => {
    let calls = 0
    using busy = await other((_, response) => {
      const headers = { "content-type": "application/json", "retry-after": calls++ === 0 ? "1" : "0" }
      response.writeHead(calls === 1 ? 503 : 200, headers).end("{}")
    })
    const begun = performance.now()
    await createClient({ url: busy.url, key: "x" }).getMe()
    expect(performance.now() - begun).toBeGreaterThan(990)
    calls = 0
    const impatient = createClient({ url: busy.url, key: "x", longestWait: 500 })
    await expect(impatient.getMe()).rejects.toMatchObject({ retryAfter: 1_000 })
    expect(calls).toBe(1)
  })

  it("end with their signal, also while they wait", async () => {
    using busy = await other((_, response) => response.writeHead(503, { "retry-after": "30" }).end())
    const reason = new Error("the user has left")
    const signal = AbortSignal.timeout(50)
    await expect(createClient({ url: busy.url, key: "x" }).getMe({}, { signal })).rejects.toThrow(/timeout/i)
    await expect(client.getMe({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe("a session", () => {
  it("is refreshed once for concurrent calls, and ends with the sign-out", async () => {
    let requests = 0
    const store = memorySession()
    const anna = createClient({
      url: sheaf.url,
      session: store,
      fetch: (...args) => {
        if (String(args[0]).endsWith("/auth/refresh")) requests++
        return fetch(...args)
      }
    })
    await anna.signUp({ email: "anna@example.org", password: "correct horse battery" })
    await sheaf.advance("2 hours")
    const found = await Promise.all(Array.from({ length: 5 }, () => anna.getMe()))
    expect(found.map(({ email }) => email)).toEqual(Array(5).fill("anna@example.org"))
    expect(requests).toBe(1)
    // Another tab with the same store.
    const tab = createClient({ url: sheaf.url, session: store })
    expect((await tab.getMe()).email).toBe("anna@example.org")
    await anna.signOut()
    await expect(tab.getMe()).rejects.toMatchObject({ problem: { code: "authentication_required" } })
    await anna.signIn({ email: "anna@example.org", password: "correct horse battery" })
    expect((await tab.getMe()).email).toBe("anna@example.org")
  })
})

describe("an upload", () => {
  it("reports its progress, and sends bytes only once", async () => {
    const note = await client.createNote({ notebook_id, title: "With files" })
    const content = new Uint8Array(200_000).fill(65)
    const progress: Array<number> = []
    const file = { note_id: note.id, filename: "a.txt", content }
    const first = await upload(client, file, { onProgress: (sent) => progress.push(sent) })
    expect(first).toMatchObject({ status: "ready", size: 200_000, content_type: "text/plain" })
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect([progress.length > 2, progress.at(-1)]).toEqual([true, 200_000])
    let puts = 0
    const counting = createClient({
      url: sheaf.url,
      key: sheaf.key,
      fetch: (url, options) => {
        if (options?.method === "PUT") puts++
        return fetch(url, options)
      }
    })
    expect((await upload(counting, { ...file, filename: "b.txt" })).sha256).toBe(first.sha256)
    expect(puts).toBe(0)
  })
})

it("a file of notes is imported, and its progress reported", async () => {
  const content = new TextEncoder().encode(`# Moved in\n\n${"word ".repeat(30_000)}`)
  const progress: Array<number> = []
  const onProgress = (sent: number) => progress.push(sent)
  const { id } = await importFile(client, { source: "markdown", filename: "moved.md", content }, { onProgress })
  expect([progress.length > 1, progress.at(-1)]).toEqual([true, content.length])
  await expect.poll(() => client.getImport({ id })).toMatchObject({ status: "done", imported: 1, filename: "moved.md" })
})
