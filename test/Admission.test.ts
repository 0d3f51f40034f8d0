import { Deferred, Effect, Exit, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { describe, expect, it } from "vitest"
import { Admission, defaults, type Limits, releasePermit } from "../src/server/http/server/Admission.ts"
import { ClientAddress } from "../src/server/http/server/ClientAddress.ts"

type Request = HttpServerRequest.HttpServerRequest

const requestOf = (path: string, from: string, secret?: string, method = "GET"): Request =>
  HttpServerRequest.fromWeb(
    new Request(`http://sheaf.test${path}`, {
      method,
      headers: { from, ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }) }
    })
  )

/** Runs a test with requests that are processed until the test ends them by name. */
const admitting = (limits: Partial<Limits>, test: (on: On) => Effect.Effect<void, unknown>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const admission = yield* Admission
      const running = new Map<string, Deferred.Deferred<void>>()
      const send = (name: string, request: Request) =>
        Effect.gen(function* () {
          const end = yield* Deferred.make<void>()
          const processing = Effect.suspend(() => {
            running.set(name, end)
            return Effect.ensuring(
              Deferred.await(end),
              Effect.sync(() => running.delete(name))
            )
          })
          const fiber = yield* Effect.forkChild(admission.admit(request, processing))
          yield* Effect.yieldNow
          return fiber
        })
      yield* test({ admission, send, names: () => [...running.keys()], end: (name) => settle(running.get(name)!) })
    }).pipe(
      Effect.provide(Admission.layer({ ...defaults, ...limits })),
      Effect.provideService(ClientAddress, ({ headers }) => String(headers["from"]))
    )
  )

interface On {
  readonly admission: Admission["Service"]
  readonly send: (name: string, request: Request) => Effect.Effect<Fiber.Fiber<void, unknown>>
  readonly names: () => ReadonlyArray<string>
  readonly end: (name: string) => Effect.Effect<void>
}

const settle = (deferred: Deferred.Deferred<void>) =>
  Effect.gen(function* () {
    yield* Deferred.succeed(deferred, undefined)
    for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
  })

describe("admission", () => {
  it("limits the concurrent requests of a network, but not those of other networks and of probes", () =>
    admitting({ perCaller: 2 }, ({ admission, end, names, send }) =>
      Effect.gen(function* () {
        for (const name of ["a1", "a2", "a3", "a4"]) yield* send(name, requestOf("/s/x", "10.0.0.1"))
        yield* send("b1", requestOf("/s/x", "10.0.0.2"))
        yield* send("probe", requestOf("/readyz", "10.0.0.1"))
        expect(names()).toEqual(["a1", "a2", "b1", "probe"])
        expect(admission.waiting()).toBe(2)
        yield* end("a1")
        expect(names()).toEqual(["a2", "b1", "probe", "a3"])
      })
    ))

  it("counts the requests of a user together, wherever they come from, once the credential was accepted", () =>
    admitting({ perCaller: 1 }, ({ admission, names, send }) =>
      Effect.gen(function* () {
        admission.know("sfk_one", "us_a")
        admission.know("sfk_two", "us_a")
        yield* send("one", requestOf("/v2/notes", "10.0.0.1", "sfk_one"))
        yield* send("two", requestOf("/v2/notes", "10.0.0.2", "sfk_two"))
        yield* send("invented", requestOf("/v2/notes", "10.0.0.1", "sfk_invented"))
        yield* send("invented too", requestOf("/v2/notes", "10.0.0.1", "sfk_invented_too"))
        expect(names()).toEqual(["one", "invented"])
        expect(admission.waiting()).toBe(2)
      })
    ))

  it("does not delay a user's reads by the user's writes", () =>
    admitting({ perCaller: 1 }, ({ admission, names, send }) =>
      Effect.gen(function* () {
        admission.know("sfk_one", "us_a")
        yield* send("write", requestOf("/v2/sync/push", "10.0.0.1", "sfk_one", "POST"))
        yield* send("search", requestOf("/v2/search", "10.0.0.1", "sfk_one", "POST"))
        yield* send("read", requestOf("/v2/notes", "10.0.0.1", "sfk_one"))
        expect(names()).toEqual(["write", "search"])
      })
    ))

  it("takes calls of MCP tools as reads if the address has mode=read, else as writes", () =>
    admitting({ perCaller: 1 }, ({ admission, names, send }) =>
      Effect.gen(function* () {
        admission.know("sfk_one", "us_a")
        yield* send("call", requestOf("/mcp", "10.0.0.1", "sfk_one", "POST"))
        yield* send("write", requestOf("/v2/notes", "10.0.0.1", "sfk_one", "POST"))
        yield* send("reading call", requestOf("/mcp?mode=read", "10.0.0.1", "sfk_one", "POST"))
        expect(names()).toEqual(["call", "reading call"])
      })
    ))

  it("processes another request while one waits for changes", () =>
    admitting({ perCaller: 1 }, ({ end, names, send }) =>
      Effect.gen(function* () {
        const poll = requestOf("/v2/sync/pull", "10.0.0.1")
        yield* send("poll", poll)
        yield* send("next", requestOf("/v2/notes", "10.0.0.1"))
        expect(names()).toEqual(["poll"])
        releasePermit(poll)
        yield* Effect.yieldNow
        yield* Effect.yieldNow
        expect(names()).toEqual(["poll", "next"])
        // Its end does not release a second permit.
        yield* send("last", requestOf("/v2/notes", "10.0.0.1"))
        yield* end("poll")
        expect(names()).toEqual(["next"])
      })
    ))

  it("refuses a request when too many of its caller wait, and removes one whose client disconnects", () =>
    admitting({ perCaller: 1, maxWaitingPerCaller: 1 }, ({ admission, send }) =>
      Effect.gen(function* () {
        yield* send("first", requestOf("/s/x", "10.0.0.1"))
        const waiting = yield* send("waiting", requestOf("/s/x", "10.0.0.1"))
        const refused = yield* Fiber.await(yield* send("refused", requestOf("/s/x", "10.0.0.1")))
        expect(Exit.findErrorOption(refused)).toMatchObject({ value: { code: "overloaded", retry_after: 2 } })
        yield* Fiber.interrupt(waiting)
        expect(admission.waiting()).toBe(0)
      })
    ))
})
