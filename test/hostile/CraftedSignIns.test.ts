import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Crafted, TestProvider } from "../../src/program/testing/TestProvider.ts"
import { SignInBrowser } from "../support/oidc/SignInBrowser.ts"
import { register } from "../support/people/People.ts"
import { epoch, startApp, type TestApp } from "../support/TestApp.ts"

/** Forty tokens and callbacks that an attacker or a broken provider may send: none of them signs in (contract 4). */

let provider: TestProvider
let other: TestProvider
let app: TestApp
let moved = 0
let count = 0
let sessions = 0

const countOf = async (table: string): Promise<number> =>
  Number((await app.sql(`SELECT count(*) AS count FROM ${table}`))[0].count)

beforeAll(async () => {
  provider = await TestProvider.start(() => epoch + moved)
  other = await TestProvider.start(() => epoch + moved)
  app = await startApp({
    settings: { linkByEmail: true, providers: [provider.settings(), other.settings(2)] }
  })
})
afterAll(async () => {
  await app.stop()
  await Promise.all([provider.close(), other.close()])
})
beforeEach(async () => {
  for (const each of [provider, other]) {
    Object.assign(each, { crafted: {}, isByUserInfo: false, metadata: {}, refusal: undefined, authTime: undefined })
    each.user = { sub: `subject-${++count}`, email: `person-${count}@example.test`, email_verified: true, name: "P" }
  }
  sessions = await countOf("sessions")
})
const browser = () => new SignInBrowser(app)

/** Every test ends here: no session, no identity and no account was made. */
const refused = async (shown: { readonly status: number; readonly person: unknown }) => {
  expect(shown.status).toBeGreaterThanOrEqual(400)
  expect(shown.status).toBeLessThan(500)
  expect(shown.person).toBeUndefined()
}
afterEach(async () => {
  if ((await countOf("sessions")) !== sessions) throw new Error("a session was made")
})

const now = () => Math.floor((epoch + moved) / 1000)
const without = (name: string) => (claims: Record<string, unknown>) => ({ ...claims, [name]: undefined })
const having = (more: Record<string, unknown>) => (claims: Record<string, unknown>) => ({ ...claims, ...more })

const tokens: Readonly<Record<string, () => Crafted>> = {
  "for another audience": () => ({ claims: having({ aud: "another-client" }) }),
  "for several audiences, authorized for another one": () => ({
    claims: having({ aud: ["notes", "another-client"], azp: "another-client" })
  }),
  "for several audiences without an authorized one": () => ({ claims: having({ aud: ["another-client", "notes"] }) }),
  "for no audience": () => ({ claims: without("aud") }),
  "of another issuer": () => ({ claims: having({ iss: "https://evil.example" }) }),
  "of the issuer with a slash": () => ({ claims: having({ iss: `${provider.issuer}/` }) }),
  "of no issuer": () => ({ claims: without("iss") }),
  "of the other provider": () => ({ claims: having({ iss: other.issuer }) }),
  "with another nonce": () => ({ claims: having({ nonce: "another" }) }),
  "without a nonce": () => ({ claims: without("nonce") }),
  "without a signature, alg none": () => ({ header: { alg: "none" }, signature: "none" }),
  "with alg NONE": () => ({ header: { alg: "NONE" }, signature: "none" }),
  "with alg none and a signature": () => ({ header: { alg: "none" } }),
  "signed by HS256 with the public key": () => ({ header: { alg: "HS256" }, signature: "hs256" }),
  "signed by HS256, which says RS256": () => ({ signature: "hs256" }),
  "signed by another key": () => ({ signature: "other" }),
  "signed by a key that is unknown": () => ({ header: { kid: "two" }, signature: "other" }),
  "with its own key in the header": () => ({ header: { jwk: { kty: "RSA" }, kid: undefined }, signature: "other" }),
  "with a critical extension": () => ({ header: { crit: ["exp"] } }),
  expired: () => ({ claims: having({ iat: now() - 7200, exp: now() - 3600 }) }),
  "without an expiry": () => ({ claims: without("exp") }),
  "with an expiry as text": () => ({ claims: having({ exp: String(now() + 300) }) }),
  "not yet valid": () => ({ claims: having({ nbf: now() + 3600 }) }),
  "without the time of its issue": () => ({ claims: without("iat") }),
  "without a subject": () => ({ claims: without("sub") }),
  "with an empty subject": () => ({ claims: having({ sub: "" }) }),
  "with a number as subject": () => ({ claims: having({ sub: 7 }) }),
  "with NUL in the subject": () => ({ claims: having({ sub: "ali\0ce" }) }),
  "with a subject of 300 characters": () => ({ claims: having({ sub: "a".repeat(300) }) }),
  "with a changed subject": () => ({
    token: (token) => {
      const [header, payload, signature] = token.split(".")
      const claims = JSON.parse(Buffer.from(payload!, "base64url").toString())
      return [header, Buffer.from(JSON.stringify({ ...claims, sub: "admin" })).toString("base64url"), signature].join(
        "."
      )
    }
  }),
  "that is no token": () => ({ token: () => "not.a.token" }),
  "that is missing": () => ({ token: () => undefined })
}

