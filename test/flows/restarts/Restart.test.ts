import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../support/servers/freePort.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { inconsistencies } from "../../support/flows/Ledger.ts"
import { Load } from "../../support/flows/Load.ts"
import { OfflineClient } from "../../support/flows/OfflineClient.ts"
import { endPrograms, postmasterOf, Program, runs, sqlOf } from "../../support/servers/Program.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { isSlow } from "../../support/Slow.ts"
import type { StreamEvent } from "../../support/EventStream.ts"
import { call, openStream, type Server } from "../../support/flows/Wire.ts"
import { differences, shown, World } from "../../support/flows/World.ts"
import { usedDataDir } from "../../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-restart-"))
const dataDir = join(place, "data")
const sql = sqlOf(dataDir)
let env: { DATA_DIR: string; PORT: string }
let program: Program
let server: Server
let notebook: string

beforeAll(async () => {
  env = { DATA_DIR: await usedDataDir(dataDir), PORT: String(await freePort()) }
  program = new Program(env)
  server = await program.server()
  notebook = (await call(server, "GET", "/notebooks")).body.data[0].id
})
afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const figure = (what: string, ms: number) => {
  if (process.env["VERBOSE"]) console.log(`${what}: ${Math.round(ms)} ms`)
}

type Victim = "Sheaf" | "PostgreSQL" | "both" | "a backend"

const strike = async (victim: Victim) => {
  const postmaster = postmasterOf(dataDir)!
  if (victim === "a backend") {
    const [{ pid }] = await sql(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'sheaf' ORDER BY pid LIMIT 1"
    )
    process.kill(pid, "SIGKILL")
  }
  if (victim === "PostgreSQL" || victim === "both") process.kill(postmaster, "SIGKILL")
  if (victim === "Sheaf" || victim === "both") await program.kill("SIGKILL")
}

describe("kill -9 under load", () => {
  const strikes: ReadonlyArray<[Victim, number]> = [
    ["Sheaf", 11],
    ["PostgreSQL", 12],
    ["a backend", 14]
  ]
  const more: typeof strikes = [
    ["both", 13],
    ["Sheaf", 15],
    ["both", 16],
    ["PostgreSQL", 17]
  ]
  it.each(isSlow ? [...strikes, ...more] : strikes)(
    "of %s loses no write and repeats none, seed %i",
    async (victim, seed) => {
      const random = new Random(seed)
      const world = new World([server])
      const puller = await new OfflineClient(world, "puller", seed).open()
      const listener = await new OfflineClient(world, "listener", seed + 1).open()
      await puller.sync()
      await listener.sync()
      listener.engine.start()
      const load = new Load(server, notebook, seed)
      load.start()
      await load.further(random.between(3, 40))
      await new Promise((resolve) => setTimeout(resolve, random.between(0, 15)))
      await strike(victim)
      const since = performance.now()
      if (victim === "Sheaf" || victim === "both") {
        await load.stop()
        program = new Program(env)
        await program.url()
        figure(`${victim} killed, serves again`, performance.now() - since)
        // Before any retry: each write without a response is either complete or absent.
        expect(await inconsistencies(sql)).toEqual([])
        const stored = new Map((await sql("SELECT id, version FROM notes")).map((row) => [row.id, row.version]))
        for (const batch of load.open) {
          const done = batch.filter(({ after, id }) => stored.get(id) === after)
          const undone = batch.filter(({ before, id }) => (stored.get(id) ?? 0) === before)
          expect(done.length + undone.length).toBe(batch.length)
          if (process.env["VERBOSE"]) console.log(`unanswered: ${done.length} of ${batch.length} entries are stored`)
        }
        load.start()
      }
      await load.further(1)
      figure(`${victim} killed, first push acknowledged`, performance.now() - since)
      await load.further(10)
      await load.finish()

      expect(await inconsistencies(sql)).toEqual([])
      const truth = await new OfflineClient(world, "truth", seed).open()
      await truth.sync()
      expect(await differences(server, truth.engine, load.notes.keys())).toEqual([])
      for (const [id, note] of load.notes) {
        const data = truth.engine.get(id)
        const found = data && { title: data["title"], body: data["body"], revision: data["version"] }
        expect(found, id).toEqual(
          note.deleted ? undefined : { title: note.title, body: note.body, revision: note.revision }
        )
      }
      // Cursors from before the kills still work: each client gets every record once. The clients detect repetitions.
      await puller.sync()
      expect(shown(puller.engine)).toEqual(shown(truth.engine))
      await eventually("the listener received every record", () =>
        isDeepStrictEqual(shown(listener.engine), shown(truth.engine))
      )
      for (const client of [puller, listener, truth]) await client.close()
    }
  )
})

