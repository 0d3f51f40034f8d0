import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import type { Server as HttpServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../services/Randomness.ts"
import { makeSecret } from "../../services/webhooks/Signature.ts"
import { Random } from "../../src/program/testing/Random.ts"
import { eventually } from "../support/flows/eventually.ts"
import { call, type Server } from "../support/flows/Wire.ts"
import { guideModule } from "../support/GuideBlocks.ts"
import { CuttingProxy } from "../support/servers/CuttingProxy.ts"
import { freePort } from "../support/servers/freePort.ts"
import { HookSink, verified } from "../support/servers/HookSink.ts"
import { endPrograms, Program, sheaf } from "../support/servers/Program.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-listen-"))
const env = { DATA_DIR: join(place, "data"), PORT: "0" }
const allowed = { ...env, WEBHOOK_ALLOW: "127.0.0.1" }
const command = (...args: ReadonlyArray<string>) => [...sheaf, "listen", ...args]
let server: Server

beforeAll(async () => {
  await usedDataDir(env.DATA_DIR)
  server = await new Program(allowed).server()
})
afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

describe("listen", () => {
  it("prints verified deliveries until it is ended, and removes its webhook", async () => {
    const listener = new Program(allowed, false, command("--events", "tag.*"))
    await eventually("the command listens", () => listener.output.includes("Ctrl-C removes it"))
    const { body } = await call(server, "POST", "/tags", { name: "heard" })
    await eventually("the command prints the event", () => listener.output.includes(body.id))
    expect(listener.output).toMatch(/^\S+Z {2}verified {2}ev_\w+ {2}tag\.created {2}tg_\w+$/m)
    expect((await call(server, "GET", "/webhooks")).body.data).toHaveLength(1)
    expect(await listener.kill("SIGINT")).toBe(0)
    expect((await call(server, "GET", "/webhooks")).body.data).toEqual([])
    expect(listener.errors).toBe("")
  })

  it("reports a missing setting, an unknown event type and an unknown workspace", async () => {
    const unprepared = new Program(env, false, command())
    expect(await unprepared.ended).toBe(1)
    expect(unprepared.errors).toMatch(/^sheaf: WEBHOOK_ALLOW must contain 127\.0\.0\.1[^\n]*\n$/)
    const mistaken = new Program(allowed, false, command("--events", "tag.exploded"))
    expect(await mistaken.ended).toBe(2)
    const lost = new Program(allowed, false, command("--workspace", "nowhere"))
    expect(await lost.ended).toBe(1)
    expect((await call(server, "GET", "/webhooks")).body.data).toEqual([])
  })
})

