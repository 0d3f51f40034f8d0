import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, inject, it } from "vitest"
import { raw, request } from "../../support/RawHttp.ts"
import { Team } from "../../support/people/Team.ts"
import { PostgresProxy } from "../../support/storage/PostgresProxy.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
const run = promisify(execFile)

/** A key of a new workspace: sends requests with it, and reads them as its owner. */
const start = async (of: TestApp = app, input: object = {}) => {
  const team = await Team.start(of)
  const { id, secret } = await team.post("/api-keys", { name: "Sync", ...input })
  const headers = { authorization: `Bearer ${secret}` }
  const send = (method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
    of.call(method, path, body, { ...headers, ...more })
  const list = async (query = "") => (await team.get(`/api-keys/${id}/requests${query}`)).data as ReadonlyArray<any>
  return { team, id: id as string, secret: secret as string, headers, send, list }
}

describe("GET /api-keys/{id}/requests", () => {
  it("lists requests with their outcomes, the newest first, also refused ones", async () => {
    const { id, list, secret, send, team } = await start(app, { scopes: ["notes:read", "notes:write"] })
    const notebook = await team.post("/notebooks", { name: "Notes" })
    const note = (await send("POST", "/notes", { notebook_id: notebook.id, title: "One" }, { "x-request-id": "mine" }))
      .body
    await send("GET", `/notes/${note.id}`)
    await send("GET", "/notes/nt_01kq3mZ8vT4sWx7Yb2Nc5E?expand=tags")
    await send("PATCH", `/notes/${note.id}`, { title: 3 })
    await send("PATCH", `/notes/${note.id}`, { title: "Two" }, { "if-match": '"9"' })
    await send("GET", "/webhooks")
    await send("HEAD", "/notes")
    // These have no key: a wrong one, and a session.
    await send("GET", "/notes", undefined, { authorization: `Bearer ${secret.slice(0, -1)}x` })
    await team.get("/notes")
    const all = await list()
    const path = `/v2/notes/${note.id}`
    expect(all.map(({ code, method, path, route, status }) => [method, route, path, status, code])).toEqual([
      ["HEAD", "/v2/notes", "/v2/notes", 200, null],
      ["GET", "/v2/webhooks", "/v2/webhooks", 403, "insufficient_scope"],
      ["PATCH", "/v2/notes/{id}", path, 412, "precondition_failed"],
      ["PATCH", "/v2/notes/{id}", path, 422, "validation_failed"],
      ["GET", "/v2/notes/{id}", "/v2/notes/nt_01kq3mZ8vT4sWx7Yb2Nc5E?expand=tags", 404, "not_found"],
      ["GET", "/v2/notes/{id}", path, 200, null],
      ["POST", "/v2/notes", "/v2/notes", 201, null]
    ])
    const first = all.at(-1)
    expect(first).toMatchObject({ request_id: "mine", created_at: new Date(epoch).toISOString() })
    expect(first.duration_ms).toBeGreaterThanOrEqual(0)
    const auth = `-H "Authorization: Bearer $SHEAF_KEY"`
    expect([all[0], all[3], all[5], first].map(({ curl }) => curl)).toEqual([
      `curl --globoff ${auth} --head 'http://sheaf.test/v2/notes'`,
      `curl --globoff ${auth} -X 'PATCH' -H 'Content-Type: application/json' --data-binary @body.json 'http://sheaf.test${path}'`,
      `curl --globoff ${auth} 'http://sheaf.test${path}'`,
      `curl --globoff ${auth} -X 'POST' -H 'Content-Type: application/json' --data-binary @body.json 'http://sheaf.test/v2/notes'`
    ])
    expect((await list("?filter=status>=400 AND method=GET")).map(({ code }) => code)).toEqual([
      "insufficient_scope",
      "not_found"
    ])
    const page = await team.get(`/api-keys/${id}/requests?limit=3`)
    const next = await team.get(`/api-keys/${id}/requests?limit=100&cursor=${page.next_cursor}`)
    expect([...page.data, ...next.data]).toEqual(all)
  })

  it("keeps a request that a rate limit has refused", async () => {
    const limited = await startApp({ databaseOf: app, settings: { rateLimit: 3 } })
    const { headers, list } = await start()
    for (let time = 0; time < 4; time++) await limited.call("GET", "/notes", undefined, headers)
    await limited.stop()
    expect((await list()).map(({ code, status }) => [status, code])).toEqual([
      [429, "rate_limited"],
      [200, null],
      [200, null],
      [200, null]
    ])
  })

  it("shows a key and its requests to its user and to admins only", async () => {
    const { headers, id, send, team } = await start()
    await send("GET", "/notes")
    const [editor, admin, stranger] = [await team.member("editor"), await team.member("admin"), await Team.start(app)]
    const seen = async (headers: Record<string, string>) =>
      (await app.call("GET", `/api-keys/${id}/requests`, undefined, headers)).status
    expect(await Promise.all([editor, admin, stranger.owner].map(({ headers }) => seen(headers)))).toEqual([
      404, 200, 404
    ])
    const home = (await team.post("/notebooks", { name: "Home" })).id
    const limited = await team.post("/api-keys", {
      name: "Limited",
      notebooks: [{ id: home, access: "read", include_subnotebooks: false }]
    })
    expect(await seen({ authorization: `Bearer ${limited.secret}` })).toBe(403)
    // A key that reads its own requests is a request like any other.
    expect(await seen(headers)).toBe(200)
    expect((await app.call("GET", `/api-keys/${id}/requests`, undefined, headers)).body.data).toHaveLength(2)
  })

  it("keeps neither tokens nor bodies nor headers, and 500 characters of a path", async () => {
    const { id, list, secret, send } = await start()
    await send("GET", `/notes?filter=title=${secret}&key=sfk%5F${secret.slice(4)}`)
    await send("POST", "/notes", { title: "Secret words" }, { "idempotency-key": "secret-header" })
    await send("GET", `/notes?filter=title=${"long".repeat(200)}`)
    const [long, , token] = await list()
    expect([token.path, token.curl]).toEqual(["/v2/notes?filter=title=sfk_…&key=sfk%5F…", null])
    expect([long.path, long.curl]).toEqual([`/v2/notes?filter=title=${"long".repeat(200)}`.slice(0, 500) + "…", null])
    const stored = JSON.stringify(await app.sql("SELECT r::text FROM key_requests r WHERE key_id = $1", [id]))
    for (const secretText of [secret.slice(4), "Secret words", "secret-header"])
      expect(stored).not.toContain(secretText)
  })

  it("ends with the key, and 90 days after its last request", async () => {
    const { id, list, send, team } = await start()
    const other = await start()
    await send("GET", "/notes")
    await other.send("GET", "/notes")
    expect([await list(), await other.list()].map(({ length }) => length)).toEqual([1, 1])
    const counted = () => app.sql("SELECT key_id FROM key_requests WHERE key_id = ANY($1)", [[id, other.id]])
    await team.post(`/api-keys/${id}/rotate`)
    expect(await list()).toHaveLength(1)
    await app.call("DELETE", `/api-keys/${id}`, undefined, team.owner.headers)
    expect(await counted()).toEqual([{ key_id: other.id }])
    await app.advance("91 days")
    expect(await counted()).toEqual([])
  })

  it("has exactly the last 1000, whichever nodes store them at the same time", { timeout: 60_000 }, async () => {
    const node = await startApp({ databaseOf: app, settings: { rateLimit: 0 } })
    const { headers, id, team } = await start()
    const read = (of: TestApp, query = "") =>
      of.call("GET", `/api-keys/${id}/requests${query}`, undefined, team.owner.headers)
    const sent: Array<string> = []
    const send = async (of: TestApp, round: number) => {
      for (let index = 0; index < 140; index++) {
        const name = `${of === app ? "one" : "two"}-${round}-${index}`
        sent.push(name)
        await of.call("GET", "/notes/nt_none", undefined, { ...headers, "x-request-id": name })
      }
      await read(of)
    }
    for (let round = 0; round < 4; round++) await Promise.all([send(app, round), send(node, round)])
    await Promise.all([read(app), read(node)])
    const found: Array<string> = []
    for (let query = "?limit=100"; query !== "";) {
      const { body } = await read(app, query)
      found.push(...body.data.map(({ request_id }: any) => request_id))
      query = body.has_more ? `?limit=100&cursor=${body.next_cursor}` : ""
    }
    await node.stop()
    const places = await app.sql("SELECT place::int FROM key_requests WHERE key_id = $1 ORDER BY place", [id])
    expect(places.map(({ place }) => place)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 121))
    expect(found).toHaveLength(1000)
    expect(new Set(sent).isSupersetOf(new Set(found))).toBe(true)
    // The others were stored first: those of the first round, in their order.
    expect(sent.filter((name) => !found.includes(name)).every((name) => name.includes("-0-"))).toBe(true)
    for (const name of ["one", "two"]) {
      const [own, listed] = [sent, found].map((names) => names.filter((each) => each.startsWith(name)))
      expect(listed).toEqual(own!.slice(-listed!.length).toReversed())
    }
  })

  it("fails no request and loses none while the database is away", async () => {
    const proxy = new PostgresProxy(inject("postgres"), '"newer":')
    const node = await startApp({ databaseOf: app, socketDirectory: proxy.socketDirectory })
    const { headers, list } = await start()
    proxy.cuts.push({ at: "before", skip: 0 }, { at: "before", skip: 0 })
    for (let time = 0; time < 3; time++) {
      expect((await node.call("GET", "/notes", undefined, headers)).status).toBe(200)
      await node.advance("1 second")
      expect(await list()).toHaveLength(time === 2 ? 3 : 0)
    }
    expect(proxy.made).toBe(2)
    await node.call("GET", "/notes", undefined, headers)
    await node.stop()
    proxy.stop()
    expect(await list()).toHaveLength(4)
  })

  it("keeps nothing if the setting is off", async () => {
    const off = await startApp({ databaseOf: app, settings: { keyRequests: false } })
    const { headers, list } = await start()
    await off.call("GET", "/notes", undefined, headers)
    await off.advance("2 seconds")
    await off.stop()
    expect(await list()).toEqual([])
  })

  it("has a command that a shell runs as it is, whatever the path contains", async () => {
    const { list, secret } = await start()
    const query = `?a='$(touch /tmp/x)'\`id\`"$HOME"\\'&{1,2}[3]|>x;#!*~%00%27`
    const line = (method: string, type: string) =>
      request(`${method} /v2/notes${query.replaceAll(" ", "%20")}`, {
        authorization: `Bearer ${secret}`,
        "content-type": type
      })
    await raw(app.url, line("GET", "text/plain"))
    await raw(app.url, line("POST", "a'$(id)/b; charset=utf-8"))
    const [post, get] = await list()
    const argumentsOf = async (curl: string) => {
      const script = `curl() { for each in "$@"; do printf '%s\\n' "$each"; done; }\n${curl}`
      const { stderr, stdout } = await run("sh", ["-c", script], { env: { SHEAF_KEY: "sfk_$(id)" } })
      expect(stderr).toBe("")
      return stdout.trimEnd().split("\n")
    }
    const first = ["--globoff", "-H", "Authorization: Bearer sfk_$(id)"]
    const url = `http://sheaf.test/v2/notes${query.replaceAll(" ", "%20")}`
    expect(await argumentsOf(get.curl)).toEqual([...first, url])
    const type = ["-H", "Content-Type: a'$(id)/b", "--data-binary", "@body.json"]
    expect(await argumentsOf(post.curl)).toEqual([...first, "-X", "POST", ...type, url])
  })
})
