import { Clock, Context, Effect, Layer } from "effect"
import { createServer } from "node:http"
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, inject, it } from "vitest"
import { Database } from "../../services/database/Database.ts"
import { NodeBus } from "../../services/database/NodeBus.ts"
import { Unavailable } from "../../services/Errors.ts"
import { Blobs } from "../../services/files/Blobs.ts"
import { DiskSpace } from "../../services/files/DiskSpace.ts"
import { RateCounters } from "../../services/limits/RateCounters.ts"
import { Mailer } from "../../services/mail/Mailer.ts"
import { Outgoing } from "../../services/outgoing/Outgoing.ts"
import { Randomness } from "../../services/Randomness.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import { seededRandomness } from "../../src/program/testing/SeededRandomness.ts"
import { createClient, memorySession } from "../../src/clients/client/SheafClient.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SheafOptions } from "../../src/program/testing/TestRun.ts"
import { call, given, noteIn } from "./KitClient.ts"

const postgres = inject("postgres")
const running: Array<Sheaf> = []
afterEach(async () => {
  for (const sheaf of running.splice(0)) await sheaf.stop()
})

const start = async (options: SheafOptions = {}): Promise<Sheaf> => {
  const sheaf = await Sheaf.start({ postgres, ...options })
  running.push(sheaf)
  return sheaf
}

const databaseExists = (sheaf: Sheaf, name: string) =>
  sheaf.run(
    Effect.flatMap(Database, ({ read }) =>
      Effect.map(read.unsafe("SELECT FROM pg_database WHERE datname = $1", [name]), ({ length }) => length > 0)
    )
  )

