import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { FactorResets } from "../../../services/identity/operators/FactorResets.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { addPasskey, addTotp, codeAt, enterBy } from "../../support/factors/Factors.ts"
import { SoftPasskey } from "../../support/factors/SoftPasskey.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { logIn, password, type Person, personOf, register, unsigned } from "../../support/people/People.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const publicUrl = "https://notes.example"
const from = "2026-03-01T12:10:00.000Z"
const { app } = useApp({ settings: { publicUrl, operatorSecondFactorFrom: Date.parse(from) } })

const operatorOf = async (on: TestApp): Promise<Person> => {
  const person = await register(on)
  await on.sql("UPDATE users SET is_operator = true, email_proven = true WHERE id = $1", [person.user_id])
  return logIn(on, person.email)
}
const users = (on: TestApp, { headers }: Pick<Person, "headers">) => on.call("GET", "/admin/users", undefined, headers)

describe("OPERATOR_SECOND_FACTOR", () => {
  it("closes administration to a sign-in by password alone from its day on", async () => {
    const operator = await operatorOf(app)
    const makeKey = () => app.call("POST", "/api-keys", { name: "Key", scopes: ["admin:read"] }, operator.headers)
    expect((await users(app, operator)).status).toBe(200)
    const before = await makeKey()
    expect(before.status).toBe(201)
    await app.advance("10 minutes")
    expect(await users(app, operator)).toMatchObject({ status: 403, body: { code: "two_factors_required" } })
    // A key with the scope would be a way around.
    expect(await makeKey()).toMatchObject({ status: 403, body: { code: "scope_not_grantable" } })
    expect((await users(app, { headers: { authorization: `Bearer ${before.body.secret}` } })).status).toBe(200)
    expect((await app.call("GET", "/notes", undefined, operator.headers)).status).toBe(200)
    // The factor that the operator adds completes the session.
    const passkey = new SoftPasskey(publicUrl)
    expect((await addPasskey(app, operator, passkey)).status).toBe(201)
    expect((await users(app, operator)).status).toBe(200)
    const entered = personOf(await enterBy(app, passkey))
    const { data } = (await users(app, entered)).body
    expect(data.find(({ id }: Person & { readonly id: string }) => id === operator.user_id).second_factors).toBe(1)
  })
})

describe("the reset of second factors", () => {
  it("lets a user in by the password again, and is audited and mailed", async () => {
    const server = await startApp({ settings: { publicUrl } })
    try {
      const [operator, person] = [await operatorOf(server), await operatorOf(server)]
      const { secret } = await addTotp(server, person, epoch)
      const enter = () => unsigned(server, "/auth/login", { email: person.email, password })
      expect(await enter()).toMatchObject({ status: 401 })
      const reset = await server.call(
        "POST",
        `/admin/users/${person.user_id}/reset-factors`,
        undefined,
        operator.headers
      )
      expect(reset.body).toEqual({ removed: 1 })
      expect((await enter()).status).toBe(200)
      const mails = await mailTo(server, person.email, 4)
      expect(mails.map(({ headers }) => headers.get("subject"))).toContain("Your second factors were removed")
      const audited = await server.sql("SELECT metadata FROM audit_entries WHERE action = 'auth.factors_reset'")
      expect(audited).toMatchObject([{ metadata: { removed: 1 } }])
      expect((await server.call("GET", "/me/factors", undefined, person.headers)).body.data).toEqual([])
      expect(
        await unsigned(server, "/auth/login", { email: person.email, password, code: codeAt(secret, epoch) })
      ).toMatchObject({ status: 200 })
      // The same by the command, which sends no mail itself.
      const again = FactorResets.layer({ publicUrl }).pipe(Layer.provide(Operator.layer))
      const removed = await server.run(
        Effect.provide(
          Effect.flatMap(Effect.service(FactorResets), (resets) => resets.reset(person.email)),
          again
        )
      )
      expect(removed).toEqual({ email: person.email, removed: 0 })
    } finally {
      await server.stop()
    }
  })
})
