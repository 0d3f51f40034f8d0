import { Effect, Layer, ManagedRuntime } from "effect"
import fc from "fast-check"
import { once } from "node:events"
import { createServer, IncomingMessage, type RequestListener, type Server } from "node:http"
import { type AddressInfo, connect, Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { Admission, defaults, type Limits } from "../src/http/Admission.ts"
import * as Connection from "../src/http/Connection.ts"
import { Connections } from "../src/http/Connections.ts"

let end: Array<() => Promise<unknown> | void> = []
afterEach(async () => {
  for (const each of end.splice(0).reverse()) await each()
})

/** Of `atOnce` alone, reads have as many. */
const make = async (limits: Partial<Limits>) => {
  const { atOnce = defaults.atOnce, readsAtOnce = limits.atOnce ?? defaults.readsAtOnce } = limits
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(
      Connections.layer(Connection.defaults),
      Admission.layer({ ...defaults, ...limits, atOnce, readsAtOnce })
    )
  )
  end.push(() => runtime.dispose())
  return {
    admission: await runtime.runPromise(Effect.service(Admission)),
    connections: await runtime.runPromise(Effect.service(Connections))
  }
}

const listen = async (limits: Partial<Limits>, answer: RequestListener) => {
  const { admission, connections } = await make(limits)
  const server: Server = connections.watch(createServer(answer))
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  end.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  /** A connection from an address of 127.0.0.0/8, on which so much was sent. */
  const open = async (localAddress: string, text: string): Promise<Socket> => {
    const socket = connect({ port, host: "127.0.0.1", localAddress })
    socket.on("error", () => {})
    end.push(() => void socket.destroy())
    await once(socket, "connect")
    socket.write(text)
    return socket
  }
  return { admission, open }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, "data"))[0])

/** Requests that are held until they are answered one by one. */
const holding = () => {
  const held: Array<{ readonly url: string; readonly answer: () => void }> = []
  const listener: RequestListener = ({ url }, response) =>
    void held.push({ url: url!, answer: () => response.end("ok") })
  return { held, listener }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

const requestOf = (user: string): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  request.headers = { authorization: `Bearer ${user}` }
  return request
}

const enter = (admission: Admission["Service"], user: string, begun: (leave: () => void) => void): void => {
  const request = requestOf(user)
  admission.enter(request, () => begun(() => admission.leave(request)))
}

