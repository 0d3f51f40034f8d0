import { Effect, Exit, Redacted, Scope } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { getPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { systemRandomness } from "../../services/Randomness.ts"
import * as Tokens from "../../services/Tokens.ts"
import { done, refused, sheaf as command } from "../support/servers/Command.ts"
import { freePort } from "../support/servers/freePort.ts"
import {
  connectTo,
  currentDatabase,
  databaseUrl,
  dropDatabase,
  emptyDatabase,
  sqlOn,
  superuser
} from "../support/servers/Databases.ts"
import { eventually } from "../support/flows/eventually.ts"
import { inconsistencies } from "../support/flows/Ledger.ts"
import { endPrograms, normalLog, Program, setupMessage, sheaf, sqlOf } from "../support/servers/Program.ts"
import type { StreamEvent } from "../support/EventStream.ts"
import { sampled } from "../support/Slow.ts"
import { call, openStream } from "../support/flows/Wire.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-start-"))
let number = 0
const emptyDir = () => join(place, String(++number))

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

describe("a first start", () => {
  const dataDir = emptyDir()
  let program: Program
  let port: string
  let early: Response
  beforeAll(async () => {
    port = String(await freePort())
    program = new Program({ DATA_DIR: dataDir, PORT: port })
    early = await eventually("Sheaf listens", () =>
      fetch(`http://127.0.0.1:${port}/v2/notes`, { signal: AbortSignal.timeout(60_000) }).catch((error: Error) => {
        if (error.name === "TimeoutError") throw error
        return undefined
      })
    )
    await program.url()
  })

  it("refuses requests until it is ready", async () => {
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"])
    expect(await early.json()).toMatchObject({ code: "service_unavailable", detail: "The server is starting" })
  })

  it("writes a valid key to a file that only its owner can read, and does not print it", async () => {
    const file = join(dataDir, "bootstrap.json")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    const { api_key, user_id, workspace_id } = JSON.parse(readFileSync(file, "utf8"))
    expect(program.output).toBe("")
    expect(program.log).toMatchObject([
      { message: setupMessage },
      { message: "started", annotations: { url: `http://127.0.0.1:${port}/v2`, key_file: file } }
    ])
    expect(program.errors).not.toContain(api_key)
    const server = await program.server()
    expect(server.url).toBe(`http://127.0.0.1:${port}/v2`)
    const { body, status } = await call(server, "GET", "/notebooks")
    expect({ status, names: body.data.map((notebook: any) => notebook.name) }).toEqual({
      status: 200,
      names: ["Inbox"]
    })
    const sql = sqlOf(dataDir)
    expect(await sql("SELECT workspace_id AS id, name, plan FROM workspaces")).toEqual([
      { id: workspace_id, name: "Personal", plan: "team" }
    ])
    expect(await sql("SELECT user_id, role FROM members")).toEqual([{ user_id, role: "owner" }])
    expect(statSync(join(dataDir, "secret.key")).mode & 0o777).toBe(0o600)
  })

  it.runIf(process.platform === "linux")("gives its main thread a higher priority than its workers", async () => {
    const { pid } = program.child
    expect((await call(await program.server(), "POST", "/search", { query: "any" })).status).toBe(201)
    const lower = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)) - getPriority(pid))
    // The search worker.
    expect(lower).toContain(10)
  })

  it("makes a second Sheaf on its DATA_DIR fail with one line, and continues", async () => {
    const second = new Program({ DATA_DIR: dataDir, PORT: "0" })
    expect(await second.ended).toBe(1)
    expect(second.errors).toMatch(/^sheaf: Another Sheaf is running on \S+: [^\n]*DATA_DIR[^\n]*\n$/)
    expect(second.output).toBe("")
    expect((await call(await program.server(), "GET", "/notebooks")).status).toBe(200)
  })

  it("makes a second Sheaf on its port fail with one line that names the port", async () => {
    const second = new Program({ DATA_DIR: emptyDir(), PORT: port })
    expect(await second.ended).toBe(1)
    expect(second.errors).toMatch(new RegExp(`^sheaf: [^\\n]*${port}[^\\n]*\\n$`))
    expect(existsSync(join(second.dataDir, "bootstrap.json"))).toBe(false)
  })
})

