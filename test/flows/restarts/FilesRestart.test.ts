import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/flows/eventually.ts"
import { sha256Of } from "../../support/flows/Contents.ts"
import { FileLoad } from "../../support/flows/FileLoad.ts"
import { inconsistencies } from "../../support/flows/Ledger.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { isSlow } from "../../support/Slow.ts"
import { call, listAll, type Server } from "../../support/flows/Wire.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { endPrograms, postmasterOf, Program, sqlOf } from "../../support/servers/Program.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-files-restart-"))
const dataDir = join(place, "data")
const staging = join(dataDir, "files", "staging")
const sql = sqlOf(dataDir)
const hastened = [process.execPath, "test/support/servers/hastened.ts"]
let env: { DATA_DIR: string; PORT: string; RATE_LIMIT: string }
let program: Program
let server: Server
let notebook: string

beforeAll(async () => {
  env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()), RATE_LIMIT: "0" }
  program = new Program(env, false, hastened)
  server = await program.server()
  notebook = (await call(server, "GET", "/notebooks")).body.data[0].id
  // The first upload creates the directories.
  const note = (await call(server, "POST", "/notes", { notebook_id: notebook, title: "first" })).body.id
  const begun = (await call(server, "POST", "/attachments/uploads", { note_id: note, filename: "first" })).body
  await fetch(begun.upload_url, { method: "PUT", body: "first" })
})
afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

/** The blobs on the disk, as `workspace/sha256`. */
const kept = (): ReadonlyArray<string> =>
  readdirSync(join(dataDir, "files"), { recursive: true, encoding: "utf8" })
    .map((path) => path.split("/"))
    .filter(([first, , name]) => first !== "staging" && name !== undefined)
    .map(([workspace, , name]) => `${workspace}/${name}`)
    .toSorted()

const counted = async (): Promise<ReadonlyArray<string>> =>
  (await sql("SELECT workspace_id || '/' || sha256 AS key FROM blobs")).map(({ key }) => key).toSorted()

/** Makes all unused blobs and staged files old enough to be collected; no upload may be in progress. */
const age = async () => {
  await sql("UPDATE blobs SET unused_since = '2020-01-01T00:00:00.000Z' WHERE refs = 0")
  for (const path of readdirSync(staging, { recursive: true, encoding: "utf8" })) utimesSync(join(staging, path), 0, 0)
}

/** Checks that the bytes of each ready attachment match its hash, including trashed ones. */
const expectBytes = async () => {
  const rows = await sql(
    "SELECT DISTINCT workspace_id, sha256, size::int AS size FROM attachments WHERE status = 'ready'"
  )
  for (const { sha256, size, workspace_id } of rows) {
    const path = join(dataDir, "files", workspace_id, sha256.slice(0, 2), sha256)
    expect([sha256, statSync(path).size, sha256Of(readFileSync(path))]).toEqual([sha256, size, sha256])
  }
}

const downloaded = async (url: string) => sha256Of(new Uint8Array(await (await fetch(url)).arrayBuffer()))

// Seeds divisible by 4 also kill PostgreSQL.
const seeds = isSlow ? [31, 32, 33, 34, 35] : [31]
describe("kill -9 while files come and go", () => {
  // All twenty seeds: SEED=$(seq -s, 31 50)
  it.each(process.env["SEED"]?.split(",").map(Number) ?? seeds)(
    "leaves no record without its bytes, and no bytes without a record once they are collected, seed %i",
    async (seed) => {
      const random = new Random(seed)
      // Deletes some files of earlier rounds, which are collected while the same contents are uploaded again.
      for (const { id } of await listAll(server, "/attachments")) {
        if (random.chance(0.7)) expect((await call(server, "DELETE", `/attachments/${id}`)).status).toBe(200)
      }
      await age()
      const load = new FileLoad(server, notebook, seed)
      load.start()
      await load.further(random.between(5, 120))
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 15)))
      if (seed % 4 === 0) process.kill(postmasterOf(dataDir)!, "SIGKILL")
      await program.kill("SIGKILL")
      await load.ended

      program = new Program(env, false, hastened)
      await program.url()
      expect(await inconsistencies(sql)).toEqual([])
      await expectBytes()
      const rows = new Set(await counted())
      expect(kept().filter((key) => !rows.has(key))).toEqual([])
      const listed = new Map((await listAll(server, "/attachments")).map((attachment) => [attachment.id, attachment]))
      for (const [id, sha256] of load.sure) {
        expect(listed.get(id)).toMatchObject({ status: "ready", sha256 })
        expect(await downloaded(listed.get(id).url)).toBe(sha256)
      }
      if (process.env["VERBOSE"]) {
        const [{ unused }] = await sql("SELECT count(*)::int AS unused FROM blobs WHERE refs = 0")
        console.log(`${load.sure.size} sure, ${unused} unused, ${readdirSync(staging).length} staged`)
      }

      await age()
      await eventually("staged files are swept", () => readdirSync(staging).length === 0)
      await eventually(
        "unused blobs are collected",
        async () => (await sql("SELECT 1 FROM blobs WHERE refs = 0")).length === 0
      )
      expect(kept()).toEqual(await counted())
      expect(await inconsistencies(sql)).toEqual([])
      await expectBytes()
    }
  )
})
