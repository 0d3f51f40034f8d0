import { Effect, Redacted } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { EventStream } from "../../support/EventStream.ts"
import * as FaultyBlobs from "../../support/FaultyBlobs.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"
import { startApp, type TestApp, type TestAppOptions } from "../../support/TestApp.ts"

const lines: Array<string> = []
beforeAll(() => {
  for (const way of ["log", "error", "warn", "info"] as const) {
    vi.spyOn(console, way).mockImplementation((line) => void lines.push(String(line)))
  }
})
afterAll(() => void vi.restoreAllMocks())

let app: TestApp | undefined
afterEach(async () => {
  await app?.stop()
  app = undefined
  lines.splice(0)
})

const start = async (options: TestAppOptions) => {
  app = await startApp({ ...options, settings: { logLevel: "info", ...options.settings } })
  const { advance, call, url } = app
  return {
    advance,
    call,
    readyz: async () => {
      const response = await fetch(new URL("/readyz", url))
      return [response.status, await response.text()]
    }
  }
}

/** Returns the log lines about files, as level and message. */
const aboutFiles = () =>
  lines
    .map((line): { level: string; message: string } => JSON.parse(line))
    .filter(({ message }) => message.startsWith("the file store "))
    .map(({ level, message }) => `${level} ${message}`)

describe("/readyz", () => {
  it("stays 200 with the reason while files cannot be reached, and logs one line for each change", async () => {
    const faults = new FaultyBlobs.BlobFaults()
    const { advance, call, readyz } = await start({ layers: FaultyBlobs.layer(faults) })
    // The test cannot see when the next check starts to wait, so it advances the clock repeatedly.
    const later = () =>
      expect.poll(async () => {
        await advance("10 seconds")
        return readyz()
      })
    expect(await readyz()).toEqual([200, "ready\n"])
    for (let each = 0; each < 3; each++) faults.fail("ready")
    await later().toEqual([200, "ready, without files: the bucket cannot be reached\n"])
    expect((await call("GET", "/notebooks")).status).toBe(200)
    await later().toEqual([200, "ready\n"])
    expect(aboutFiles()).toEqual([
      "WARN the file store cannot be reached; requests without files still work: the bucket cannot be reached",
      "INFO the file store can be reached again"
    ])
  })

  it.each([
    ["a full disk", "53100"],
    ["out of memory", "53200"],
    ["a configuration limit", "53400"],
    ["a failing disk", "58030"],
    ["a read-only database", "25006"]
  ])("returns 503 after PostgreSQL refused a write because of %s, while reads still work", async (_, state) => {
    const { call, readyz } = await start({})
    const notebook_id = (await call("GET", "/notebooks")).body.data[0].id
    const note = (await call("POST", "/notes", { notebook_id, title: "Before" })).body
    const run = (text: string) => app!.sql(text)
    await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$`)
    await run("CREATE TRIGGER refuse BEFORE INSERT ON changes FOR EACH ROW EXECUTE FUNCTION refuse()")
    await run("CREATE TRIGGER refuse BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse()")
    const refused = [
      await call("POST", "/notes", { notebook_id, title: "Refused" }, { "idempotency-key": "one" }),
      // This write bypasses the writer, with the head of the workspace locked.
      await call("DELETE", `/notes/${note.id}?permanent=true`),
      await call("POST", "/auth/register", {
        email: "anna@sheaf.test",
        password: "a long enough password",
        display_name: "Anna"
      })
    ]
    for (const { body, headers, status } of refused) {
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "service_unavailable", "10"])
    }
    expect(await readyz()).toEqual([503, "the database takes no writes\n"])
    expect((await call("GET", `/notes/${note.id}`)).body.title).toBe("Before")
    await run("DROP FUNCTION refuse() CASCADE")
    const retried = await call("POST", "/notes", { notebook_id, title: "Refused" }, { "idempotency-key": "one" })
    expect(retried.status).toBe(201)
    expect((await call("GET", "/notes")).body.data).toHaveLength(2)
    // A stored write shows that there is room again.
    expect(await readyz()).toEqual([200, "ready\n"])
  })
})

describe("SHUTDOWN_DELAY", () => {
  it("keeps serving requests and streams while /readyz is 503, and closes each connection after its next response", async () => {
    const { call } = await start({ settings: { shutdownDelay: 30 } })
    const clock = await app!.run(Effect.service(LeapClock))
    const stream = await EventStream.open(app!)
    const stopping = app!.stop()
    const readyz = () => fetch(new URL("/readyz", app!.url))
    await expect.poll(async () => (await readyz()).status).toBe(503)
    const response = await readyz()
    expect([response.headers.get("retry-after"), await response.text()]).toEqual(["2", "draining\n"])

    await Effect.runPromise(clock.advance("28 seconds"))
    const made = await call("POST", "/tags", { name: "late" })
    expect([made.status, made.headers.get("connection")]).toEqual([201, "close"])
    await stream.until(() => stream.changes.length === 1)
    expect(stream.changes[0]!.data.id).toBe(made.body.id)

    await Effect.runPromise(clock.advance("1 second"))
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "bye", data: { reason: "shutdown" } })
    expect((await call("GET", "/tags")).status).toBe(200)
    await Effect.runPromise(clock.advance("1 second"))
    await stopping
    app = undefined
    await expect(call("GET", "/tags")).rejects.toThrow("fetch failed")
  })
})

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""
const { client, ...place } = s3 as S3Server

describe.skipIf(missing !== "")(`start with an unusable bucket${missing}`, () => {
  afterAll(() => client.destroy())

  it.each([
    ["S3_BUCKET", { bucket: "sheaf-has-no-such-bucket" }, "the bucket does not exist: check S3_BUCKET"],
    [
      "S3_ACCESS_KEY_ID",
      { accessKeyId: Redacted.make("not-a-key") },
      "the bucket refuses the access key: check S3_ACCESS_KEY_ID"
    ],
    [
      "S3_SECRET_ACCESS_KEY",
      { secretAccessKey: Redacted.make("not-the-secret") },
      "the bucket refuses the signature: check S3_SECRET_ACCESS_KEY"
    ],
    [
      "S3_ENDPOINT, where nothing listens",
      { endpoint: "http://127.0.0.1:1" },
      "the bucket cannot be reached (ECONNREFUSED): check S3_ENDPOINT"
    ],
    [
      "S3_ENDPOINT, whose host does not exist",
      { endpoint: "http://no-such-host.invalid" },
      expect.stringMatching(/^the bucket cannot be reached \(.*S3_ENDPOINT$/)
    ]
  ])("succeeds and logs a wrong %s", async (_, wrong, reason) => {
    const { call, readyz } = await start({ clock: "live", settings: { s3: { ...place, ...wrong } } })
    await expect.poll(aboutFiles).toHaveLength(1)
    const [status, text] = await readyz()
    const shown = String(text).replace("ready, without files: ", "").trimEnd()
    expect([status, shown]).toEqual([200, reason])
    expect(aboutFiles()).toEqual([`WARN the file store cannot be reached; requests without files still work: ${shown}`])
    expect(lines.join()).not.toMatch(/not-a-key|not-the-secret/)
    expect((await call("GET", "/notebooks")).status).toBe(200)
  })
})
