import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { guest } from "../support/People.ts"
import { type GuideClient, startGuideClient, watched } from "../support/GuideClient.ts"

const root = join(import.meta.dirname, "../..")
const { fetch } = globalThis

let at: GuideClient

beforeAll(async () => {
  at = await startGuideClient()
})
afterAll(() => at.stop())
afterEach(() => vi.restoreAllMocks())

describe("the code of the guide", () => {
  it("compiles as TypeScript for Node and for browsers", async () => {
    const check = (...options: ReadonlyArray<string>) =>
      promisify(execFile)(process.execPath, [
        join(root, "node_modules/typescript/bin/tsc"),
        "--ignoreConfig",
        "--noEmit",
        "--strict",
        "--noUncheckedIndexedAccess",
        "--erasableSyntaxOnly",
        "--target",
        "esnext",
        "--module",
        "nodenext",
        ...options,
        at.file
      ]).catch(({ stdout }) => {
        throw new Error(stdout)
      })
    const types = join(root, "node_modules/@types")
    await check("--lib", "esnext,dom,dom.iterable", "--types", "")
    await check("--lib", "esnext", "--types", "node", "--typeRoots", types)
  })

  it("makes a notebook and a note in it offline, and pushes both at once", async () => {
    const client = at.newClient()
    const pushes = watched("/sync/push")
    expect(await at.guide.firstNote(client)).toMatchObject({ title: "Vienna", body: "By train.", version: 1 })
    expect(pushes).toHaveLength(1)
    const other = at.newClient()
    await other.sync()
    expect(other.records).toEqual(client.records)
  })
})

