import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { expect, it } from "vitest"
import { atOnce, Budget } from "../../../services/concurrency/Budget.ts"
import { Database } from "../../../services/database/Database.ts"
import { IndexStore } from "../../../services/search/engine/index/IndexStore.ts"
import { mergeableOf } from "../../../services/search/engine/index/Packing.ts"
import { SavedIndex } from "../../../services/search/engine/index/SavedIndex.ts"
import { IndexRegistry } from "../../../services/search/IndexRegistry.ts"
import * as SearchFolder from "../../../services/search/SearchFolder.ts"
import { SearchThread } from "../../../services/search/SearchThread.ts"
import { indexDirectory, note, pages } from "../../support/IndexedNotes.ts"
import { guest } from "../../support/people/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const thread = () => app.run(Effect.service(SearchThread))

/** Restarts the search thread: it reads its indexes from their files. */
const restart = async () => app.run((await thread()).kill)

const found = async (query: string, headers: Record<string, string> = {}) => {
  const { body, status } = await app.call("POST", "/search", { query, limit: 100 }, headers)
  expect(status).toBe(201)
  return body
}

const loads = async () => (await thread()).held().loads

/** The directory with the files of an index. */
const directoryOf = (workspace_id: string) => join(app.dataDir, "search", "local", workspace_id)

const savedFiles = (workspace_id: string) => {
  const directory = directoryOf(workspace_id)
  return existsSync(directory) ? readdirSync(directory).toSorted() : []
}

/** Changes a byte in the middle of a file. */
const damage = (path: string, share = 1 / 2) => {
  const bytes = readFileSync(path)
  const place = Math.floor((bytes.length - 1) * share)
  bytes[place] = 255 - bytes[place]!
  writeFileSync(path, bytes)
}

const fileOf = (workspace_id: string, end: string) =>
  join(
    directoryOf(workspace_id),
    savedFiles(workspace_id).find((name) => name.endsWith(end))!
  )

const fill = async (count: number, headers: Record<string, string> = {}) => {
  const notebook_id = (await app.call("POST", "/notebooks", { name: "Kept" }, headers)).body.id
  const words = ["river", "mountain", "valley", "harbour", "glacier", "meadow"]
  const changes = Array.from({ length: count }, (_, each) => ({
    type: "note",
    op: "upsert",
    id: `nt_kept${String(each).padStart(20, "0")}`,
    data: {
      notebook_id,
      title: `Note ${each} of the ${words[each % 6]}`,
      body: `The ${words[(each + 1) % 6]}s were seen from the ${words[(each + 2) % 6]} on day ${each}`,
      tags: [words[(each + 3) % 6]]
    }
  }))
  const pushed = await app.call("POST", "/sync/push", { changes }, headers)
  expect(pushed.body.results.filter(({ status }: any) => status !== "applied")).toEqual([])
  return notebook_id as string
}

it("reads an index from its files and catches up, and builds it again from the log when the files are damaged", async () => {
  const notebook_id = await fill(300)
  const queries = ["river", "harbors from glacier", "seen valley", "mountian", "note 17", "tag:meadow river"]
  const answers = async () => {
    const all = []
    for (const query of queries) {
      const { hits, total } = await found(query)
      all.push({ total, hits: hits.map(({ highlights, id, score }: any) => ({ id, score, highlights })) })
    }
    return all
  }
  const fresh = await answers()
  expect(savedFiles(app.workspace_id).map((name) => name.replace(/^.*\./, ""))).toEqual(["segment", "manifest"])

  await restart()
  expect(await answers()).toEqual(fresh)
  expect(await loads()).toBe(1)

  // The loaded index reads later writes from the log.
  await restart()
  await app.call("POST", "/notes", { notebook_id, title: "Zanzibar", body: "a river" })
  expect((await found("zanzibar")).total).toBe(1)
  const note = (await found("note 17")).hits[0]
  await app.call("DELETE", `/notes/${note.id}?permanent=true`)
  await restart()
  expect((await found("note 17")).hits.map(({ id }: any) => id)).not.toContain(note.id)
  expect((await found("zanzibar")).total).toBe(1)
  expect(await loads()).toBe(1)
  const later = await answers()

  damage(fileOf(app.workspace_id, ".segment"))
  await restart()
  expect(await answers()).toEqual(later)
  expect(await loads()).toBe(0)

  // After a restore from a backup, the files contain changes that the log does not have.
  await app.sql("UPDATE heads SET epoch = 'restored' WHERE workspace_id = $1", [app.workspace_id])
  await restart()
  expect(await answers()).toEqual(later)
})

/** A saved index of 300 notes. */
const savedIndex = () => {
  const directory = indexDirectory()
  const saved = new SavedIndex(directory, "ws")
  const store = new IndexStore({ cache: pages, directory, maxBytes: 100_000_000 })
  for (let each = 0; each < 300; each++) {
    atOnce(store.adding(note(`n${each}`, { title: `Note ${each}`, body: "seen from the harbour" }), new Budget()))
  }
  store.freeze()
  atOnce(store.packing(new Budget()))
  saved.save(store, { epoch: "e", seq: 300, floor: 0 })
  store.close()
  return directory
}

const load = (directory: string, workspace_id = "ws") =>
  atOnce(new SavedIndex(directory, workspace_id).load({ cache: pages, maxBytes: 100_000_000 }, new Budget()))

