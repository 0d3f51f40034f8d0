import fc from "fast-check"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { beforeAll, expect, it } from "vitest"
import { guest, type Guest } from "../support/people/People.ts"
import { meanwhile } from "../support/EventStream.ts"
import type { ApiResponse } from "../support/TestApp.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { IdPool } from "../support/hostile/IdPool.ts"
import { type DrawnRequest, requestsOf } from "../support/hostile/Requests.ts"
import { fault } from "../support/hostile/Sound.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

/** `FUZZ_ROUNDS=500` sets the number of rounds; `FUZZ_SEED` repeats the requests of a run. */
const turns = Number(process.env["FUZZ_ROUNDS"] ?? rounds(10, 100))
const seed = Number(process.env["FUZZ_SEED"] ?? (isSlow ? Math.floor(Math.random() * 2 ** 31) : 1))

/** Milliseconds for each response, however busy the machine is, to end requests that hang. */
const answerWithin = 120_000
const perRound = 64

const { app } = useApp()
let keys: Record<DrawnRequest["caller"], string | undefined>
const pool = new IdPool()

beforeAll(async () => {
  const viewer: Guest = await guest(app, { role: "viewer" })
  const foreign: Guest = await guest(app, { elsewhere: true })
  keys = { owner: app.key, viewer: viewer.key, foreign: foreign.key, nobody: undefined, garbage: "sfk_garbage" }
  const theirs = await app.call("POST", "/notebooks", { name: "theirs" }, foreign.headers)
  const note = await app.call("POST", "/notes", { notebook_id: theirs.body.id, title: "theirs" }, foreign.headers)
  for (const { body } of [theirs, note]) pool.learn(body, true)
  pool.learn((await app.call("GET", "/notebooks")).body)
})

/** Replaces the placeholders of a text by existing ids. */
const filled = (text: string, escape: (id: string) => string): string =>
  text.replaceAll(/@@([a-z]+):(\d+)@@/g, (_, kind: string, draw: string) => escape(pool.pick(kind, Number(draw))))

const inAddress = (id: string) => encodeURIComponent(id.toWellFormed())
const inHeader = (id: string) => id.replaceAll(/[^\x21-\x7e]/g, "!")

/** The request as it is sent. */
const outgoing = (drawn: DrawnRequest) => {
  const query = drawn.query.map(
    ([name, value]) =>
      `${inAddress(name)}=${filled(inAddress(value).replaceAll("%40%40", "@@").replaceAll("%3A", ":"), inAddress)}`
  )
  const path = filled(drawn.path.replaceAll("%40%40", "@@").replaceAll("%3A", ":"), inAddress)
  const key = keys[drawn.caller]
  return {
    method: drawn.method,
    url: `${app.url}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(drawn.body === undefined ? {} : { "content-type": "application/json" }),
      ...Object.fromEntries(Object.entries(drawn.headers).map(([name, value]) => [name, filled(value, inHeader)]))
    },
    ...(drawn.body === undefined || drawn.method === "GET" || drawn.method === "HEAD"
      ? {}
      : { body: filled(drawn.body, (id) => JSON.stringify(id).slice(1, -1)) })
  }
}

const exchange = async (drawn: DrawnRequest): Promise<ApiResponse> => {
  const { url, ...init } = outgoing(drawn)
  const abort = new AbortController()
  const response = await fetch(url, {
    ...init,
    signal: AbortSignal.any([abort.signal, AbortSignal.timeout(answerWithin)])
  })
  const { headers, status } = response
  if (headers.get("content-type")?.startsWith("text/event-stream") === true) {
    abort.abort()
    return { status, headers, text: "", body: undefined }
  }
  const text = await response.text()
  const isJson = text !== "" && /json/.test(headers.get("content-type") ?? "")
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

/** Sends a request and returns what is wrong with the response, if anything. HEAD has no body to check. */
const judged = async (drawn: DrawnRequest): Promise<string | undefined> => {
  const sent = () => JSON.stringify(outgoing(drawn)).slice(0, 3_000)
  try {
    const answer = await exchange(drawn)
    if (drawn.caller === "owner" && answer.status < 300) pool.learn(answer.body)
    if (answer.status < 300) done.add(`${drawn.method} ${drawn.path.replaceAll(/@@[^/]*@@/g, "{id}")}`)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const wrong = drawn.method === "HEAD" ? answer.status >= 500 : fault(answer)
    return wrong ? `${wrong}: ${answer.status} ${answer.text.slice(0, 1_000)}\nto ${sent()}` : undefined
  } catch (error) {
    return `no answer: ${String(error)}\nto ${sent()}`
  }
}

/** Replaces credentials that a request has ended. */
const renewKeys = async () => {
  const isGood = async (key: string | undefined) =>
    (await fetch(`${app.url}/tags?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status !== 401
  if (!(await isGood(keys.owner))) keys.owner = (await guest(app, { role: "owner" })).key
  if (!(await isGood(keys.viewer))) keys.viewer = (await guest(app, { role: "viewer" })).key
}

const statuses = new Map<number, number>()
/** The operations that succeeded at least once. */
const done = new Set<string>()

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const heap = async (): Promise<number> => {
  for (let turn = 0; turn < 3; turn++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return process.memoryUsage().heapUsed
}

it(
  `random requests cause no error and no memory leak (FUZZ_SEED=${seed}, ${turns} rounds)`,
  { timeout: turns * 60_000 },
  async () => {
    const document = (await app.call("GET", "/openapi.json")).body
    const requests = requestsOf(document)
    let before = 0
    for (let round = 0; round < turns; round++) {
      const drawn = fc.sample(requests, { seed: seed + round, numRuns: perRound })
      const left = drawn.values()
      const faults: Array<string> = []
      const all = Promise.all(
        Array.from({ length: 8 }, async () => {
          for (const each of left) {
            const found = await judged(each)
            if (found !== undefined) faults.push(found)
          }
        })
      )
      // Only long polls take longer, because they wait for the test clock.
      await Promise.race([all, new Promise((resolve) => setTimeout(resolve, 500))])
      await meanwhile([app], all)
      if (faults.length > 0) expect.fail(`FUZZ_SEED=${seed}, round ${round}:\n${faults.join("\n\n")}`)
      await renewKeys()
      // One minute resets the rate limits; sometimes a day passes, which expires cursors.
      await app.advance(round % 50 === 49 ? "25 hours" : "61 seconds")
      if (round === Math.floor(turns * 0.4)) before = await heap()
    }
    const grown = ((await heap()) - before) / 1024 / 1024
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
    console.log(
      `fuzz: ${total} requests, grown by ${grown.toFixed(1)} MiB`,
      Object.fromEntries([...statuses].sort(([a], [b]) => a - b))
    )
    expect(grown).toBeLessThan(48)
    // If all requests were refused, the test would prove nothing; one or two rounds reach most operations.
    expect(done.size).toBeGreaterThan(10)
    await expectTruth(app)
  }
)
