import { Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { SteadyClients } from "../../support/flows/SteadyClients.ts"
import { call, listAll } from "../../support/flows/Wire.ts"
import { Balancer, type Kind, skipReason } from "../../support/servers/Balancer.ts"
import { databaseUrl, dropDatabase, emptyDatabase } from "../../support/servers/Databases.ts"
import { HttpServer } from "../../support/servers/HttpServer.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { isSlow } from "../../support/Slow.ts"
import { endPrograms, Program } from "../../support/servers/Program.ts"

/** Number of restarts of each node: `ROLLS=3 npx vitest run test/flows/restarts/RollingRestart.test.ts` runs more. */
const rolls = Number(process.env["ROLLS"] ?? 1)

const place = mkdtempSync(join(tmpdir(), "sheaf-rolling-"))
const databases: Array<string> = []
const balancers: Array<Balancer> = []

afterAll(async () => {
  await Promise.all(balancers.map((balancer) => balancer.stop()))
  await endPrograms()
  for (const database of databases) await dropDatabase(database)
  rmSync(place, { recursive: true, force: true })
})

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status === 200,
    () => false
  )

describe.concurrent.each<Kind>(["nginx", "haproxy"])("two nodes behind %s", (kind) => {
  it.skipIf(skipReason(kind) !== "" || (!isSlow && kind !== "haproxy"))(
    `restart one by one as the next version, without a failed request or a lost or repeated write${skipReason(kind)}`,
    async () => {
      const database = await emptyDatabase()
      databases.push(database)
      const port = await freePort()
      const ports = [await freePort(), await freePort()] as const
      const key = Redacted.value(Tokens.make(systemRandomness, "sfk"))
      const env = {
        DATA_DIR: join(place, kind),
        DATABASE_URL: databaseUrl(database),
        SECRET_KEY: randomBytes(32).toString("base64"),
        BOOTSTRAP_API_KEY: key,
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        TRUSTED_PROXIES: "127.0.0.1",
        RATE_LIMIT: "0",
        SHUTDOWN_DELAY: "3"
      }
      const later = [process.execPath, "test/support/servers/NextVersion.ts", "expanded"]
      const start = async (port: number, command?: ReadonlyArray<string>) => {
        const program = new Program({ ...env, PORT: String(port) }, false, command)
        await eventually("a node is ready", () => isReady(port))
        return program
      }
      const nodes = [await start(ports[0]), await start(ports[1])]
      const balancer = await Balancer.start(kind, port, ports)
      balancers.push(balancer)

      const server = { url: `http://127.0.0.1:${port}/v2`, key }
      const [{ id: notebook }] = (await call(server, "GET", "/notebooks")).body.data
      const home = (await call(server, "POST", "/notes", { notebook_id: notebook, title: "home" })).body.id
      const clients = new SteadyClients(server, notebook, home)
      for (let roll = 0; roll < rolls; roll++) {
        for (const [index, port] of ports.entries()) {
          await clients.further(20)
          expect(await nodes[index]!.kill("SIGTERM")).toBe(0)
          nodes[index] = await start(port, roll === 0 ? later : undefined)
        }
      }
      await clients.further(20)
      await clients.finish()
      const { failures, files, received, notes, repeated, requests, streams } = clients
      if (process.env["ROLLS"] !== undefined)
        console.info(kind, { requests, repeated, notes: notes.size, files: files.size, streams })
      expect(failures, balancer.log).toEqual([])

      const titles = new Map((await listAll(server, "/notes")).map(({ id, title }) => [id, title]))
      titles.delete(home)
      expect(titles).toEqual(notes)
      expect(new Set(titles.values()).size).toBe(titles.size)
      expect([...notes.keys()].filter((id) => received.get(id) !== 1)).toEqual([])
      const kept = await listAll(server, "/attachments")
      expect(new Map(kept.map(({ id, sha256 }) => [id, sha256]))).toEqual(files)
      expect(streams).toBeGreaterThan(1)
    }
  )

  it.skipIf(skipReason(kind) !== "")(`handle all requests of a workspace on one node${skipReason(kind)}`, async () => {
    const nodes = [
      await HttpServer.start((_, response) => response.end("one")),
      await HttpServer.start((_, response) => response.end("two"))
    ] as const
    const port = await freePort()
    const balancer = await Balancer.start(kind, port, [nodes[0].port, nodes[1].port])
    balancers.push(balancer)
    const nodesOf = async (headers: ReadonlyArray<Record<string, string>>) => {
      const responses = headers.map((each) => fetch(`http://127.0.0.1:${port}/v2/search`, { headers: each }))
      return new Set(await Promise.all(responses.map(async (response) => (await response).text())))
    }
    const used = new Set<string>()
    for (let workspace = 0; workspace < 20; workspace++) {
      const requests = [1, 2, 3].map((each) => ({
        "workspace-id": `ws_${workspace}`,
        authorization: `Bearer sfk_${workspace}_${each}`
      }))
      const named = await nodesOf(requests)
      expect(named.size).toBe(1)
      for (const node of named) used.add(node)
      expect(
        (await nodesOf(Array.from({ length: 3 }, () => ({ authorization: `Bearer sfk_${workspace}` })))).size
      ).toBe(1)
    }
    expect(used.size).toBe(2)
    for (const node of nodes) await node.stop()
  })
})