describe("edits queued offline", () => {
  it("are merged into one change per record when consecutive, and visible before the push", async () => {
    const client = at.newClient()
    const id = at.guide.newId("nt_")
    client.edit("note", id, { notebook_id: at.notebook, title: "Draft" })
    for (const body of ["a", "ab", "abc"]) client.edit("note", id, { body })
    expect(client.get(id)).toEqual({ notebook_id: at.notebook, title: "Draft", body: "abc" })
    expect(client.queue).toMatchObject([{ revision: 0 }])
    await client.sync()
    expect(await at.onServer(id)).toMatchObject({ title: "Draft", body: "abc", version: 1 })
    client.edit("note", id, { pinned: true })
    expect(client.queue).toMatchObject([{ revision: 1, data: { pinned: true } }])
  })

  it("of alternating records are sent in several pushes, each based on the previous one", async () => {
    const client = at.newClient()
    const [one, other] = [at.guide.newId("nt_"), at.guide.newId("nt_")]
    client.edit("note", one, { notebook_id: at.notebook, title: "One" })
    client.edit("note", other, { notebook_id: at.notebook, title: "Other" })
    client.edit("note", one, { body: "More" })
    client.edit("note", other, { body: "More too" })
    client.edit("note", one, { pinned: true })
    const pushes = watched("/sync/push")
    await client.sync()
    expect(pushes.map(({ results }) => results.map(({ revision, status }: any) => [status, revision]))).toEqual([
      [
        ["applied", 1],
        ["applied", 1]
      ],
      [
        ["applied", 2],
        ["applied", 2]
      ],
      [["applied", 3]]
    ])
    expect(await at.onServer(one)).toMatchObject({ title: "One", body: "More", pinned: true })
    expect(client.rejected).toEqual([])
  })

  it("of a record that was deleted before its first push are not sent", async () => {
    const client = at.newClient()
    const id = at.guide.newId("nt_")
    client.edit("note", id, { notebook_id: at.notebook, title: "Never mind" })
    client.edit("note", id, {}, "delete")
    expect(client.get(id)).toBe(undefined)
    await client.sync()
    expect([client.queue, client.rejected]).toEqual([[], []])
  })

  it("that the server rejects are reported, and do not block other edits", async () => {
    const client = at.newClient()
    const [bad, good] = [at.guide.newId("nt_"), at.guide.newId("nt_")]
    client.edit("note", bad, { notebook_id: at.notebook, title: "x".repeat(201) })
    client.edit("note", good, { notebook_id: at.notebook, title: "Good" })
    await client.sync()
    expect(client.rejected).toMatchObject([{ edit: { id: bad }, error: { code: "validation_failed" } }])
    expect(client.get(good)).toMatchObject({ title: "Good", version: 1 })
  })

  it("are pushed in parts that the server accepts", async () => {
    // In another workspace, because here every new client would pull all of it.
    const client = new at.guide.SyncClient(at.app.url, (await guest(at.app, { elsewhere: true })).key)
    const folder = at.guide.newId("nb_")
    client.edit("notebook", folder, { name: "Large ones" })
    const ids = Array.from({ length: 500 }, () => at.guide.newId("tg_"))
    for (const [index, id] of ids.entries()) client.edit("tag", id, { name: `tag-${index}` })
    const large = Array.from({ length: 6 }, () => at.guide.newId("nt_"))
    for (const id of large)
      client.edit("note", id, { notebook_id: folder, title: "Large", body: "\u0001".repeat(1_000_000) })
    const pushes = watched("/sync/push")
    await client.sync()
    expect(pushes.map(({ results }) => results.length)).toEqual([500, 1, 1, 1, 1, 1, 1, 1])
    expect(client.rejected).toEqual([])
  })

  it("are pushed without the invalid entry when the whole push is refused", async () => {
    const client = at.newClient()
    const [large, small] = [at.guide.newId("nt_"), at.guide.newId("nt_")]
    client.edit("note", large, { notebook_id: at.notebook, title: "Large", body: "x".repeat(17e6) })
    client.edit("note", small, { notebook_id: at.notebook, title: "Small" })
    const tagged = Array.from({ length: 12 }, () => at.guide.newId("nt_"))
    const tags = Array.from({ length: 9000 }, (_, index) => `t${index}`)
    for (const id of tagged) client.edit("note", id, { notebook_id: at.notebook, title: "Tagged", tags })
    const nested = at.guide.newId("nb_")
    const icon = JSON.parse("[".repeat(200) + "]".repeat(200))
    client.edit("notebook", nested, { name: "Nested", icon })
    await client.sync()
    expect(await at.onServer(small)).toMatchObject({ title: "Small" })
    expect(client.rejected.map(({ edit, error }: any) => [edit.id, error.status])).toEqual([
      [large, 413],
      ...tagged.map((id) => [id, 422]),
      [nested, 400]
    ])
    client.edit("note", large, { body: "Shorter" })
    await client.sync()
    expect(await at.onServer(large)).toMatchObject({ title: "Large", body: "Shorter" })
  })

  it("remain queued when a proxy responds instead of the server", async () => {
    const { id, one } = await at.shared()
    one.edit("note", id, { body: "Typed." })
    for (const status of [200, 502, 503]) {
      const headers = { "content-type": "text/html", "retry-after": "7" }
      vi.spyOn(globalThis, "fetch").mockResolvedValueOnce(new Response("<html>", { status, headers }))
      await expect(one.sync()).rejects.toMatchObject({ problem: { status }, retryAfter: 7 })
    }
    await one.sync()
    expect(await at.onServer(id)).toMatchObject({ body: "Typed." })
  })

  it("need the revision of the edit before them, in one push or two; a guessed revision may overwrite an unseen change", async () => {
    const { id } = await at.shared()
    const edit = (revision: number, data: object) => ({ type: "note", op: "upsert", id, revision, data })
    expect((await at.push(edit(1, { title: "A" }), edit(2, { body: "B" }))).results).toMatchObject([
      { status: "applied", revision: 2 },
      { status: "applied", revision: 3 }
    ])
    expect((await at.push(edit(3, { title: "C" }), edit(3, { body: "D" }))).results).toMatchObject([
      { status: "applied", revision: 4 },
      { status: "conflict", revision: 4 }
    ])
    expect((await at.push(edit(3, { body: "E" }))).conflicts).toMatchObject([{ reason: "stale_revision" }])
    await at.app.call("PATCH", `/notes/${id}`, { body: "Theirs" })
    expect((await at.push(edit(4, { title: "F" }), edit(5, { body: "Mine" }))).results).toMatchObject([
      { status: "conflict" },
      { status: "applied", revision: 6 }
    ])
  })
})

