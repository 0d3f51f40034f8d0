import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { call } from "../support/flows/Wire.ts"
import { done, inProcess, refused, sheaf as command, startCommand } from "../support/servers/Command.ts"
import { connectTo, currentDatabase, databaseUrl, dropDatabase, sqlOn } from "../support/servers/Databases.ts"
import { type LaterVersion, migrationsOf } from "../support/servers/NextMigration.ts"
import { endPrograms, Program, sheaf } from "../support/servers/Program.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"
import { rounds } from "../support/Slow.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-upgrades-"))
let number = 0
const newPath = () => join(place, String(++number))
const SECRET_KEY = randomBytes(32).toString("base64")
const databases: Array<string> = []
const mounts: Array<string> = []

afterAll(async () => {
  await endPrograms()
  for (const mount of mounts) execFileSync("umount", [mount])
  for (const database of databases) await dropDatabase(database)
  rmSync(place, { recursive: true, force: true })
})

type Environment = { readonly DATA_DIR: string } & Readonly<Record<string, string>>

const [node] = sheaf
/** The next version runs from its sources, which take long to compile. */
const { NODE_COMPILE_CACHE = "" } = process.env
/** Starts the server of a later version. */
const later = (version: LaterVersion, env: Environment) =>
  new Program({ PORT: "0", NODE_COMPILE_CACHE, ...env }, false, [node, "test/support/servers/NextVersion.ts", version])
const next = (env: Environment) => later("next", env)
/** Runs a command of the next version to its end. */
const nextCommand = (env: Environment, args: string) => inProcess(env, args, migrationsOf("next"))

/** The end of a program, in the form of an ended command. */
const endOf = async (program: Program) => ({
  code: await program.ended,
  output: program.output,
  errors: program.errors
})

/** Creates a database with the current schema. */
const newDatabase = async () => {
  const database = await currentDatabase()
  databases.push(database)
  const env = { DATABASE_URL: databaseUrl(database), SECRET_KEY }
  return { database, env: { ...env, DATA_DIR: newPath() } }
}

const fixtures = join(import.meta.dirname, "../fixtures/schemas")

const backupsIn = (dataDir: string): ReadonlyArray<string> => readdirSync(join(dataDir, "backups")).toSorted()

const named = (from: string) => expect.stringMatching(new RegExp(`^upgrade-from-${from}-[-\\dT]{23}Z\\.tar\\.zst$`))

/** Runs `use` while a transaction holds a lock on a table. */
const whileLocked = (database: string, table: string, mode: string, use: () => Promise<unknown>) =>
  connectTo(database).pipe(
    Effect.flatMap((connection) =>
      Effect.gen(function* () {
        yield* connection.query("BEGIN")
        yield* connection.query(`LOCK TABLE ${table} IN ${mode} MODE`)
        yield* Effect.promise(use)
        yield* connection.query("ROLLBACK")
      })
    ),
    Effect.scoped,
    Effect.runPromise
  )

const isWaiting = async (database: string, table: string) =>
  (await sqlOn(database, `SELECT 1 FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`)).length > 0

