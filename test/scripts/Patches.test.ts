import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type * as PgProtocol from "@effect/sql-pg/PgProtocol"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Exit, Fiber, Result } from "effect"
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest"
import { applyPatches, patchesOf } from "../../scripts/patches.mjs"

const root = join(import.meta.dirname, "../..")
/** A Sheaf whose driver is a copy; all other packages are the installed ones. */
const place = mkdtempSync(join(tmpdir(), "sheaf-patches-"))
const driver = join("node_modules", "@effect", "sql-pg")
const file = join(driver, "dist", "PgConnection.js")
const files = [file, join(driver, "dist", "PgProtocol.js")]
const mended = readFileSync(join(root, file), "utf8")
/** The files as they were published. */
const published = new Map<string, string>()

/** The way back. */
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
  for (const name of ["src", "services", "scripts", "patches", "docs", "package.json", "package-lock.json"]) {
    cpSync(join(root, name), join(place, name), { recursive: true })
  }
  mkdirSync(join(place, scope), { recursive: true })
  // What begins with a dot says what is installed, of the real ones.
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
  for (const name of files) published.set(name, readFileSync(join(place, name), "utf8"))
})

beforeEach(() => published.forEach((text, name) => writeFileSync(join(place, name), text)))

afterAll(() => rmSync(place, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, args, {
    cwd: place,
    env: { PATH: process.env["PATH"]!, DATA_DIR: join(place, "data"), PORT: "0" }
  }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { readonly code: number; readonly stderr: string }) => ({ code, stderr })
  )

