import { ConfigProvider, Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fromEnvironment } from "../../src/program/testing/TestEnvironment.ts"
import { policies } from "../../src/program/testing/TestSettings.ts"
import { HookSink, verified } from "../support/servers/HookSink.ts"
import { sheaf } from "../support/servers/Program.ts"

const root = join(import.meta.dirname, "../..")

/** The command of a process; empty if it has just ended. */
const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

/** Starts `serve --test` with temporary files in a folder of its own. `stdin`: a pipe, or no input. */
const start = (env: Record<string, string> = {}, stdin: "pipe" | "ignore" = "pipe") => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-"))
  // PostgreSQL may run as another user.
  chmodSync(folder, 0o711)
  const child = spawn(sheaf[0], [sheaf[1], "serve", "--test"], {
    cwd: root,
    env: { PATH: process.env["PATH"]!, TMPDIR: folder, ...env },
    stdio: [stdin, "pipe", "pipe"]
  })
  const lines = createInterface(child.stdout!)
  const [output, errors]: [Array<string>, Array<string>] = [[], []]
  lines.on("line", (line) => output.push(line))
  createInterface(child.stderr!).on("line", (line) => errors.push(line))
  const ended = once(child, "close").then(([code, signal]) => code ?? signal)
  const printed = once(lines, "line")
  /** The line that it prints when it is ready. */
  const ready = async () => {
    await Promise.race([printed, ended])
    if (output.length === 0) throw new Error(`the server ended: ${errors.join("\n")}`)
    return JSON.parse(output[0]!)
  }
  /** Processes with the folder in their command, and the files in it. */
  const rest = () => {
    const processes = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(folder))
    return [...processes, ...readdirSync(folder)]
  }
  return { child, folder, output, errors, ended, ready, rest }
}

type Started = ReturnType<typeof start>

let server: Started
let ready: { readonly url: string; readonly key: string; readonly test_url: string; readonly pid: number }
let inbox: string
let sink: HookSink

const call = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${ready.key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
}

const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call(method, ready.url + path, body, headers)

const control = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  call(method, `${ready.test_url}/${path}`, body, headers)

const advance = (duration: string) => control("POST", "advance", { duration })

const noteWith = async (title: string): Promise<string> =>
  (await api("POST", "/notes", { notebook_id: inbox, title })).body.id

const remind = (note_id: string, remind_at: string, channel: string) =>
  api("POST", "/reminders", { note_id, remind_at, channel })

beforeAll(async () => {
  sink = await HookSink.start()
  server = start({ BOOTSTRAP_EMAIL: "anna@example.org" })
  ready = await server.ready()
  inbox = (await api("GET", "/notebooks")).body.data[0].id
})

afterAll(async () => {
  server.child.kill()
  await server.ended
  await sink.stop()
  rmSync(server.folder, { recursive: true })
})

