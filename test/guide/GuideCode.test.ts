import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, describe, expect, it, vi } from "vitest"
import { guideFiles } from "../../src/server/reference/GuideFiles.ts"
import { codeOf, guideModule } from "../support/GuideBlocks.ts"
import { freePort } from "../support/servers/freePort.ts"
import { useApp } from "../support/useApp.ts"

const port = await freePort()
const { app } = useApp({
  clock: "live",
  settings: { port, publicUrl: `http://127.0.0.1:${port}`, webhookAllow: ["127.0.0.1"] }
})

const root = join(import.meta.dirname, "../..")
const { fetch } = globalThis

afterEach(() => vi.restoreAllMocks())

const register = async () =>
  (
    await app.call("POST", "/auth/register", {
      email: `${crypto.randomUUID()}@example.org`,
      password: "correct horse battery"
    })
  ).body

const inbox = async (): Promise<string> => (await app.call("GET", "/notebooks")).body.data[0].id

it("the TypeScript of the guides compiles under strict", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-guide-"))
  const files = guideFiles
    .map(({ file }) => ({ file, code: codeOf(file, "ts") }))
    // The code of these pages uses the package: test/scripts/Package.test.ts compiles and runs it.
    .filter(({ code, file }) => code !== "" && !["clients.md", "conformance.md", "testing.md"].includes(file))
    .map(({ code, file }) => {
      const path = join(folder, file.replaceAll("/", "-").replace(".md", ".ts"))
      writeFileSync(path, code)
      return path
    })
  expect(files.length).toBeGreaterThan(4)
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
  const options =
    "--checkers 1 --ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --erasableSyntaxOnly --types node"
  const compiler = join(root, "node_modules/typescript/bin/tsc")
  await promisify(execFile)(process.execPath, [
    compiler,
    ...options.split(" "),
    ...["--target", "esnext", "--module", "nodenext", "--typeRoots", join(root, "node_modules/@types"), ...files]
  ]).catch(({ stdout }) => {
    throw new Error(stdout)
  })
  rmSync(folder, { recursive: true })
})

describe("request of the guide to errors", () => {
  const answers = (...responses: ReadonlyArray<Response | Error>) => {
    const waiting = [...responses]
    return vi.spyOn(globalThis, "fetch").mockImplementation((...asked) => {
      const next = waiting.shift()
      if (next === undefined) return fetch(...asked)
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
    })
  }
  const problem = (status: number, code: string, headers = {}) =>
    Response.json({ code, status }, { status, headers: { "content-type": "application/problem+json", ...headers } })

  it("repeats a lost POST with one key, so that the note exists once", async () => {
    const { request } = await guideModule("guides/errors.md")
    const body = { notebook_id: await inbox(), title: `Once ${crypto.randomUUID()}` }
    const calls = vi.spyOn(globalThis, "fetch").mockImplementationOnce(async (...asked) => {
      await fetch(...asked)
      throw new TypeError("the connection was closed")
    })
    vi.spyOn(Math, "random").mockReturnValue(0)
    await request(`${app.url}/notes`, { key: app.key, method: "POST", body })
    const keys = calls.mock.calls.map(([, init]) => (init!.headers as Record<string, string>)["idempotency-key"])
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
    const filter = encodeURIComponent(`title="${body.title}"`)
    expect((await app.call("GET", `/notes?filter=${filter}`)).body.data).toHaveLength(1)
  })

  it("repeats after 503 and 429", async () => {
    const { request } = await guideModule("guides/errors.md")
    vi.spyOn(Math, "random").mockReturnValue(0)
    answers(problem(503, "overloaded", { "retry-after": "0" }), problem(429, "rate_limited", { "retry-after": "0" }))
    expect(await request(`${app.url}/me`, { key: app.key })).toMatchObject({ email: "owner@sheaf.test" })
  })

  it("repeats after the page of a proxy, and reports its status at last", async () => {
    const { request } = await guideModule("guides/errors.md")
    vi.spyOn(Math, "random").mockReturnValue(0)
    const pages = (...statuses: ReadonlyArray<number>) =>
      statuses.map((status) => new Response("<html>", { status, headers: { "content-type": "text/html" } }))
    answers(...pages(502, 503, 504))
    expect(await request(`${app.url}/me`, { key: app.key })).toMatchObject({ email: "owner@sheaf.test" })
    answers(...pages(502, 502))
    await expect(request(`${app.url}/me`, { key: app.key, attempts: 2 })).rejects.toMatchObject({ status: 502 })
    answers(...pages(403))
    await expect(request(`${app.url}/me`, { key: app.key })).rejects.toMatchObject({ status: 403 })
  })

  it("gives up after some attempts", async () => {
    const { request } = await guideModule("guides/errors.md")
    vi.spyOn(Math, "random").mockReturnValue(0)
    const three = [1, 2, 3].map(() => problem(503, "overloaded", { "retry-after": "0" }))
    const calls = answers(...three)
    await expect(request(`${app.url}/me`, { key: app.key, attempts: 3 })).rejects.toMatchObject({ code: "overloaded" })
    expect(calls).toHaveBeenCalledTimes(3)
  })

  it("does not repeat a request that would fail again", async () => {
    const { request } = await guideModule("guides/errors.md")
    const calls = vi.spyOn(globalThis, "fetch")
    const made = request(`${app.url}/notes`, { key: app.key, method: "POST", body: {} })
    await expect(made).rejects.toMatchObject({ code: "validation_failed", status: 422 })
    expect(calls).toHaveBeenCalledTimes(1)
  })
})