/** A request in progress, confirmed by the server; its second half is sent later. */
const slowRequest = async () => {
  const { hostname, port } = new URL(server.url)
  const body = JSON.stringify({ notebook_id: notebook, title: "slow" })
  const socket = connect(Number(port), hostname)
  let answer = ""
  socket.on("data", (bytes) => (answer += bytes))
  const closed = once(socket, "close")
  socket.write(
    `POST /v2/notes HTTP/1.1\r\nhost: sheaf\r\nauthorization: Bearer ${server.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`
  )
  await eventually("the server requests the body", () => answer === "HTTP/1.1 100 Continue\r\n\r\n")
  socket.write(body.slice(0, 10))
  answer = ""
  return async () => {
    socket.write(body.slice(10))
    await closed
    return answer
  }
}

/** Begins to send a file. The function that it returns waits for the response. */
const slowUpload = async (note_id: string) => {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const field = `--b\r\ncontent-disposition: form-data; name=`
  let response = ""
  socket.on("data", (bytes) => (response += bytes))
  const closed = once(socket, "close")
  socket.write(
    `POST /v2/attachments HTTP/1.1\r\nhost: sheaf\r\nauthorization: Bearer ${server.key}\r\n` +
      `content-type: multipart/form-data; boundary=b\r\ncontent-length: 1000000\r\nexpect: 100-continue\r\n\r\n`
  )
  await eventually("the server requests the file", () => response === "HTTP/1.1 100 Continue\r\n\r\n")
  response = ""
  socket.write(`${field}"note_id"\r\n\r\n${note_id}\r\n${field}"file"; filename="a.txt"\r\n\r\nthe first bytes`)
  return () => closed.then(() => response)
}

describe("SIGTERM under load", () => {
  it("sends bye to streams, finishes requests in progress, stops PostgreSQL and exits with 0", async () => {
    const load = new Load(server, notebook, 21)
    load.start()
    const events: Array<StreamEvent> = []
    const stream = await openStream(server, undefined, (event) => events.push(event))
    await load.further(10)
    const postmaster = postmasterOf(dataDir)!
    const slow = await slowRequest()
    const upload = await slowUpload([...load.notes.keys()][0]!)
    const since = performance.now()
    // The tests before have ended PostgreSQL, which may report its first new start.
    const earlier = program.errors.length
    const ended = program.kill("SIGTERM")
    await stream.ended
    expect(events.at(-1)).toMatchObject({ event: "bye", data: { reason: "shutdown" } })
    expect(await slow()).toMatch(/^HTTP\/1.1 201 /)
    // An upload that does not end is interrupted after ten seconds.
    const cut = await upload()
    expect(cut).toMatch(/^HTTP\/1.1 503 /)
    expect(cut).toMatch(/^content-type: application\/problem\+json\r$/im)
    expect(cut).toMatch(/^retry-after: 2\r$/im)
    expect(cut).toContain(`"detail":"The server stopped before the request was complete"`)
    await load.stop()
    expect(await ended).toBe(0)
    figure("SIGTERM to exit", performance.now() - since)
    // No request was interrupted: later ones could not connect, and a client may retry these.
    if (process.env["VERBOSE"]) console.log(load.failures)
    expect(runs(postmaster)).toBe(false)
    expect(postmasterOf(dataDir)).toBeUndefined()
    expect(program.errors.slice(earlier)).not.toContain(`"level":"ERROR"`)

    program = new Program(env)
    await program.url()
    const found = new Map((await sql("SELECT id, version FROM notes")).map((row) => [row.id, row.version]))
    for (const [id, { revision }] of load.notes) expect(found.get(id), id).toBeGreaterThanOrEqual(revision)
    expect(await sql("SELECT title FROM notes WHERE title = 'slow'")).toHaveLength(1)
    load.start()
    await load.further(3)
    await load.stop()
    expect(await inconsistencies(sql)).toEqual([])
  })
})