describe("a server for tests", () => {
  it("prints its addresses, its key and its process as one line of JSON", () => {
    const { origin, port } = new URL(ready.url)
    expect(ready).toEqual({
      url: `http://127.0.0.1:${port}/v2`,
      key: expect.stringMatching(/^sfk_\w+$/),
      test_url: `${origin}/test`,
      pid: server.child.pid
    })
  })

  it("moves its clock on request, and responds when all work that became due is done", async () => {
    const note = await noteWith("Water the plants")
    await remind(note, "2026-03-31T12:00:00Z", "email")
    expect(await advance("29 days")).toEqual({ status: 200, body: { now: "2026-03-30T12:00:00.000Z" } })
    expect((await control("GET", "mails")).body).toEqual({ data: [] })
    expect((await advance("2 days")).body).toEqual({ now: "2026-04-01T12:00:00.000Z" })
    expect((await control("GET", "mails")).body.data).toMatchObject([
      { to: "anna@example.org", subject: expect.stringContaining("Water the plants") }
    ])
    expect((await advance("-1 day")).body).toEqual({ now: "2026-03-31T12:00:00.000Z" })
    expect((await api("GET", `/notes/${note}`)).status).toBe(200)
    expect((await control("POST", "idle")).body).toEqual({ now: "2026-03-31T12:00:00.000Z" })
    expect(await control("DELETE", "mails")).toEqual({ status: 204, body: undefined })
    expect((await control("GET", "mails")).body).toEqual({ data: [] })
  })

  it("shows the requests of webhooks, of which those to this machine are sent", async () => {
    const urls = ["https://hooks.example/notes", sink.url("/notes")]
    const [{ secret }] = await Promise.all(
      urls.map(async (url) => (await api("POST", "/webhooks", { url, events: ["note.created"] })).body)
    )
    const id = await noteWith("For webhooks")
    const { data } = (await control("GET", "deliveries")).body
    expect(data.map(({ status, url }: any) => [url, status])).toEqual(
      expect.arrayContaining(urls.map((url) => [url, 204]))
    )
    const external = data.find(({ url }: any) => url === urls[0])
    expect(external.body).toMatchObject({ type: "note.created", data: { resource_id: id } })
    expect(verified(secret, external)).toEqual(external.body)
    expect(sink.received).toHaveLength(1)
    const types = (await control("GET", "events")).body.data.map(({ type }: any) => type)
    expect(types).toContain("webhook.created")
    expect(types.at(-1)).toBe("note.created")
  })

  it("signs users in by its provider", async () => {
    const user = { sub: "iris", email: "iris@example.org", email_verified: true, name: "Iris" }
    const { body, status } = await control("POST", "sign-in", user)
    expect([status, body.user.email]).toEqual([200, "iris@example.org"])
    const headers = { authorization: `Bearer ${body.access_token}` }
    expect((await api("GET", "/me/identities", undefined, headers)).body.data).toMatchObject([{ subject: "iris" }])
    expect(await control("POST", "sign-in", { ...user, sub: "eve" })).toMatchObject({
      status: 403,
      body: { code: "forbidden", detail: "The sign-in is refused: knownAddress" }
    })
    expect(await control("POST", "sign-in", { email: "iris@example.org" })).toMatchObject({
      status: 422,
      body: { errors: [{ field: "sub" }] }
    })
  })

  it("shows the messages of Web Push to the devices that it makes", async () => {
    const { body: subscription, status } = await control("POST", "push-devices")
    expect(status).toBe(201)
    const { device_id } = (await api("POST", "/sync/pull", { device: { name: "Phone", platform: "web" } })).body
    expect((await api("PUT", `/sync/devices/${device_id}/push`, subscription)).status).toBe(200)
    await remind(await noteWith("Call Bert"), "2026-03-31T13:00:00Z", "push")
    await advance("1 hour")
    expect((await control("GET", "pushes")).body.data).toMatchObject([
      { endpoint: subscription.endpoint, payload: expect.anything() }
    ])
  })

  it("loses the response to a request that it has processed, whose repetition has the same result", async () => {
    const faults = { seed: 1, latency: 0, unavailable: 0, cutStreams: 0, doubledDeliveries: 0, failedDeliveries: 0 }
    expect((await control("PUT", "faults", { lostResponses: 1 })).body).toEqual({
      faults: { ...faults, lostResponses: 1 },
      happened: []
    })
    const create = () =>
      api("POST", "/notes", { notebook_id: inbox, title: "Once" }, { "idempotency-key": "the-same-request" })
    await expect(create()).rejects.toThrow("fetch failed")
    expect((await control("PUT", "faults", {})).body).toEqual({
      faults: { ...faults, lostResponses: 0 },
      happened: [{ fault: "lostResponses", request: "POST /v2/notes" }]
    })
    const { body, status } = await create()
    expect(status).toBe(201)
    const titled = (await api("GET", "/notes")).body.data.filter(({ title }: any) => title === "Once")
    expect(titled.map(({ id }: any) => id)).toEqual([body.id])
  })

  const refusals: ReadonlyArray<
    readonly [method: string, path: string, body: unknown, status: number, detail: string]
  > = [
    ["POST", "advance", { duration: "31 dayz" }, 422, "duration must be a number and a unit, such as 31 days"],
    ["POST", "advance", { duration: 31 }, 422, "duration must be a string"],
    [
      "POST",
      "advance",
      { duration: "36601 days" },
      422,
      "duration must keep the clock between 1970 and a hundred years on"
    ],
    [
      "POST",
      "advance",
      { duration: "-Infinity" },
      422,
      "duration must keep the clock between 1970 and a hundred years on"
    ],
    ["POST", "advance", {}, 422, "duration is required"],
    ["POST", "advance", "{", 400, "The body ends before the end of its JSON"],
    ["GET", "advance", undefined, 405, "The allowed methods are POST, OPTIONS"],
    ["GET", "nothing", undefined, 404, "No such route"],
    ["PUT", "faults", { latency: 0.5, lost: 1 }, 422, "there is no fault lost: use latency, "],
    ["PUT", "faults", { latency: 0.5, cutStreams: 2 }, 422, "cutStreams must be a chance from 0 to 1"],
    ["PUT", "faults", { latency: "much" }, 422, "latency must be a number"],
    ["PUT", "faults", [], 422, "The body must be an object"]
  ]
  it("refuses bad input with a problem, and changes nothing", async () => {
    const before = [(await control("GET", "faults")).body, (await control("POST", "idle")).body]
    for (const [method, path, body, status, detail] of refusals) {
      expect(await control(method, path, body)).toMatchObject({
        status,
        body: { status, detail: expect.stringContaining(detail), instance: `/test/${path}` }
      })
    }
    expect([(await control("GET", "faults")).body, (await control("POST", "idle")).body]).toEqual(before)
  })

  it("refuses requests of pages in browsers and of proxies", async () => {
    const refused = { status: 403, body: { code: "forbidden" } }
    for (const headers of [
      { origin: "http://evil.example" },
      { "sec-fetch-site": "same-origin" },
      { "x-forwarded-for": "192.0.2.1" }
    ]) {
      expect(await control("DELETE", "mails", undefined, headers)).toMatchObject(refused)
    }
  })

  it("ends with its input, prints nothing more, and leaves no process and no file", async () => {
    server.child.stdin!.end()
    expect(await server.ended).toBe(0)
    expect([server.output.length, server.errors]).toEqual([1, []])
    await expect.poll(server.rest).toEqual([])
  })
})