describe("the driver is mended", () => {
  it("by an installation, and left as it is by the next", async () => {
    for (let time = 0; time < 2; time++) {
      expect(await run("scripts/setup.mjs", "--installed")).toEqual({ code: 0, stderr: "" })
      for (const name of files) {
        const text = readFileSync(join(place, name), "utf8")
        expect(text).toBe(readFileSync(join(root, name), "utf8"))
        expect(text).not.toBe(published.get(name))
      }
    }
  })

  it("or else neither built nor started: one line says what to do", async () => {
    const build = await run("scripts/build.ts", "--force")
    expect(build.code).toBe(1)
    expect(build.stderr).toMatch(/^\S+PgConnection\.js is not mended: run node scripts\/setup\.mjs\n$/)

    const start = await run("src/main.ts")
    expect(start.code).toBe(1)
    expect(start.stderr).toMatch(/^sheaf: @effect\/sql-pg is not mended by patches\/: run node scripts\/setup\.mjs\n$/)

    applyPatches(place)
    expect(await run("scripts/build.ts", "--force")).toEqual({ code: 0, stderr: "" })
  })

  it("only where it is what the patch is about", async () => {
    const other = published.get(file)!.replace("this.pipelineHead++;", "this.pipelineHead += 1;")
    writeFileSync(join(place, file), other)
    expect(() => applyPatches(place)).toThrow(/^node_modules\S+ is not what patches\S+ is about: run npm ci$/)
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
    // A module is read once: each text is a file of its own.
    const name = join(place, driver, "dist", `PgConnection-${text === mended ? "mended" : "published"}.js`)
    writeFileSync(name, text)
    return import(pathToFileURL(name).href)
  }

  const connect = (from: Driver, multiplex: boolean) => {
    const { port, socketDirectory, username } = inject("postgres")
    return from.make({ host: socketDirectory, port, username, database: "postgres", multiplex })
  }

  const reads = 1000

  /** How many queries a connection holds at most while each is sent before the one ahead of it is answered. */
  const mostHeld = (from: Driver) =>
    Effect.gen(function* () {
      const reader = yield* connect(from, true)
      const keeper = yield* connect(from, false)
      const held = reader as unknown as { readonly pipelineInFlight: ReadonlyArray<unknown> }
      let most = 0
      // A query is answered once its lock is free.
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

  it("keeps every query, as the driver was published, until there is none to answer", async () => {
    expect(await mostHeld(await load(published.get(file)!))).toBeGreaterThan(reads)
  })

  it("holds none, as the driver is mended, that is answered", async () => {
    expect(await mostHeld(await load(mended))).toBeLessThanOrEqual(2)
  })

  it("answers thousands that overlap each with its own rows, whichever of them fail", async () => {
    const from = await load(mended)
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

describe("a large statement", () => {
  /** Bytes for which room was made meanwhile. */
  const roomOf = async (work: () => Promise<unknown>): Promise<number> => {
    let bytes = 0
    const Real = globalThis.Uint8Array
    const counting = new Proxy(Real, {
      construct: (target, given, made) => {
        if (typeof given[0] === "number") bytes += given[0]
        return Reflect.construct(target, given, made) as object
      }
    })
    const spies = [vi.spyOn(Buffer, "allocUnsafe"), vi.spyOn(Buffer, "allocUnsafeSlow")]
    globalThis.Uint8Array = counting
    try {
      await work()
    } finally {
      globalThis.Uint8Array = Real
      for (const spy of spies) {
        for (const [size] of spy.mock.calls) bytes += size
        spy.mockRestore()
      }
    }
    return bytes
  }

  const texts = Array.from({ length: 6 }, (_, number) => String(number).repeat(500_000))

  const roomIn = (name: string, text: string) => {
    const other = join(place, driver, "dist", `PgProtocol-${name}.js`)
    writeFileSync(other, text)
    return roomOf(async () => {
      const { makeBindEncoder }: typeof PgProtocol = await import(pathToFileURL(other).href)
      const encoded = makeBindEncoder(
        PgTypes.writeParameter,
        PgTypes.isTextFormat
      )({
        portal: "",
        statement: "",
        parameters: [Result.getOrThrow(PgTypes.array(texts, PgTypes.OID.text))]
      })
      expect(Result.getOrThrow(encoded).length).toBeGreaterThan(3_000_000)
    })
  }

  it("has room at once, where the driver as it was published doubled what it had", async () => {
    const [, protocol] = files
    expect(await roomIn("published", published.get(protocol!)!)).toBeGreaterThan(6_000_000)
    expect(await roomIn("mended", readFileSync(join(root, protocol!), "utf8"))).toBeLessThan(4_500_000)
  })

  const roomOfRow = (name: string, text: string) => {
    const other = join(place, driver, "dist", `PgProtocol-row-${name}.js`)
    writeFileSync(other, text)
    return roomOf(async () => {
      const { makeParser }: typeof PgProtocol = await import(pathToFileURL(other).href)
      const row = Buffer.alloc(3_000_000, "x")
      row.write("D")
      row.writeInt32BE(row.length - 1, 1)
      row.writeInt16BE(1, 5)
      row.writeInt32BE(row.length - 11, 7)
      const parser = makeParser()
      const seen: Array<unknown> = []
      for (let from = 0; from < row.length; from += 65_536) {
        parser.pushEach(row.subarray(from, from + 65_536), (message) => seen.push(message._tag))
      }
      expect(seen).toEqual(["DataRow"])
    })
  }

  it("and a large row have room at once, where the driver as it was published doubled what it had", async () => {
    const [, protocol] = files
    expect(await roomOfRow("published", published.get(protocol!)!)).toBeGreaterThan(6_000_000)
    expect(await roomOfRow("mended", readFileSync(join(root, protocol!), "utf8"))).toBeLessThan(3_500_000)
  })

  it("is sent from where it was written, and arrives as it is", async () => {
    const { port, socketDirectory, username } = inject("postgres")
    const edge = ["x", "я", "€", "😀"]
    // Around what is long, and around the ends of what there is room for.
    const awkward = edge.flatMap((first) =>
      [4_095, 4_096, 4_097, 100_000].flatMap((length) =>
        edge.map((last) => first.repeat(length) + last.repeat(3) + first + last)
      )
    )
    const answer = await Effect.gen(function* () {
      const { make } = yield* Effect.promise(() => import("@effect/sql-pg/PgConnection"))
      const connection = yield* make({ host: socketDirectory, port, username, database: "postgres", multiplex: true })
      // Prepared by the first one, it is one message and its end from then on.
      const ask = (given: ReadonlyArray<string>) =>
        connection.query("SELECT $1::text[] AS texts, $2::int AS after", [
          Result.getOrThrow(PgTypes.array(given, PgTypes.OID.text)),
          given.length
        ])
      yield* ask([])
      // Sent together: their messages are joined.
      const answers = yield* Effect.all([ask(awkward), ask(["short"]), ask(texts)], { concurrency: "unbounded" })
      const count = (given: ReadonlyArray<string>) =>
        connection.query("SELECT cardinality($1::text[])", [Result.getOrThrow(PgTypes.array(given, PgTypes.OID.text))])
      // As the first of its statement, which is sent before it, and prepared.
      for (let time = 0; time < 2; time++) {
        const room = yield* Effect.promise(() => roomOf(() => Effect.runPromise(count(texts))))
        expect(room).toBeLessThan(3_500_000)
      }
      return answers
    }).pipe(Effect.scoped, Effect.runPromise)
    expect(answer.map(({ rows }) => rows)).toEqual([
      [{ texts: awkward, after: awkward.length }],
      [{ texts: ["short"], after: 1 }],
      [{ texts, after: texts.length }]
    ])
  })
})
