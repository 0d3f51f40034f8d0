import { describe, expect, it } from "vitest"
import { confirmationsTo, mailTo } from "../../support/people/Mail.ts"
import { register, unsigned } from "../../support/people/People.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

/** The subjects of the first mails to an address, sorted: several are sent at once. */
const subjects = async (address: string, count: number) =>
  (await mailTo(app, address, count)).map(({ headers }) => headers.get("subject")).toSorted()

describe("mails are in the language of their reader", () => {
  it("for an address to confirm and a forgotten password, also after the reader has changed it", async () => {
    const { email, headers } = await register(app, { locale: "fr-CA" })
    await unsigned(app, "/auth/forgot", { email })
    expect(await subjects(email, 2)).toEqual(["Confirmez votre adresse e-mail", "Réinitialiser votre mot de passe"])
    expect((await app.call("PATCH", "/me", { locale: "zh-TW" }, headers)).status).toBe(200)
    await unsigned(app, "/auth/forgot", { email })
    expect(await subjects(email, 3)).toContain("重置您的密码")
    const { email: other } = await register(app, { locale: "it-IT" })
    expect(await confirmationsTo(app, other)).toHaveLength(1)
  })

  it("for an invitation: that of the invited user, or of the inviter for an address without an account", async () => {
    const inviter = await register(app, { locale: "es-MX" })
    const known = await register(app, { locale: "de-AT" })
    const invite = (email: string) =>
      app.call("POST", `/workspaces/${inviter.workspace_id}/invitations`, { email }, inviter.headers)
    expect((await invite("stranger@sheaf.test")).status).toBe(201)
    expect(await subjects("stranger@sheaf.test", 1)).toEqual([expect.stringContaining(" le invita a ")])
    expect((await invite(known.email)).status).toBe(201)
    expect(await subjects(known.email, 2)).toContainEqual(expect.stringContaining(" lädt Sie zu "))
  })
})
