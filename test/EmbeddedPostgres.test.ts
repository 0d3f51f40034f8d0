import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule, Scope } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll } from "vitest"
import { type EmbeddedPostgres, start } from "../src/program/postgres/EmbeddedPostgres.ts"
import { rotate } from "../src/program/postgres/PostgresProcess.ts"

const place = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf-test-"))
const template = path.join(place, "template")
let number = 0
const emptyDirectory = () => path.join(place, String(++number))
/** A directory in which Sheaf ran before and wrote one row. It is a copy, because initdb takes a second. */
const usedDirectory = () => {
  const directory = emptyDirectory()
  fs.cpSync(template, directory, { recursive: true })
  return directory
}

const sql = (server: EmbeddedPostgres, statement: string) =>
  PgConnection.make({ ...server, host: server.socketDirectory, database: "sheaf" }).pipe(
    Effect.flatMap((connection) => connection.query(statement)),
    Effect.map(({ rows }) => rows),
    Effect.scoped
  )
const write = (server: EmbeddedPostgres, text: string) => sql(server, `INSERT INTO notes VALUES ('${text}')`)
const read = (server: EmbeddedPostgres) =>
  sql(server, "SELECT text FROM notes").pipe(Effect.map((rows) => rows.map((row) => row["text"])))

beforeAll(() =>
  start({ directory: template }).pipe(
    Effect.tap((server) => sql(server, "CREATE TABLE notes (text text)")),
    Effect.tap((server) => write(server, "first")),
    Effect.scoped,
    Effect.runPromise
  )
)
afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

const postmaster = (directory: string) =>
  Number(fs.readFileSync(path.join(directory, "cluster", "postmaster.pid"), "utf8").split("\n")[0])
const processes = () =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,sess=,stat="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => !state!.startsWith("Z"))
    .map(([pid, parent, session]) => ({ pid: Number(pid), parent: Number(parent), session: Number(session) }))
