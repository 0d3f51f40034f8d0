import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { TestProvider } from "../../../src/program/testing/TestProvider.ts"
import { SignInBrowser } from "../../support/oidc/SignInBrowser.ts"
import { logIn, password, register, unsigned } from "../../support/people/People.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"

let provider: TestProvider
let app: TestApp
/** Milliseconds by which the clock of the App has moved. */
let moved = 0
let count = 0

const advance = async (minutes: number) => {
  moved += minutes * 60_000
  await app.advance(`${minutes} minutes`)
}

beforeAll(async () => {
  provider = await TestProvider.start(() => epoch + moved)
  app = await startApp({ settings: { providers: [provider.settings()] } })
})
afterAll(async () => {
  await app.stop()
  await provider.close()
})
beforeEach(() => {
  const sub = `subject-${++count}`
  Object.assign(provider, { crafted: {}, isByUserInfo: false, refusal: undefined, authTime: undefined })
  provider.user = { sub, email: `${sub}@example.test`, email_verified: true, name: "Alice Example" }
})

const browser = () => new SignInBrowser(app)

const prove = (email: string) => app.sql("UPDATE users SET email_proven = true WHERE email = $1", [email])

const identitiesOf = async (headers: Record<string, string>) =>
  (await app.call("GET", "/me/identities", undefined, headers)).body.data

describe("a new person", () => {
  it("gets an account by the first sign-in, and the same account by the next one", async () => {
    const first = await browser().signIn({
      device_name: "Firefox",
      device_locale: "de-AT",
      device_timezone: "Europe/Vienna"
    })
    expect(first.status).toBe(200)
    const { body: me } = await app.call("GET", "/me", undefined, first.person!.headers)
    expect(me).toMatchObject({
      email: provider.user["email"],
      name: "Alice Example",
      locale: "de-AT",
      timezone: "Europe/Vienna"
    })
    const [row] = await app.sql("SELECT email_proven, password_hash FROM users WHERE id = $1", [me.id])
    expect(row).toEqual({ email_proven: true, password_hash: null })
    const second = await browser().signIn()
    expect(second.person!.user_id).toBe(me.id)
    const { body: sessions } = await app.call("GET", "/me/sessions", undefined, second.person!.headers)
    expect(sessions.data.map(({ signed_in_by }: any) => signed_in_by)).toEqual(["provider", "provider"])
    expect(sessions.data.map(({ device }: any) => device.name).toSorted()).toEqual(["Firefox", "Unnamed device"])
    expect(await identitiesOf(second.person!.headers)).toEqual([
      {
        id: expect.stringMatching(/^ui_/),
        issuer: provider.issuer,
        subject: provider.user["sub"],
        email: provider.user["email"],
        created_at: expect.any(String),
        last_sign_in_at: expect.any(String)
      }
    ])
  })

  it("is known by the subject when the address changes at the provider", async () => {
    const first = await browser().signIn()
    provider.user = { ...provider.user, email: `moved-${count}@example.test` }
    const second = await browser().signIn()
    expect(second.person!.user_id).toBe(first.person!.user_id)
    expect(second.person!.email).toBe(first.person!.email)
    expect((await identitiesOf(second.person!.headers))[0].email).toBe(`moved-${count}@example.test`)
  })

  it("has an unconfirmed address if the provider has not verified it", async () => {
    provider.user = { ...provider.user, email_verified: false }
    const { person } = await browser().signIn()
    const [row] = await app.sql("SELECT email_proven FROM users WHERE id = $1", [person!.user_id])
    expect(row.email_proven).toBe(false)
  })

  it("may have the address in the user info only, and verified by the text true", async () => {
    provider.isByUserInfo = true
    provider.user = { ...provider.user, email_verified: "true" }
    const { person } = await browser().signIn()
    expect(person!.email).toBe(provider.user["email"])
    const [row] = await app.sql("SELECT email_proven FROM users WHERE id = $1", [person!.user_id])
    expect(row.email_proven).toBe(true)
  })

  it("needs an address", async () => {
    provider.user = { sub: provider.user["sub"] }
    const text = expect.stringContaining("<h1>Example ID has named no e-mail address</h1>")
    expect(await browser().signIn()).toMatchObject({ status: 403, person: undefined, text })
  })

  it("gets one account by two first sign-ins at once", async () => {
    const shown = await Promise.all([browser().signIn(), browser().signIn()])
    expect(new Set(shown.map(({ person }) => person!.user_id)).size).toBe(1)
  })
})

