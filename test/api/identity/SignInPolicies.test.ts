import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { SetupLinks } from "../../../services/identity/registrations/SetupLinks.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { IdentityLinks } from "../../../services/oidc/IdentityLinks.ts"
import { TestProvider } from "../../../src/program/testing/TestProvider.ts"
import { SignInBrowser } from "../../support/oidc/SignInBrowser.ts"
import { password, register, tokenOf, unsigned } from "../../support/people/People.ts"
import { startApp, type TestApp, epoch } from "../../support/TestApp.ts"

let provider: TestProvider
let other: TestProvider
let count = 0

beforeAll(async () => {
  provider = await TestProvider.start(() => epoch)
  other = await TestProvider.start(() => epoch)
})
afterAll(() => Promise.all([provider.close(), other.close()]))
beforeEach(() => {
  const sub = `subject-${++count}`
  for (const each of [provider, other]) {
    each.user = { sub, email: `${sub}@example.test`, email_verified: true, name: "Alice Example" }
  }
})

/** Runs a test with an App, and stops it. */
const withApp = async (settings: object, test: (app: TestApp) => Promise<void>) => {
  const app = await startApp({ settings: { providers: [provider.settings()], ...settings } })
  try {
    await test(app)
  } finally {
    await app.stop()
  }
}

const prove = (app: TestApp, email: string) => app.sql("UPDATE users SET email_proven = true WHERE email = $1", [email])

/** The token of the operator's link for a user. */
const linkFor = async (app: TestApp, email: string) => {
  const links = await app.run(
    Effect.flatMap(Effect.service(IdentityLinks), ({ make }) => make(email)).pipe(
      Effect.provide(Layer.provide(IdentityLinks.layer, Operator.layer))
    )
  )
  return Redacted.value(links.token)
}

describe("SIGN_UP=invite", () => {
  it("admits people with an invitation to their verified address only", () =>
    withApp({ policies: { signUp: "invite" } }, async (app) => {
      const browser = () => new SignInBrowser(app)
      expect(await browser().signIn()).toMatchObject({ status: 403, person: undefined })
      const email = provider.user["email"] as string
      const invited = await app.call("POST", `/workspaces/${app.workspace_id}/invitations`, { email, role: "editor" })
      const invitation = tokenOf(invited)
      const page = await browser().show(`/invitations/accept?token=${invitation}`)
      expect(page.text).toContain(`/sign-in/1?invitation=${invitation}`)
      provider.user = { ...provider.user, email_verified: false }
      expect(await browser().signIn({ invitation })).toMatchObject({ status: 403, person: undefined })
      provider.user = { ...provider.user, email: "another@example.test", email_verified: true }
      expect(await browser().signIn({ invitation })).toMatchObject({ status: 403, person: undefined })
      provider.user = { ...provider.user, email: email.toUpperCase() }
      const { person } = await browser().signIn({ invitation })
      const members = await app.sql("SELECT role FROM members WHERE workspace_id = $1 AND user_id = $2", [
        app.workspace_id,
        person!.user_id
      ])
      expect(members).toEqual([{ role: "editor" }])
    }))
})

describe("OIDC_LINK_BY_EMAIL=on", () => {
  it("connects an account by an address that both sides have verified", () =>
    withApp({ linkByEmail: true }, async (app) => {
      const browser = () => new SignInBrowser(app)
      const person = await register(app)
      provider.user = { ...provider.user, email: person.email }
      expect((await browser().signIn()).status).toBe(409)
      await prove(app, person.email)
      provider.user = { ...provider.user, email_verified: false }
      expect((await browser().signIn()).status).toBe(409)
      provider.user = { ...provider.user, email_verified: "TRUE" }
      expect((await browser().signIn()).status).toBe(409)
      provider.user = { ...provider.user, email: person.email.toUpperCase(), email_verified: "true" }
      expect((await browser().signIn()).person!.user_id).toBe(person.user_id)
    }))
})

