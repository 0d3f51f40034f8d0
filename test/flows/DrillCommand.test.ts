import { generateX25519Identity, identityToRecipient } from "age-encryption"
import { Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import * as zlib from "node:zlib"
import { extract, pack } from "tar-stream"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Database } from "../../services/database/Database.ts"
import { inboxOf, upload } from "../support/flows/Uploading.ts"
import { call, type Server } from "../support/flows/Wire.ts"
import { done, refused, sheaf } from "../support/servers/Command.ts"
import { databaseUrl, dropDatabase, emptyDatabase, sqlOn, superuser } from "../support/servers/Databases.ts"
import { endPrograms, Program, sqlOf } from "../support/servers/Program.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-drill-command-"))
const env = { DATA_DIR: join(place, "data") }
const backup = join(place, "backup.tar.zst")
const sql = sqlOf(env.DATA_DIR)
let program: Program
let server: Server

beforeAll(async () => {
  await usedDataDir(env.DATA_DIR)
  program = new Program({ ...env, PORT: "0" })
  server = await program.server()
  const note = await call(server, "POST", "/notes", { notebook_id: await inboxOf(server), title: "With two files" })
  await upload(server, note.body.id, randomBytes(300_000))
  await upload(server, note.body.id, randomBytes(1000))
  await done(env, `backup ${backup} --secret-key`)
})
afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const databases = () => sql("SELECT datname FROM pg_database ORDER BY 1")
const epochs = () => sql("SELECT workspace_id, epoch, least_revision FROM heads ORDER BY 1")
const files = () => [
  readdirSync(env.DATA_DIR).toSorted(),
  readdirSync(join(env.DATA_DIR, "files"), { recursive: true }).toSorted()
]

it("a drill restores a backup while a server runs, whose data stays as it is", async () => {
  const before = [await databases(), await epochs(), files()]
  expect(await done(env, `restore ${backup} --drill`)).toMatchObject({ files: 2, rows: expect.any(Number) })
  expect([await databases(), await epochs(), files()]).toEqual(before)
  expect(await sql("SELECT * FROM restores")).toEqual([])
  expect(await done(env, "status")).toMatchObject({
    last_drill: backup,
    last_drill_at: expect.stringMatching(/Z$/),
    last_drill_error: null
  })
  expect(await sheaf(env, `restore ${backup} --drill --verify`)).toEqual(refused(/A drill has no other options/))
})

it("a drill of an encrypted backup needs its identity", async () => {
  const identity = await generateX25519Identity()
  const key = join(place, "key.txt")
  writeFileSync(key, identity)
  const { file } = await done(env, `backup ${place}/ --recipient ${await identityToRecipient(identity)}`)
  expect(await sheaf(env, `restore ${file} --drill`)).toEqual(refused(/name its file with --identity/))
  expect(await done(env, `restore ${file} --drill --identity ${key}`)).toMatchObject({ files: 2 })
})

it("a drill reports a damaged backup, and leaves no database", async () => {
  const before = await databases()
  const path = join(place, "damaged.tar.zst")
  const archive = zlib.zstdDecompressSync(readFileSync(backup))
  archive[archive.indexOf("With two files")]! ^= 1
  writeFileSync(path, zlib.zstdCompressSync(archive))
  expect(await sheaf(env, `restore ${path} --drill`)).toEqual(
    refused(/The backup is damaged: tables\/\w+ does not match/)
  )
  expect(await databases()).toEqual(before)
  const status = await done(env, "status")
  expect(status).toMatchObject({ last_drill: path, last_drill_error: expect.stringMatching(/^The backup is damaged/) })
})

