import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Fiber } from "effect"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { applyPatches, patchesOf } from "../../scripts/patches.mjs"
import { isSlow } from "../support/Slow.ts"

const root = join(import.meta.dirname, "../..")
/** A Sheaf whose driver is a copy; all other packages are the installed ones. */
const place = mkdtempSync(join(tmpdir(), "sheaf-patches-"))
const driver = join("node_modules", "@effect", "sql-pg")
const file = join(driver, "dist", "PgConnection.js")
const patched = readFileSync(join(root, file), "utf8")
/** The published file, without the patch. */
let published: string

/** The diff that reverts a diff. */
const reversed = (diff: string): string =>
  diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("--- a/") || line.startsWith("+++ b/")) return line
      if (line.startsWith("@@")) return line.replace(/^@@ -(\S+) \+(\S+) @@/, "@@ -$2 +$1 @@")
      return line.replace(/^[+-]/, (sign) => (sign === "+" ? "-" : "+"))
    })
    .join("\n")

const modules = "node_modules"
const scope = join(modules, "@effect")

beforeAll(() => {
  for (const name of [
    "src",
    "services",
    "scripts",
    "patches",
    "docs",
    "LICENSE",
    "package.json",
    "package-lock.json"
  ]) {
    cpSync(join(root, name), join(place, name), { recursive: true })
  }
  mkdirSync(join(place, scope), { recursive: true })
  // Files that begin with a dot describe the real installation.
  const linked = [
    ...readdirSync(join(root, modules))
      .filter((name) => name !== "@effect" && !name.startsWith("."))
      .map((name) => join(modules, name)),
    ...readdirSync(join(root, scope))
      .filter((name) => name !== "sql-pg")
      .map((name) => join(scope, name))
  ]
  for (const name of linked) symlinkSync(join(root, name), join(place, name))
  cpSync(join(root, driver), join(place, driver), { recursive: true })
  const [patch] = patchesOf(place).map((name) => join(place, name))
  const diff = readFileSync(patch!, "utf8")
  writeFileSync(patch!, reversed(diff))
  applyPatches(place)
  writeFileSync(patch!, diff)
  published = readFileSync(join(place, file), "utf8")
})

beforeEach(() => writeFileSync(join(place, file), published))

afterAll(() => rmSync(place, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, args, {
    cwd: place,
    env: { PATH: process.env["PATH"]!, DATA_DIR: join(place, "data"), PORT: "0" }
  }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, stderr })
  )

describe("the patch of the driver", () => {
  it("is applied by an installation, and left unchanged by the next", async () => {
    for (let time = 0; time < 2; time++) {
      expect(await run("scripts/setup.mjs", "--installed")).toEqual({ code: 0, stderr: "" })
      expect(readFileSync(join(place, file), "utf8")).toBe(patched)
    }
  })

  it("is required by builds and starts, which fail with one line that names the remedy", async () => {
    const build = await run("scripts/build.ts", "--force")
    expect(build.code).toBe(1)
    expect(build.stderr).toMatch(
      /^Building [^\n]+\n\S+PgConnection\.js is not patched: run node scripts\/setup\.mjs\n$/
    )

    const start = await run("src/main.ts")
    expect(start.code).toBe(1)
    expect(start.stderr).toMatch(/^sheaf: @effect\/sql-pg is not patched: run node scripts\/setup\.mjs\n$/)
  })

  // Each run of the tests builds with the patched driver.
  it.runIf(isSlow)("allows a build", async () => {
    applyPatches(place)
    expect(await run("scripts/build.ts", "--force")).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^Building [^\n]+\n$/)
    })
  })

  it("is refused for another version or content of the driver", async () => {
    const other = published.replace("this.pipelineHead++;", "this.pipelineHead += 1;")
    writeFileSync(join(place, file), other)
    expect(() => applyPatches(place)).toThrow(/^node_modules\S+ is not the file that patches\S+ changes: run npm ci$/)
    expect(readFileSync(join(place, file), "utf8")).toBe(other)

    const manifest = join(place, driver, "package.json")
    const written = readFileSync(manifest, "utf8")
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(written), version: "4.0.6" }))
    expect(() => applyPatches(place)).toThrow(/^patches\S+ is not for the installed @effect\/sql-pg 4\.0\.6$/)
    writeFileSync(manifest, written)
  })
})

describe("a connection that reads share", () => {
  type Driver = typeof PgConnection

  const load = async (text: string): Promise<Driver> => {
    // A module is loaded once, so each text is a separate file.
    const name = join(place, driver, "dist", `PgConnection-${text === patched ? "patched" : "published"}.js`)
    writeFileSync(name, text)
    return import(pathToFileURL(name).href)
  }

  const connect = (from: Driver, multiplex: boolean) => {
    const { port, socketDirectory, username } = inject("postgres")
    return from.make({ host: socketDirectory, port, username, database: "postgres", multiplex })
  }

  const reads = 1000

  /** The maximum number of queries that a connection holds while each query is sent before the result of the previous one. */
  const maxHeld = (from: Driver) =>
    Effect.gen(function* () {
      const reader = yield* connect(from, true)
      const keeper = yield* connect(from, false)
      const held = reader as unknown as { readonly pipelineInFlight: ReadonlyArray<unknown> }
      let most = 0
      // A query returns once its lock is free.
      const send = (lock: number) =>
        Effect.andThen(
          keeper.query("SELECT pg_advisory_lock($1)", [lock]),
          Effect.forkChild(reader.query("SELECT pg_advisory_xact_lock($1)", [lock]), { startImmediately: true })
        )
      const free = (lock: number) => keeper.query("SELECT pg_advisory_unlock($1)", [lock])
      let ahead = yield* send(0)
      for (let lock = 1; lock <= reads; lock++) {
        const next = yield* send(lock)
        yield* free(lock - 1)
        yield* Fiber.join(ahead)
        most = Math.max(most, held.pipelineInFlight.length)
        ahead = next
      }
      yield* free(reads)
      yield* Fiber.join(ahead)
      return most
    }).pipe(Effect.scoped, Effect.runPromise)

  it("keeps every query until none is pending, without the patch", async () => {
    expect(await maxHeld(await load(published))).toBeGreaterThan(reads)
  })

  it("keeps no completed query, with the patch", async () => {
    expect(await maxHeld(await load(patched))).toBeLessThanOrEqual(2)
  })

  it("returns to each of thousands of overlapping queries its own rows, even if some fail", async () => {
    const from = await load(patched)
    const answers = await Effect.gen(function* () {
      const connection = yield* connect(from, true)
      const ask = (number: number) =>
        Effect.exit(connection.query("SELECT $1::int AS number, 1 / ($1::int % 10) AS fails", [number]))
      const found = yield* Effect.forEach(
        Array.from({ length: 5000 }, (_, number) => number),
        ask,
        { concurrency: 200 }
      )
      const held = connection as unknown as { readonly pipelineInFlight: ReadonlyArray<unknown> }
      expect(held.pipelineInFlight).toEqual([])
      return found
    }).pipe(Effect.scoped, Effect.runPromise)
    const numbers = answers.map((exit) => (Exit.isSuccess(exit) ? exit.value.rows[0]!["number"] : "failed"))
    expect(numbers).toEqual(answers.map((_, number) => (number % 10 === 0 ? "failed" : number)))
  })
})
