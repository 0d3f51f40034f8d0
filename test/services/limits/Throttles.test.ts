import { Cause, Deferred, Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { RateLimited, Unauthorized, Unavailable } from "../../../services/Errors.ts"
import { RateCounters } from "../../../services/limits/RateCounters.ts"
import { Throttles } from "../../../services/limits/Throttles.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { epoch } from "../../support/TestApp.ts"
import { LeapClock } from "../../../src/program/testing/LeapClock.ts"

const wrong = new Unauthorized({ code: "invalid_credentials", detail: "wrong" })
const mary = "mary@sheaf.test"
const here = "192.0.2.1"

let throttles: Throttles["Service"]
let advance: (seconds: number) => Promise<void>
let fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

beforeEach(async () => {
  const secrets = Secrets.layer({ current: Redacted.make(new Uint8Array(32).fill(1)), previous: undefined })
  const layer = Throttles.layer({ perMinute: undefined }).pipe(
    Layer.provide([RateCounters.layerMemory, secrets]),
    Layer.provideMerge(LeapClock.layer(epoch))
  )
  await Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        throttles = yield* Throttles
        const clock = yield* LeapClock
        advance = (seconds) => Effect.runPromise(clock.advance(seconds * 1000))
        fork = Effect.runForkWith(yield* Effect.context<never>())
      }),
      layer
    )
  )
})

/** The error of an effect, or "done". */
const outcome = async (effect: Effect.Effect<unknown, unknown>): Promise<any> => {
  const exit = await Effect.runPromiseExit(effect)
  return Exit.isSuccess(exit) ? "done" : Option.getOrUndefined(Cause.findErrorOption(exit.cause))
}

const guess = (email = mary, ip: string | null = here) => outcome(throttles.logIn(email, ip, Effect.fail(wrong)))
const enter = (email = mary, ip: string | null = here) => outcome(throttles.logIn(email, ip, Effect.void))

describe("share passwords", () => {
  const share = "sh_1"
  let looked: Array<string>
  beforeEach(() => void (looked = []))
  const attempt = (ip: string, isRight = false) =>
    throttles.sharePassword(
      share,
      ip,
      Effect.suspend(() => {
        looked.push(ip)
        return isRight ? Effect.void : Effect.fail(wrong)
      })
    )
  /** Makes 100 wrong attempts from ten networks. */
  const guessed = async () => {
    for (let network = 0; network < 10; network++) {
      for (let time = 0; time < 10; time++) {
        expect(await outcome(attempt(`198.51.${network}.1`))).toMatchObject({ _tag: "Unauthorized" })
      }
    }
    expect(looked).toHaveLength(100)
    looked = []
  }
  const settled = () => new Promise((done) => setTimeout(done))

  it("are checked one after the other, each after 5 seconds, once 100 were wrong in 15 minutes", async () => {
    await guessed()
    const guesses = Array.from({ length: 12 }, (_, network) => fork(Effect.exit(attempt(`203.0.${network}.1`))))
    for (let time = 1; time <= 3; time++) {
      await settled()
      await advance(4)
      expect(looked).toHaveLength(time - 1)
      await advance(1)
      await settled()
      expect(looked).toHaveLength(time)
    }
    for (const guess of guesses) await Effect.runPromise(Fiber.interrupt(guess))
    const late = fork(attempt("192.0.2.9"))
    await settled()
    await advance(5)
    expect(await outcome(Fiber.join(late))).toMatchObject({ _tag: "RateLimited", code: "rate_limited" })
    await advance(15 * 60)
    expect(await outcome(attempt("203.0.113.1", true))).toBe("done")
  })

  it("are accepted when right, despite the guesses of others, and do not wait for the networks that guess", async () => {
    expect(await outcome(attempt("198.51.3.9", true))).toBe("done")
    looked = []
    await guessed()
    const guesses = Array.from({ length: 40 }, (_, index) => fork(Effect.exit(attempt(`198.51.${index % 3}.2`))))
    await settled()
    const reader = fork(attempt("203.0.113.1", true))
    const knownReader = fork(attempt("198.51.3.7", true))
    for (let time = 0; time < 4; time++) {
      await advance(5)
      await settled()
    }
    expect(await outcome(Fiber.join(reader))).toBe("done")
    expect(await outcome(Fiber.join(knownReader))).toBe("done")
    for (const guess of guesses) await Effect.runPromise(Fiber.interrupt(guess))
  })

  it("are not counted for readers who disconnect before their attempt, nor for many readers at once", async () => {
    const readers = Array.from({ length: 300 }, (_, index) =>
      fork(attempt(`203.0.${index % 200}.${index % 250}`, true))
    )
    for (const reader of readers) expect(await outcome(Fiber.join(reader))).toBe("done")
    looked = []
    await guessed()
    for (let time = 0; time < 12; time++) {
      const gone = fork(attempt("192.0.2.77", true))
      await settled()
      await Effect.runPromise(Fiber.interrupt(gone))
    }
    const last = fork(attempt("192.0.2.77", true))
    await settled()
    await advance(5)
    expect(await outcome(Fiber.join(last))).toBe("done")
  })

  it("are refused at once after 10 wrong ones of a network, even while others are slowed down", async () => {
    await guessed()
    expect(await outcome(attempt("198.51.0.1", true))).toMatchObject({ code: "rate_limited" })
  })
})

