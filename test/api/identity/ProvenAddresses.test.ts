import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { Visitor } from "../../support/people/FormPages.ts"
import { fromAnywhere } from "../../support/FromAnywhere.ts"
import { logIn, password, register, personOf, type Person, unsigned, workspaceOf } from "../../support/people/People.ts"
import { type ApiResponse, startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
/** A node that sends mail by SMTP, so that no response contains what is mailed. */
let mailing: TestApp

beforeAll(async () => {
  mailing = await startApp({
    settings: {
      smtpUrl: Redacted.make("smtp://127.0.0.1:9"),
      mailFrom: "sheaf@sheaf.test",
      trustedProxies: ["127.0.0.1"]
    }
  })
})
afterAll(async () => {
  await mailing.stop()
})

/** Returns the newest token queued to be mailed to an address. */
const mailed = async (at: TestApp, kind: "sfp" | "sfi" | "sfc", email: string): Promise<string> => {
  const rows = await at.sql("SELECT sealed FROM mails WHERE recipient = $1 ORDER BY id DESC", [email])
  const texts = await at.run(
    Effect.map(Effect.service(Secrets), (secrets) =>
      rows.map(({ sealed }) => JSON.parse(secrets.open("mail", sealed)!).text as string)
    )
  )
  const found = texts.map((text) => new RegExp(`${kind}_\\w+`).exec(text)?.[0]).find((token) => token !== undefined)
  if (found === undefined) throw new Error(`no ${kind} was mailed to ${email}`)
  return found
}

const keyOf = async (at: TestApp, { headers }: Pick<Person, "headers">, workspace?: string) => {
  const there = workspace === undefined ? headers : { ...headers, "workspace-id": workspace }
  const { body } = await at.call("POST", "/api-keys", { name: "Made before" }, there)
  return body as { readonly id: string; readonly secret: string }
}

const works = async (at: TestApp, secret: string) =>
  (await at.call("GET", "/notebooks", undefined, { authorization: `Bearer ${secret}`, ...fromAnywhere() })).status

const reset = async (at: TestApp, email: string, new_password = password): Promise<ApiResponse> => {
  // Advances the clock, so that this mail is the newest.
  await at.advance("1 second")
  await unsigned(at, "/auth/forgot", { email })
  return unsigned(at, "/auth/reset", { token: await mailed(at, "sfp", email), new_password })
}

const isProven = async (at: TestApp, email: string): Promise<boolean> =>
  (await at.sql("SELECT email_proven FROM users WHERE email = $1", [email]))[0].email_proven

/** Proves the address of a user with the token mailed to it. */
const confirm = async ({ email }: Person) => {
  const visitor = new Visitor(mailing)
  await visitor.submit(
    await visitor.open(`http://sheaf.test/email/confirm?token=${await mailed(mailing, "sfc", email)}`)
  )
}

const invite = (at: TestApp, owner: Person, email: string) =>
  at.call("POST", `/workspaces/${owner.workspace_id}/invitations`, { email }, owner.headers)

describe("password reset for an unproven address", () => {
  it("deletes the user's API keys in all workspaces, on all nodes, and logs it", async () => {
    const other = await startApp({ databaseOf: mailing, clock: "live", settings: { trustedProxies: ["127.0.0.1"] } })
    const person = await register(mailing)
    const places = [person.workspace_id, await workspaceOf(mailing, person), (await register(mailing)).workspace_id]
    await mailing.sql(
      "INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, 'mb_guest', $2, 'admin', $3)",
      [places[2], person.user_id, new Date().toISOString()]
    )
    const keys = await Promise.all(places.map((place) => keyOf(mailing, person, place)))
    for (const at of [mailing, other]) for (const { secret } of keys) expect(await works(at, secret)).toBe(200)
    expect((await reset(mailing, person.email)).body).toEqual({ changed: true })
    for (const { secret } of keys) {
      expect(await works(mailing, secret)).toBe(401)
      await expect.poll(() => works(other, secret)).toBe(401)
    }
    for (const [index, place] of places.entries()) {
      const logged = await mailing.sql(
        "SELECT resource_id, data FROM changes WHERE workspace_id = $1 AND type = 'api_key.deleted'",
        [place]
      )
      expect(logged).toMatchObject([{ resource_id: keys[index]!.id, data: { reason: "password_reset" } }])
    }
    await other.stop()
  })

  it("proves the address, so that later keys survive the next reset", async () => {
    const { email } = await register(mailing)
    await reset(mailing, email)
    const key = await keyOf(mailing, await logIn(mailing, email))
    expect((await reset(mailing, email)).status).toBe(200)
    expect(await works(mailing, key.secret)).toBe(200)
  })

  it("deletes keys that are created or rotated during the reset", async () => {
    const person = await register(mailing)
    const own = await workspaceOf(mailing, person)
    const begun = [await keyOf(mailing, person), await keyOf(mailing, person, own)]
    await unsigned(mailing, "/auth/forgot", { email: person.email })
    const token = await mailed(mailing, "sfp", person.email)
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
    const there = { ...person.headers, "workspace-id": own }
    const [answer, ...made] = await Promise.all([
      unsigned(mailing, "/auth/reset", { token, new_password: password }),
      ...Array.from({ length: 8 }, () => [
        mailing.call("POST", "/api-keys", { name: "Meanwhile" }, there),
        mailing.call("POST", "/api-keys", { name: "Meanwhile" }, person.headers),
        ...begun.map(({ id, secret }) =>
          mailing.call("POST", `/api-keys/${id}/rotate`, undefined, { ...bearer(secret), ...fromAnywhere() })
        )
      ]).flat()
    ])
    expect(answer!.status).toBe(200)
    const secrets = [...begun, ...made.map(({ body }) => body)].flatMap(({ secret }) => secret ?? [])
    for (const secret of secrets) expect(await works(mailing, secret)).toBe(401)
    expect(await mailing.sql("SELECT id FROM api_keys WHERE user_id = $1", [person.user_id])).toEqual([])
  })

  it("rejects a token mailed to a former address", async () => {
    const { email, headers, user_id } = await register(mailing)
    await unsigned(mailing, "/auth/forgot", { email })
    const [row] = await mailing.sql("SELECT * FROM password_resets WHERE user_id = $1", [user_id])
    await mailing.call("PATCH", "/me", { email: "later@sheaf.test", current_password: password }, headers)
    // As if the reset was requested while the address changed.
    await mailing.sql(
      `INSERT INTO password_resets (workspace_id, hash, user_id, email_key, expires_at, created_at)
      VALUES ($1, $2, $3, $4, $5, $6)`,
      [row.workspace_id, row.hash, row.user_id, row.email_key, row.expires_at, row.created_at]
    )
    const answer = await unsigned(
      mailing,
      "/auth/reset",
      {
        token: await mailed(mailing, "sfp", email),
        new_password: password
      },
      fromAnywhere()
    )
    expect([answer.status, answer.body.code]).toEqual([401, "invalid_token"])
    expect(await isProven(mailing, "later@sheaf.test")).toBe(false)
  })
})

describe("proof of an address", () => {
  it("is required before inviting, if registration is open and mail is sent", async () => {
    const owner = await register(mailing)
    const refused = await invite(mailing, owner, "stranger@sheaf.test")
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      "forbidden",
      expect.stringContaining("confirmed their e-mail address")
    ])
    expect(await mailing.sql("SELECT 1 FROM mails WHERE recipient = 'stranger@sheaf.test'")).toEqual([])
    await confirm(owner)
    const { body, status } = await invite(mailing, owner, "stranger@sheaf.test")
    expect(status).toBe(201)
    await mailing.call("PATCH", "/me", { email: `other-${owner.email}`, current_password: password }, owner.headers)
    const resent = `/workspaces/${owner.workspace_id}/invitations/${body.id}/resend`
    expect((await mailing.call("POST", resent, undefined, owner.headers)).body.code).toBe("forbidden")
  })

  it("is given by a mailed invitation, at registration or acceptance", async () => {
    const owner = await register(mailing)
    await confirm(owner)
    expect((await invite(mailing, owner, "new@sheaf.test")).status).toBe(201)
    const invitation_token = await mailed(mailing, "sfi", "new@sheaf.test")
    const fresh = personOf(
      await unsigned(mailing, "/auth/register", { email: "new@sheaf.test", password, invitation_token })
    )
    const known = await register(mailing)
    await invite(mailing, owner, known.email)
    const keys = [await keyOf(mailing, fresh), await keyOf(mailing, known)]
    expect([await isProven(mailing, fresh.email), await isProven(mailing, known.email)]).toEqual([true, false])
    const token = await mailed(mailing, "sfi", known.email)
    expect((await mailing.call("POST", "/invitations/accept", { token }, known.headers)).status).toBe(200)
    for (const { email } of [fresh, known]) expect((await reset(mailing, email)).status).toBe(200)
    for (const { secret } of keys) expect(await works(mailing, secret)).toBe(200)
  })

  it("is not given by an invitation whose link the inviter received", async () => {
    const owner = await register(app)
    const tokenOf = async (email: string) =>
      new URL((await invite(app, owner, email)).body.accept_url).searchParams.get("token")
    const invitation_token = await tokenOf("shown@sheaf.test")
    await unsigned(app, "/auth/register", { email: "shown@sheaf.test", password, invitation_token })
    const known = await register(app)
    const token = await tokenOf(known.email)
    expect((await app.call("POST", "/invitations/accept", { token }, known.headers)).status).toBe(200)
    expect([await isProven(app, "shown@sheaf.test"), await isProven(app, known.email)]).toEqual([false, false])
  })

  it("is given when the operator creates the account", async () => {
    const email = "made@sheaf.test"
    await mailing.run(
      Effect.provide(
        Effect.flatMap(Operator, (operator) => operator.addUser({ email, name: undefined, password, plan: "free" })),
        Operator.layer
      )
    )
    const key = await keyOf(mailing, await logIn(mailing, email))
    expect((await reset(mailing, email)).status).toBe(200)
    expect(await works(mailing, key.secret)).toBe(200)
  })

  it("is lost when the address changes", async () => {
    const before = await register(mailing)
    await reset(mailing, before.email)
    const person = await logIn(mailing, before.email)
    expect(await isProven(mailing, person.email)).toBe(true)
    const key = await keyOf(mailing, person)
    const email = "another@sheaf.test"
    await mailing.call("PATCH", "/me", { email, current_password: password }, person.headers)
    expect(await works(mailing, key.secret)).toBe(200)
    expect((await reset(mailing, email)).status).toBe(200)
    expect(await works(mailing, key.secret)).toBe(401)
  })
})