describe("an embedded database", () => {
  const env = { DATA_DIR: newPath() }

  it("goes back from an upgrade to all data as they were before the migration, by the backup that the start has made", async () => {
    await usedDataDir(env.DATA_DIR)
    const before = new Program({ ...env, PORT: "0" })
    const server = await before.server()
    const notebook_id = (await call(server, "GET", "/notebooks")).body.data[0].id
    const note = (await call(server, "POST", "/notes", { notebook_id, title: "Before" })).body
    const form = new FormData()
    form.set("note_id", note.id)
    form.set("file", new Blob([new Uint8Array(100_000)]), "file.bin")
    const headers = { authorization: `Bearer ${server.key}` }
    const attached = await fetch(`${server.url}/attachments`, { method: "POST", headers, body: form })
    const attachment = (await attached.json()) as any
    const { cursor } = (await call(server, "POST", "/sync/pull", {})).body
    expect(await before.kill("SIGTERM")).toBe(0)

    const after = next(env)
    const upgraded = { url: await after.url(), key: server.key }
    expect((await call(upgraded, "GET", "/me")).body.name).toBe("Renamed by the next version")
    expect((await call(upgraded, "DELETE", `/notes/${note.id}?permanent=true`)).status).toBe(200)
    expect(await after.kill("SIGTERM")).toBe(0)
    const [name, ...others] = backupsIn(env.DATA_DIR)
    expect([name, others]).toEqual([named("0\\.1\\.0\\+\\S+-schema-\\d+"), []])
    const file = join(env.DATA_DIR, "backups", name!)
    expect(after.log.find(({ message }) => message.includes("is complete"))?.annotations.file).toBe(file)
    expect(statSync(file).mode).toBe(0o100600)

    renameSync(env.DATA_DIR, `${env.DATA_DIR}.newer`)
    const kept = join(`${env.DATA_DIR}.newer`, "backups", name!)
    await done(env, `restore ${kept}`)
    expect(await done(env, `restore ${kept} --verify`)).toMatchObject({ differences: [], files: 1 })
    const again = new Program({ ...env, PORT: "0" })
    const back = { url: await again.url(), key: server.key }
    expect((await call(back, "GET", "/me")).body.name).toBe("Owner")
    expect((await call(back, "GET", `/notes/${note.id}`)).body).toMatchObject({
      title: "Before",
      version: note.version
    })
    const { url } = (await call(back, "GET", `/attachments/${attachment.id}`)).body
    const bytes = await fetch(new URL(new URL(url).pathname + new URL(url).search, back.url))
    expect((await bytes.arrayBuffer()).byteLength).toBe(100_000)
    expect((await call(back, "POST", "/sync/pull", { cursor })).body.code).toBe("cursor_expired")
    expect(await again.kill("SIGTERM")).toBe(0)
  })

  it("moves to another major version of PostgreSQL by one command, which can be interrupted, repeated and run twice at once", async () => {
    const inside = (...names: ReadonlyArray<string>) => join(env.DATA_DIR, ...names)
    const directories = () => readdirSync(env.DATA_DIR).filter((name) => name.startsWith("postgres"))
    const version = (directory: string) => readFileSync(inside(directory, "cluster", "PG_VERSION"), "utf8").trim()
    const included = version("postgres")
    /** An earlier Sheaf, whose PostgreSQL has the major version 17: the same one, with another number in the cluster. */
    const earlier = newPath()
    const file = inside("postgres", "cluster", "PG_VERSION")
    const script = (after: string, before = "") =>
      `#!/bin/sh\n${before}\necho ${included} > ${file}\n${node} dist/main.js "$@"\ncode=$?\necho 17 > ${file}\n${after}\nexit $code\n`
    writeFileSync(file, "17\n")

    const pid = inside("postgres", "cluster", "postmaster.pid")
    writeFileSync(earlier, script(`touch ${pid}`), { mode: 0o700 })
    expect(await command(env, `migrate postgres --from ${earlier}`, "")).toEqual(
      refused(/Sheaf is running on this database/)
    )
    expect(directories()).toEqual(["postgres"])
    rmSync(pid)

    // The state after a kill between the two moves.
    renameSync(inside("postgres"), inside("postgres.17"))
    mkdirSync(inside("postgres.next"))
    expect(await endOf(new Program({ ...env, PORT: "0" }))).toEqual(refused(/postgres was interrupted: run it again/))
    expect(directories()).toEqual(["postgres.17", "postgres.next"])

    // Another run at the same time, which must leave the directories of the first one.
    const other = newPath()
    writeFileSync(earlier, script("", `${node} dist/main.js migrate postgres --from ${earlier} 2> ${other}`))
    const moved = await done(env, `migrate postgres --from ${earlier}`, "")
    expect(readFileSync(other, "utf8")).toMatch(/^sheaf: Another Sheaf is running on \S+postgres\.next: [^\n]*\n$/)
    expect(moved).toMatchObject({ earlier: inside("postgres.17"), files: 1, files_left_out: 0 })
    expect([directories(), version("postgres"), version("postgres.17")]).toEqual([
      ["postgres", "postgres.17"],
      included,
      "17"
    ])
    expect(backupsIn(env.DATA_DIR)).toEqual([named("postgres-17")])

    for (let round = 0; round < rounds(0, 15); round++) {
      rmSync(inside("postgres"), { recursive: true })
      renameSync(inside("postgres.17"), inside("postgres"))
      const killed = startCommand(env, `migrate postgres --from ${earlier}`)
      await new Promise((resolve) => setTimeout(resolve, 200 * round))
      killed.child.kill("SIGKILL")
      await killed.ended
      // It is refused until the earlier Sheaf, which was not killed, has ended.
      await eventually("the command has moved the database", async () => {
        await command(env, `migrate postgres --from ${earlier}`, "")
        return directories().join() === "postgres,postgres.17"
      })
      expect(version("postgres")).toBe(included)
      const backup = inside("backups", backupsIn(env.DATA_DIR).at(-1)!)
      expect(await done(env, `restore ${backup} --verify`)).toMatchObject({ differences: [], files: 1 })
    }
  })
})