describe("an instance", () => {
  it("has an owner with a key, and records mails, webhook requests and events", async () => {
    const sheaf = await start()
    const hook = await given(sheaf, "POST", "/webhooks", { url: "https://hooks.example/in", events: ["note.created"] })
    const id = await noteIn(sheaf, "First")
    await sheaf.idle()
    expect(sheaf.deliveries).toMatchObject([
      { url: "https://hooks.example/in", status: 204, body: { type: "note.created", data: { resource_id: id } } }
    ])
    expect(sheaf.mails.map(({ subject, to }) => [subject, to])).toEqual([["A new webhook", "owner@sheaf.test"]])
    expect((await sheaf.events()).map(({ resource_id, type }) => [type, resource_id]).slice(-2)).toEqual([
      ["webhook.created", hook.id],
      ["note.created", id]
    ])
    expect((await given(sheaf, "GET", `/webhooks/${hook.id}/deliveries`)).data).toMatchObject([{ status: "succeeded" }])
  })

  it("really sends webhook requests to this machine", async () => {
    const received: Array<string> = []
    const receiver = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`)
      request.resume().once("end", () => response.writeHead(202).end())
    }).listen(0, "127.0.0.1")
    await once(receiver, "listening")
    try {
      const sheaf = await start()
      const url = `http://localhost:${(receiver.address() as AddressInfo).port}/hook`
      await given(sheaf, "POST", "/webhooks", { url, events: ["note.created"] })
      await noteIn(sheaf, "Sent")
      await sheaf.idle()
      expect(received).toEqual(["POST /hook"])
      expect(sheaf.deliveries).toMatchObject([{ url, status: 202 }])
    } finally {
      receiver.close()
    }
  })

  it("shows Web Push messages in plain text", async () => {
    const sheaf = await start()
    const { device_id } = await given(sheaf, "POST", "/sync/pull", { device: { name: "Phone", platform: "web" } })
    await given(sheaf, "PUT", `/sync/devices/${device_id}/push`, sheaf.pushDevice())
    const note_id = await noteIn(sheaf, "Water the plants")
    await given(sheaf, "POST", "/reminders", { note_id, remind_at: "2026-03-01T13:00:00Z", channel: "push" })
    await sheaf.advance("1 hour")
    expect(sheaf.pushes).toMatchObject([{ payload: { title: "Water the plants" } }])
  })

  it("signs users in by its provider, by their subject", async () => {
    const sheaf = await start({ provider: true })
    const user = { sub: "anna", email: "anna@example.org", email_verified: true, name: "Anna" }
    const session = await sheaf.signInBy(user)
    const client = createClient({ url: sheaf.url, session: memorySession(session) })
    expect(await client.getMe()).toMatchObject({ email: "anna@example.org", name: "Anna" })
    expect((await client.listSessions()).data).toMatchObject([{ signed_in_by: "provider" }])
    // Tokens of the provider are made by the clock of the instance.
    await sheaf.advance("100 days")
    const again = await sheaf.signInBy({ ...user, email: "anna@example.com" })
    expect(again.user.id).toBe(session.user.id)
    expect(sheaf.provider!.requests).toContain("/jwks")
    const other = { sub: "eve", email: "anna@example.org", email_verified: true }
    await expect(sheaf.signInBy(other)).rejects.toThrow("the sign-in is refused: knownAddress")
    sheaf.provider!.refusal = "access_denied"
    await expect(sheaf.signInBy(user)).rejects.toThrow("the sign-in is refused: declined")
  })

  it("signs several users in at once, each as themselves", async () => {
    const sheaf = await start({ provider: true })
    const users = ["a", "b", "c"].map((sub) => ({ sub, email: `${sub}@example.org`, email_verified: true }))
    sheaf.provider!.isByUserInfo = true
    const sessions = await Promise.all(users.map((user) => sheaf.signInBy(user)))
    expect(sessions.map(({ user }) => user.email)).toEqual(users.map(({ email }) => email))
  })

  it("has a provider that refuses wrong requests, and ends with the instance", async () => {
    const sheaf = await start({ provider: true })
    const { issuer } = sheaf.provider!
    const statusOf = async (path: string) => (await fetch(issuer + path, { redirect: "manual" })).status
    expect(await statusOf("/authorize")).toBe(400)
    expect(await statusOf("/userinfo")).toBe(401)
    expect(await statusOf("/nothing")).toBe(404)
    await sheaf.stop()
    await expect(fetch(issuer)).rejects.toThrow()
  })

  it("has a provider only with the option, and no others then", async () => {
    const without = await start()
    await expect(without.signInBy({ sub: "anna" })).rejects.toThrow("this Sheaf has no provider")
    const both = Sheaf.start({ postgres, provider: true, settings: { providers: [] } })
    await expect(both).rejects.toThrow("the option provider and the setting providers exclude each other")
  })

  it("stops without a trace", async () => {
    const witness = await start()
    const sheaf = await Sheaf.start({ postgres })
    expect(existsSync(sheaf.dataDir)).toBe(true)
    expect(await databaseExists(witness, sheaf.database)).toBe(true)
    await Promise.all([sheaf.stop(), sheaf.stop()])
    expect(existsSync(sheaf.dataDir)).toBe(false)
    expect(await databaseExists(witness, sheaf.database)).toBe(false)
    await expect(fetch(sheaf.url)).rejects.toThrow()
  })

  it("stops at the end of its block", async () => {
    let url = ""
    {
      await using sheaf = await Sheaf.start({ postgres })
      url = sheaf.url
      expect((await call(sheaf, "GET", "/me")).status).toBe(200)
    }
    await expect(fetch(url)).rejects.toThrow()
  })

  it("that cannot start gives the reason in one line, and leaves nothing behind", async () => {
    const first = await start()
    const port = Number(new URL(first.url).port)
    const directory = mkdtempSync(join(tmpdir(), "sheaf-kit-"))
    const failed = Sheaf.start({ postgres: { ...postgres, directory }, settings: { port } })
    await expect(failed).rejects.toThrow(/^Sheaf cannot start: .*EADDRINUSE.*$/)
    const broken = Layer.effect(Mailer, Effect.die(new Error("no mailer today")))
    const withBroken = Sheaf.start({ postgres: { ...postgres, directory }, layers: broken })
    await expect(withBroken).rejects.toThrow("Sheaf cannot start: no mailer today")
    const failing = () => {
      throw new Error("no layers today")
    }
    const withFailing = Sheaf.start({ postgres: { ...postgres, directory }, layers: failing })
    await expect(withFailing).rejects.toThrow("Sheaf cannot start: no layers today")
    const misspelt = Sheaf.start({ postgres: { ...postgres, directory }, settings: { rateLimt: 1 } as object })
    await expect(misspelt).rejects.toThrow("Sheaf cannot start: there is no setting rateLimt")
    expect(readdirSync(directory)).toEqual([])
    rmdirSync(directory)
  })

  it("runs next to others, with data of its own", async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => start()))
    await Promise.all(many.map((sheaf, index) => noteIn(sheaf, `Note of ${index}`)))
    const titles = await Promise.all(many.map(async (sheaf) => (await given(sheaf, "GET", "/notes")).data))
    expect(titles.map((notes) => notes.map(({ title }: { title: string }) => title))).toEqual(
      many.map((_, index) => [`Note of ${index}`])
    )
  })
})