describe("all of the guide to lists", () => {
  it("fetches every item of a list once, over several pages", async () => {
    const { all } = await guideModule("guides/lists.md")
    const notebook = (await app.call("POST", "/notebooks", { name: "Many" })).body.id
    const titles = Array.from({ length: 7 }, (_, index) => `Note ${index}`)
    for (const title of titles) await app.call("POST", "/notes", { notebook_id: notebook, title })
    const found: Array<string> = []
    const parameters = { limit: "3", sort: "title", filter: `notebook_id=${notebook}` }
    for await (const { title } of all(`${app.url}/notes`, app.key, parameters)) found.push(title)
    expect(found).toEqual(titles)
  })

  it("reports a refused request", async () => {
    const { all } = await guideModule("guides/lists.md")
    const first = all(`${app.url}/notes`, app.key, { sort: "colour" }).next()
    await expect(first).rejects.toMatchObject({ problem: { code: "invalid_sort" } })
  })
})

describe("Session of the guide to signing in", () => {
  it("refreshes once for requests at the same time, and saves the tokens before it uses them", async () => {
    const { Session } = await guideModule("guides/sign-in.md")
    const tokens = await register()
    const saved: Array<any> = []
    const session = new Session(app.url, { ...tokens, access_token: "sfa_expired" }, async (each: any) => {
      saved.push(each)
    })
    const calls = vi.spyOn(globalThis, "fetch")
    const responses: ReadonlyArray<Response> = await Promise.all([1, 2, 3].map(() => session.fetch("/me")))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(calls.mock.calls.filter(([url]) => String(url).endsWith("/auth/refresh"))).toHaveLength(1)
    expect(saved).toMatchObject([{ refresh_token: expect.stringMatching(/^sfr_/) }])
    expect(session.tokens.refresh_token).not.toBe(tokens.refresh_token)
  })

  it("reports that the session has ended", async () => {
    const { Session } = await guideModule("guides/sign-in.md")
    const tokens = await register()
    const session = new Session(app.url, tokens, async () => {})
    await session.fetch("/auth/logout", { method: "POST" })
    await expect(session.fetch("/me")).rejects.toMatchObject({ problem: { status: 401 } })
  })
})

describe("upload of the guide to files", () => {
  it("sends the bytes of a file once, and links existing bytes", async () => {
    const { upload } = await guideModule("guides/files.md")
    const note = (await app.call("POST", "/notes", { notebook_id: await inbox(), title: "Files" })).body
    const text = crypto.randomUUID()
    const calls = vi.spyOn(globalThis, "fetch")
    const one = await upload(app.url, app.key, note.id, new File([text], "one.txt", { type: "text/plain" }))
    const other = await upload(app.url, app.key, note.id, new File([text], "other.txt"))
    expect([one.status, other.status]).toEqual(["ready", "ready"])
    expect(calls.mock.calls.filter(([, init]) => init?.method === "PUT")).toHaveLength(1)
    expect(await (await fetch(other.url)).text()).toBe(text)
  })
})

it("the endpoint of the guide to webhooks accepts only webhooks sent by Sheaf", async () => {
  const { endpoint } = await guideModule("guides/webhooks.md")
  const taken: Array<any> = []
  const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`
  const server = endpoint(secret, async (id: string, event: any) => void taken.push([id, event.type]))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const hook = (await app.call("POST", "/webhooks", { url, events: ["ping"], secret })).body
  const delivery = (await app.call("POST", `/webhooks/${hook.id}/test`)).body
  expect([delivery.status, delivery.status_code]).toEqual(["succeeded", 204])
  expect(taken).toEqual([[delivery.event_id, "ping"]])
  expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401)
  server.close()
  await app.call("DELETE", `/webhooks/${hook.id}`)
})