it.each<readonly [string, (directory: string, named: (end: string) => string) => void]>([
  ["a manifest with another byte", (_, named) => damage(named("manifest"))],
  ["a segment with another first byte", (_, named) => damage(named(".segment"), 0)],
  ["a segment with another last byte", (_, named) => damage(named(".segment"), 1)],
  ["a segment that is too short", (_, named) => truncateSync(named(".segment"), 100)],
  ["no segment", (_, named) => rmSync(named(".segment"))],
  ["no manifest", (_, named) => rmSync(named("manifest"))],
  [
    "a folder for a manifest",
    (directory, named) => {
      rmSync(named("manifest"))
      mkdirSync(join(directory, "manifest"))
    }
  ],
  [
    "a manifest of another format",
    (_, named) => {
      const json = readFileSync(named("manifest"), "utf8")
        .split("\n")[1]!
        .replace(/"format":\d+/, '"format":1')
      writeFileSync(named("manifest"), `${crc32(json)}\n${json}`)
    }
  ]
])("loads no index from files with %s", (_, spoil) => {
  const directory = savedIndex()
  expect(load(directory)?.store.entries.size).toBe(300)
  spoil(directory, (end) =>
    join(
      directory,
      readdirSync(directory).find((name) => name.endsWith(end))!
    )
  )
  let found: unknown
  try {
    found = load(directory)
  } catch {}
  expect(found).toBe(undefined)
})

it("loads no index from the files of another workspace", () => {
  expect(load(savedIndex(), "another")).toBe(undefined)
})

it("deletes files that the manifest does not name", () => {
  const directory = savedIndex()
  writeFileSync(join(directory, "left.segment"), "bytes")
  expect(load(directory)?.store.entries.size).toBe(300)
  expect(readdirSync(directory)).not.toContain("left.segment")
})

it("packs a segment with a removed note again after 30 days", () => {
  const { store } = load(savedIndex())!
  const later = Date.now() + 31 * 24 * 3_600_000
  expect(mergeableOf(store.segments, later)).toBe(undefined)
  store.remove("n7")
  expect(mergeableOf(store.segments)).toBe(undefined)
  const old = mergeableOf(store.segments, later)!
  expect(old).toEqual(store.segments)
  atOnce(store.merging(old, new Budget()))
  expect(mergeableOf(store.segments, later)).toBe(undefined)
  expect(store.segments.flatMap((segment) => segment?.notes ?? [])).toEqual([299])
  store.close()
})

it("builds the files of an index again when they are damaged during use", async () => {
  const other = await guest(app, { elsewhere: true })
  await fill(250, other.headers)
  const before = await found("glacier", other.headers)
  await restart()
  const directory = directoryOf(other.workspace_id)
  await found("nothing", other.headers)
  for (const name of savedFiles(other.workspace_id).filter((each) => each.endsWith(".segment"))) {
    truncateSync(join(directory, name), 10)
  }
  const first = await app.call("POST", "/search", { query: "glacier", limit: 100 }, other.headers)
  expect([201, 503]).toContain(first.status)
  const after = await found("glacier", other.headers)
  expect(after.total).toBe(before.total)
})

it("does not use files of another workspace, and deletes files of workspaces that do not exist", async () => {
  const other = await guest(app, { elsewhere: true })
  await fill(250, other.headers)
  expect((await found("glacier", other.headers)).total).toBeGreaterThan(0)
  const third = await guest(app, { elsewhere: true })
  cpSync(directoryOf(other.workspace_id), directoryOf(third.workspace_id), { recursive: true })
  await restart()
  expect((await found("glacier", third.headers)).total).toBe(0)
  cpSync(directoryOf(other.workspace_id), directoryOf("ws_gone"), { recursive: true })
  await restart()
  await found("glacier", third.headers)
  await expect.poll(() => savedFiles("ws_gone")).toEqual([])
})

it("deletes the files of an index that no search has used for 30 days", async () => {
  const [used, unused] = [await guest(app, { elsewhere: true }), await guest(app, { elsewhere: true })]
  for (const { headers } of [used, unused]) {
    await fill(250, headers)
    await found("glacier", headers)
  }
  const old = new Date(Date.now() - 31 * 24 * 3_600_000)
  utimesSync(directoryOf(used.workspace_id), old, old)
  await restart()
  await found("glacier", used.headers)
  utimesSync(directoryOf(unused.workspace_id), old, old)
  await restart()
  await found("glacier", used.headers)
  await expect.poll(() => savedFiles(unused.workspace_id)).toEqual([])
  expect(savedFiles(used.workspace_id)).not.toEqual([])
  expect((await found("glacier", unused.headers)).total).toBeGreaterThan(0)
})

it("keeps the files of an index in memory that no write has changed for 30 days", async () => {
  const directory = join(app.dataDir, "searched")
  const { workspace_id } = await guest(app, { elsewhere: true })
  const folder = join(directory, workspace_id)
  mkdirSync(folder, { recursive: true })
  const old = new Date(Date.now() - 31 * 24 * 3_600_000)
  utimesSync(folder, old, old)
  const registry = IndexRegistry.of({
    search: () => Effect.succeed(undefined),
    remove: () => undefined,
    held: () => ({ workspaces: 1, bytes: 0, files: 0, fileBytes: 0, loads: 0 }),
    holds: (held) => held === workspace_id
  })
  const touched = Effect.promise(() =>
    expect.poll(() => statSync(folder).mtimeMs).toBeGreaterThan(old.getTime() + 1_000)
  )
  const cleaning = Effect.gen(function* () {
    const { read } = yield* Database
    yield* Layer.build(SearchFolder.layer({ directory })).pipe(
      Effect.provideService(IndexRegistry, registry),
      Effect.provideService(PgClient, read)
    )
    yield* touched
  })
  await app.run(Effect.scoped(cleaning))
})
