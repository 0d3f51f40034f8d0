import { Effect, Layer, Logger, Redacted } from "effect"
import fc from "fast-check"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import * as zlib from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lastBackup } from "../../services/backup/BackupAttempts.ts"
import { settle } from "../../services/backup/BackupLeftovers.ts"
import { backupOnDisk } from "../../services/backup/BackupOnDisk.ts"
import { reasonOf } from "../../services/backup/BackupFailure.ts"
import { check } from "../../services/backup/Restore.ts"
import { Database } from "../../services/database/Database.ts"
import * as Migrations from "../../services/database/Migrations.ts"
import { eventually } from "../support/flows/eventually.ts"
import { inboxOf, upload } from "../support/flows/Uploading.ts"
import { call, listAll, type Server } from "../support/flows/Wire.ts"
import { done, type Environment, refused, sheaf, startCommand } from "../support/servers/Command.ts"
import { connectTo, databaseUrl, dropDatabase, emptyDatabase, sqlOn } from "../support/servers/Databases.ts"
import { endPrograms, Program, sqlOf } from "../support/servers/Program.ts"
import { s3Server } from "../support/servers/S3Server.ts"
import { rounds } from "../support/Slow.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-backups-"))
let number = 0
const newPath = () => join(place, String(++number))

const s3 = await s3Server()
const databases: Array<string> = []

/** Creates an empty database, and returns the environment that leads to it. */
const newDatabase = async () => {
  const database = await emptyDatabase()
  databases.push(database)
  return { database, DATABASE_URL: databaseUrl(database) }
}

/** A disk of 256 KB. */
const disk = join(place, "disk")
mkdirSync(disk)
const mounted = (() => {
  if (process.getuid?.() !== 0) return " (skipped: only root can mount a small disk)"
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k,mode=755", "tmpfs", disk], { stdio: "ignore" })
    return ""
  } catch {
    return " (skipped: a small disk cannot be mounted here)"
  }
})()

afterAll(async () => {
  await endPrograms()
  if (!("missing" in s3)) s3.client.destroy()
  if (mounted === "") execFileSync("umount", [disk])
  for (const database of databases) await dropDatabase(database)
  rmSync(place, { recursive: true, force: true })
})

/** The embedded database of a running server. */
const addressOf = (dataDir: string) => ({
  socketDirectory: join(dataDir, "postgres"),
  port: 5432,
  username: "sheaf_app",
  database: "sheaf"
})

/** The path of the only file in DATA_DIR with this hash. */
const fileOf = (dataDir: string, sha256: string): string => {
  const found = readdirSync(join(dataDir, "files"), { recursive: true, encoding: "utf8" })
  return join(
    dataDir,
    "files",
    found.find((path) => path.endsWith(sha256))!
  )
}

/** Changes one byte of a file. */
const flip = (path: string, position: number) => {
  const bytes = readFileSync(path)
  bytes[position]! ^= 1
  writeFileSync(path, bytes)
}

/** Texts that a format could confuse with its own signs. */
const awkward = 'tab\t newline\n \\n \\N "quoted" {"json": null} {a,NULL} \u{1F9FA} \u2028 \u007F é'