describe("the link for the first account", () => {
  const linkOf = ({ log }: Program): string | undefined =>
    log.find(({ message }) => message === setupMessage)?.annotations.link
  const submit = (link: string, email: string) =>
    fetch(link, { method: "POST", body: new URLSearchParams({ email, password: "correct horse battery" }) })
  const start = async (env: { readonly DATA_DIR: string } & Readonly<Record<string, string>>) => {
    const program = new Program({ PORT: "0", ...env })
    const url = await program.url()
    return { program, url, link: linkOf(program) }
  }

  it("is another one at each start, until an account has a password; the log has no request with it", async () => {
    const env = { DATA_DIR: await usedDataDir(emptyDir()), LOG_LEVEL: "trace" }
    const first = await start(env)
    expect(first.link).toMatch(new RegExp(`^${new URL(first.url).origin}/setup\\?token=sfs_\\w{36}$`))
    expect((await fetch(first.link!)).status).toBe(200)
    const hashes = await sqlOf(env.DATA_DIR)("SELECT hash FROM setup_links")
    expect(JSON.stringify(hashes)).not.toContain(first.link!.slice(-36))
    expect(await first.program.kill("SIGKILL")).toBe("SIGKILL")
    const second = await start(env)
    expect(new URL(second.link!).search).not.toBe(new URL(first.link!).search)
    const done = await submit(second.link!, "anna@sheaf.test")
    expect(done.status).toBe(200)
    const key = /sfk_\w{36}/.exec(await done.text())![0]
    expect((await call({ url: second.url, key }, "GET", "/me")).body.email).toBe("anna@sheaf.test")
    // The key in bootstrap.json is that of the same user.
    expect((await call(await second.program.server(), "GET", "/me")).body.email).toBe("anna@sheaf.test")
    for (const { search } of [new URL(first.link!), new URL(second.link!)])
      expect((await fetch(new URL(`/setup${search}`, second.url))).status).toBe(404)
    expect(second.program.errors).toContain('"route":"/setup"')
    expect(second.program.errors.match(/sfs_\w+/g)).toEqual([new URL(second.link!).searchParams.get("token")])
    expect(second.program.errors).not.toContain(key)
    const started = ({ log }: Program) => log.find(({ message }) => message === "started")?.annotations
    expect(started(second.program)).toMatchObject({ url: second.url, key_file: join(env.DATA_DIR, "bootstrap.json") })
    const own = { url: second.url, key }
    const firstKey = (await call(own, "GET", "/api-keys")).body.data.find(({ name }: any) => name === "Bootstrap key")
    expect((await call(own, "DELETE", `/api-keys/${firstKey.id}`)).status).toBe(200)
    expect(await second.program.kill("SIGTERM")).toBe(0)
    const third = await start(env)
    expect(third.link).toBeUndefined()
    // The key in the file is no longer valid.
    expect(started(third.program)).toEqual({ url: third.url, version: expect.any(String) })
    expect(await third.program.kill("SIGTERM")).toBe(0)
  })

  it("is printed at any log level, and not if the operator configures the first user", async () => {
    const dataDir = await usedDataDir(emptyDir())
    const program = new Program({ PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "error" })
    await eventually("the link is printed", () => program.errors.endsWith("\n") && linkOf(program))
    expect(await program.kill("SIGTERM")).toBe(0)
    const variables = [
      ["BOOTSTRAP_EMAIL", "anna@sheaf.test"],
      ["BOOTSTRAP_PASSWORD", "correct horse battery"],
      ["BOOTSTRAP_API_KEY", Redacted.value(Tokens.make(systemRandomness, "sfk"))]
    ] as const
    for (const [name, value] of sampled(variables, 1)) {
      const configured = await start({ DATA_DIR: dataDir, [name]: value })
      expect(configured.link).toBeUndefined()
      expect(await configured.program.kill("SIGTERM")).toBe(0)
    }
  })
})