describe("an account with a password", () => {
  it("is not entered by its address, whether it is verified or not", async () => {
    const person = await register(app)
    await prove(person.email)
    for (const email_verified of [true, false]) {
      provider.user = { ...provider.user, email: person.email.toUpperCase(), email_verified }
      const shown = await browser().signIn()
      expect(shown).toMatchObject({ status: 409, person: undefined })
      expect(shown.text).toContain("settings of the account")
    }
    expect(await identitiesOf(person.headers)).toEqual([])
  })

  it("is connected from a session, and entered by the provider then", async () => {
    const person = await register(app)
    const shown = await browser().follow("/me/identities", { provider: 1 }, person)
    expect([shown.status, shown.headers.get("location")]).toEqual([303, "/console/settings/account"])
    expect((await identitiesOf(person.headers))[0]).toMatchObject({ last_sign_in_at: null })
    expect((await browser().signIn()).person!.user_id).toBe(person.user_id)
  })

  it("is connected only by the browser that has begun it, and only with a recent sign-in", async () => {
    const person = await register(app)
    const { body } = await app.call("POST", "/me/identities", { provider: 1 }, person.headers)
    const other = browser()
    const shown = await other.show(await other.atProvider(body.redirect_url))
    expect(shown.status).toBe(400)
    await advance(16)
    const late = await app.call("POST", "/me/identities", { provider: 1 }, person.headers)
    expect([late.status, late.body.code]).toEqual([403, "reauthentication_required"])
    const sent = { provider: 1, current_password: password }
    expect((await app.call("POST", "/me/identities", sent, person.headers)).status).toBe(200)
    expect(await identitiesOf(person.headers)).toEqual([])
  })

  it("is not connected after the session has ended, nor with the identity of another account", async () => {
    const person = await register(app)
    const { body, headers } = await app.call("POST", "/me/identities", { provider: 1 }, person.headers)
    const begun = browser()
    begun.keep(headers)
    await app.call("POST", "/auth/logout", {}, person.headers)
    expect((await begun.show(await begun.atProvider(body.redirect_url))).status).toBe(400)
    const owner = await browser().signIn()
    const again = await logIn(app, person.email)
    expect((await browser().follow("/me/identities", { provider: 1 }, again)).status).toBe(409)
    expect((await identitiesOf(owner.person!.headers)).length).toBe(1)
  })

  it("is disconnected unless no other way in is left", async () => {
    const person = await register(app)
    await browser().follow("/me/identities", { provider: 1 }, person)
    const [{ id }] = await identitiesOf(person.headers)
    const stranger = await register(app)
    expect((await app.call("DELETE", `/me/identities/${id}`, undefined, stranger.headers)).status).toBe(404)
    expect((await app.call("DELETE", `/me/identities/${id}`, undefined, person.headers)).body).toEqual({
      deleted: true,
      id
    })
    const { person: without } = await browser().signIn()
    const [own] = await identitiesOf(without!.headers)
    const refused = await app.call("DELETE", `/me/identities/${own.id}`, undefined, without!.headers)
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_state"])
  })

  it("loses the identities that its maker has connected when the owner of the address resets the password", async () => {
    const thief = await register(app)
    await browser().follow("/me/identities", { provider: 1 }, thief)
    const [{ workspace_id, id }] = await app.sql("SELECT workspace_id, id FROM users WHERE email = $1", [thief.email])
    const { Effect } = await import("effect")
    const { Recovery } = await import("../../../services/identity/Recovery.ts")
    const link = await app.run(
      Effect.flatMap(Effect.service(Recovery), (recovery) =>
        recovery.makeLink({ id, email: thief.email, name: "", workspace_id })
      )
    )
    const token = new URL(link.url).searchParams.get("token")
    expect((await unsigned(app, "/auth/reset", { token, new_password: "staple battery horse" })).status).toBe(200)
    const shown = await browser().signIn()
    expect(shown.person!.user_id).not.toBe(thief.user_id)
  })
})