describe("an ID token", () => {
  it.each(Object.keys(tokens))("%s", async (name) => {
    provider.crafted = tokens[name]!()
    await refused(await browser().signIn())
  })
})

describe("a callback", () => {
  const begun = async (query: Record<string, string> = {}) => {
    const own = browser()
    return { own, back: new URL(await own.atProvider(await own.begin(query))) }
  }

  it("without the cookie, as from another browser", async () => {
    const { back } = await begun()
    await refused(await browser().show(back.href))
  })

  it("with the state of another browser", async () => {
    const [mine, theirs] = [await begun(), await begun()]
    theirs.own.cookie = mine.own.cookie
    await refused(await theirs.own.show(theirs.back.href))
  })

  it("without a state", async () => {
    const { back, own } = await begun()
    back.searchParams.delete("state")
    await refused(await own.show(back.href))
  })

  it("with two states", async () => {
    const { back, own } = await begun()
    back.searchParams.append("state", "another")
    await refused(await own.show(back.href))
  })

  it("with the issuer of the other provider", async () => {
    const { back, own } = await begun()
    back.searchParams.set("iss", other.issuer)
    await refused(await own.show(back.href))
  })

  it("without the issuer, which the provider always sends", async () => {
    const { back, own } = await begun()
    back.searchParams.delete("iss")
    await refused(await own.show(back.href))
  })

  it("with the code of another sign-in", async () => {
    const [mine, theirs] = [await begun(), await begun()]
    mine.back.searchParams.set("code", theirs.back.searchParams.get("code")!)
    await refused(await mine.own.show(mine.back.href))
  })

  it("without a code", async () => {
    const { back, own } = await begun()
    back.searchParams.delete("code")
    await refused(await own.show(back.href))
  })

  it("at the other provider's address", async () => {
    const { back, own } = await begun()
    await refused(await own.show(back.href.replace("/sign-in/1/", "/sign-in/2/")))
  })

  it("after ten minutes", async () => {
    const { back, own } = await begun()
    moved += 11 * 60_000
    await app.advance("11 minutes")
    await refused(await own.show(back.href))
  })

  it("with a changed cookie", async () => {
    const { back, own } = await begun()
    own.cookie = own.cookie!.slice(0, -3) + (own.cookie!.endsWith("AAA") ? "BBB" : "AAA")
    await refused(await own.show(back.href))
  })

  it("with two cookies", async () => {
    const { back, own } = await begun()
    own.cookie = `${own.cookie}; ${own.cookie}`
    await refused(await own.show(back.href))
  })

  it("of a provider that does not exist", async () => {
    const { back, own } = await begun()
    for (const number of ["0", "3", "99", "01", "x"]) {
      await refused(await own.show(back.href.replace("/sign-in/1/", `/sign-in/${number}/`)))
    }
  })

  it("with an access token in place of a link", async () => {
    const person = await register(app)
    sessions++
    await refused(await browser().signIn({ link: person.access }))
  })
})

describe("after a sign-in", () => {
  it("neither its code nor its state works again", async () => {
    const own = browser()
    const back = new URL(await own.atProvider(await own.begin()))
    const { cookie } = own
    expect((await own.show(back.href)).status).toBe(200)
    sessions++
    own.cookie = cookie
    await refused(await own.show(back.href))
    const next = new URL(await own.atProvider(await own.begin()))
    next.searchParams.set("code", back.searchParams.get("code")!)
    await refused(await own.show(next.href))
  })

  it("of two callbacks at once, one signs in", async () => {
    const own = browser()
    const back = await own.atProvider(await own.begin())
    const twin = browser()
    twin.cookie = own.cookie
    const shown = await Promise.all([own.show(back), twin.show(back)])
    expect(shown.filter(({ person }) => person !== undefined).length).toBe(1)
    sessions++
  })
})

describe("an account with the same address", () => {
  const victim = async () => {
    const person = await register(app)
    sessions++
    await app.sql("UPDATE users SET email_proven = true WHERE id = $1", [person.user_id])
    return person
  }

  it("is not entered by a foreign subject whose address is not verified", async () => {
    const { email } = await victim()
    for (const email_verified of [false, undefined, null, "false", "yes", 1, "TRUE", [true]]) {
      provider.user = { sub: `foreign-${count}`, email, email_verified }
      await refused(await browser().signIn())
    }
  })

  it("is not entered by an address that another person has changed to", async () => {
    const { email, headers, user_id } = await victim()
    expect((await app.call("GET", "/me", undefined, headers)).status).toBe(200)
    // The account of the attacker at the provider gets the address of the victim later.
    const first = await browser().signIn()
    sessions++
    provider.user = { ...provider.user, email }
    const second = await browser().signIn()
    sessions++
    expect(second.person!.user_id).toBe(first.person!.user_id)
    expect(second.person!.user_id).not.toBe(user_id)
  })

  it("is not entered by user info of another subject", async () => {
    provider.isByUserInfo = true
    const { email } = await victim()
    const own = browser()
    const back = await own.atProvider(await own.begin())
    provider.crafted = { userInfo: { sub: "someone-else", email, email_verified: true } }
    await refused(await own.show(back))
  })
})