/** Starts and stops Sheaf once on a DATA_DIR. */
const startOnce = async (dataDir: string) => {
  const program = new Program({ DATA_DIR: dataDir, PORT: "0" })
  await program.url()
  expect(await program.kill("SIGTERM")).toBe(0)
}

describe("an unusable DATA_DIR makes the start fail with one line", () => {
  const file = join(place, "a-file")
  beforeAll(() => writeFileSync(file, ""))
  it.concurrent.each(
    sampled(["/proc/nope", "/proc/nope/deeper", "/dev/null", join(file, "data"), file, "/dev/null/data"], 2)
  )("%s", async (dataDir) => {
    const program = new Program({ DATA_DIR: dataDir, PORT: "0" })
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(/^sheaf: DATA_DIR cannot be used: [^\n]+\n$/)
  })

  it.concurrent.each(sampled(["secret.key", "bootstrap.json"], 1))("with a directory in place of %s", async (name) => {
    const program = new Program({ DATA_DIR: emptyDir(), PORT: "0" }, false, [
      "sh",
      "-c",
      `mkdir -p "$DATA_DIR/${name}" && exec ${sheaf.join(" ")}`
    ])
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(/^(\{[^\n]*\n)?sheaf: DATA_DIR cannot be used: [^\n]*it is a directory\n$/)
  })

  const tmpfs = (options: string, then: string) => [
    "unshare",
    "--mount",
    "sh",
    "-c",
    `mkdir -p "$DATA_DIR" && mount -t tmpfs -o ${options} tmpfs "$DATA_DIR" && ${then} && exec ${sheaf.join(" ")}`
  ]
  const isMountable = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", place]).status === 0
  const isRoot = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0
  const cases: ReadonlyArray<readonly [name: string, runs: boolean, command: ReadonlyArray<string>, reason: string]> = [
    ["on a read-only file system", isMountable, tmpfs("ro", "true"), "its file system is read-only"],
    [
      "on a full file system",
      isMountable,
      tmpfs("size=4k", 'head -c 4096 /dev/zero > "$DATA_DIR/fill"'),
      "its file system is full"
    ],
    [
      "of another user",
      isRoot,
      ["sh", "-c", `mkdir -pm 755 "$DATA_DIR" && exec setpriv --reuid 65534 --clear-groups ${sheaf.join(" ")}`],
      "this user may not read and write it"
    ]
  ]
  it.concurrent.for(cases)("%s", async ([, runs, command, reason], { skip }) => {
    if (!runs) return skip("this user may not mount file systems, or not become another user")
    const program = new Program({ DATA_DIR: emptyDir(), PORT: "0" }, false, command)
    expect(await program.ended).toBe(1)
    // A full disk is also logged first, as at run time.
    expect(program.errors.replace(/^\{"message":"The disk is full[^\n]*\n/, "")).toMatch(
      new RegExp(`^sheaf: DATA_DIR cannot be used: [^\\n]*${reason}\\n$`)
    )
  })
})

describe("an incompatible database makes the start fail with one line, and is not changed", () => {
  it("when its secret.key is missing: the line names the consequences and the remedy", async () => {
    const dataDir = await usedDataDir(emptyDir())
    const key = join(dataDir, "secret.key")
    const kept = readFileSync(key)
    rmSync(key)
    const program = new Program({ DATA_DIR: dataDir, PORT: "0" })
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(
      /^sheaf: \S+secret\.key is missing[^\n]*SECRET_KEY[^\n]*openssl rand -base64 32 > [^\n]*secret-key accept\n$/
    )
    expect(existsSync(key)).toBe(false)
    writeFileSync(key, kept, { mode: 0o600 })
    await startOnce(dataDir)
    // The key is replaced, as the line suggests.
    writeFileSync(key, `${randomBytes(32).toString("base64")}\n`)
    const other = new Program({ DATA_DIR: dataDir, PORT: "0" })
    expect(await other.ended).toBe(1)
    expect(other.errors).toMatch(/^sheaf: \S+secret\.key is not the key [^\n]*secret-key accept\n$/)
    const env = { DATA_DIR: dataDir }
    expect(await command(env, "secret-key accept")).toEqual(
      refused(/The old secret key will be given up: 0 webhook secrets [^\n]*--yes/)
    )
    expect(await done(env, "secret-key accept --yes")).toEqual({ webhook_secrets: 0, share_links: 0, waiting_mails: 0 })
    await startOnce(dataDir)
    expect(await command(env, "secret-key accept --yes")).toEqual(refused(/No key is lost: /))
  })
})

it("a start at all addresses without PUBLIC_URL prints an address that works here, and warns in one line", async () => {
  const program = new Program({ DATA_DIR: await usedDataDir(emptyDir()), PORT: "0", HOST: "0.0.0.0" })
  const url = await program.url()
  expect(await program.kill("SIGTERM")).toBe(0)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v2$/)
  expect(program.log.filter(({ message }) => message.includes("PUBLIC_URL"))).toMatchObject([
    { message: expect.stringContaining(url.replace("/v2", "")) }
  ])
})

it("a second signal ends SHUTDOWN_DELAY, in which requests are served and /readyz is 503", async () => {
  // No warning at all addresses, because PUBLIC_URL is set.
  const port = String(await freePort())
  const program = new Program({
    DATA_DIR: await usedDataDir(emptyDir()),
    PORT: port,
    HOST: "0.0.0.0",
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SHUTDOWN_DELAY: "3600"
  })
  const server = await program.server()
  program.child.kill("SIGTERM")
  const readyz = await eventually("the server is not ready", async () => {
    const response = await fetch(new URL("/readyz", server.url))
    return response.status === 503 && response
  })
  expect(await readyz.text()).toBe("draining\n")
  const { headers, status } = await call(server, "POST", "/tags", { name: "still-served" })
  expect([status, headers.get("connection")]).toEqual([201, "close"])
  expect(await program.kill("SIGINT")).toBe(0)
  // A request with a 503, such as that to /readyz, is logged, too.
  expect(program.log.map(({ message }) => message).filter((message) => message !== "request")).toEqual([
    ...normalLog.slice(0, 2),
    "stopping in 3600 s, or at a second signal: /readyz returns 503, all other requests are served",
    ...normalLog.slice(2)
  ])
})

const hasScript = (() => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux")
  } catch {
    return false
  }
})()

