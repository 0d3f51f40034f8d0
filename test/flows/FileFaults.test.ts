import { Effect } from "effect"
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as BlobCheck from "../../services/files/BlobCheck.ts"
import type { BlobFault } from "../../services/files/BlobCheck.ts"
import { Blobs } from "../../services/files/Blobs.ts"
import { collectBlobs } from "../../services/files/BlobCollection.ts"
import { openSnapshot } from "../../services/backup/BackupSnapshot.ts"
import { keepFiles } from "../../services/database/BackupLocks.ts"
import { Database } from "../../services/database/Database.ts"
import { eraseDeleted } from "../../services/workspaces/Erasure.ts"
import * as FaultyBlobs from "../support/FaultyBlobs.ts"
import { Files, sha256Of, someBytes } from "../support/Files.ts"
import { eventually } from "../support/flows/eventually.ts"
import { RawWire } from "../support/RawHttp.ts"
import { startApp, type TestApp } from "../support/TestApp.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { useApp } from "../support/useApp.ts"

const faults = new FaultyBlobs.BlobFaults()
const faultsThere = new FaultyBlobs.BlobFaults()
const { act, app, given } = useApp({ layers: FaultyBlobs.layer(faults) })
/** A second node on the same database and disk. */
let there: TestApp
let files: Files
let filesThere: Files
let note: string

beforeAll(async () => {
  there = await startApp({
    databaseOf: app,
    settings: { dataDir: app.dataDir },
    layers: FaultyBlobs.layer(faultsThere)
  })
  files = new Files(app)
  filesThere = new Files(there)
})
afterAll(() => there.stop())
beforeEach(async () => {
  const inbox = (await given("GET", "/notebooks")).data[0].id
  note = (await given("POST", "/notes", { notebook_id: inbox, title: "With files" })).id
  // The first upload creates the directories.
  await files.make(note, someBytes())
})

const begin = (more: object = {}) =>
  given("POST", "/attachments/uploads", { note_id: note, filename: "a.bin", ...more })
const kept = (): ReadonlyArray<string> =>
  readdirSync(join(app.dataDir, "files"), { recursive: true, encoding: "utf8" })
    .filter((path) => !path.startsWith("staging"))
    .map((path) => path.split("/").at(-1)!)
    .filter((name) => /^[0-9a-f]{64}$/.test(name))
const staged = (): ReadonlyArray<string> => readdirSync(join(app.dataDir, "files", "staging"))

/** Makes all unused blobs more than an hour old. */
const age = () =>
  app.run(
    Effect.flatMap(Effect.service(Database), ({ write }) =>
      write.unsafe("UPDATE blobs SET unused_since = '2020-01-01T00:00:00.000Z' WHERE refs = 0")
    )
  )
const collected = async (at = app) => {
  await age()
  await at.run(collectBlobs)
}
/** Uploads bytes of attachments and deletes these, so that the blobs are unused. */
const unused = async (count: number): Promise<ReadonlyArray<Buffer>> => {
  const contents = Array.from({ length: count }, () => someBytes(500))
  for (const bytes of contents) {
    const { id } = await files.make(note, bytes)
    await given("DELETE", `/attachments/${id}`)
  }
  await age()
  return contents
}
const oneUnused = async () => (await unused(1))[0]!

const expectReady = async (id: string, bytes: Buffer) => {
  const { sha256, status, url } = await given("GET", `/attachments/${id}`)
  expect([status, sha256]).toEqual(["ready", sha256Of(bytes)])
  for (const at of [files, filesThere]) expect((await at.call("GET", url)).bytes.equals(bytes)).toBe(true)
}
/** Checks that an upload got 503 and left nothing half done, and that the retry succeeds. */
const expectTriedAgain = async (upload: any, bytes: Buffer, refused: Awaited<ReturnType<Files["put"]>>) => {
  expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
    503,
    "service_unavailable",
    "5"
  ])
  expect(staged()).toEqual([])
  expect((await given("GET", `/attachments/${upload.id}`)).status).toBe("pending")
  await expectTruth(app)
  expect((await files.put(upload, bytes)).status).toBe(200)
  await expectReady(upload.id, bytes)
  await expectTruth(app)
}

