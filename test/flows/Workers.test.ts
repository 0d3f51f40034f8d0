import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/flows/eventually.ts"
import { inboxOf } from "../support/flows/Uploading.ts"
import { call, listAll, type Server } from "../support/flows/Wire.ts"
import { startCommand } from "../support/servers/Command.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { endPrograms, Program, runs } from "../support/servers/Program.ts"

const folder = mkdtempSync(join(tmpdir(), "sheaf-workers-"))
const env = {
  DATA_DIR: join(folder, "data"),
  PORT: "0",
  WORKERS: "3",
  STREAMS_PER_CREDENTIAL: "3",
  RATE_LIMIT: "1000000",
  TRUSTED_PROXIES: "127.0.0.1/32"
}
/** A request with it goes to the next worker. */
const close = { connection: "close" }

const pidsOf = (program: Program): ReadonlyArray<number> =>
  program.log.flatMap(({ annotations, message }) => (message === "a worker serves" ? [annotations.pid] : []))
const served = (program: Program, count: number) =>
  eventually(`${count} workers have served`, () => {
    const pids = pidsOf(program)
    return pids.length >= count ? pids : undefined
  })

/** Sends a request on a connection of its own: each of these goes to the next worker. */
const alone = (server: Server, path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    get(
      server.url + path,
      { agent: false, headers: { authorization: `Bearer ${server.key}`, ...headers } },
      (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode!))
      }
    ).once("error", reject)
  })