describe("layers", () => {
  /** Wraps a port, and records its calls. */
  const spied = <Identifier, Shape extends object>(
    key: Context.Key<Identifier, Shape>,
    called: Set<PropertyKey>
  ): Layer.Layer<Identifier, never, Identifier> =>
    Layer.effect(
      key,
      Effect.map(
        key,
        (real) =>
          new Proxy(real, {
            get: (target, name) => {
              called.add(name)
              return Reflect.get(target, name)
            }
          })
      )
    )

  it("replace every port", async () => {
    const ports = { Database, NodeBus, Secrets, Mailer, RateCounters, Blobs, DiskSpace, Outgoing }
    const called = new Map(Object.keys(ports).map((name) => [name, new Set<PropertyKey>()]))
    const sheaf = await start({
      settings: { rateLimit: 1_000 },
      layers: (real) =>
        Object.entries(ports).reduce(
          (all: Layer.Layer<never, unknown>, [name, port]) =>
            Layer.merge(
              all,
              spied(port as unknown as Context.Key<Mailer, object>, called.get(name)!).pipe(Layer.provide(real))
            ),
          Layer.empty
        )
    })
    await given(sheaf, "POST", "/webhooks", { url: "https://hooks.example/in", events: ["note.created"] })
    const note_id = await noteIn(sheaf, "One")
    const upload = { note_id, filename: "a.txt", size_bytes: 1, content_type: "text/plain" }
    const { upload_url } = await given(sheaf, "POST", "/attachments/uploads", upload)
    expect((await fetch(upload_url, { method: "PUT", body: "a" })).status).toBeLessThan(300)
    await sheaf.idle()
    expect([...called].filter(([, { size }]) => size === 0)).toEqual([])
  })

  it("replace one function of a port", async () => {
    const full = Layer.effect(
      Blobs,
      Effect.map(Blobs, (blobs) =>
        Blobs.of({
          ...blobs,
          stage: () => new Unavailable({ code: "service_unavailable", detail: "No files today", retry_after: 9 })
        })
      )
    )
    const sheaf = await start({ layers: (real) => Layer.provide(full, real) })
    const note_id = await noteIn(sheaf, "One")
    const upload = { note_id, filename: "a.txt", size_bytes: 1, content_type: "text/plain" }
    const { upload_url } = await given(sheaf, "POST", "/attachments/uploads", upload)
    const response = await fetch(upload_url, { method: "PUT", body: "a" })
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "9"])
  })

  it("replace the clock, and the ids", async () => {
    const now = Date.parse("2030-05-05T05:05:05.000Z")
    const real = Clock.Clock.defaultValue()
    const clock = Layer.succeed(
      Clock.Clock,
      Object.assign(Object.create(real), {
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.succeed(now)
      })
    )
    let made = 0
    const ids = Layer.succeed(Randomness, {
      ...seededRandomness(1),
      id: (prefix) => `${prefix}_${String(++made).padStart(20, "0")}`
    })
    const sheaf = await start({ clock: "live", layers: Layer.merge(clock, ids) })
    const id = await noteIn(sheaf, "One")
    expect(id).toMatch(/^nt_0{16,}\d+$/)
    expect((await given(sheaf, "GET", `/notes/${id}`)).created_at).toBe("2030-05-05T05:05:05.000Z")
  })
})