it.skipIf(!hasScript)("a first start on a terminal shows the key, and the next one does not", async () => {
  const dataDir = emptyDir()
  const show = async () => {
    const program = new Program({ DATA_DIR: dataDir, PORT: "0", TERM: "xterm" }, true)
    const { key } = await program.url().then(() => program.server())
    expect(await program.killOnTerminal("SIGTERM")).toBe(0)
    return { key, output: program.output }
  }
  const first = await show()
  expect(first.output).toContain(`shown only once, is ${first.key}`)
  expect(first.output).toMatch(/\n  create your account within an hour: http:\S+\/setup\?token=sfs_\w{36}\r?\n/)
  const next = await show()
  expect(next.key).toBe(first.key)
  expect(next.output).not.toContain(first.key)
})

describe("an invalid setting makes the start fail with one line that names it", () => {
  const url = "postgres://sheaf@localhost/x"
  const wrong: ReadonlyArray<readonly [name: string, env: Readonly<Record<string, string>>]> = [
    ["SECRET_KEY", { SECRET_KEY: "c2hvcnQ=" }],
    ["PORT", { PORT: "abc" }],
    ["SECRET_KEY", { DATABASE_URL: url }],
    ["HOST", { HOST: "300.1.1.1" }],
    ["REDIS_URL", { REDIS_URL: "redis://user:a%zz@localhost" }]
  ]
  it.concurrent.each(sampled(wrong, 2))("%s of %j", async (name, env) => {
    const program = new Program({ DATA_DIR: emptyDir(), ...env })
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(new RegExp(`^sheaf: ${name} [^\\n]+\\n$`))
    expect(program.output).toBe("")
    expect(program.errors).not.toContain("c2hvcnQ=")
    expect(existsSync(program.dataDir)).toBe(false)
  })

  it.concurrent("a database server that does not exist", async () => {
    const program = new Program({
      DATA_DIR: emptyDir(),
      PORT: "0",
      SECRET_KEY: "A".repeat(43),
      DATABASE_URL: `postgres://sheaf@127.0.0.1:${await freePort()}/x`
    })
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(/^sheaf: [^\n]*DATABASE_URL[^\n]*\n$/)
  })
})

