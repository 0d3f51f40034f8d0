import { Effect } from "effect"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { DiskSpace } from "../../../services/files/DiskSpace.ts"
import { reserveBytes } from "../../../services/files/DiskReserve.ts"
import { Files, someBytes } from "../../support/Files.ts"
import { useApp } from "../../support/useApp.ts"

const size = 10 * 1024 ** 3
const space = { free: size, size }
const { app, given } = useApp({
  layers: DiskSpace.layer({ directory: "", reserve: false, measure: Effect.sync(() => ({ ...space })) })
})

const metric = async (name: string) => {
  const text = await (await fetch(new URL("/metrics", app.url))).text()
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
}
const becomes = (name: string, value: number) => expect.poll(() => metric(name)).toBe(value)
/** Sets the free space, and waits until the service has measured it. */
const leave = async (free: number, isFull: boolean) => {
  space.free = free
  await becomes("sheaf_disk_free_bytes", free)
  await becomes("sheaf_disk_full", isFull ? 1 : 0)
}

describe("full disk", () => {
  it("rejects writes before they reach the database, and serves reads, deletions and log-ins", async () => {
    const files = new Files(app)
    const notebook_id = (await given("GET", "/notebooks")).data[0].id
    const kept = await given("POST", "/notes", { notebook_id, title: "Kept" })
    const erased = await given("POST", "/notes", { notebook_id, title: "Erased" })
    const upload = await given("POST", "/attachments/uploads", { note_id: kept.id, filename: "a.bin" })
    const person = { email: "anna@sheaf.test", password: "a long enough password", display_name: "Anna" }
    expect((await app.call("POST", "/auth/register", person)).status).toBe(201)

    await leave(0, true)
    const before = await app.seq()
    for (const [method, path, body] of [
      ["POST", "/notes", { notebook_id, title: "Refused" }],
      ["PATCH", `/notes/${kept.id}`, { title: "Refused" }],
      ["POST", "/sync/push", { device_id: "sy_0000000000000000", mutations: [] }],
      ["POST", "/exports", { scope: "workspace" }],
      ["POST", "/auth/register", { ...person, email: "ben@sheaf.test" }]
    ] as const) {
      const { body: problem, headers, status } = await app.call(method, path, body)
      expect([path, status, problem.code, problem.detail, headers.get("retry-after")]).toEqual([
        path,
        503,
        "service_unavailable",
        "The disk is full",
        "30"
      ])
    }
    const sent = await files.put(upload, someBytes())
    expect([sent.status, sent.body.detail]).toEqual([503, "The disk is full"])
    expect(await app.seq()).toBe(before)

    expect((await app.call("GET", `/notes/${kept.id}`)).body.title).toBe("Kept")
    expect((await app.call("POST", "/search", { query: "kept" })).status).toBe(201)
    expect((await app.call("POST", "/sync/pull", { device: { name: "Phone", platform: "ios" } })).status).toBe(201)
    const { email, password } = person
    expect((await app.call("POST", "/auth/login", { email, password })).status).toBe(200)
    expect((await app.call("DELETE", `/notes/${erased.id}?permanent=true`)).status).toBe(200)

    // A little free space is not enough: it would be used up at once.
    await leave(40 * 1024 * 1024, true)
    await leave(reserveBytes, false)
    expect((await app.call("POST", "/notes", { notebook_id, title: "Again" })).status).toBe(201)
    await leave(1024 ** 3, false)
    expect((await files.put(upload, someBytes())).status).toBe(200)
    expect(await metric("sheaf_disk_size_bytes")).toBe(size)
  })

  it("accepts and creates no files below 1 GiB or 5 % of free space, but still stores notes", async () => {
    const files = new Files(app)
    const notebook_id = (await given("GET", "/notebooks")).data[0].id
    const { id } = await given("POST", "/notes", { notebook_id, title: "With a file" })
    await leave(size, false)
    const upload = await given("POST", "/attachments/uploads", { note_id: id, filename: "a.bin" })
    const importing = await given("POST", "/imports", { source: "markdown" })
    const { size: whole } = space
    for (const [free, of] of [
      [1024 ** 3 - 1, whole],
      [4 * 1024 ** 3, 100 * 1024 ** 3]
    ] as const) {
      space.size = of
      await leave(free, false)
      const before = await app.seq()
      const form = new FormData()
      form.append("note_id", id)
      form.append("file", new Blob(["text"]), "a.txt")
      const sent = await fetch(`${app.url}/attachments`, {
        method: "POST",
        headers: { authorization: `Bearer ${app.key}` },
        body: form
      })
      const refused = [
        await app.call("POST", "/attachments/uploads", { note_id: id, filename: "b.bin" }),
        await app.call("POST", "/imports", { source: "markdown" }),
        await app.call("POST", "/exports", { scope: "workspace" }),
        await files.put(upload, someBytes()),
        await files.put(importing, Buffer.from("# A note")),
        { status: sent.status, headers: sent.headers, body: await sent.json() }
      ]
      for (const { body, headers, status } of refused) {
        expect([status, body.code, headers.get("retry-after")]).toEqual([503, "overloaded", "60"])
      }
      expect(await app.seq()).toBe(before)
      expect((await app.call("PATCH", `/notes/${id}`, { title: `Free: ${free}` })).status).toBe(200)
    }
    space.size = whole
    await leave(whole, false)
    expect((await files.put(upload, someBytes())).status).toBe(200)
    expect((await files.put(importing, Buffer.from("# A note"))).status).toBe(200)
    expect((await app.call("POST", "/exports", { scope: "workspace" })).status).toBe(201)
  })
})

it("the reserve is made while there is space, removed when the disk is full, and made again", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sheaf-reserve-"))
  const reserve = join(directory, "reserve")
  const disk = { free: size, size }
  const isWhole = () => existsSync(reserve) && statSync(reserve).size === reserveBytes
  await Effect.gen(function* () {
    const { isFull } = yield* DiskSpace
    yield* Effect.promise(async () => {
      await expect.poll(isWhole).toBe(true)
      disk.free = 0
      await expect.poll(() => [isFull(), existsSync(reserve)]).toEqual([true, false])
      disk.free = size
      await expect.poll(() => [isFull(), isWhole()]).toEqual([false, true])
    })
  }).pipe(
    Effect.provide(DiskSpace.layer({ directory, reserve: true, measure: Effect.sync(() => ({ ...disk })) })),
    Effect.runPromise
  )
  rmSync(directory, { recursive: true })
})
