import * as fc from "fast-check"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { FactorResets } from "../../services/identity/operators/FactorResets.ts"
import { Operator } from "../../services/identity/operators/Operator.ts"
import { TestProvider } from "../../src/program/testing/TestProvider.ts"
import { addPasskey, addTotp, codeAt, enterBy } from "../support/factors/Factors.ts"
import { SoftPasskey } from "../support/factors/SoftPasskey.ts"
import { SignInBrowser } from "../support/oidc/SignInBrowser.ts"
import { password, type Person, personOf, register, unsigned } from "../support/people/People.ts"
import { rounds } from "../support/Slow.ts"
import { epoch, startApp, type TestApp } from "../support/TestApp.ts"

/** No order of settings and changes of an operator leaves the server without a way to administer it (contract 4). */

let provider: TestProvider
beforeAll(async () => {
  provider = await TestProvider.start(() => epoch)
})
afterAll(() => provider.close())

const origin = "https://notes.example"

/** The settings that decide about ways in. Passwords cannot be switched off without a provider. */
const settings = fc.record({
  hasProvider: fc.boolean(),
  isPasswordOff: fc.boolean(),
  isSecondFactorRequired: fc.boolean(),
  hasPasskeys: fc.boolean()
})
type Chosen = typeof settings extends fc.Arbitrary<infer A> ? A : never

const settingsOf = ({ hasPasskeys, hasProvider, isPasswordOff, isSecondFactorRequired }: Chosen) => ({
  publicUrl: hasPasskeys ? origin : "http://192.0.2.7",
  providers: hasProvider ? [provider.settings()] : [],
  passwordSignIn: !(hasProvider && isPasswordOff),
  operatorSecondFactorFrom: isSecondFactorRequired ? 0 : Infinity
})

/** What the operator does after a sign-in. The server may refuse each of them. */
const change = fc.constantFrom("addTotp", "addPasskey", "removeFactors", "connect", "disconnect")
const steps = fc.array(fc.record({ settings, changes: fc.array(change, { maxLength: 3 }) }), {
  minLength: 1,
  maxLength: 4
})

/** What an operator has in hand. */
interface Held {
  readonly email: string
  readonly user_id: string
  secrets: Array<string>
  codes: Array<string>
  passkey: SoftPasskey | undefined
}

/** The time of the App. */
let clock = epoch
/** Goes to a time step whose code was not used. */
const later = async (app: TestApp) => {
  await app.advance("30 seconds")
  clock += 30_000
}

/** Signs in by whatever the operator has. Undefined if nothing works. */
const enter = async (app: TestApp, held: Held, hasProvider: boolean): Promise<Person | undefined> => {
  if (held.passkey !== undefined) {
    const offered = await unsigned(app, "/auth/passkey/options", undefined)
    const entered = offered.status === 200 ? await enterBy(app, held.passkey) : offered
    if (entered.status === 200) return personOf(entered)
  }
  const byPassword = (code: object) => unsigned(app, "/auth/login", { email: held.email, password, ...code })
  const alone = await byPassword({})
  if (alone.status === 200) return personOf(alone)
  if (alone.body.code === "second_factor_required") {
    await later(app)
    for (const secret of held.secrets) {
      const entered = await byPassword({ code: codeAt(secret, clock) })
      if (entered.status === 200) return personOf(entered)
    }
    const code = held.codes.shift()
    const entered = code === undefined ? alone : await byPassword({ code })
    if (entered.status === 200) return personOf(entered)
  }
  const [asked] = await app.sql("SELECT 1 FROM user_identities WHERE user_id = $1", [held.user_id])
  if (!hasProvider || asked === undefined) return undefined
  return (await new SignInBrowser(app).signIn()).person
}

/** Whether the session administers, if need be after it has added a factor. */
const administers = async (app: TestApp, held: Held, { headers }: Person): Promise<boolean> => {
  const users = () => app.call("GET", "/admin/users", undefined, headers)
  if ((await users()).status === 200) return true
  await later(app)
  const { added, secret } = await addTotp(app, { headers }, clock)
  held.secrets.push(secret)
  held.codes.push(...(added.body.recovery_codes ?? []))
  return (await users()).status === 200
}

