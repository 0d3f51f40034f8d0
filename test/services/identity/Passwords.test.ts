import { Effect, Exit, Fiber } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { Passwords } from "../../../services/identity/Passwords.ts"
import type { Asker } from "../../../services/limits/Throttles.ts"

let passwords: Passwords["Service"]

beforeAll(async () => {
  passwords = await Effect.runPromise(Effect.provide(Effect.service(Passwords), Passwords.layer({ cost: 6 })))
})

const from = (network: string, priority: Asker["priority"] = "normal"): Asker => ({ key: network, priority })

/** Who had a password hashed, in the order of being done; all ask at once. */
const race = async (askers: ReadonlyArray<Asker>) => {
  const done: Array<string> = []
  const exits = await Effect.runPromise(
    Effect.all(
      askers.map((asker) =>
        Effect.exit(
          Effect.tap(passwords.hash("correct horse battery", asker), () =>
            Effect.sync(() => {
              done.push(String(asker.key))
            })
          )
        )
      ),
      { concurrency: "unbounded" }
    )
  )
  return { done, refused: askers.filter((_, index) => Exit.isFailure(exits[index]!)).map(({ key }) => key) }
}

describe("passwords", () => {
  it("of one network take no turn from those of others, however many they are", async () => {
    const { done, refused } = await race([
      ...Array.from({ length: 200 }, () => from("attacker")),
      from("one"),
      from("other")
    ])
    expect(new Set(refused)).toEqual(new Set(["attacker"]))
    expect(done).toEqual(expect.arrayContaining(["one", "other"]))
    // Of the attacker's own, twenty wait at most, and those that came after did not go first.
    expect(refused.length).toBeGreaterThan(150)
    expect(done.indexOf("other")).toBeLessThan(done.lastIndexOf("attacker"))
  })

  it("of a network of too many failures wait last, and are not refused", async () => {
    const networks = Array.from({ length: 30 }, (_, index) => from(`network ${index}`))
    const { done, refused } = await race([...networks, from("suspect", "low"), ...networks])
    expect(refused).toEqual([])
    expect(done).toHaveLength(61)
    // Each eighth turn is theirs.
    expect(done.indexOf("suspect")).toBeGreaterThanOrEqual(7)
    expect(done.indexOf("suspect")).toBeLessThan(networks.length)
  })

  it("that nobody waits for any longer are not looked at", async () => {
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