describe("a backup of a running server", () => {
  const env = { DATA_DIR: newPath() }
  const backup = newPath()
  let server: Server
  let program: Program
  let inbox: string
  let cursor: string
  const hashes: Array<string> = []
  let found: any

  beforeAll(async () => {
    await usedDataDir(env.DATA_DIR)
    program = new Program({ ...env, PORT: "0" })
    server = await program.server()
    inbox = await inboxOf(server)
    const note = await call(server, "POST", "/notes", {
      notebook_id: inbox,
      title: 'An "awkward" note \\N',
      body: awkward,
      tags: ["null", "é"]
    })
    await call(server, "PATCH", `/notes/${note.body.id}`, { body: `${awkward} again\n\n- [ ] [[Note 1]]` })
    // More than a piece of a table, and than one fetch.
    for (let each = 0; each < 70; each++) {
      await call(server, "POST", "/notes", { notebook_id: inbox, title: `Note ${each}`, body: "x".repeat(30_000) })
    }
    // More than the header of an encrypted backup may have.
    hashes.push(await upload(server, note.body.id, randomBytes(1_300_000)))
    hashes.push(await upload(server, note.body.id, randomBytes(10)))
    hashes.push(await upload(server, note.body.id, randomBytes(2_000)))
    hashes.push(await upload(server, note.body.id, Buffer.alloc(0)).catch(() => hashes[1]!))
    cursor = (await call(server, "POST", "/sync/pull", {})).body.cursor
    // The rows of contents, which no backup has.
    if ((await call(server, "GET", "/tasks")).body.data.length !== 1) throw new Error("There is no task")
  })

  it("has one moment of the database while clients write, and its restore has no difference", async () => {
    let isWriting = true
    const written: Array<string> = []
    const writing = (async () => {
      while (isWriting) {
        const { body, status } = await call(server, "POST", "/notes", {
          notebook_id: inbox,
          title: "During the backup"
        })
        expect(status).toBe(201)
        written.push(body.id)
      }
    })()
    const made = await done(env, `backup ${backup} --secret-key`)
    isWriting = false
    await writing
    expect(made).toMatchObject({
      file: backup,
      schema: await Effect.runPromise(Migrations.latest),
      files: new Set(hashes).size
    })
    expect(statSync(backup)).toMatchObject({ size: made.bytes, mode: 0o100600 })

    const DATA_DIR = newPath()
    const restored = await done({ DATA_DIR }, `restore ${backup}`)
    expect(restored).toMatchObject({ rows: made.rows, files: made.files, files_left_out: 0, tables_left_out: [] })
    found = await done({ DATA_DIR }, `restore ${backup} --verify`)
    expect(found).toMatchObject({ differences: [], more: 0, rows: made.rows, files: made.files })

    const copy = new Program({ DATA_DIR, PORT: "0" })
    const other: Server = { url: await copy.url(), key: server.key }
    const ids = (await listAll(other, "/notes")).map(({ id }) => id)
    const extra = ids.filter((id) => written.includes(id))
    expect(ids.length).toBe(71 + extra.length)
    // A moment: what it has of the writes is their beginning.
    expect(new Set(extra)).toEqual(new Set(written.slice(0, extra.length)))
    expect((await listAll(other, "/attachments")).length).toBe(hashes.length)
    expect(await listAll(other, "/tasks")).toHaveLength(1)
    expect(await listAll(other, "/links")).toMatchObject([{ target_title: "Note 1" }])
    const { body, status } = await call(other, "POST", "/sync/pull", { cursor })
    expect([status, body.code]).toEqual([410, "cursor_expired"])
    expect(await copy.kill("SIGTERM")).toBe(0)
  })

  it("contains the configuration without secrets, and the secret key only on demand", async () => {
    const without = newPath()
    mkdirSync(without)
    const SECRET_KEY = readFileSync(join(env.DATA_DIR, "secret.key"), "utf8").trim()
    const { file } = await done(
      { ...env, SECRET_KEY, SMTP_URL: "smtps://me:hidden@mail.example.org" },
      `backup ${without}`
    )
    expect(file).toMatch(/\/sheaf-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.zst$/)
    const text = zlib.zstdDecompressSync(readFileSync(file)).toString("latin1")
    expect(text).toContain('"dataDir"')
    expect(text).not.toContain("hidden")
    expect(text).not.toContain(SECRET_KEY)
    expect(zlib.zstdDecompressSync(readFileSync(backup)).toString("latin1")).toContain(SECRET_KEY)
    const DATA_DIR = newPath()
    const { code, output } = await sheaf({ DATA_DIR }, `restore ${file}`)
    expect([code, output]).toEqual([0, expect.stringContaining(`write it to ${DATA_DIR}/secret.key`)])
  })

  const noBucket = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""
  const bucketEnv: Environment =
    "missing" in s3
      ? {}
      : {
          S3_ENDPOINT: s3.endpoint,
          S3_BUCKET: s3.bucket,
          S3_ACCESS_KEY_ID: Redacted.value(s3.accessKeyId),
          S3_SECRET_ACCESS_KEY: Redacted.value(s3.secretAccessKey)
        }
  const inBucket = "missing" in s3 ? `; files stay on disk (${s3.missing})` : "; files go to a bucket and back"
  it(`is restored from the embedded database to another PostgreSQL, and back${inBucket}`, async () => {
    const { DATABASE_URL } = await newDatabase()
    const SECRET_KEY = readFileSync(join(env.DATA_DIR, "secret.key"), "utf8").trim()
    const external = { DATA_DIR: newPath(), DATABASE_URL, SECRET_KEY, ...bucketEnv }
    await done(external, `restore ${backup}`)
    expect(await done(external, `restore ${backup} --verify`)).toEqual(found)
    const second = newPath()
    await done(external, `backup ${second}`)
    const DATA_DIR = newPath()
    await done({ DATA_DIR, SECRET_KEY }, `restore ${second}`)
    expect(await done({ DATA_DIR, SECRET_KEY }, `restore ${backup} --verify`)).toEqual(found)
  })

  /** Restores the backup, with its secret key, to an empty database of the shared server: faster than to an embedded one. */
  const restoredElsewhere = async (from: string, more: Environment = {}) => {
    const { database, DATABASE_URL } = await newDatabase()
    const SECRET_KEY = readFileSync(join(env.DATA_DIR, "secret.key"), "utf8").trim()
    const target = { ...more, DATA_DIR: newPath(), DATABASE_URL, SECRET_KEY }
    return { database, target, restored: await done(target, `restore ${from}`) }
  }

  it.skipIf("missing" in s3)(`is stored in a bucket, and restored from it${noBucket}`, async () => {
    const { S3_BUCKET, ...store } = bucketEnv
    const to = `s3://${S3_BUCKET}/backups/sheaf`
    const inBucket = { ...env, ...store, BACKUP_TO: `${to}/` }
    const made = await done(inBucket, "backup --secret-key")
    expect(made.file).toMatch(/^s3:\/\/[^/]+\/backups\/sheaf\/sheaf-[^/]+Z\.tar\.zst$/)
    const url: string = made.file
    const { target } = await restoredElsewhere(url, { ...store, BACKUP_TO: to })
    expect(await done(target, `restore ${url} --verify`)).toMatchObject({ differences: [], rows: made.rows })
    expect(await sheaf(inBucket, `backup ${url}`)).toEqual(refused(/exists: name a new file/))
    expect(await sheaf(target, `restore s3://${S3_BUCKET}/none`)).toEqual(refused(/There is no backup s3:/))
    expect(await sheaf(inBucket, "backup s3://no-such-bucket-of-sheaf/")).toEqual(
      refused(/The bucket no-such-bucket-of-sheaf does not exist: check the name of the bucket/)
    )
    expect(await sheaf(env, `backup ${url}`)).toEqual(refused(/set S3_ENDPOINT, S3_ACCESS_KEY_ID and/))
    expect(await sheaf(inBucket, "backup s3://bucket//twice")).toEqual(refused(/must be like s3:/))
    expect(await sheaf(env, "backup")).toEqual(refused(/set BACKUP_TO/))
  })

  it("names each difference of a database and its files", async () => {
    const { database, target } = await restoredElsewhere(backup)
    flip(fileOf(target.DATA_DIR, hashes[0]!), 699_999)
    rmSync(fileOf(target.DATA_DIR, hashes[1]!))
    const sql = (text: string) => sqlOn(database, text)
    await sql("UPDATE notes SET title = title || '.' WHERE id = (SELECT min(id) FROM notes)")
    await sql("DELETE FROM changes WHERE seq IN (3, 4)")
    await sql("DELETE FROM note_tags WHERE ctid = (SELECT min(ctid) FROM note_tags)")
    const { code, errors, output } = await sheaf(target, `restore ${backup} --verify --json`)
    const { differences } = JSON.parse(output)
    expect([code, errors]).toEqual([1, `sheaf: Differences to the backup: ${differences.length}\n`])
    expect(differences).toEqual(
      expect.arrayContaining([
        { part: "tables/notes", problem: "has other values than the backup" },
        { part: "tables/changes", problem: expect.stringMatching(/^has \d+ rows, and \d+ in the backup$/) },
        { part: "tables/note_tags", problem: expect.stringMatching(/^has 1 rows, and 2 in the backup$/) },
        { part: expect.stringMatching(/^changes\/ws_/), problem: expect.stringMatching(/^has \d+ entries from 1 to/) },
        { part: expect.stringContaining(hashes[0]!), problem: "is damaged" },
        { part: expect.stringContaining(hashes[1]!), problem: "is missing" }
      ])
    )
  })

  it("is opened by its secret key only, which a restore and its comparison check first", async () => {
    const [without, within] = [newPath(), newPath()]
    await done(env, `backup ${without}`)
    await done(env, `backup ${within} --secret-key`)
    const right = readFileSync(join(env.DATA_DIR, "secret.key"), "utf8")
    const wrong = `${randomBytes(32).toString("base64")}\n`
    const withKey = (key: string) => {
      const DATA_DIR = newPath()
      mkdirSync(DATA_DIR)
      writeFileSync(join(DATA_DIR, "secret.key"), key)
      return { DATA_DIR }
    }

    const refusing = withKey(wrong)
    expect(await sheaf(refusing, `restore ${without}`)).toEqual(refused(/is not the secret key that opens this backup/))
    expect(await sheaf({ ...refusing, SECRET_KEY: wrong }, `restore ${within}`)).toEqual(
      refused(/SECRET_KEY is not the secret key that opens this backup/)
    )
    expect(await sheaf(refusing, `restore ${within}`)).toEqual(
      refused(/The backup has its secret key, and .*secret\.key is another one: remove the file/)
    )
    expect(readdirSync(refusing.DATA_DIR)).toEqual(["secret.key"])
    const { DATABASE_URL, database } = await newDatabase()
    const external = { DATABASE_URL, DATA_DIR: newPath(), SECRET_KEY: wrong }
    expect(await sheaf(external, `restore ${without}`)).toEqual(refused(/SECRET_KEY is not the secret key/))
    expect(existsSync(external.DATA_DIR)).toBe(false)
    expect(await sqlOn(database, "SELECT 1 FROM pg_class WHERE relname = 'users'")).toEqual([])

    const target = withKey(right)
    const restored = await sheaf(target, `restore ${without}`)
    expect([restored.code, restored.output]).toEqual([0, expect.stringContaining("secret.key opens this backup.")])
    const compared = await sheaf(target, `restore ${without} --verify`)
    expect(compared.output).toMatch(/secret\.key opens this backup\.\nThere is no difference to the backup\./)
    writeFileSync(join(target.DATA_DIR, "secret.key"), wrong)
    const differing = await sheaf(target, `restore ${without} --verify --json`)
    expect([differing.code, JSON.parse(differing.output).differences]).toEqual([
      1,
      [{ part: "secret.key", problem: expect.stringMatching(/is not the secret key that opens this backup/) }]
    ])
    expect((await sheaf(withKey(right), `restore ${within}`)).output).toMatch(
      /The secret key that it has opens this backup/
    )
    // A lost key does not make the backup useless.
    const lost = await sheaf(refusing, `restore ${without} --lost-key`)
    expect([lost.code, lost.output]).toEqual([
      0,
      expect.stringMatching(/does not open this backup: run sheaf secret-key/)
    ])
  })

  it("is recorded with its target, its size, and its error if it failed", async () => {
    const last = () => Effect.runPromise(Effect.provide(lastBackup, Database.layer(addressOf(env.DATA_DIR))))
    const missing = join(place, "nowhere", "file")
    expect((await sheaf(env, `backup ${missing}`)).code).toBe(1)
    expect(await last()).toMatchObject({
      target: missing,
      bytes: null,
      error: expect.stringMatching(/^\/\S+\.part: .*no such file or directory/)
    })
    const path = newPath()
    const { bytes, file } = await done(env, `backup ${relative(process.cwd(), path)}`)
    expect(file).toBe(path)
    expect(await last()).toMatchObject({ target: path, bytes, error: null })
  })

  it("removes what a killed attempt has left, and finds out whether that attempt was complete", async () => {
    const sql = sqlOf(env.DATA_DIR)
    const [killed, complete] = [newPath(), newPath()]
    writeFileSync(`${killed}.part`, "half")
    writeFileSync(complete, "whole")
    for (const target of [killed, complete]) {
      await sql(
        `INSERT INTO backups (id, kind, target, encrypted, started_at)
        VALUES ('${target}', 'manual', '${target}', false, '2100-01-01T00:00:00.000Z')`
      )
      await done(env, `backup ${newPath()}`)
    }
    expect(
      await sql("SELECT target, bytes::int, error FROM backups WHERE started_at LIKE '2100%' ORDER BY bytes")
    ).toEqual([
      { target: complete, bytes: 5, error: null },
      { target: killed, bytes: null, error: "It was interrupted" }
    ])
    expect(existsSync(`${killed}.part`)).toBe(false)
    await sql("DELETE FROM backups WHERE started_at LIKE '2100%'")
  })

  it("ends an attempt that began before a success of a clock that was ahead, and tries an unusable folder once", async () => {
    const sql = sqlOf(env.DATA_DIR)
    await sql(
      `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, error) VALUES
        ('killed', 'manual', 's3://unusable/killed', false, '2000-01-01T00:00:00.000Z', NULL, NULL),
        ('failed', 'manual', 's3://unusable/failed', false, '2100-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z', 'None')`
    )
    const warnings: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => warnings.push(message))])
    await settle(undefined, "2000-01-02T00:00:00.000Z").pipe(
      Effect.provide(Layer.merge(Database.layer(addressOf(env.DATA_DIR)), logger)),
      Effect.runPromise
    )
    expect(warnings).toEqual([[expect.stringMatching(/cannot be removed: \S+ set S3_ENDPOINT/)]])
    expect(await sql("SELECT error FROM backups WHERE id = 'killed'")).toEqual([{ error: "It was interrupted" }])
    await sql("DELETE FROM backups WHERE id IN ('killed', 'failed')")
  })

  it("is refused where there is something already, and changes nothing there", async () => {
    expect(await sheaf(env, `restore ${backup}`)).toEqual(refused(/DATA_DIR .* is not empty/))
    const { database, DATABASE_URL } = await newDatabase()
    await sqlOn(database, "CREATE TABLE mine (id int)")
    const SECRET_KEY = readFileSync(join(env.DATA_DIR, "secret.key"), "utf8").trim()
    const DATA_DIR = newPath()
    const restored = await sheaf({ DATABASE_URL, DATA_DIR, SECRET_KEY }, `restore ${backup}`)
    expect(restored).toEqual(refused(/The database is not empty: it has mine/))
    expect(existsSync(DATA_DIR)).toBe(false)
    expect(await sqlOn(database, "SELECT 1 FROM pg_class WHERE relname = 'users'")).toEqual([])
    expect(await sheaf(env, `backup ${backup}`)).toEqual(refused(/exists: name a new file/))
    expect((await call(server, "GET", "/notebooks")).status).toBe(200)
  })

  it("cannot be written where the system refuses it, and leaves nothing there", async () => {
    expect(await sheaf(env, `backup ${join(place, "nowhere", "file")}`)).toEqual(refused(/no such file or directory/))
    expect(await sheaf(env, `backup /proc/${randomBytes(4).toString("hex")}`)).toEqual(refused(/\/proc\//))
    expect(await sheaf(env, `restore ${join(place, "nowhere")}`)).toEqual(refused(/no such file or directory/))
    expect(await sheaf(env, `backup ${join(place, "x".repeat(300))}`)).toEqual(refused(/: its path is too long/))
    expect(await sheaf(env, "backup ")).toEqual(refused(/The path is empty/))
  })

  it.skipIf(mounted !== "")(`is refused on a full or read-only disk, and leaves nothing there${mounted}`, async () => {
    expect(await sheaf(env, `backup ${disk}`)).toEqual(refused(/its file system is full/))
    expect(readdirSync(disk)).toEqual([])
    const DATA_DIR = join(disk, "data")
    const { code, errors, output } = await sheaf({ DATA_DIR }, `restore ${backup}`)
    expect([code, output, errors]).toEqual([1, "", expect.stringMatching(/^sheaf: [^\n]*No space left on device\n/m)])
    execFileSync("mount", ["-o", "remount,ro", disk])
    expect(await sheaf(env, `backup ${disk}`)).toEqual(refused(/its file system is read-only/))
    expect(await sheaf({ DATA_DIR: join(disk, "other") }, `restore ${backup}`)).toEqual(refused(/is read-only/))
    expect((await call(server, "GET", "/notebooks")).status).toBe(200)
  })

  it("runs alone on its database", async () => {
    const client = Database.layer(addressOf(env.DATA_DIR))
    await Effect.gen(function* () {
      const { write } = yield* Database
      const connection = yield* write.reserve
      yield* connection.execute("SELECT pg_advisory_lock(x'5e4f0003'::int, 1)", [], undefined)
      const second = yield* Effect.promise(() => sheaf(env, `backup ${newPath()}`))
      expect(second).toEqual(refused(/Another backup of this database is running/))
    }).pipe(Effect.scoped, Effect.provide(client), Effect.runPromise)
    await done(env, `backup ${newPath()}`)
  })

  it("is complete without the bytes of files that are missing or damaged, and reports them", async () => {
    const { target } = await restoredElsewhere(backup)
    const damaged = fileOf(target.DATA_DIR, hashes[0]!)
    flip(damaged, 300_000)
    rmSync(fileOf(target.DATA_DIR, hashes[1]!))
    appendFileSync(fileOf(target.DATA_DIR, hashes[2]!), "more")
    const path = newPath()
    const { code, errors, output } = await sheaf(target, `backup ${path} --secret-key --json`)
    expect([code, errors]).toEqual([1, expect.stringMatching(/^sheaf: The backup is without the bytes of 3 files/)])
    expect(JSON.parse(output)).toMatchObject({ files_left_out: 3 })
    const { restored, target: second } = await restoredElsewhere(path)
    expect(restored).toMatchObject({ files_left_out: 3 })
    expect(await done(second, `restore ${path} --verify`)).toMatchObject({ differences: [] })
  })

  it("is refused if it is incomplete, damaged or another file, and nothing is written", async () => {
    const whole = readFileSync(backup)
    const DATA_DIR = newPath()
    const restoreOf = async (bytes: Uint8Array) => {
      const path = newPath()
      writeFileSync(path, bytes)
      const ended = await sheaf({ DATA_DIR }, `restore ${path}`)
      expect(existsSync(DATA_DIR)).toBe(false)
      return ended
    }
    expect(await restoreOf(new Uint8Array())).toEqual(refused(/is not a backup of Sheaf/))
    expect(await restoreOf(randomBytes(1000))).toEqual(refused(/is not a backup of Sheaf/))
    expect(await restoreOf(zlib.zstdCompressSync("hello"))).toEqual(refused(/is not a backup of Sheaf/))
    expect(await restoreOf(whole.subarray(0, whole.length / 2))).toEqual(refused(/damaged or incomplete at \S+/))
    const foreign = newPath()
    execFileSync("tar", ["-cf", foreign, "-C", join(import.meta.dirname, "../.."), "package.json"])
    expect(await restoreOf(zlib.zstdCompressSync(readFileSync(foreign)))).toEqual(refused(/is not a backup of Sheaf/))
    // Random bytes are stored as they are, so the flipped one is decompressed.
    const random = readFileSync(fileOf(env.DATA_DIR, hashes[0]!)).subarray(700_000, 700_008)
    const flipped = Buffer.from(whole)
    flipped[flipped.indexOf(random)]! ^= 1
    expect(await restoreOf(flipped)).toEqual(
      refused(new RegExp(`The backup is damaged: files/\\S+${hashes[0]} does not match its hash`))
    )
    // Decompressed and compressed again, so that only the hashes of the parts show the change.
    const archive = zlib.zstdDecompressSync(whole)
    const title = archive.indexOf("Note 42")
    archive[title]! ^= 1
    expect(await restoreOf(zlib.zstdCompressSync(archive))).toEqual(
      refused(/The backup is damaged: tables\/\w+ does not match its hash/)
    )
  })

  it("is refused if its path leads to no file, and a pipe is not waited for", async () => {
    const [DATA_DIR, directory, pipe] = [newPath(), newPath(), newPath()]
    mkdirSync(directory)
    execFileSync("mkfifo", [pipe])
    for (const path of [directory, pipe, "/dev/zero"]) {
      expect(await sheaf({ DATA_DIR }, `restore ${path}`)).toEqual(refused(new RegExp(`${path} is not a file`)))
    }
    expect(await sheaf({ DATA_DIR }, `restore ${newPath()}`)).toEqual(refused(/: there is no such file or directory/))
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  it("is found to be damaged whichever byte is flipped, unless the byte has no effect", async () => {
    const whole = readFileSync(backup)
    const content = zlib.zstdDecompressSync(whole)
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (position, mask) => {
        const path = newPath()
        const bytes = Buffer.from(whole)
        bytes[position]! ^= mask
        writeFileSync(path, bytes)
        const checked: any = await Effect.runPromise(
          Effect.match(check(backupOnDisk(path), "0.1.0"), { onSuccess: () => true, onFailure: (error) => error })
        )
        // The header of a frame has bits that only reserve more memory.
        if (checked === true) expect(zlib.zstdDecompressSync(bytes).equals(content)).toBe(true)
        else expect(checked.message).toMatch(/is not a backup of Sheaf|damaged|incomplete/)
        rmSync(path)
      }),
      {
        numRuns: rounds(20, 500),
        examples: [
          [whole.length - 1, 1],
          [0, 1]
        ]
      }
    )
  })

  it("is found to be damaged when a row that shows its secret key is", async () => {
    const content = zlib.zstdDecompressSync(readFileSync(backup))
    const entry = content.indexOf("tables/secret_key/1.jsonl")
    const row = content.indexOf("[", entry)
    content[row]! ^= 1
    const path = newPath()
    writeFileSync(path, zlib.zstdCompressSync(content))
    const error = await Effect.runPromise(Effect.flip(check(backupOnDisk(path), "0.1.0")))
    expect(reasonOf(error, path)).toMatch(/damaged/)
  })
})