const runs = (pid: number) => processes().some((process) => process.pid === pid)
/** Repeats until success; the limit only stops a test that would hang. */
const untilLate = Schedule.spaced("20 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))
const eventually = (condition: () => boolean) =>
  Effect.sync(condition).pipe(
    Effect.repeat({
      until: (met) => met,
      schedule: untilLate
    }),
    Effect.tap((met) => Effect.sync(() => assert.isTrue(met, `in time: ${condition}`)))
  )

/** A Sheaf in a separate process, which can be killed. */
const sheaf = Effect.fnUntraced(function* (directory: string) {
  const program = `
    import { Effect } from "effect"
    import { start } from "./src/program/postgres/EmbeddedPostgres.ts"
    const server = await Effect.runPromise(start({ directory: process.argv[1] }).pipe(
      Effect.tap((server) => Effect.sync(() => console.log(JSON.stringify(server)))),
      Effect.andThen(Effect.never),
      Effect.scoped,
    ))`
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--input-type=module", "-e", program, directory], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const gone = once(child, "exit").then(() => [undefined])
  const server = Effect.promise(() => Promise.race([once(child.stdout, "data"), gone])).pipe(
    Effect.map(([line]): EmbeddedPostgres => JSON.parse(String(line)))
  )
  const kill = Effect.promise(() => {
    child.kill("SIGKILL")
    return gone
  })
  return { server, kill, pid: child.pid! }
})

const refusal = (options: Parameters<typeof start>[0]) =>
  start(options).pipe(
    Effect.flip,
    Effect.map(({ message }) => message)
  )
const test = <A, E>(name: string, body: () => Effect.Effect<A, E, Scope.Scope>) => it.live(name, body)

describe("EmbeddedPostgres", () => {
  test("keeps its data over a stop and a restart, and leaves no process running", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const pid = yield* Effect.scoped(
        start({ directory }).pipe(
          Effect.tap((server) => write(server, "second")),
          Effect.map(() => postmaster(directory))
        )
      )
      assert.isFalse(runs(pid))
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first", "second"])
    }))

  it.effect("starts and stops in real time under a test clock", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(yield* start({ directory: usedDirectory() })), ["first"])
    })
  )

  test("is closed to other users and to the network", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      fs.chmodSync(directory, 0o755)
      const server = yield* start({ directory })
      assert.strictEqual(fs.statSync(directory).mode & 0o777, 0o700)
      assert.deepStrictEqual(yield* sql(server, "SHOW listen_addresses"), [{ listen_addresses: "" }])
    }))

  const asSuperuser = (server: EmbeddedPostgres, statement: string) => sql({ ...server, username: "sheaf" }, statement)
  const access = (directory: string) => path.join(directory, "cluster", "pg_hba.conf")
  const trusted = "local all all trust\nhost all all 127.0.0.1/32 trust\n"

  // Only Linux shows the environment of a process.
  it.live.skipIf(process.platform !== "linux")("gets only PATH from Sheaf's environment", () =>
    Effect.gen(function* () {
      const secret = Effect.sync(() => void (process.env["SECRET_KEY"] = "secret"))
      yield* Effect.acquireRelease(secret, () => Effect.sync(() => delete process.env["SECRET_KEY"]))
      const directory = usedDirectory()
      yield* start({ directory })
      const variables = fs
        .readFileSync(`/proc/${postmaster(directory)}/environ`, "latin1")
        .split("\0")
        .filter(Boolean)
      const names = variables.map((variable) => variable.split("=")[0]!).filter((name) => name !== "PWD")
      assert.deepStrictEqual(names.toSorted(), ["LC_ALL", "PATH"])
    })
  )

  test("gives Sheaf a role that owns its database and has no access to the machine", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const server = yield* start({ directory })
      assert.deepStrictEqual(
        yield* sql(server, "SELECT rolsuper, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"),
        [{ rolsuper: false, rolcreaterole: false, rolcreatedb: true }]
      )
      for (const statement of [
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('PG_VERSION')",
        "SET ROLE sheaf"
      ]) {
        assert.strictEqual((yield* Effect.flip(sql(server, statement)))._tag, "SqlError", statement)
      }
      assert.match(fs.readFileSync(access(directory), "utf8"), /^host all all all reject$/m)
    }))

  test("takes over objects that an earlier Sheaf created as the superuser, and rejects network connections", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* start({ directory })
          const statements = [
            "ALTER DATABASE sheaf OWNER TO sheaf",
            "ALTER TABLE notes OWNER TO sheaf",
            "CREATE TABLE counted (id int GENERATED ALWAYS AS IDENTITY)",
            "CREATE SEQUENCE numbers",
            "CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "DROP ROLE sheaf_app"
          ]
          for (const statement of statements) yield* asSuperuser(server, statement)
        })
      )
      fs.writeFileSync(access(directory), trusted)
      for (let time = 0; time < 2; time++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* start({ directory })
            yield* write(server, "after")
            yield* sql(server, "INSERT INTO counted DEFAULT VALUES")
            yield* sql(server, "SELECT nextval('numbers')")
            yield* sql(server, "CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 2'")
            yield* sql(server, "ALTER TABLE notes ADD COLUMN IF NOT EXISTS more text")
            assert.notMatch(fs.readFileSync(access(directory), "utf8"), /127\.0\.0\.1/)
          })
        )
      }
    }))

  test("maps the case of all scripts, and sorts by bytes", () =>
    Effect.gen(function* () {
      const server = yield* start({ directory: usedDirectory() })
      assert.deepStrictEqual(yield* sql(server, "SELECT lower('ÄΣЖ') AS lower, 'Z' < 'a' AS bytes"), [
        { lower: "äσж", bytes: true }
      ])
    }))

  test("does not share Sheaf's session, so Ctrl-C of a terminal does not reach it", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      yield* start({ directory })
      const session = (pid: number) => processes().find((process) => process.pid === pid)?.session
      assert.notStrictEqual(session(postmaster(directory)), session(process.pid))
    }))

  test("ends when its Sheaf is killed, and the next start has the data", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const first = yield* sheaf(directory)
      yield* write(yield* first.server, "second")
      const pid = postmaster(directory)
      yield* first.kill
      yield* eventually(() => !runs(pid))
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first", "second"])
    }))

  test("starts at once after its Sheaf was killed, while the old server is still stopping", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const first = yield* sheaf(directory)
      yield* write(yield* first.server, "second")
      yield* first.kill
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first", "second"])
    }))

  test("is restarted when it is killed", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const server = yield* start({ directory })
      yield* write(server, "second")
      for (let time = 0; time < 2; time++) {
        const pid = postmaster(directory)
        process.kill(pid, "SIGKILL")
        yield* eventually(() => !runs(pid))
        const rows = yield* read(server).pipe(Effect.retry(untilLate))
        assert.deepStrictEqual(rows, ["first", "second"])
        assert.notStrictEqual(postmaster(directory), pid)
      }
    }))

  test("starts after Sheaf and PostgreSQL were both killed", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const first = yield* sheaf(directory)
      yield* write(yield* first.server, "second")
      process.kill(postmaster(directory), "SIGKILL")
      yield* first.kill
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first", "second"])
    }))

  test("starts though the process id of a killed server now belongs to another program", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const first = yield* sheaf(directory)
      yield* first.server
      const pid = postmaster(directory)
      process.kill(pid, "SIGKILL")
      yield* first.kill
      yield* eventually(() => !runs(pid))
      for (const name of ["cluster/postmaster.pid", ".s.PGSQL.5432.lock"]) {
        const file = path.join(directory, name)
        fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(String(pid), String(process.pid)))
      }
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first"])
    }))

  test("refuses a second Sheaf, and lets a command use the server of the first", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const server = yield* start({ directory })
      const pid = postmaster(directory)
      const refused = `Another Sheaf is running on ${directory}: stop it first, or set another DATA_DIR`
      assert.strictEqual(yield* refusal({ directory }), refused)
      assert.deepStrictEqual(yield* Effect.scoped(start({ directory, command: true })), server)
      assert.deepStrictEqual(yield* read(server), ["first"])
      assert.strictEqual(postmaster(directory), pid)
    }))

  test("starts a server for a command when no Sheaf runs", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(yield* start({ directory: usedDirectory(), command: true })), ["first"])
    }))

  test("makes a Sheaf wait for the end of a command that runs its own server", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const own = yield* Scope.make()
      const server = yield* Scope.provide(start({ directory, command: true }), own)
      const pid = postmaster(directory)
      const waiting = yield* Effect.forkScoped(start({ directory }))
      const comers = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'sheaf comer'"
      // It has found the command's server, and retries.
      yield* sql(server, comers).pipe(Effect.repeat({ until: ([row]) => row !== undefined }))
      yield* Scope.close(own, Exit.void)
      assert.deepStrictEqual(yield* read(yield* Fiber.join(waiting)), ["first"])
      assert.notStrictEqual(postmaster(directory), pid)
    }))

  test("still refuses a second Sheaf after the server closed all connections", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const server = yield* start({ directory })
      const pid = postmaster(directory)
      const guard = "SELECT pid FROM pg_stat_activity WHERE application_name = 'sheaf guard'"
      const [before] = yield* sql(server, guard)
      process.kill(Number(before!["pid"]), "SIGKILL")
      yield* sql(server, guard).pipe(
        Effect.repeat({ until: ([row]) => row !== undefined && row["pid"] !== before!["pid"] }),
        Effect.retry(untilLate)
      )
      assert.match(yield* refusal({ directory }), /^Another Sheaf is running/)
      assert.strictEqual(postmaster(directory), pid)
    }))

  test("stops a server that has lost its Sheaf, and takes over the data", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      const first = yield* sheaf(directory)
      yield* write(yield* first.server, "second")
      const orphan = postmaster(directory)
      const wrapper = processes().find(({ pid }) => pid === orphan)!.parent
      const watchers = processes().filter(({ pid, parent }) => parent === wrapper && pid !== orphan)
      // A stopped Sheaf cannot react to the end of the wrapper by starting a new server.
      process.kill(first.pid, "SIGSTOP")
      for (const pid of [wrapper, ...watchers.map(({ pid }) => pid)]) process.kill(pid, "SIGKILL")
      yield* first.kill
      assert.isTrue(runs(orphan))
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first", "second"])
      assert.isFalse(runs(orphan))
    }))

  test("lets exactly one of several concurrent starts on an empty directory succeed", () =>
    Effect.gen(function* () {
      const directory = emptyDirectory()
      const exits = yield* Effect.all(
        Array.from({ length: 3 }, () => Effect.exit(start({ directory }))),
        { concurrency: 3 }
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      for (const exit of exits.filter(Exit.isFailure)) assert.match(String(exit.cause), /Another Sheaf is running/)
      assert.deepStrictEqual(
        fs.readdirSync(directory).filter((name) => name.startsWith("initdb-")),
        []
      )
    }))

  test("starts after a kill during the first start", () =>
    Effect.gen(function* () {
      const directory = emptyDirectory()
      const first = yield* sheaf(directory)
      const begun = () =>
        fs.existsSync(directory) && fs.readdirSync(directory).some((name) => name.startsWith("initdb-"))
      yield* eventually(begun)
      yield* first.kill
      assert.isFalse(fs.existsSync(path.join(directory, "cluster")))
      assert.deepStrictEqual(yield* sql(yield* start({ directory }), "SELECT 1 AS one"), [{ one: 1 }])
      assert.isFalse(begun())
    }))

  test("refuses the data of another major version", () =>
    Effect.gen(function* () {
      const directory = usedDirectory()
      fs.writeFileSync(path.join(directory, "cluster", "PG_VERSION"), "17\n")
      const message = yield* refusal({ directory })
      assert.include(message, `${directory}: its data are from PostgreSQL 17, and this Sheaf includes PostgreSQL 18`)
      assert.include(message, "sheaf migrate postgres --from PATH")
    }))

  test("reports in one line why it cannot start", () =>
    Effect.gen(function* () {
      const broken = usedDirectory()
      fs.writeFileSync(path.join(broken, "cluster", "postgresql.conf"), "nonsense = 1\n")
      assert.strictEqual(
        yield* refusal({ directory: broken }),
        `PostgreSQL cannot be started in ${broken}: configuration file "${path.join(
          broken,
          "cluster",
          "postgresql.conf"
        )}" contains errors`
      )
      const file = emptyDirectory()
      fs.writeFileSync(file, "")
      assert.match(
        yield* refusal({ directory: path.join(file, "postgres") }),
        /^PostgreSQL cannot be started in .*: a part of its path is not a directory[^\n]*$/
      )
    }))

  test("puts its socket elsewhere when the path is too long for one", () =>
    Effect.gen(function* () {
      const directory = path.join(emptyDirectory(), "d".repeat(100))
      fs.cpSync(template, directory, { recursive: true })
      const elsewhere = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* start({ directory })
          assert.deepStrictEqual(yield* read(server), ["first"])
          assert.match(yield* refusal({ directory }), /^Another Sheaf is running/)
          return server.socketDirectory
        })
      )
      assert.notStrictEqual(elsewhere, directory)
      assert.isFalse(fs.existsSync(elsewhere))
    }))

  test("starts in a directory with any characters in its name", () =>
    Effect.gen(function* () {
      const directory = path.join(emptyDirectory(), `a "b", c's`)
      fs.cpSync(template, directory, { recursive: true })
      assert.deepStrictEqual(yield* read(yield* start({ directory })), ["first"])
    }))
})

it("a large log is moved aside while the program writes to it, and a small one stays", () => {
  const directory = emptyDirectory()
  fs.mkdirSync(directory)
  const log = path.join(directory, "postgres.log")
  assert.isFalse(rotate(log))
  const file = fs.openSync(log, "a")
  try {
    fs.writeSync(file, "x".repeat(1024))
    assert.isFalse(rotate(log))
    const large = "y".repeat(10 * 1024 * 1024)
    for (const _ of [1, 2]) {
      fs.writeSync(file, large)
      assert.isTrue(rotate(log))
      fs.writeSync(file, "further lines")
      assert.strictEqual(fs.readFileSync(log, "utf8"), "further lines")
      assert.isAbove(fs.statSync(`${log}.1`).size, large.length)
    }
    assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), ["postgres.log", "postgres.log.1"])
  } finally {
    fs.closeSync(file)
  }
})