describe("a user without a password", () => {
  it("deletes the account and changes the address with a recent sign-in", async () => {
    const { person } = await browser().signIn()
    const email = `new-${count}@example.test`
    expect((await app.call("PATCH", "/me", { email }, person!.headers)).status).toBe(200)
    await advance(16)
    const late = await app.call("DELETE", "/me", {}, person!.headers)
    expect([late.status, late.body.code]).toEqual([403, "reauthentication_required"])
    const confirmed = await browser().follow("/me/identities/confirm", { provider: 1 }, person!)
    expect(confirmed.status).toBe(200)
    expect((await app.call("DELETE", "/me", {}, person!.headers)).status).toBe(200)
    expect(await app.sql("SELECT id FROM user_identities WHERE user_id = $1", [person!.user_id])).toEqual([])
    // The identity makes a new account.
    expect((await browser().signIn()).person!.user_id).not.toBe(person!.user_id)
  })

  it("is confirmed only by an authentication after the request, of the same identity", async () => {
    const { person } = await browser().signIn()
    await advance(16)
    provider.authTime = epoch + moved - 16 * 60_000
    expect((await browser().follow("/me/identities/confirm", { provider: 1 }, person!)).status).toBe(400)
    provider.authTime = undefined
    provider.user = { ...provider.user, sub: `someone-else-${count}` }
    expect((await browser().follow("/me/identities/confirm", { provider: 1 }, person!)).status).toBe(404)
    const key = await app.call("POST", "/api-keys", { name: "a key" }, person!.headers)
    expect(key.body.code).toBe("reauthentication_required")
  })

  it("asks the provider to authenticate the user again", async () => {
    const { person } = await browser().signIn()
    const { body } = await app.call("POST", "/me/identities/confirm", { provider: 1 }, person!.headers)
    const { searchParams } = new URL(body.redirect_url)
    expect([searchParams.get("prompt"), searchParams.get("max_age")]).toEqual(["login", "0"])
  })

  it("signs out at the provider too", async () => {
    const { person } = await browser().signIn()
    const { body } = await app.call("POST", "/auth/logout", {}, person!.headers)
    const url = new URL(body.sign_out_url)
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/end`)
    expect(url.searchParams.get("post_logout_redirect_uri")).toBe("http://sheaf.test/console/")
    expect(url.searchParams.get("id_token_hint")).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    const other = await register(app)
    expect((await app.call("POST", "/auth/logout", {}, other.headers)).body).not.toHaveProperty("sign_out_url")
  })

  it("does not sign in while suspended", async () => {
    const { person } = await browser().signIn()
    await app.sql("UPDATE users SET suspended_at = $2 WHERE id = $1", [person!.user_id, new Date(epoch).toISOString()])
    expect(await browser().signIn()).toMatchObject({ status: 403, person: undefined })
  })
})

describe("the provider", () => {
  it("is away: a page says so, and the next sign-in works when it is back", async () => {
    const away = await TestProvider.start(() => epoch)
    const other = await startApp({ settings: { providers: [away.settings()] } })
    try {
      away.metadata = { issuer: "https://someone-else.example" }
      expect((await new SignInBrowser(other).show("/sign-in/1")).status).toBe(502)
      away.metadata = {}
      expect((await new SignInBrowser(other).signIn()).status).toBe(200)
      await away.close()
      // What was known is used: the browser finds that the provider is away.
      expect((await new SignInBrowser(other).get("/sign-in/1")).status).toBe(303)
      expect((await new SignInBrowser(other).show("/sign-in/2")).status).toBe(404)
    } finally {
      await other.stop()
    }
  })

  it("or its user refuses: a page says so", async () => {
    provider.refusal = "access_denied"
    const text = expect.stringContaining("<h1>Example ID has not signed you in</h1>")
    expect(await browser().signIn()).toMatchObject({ status: 403, person: undefined, text })
  })
})
