import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { Streams } from "../../services/sync/Streams.ts"
import {
  type ClientOptions,
  createClient,
  follow,
  memorySession,
  type Session
} from "../../src/clients/client/SheafClient.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"

let sheaf: Sheaf
let notebook_id: string
beforeAll(async () => {
  sheaf = await Sheaf.start({ postgres: inject("postgres") })
  notebook_id = (await sheaf.client.listNotebooks()).data[0]!.id
})
afterAll(() => sheaf.stop())

const openStreams = () => sheaf.run(Effect.map(Streams, (streams) => streams.count()))

/** A client that notes the paths of its requests. */
const watched = (options: Omit<ClientOptions, "url">) => {
  const requests: Array<string> = []
  const watching: typeof fetch = (url, init) => {
    requests.push(String(url).slice(sheaf.url.length))
    return fetch(url, init)
  }
  return { client: createClient({ url: sheaf.url, longestWait: 5, fetch: watching, ...options }), requests }
}

it("a session that expires while the stream is open is refreshed once", async () => {
  const { client, requests } = watched({})
  await client.signUp({ email: "anna@example.org", password: "correct horse battery" })
  const [notebook] = (await client.listNotebooks()).data
  const ending = new AbortController()
  let isLive = false
  const titles: Array<unknown> = []
  const ended = (async () => {
    const onConnection = (error: unknown) => (isLive = error === undefined)
    for await (const { changes } of follow(client, { signal: ending.signal, onConnection })) {
      for (const { data, type } of changes) if (type === "note") titles.push((data as { title: string }).title)
    }
  })()
  await expect.poll(() => isLive).toBe(true)
  requests.splice(0)
  await sheaf.advance("61 minutes")
  await client.createNote({ notebook_id: notebook!.id, title: "An hour later" })
  await expect.poll(() => titles).toEqual(["An hour later"])
  expect(requests.filter((path) => path === "/auth/refresh")).toHaveLength(1)
  ending.abort()
  await ended
  await expect.poll(openStreams).toBe(0)
})

it("a session that was ended elsewhere is forgotten, with the problem", async () => {
  const anna = { email: "anna.twice@example.org", password: "correct horse battery" }
  const elsewhere = createClient({ url: sheaf.url })
  await elsewhere.signUp(anna)
  const written: Array<unknown> = []
  const kept = memorySession()
  const write = async (session: Session | undefined) => {
    written.push(session?.user.email)
    await kept.write(session)
  }
  const { client, requests } = watched({ session: { read: kept.read, write } })
  await client.signIn(anna)
  await elsewhere.revokeOtherSessions()
  requests.splice(0)
  await expect(client.getMe()).rejects.toMatchObject({ problem: { status: 401, code: "invalid_token" } })
  expect([requests, written]).toEqual([
    ["/me", "/auth/refresh"],
    [anna.email, undefined]
  ])
})

it("a key that is deleted ends follow with the problem, after few requests", async () => {
  const { id, secret } = await sheaf.client.createApiKey({ name: "Short", scopes: ["notes:read"] })
  const { client, requests } = watched({ key: secret })
  const following = async () => {
    for await (const _ of follow(client, { onConnection: () => void sheaf.client.deleteApiKey({ id }) })) continue
  }
  await expect(following()).rejects.toMatchObject({ problem: { code: "invalid_token" } })
  expect(requests).toEqual(["/sync/pull", "/sync/stream", "/sync/pull"])
})

it("an app that does not read for a long time misses nothing", async () => {
  const ending = new AbortController()
  const batches = follow(sheaf.client, { signal: ending.signal, types: ["note"] })
  // The page, and the beginning of the stream.
  await batches.next()
  await batches.next()
  expect(await openStreams()).toBe(1)
  const body = "long ".repeat(150_000)
  const written: Array<string> = []
  for (let each = 0; each < 20; each++) {
    written.push((await sheaf.client.createNote({ notebook_id, title: `Long ${each}`, body })).id)
  }
  await sheaf.advance("2 minutes")
  await expect.poll(openStreams).toBe(0)
  const received: Array<string> = []
  while (received.length < written.length) {
    for (const { id } of (await batches.next()).value?.changes ?? []) received.push(id)
  }
  expect(received).toEqual(written)
  ending.abort()
  await batches.next()
})

it("break closes the stream, and the process can end", async () => {
  for await (const { isWhole } of follow(sheaf.client)) if (isWhole) break
  const program = `
    import { createClient, follow } from "./src/clients/client/SheafClient.ts"
    const client = createClient({ url: "${sheaf.url}", key: "${sheaf.key}" })
    let isLive = false
    for await (const batch of follow(client, { onConnection: () => (isLive = true) })) if (isLive) break
    console.log("ended")`
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", program], { stdio: "pipe" })
  let output = ""
  child.stdout.on("data", (text) => (output += text))
  child.stderr.on("data", (text) => (output += text))
  expect([await once(child, "close"), output]).toEqual([[0, null], "ended\n"])
  await expect.poll(openStreams).toBe(0)
})