/** A backup without its first file, as if it had never been there: all its parts match the manifest. */
const withoutFile = async (): Promise<Buffer> => {
  const made = pack()
  const list: Array<string> = []
  let isDropped = false
  for await (const entry of Readable.from([zlib.zstdDecompressSync(readFileSync(backup))]).pipe(extract())) {
    const { name, size } = entry.header
    let content: string | Buffer = await buffer(entry)
    if (name.startsWith("files/")) {
      if (!isDropped) {
        isDropped = true
        continue
      }
      list.push(`${name} ${size}\n`)
    } else if (name === "manifest.json") {
      const manifest = JSON.parse(content.toString())
      const lines = list.join("")
      manifest.files = {
        count: list.length,
        unreadable: [],
        bytes: lines.length,
        sha256: createHash("sha256").update(lines).digest("hex")
      }
      content = JSON.stringify(manifest)
    }
    made.entry({ name }, content)
  }
  made.finalize()
  return zlib.zstdCompressSync(await buffer(made))
}

it("a drill finds that a backup has not all files that its rows use", async () => {
  const path = join(place, "without.tar.zst")
  writeFileSync(path, await withoutFile())
  expect(await sheaf(env, `restore ${path} --drill`)).toEqual(
    refused(/differs from the backup in 1 parts: files are others: records use 2, and the backup has 1/)
  )
})

it("no backup runs during a drill", async () => {
  const address = {
    socketDirectory: join(env.DATA_DIR, "postgres"),
    port: 5432,
    username: "sheaf_app",
    database: "sheaf"
  }
  await Effect.gen(function* () {
    const { write } = yield* Database
    const connection = yield* write.reserve
    yield* connection.execute(
      "SELECT pg_advisory_lock(x'5e4f0003'::int, 4), pg_advisory_lock_shared(x'5e4f0003'::int, 1)",
      [],
      undefined
    )
    const run = (args: string) => Effect.promise(() => sheaf(env, args))
    expect(yield* run(`backup ${join(place, "second")}`)).toEqual(
      refused(/A restore drill of this database is running/)
    )
    expect(yield* run(`restore ${backup} --drill`)).toEqual(
      refused(/another restore drill of this database is running/)
    )
  }).pipe(Effect.scoped, Effect.provide(Database.layer(address)), Effect.runPromise)
})

const leftover = `SELECT s.datname FROM pg_database s, pg_database d
  WHERE d.datname = current_database() AND s.datname = 'sheaf_drill_' || d.oid`

it("a drill in the PostgreSQL of DATABASE_URL uses the schema of its role, which must be allowed to create databases", async () => {
  const database = await emptyDatabase()
  const role = `drill_${randomBytes(6).toString("hex")}`
  const owned = (text: string) => sqlOn(database, text, superuser)
  await owned(`CREATE ROLE ${role} LOGIN`)
  try {
    await owned(`CREATE SCHEMA own AUTHORIZATION ${role}`)
    await owned(`ALTER ROLE ${role} SET search_path = own`)
    const SECRET_KEY = readFileSync(join(env.DATA_DIR, "secret.key"), "utf8").trim()
    const external = { DATABASE_URL: databaseUrl(database, role), DATA_DIR: join(place, "external"), SECRET_KEY }
    await done(external, `restore ${backup}`)
    expect(await sheaf(external, `restore ${backup} --drill`)).toEqual(
      refused(new RegExp(`The role ${role} may not create databases, .*: ALTER ROLE ${role} CREATEDB`))
    )
    await owned(`ALTER ROLE ${role} CREATEDB`)
    expect(await done(external, `restore ${backup} --drill`)).toMatchObject({ files: 2 })
    expect(await owned(leftover)).toEqual([])
  } finally {
    await dropDatabase(database)
    await sqlOn("postgres", `DROP ROLE ${role}`, superuser)
  }
})

it("a start of the embedded database gives its role the right to create databases", async () => {
  await sql("ALTER ROLE sheaf_app NOCREATEDB")
  expect(await sheaf(env, `restore ${backup} --drill`)).toEqual(refused(/The role sheaf_app may not create databases/))
  expect(await program.kill("SIGTERM")).toBe(0)
  program = new Program({ ...env, PORT: "0" })
  server = await program.server()
  await done(env, `restore ${backup} --drill`)
})