describe("PASSWORD_SIGN_IN=off", () => {
  it("has no effect until an operator has signed in by the provider, and the operator keeps a way in", () =>
    withApp({ passwordSignIn: false }, async (app) => {
      const browser = () => new SignInBrowser(app)
      const { email } = (await app.call("GET", "/me")).body
      const person = await register(app)
      const shown = await browser().signIn({ link: await linkFor(app, email) })
      expect(shown.person!.email).toBe(email)
      const refusals = async () =>
        Promise.all(
          [
            unsigned(app, "/auth/login", { email: person.email, password }),
            unsigned(app, "/auth/register", { email: "new@example.test", password }),
            unsigned(app, "/auth/forgot", { email: person.email })
          ].map(async (asked) => (await asked).body.code)
        )
      expect(await refusals()).toEqual(["password_sign_in_off", "password_sign_in_off", "password_sign_in_off"])
      // Users with a password only get a link.
      provider.user = { sub: "another", email: "another@example.test" }
      const linked = await browser().signIn({ link: await linkFor(app, person.email) })
      expect(linked.person!.user_id).toBe(person.user_id)
      const { body } = await app.call("GET", "/me/identities", undefined, linked.person!.headers)
      const last = await app.call("DELETE", `/me/identities/${body.data[0].id}`, undefined, linked.person!.headers)
      expect([last.status, last.body.code]).toEqual([409, "invalid_state"])
      // Without an operator who signs in by the provider, passwords count again.
      await app.sql("UPDATE users SET is_operator = false WHERE email = $1", [email])
      expect(await refusals()).toEqual([undefined, undefined, undefined])
    }))
})

describe("links of the operator", () => {
  it("work once, within an hour, and not with the identity of another account", () =>
    withApp({}, async (app) => {
      const browser = () => new SignInBrowser(app)
      const [one, two] = [await register(app), await register(app)]
      const link = await linkFor(app, one.email)
      expect((await browser().signIn({ link })).person!.user_id).toBe(one.user_id)
      expect(await browser().signIn({ link })).toMatchObject({ status: 404, person: undefined })
      const taken = await linkFor(app, two.email)
      expect(await browser().signIn({ link: taken })).toMatchObject({ status: 409, person: undefined })
      provider.user = { sub: `late-${count}`, email: "late@example.test" }
      await app.sql("UPDATE identity_links SET expires_at = $1", [new Date(epoch).toISOString()])
      expect(await browser().signIn({ link: taken })).toMatchObject({ status: 404, person: undefined })
    }))

  it("of the first start: the first user gets the address and the name at the provider", () =>
    withApp({}, async (app) => {
      const offered = await app.run(Effect.flatMap(Effect.service(SetupLinks), ({ offer }) => offer))
      const link = Redacted.value(offered as Redacted.Redacted)
      const page = await new SignInBrowser(app).show(`/setup?token=${link}`)
      expect(page.text).toContain(`/sign-in/1?link=${link}`)
      const { person } = await new SignInBrowser(app).signIn({ link })
      const { body } = await app.call("GET", "/me", undefined, person!.headers)
      expect(body).toMatchObject({ email: provider.user["email"], name: "Alice Example", operator: true })
      expect(await new SignInBrowser(app).signIn({ link })).toMatchObject({ person: undefined })
      expect(await app.run(Effect.flatMap(Effect.service(SetupLinks), ({ offer }) => offer))).toBeUndefined()
      expect((await new SignInBrowser(app).show(`/setup?token=${link}`)).status).toBe(404)
    }))
})

describe("several providers, nodes and addresses", () => {
  it("have identities of their own: the same subject at another provider is another user", async () => {
    const providers = [provider.settings(), other.settings(2)]
    await withApp({ providers }, async (app) => {
      const first = await new SignInBrowser(app).signIn()
      other.user = { ...provider.user, email: "second@example.test" }
      const second = await new SignInBrowser(app).signIn({}, 2)
      expect(second.person!.user_id).not.toBe(first.person!.user_id)
      // The response of one provider is none of the other.
      const browser = new SignInBrowser(app)
      const back = await browser.atProvider(await browser.begin({}, 1))
      expect((await browser.show(back.replace("/sign-in/1/", "/sign-in/2/"))).status).toBe(400)
    })
  })

  it("a sign-in begins on one node, and is completed once, on another one", () =>
    withApp({}, async (app) => {
      const node = await startApp({ databaseOf: app, settings: { providers: [provider.settings()] } })
      try {
        const browser = new SignInBrowser(app)
        const back = await browser.atProvider(await browser.begin())
        const there = new SignInBrowser(node)
        there.cookie = browser.cookie
        expect((await there.show(back)).status).toBe(200)
        expect(await browser.show(back)).toMatchObject({ status: 400, person: undefined })
      } finally {
        await node.stop()
      }
    }))

  it("the cookie is of this host only where the server has https", () =>
    withApp({ publicUrl: "https://sheaf.test/notes" }, async (app) => {
      const response = await new SignInBrowser(app).get("/sign-in/1")
      expect(response.headers.get("set-cookie")).toMatch(
        /^__Host-sheaf-sign-in=[\w-]{300,3000}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/
      )
      const url = new URL(response.headers.get("location")!)
      expect(url.searchParams.get("redirect_uri")).toBe("https://sheaf.test/notes/sign-in/1/callback")
      expect(url.searchParams.get("code_challenge_method")).toBe("S256")
    }))
})