describe("listen --forward-to", () => {
  const port = (endpoint: HttpServer) => (endpoint.address() as AddressInfo).port
  /** A local endpoint with the code of the guide, and what it has accepted. */
  const endpoints: Array<HttpServer> = []
  const taking = async (secret: string) => {
    const taken: Array<{ readonly type: string; readonly data: any }> = []
    const { endpoint } = await guideModule("guides/webhooks.md")
    const http: HttpServer = endpoint(secret, async (_: string, event: any) => {
      if (event.data.resource?.title === "refuse") throw new Error("refused")
      taken.push(event)
    })
    endpoints.push(http.listen(0, "127.0.0.1"))
    await once(http, "listening")
    return { taken, url: `http://localhost:${port(http)}/hook` }
  }
  afterAll(() => endpoints.forEach((each) => each.close()))

  const secret = makeSecret(systemRandomness)
  const forward = (url: string, to: string, ...args: ReadonlyArray<string>) =>
    // DATA_DIR is a folder that does not exist: the command uses none.
    new Program(
      { DATA_DIR: join(place, "none"), SHEAF_KEY: server.key },
      false,
      command("--forward-to", to, "--url", url, ...args)
    )
  const begun = (listener: Program) => eventually("it forwards", () => listener.output.includes("Ctrl-C ends it"))
  const note = async (title: string) => {
    const { data } = (await call(server, "GET", "/notebooks")).body
    return (await call(server, "POST", "/notes", { notebook_id: data[0].id, title, body: "text" })).body
  }

  it("sends the bodies of webhooks with valid signatures, and prints each delivery", async () => {
    const sink = await HookSink.start()
    const { taken, url } = await taking(secret)
    const listener = forward(new URL(server.url).origin, url, "--secret", secret)
    await begun(listener)
    const hook = (await call(server, "POST", "/webhooks", { url: sink.url("/real"), events: ["*"] })).body
    const { id } = await note("forwarded")
    const tag = (await call(server, "POST", "/tags", { name: "first-name" })).body
    await call(server, "PATCH", `/tags/${tag.id}`, { name: "second-name" })
    await call(server, "POST", `/notes/${id}/comments`, { body: "Read." })
    await call(server, "POST", "/reminders", { note_id: id, remind_at: "2100-01-01T00:00:00Z" })
    await call(server, "POST", "/shares", { note_id: id })
    await call(server, "POST", "/templates", { name: "Template", body: "text" })
    await call(server, "POST", "/attachments/uploads", { note_id: id, filename: "a.txt" })
    await call(server, "POST", "/sync/pull", { device: { name: "Phone", platform: "web" } })
    await call(server, "POST", "/api-keys", { name: "reader", scopes: ["notes:read"] })
    const { workspace_id } = (await call(server, "GET", "/sync/cursor")).body
    await call(server, "POST", `/workspaces/${workspace_id}/invitations`, { email: "a@example.org", role: "editor" })
    await call(server, "PATCH", `/workspaces/${workspace_id}`, { name: "Renamed" })
    await call(server, "DELETE", `/tags/${tag.id}`)
    await eventually("both have all events", () => taken.at(-1)?.type === "tag.deleted" && sink.received.length === 13)
    const byId = (one: any, other: any) => one.data.id.localeCompare(other.data.id)
    const [created, ...rest] = taken
    expect(created).toMatchObject({
      type: "webhook.created",
      data: { resource_id: hook.id, resource: { secret: null } }
    })
    // A device has synced again when its record is read.
    const timeless = (event: any) =>
      event.data.resource_type !== "device"
        ? event
        : { ...event, data: { ...event.data, resource: { ...event.data.resource, last_sync_at: 0 } } }
    const sort = (all: ReadonlyArray<any>) => all.map(timeless).toSorted(byId)
    expect(sort(rest)).toEqual(sort(sink.received.map(({ body }) => body)))
    expect(rest[0]).toMatchObject({
      type: "note.created",
      data: { resource: { id, title: "forwarded", body: "text" } }
    })
    expect(listener.output).toMatch(
      new RegExp(`^\\S+Z {2}204 {2}\\d+ ms {2}${rest[0]!.data.id} {2}note\\.created {2}${id}$`, "m")
    )
    expect(listener.output).not.toContain(secret)
    const sent = sink.received[0]!.headers
    expect(sent["user-agent"]).toBe("Sheaf (Standard Webhooks)")
    expect(await listener.kill("SIGINT")).toBe(0)
    expect(listener.errors).toBe("")
    await call(server, "DELETE", `/webhooks/${hook.id}`)
    await sink.stop()
  })

  it("sends the headers of webhooks, signed with the secret that it prints", async () => {
    const sink = await HookSink.start()
    sink.responses.set("/failing", 500)
    const hook = await call(server, "POST", "/webhooks", { url: sink.url("/real"), events: ["note.created"] })
    const listener = forward(server.url, sink.url("/failing"), "--events", "note.created")
    await begun(listener)
    await note("with headers")
    await sink.until("both deliveries", () => sink.received.length === 2)
    const [own] = sink.on("/failing")
    const [real] = sink.on("/real")
    expect(Object.keys(own!.headers)).toEqual(Object.keys(real!.headers))
    for (const name of ["content-type", "user-agent", "webhook-id", "accept-encoding"])
      expect(own!.headers[name]).toBe(real!.headers[name])
    const [, printed] = /^The signing secret is (whsec_\S+)$/m.exec(listener.output)!
    expect(verified(printed!, own!)).toEqual(real!.body)
    await eventually("the failure is printed", () => listener.output.includes("  500  "))
    await call(server, "DELETE", `/webhooks/${hook.body.id}`)
    await note("after a failure")
    await sink.until("the next delivery, without a retry", () => sink.on("/failing").length === 2)
    expect(await listener.kill("SIGTERM")).toBe(0)
    await sink.stop()
  })

  it("sends the events that happen while the server is not reachable, once and in order", async () => {
    const proxy = await CuttingProxy.start(new Random(1))
    proxy.target = server.url
    const { taken, url } = await taking(secret)
    const listener = forward(proxy.url, url, "--secret", secret, "--events", "note.created")
    await begun(listener)
    const titles = ["before", "during", "meanwhile", "after"]
    await note(titles[0]!)
    await eventually("the first one", () => taken.length === 1)
    proxy.refuse()
    await eventually("the loss is printed", () => listener.errors.includes("No response from"))
    await note(titles[1]!)
    await note(titles[2]!)
    proxy.target = server.url
    await eventually("the others", () => taken.length === 3)
    expect(listener.errors).toContain("responds again")
    await note(titles[3]!)
    await eventually("the last one", () => taken.length === 4)
    expect(taken.map(({ data }) => data.resource.title)).toEqual(titles)
    await listener.kill("SIGINT")
    await proxy.stop()
  })

  it("sends past events again, and only those of the given types", async () => {
    const { taken, url } = await taking(secret)
    const titles = ["one", "two", "three"]
    for (const title of titles) await note(title)
    await call(server, "POST", "/tags", { name: "between" })
    const replaying = forward(server.url, url, "--secret", secret, "--events", "note.*", "--replay", "2")
    await eventually("two events", () => taken.length === 2)
    expect(await replaying.kill("SIGINT")).toBe(0)
    expect(taken.map(({ data }) => data.resource.title)).toEqual(["two", "three"])
    const since = forward(server.url, url, "--secret", secret, "--since", taken[0]!.data.id, "--json")
    await eventually("the events after the first of these", () => taken.length === 4)
    expect(taken.slice(2).map(({ type }) => type)).toEqual(["note.created", "tag.created"])
    await since.kill("SIGINT")
    const [settings, delivery] = since.output.split("\n").map((line) => line && JSON.parse(line))
    expect(settings).toEqual({ url: server.url, forward_to: url, events: ["*"], secret })
    expect(delivery).toMatchObject({ status_code: 204, error: null, event: taken[2] })
  })

  it("continues after a restore with what has happened since", async () => {
    const { taken, url } = await taking(secret)
    const listener = forward(server.url, url, "--secret", secret, "--events", "note.created")
    await begun(listener)
    await note("in the lost history")
    await eventually("the first one", () => taken.length === 1)
    const reset = new Program(env, false, [...sheaf, "sync", "reset"])
    expect(await reset.ended).toBe(0)
    await note("after the restore")
    await eventually("the last one", () => taken.at(-1)?.data.resource?.title === "after the restore")
    expect(taken.map(({ type }) => type).filter((type) => type === "note.created")).toHaveLength(2)
    expect(await listener.kill("SIGINT")).toBe(0)
  })

  it("prints why a delivery has failed, and the reason of a refusal in one line", async () => {
    const listener = forward(server.url, `http://127.0.0.1:${await freePort()}/`, "--events", "note.created")
    await begun(listener)
    await note("nowhere")
    await eventually("the failure is printed", () =>
      /Z {2}the server refused the connection {2}\d+ ms {2}ev_\w+ {2}note\.created/.test(listener.output)
    )
    await listener.kill("SIGINT")
    const refusals: ReadonlyArray<readonly [args: ReadonlyArray<string>, code: number, line: RegExp]> = [
      [["--since", "ev_1"], 1, /--since needs --forward-to/],
      [["--forward-to", "ftp://127.0.0.1/"], 2, /Expected a URL/],
      [["--forward-to", "http://127.0.0.1:9999/"], 1, /needs --key or SHEAF_KEY/],
      [["--forward-to", "http://127.0.0.1:9999/", "--key", "sfk_1"], 1, /needs --url or SHEAF_URL/],
      [["--forward-to", "http://127.0.0.1:9999/", "--key", "sfk_1", "--url", server.url], 1, /invalid_token/],
      [["--forward-to", "http://127.0.0.1:9999/", "--secret", "whsec_short"], 2, /whsec_ and 24 to 64 bytes/],
      [["--forward-to", "http://127.0.0.1:9999/", "--replay", "1", "--since", "ev_1"], 1, /exclude each other/]
    ]
    for (const [args, code, line] of refusals) {
      const refused = new Program(env, false, command(...args))
      expect([args, await refused.ended]).toEqual([args, code])
      expect(refused.errors).toMatch(/^sheaf: [^\n]+\n$/)
      expect(refused.errors).toMatch(line)
    }
  })
})