const carryOut = async (app: TestApp, held: Held, { headers }: Person, step: string): Promise<void> => {
  const list = async (path: string) => (await app.call("GET", path, undefined, headers)).body.data
  switch (step) {
    case "addTotp": {
      await later(app)
      const { added, secret } = await addTotp(app, { headers }, clock)
      held.secrets.push(secret)
      held.codes.push(...(added.body.recovery_codes ?? []))
      return
    }
    case "addPasskey": {
      const offer = await app.call("POST", "/me/factors/offers", { kind: "passkey" }, headers)
      if (offer.status !== 200) return
      held.passkey = new SoftPasskey(origin)
      const added = await addPasskey(app, { headers }, held.passkey)
      held.codes.push(...(added.body.recovery_codes ?? []))
      return
    }
    case "removeFactors":
      for (const { id } of await list("/me/factors")) await app.call("DELETE", `/me/factors/${id}`, undefined, headers)
      return
    case "connect": {
      // Without a provider there is nothing to connect.
      const there = await app.call("POST", "/me/identities", { provider: 1 }, headers)
      if (there.status !== 200) return
      await new SignInBrowser(app).follow("/me/identities", { provider: 1 }, { headers } as Person)
      return
    }
    case "disconnect":
      for (const { id } of await list("/me/identities")) {
        await app.call("DELETE", `/me/identities/${id}`, undefined, headers)
      }
  }
}

let count = 0

it("an operator has a way in after any settings and changes, or gets one by the commands", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (steps, hasPassword) => {
      clock = epoch
      provider.user = { sub: `operator-${++count}`, email: `operator-${count}@example.test`, email_verified: false }
      const owner = await startApp({ settings: { publicUrl: origin, providers: [provider.settings()] } })
      const { email, user_id } = hasPassword ? await register(owner) : (await new SignInBrowser(owner).signIn()).person!
      await owner.sql("UPDATE users SET is_operator = true WHERE id = $1", [user_id])
      const held: Held = { email, user_id, secrets: [], codes: [], passkey: undefined }
      try {
        for (const { changes, settings: chosen } of steps) {
          const app = await startApp({ databaseOf: owner, settings: settingsOf(chosen) })
          try {
            // Each App begins at the epoch.
            if (clock > epoch) await app.advance(`${clock - epoch} millis`)
            const entered = await enter(app, held, chosen.hasProvider)
            if (entered === undefined) {
              // Only an account without any password and provider that is left needs the commands.
              const [{ password_hash }] = await app.sql("SELECT password_hash FROM users WHERE id = $1", [user_id])
              expect(password_hash).toBeNull()
            }
            const person = entered ?? (await byCommands(app, held, chosen.hasProvider))
            expect(await administers(app, held, person)).toBe(true)
            for (const step of changes) await carryOut(app, held, person, step)
            // Under the same settings, no change of the operator ends the last way in.
            expect(await enter(app, held, chosen.hasProvider)).toBeDefined()
          } finally {
            await app.stop()
          }
        }
      } finally {
        await owner.stop()
      }
    }),
    { numRuns: rounds(6, 60) }
  )
}, 120_000)

/** Sets a password and removes the factors, as the commands on the machine do. */
const byCommands = async (app: TestApp, held: Held, hasProvider: boolean): Promise<Person> => {
  const layer = FactorResets.layer({ publicUrl: origin }).pipe(Layer.provideMerge(Operator.layer))
  await app.run(
    Effect.provide(
      Effect.gen(function* () {
        yield* (yield* Operator).setPassword(held.email, password)
        yield* (yield* FactorResets).reset(held.email)
      }),
      layer
    )
  )
  const entered = await enter(app, held, hasProvider)
  if (entered === undefined) throw new Error("the commands give no way in")
  return entered
}