describe("failed authentications", () => {
  it("are refused per address from the 21st in a minute on", async () => {
    for (let time = 0; time < 20; time++) {
      expect(await outcome(throttles.failedAuthentication(here))).toBe("done")
      await advance(1)
    }
    const refused = await outcome(throttles.failedAuthentication(here))
    expect(refused).toBeInstanceOf(RateLimited)
    expect(refused).toMatchObject({ code: "rate_limited", retry_after: 40 })
    expect(await outcome(throttles.failedAuthentication("192.0.2.2"))).toBe("done")
    await advance(40)
    expect(await outcome(throttles.failedAuthentication(here))).toBe("done")
  })

  it("are counted per /64 for IPv6", async () => {
    for (let host = 0; host < 20; host++) {
      expect(await outcome(throttles.failedAuthentication(`2001:db8:0:1::${host.toString(16)}`))).toBe("done")
    }
    expect(await outcome(throttles.failedAuthentication("2001:db8:0:1:ffff::1"))).toBeInstanceOf(RateLimited)
    expect(await outcome(throttles.failedAuthentication("2001:db8:0:2::1"))).toBe("done")
  })
})

describe("log-ins", () => {
  it("are refused after ten wrong ones from one address in 15 minutes, even with the right password", async () => {
    for (let time = 0; time < 10; time++) expect(await guess()).toBe(wrong)
    expect(await guess()).toMatchObject({ _tag: "RateLimited", code: "login_throttled", retry_after: 900 })
    expect(await enter()).toMatchObject({ code: "login_throttled" })
    expect(await enter(mary, "192.0.2.2")).toBe("done")
    expect(await enter("john@sheaf.test")).toBe("done")
    await advance(899)
    expect(await enter()).toMatchObject({ retry_after: 1 })
    await advance(1)
    expect(await enter()).toBe("done")
  })

  it("are refused after a hundred wrong ones in an hour, from any addresses", async () => {
    for (let time = 0; time < 100; time++) expect(await guess(mary, `192.0.2.${time}`)).toBe(wrong)
    expect(await guess(mary, "198.51.100.1")).toMatchObject({ code: "login_throttled", retry_after: 3600 })
    await advance(3600)
    expect(await enter(mary, "198.51.100.1")).toBe("done")
  })

  it("still succeed from other addresses when one address is refused", async () => {
    for (let time = 0; time < 300; time++) await guess()
    expect(await enter(mary, "192.0.2.2")).toBe("done")
  })

  it("are not limited while they are right, one after the other or at once", async () => {
    for (let time = 0; time < 150; time++) expect(await enter()).toBe("done")
    const slow = throttles.logIn(mary, here, Effect.yieldNow)
    expect(await Promise.all(Array.from({ length: 150 }, () => outcome(slow)))).toEqual(Array(150).fill("done"))
    for (let time = 0; time < 9; time++) await guess()
    expect(await Promise.all(Array.from({ length: 20 }, () => outcome(slow)))).toEqual(Array(20).fill("done"))
  })

  it("are counted before the password is checked, so that concurrent guesses exceed no limit", async () => {
    let looked = 0
    const slow = throttles.logIn(
      mary,
      here,
      Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => {
          looked++
          return Effect.fail(wrong)
        })
      )
    )
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => outcome(slow)))
    expect(looked).toBe(10)
    expect(outcomes.filter((each) => each instanceof RateLimited)).toHaveLength(190)
  })

  it("wait for each other for at most 15 seconds, and are not counted when that time is over", async () => {
    const first = fork(throttles.logIn(mary, here, Effect.never))
    for (let refused = 0; refused < 15; refused++) {
      const waiting = fork(Effect.flip(throttles.logIn(mary, here, Effect.void)))
      await advance(15)
      expect(await Effect.runPromise(Fiber.join(waiting))).toMatchObject({ code: "overloaded", retry_after: 2 })
    }
    expect(await enter("john@sheaf.test")).toBe("done")
    await Effect.runPromise(Fiber.interrupt(first))
    expect(await enter()).toBe("done")
  })

  it("stay counted when the client disconnects, and are uncounted when the server fails", async () => {
    for (let time = 0; time < 10; time++) {
      const begun = Deferred.makeUnsafe<void>()
      const fiber = Effect.runFork(
        throttles.logIn(mary, here, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      await Effect.runPromise(Deferred.await(begun))
      await Effect.runPromise(Fiber.interrupt(fiber))
    }
    expect(await enter()).toMatchObject({ code: "login_throttled" })
    const broken = throttles.logIn("john@sheaf.test", here, Effect.fail(Unavailable.database))
    for (let time = 0; time < 30; time++) expect(await outcome(broken)).toBe(Unavailable.database)
  })
})