describe("an interrupted upload", () => {
  it.each([
    ["before its bytes are staged", "stage", "before"],
    ["after they are staged", "stage", "after"],
    ["before they are kept", "keep", "before"],
    ["after they are kept, but not referenced", "keep", "after"]
  ] as const)("is 503 %s, and can be retried", async (_, call, when) => {
    const [bytes, upload] = [someBytes(), await begin()]
    faults.fail(call, when)
    await expectTriedAgain(upload, bytes, await files.put(upload, bytes))
  })

  it("leaves bytes that are collected when it is not retried", async () => {
    const bytes = someBytes()
    const upload = await begin()
    faults.fail("keep", "after")
    expect((await files.put(upload, bytes)).status).toBe(503)
    expect(kept()).toContain(sha256Of(bytes))
    await app.run(collectBlobs)
    // Not collected within an hour, because they could be about to be used.
    expect(kept()).toContain(sha256Of(bytes))
    await collected()
    expect(kept()).not.toContain(sha256Of(bytes))
    expect((await files.put(upload, bytes)).status).toBe(200)
    await expectReady(upload.id, bytes)
  })

  it("is swept a day later when its staged bytes cannot be discarded", async () => {
    const upload = await begin()
    faults.fail("stage", "after")
    faults.fail("discard")
    expect((await files.put(upload, someBytes())).status).toBe(503)
    expect(staged()).toHaveLength(1)
    await app.run(collectBlobs)
    expect(staged()).toHaveLength(1)
    // The sweep uses the file times of the disk.
    const long = Date.now() / 1000 - 25 * 3600
    for (const name of staged()) utimesSync(join(app.dataDir, "files", "staging", name), long, long)
    await app.run(collectBlobs)
    expect(staged()).toEqual([])
  })
})

describe("an interrupted collection", () => {
  it.each(["before", "after"] as const)(
    "is completed by the next one when it fails %s the bytes are deleted",
    async (when) => {
      const bytes = await oneUnused()
      faults.fail("remove", when)
      await expect(app.run(collectBlobs)).rejects.toThrow()
      expect(kept().includes(sha256Of(bytes))).toBe(when === "before")
      await expectTruth(app)
      await app.run(collectBlobs)
      expect(kept()).not.toContain(sha256Of(bytes))
      expect(await app.sql("SELECT 1 FROM blobs WHERE sha256 = $1", [sha256Of(bytes)])).toEqual([])
    }
  )

  it.each(["before", "after"] as const)(
    "allows the same bytes to be uploaded again when it fails %s they are deleted",
    async (when) => {
      const bytes = await oneUnused()
      faults.fail("remove", when)
      await expect(app.run(collectBlobs)).rejects.toThrow()
      // The bytes are not found by their hash.
      const upload = await begin({ sha256: sha256Of(bytes) })
      expect(upload.status).toBe("pending")
      expect((await files.put(upload, bytes)).status).toBe(200)
      await collected()
      await expectReady(upload.id, bytes)
      await expectTruth(app)
    }
  )
})