describe("an interrupted restore", () => {
  it("leaves a target that no server starts on, and that can be restored again", async () => {
    const source = { DATA_DIR: await usedDataDir(newPath()) }
    const program = new Program({ ...source, PORT: "0" })
    const server = await program.server()
    const note = await call(server, "POST", "/notes", { notebook_id: await inboxOf(server), title: "Kept" })
    const sha256 = await upload(server, note.body.id, randomBytes(1000))
    const backup = newPath()
    await done(source, `backup ${backup}`)
    const SECRET_KEY = readFileSync(join(source.DATA_DIR, "secret.key"), "utf8").trim()
    const { database, DATABASE_URL } = await newDatabase()
    const env = { DATABASE_URL, SECRET_KEY, DATA_DIR: newPath() }
    const stored = () => sqlOn(database, "SELECT count(*)::int AS tables FROM pg_class WHERE relname = 'notes'")

    // The lock of all starts, for which the transaction waits.
    await connectTo(database).pipe(
      Effect.flatMap((connection) =>
        Effect.gen(function* () {
          yield* connection.query("SELECT pg_advisory_lock(x'5e4f0001'::bigint)")
          const { child, ended } = startCommand(env, `restore ${backup}`)
          yield* Effect.promise(async () => {
            await eventually("the file is there, and the rows are next", async () => {
              const waiting = await sqlOn(
                database,
                `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`
              )
              return waiting.length > 0
            })
            expect(statSync(fileOf(env.DATA_DIR, sha256)).size).toBe(1000)
            expect(await sheaf(env, `restore ${backup}`)).toEqual(refused(/Another restore into this database/))
            child.kill("SIGKILL")
            await ended
          })
        })
      ),
      Effect.scoped,
      Effect.runPromise
    )
    await eventually("the connections of the command are closed", async () => {
      const open = await sqlOn("postgres", `SELECT 1 FROM pg_stat_activity WHERE datname = '${database}'`)
      return open.length === 0
    })
    expect(await stored()).toEqual([{ tables: 0 }])
    const refusing = new Program({ ...env, PORT: "0" })
    expect(await refusing.ended).toBe(1)
    expect(refusing.errors).toMatch(/^sheaf: A restore into DATA_DIR .* has not finished: run it again/)
    expect(await sheaf(env, "key list")).toEqual(refused(/has not finished/))
    await done(env, `restore ${backup}`)
    expect(await done(env, `restore ${backup} --verify`)).toMatchObject({ differences: [], files: 1 })
    expect(readdirSync(env.DATA_DIR)).toEqual(["files"])
  })
})