describe("simultaneous calls of sync", () => {
  it("run one after the other, and each returns when the edits before it are pushed", async () => {
    const { id, one, other } = await at.shared()
    const { id: second } = await at.shared()
    for (const client of [one, other]) await client.sync()
    other.edit("note", second, { body: "First. Other." })
    await other.sync()
    one.edit("note", id, { body: "One." })
    const first = one.sync()
    const next = one.sync()
    one.edit("note", second, { body: "One. First." })
    await Promise.all([first, next, one.sync()])
    expect([one.queue, one.sent, one.rejected]).toEqual([[], [], []])
    expect(await at.onServer(second)).toMatchObject({ body: "One. First. Other." })

    let during: Promise<void> | undefined
    vi.spyOn(globalThis, "fetch").mockImplementation((...asked) => {
      if (String(asked[0]).endsWith("/sync/pull") && during === undefined) {
        one.edit("note", id, { body: "One. Two." })
        during = one.sync()
      }
      return fetch(...asked)
    })
    await one.sync()
    await during
    expect(await at.onServer(id)).toMatchObject({ body: "One. Two." })
  })

  it("continue after a failure, which only the calls of the failed run report", async () => {
    const { id, one } = await at.shared()
    one.edit("note", id, { body: "Typed." })
    vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(new TypeError("the network is gone"))
    const failed = one.sync()
    await Promise.resolve()
    const next = one.sync()
    await expect(failed).rejects.toThrow("the network is gone")
    await next
    expect(await at.onServer(id)).toMatchObject({ body: "Typed." })
  })

  it("save the changes before each request", async () => {
    const client = at.newClient()
    const id = at.guide.newId("nt_")
    const saved: Array<unknown> = []
    client.save = async () => saved.push([client.sent.length, client.cursor === null, client.records.has(id)])
    client.edit("note", id, { notebook_id: at.notebook, title: "Saved" })
    await client.sync()
    expect(saved.slice(0, 2)).toEqual([
      [1, true, false],
      [0, true, true]
    ])
  })
})

describe("a pushed change", () => {
  it("is pulled again with the device of its client and the same revision", async () => {
    const { id, one } = await at.shared()
    const cursor = one.cursor
    one.edit("note", id, { title: "Mine" })
    const pulls = watched("/sync/pull")
    await one.sync()
    const known = one.records.get(id)
    expect(pulls.at(-1).changes).toEqual([known])
    expect(known).toMatchObject({ revision: 2, device_id: one.device.id })
    expect(one.cursor).not.toBe(cursor)
  })

  it("is applied once when the response is lost, and later edits are based on it", async () => {
    const client = at.newClient()
    const [id, later] = [at.guide.newId("nt_"), at.guide.newId("nt_")]
    await client.sync()
    client.edit("note", id, { notebook_id: at.notebook, title: "Sent" })
    vi.spyOn(globalThis, "fetch").mockImplementationOnce(async (...asked) => {
      await (await fetch(...asked)).text()
      throw new TypeError("the network is gone")
    })
    await expect(client.sync()).rejects.toThrow("the network is gone")
    client.edit("note", id, { title: "Edited while nobody knew" })
    client.edit("note", later, { notebook_id: at.notebook, title: "Later" })
    expect(client.get(id)).toMatchObject({ title: "Edited while nobody knew" })
    const pushes = watched("/sync/push")
    await client.sync()
    expect(pushes.map(({ results }) => results.map(({ revision, status }: any) => [status, revision]))).toEqual([
      [["duplicate", 1]],
      [
        ["applied", 2],
        ["applied", 1]
      ]
    ])
    expect(await at.onServer(id)).toMatchObject({ title: "Edited while nobody knew", version: 2 })
  })
})