describe("an upgrade", () => {
  it("is made once and after one backup, by nodes that start at once, after others were refused and killed", async () => {
    const { database, env } = await newDatabase()
    const schema = async () => (await sqlOn(database, "SELECT max(migration_id)::int AS id FROM migrations"))[0].id
    const current = await schema()
    const earlier = new Program({ ...env, PORT: "0" })
    await earlier.url()
    expect(await endOf(next(env))).toEqual(
      refused(/a Sheaf of an earlier version is running on it, .* 9999_next: stop all nodes/)
    )
    expect(await earlier.kill("SIGTERM")).toBe(0)

    const folder = join(env.DATA_DIR, "backups")
    mkdirSync(folder)
    const earlierOnes = [1, 2, 3].map(
      (each) => `upgrade-from-0.0.${each}-schema-9${each}-202${each}-01-01T00-00-00-000Z`
    )
    for (const name of [...earlierOnes, "sheaf-mine"]) writeFileSync(join(folder, `${name}.tar.zst`), "")

    await whileLocked(database, "workspaces", "ACCESS EXCLUSIVE", async () => {
      const killed = next(env)
      await eventually("the backup waits for a table", () => isWaiting(database, "workspaces"))
      await killed.kill("SIGKILL")
    })
    const unfinished = backupsIn(env.DATA_DIR).filter((name) => name.includes(`schema-${current}-`))
    expect(unfinished).toEqual([expect.stringMatching(/\.part$/)])
    await whileLocked(database, "users", "ACCESS SHARE", async () => {
      const killed = next(env)
      await eventually("the migration waits for a table", () => isWaiting(database, "users"))
      expect(backupsIn(env.DATA_DIR)).toContainEqual(named(`0\\.1\\.0\\+\\S+-schema-${current}`))
      await killed.kill("SIGKILL")
    })
    expect(await schema()).toBe(current)
    const killedBackup = backupsIn(env.DATA_DIR).find((name) => name.includes(`schema-${current}-`))!

    const nodes = [next(env), next(env)]
    for (const each of nodes) await each.url()
    const made = nodes.flatMap(({ log }) => log.filter(({ message }) => message.includes("is complete")))
    expect(made).toHaveLength(1)
    expect(await schema()).toBe(9999)
    const left = backupsIn(env.DATA_DIR)
    expect(left).toEqual([
      "sheaf-mine.tar.zst",
      ...earlierOnes.slice(1).map((name) => `${name}.tar.zst`),
      named(`0\\.1\\.0\\+\\S+-schema-${current}`)
    ])
    expect(left).not.toContain(killedBackup)
    for (const each of nodes) expect(await each.kill("SIGTERM")).toBe(0)
  })

  it("is made while nodes run that can run with it, once their requests leave the tables free", async () => {
    const { database, env } = await newDatabase()
    const last = async () => (await sqlOn(database, "SELECT max(migration_id)::int AS id FROM migrations"))[0].id
    const started = async (program: Program) => {
      await program.url()
      return program
    }
    const earlier = new Program({ ...env, PORT: "0" })
    const { url, key } = await earlier.server()
    const [notebook] = (await call({ url, key }, "GET", "/notebooks")).body.data
    const create = async () => {
      const { body, status } = await call({ url, key }, "POST", "/notes", { notebook_id: notebook.id, title: "Made" })
      expect([status, body.title]).toEqual([201, "Made"])
    }
    await create()
    const expanding = later("expanded", env)
    await whileLocked(database, "notes", "ACCESS SHARE", async () => {
      await eventually("the migration waits for a table", () => isWaiting(database, "notes"))
      await eventually("the migration has given way", async () => !(await isWaiting(database, "notes")))
      await create()
    })
    await started(expanding)
    expect(await last()).toBe(9001)
    expect(readdirSync(env.DATA_DIR)).not.toContain("backups")
    await create()
    // The version before starts again on the later schema.
    expect(await earlier.kill("SIGTERM")).toBe(0)
    const again = await started(new Program({ ...env, PORT: "0" }))
    expect(await endOf(later("contracted", env))).toEqual(
      refused(/cannot run with the migration 9002_contract_from_9001_tables: stop all nodes first/)
    )
    expect(await again.kill("SIGTERM")).toBe(0)
    const contracted = await started(later("contracted", env))
    expect(await last()).toBe(9002)
    expect(await endOf(new Program({ ...env, PORT: "0" }))).toEqual(refused(/A newer version of Sheaf wrote/))
    for (const each of [expanding, contracted]) expect(await each.kill("SIGTERM")).toBe(0)
  })

  it("is listed, and made by a command without a server", async () => {
    const { env } = await newDatabase()
    const asked = async (args: string) => {
      const { code, errors, output } = await nextCommand(env, `${args} --json`)
      return code === 0 ? JSON.parse(output) : errors
    }
    const [first, ...others] = (await asked("migrate status")).data
    expect(first).toMatchObject({ id: 1, name: "schema", applied_at: expect.any(String) })
    const missing = others.filter(({ applied_at }: any) => applied_at === null)
    expect(missing).toEqual([{ id: 9999, name: "next", applied_at: null }])
    expect(await asked("user list")).toMatch(/older Sheaf/)
    const backup = expect.stringMatching(/\/upgrade-from-schema-\d+-/)
    expect(await asked("migrate up")).toEqual({ applied: ["next"], backup })
    expect((await asked("migrate status")).data.at(-1)).toMatchObject({ id: 9999, applied_at: expect.any(String) })
    expect(await asked("status")).toMatchObject({ running: false, schema: "current", database: "DATABASE_URL" })
  })

  it("is part of the restore of a backup with the earlier schema", async () => {
    const own = { DATA_DIR: newPath() }
    const backup = readdirSync(fixtures).findLast((name) => name.endsWith(".tar.zst"))!
    expect(await nextCommand(own, `restore ${join(fixtures, backup)}`)).toMatchObject({ code: 0, errors: "" })
    const program = next(own)
    const url = await program.url()
    const account = { email: "owner@localhost", password: "correct horse battery" }
    const { access_token: key } = (await call({ url, key: "" }, "POST", "/auth/login", account)).body
    expect((await call({ url, key }, "GET", "/me")).body.name).toBe("Renamed by the next version")
    expect(await program.kill("SIGTERM")).toBe(0)
  })

  it("is refused without room for its backup, and made without one on demand", async ({ skip }) => {
    const { env } = await newDatabase()
    const folder = join(env.DATA_DIR, "backups")
    mkdirSync(folder, { recursive: true })
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=4k,mode=700", "tmpfs", folder], { stdio: "ignore" })
    } catch {
      skip("a small disk cannot be mounted here")
    }
    mounts.push(folder)
    writeFileSync(join(folder, "ballast"), new Uint8Array(4096))
    expect(await nextCommand(env, "migrate up")).toEqual(
      refused(/was not migrated, .*its file system is full\. .*sheaf migrate up --no-backup/)
    )
    expect(backupsIn(env.DATA_DIR)).toEqual(["ballast"])
    const up = await nextCommand(env, "migrate up --no-backup --json")
    expect([up.code, JSON.parse(up.output)]).toEqual([0, { applied: ["next"], backup: null }])
    expect(backupsIn(env.DATA_DIR)).toEqual(["ballast"])
  })
})