describe("registration and refresh limits", () => {
  it("allow 20 registrations an hour per network, and 10 refreshes a minute per session", async () => {
    for (let time = 0; time < 20; time++) expect(await outcome(throttles.registration("2001:db8::1"))).toBe("done")
    expect(await outcome(throttles.registration("2001:db8::2"))).toMatchObject({
      code: "rate_limited",
      retry_after: 3600
    })
    expect(await outcome(throttles.registration(here))).toBe("done")
    for (let time = 0; time < 10; time++) expect(await outcome(throttles.refresh("se_1"))).toBe("done")
    expect(await outcome(throttles.refresh("se_1"))).toMatchObject({ code: "rate_limited", retry_after: 60 })
    expect(await outcome(throttles.refresh("se_2"))).toBe("done")
  })
})

describe("limits of mails that anyone can request", () => {
  const mail = (email: string, ip: string) => Effect.runPromise(throttles.mail(email, ip))

  it("allow five mails an hour per e-mail address", async () => {
    for (let time = 0; time < 5; time++) expect(await mail(mary, `192.0.2.${time}`)).toBe(true)
    expect(await mail(mary, "192.0.2.9")).toBe(false)
    expect(await mail("john@sheaf.test", "192.0.2.9")).toBe(true)
    await advance(3600)
    expect(await mail(mary, "192.0.2.9")).toBe(true)
  })

  it("allow twenty requests an hour per address, and count refused ones against no e-mail address", async () => {
    for (let time = 0; time < 20; time++) expect(await mail(`user${time}@sheaf.test`, here)).toBe(true)
    for (let time = 0; time < 20; time++) expect(await mail(mary, here)).toBe(false)
    expect(await mail(mary, "192.0.2.2")).toBe(true)
  })
})
