import { Effect, Exit, Fiber } from "effect"
import { availableParallelism } from "node:os"
import { beforeAll, describe, expect, it } from "vitest"
import { Passwords } from "../../../services/identity/Passwords.ts"
import type { PasswordClient } from "../../../services/limits/PasswordClient.ts"

let passwords: Passwords["Service"]

beforeAll(async () => {
  passwords = await Effect.runPromise(Effect.provide(Effect.service(Passwords), Passwords.layer({ cost: 6 })))
})

const from = (network: string, priority: PasswordClient["priority"] = "normal"): PasswordClient => ({
  key: network,
  priority
})

/** Hashes a password for each client at once. Returns the networks in the order of completion, and the refused ones. */
const race = async (clients: ReadonlyArray<PasswordClient>) => {
  const done: Array<string> = []
  const exits = await Effect.runPromise(
    Effect.all(
      clients.map((client) =>
        Effect.exit(
          Effect.tap(passwords.hash("correct horse battery", client), () =>
            Effect.sync(() => {
              done.push(String(client.key))
            })
          )
        )
      ),
      { concurrency: "unbounded" }
    )
  )
  return { done, refused: clients.filter((_, index) => Exit.isFailure(exits[index]!)).map(({ key }) => key) }
}

describe("password hashing", () => {
  it("serves networks fairly, however many passwords one network sends", async () => {
    const { done, refused } = await race([
      ...Array.from({ length: 200 }, () => from("attacker")),
      from("one"),
      from("other")
    ])
    expect(new Set(refused)).toEqual(new Set(["attacker"]))
    expect(done).toEqual(expect.arrayContaining(["one", "other"]))
    // At most 20 of the attacker's passwords wait, and they do not go before those of other networks.
    expect(refused.length).toBeGreaterThan(150)
    expect(done.indexOf("other")).toBeLessThan(done.lastIndexOf("attacker"))
  })

  it("delays a network with too many failures, and does not refuse it", async () => {
    const networks = Array.from({ length: 30 }, (_, index) => from(`network ${index}`))
    const { done, refused } = await race([...networks, from("suspect", "low"), ...networks])
    expect(refused).toEqual([])
    expect(done).toHaveLength(61)
    // Low priority gets every eighth turn.
    expect(done.indexOf("suspect")).toBeGreaterThanOrEqual(7)
    expect(done.indexOf("suspect")).toBeLessThan(networks.length)
  })

  it("skips cancelled requests", async () => {
    const fibers = Array.from({ length: 5 }, () =>
      Effect.runFork(passwords.hash("correct horse battery", from("gone")))
    )
    const waiting = Array.from({ length: 5 }, () =>
      Effect.runFork(passwords.hash("correct horse battery", from("gone")))
    )
    await Effect.runPromise(Fiber.interruptAll([...fibers, ...waiting]))
    // The network's places are free again at once.
    expect((await race(Array.from({ length: 5 }, () => from("gone")))).refused).toEqual([])
  })
})

describe("a network that is new", () => {
  it("waits for one password, while sixty networks guess and each has had a turn", async () => {
    const guessing = Array.from({ length: 60 }, (_, index) => ({ ...from(`network ${index}`), guesses: 1 }))
    const { done, refused } = await race([...guessing, { ...from("new"), guesses: 0 }])
    expect(refused).toEqual([])
    expect(done.indexOf("new")).toBeLessThanOrEqual(availableParallelism())
  })

  it("does not wait for the first password of each of the others", async () => {
    const others = Array.from({ length: 60 }, (_, index) => ({ ...from(`network ${index}`), guesses: 0 }))
    const { done } = await race([...others, { ...from("new"), guesses: 0 }])
    expect(done.indexOf("new")).toBeLessThanOrEqual(availableParallelism())
  })

  it("goes before networks with more wrong passwords, after one of its own", async () => {
    const guessing = Array.from({ length: 60 }, (_, index) => ({ ...from(`network ${index}`), guesses: 1 }))
    const { done } = await race([...guessing, ...guessing.slice(0, 30), { ...from("once wrong"), guesses: 1 }])
    expect(done.indexOf("once wrong")).toBeLessThanOrEqual(availableParallelism())
  })
})
