import { describe, expect, it } from "vitest"
import { mailTo } from "../../support/people/Mail.ts"
import { logIn, password, type Person, register, unsigned, workspaceOf } from "../../support/people/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })

const prove = ({ user_id }: Person) => app.sql("UPDATE users SET email_proven = true WHERE id = $1", [user_id])

const proven = async () => {
  const person = await register(app)
  await prove(person)
  return person
}

const subjects = async ({ email }: Person, count: number) => {
  const mails = await mailTo(app, email, count)
  return mails.map(({ headers }) => headers.get("subject"))
}

const makeKey = (person: Person, name = "Backup") => app.call("POST", "/api-keys", { name }, person.headers)
const makeHook = ({ headers }: Person) =>
  app.call("POST", "/webhooks", { url: "http://127.0.0.1:4000/secret-path", events: ["*"] }, headers)
const changePassword = ({ headers }: Person) =>
  app.call("POST", "/auth/password", { current_password: password, new_password: password }, headers)

describe("security mail to a proven address", () => {
  it("is sent for a sign-in on a new device, but not on a known one", async () => {
    const person = await proven()
    await logIn(app, person.email, { device: { name: "Phone\r\nhttps://evil.example", platform: "ios" } })
    const [mail] = await mailTo(app, person.email)
    expect(mail!.headers.get("subject")).toBe("Sign-in on a new device")
    for (const part of ['"Phone" (ios)', "http://sheaf.test", "2026-03-01 12:", "from the address 127.0.0.1"])
      expect(mail!.text.replaceAll("\n", " ")).toContain(part)
    expect(mail!.text).not.toContain("evil")
    await logIn(app, person.email, { device: { id: person.device_id } })
    expect(await mailTo(app, person.email, 0)).toHaveLength(1)
  })

  it("is sent for a change of the password", async () => {
    const person = await proven()
    expect((await changePassword(person)).status).toBe(200)
    expect(await subjects(person, 1)).toEqual(["Your password was changed"])
    await app.advance("1 second")
    await unsigned(app, "/auth/forgot", { email: person.email })
    const [token] = /sfp_\w+/.exec((await mailTo(app, person.email, 2))[1]!.text)!
    await app.advance("1 second")
    expect((await unsigned(app, "/auth/reset", { token, new_password: "another password" })).status).toBe(200)
    expect((await subjects(person, 3))[2]).toBe("Your password was changed")
  })

  it("is sent for a new API key or webhook in any workspace, without its secret", async () => {
    const person = await proven()
    const workspace = await workspaceOf(app, person)
    const there = { ...person, headers: { ...person.headers, "workspace-id": workspace } }
    const { body: key } = await makeKey(there, "Backup of support@evil.example")
    await app.advance("1 second")
    const { body: hook } = await makeHook(there)
    expect(await subjects(person, 2)).toEqual(["A new API key", "A new webhook"])
    const [aboutKey, aboutHook] = await mailTo(app, person.email, 2)
    expect(aboutKey!.text).toContain(`"Backup of", which begins with ${key.prefix}`)
    expect(aboutHook!.text).toContain("127.0.0.1:4000")
    expect(aboutKey!.text + aboutHook!.text).not.toMatch(/evil|secret-path/)
    for (const secret of [key.secret, hook.secret]) expect(aboutKey!.text + aboutHook!.text).not.toContain(secret)
  })

  it("is sent at most ten times an hour", async () => {
    const person = await proven()
    for (let time = 0; time < 12; time++) expect((await makeKey(person, `Key ${time}`)).status).toBe(201)
    expect(await subjects(person, 10)).toEqual(Array(10).fill("A new API key"))
    expect(await mailTo(app, person.email, 0)).toHaveLength(10)
  })
})

describe("no security mail", () => {
  it("is sent to a user who switched them off, except one about that", async () => {
    const person = await proven()
    expect((await app.call("GET", "/me", undefined, person.headers)).body.security_mails).toBe(true)
    const change = (security_mails: unknown) => app.call("PATCH", "/me", { security_mails }, person.headers)
    expect((await change(null)).status).toBe(422)
    expect((await change("no")).status).toBe(422)
    expect((await change(false)).body.security_mails).toBe(false)
    expect((await change(false)).body.security_mails).toBe(false)
    await makeKey(person)
    await makeHook(person)
    await changePassword(person)
    expect(await subjects(person, 1)).toEqual(["Mails about your account were switched off"])
    expect(await mailTo(app, person.email, 0)).toHaveLength(1)
    await app.advance("1 second")
    expect((await change(true)).body.security_mails).toBe(true)
    await makeKey(person)
    expect((await subjects(person, 2))[1]).toBe("A new API key")
  })

  it("is sent to an unproven address", async () => {
    const person = await register(app)
    await makeKey(person)
    await changePassword(person)
    await logIn(app, person.email)
    expect(await mailTo(app, person.email, 0)).toEqual([])
  })

  it("is sent for rejected requests", async () => {
    const person = await proven()
    expect(
      (await app.call("POST", "/api-keys", { name: "Key", expires_at: "2020-01-01T00:00:00Z" }, person.headers)).status
    ).toBe(422)
    expect(
      (
        await app.call(
          "POST",
          "/auth/password",
          { current_password: "wrong one", new_password: "another password" },
          person.headers
        )
      ).status
    ).toBe(401)
    await unsigned(app, "/auth/login", { email: person.email, password: "wrong password" })
    expect(await mailTo(app, person.email, 0)).toEqual([])
  })
})