describe("bytes that are uploaded during their collection on another node", () => {
  const waitsForLock = () =>
    eventually(
      "the upload waits for the collection",
      async () =>
        (
          await app.sql(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
            AND query LIKE '%INTO blobs%'`
          )
        ).length > 0
    )

  it("wait for its end, and are stored again", async () => {
    const bytes = await oneUnused()
    const [one, other] = [await begin({ sha256: sha256Of(bytes) }), await begin()]
    const removal = faultsThere.stall("remove")
    const collection = there.run(collectBlobs)
    await removal.reached
    const answers = Promise.all([files.put(one, bytes), filesThere.put(other, bytes)])
    await waitsForLock()
    removal.release()
    await collection
    expect((await answers).map(({ status }) => status)).toEqual([200, 200])
    for (const { id } of [one, other]) await expectReady(id, bytes)
    await collected(there)
    for (const { id } of [one, other]) await expectReady(id, bytes)
    await expectTruth(app)
  })

  it("are not collected if their upload has already registered them", async () => {
    const bytes = await oneUnused()
    const upload = await begin()
    const keep = faults.stall("keep")
    const answer = files.put(upload, bytes)
    await keep.reached
    await there.run(collectBlobs)
    keep.release()
    expect((await answer).status).toBe(200)
    await there.run(collectBlobs)
    await expectReady(upload.id, bytes)
  })

  it("make no record if they were collected while the upload stalled for an hour, and can be uploaded again", async () => {
    const bytes = someBytes()
    const upload = await begin()
    const keep = faults.stall("keep")
    const answer = files.put(upload, bytes)
    await keep.reached
    await app.sql("UPDATE blobs SET unused_since = '2020-01-01T00:00:00.000Z' WHERE sha256 = $1", [sha256Of(bytes)])
    await there.run(collectBlobs)
    keep.release()
    expect((await answer).status).toBe(503)
    expect((await given("GET", `/attachments/${upload.id}`)).status).toBe("pending")
    expect((await files.put(upload, bytes)).status).toBe(200)
    await expectReady(upload.id, bytes)
    await expectTruth(app)
  })

  it("are kept when both nodes collect at the same time", async () => {
    const many = await unused(20)
    const used = many.slice(0, 10)
    const uploads = await Promise.all(used.map(() => begin()))
    const [answers] = await Promise.all([
      Promise.all(uploads.map((upload, index) => files.put(upload, used[index]!))),
      app.run(collectBlobs),
      there.run(collectBlobs)
    ])
    expect(answers.map(({ status }) => status)).toEqual(used.map(() => 200))
    for (const [index, { id }] of uploads.entries()) await expectReady(id, used[index]!)
    await collected(there)
    for (const [index, { id }] of uploads.entries()) await expectReady(id, used[index]!)
    for (const gone of many.slice(10)) expect(kept()).not.toContain(sha256Of(gone))
    await expectTruth(app)
  })
})

describe("a backup", () => {
  it("waits for a removal in progress, and then keeps the bytes of deleted files until its end", async () => {
    const first = sha256Of(await oneUnused())
    const removal = faultsThere.stall("remove")
    const collection = there.run(collectBlobs)
    await removal.reached
    const [opened, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const backup = app.run(
      Effect.gen(function* () {
        yield* openSnapshot(keepFiles)
        opened.resolve()
        yield* Effect.promise(() => ended.promise)
      }).pipe(Effect.scoped)
    )
    await eventually(
      "the backup waits for the removal",
      async () =>
        (
          await app.sql(`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`)
        ).length > 0
    )
    removal.release()
    await collection
    await opened.promise
    expect(kept()).not.toContain(first)
    const second = sha256Of(await oneUnused())
    await there.run(collectBlobs)
    expect(kept()).toContain(second)
    ended.resolve()
    await backup
    // PostgreSQL releases the locks of a closed connection a moment later.
    await eventually("the bytes are removed", async () => {
      await there.run(collectBlobs)
      return !kept().includes(second)
    })
    await expectTruth(app)
  })

  it("delays the erasure of a deleted workspace with files", async () => {
    const { id } = await given("POST", "/workspaces", { name: "Gone", slug: "gone" })
    const erased = (at: TestApp) =>
      at.run(
        Effect.gen(function* () {
          const { write } = yield* Database
          yield* write.unsafe("UPDATE workspaces SET deleted_at = '2026-01-01T00:00:00.000Z' WHERE workspace_id = $1", [
            id
          ])
          yield* write.unsafe(
            `INSERT INTO blobs (workspace_id, sha256, size, refs, unused_since, released)
            VALUES ($1, $2, 1, 0, '2026-01-01T00:00:00.000Z', false) ON CONFLICT DO NOTHING`,
            [id, "0".repeat(64)]
          )
          yield* eraseDeleted(write, yield* Blobs, { deleted: "9", purged: "" })
          return (yield* write.unsafe("SELECT 1 FROM workspaces WHERE workspace_id = $1", [id])).length === 0
        })
      )
    const during = Effect.gen(function* () {
      yield* openSnapshot(keepFiles)
      return yield* Effect.promise(() => erased(there))
    }).pipe(Effect.scoped)
    expect(await app.run(during)).toBe(false)
    expect(await erased(app)).toBe(true)
  })
})

describe("a disk", () => {
  it.each([0, 1, 70_000])(
    "makes an upload 503 when it is full after %i bytes, and nothing is half written",
    async (room) => {
      const [bytes, upload] = [someBytes(200_000), await begin({ size: 200_000 })]
      faults.room = room
      const refused = await files.put(upload, bytes)
      faults.room = Infinity
      await expectTriedAgain(upload, bytes, refused)
    }
  )

  it("delays only requests that need it when it stalls", async () => {
    const bytes = someBytes(1000)
    const ready = await files.make(note, someBytes())
    const [upload, other] = [await begin(), await begin()]
    const stalls = [faults.stall("stage"), faults.stall("read")] as const
    const waiting = [files.put(upload, bytes), files.call("GET", ready.url)] as const
    for (const { reached } of stalls) await reached
    expect((await files.put(other, someBytes())).status).toBe(200)
    expect((await act("PATCH", `/notes/${note}`, { title: "Meanwhile" })).status).toBe(200)
    await given("GET", "/notes")
    expect((await given("GET", `/attachments/${upload.id}`)).status).toBe("pending")
    for (const { release } of stalls) release()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
    await expectReady(upload.id, bytes)
  })
})

describe("a file that is damaged on the disk", () => {
  const damage = (sha256: string) => {
    const path = join(app.dataDir, "files", app.workspace_id, sha256.slice(0, 2), sha256)
    const bytes = readFileSync(path)
    bytes[0]! ^= 1
    writeFileSync(path, bytes)
  }
  const damagedReads = async () => {
    const text = await (await fetch(new URL("/metrics", app.url))).text()
    return Number(/^sheaf_files_damaged_total (\d+)$/m.exec(text)?.[1] ?? 0)
  }

  it.each(["bytes=0-", undefined])("is counted when it is shorter than its record says (range %s)", async (range) => {
    const bytes = someBytes(3_000)
    const { sha256, url } = await files.make(note, bytes)
    const before = await damagedReads()
    const path = join(app.dataDir, "files", app.workspace_id, sha256.slice(0, 2), sha256)
    writeFileSync(path, "x")
    const answer = await files.call("GET", url, undefined, range === undefined ? {} : { range })
    expect(answer).toMatchObject({ status: 500, body: { code: "internal_error" } })
    expect(await damagedReads()).toBe(before + 1)
    writeFileSync(path, bytes)
  })

  it.each([0, 1, 300, 256 * 1024, 256 * 1024 + 1, 3_000_000])(
    "is never returned as intact, and is counted (%i bytes)",
    async (size) => {
      const bytes = someBytes(size)
      const { sha256, url } = await files.make(note, bytes)
      expect((await files.call("GET", url)).bytes.equals(bytes)).toBe(true)
      if (size === 0) return
      const before = await damagedReads()
      damage(sha256)
      const answer = await files.call("GET", url).catch((error: Error) => error)
      // A short file is checked before the response begins; the connection of a longer one is closed early.
      if (size <= 256 * 1024) expect(answer).toMatchObject({ status: 500, body: { code: "internal_error" } })
      else expect(answer).toBeInstanceOf(Error)
      expect(await damagedReads()).toBe(before + 1)
      if (size > 10) expect((await files.call("GET", url, undefined, { range: "bytes=5-9" })).status).toBe(206)
      // The test restores the bytes: then the download succeeds again.
      damage(sha256)
      expect((await files.call("GET", url)).bytes.equals(bytes)).toBe(true)
    }
  )

  it("is found by a check of all files, like a missing one", async () => {
    const [damaged, gone] = [await files.make(note, someBytes()), await files.make(note, someBytes(700_000))]
    damage(damaged.sha256)
    const path = join(app.dataDir, "files", app.workspace_id, gone.sha256.slice(0, 2), gone.sha256)
    const kept = readFileSync(path)
    rmSync(path)
    const found: Array<BlobFault> = []
    const checked = await app.run(
      Effect.gen(function* () {
        const { checked, next } = yield* BlobCheck.check({ isQuick: false })
        for (let faults = yield* next; faults.length > 0; faults = yield* next) found.push(...faults)
        return checked()
      })
    )
    const [{ count }] = await app.sql("SELECT count(*)::int AS count FROM blobs WHERE refs > 0")
    expect(checked).toBe(count)
    const fault = { workspace_id: app.workspace_id, exports: [], imports: [] }
    expect(found.toSorted((one, other) => (one.problem < other.problem ? -1 : 1))).toEqual([
      { ...fault, sha256: damaged.sha256, problem: "damaged", attachments: [damaged.id] },
      { ...fault, sha256: gone.sha256, problem: "missing", attachments: [gone.id] }
    ])
    writeFileSync(path, kept)
    damage(damaged.sha256)
  })
})

describe("an upload URL", () => {
  it("leaves nothing when its client disconnects in the middle, and can be used again", async () => {
    const [bytes, upload] = [someBytes(100_000), await begin()]
    const { pathname, search } = new URL(upload.upload_url)
    const socket = await new RawWire(app).begin(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes.length}\r\n\r\n`
    )
    socket.write(bytes.subarray(0, 50_000))
    await eventually("the first half is being staged", () => staged().length === 1)
    socket.destroy()
    await eventually("nothing is staged", () => staged().length === 0)
    expect((await given("GET", `/attachments/${upload.id}`)).status).toBe("pending")
    expect((await files.put(upload, bytes)).status).toBe(200)
    await expectReady(upload.id, bytes)
    await expectTruth(app)
  })

  it("accepts one of two concurrent uploads on any nodes, and is 410 for the other", async () => {
    const [one, other] = [someBytes(), someBytes()]
    const upload = await begin()
    const keeps = [faults.stall("keep"), faultsThere.stall("keep")] as const
    const answers = Promise.all([files.put(upload, one), filesThere.put(upload, other)])
    for (const { reached } of keeps) await reached
    for (const { release } of keeps) release()
    const [first, second] = await answers
    expect([first.status, second.status].toSorted()).toEqual([200, 410])
    expect([first, second].find(({ status }) => status === 410)!.body.code).toBe("upload_expired")
    const [won, lost] = first.status === 200 ? [one, other] : [other, one]
    await expectReady(upload.id, won)
    await collected()
    await expectReady(upload.id, won)
    expect(kept()).not.toContain(sha256Of(lost))
    expect(staged()).toEqual([])
    await expectTruth(app)
  })
})
