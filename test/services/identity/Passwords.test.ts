import { Effect, Exit, Fiber } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Passwords } from "../../../services/identity/Passwords.ts"
import type { PasswordClient } from "../../../services/limits/PasswordClient.ts"

let passwords: Passwords["Service"]

beforeAll(async () => {
  passwords = await Effect.runPromise(
    Effect.provide(Effect.service(Passwords), Passwords.layer({ cost: 6, breached: undefined }))
  )
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

describe("breached passwords", () => {
  const folder = mkdtempSync(join(tmpdir(), "ranges-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const hash = createHash("sha1").update("battery staple horse").digest("hex").toUpperCase()
  writeFileSync(
    join(folder, `${hash.slice(0, 5)}.txt`),
    `0018A45C4D1DEF81644B54AB7F969B88D65:3\r\n${hash.slice(5)}:7\r\n`
  )

  const refusalOf = (password: string, breached: string | undefined) =>
    Passwords.use((checked) =>
      checked.checkNew("new_password", password, { email: "anna@example.org", name: "Anna" })
    ).pipe(
      Effect.provide(Passwords.layer({ cost: 6, breached })),
      Effect.match({ onFailure: ({ errors }) => errors?.[0], onSuccess: () => undefined }),
      Effect.runPromise
    )

  it("are refused, without a request", async () => {
    expect(await refusalOf("battery staple horse", folder)).toMatchObject({
      field: "new_password",
      code: "too_common",
      message: "is known from a breach of another service"
    })
  })

  it("are not looked for without a folder, and others pass", async () => {
    expect(await refusalOf("battery staple horse", undefined)).toBeUndefined()
    // Its range is not in the folder.
    expect(await refusalOf("another battery staple", folder)).toBeUndefined()
  })
})