describe.each(readdirSync(fixtures).filter((name) => name.endsWith(".tar.zst")))(
  "the backup %s of a released schema",
  (name) => {
    it("is restored with this version: notes, versions, files and accounts are there, and doctor finds no fault", async () => {
      const env = { DATA_DIR: newPath() }
      expect(await done(env, `restore ${join(fixtures, name)}`)).toMatchObject({
        files_left_out: 0,
        tables_left_out: []
      })
      const program = new Program({ ...env, PORT: "0" })
      const url = await program.url()
      const account = { email: "owner@localhost", password: "correct horse battery" }
      const { access_token: key } = (await call({ url, key: "" }, "POST", "/auth/login", account)).body
      const get = async (path: string) => (await call({ url, key }, "GET", path)).body
      expect((await get("/me")).operator).toBe(true)
      const { data: notes } = await get("/notes?limit=100")
      const note = notes.find(({ title }: any) => title === "Tomatoes \u{1F345}")
      expect(note).toMatchObject({ version: 3, body: expect.stringContaining("Second version") })
      expect((await get(`/notes/${note.id}/versions/1`)).body).toContain('"quoted" \\N é \u2028 $x^2$')
      for (const kind of ["notebooks", "tags", "templates", "reminders", "shares", "webhooks", "api-keys", "imports"]) {
        expect((await get(`/${kind}`)).data.length, kind).toBeGreaterThan(0)
      }
      expect((await get(`/notes/${note.id}/comments`)).data).toHaveLength(2)
      const { data: attachments } = await get(`/attachments?note_id=${note.id}`)
      const files = attachments.filter(({ status }: any) => status === "ready")
      expect(files.map(({ filename }: any) => filename).toSorted()).toEqual(["photo.bin", "small.bin"])
      for (const { sha256, url: address } of files) {
        const { pathname, search } = new URL(address)
        const bytes = new Uint8Array(await (await fetch(new URL(pathname + search, url))).arrayBuffer())
        expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256)
      }
      expect(await done(env, "doctor")).toMatchObject({ ok: true })
      expect(await program.kill("SIGTERM")).toBe(0)
    })
  }
)
