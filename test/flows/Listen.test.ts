import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { call, type Server } from "../support/flows/Wire.ts"
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
    await listener.kill("SIGINT")
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