describe("admission", () => {
  it("works on so many requests of a network at a time, and on another's beside them", async () => {
    const { held, listener } = holding()
    const { admission, open } = await listen({ atOnce: 3 }, listener)
    for (let index = 0; index < 10; index++) await open("127.0.0.2", get("/flood"))
    await expect.poll(() => admission.waiting()).toBe(7)
    await open("127.0.0.3", get("/other"))
    await open("127.0.0.2", get("/healthz"))
    await expect.poll(() => held.length).toBe(5)
    expect(held.map(({ url }) => url).sort()).toEqual(["/flood", "/flood", "/flood", "/healthz", "/other"])
    for (let index = 0; index < 12; index++) {
      await expect.poll(() => held.length).toBeGreaterThan(index)
      held[index]!.answer()
    }
    await expect.poll(() => admission.waiting()).toBe(0)
  })

  it("knows a user by a credential that was good, wherever it comes from, and takes no stranger's word", async () => {
    const { held, listener } = holding()
    const { admission, open } = await listen({ atOnce: 1 }, listener)
    admission.know("sfk_one", "us_a")
    admission.know("sfk_two", "us_a")
    const as = (secret: string) => `GET /${secret} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\n\r\n`
    await open("127.0.0.2", as("sfk_one"))
    await expect.poll(() => held.length).toBe(1)
    await open("127.0.0.3", as("sfk_two"))
    await expect.poll(() => admission.waiting()).toBe(1)
    await open("127.0.0.2", as("sfk_invented"))
    await expect.poll(() => held.length).toBe(2)
    await open("127.0.0.2", as("sfk_invented_too"))
    await expect.poll(() => admission.waiting()).toBe(2)
    expect(held.map(({ url }) => url)).toEqual(["/sfk_one", "/sfk_invented"])
  })

  it("works on fewer reads of a user than writes, and on both beside each other", async () => {
    const { held, listener } = holding()
    const { admission, open } = await listen({ atOnce: 4, readsAtOnce: 2 }, listener)
    admission.know("sfk_one", "us_a")
    for (const line of ["GET /read", "POST /write"]) {
      for (let index = 0; index < 6; index++) {
        await open(
          "127.0.0.2",
          `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sfk_one\r\nContent-Length: 0\r\n\r\n`
        )
      }
    }
    await expect.poll(() => admission.waiting()).toBe(6)
    expect(held.map(({ url }) => url).sort()).toEqual(["/read", "/read", "/write", "/write", "/write", "/write"])
  })

  it("begins a few requests in a turn of the main loop, of callers in turn", async () => {
    const { admission } = await make({ few: 1, perTurn: { known: 4, strangers: 1 } })
    const begun: Array<string> = []
    const ask = (user: string) => enter(admission, user, (leave) => void (begun.push(user), leave()))
    for (const user of ["a", "b"]) admission.know(user, user)
    for (let index = 0; index < 20; index++) ask("a")
    for (const stranger of ["?", "?", "?", "b", "b"]) ask(stranger)
    expect(begun.join("")).toBe("aaaa")
    await turn()
    expect(begun).toHaveLength(9)
    while (begun.length < 25) await turn()
    // In each turn four of those who are known and one stranger; among the known a and b alternate.
    expect(begun.join("")).toBe(`aaaa${"abab?"}${"aaaa?"}${"aaaa?"}${"a".repeat(6)}`)
    expect(admission.waiting()).toBe(0)
  })

  it("begins first what is asked by whoever has the fewest under way, and one of whoever has the most", async () => {
    const { admission } = await make({ few: 3, perTurn: { known: 6, strangers: 1 } })
    const begun: Array<string> = []
    const ask = (user: string) => enter(admission, user, () => void begun.push(user))
    for (const user of ["a", "b", "c"]) admission.know(user, user)
    for (const user of "a".repeat(20)) ask(user)
    for (const user of "bbbbcc") ask(user)
    expect(begun.join("")).toBe("aaaaaa")
    await turn()
    expect(begun.join("")).toBe(`aaaaaa${"abcbcb"}`)
    await turn()
    expect(begun.join("")).toBe(`aaaaaa${"abcbcb"}${"abaaaa"}`)
  })

  it("counts what waits in a queue as under way, and others of its caller are worked on meanwhile", async () => {
    const { admission } = await make({ atOnce: 2, few: 8, perTurn: { known: 2, strangers: 1 } })
    const begun: Array<string> = []
    const ends: Array<() => void> = []
    const ask = (user: string, isQueued: boolean) => {
      const request = requestOf(user)
      admission.enter(request, () => {
        begun.push(user)
        ends.push(() => admission.leave(request))
        if (isQueued) admission.giveWay(request)
      })
    }
    for (const user of ["a", "b"]) admission.know(user, user)
    for (const user of "aaaaaa") ask(user, true)
    await turn()
    expect(begun.join("")).toBe("aaaa")
    // What was answered, or waits no longer for a turn, is not under way any more.
    for (const user of "bb") ask(user, false)
    await turn()
    expect(begun.join("")).toBe("aaaaab")
    for (const end of ends.splice(0)) end()
    await turn()
    expect(begun.join("").slice(6)).toBe("ab")
    expect(admission.waiting()).toBe(0)
  })

  it("forgets nobody, and works on no more of a caller at a time, whatever they ask and whenever they are answered", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ user: fc.constantFrom(..."abcd?"), does: fc.constantFrom("stays", "ends", "queues") }), {
          minLength: 1,
          maxLength: 60
        }),
        fc.record({ atOnce: fc.integer({ min: 1, max: 5 }), few: fc.integer({ min: 0, max: 4 }) }),
        async (asked, limits) => {
          const { admission } = await make({ ...limits, perTurn: { known: 3, strangers: 1 } })
          for (const user of "abcd") admission.know(user, user)
          const running = new Map<string, number>()
          const count = (user: string, by: number) => running.set(user, (running.get(user) ?? 0) + by)
          const later: Array<() => void> = []
          let begun = 0
          for (const { does, user } of asked) {
            const request = requestOf(user)
            admission.enter(request, () => {
              begun++
              count(user, 1)
              expect(running.get(user)).toBeLessThanOrEqual(limits.atOnce)
              const leave = (by: number) => () => (count(user, by), admission.leave(request))
              if (does === "queues") {
                count(user, -1)
                admission.giveWay(request)
              }
              if (does === "ends") leave(-1)()
              else later.push(leave(does === "queues" ? 0 : -1))
            })
          }
          while (begun < asked.length) {
            await turn()
            later.shift()?.()
          }
          for (const leave of later) leave()
          expect(admission.waiting()).toBe(0)
        }
      ),
      { numRuns: 40 }
    )
  })

  it("begins no more at once than it works on at a time", async () => {
    const { admission } = await make({ atOnce: 2, few: 8 })
    const running: Array<() => void> = []
    admission.know("a", "a")
    for (const user of "a".repeat(7)) enter(admission, user, (leave) => void running.push(leave))
    expect(running).toHaveLength(2)
    for (const leave of running.splice(0)) leave()
    await turn()
    expect([running.length, admission.waiting()]).toEqual([2, 3])
  })

  it("forgets who hangs up while they wait", async () => {
    const { held, listener } = holding()
    const { admission, open } = await listen({ atOnce: 1 }, listener)
    await open("127.0.0.2", get("/first"))
    await expect.poll(() => held.length).toBe(1)
    const gone = await open("127.0.0.2", get("/gone"))
    await expect.poll(() => admission.waiting()).toBe(1)
    gone.destroy()
    await expect.poll(() => admission.waiting()).toBe(0)
    await open("127.0.0.2", get("/last"))
    await expect.poll(() => admission.waiting()).toBe(1)
    held[0]!.answer()
    await expect.poll(() => held.length).toBe(2)
    expect(held[1]!.url).toBe("/last")
  })

  it("refuses what is one too many, and what has waited for too long", async () => {
    const held: Array<() => void> = []
    const { admission, open } = await listen({ atOnce: 1, maxWaiting: 2, maxWait: 200 }, (request, response) => {
      if (admission.isRefused(request)) response.end("refused")
      else held.push(() => response.end("ok"))
    })
    const first = await open("127.0.0.2", get("/"))
    await expect.poll(() => held.length).toBe(1)
    const waiting = [await open("127.0.0.2", get("/")), await open("127.0.0.2", get("/"))]
    const late = waiting.map(answerOf)
    expect(await answerOf(await open("127.0.0.2", get("/")))).toContain("refused")
    for (const answer of late) expect(await answer).toContain("refused")
    held[0]!()
    expect(await answerOf(first)).toContain("ok")
    expect([held.length, admission.waiting()]).toEqual([1, 0])
  })

  it("gives no place to a short body that has not come", async () => {
    const { held, listener } = holding()
    const { admission, open } = await listen({ atOnce: 1 }, listener)
    const post = "POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
    const half = await open("127.0.0.2", `${post}ha`)
    await open("127.0.0.2", get("/get"))
    await expect.poll(() => held.length).toBe(1)
    half.write("lf")
    await expect.poll(() => admission.waiting()).toBe(1)
    held[0]!.answer()
    await expect.poll(() => held.length).toBe(2)
    expect(held.map(({ url }) => url)).toEqual(["/get", "/post"])
  })
})