it("serves without an input, with settings of its environment, and leaves nothing after kill -9", async () => {
  const key = "sfk_1yVxK9LO6AVLEVEpj3EPKHAzESgvUQ4HM70h"
  const killed = start({ BOOTSTRAP_API_KEY: key, SIGN_UP: "invite", HOST: "0.0.0.0" }, "ignore")
  const { key: printed, url } = await killed.ready()
  expect(printed).toBe(key)
  const response = await fetch(`${url}/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "bert@example.org", password: "correct horse battery" })
  })
  expect(await response.json()).toMatchObject({ status: 403, code: "sign_up_closed" })
  expect(killed.rest()).not.toEqual([])
  killed.child.kill("SIGKILL")
  expect(await killed.ended).toBe("SIGKILL")
  await expect.poll(killed.rest).toEqual([])
  rmSync(killed.folder, { recursive: true })
})

it("leaves nothing after kill -9 while its database is created", async () => {
  const starting = start()
  const files = () => readdirSync(starting.folder, { recursive: true, encoding: "utf8" })
  await expect.poll(files).toContainEqual(expect.stringMatching(/initdb-\w+\/base$/))
  starting.child.kill("SIGKILL")
  await starting.ended
  await expect.poll(starting.rest).toEqual([])
  rmSync(starting.folder, { recursive: true })
})

it("refuses settings that name real data, before it creates anything", async () => {
  const refused = start({ DATA_DIR: "/var/lib/sheaf", SMTP_URL: "smtp://mail.example", LOG_LEVEL: "info" })
  expect(await refused.ended).toBe(1)
  expect(refused.output).toEqual([])
  expect(refused.errors).toEqual(["sheaf: serve --test uses temporary data: unset DATA_DIR, SMTP_URL"])
  expect(refused.rest()).toEqual([])
  rmSync(refused.folder, { recursive: true })
})

describe("the environment of a server for tests", () => {
  const settingsOf = (env: Record<string, string>) =>
    Effect.runPromise(Effect.provide(fromEnvironment, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))

  it.each([
    ["DATABASE_URL", "postgres://db.example/notes"],
    ["DATABASE_URL", "not a URL"],
    ["REDIS_URL", "redis://redis.example"],
    ["S3_BUCKET", "notes"],
    ["BACKUP_EVERY", "1 day"],
    ["BACKUP_VERIFY_EVERY", "30 days"],
    ["SECRET_KEY", "short"]
  ])("must not name real data: %s=%s", async (name, value) => {
    await expect(settingsOf({ [name]: value })).rejects.toThrow(`serve --test uses temporary data: unset ${name}`)
  })

  it("changes only the settings that it has", async () => {
    expect(await settingsOf({ HOST: "0.0.0.0", SHUTDOWN_DELAY: "9" })).toEqual({ settings: { policies } })
    expect(await settingsOf({ PORT: "4100", PLAN_CHANGES: "operator", RATE_LIMIT: "60" })).toEqual({
      settings: { port: 4100, rateLimit: 60, policies: { ...policies, planChanges: "operator" } }
    })
    await expect(settingsOf({ FIXTURE: "/nowhere.zip" })).rejects.toThrow("FIXTURE must be a file")
    await expect(settingsOf({ PORT: "none" })).rejects.toThrow("PORT must be a port number")
  })
})