/** Starts Sheaf on a database of the test run. */
const startOn = (database: string, more: Readonly<Record<string, string>> = {}, role?: string) =>
  new Program({
    DATA_DIR: emptyDir(),
    PORT: "0",
    SECRET_KEY: "A".repeat(43),
    DATABASE_URL: databaseUrl(database, role),
    ...more
  })

describe("an unusable DATABASE_URL makes the start fail with one line", () => {
  const role = `weak_${randomBytes(6).toString("hex")}`
  beforeAll(() => sqlOn("postgres", `CREATE ROLE ${role} LOGIN`, superuser))
  afterAll(() => sqlOn("postgres", `DROP ROLE ${role}`, superuser))

  const cannot = /^sheaf: The database of DATABASE_URL cannot be used: [^\n]*/
  it.each([
    [
      "when it contains a table of another program",
      "",
      () => "CREATE TABLE notes (a int)",
      undefined,
      /^sheaf: [^\n]*"notes" already exists: it must be empty before the first start\n$/
    ],
    [
      "when its role may not create tables",
      "",
      () => "SELECT",
      role,
      new RegExp(`${cannot.source}may not create tables[^\\n]*\\n$`)
    ],
    [
      "when its encoding is not UTF8",
      "ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0",
      () => "SELECT",
      undefined,
      new RegExp(`${cannot.source}encoding LATIN1: Sheaf needs UTF8[^\\n]*\\n$`)
    ],
    [
      "when it is read-only",
      "",
      (name: string) => `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      undefined,
      new RegExp(`${cannot.source}read-only[^\\n]*\\n$`)
    ],
    [
      "when a newer version has migrated it",
      "TEMPLATE sheaf_template",
      () => "INSERT INTO migrations (migration_id, name) VALUES (9999, 'of a later version')",
      undefined,
      /^sheaf: [^\n]*newer version of Sheaf[^\n]*\n$/
    ]
  ])("%s", async (_, options, statement, user, line) => {
    const database = await emptyDatabase(options)
    await sqlOn(database, statement(database))
    const program = startOn(database, {}, user)
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(line)
    await dropDatabase(database)
  })
})

describe("two processes that start at the same time on an empty database", () => {
  let database: string
  beforeEach(async () => {
    database = await emptyDatabase()
  })
  afterEach(async () => {
    await endPrograms()
    await dropDatabase(database)
  })
  const run = (text: string) => sqlOn(database, text)

  it("with different secret keys: no job starts before the migrations, one process serves, and the other fails", async () => {
    const [lock, presence] = [0x5e4f_0001, 0x5e4f_0002]
    const locks = (condition: string) =>
      run(
        `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE d.datname = current_database() AND l.locktype = 'advisory' AND ${condition}`
      )
    const scope = Effect.runSync(Scope.make())
    await connectTo(database).pipe(
      Effect.tap((connection) => connection.query(`SELECT pg_advisory_lock(${lock}::bigint)`)),
      Scope.provide(scope),
      Effect.runPromise
    )
    const programs = [1, 2].map(() => startOn(database, { SECRET_KEY: randomBytes(32).toString("base64") }))
    await eventually(
      "both processes wait to migrate",
      async () => (await locks(`objid = ${lock} AND objsubid = 1 AND NOT granted`)).length === 2
    )
    expect(await locks(`classid = ${presence} AND objsubid = 2`)).toEqual([])
    await Effect.runPromise(Scope.close(scope, Exit.void))
    const refused = await Promise.race(programs.map((program) => program.ended.then(() => program)))
    expect(refused.errors).toMatch(/^sheaf: SECRET_KEY is not the key [^\n]*secret-key accept\n$/)
    const serving = programs.find((program) => program !== refused)!
    await serving.url()
    expect(await serving.kill("SIGTERM")).toBe(0)
  })

  it("share one bootstrap key, and each streams the writes of the other", async () => {
    const programs = [startOn(database), startOn(database)]
    const urls = await Promise.all(programs.map((program) => program.url()))
    const links = programs.flatMap(({ log }) => log.flatMap(({ annotations }) => annotations?.link ?? []))
    expect(await Promise.all(links.map(async (link) => (await fetch(link)).status))).toEqual([200, 200])
    const first = programs.filter((program) => existsSync(join(program.dataDir, "bootstrap.json")))
    expect(first).toHaveLength(1)
    expect(
      await run(
        "SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM workspaces) AS workspaces, (SELECT count(*)::int FROM api_keys) AS keys, (SELECT count(*)::int FROM notebooks) AS notebooks"
      )
    ).toEqual([{ users: 1, workspaces: 1, keys: 1, notebooks: 1 }])
    const { key } = await first[0]!.server()
    const [a, b] = urls.map((url) => ({ url, key })) as [{ url: string; key: string }, { url: string; key: string }]
    const notebook = (await call(a, "GET", "/notebooks")).body.data[0].id

    const events: Array<StreamEvent> = []
    const stream = await openStream(a, undefined, (event) => events.push(event))
    for (let index = 0; index < 10; index++) {
      const { body } = await call(b, "POST", "/notes", { notebook_id: notebook, title: `of b ${index}` })
      expect((await call(a, "GET", `/notes/${body.id}`)).body).toEqual(body)
      await eventually("a streams the write of b", () => events.find(({ data }) => data.id === body.id))
    }

    // Both processes write at the same time, also to the same notes.
    const ids = events.filter(({ event }) => event === "change").map(({ data }) => data.id)
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { status } = await call(index % 2 === 0 ? a : b, "PATCH", `/notes/${ids[index % ids.length]}`, {
          title: `t ${index}`
        })
        expect(status).toBe(200)
      })
    )
    await eventually(
      "the listener received all writes",
      () => events.filter(({ event }) => event === "change").length === 70
    )
    expect(events.filter(({ event }) => event === "change").map(({ data }) => `${data.id} ${data.revision}`)).toEqual(
      (await run("SELECT resource_id, version FROM changes WHERE resource = 'note' ORDER BY seq")).map(
        (row) => `${row.resource_id} ${row.version}`
      )
    )
    expect(await inconsistencies(run)).toEqual([])
    const codes = await Promise.all(programs.map((program) => program.kill("SIGTERM")))
    expect(codes).toEqual([0, 0])
    expect(events.at(-1)).toMatchObject({ event: "bye", data: { reason: "shutdown" } })
    await stream.ended
  })
})

it("a node whose clock differs from the database's is refused, with one line", async () => {
  const database = await currentDatabase()
  const shifted = (seconds: number) =>
    startOn(database, {
      NODE_OPTIONS: `--import data:text/javascript,const{now}=Date;Date.now=()=>now()+${seconds * 1000}`
    })
  for (const [seconds, line] of [
    [600, /^sheaf: The clock of this machine is 600 s ahead of the database's clock: set [^\n]*\n$/],
    [-90, /is 90 s behind the database's clock/]
  ] as const) {
    const program = shifted(seconds)
    expect(await program.ended).toBe(1)
    expect(program.errors).toMatch(line)
  }
  const near = shifted(3)
  await near.url()
  expect(await near.kill("SIGTERM")).toBe(0)
  await dropDatabase(database)
})