/** Sends requests by clients at once, each on an agent, until it is stopped. Returns how many ended by status or error. */
const requesting = (server: Server, agents: ReadonlyArray<Agent | false>) => {
  const outcomes = new Map<number | string, number>()
  let isOver = false
  const clients = agents.map(async (agent) => {
    while (!isOver) {
      const outcome = await new Promise<number | string>((resolve) => {
        get(`${server.url}/notebooks`, { agent, headers: { authorization: `Bearer ${server.key}` } }, (response) => {
          response.resume()
          response.once("end", () => resolve(response.statusCode!)).once("error", () => resolve("connection"))
        }).once("error", (error: NodeJS.ErrnoException) => resolve(error.code!))
      })
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(clients)
    return [...outcomes.keys()]
  }
  return { outcomes, stop }
}

/** Opens a stream, and returns its status and what ends it. */
const streaming = (server: Server) =>
  new Promise<{ readonly status: number; readonly end: () => void }>((resolve, reject) => {
    const request = get(
      `${server.url}/sync/stream`,
      { agent: false, headers: { authorization: `Bearer ${server.key}` } },
      (response) => {
        response.on("error", () => {}).resume()
        resolve({ status: response.statusCode!, end: () => request.destroy() })
      }
    ).once("error", reject)
  })

afterAll(async () => {
  await endPrograms()
  rmSync(folder, { recursive: true, force: true })
})

describe("a server of three workers", () => {
  let program: Program
  let server: Server

  beforeAll(async () => {
    program = new Program(env)
    server = await program.server()
    await served(program, 3)
  })

  it("shares limits, streams and the search index", async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, () => streaming(server)))
    expect(opened.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429])
    for (const { end } of opened) end()
    await eventually("a stream is free", async () => {
      const next = await streaming(server)
      next.end()
      return next.status === 200 ? true : undefined
    })
    const note = { notebook_id: await inboxOf(server), title: "Vienna", body: "by night train" }
    expect((await call(server, "POST", "/notes", note)).status).toBe(201)
    for (let worker = 0; worker < 3; worker++) {
      const { body } = await call(server, "POST", "/search", { query: "vienna" }, close)
      expect(body.hits).toMatchObject([{ title: "Vienna" }])
    }
    const wrong = { ...server, key: `sfk_${"x".repeat(36)}` }
    const statuses = await Promise.all(Array.from({ length: 30 }, () => alone(wrong, "/notebooks")))
    expect([
      statuses.filter((status) => status === 401).length,
      statuses.filter((status) => status === 429).length
    ]).toEqual([20, 10])
  })

  it("counts requests and wrong passwords of all workers together, which are one node", async () => {
    const left = async () => {
      const { headers } = await call(server, "GET", "/notebooks", undefined, close)
      return Number(/r=(\d+)/.exec(headers.get("ratelimit")!)![1])
    }
    const first = await left()
    expect([await left(), await left(), await left()]).toEqual([first - 1, first - 2, first - 3])
    const logIn = async (network: number, password = "wrong") => {
      const headers = { ...close, "x-forwarded-for": `10.0.${network}.1` }
      const { body, status } = await call(server, "POST", "/auth/login", { email: "ops@sheaf.test", password }, headers)
      return status === 200 ? body.access_token : body.code
    }
    await startCommand(env, "user add ops@sheaf.test --password-stdin", "correct horse battery\n").ended
    for (let attempt = 0; attempt < 10; attempt++) expect(await logIn(1)).toBe("invalid_credentials")
    for (let worker = 0; worker < 3; worker++) expect(await logIn(1, "correct horse battery")).toBe("login_throttled")
    await startCommand(env, "user make-operator ops@sheaf.test").ended
    const key = await logIn(2, "correct horse battery")
    const nodes = await eventually("all workers have reported", async () => {
      const { data } = (await call({ ...server, key }, "GET", "/admin/nodes")).body
      return data[0].workers === 3 ? data : undefined
    })
    expect(nodes).toMatchObject([{ id: expect.not.stringContaining("/") }])
    expect((await call({ ...server, key }, "GET", "/admin/server")).body.nodes).toBe(1)
  })

  it.runIf(isSlow)("delays attempts with a guessed password of a share one after the other", async () => {
    const note = { notebook_id: await inboxOf(server), title: "Shared" }
    const { body: shared } = await call(server, "POST", "/notes", note)
    const { body } = await call(server, "POST", "/shares", { note_id: shared.id, password: "open sesame" })
    const page = new URL(new URL(body.url).pathname, server.url)
    const enter = async (network: number, password: string) => {
      const headers = { ...close, "x-forwarded-for": `10.1.${network}.1` }
      const form = new URLSearchParams({ password })
      return (await fetch(page, { method: "POST", body: form, headers, redirect: "manual" })).status
    }
    for (let attempt = 0; attempt < 100; attempt++) expect(await enter(Math.floor(attempt / 10), "wrong")).toBe(401)
    const began = performance.now()
    expect(await Promise.all([20, 21, 22].map((network) => enter(network, "open sesame")))).toEqual([303, 303, 303])
    expect(performance.now() - began).toBeGreaterThan(14_900)
  })

  it("adds up its metrics", async () => {
    const countOf = async () => {
      const { body } = await call({ ...server, url: new URL(server.url).origin }, "GET", "/metrics")
      const found = /^sheaf_http_requests_total\{[^}]*route="\/v2\/notebooks"[^}]*status="2xx"[^}]*\} (\d+)$/m.exec(
        body
      )
      expect(body).toContain('process_resident_memory_bytes{worker="1"}')
      return Number(found?.[1] ?? 0)
    }
    const before = await countOf()
    for (let request = 0; request < 6; request++) expect(await alone(server, "/notebooks")).toBe(200)
    expect(await countOf()).toBe(before + 6)
  })

  it("replaces a worker that is killed, loses nothing that was acknowledged, and frees what it held", async () => {
    const opened = await Promise.all(Array.from({ length: 3 }, () => streaming(server)))
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200])
    const notebook_id = await inboxOf(server)
    const stored: Array<string> = []
    const failures: Array<string> = []
    let isOver = false
    const writing = Array.from({ length: 6 }, async (_, client) => {
      for (let turn = 0; !isOver; turn++) {
        const note = { notebook_id, title: `${client} ${turn}` }
        await call(server, "POST", "/notes", note).then(
          ({ body, status }) => (status === 201 ? stored.push(body.id) : failures.push(`${status} ${body?.code}`)),
          () => failures.push("connection")
        )
      }
    })
    await eventually("notes are written", () => (stored.length > 30 ? true : undefined))
    process.kill(pidsOf(program)[1]!, "SIGKILL")
    await served(program, 4)
    const after = stored.length
    await eventually("notes are written again", () => (stored.length > after + 30 ? true : undefined))
    isOver = true
    await Promise.all(writing)
    expect(failures.filter((failure) => failure !== "connection")).toEqual([])
    const ids = new Set((await listAll(server, "/notes")).map(({ id }) => id))
    expect(stored.filter((id) => !ids.has(id))).toEqual([])
    for (const { end } of opened) end()
    await eventually("streams are free", async () => {
      const next = await Promise.all(Array.from({ length: 3 }, () => streaming(server)))
      for (const { end } of next) end()
      return next.every(({ status }) => status === 200) ? true : undefined
    })
  })

  it("ends the requests of a worker that is killed, also while the parent is busy", async () => {
    const agent = new Agent({ keepAlive: true })
    const clients = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? agent : false))
    const { outcomes, stop } = requesting(server, clients)
    for (let round = 0; round < rounds(2, 30); round++) {
      const pids = pidsOf(program)
      const oldest = pids.find(runs)!
      let seen = outcomes.get(200) ?? 0
      await eventually("requests are answered", () => (outcomes.get(200) ?? 0) > seen + 50)
      if (round % 2 === 0) {
        // The parent receives questions of the worker after its end.
        program.child.kill("SIGSTOP")
        await eventually("all clients wait", () => seen === (seen = outcomes.get(200)!))
      }
      process.kill(oldest, "SIGKILL")
      await eventually("the worker ends", () => !runs(oldest))
      program.child.kill("SIGCONT")
      await served(program, pids.length + 1)
    }
    // A client whose request never ends does not stop.
    expect(await stop()).toContain(200)
    agent.destroy()
  })

  it("replaces its workers in turn at SIGHUP, and refuses no request", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 3 })
    const { stop } = requesting(server, [agent, agent, agent, false, false])
    const before = pidsOf(program).length
    process.kill(program.child.pid!, "SIGHUP")
    await served(program, before + 3)
    await eventually("the workers are replaced", () =>
      program.log.some(({ message }) => message === "the workers are replaced") ? true : undefined
    )
    expect(await stop()).toEqual([200])
    agent.destroy()
  })

  it("ends with all its workers, also if the parent is killed, and starts again", async () => {
    expect(await program.kill("SIGTERM")).toBe(0)
    const again = new Program(env)
    await again.server()
    const pids = await served(again, 3)
    again.child.kill("SIGKILL")
    await again.ended
    await eventually("the workers have ended", () =>
      pids.every((pid) => {
        try {
          return !process.kill(pid, 0)
        } catch {
          return true
        }
      })
        ? true
        : undefined
    )
    const third = new Program(env)
    const { key, url } = await third.server()
    // While the other workers start.
    process.kill(third.child.pid!, "SIGHUP")
    expect((await listAll({ key, url }, "/notes")).length).toBeGreaterThan(60)
    await eventually("the workers are replaced", () =>
      third.log.some(({ message }) => message === "the workers are replaced") ? true : undefined
    )
    expect(await third.kill("SIGTERM")).toBe(0)
  })
})

it("a worker of another version than its parent does not start", async () => {
  const start = JSON.stringify({ isFirst: false, version: "0.0.1" })
  const worker = fork("dist/main.js", { env: { ...env, SHEAF_WORKER: start }, silent: true })
  const errors = text(worker.stderr!)
  expect([await once(worker, "exit"), await errors]).toEqual([
    [1, null],
    expect.stringMatching(
      /^sheaf: The program is now version \S+, and the parent of this worker is still 0\.0\.1: restart/
    )
  ])
})
