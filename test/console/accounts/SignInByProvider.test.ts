import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`a provider in the console${missing}`, () => {
  const given = useConsole({ provider: true })
  const root = () => given.sheaf.url.replace(/\/v2$/, "")

  /** Signs the user of the provider in, in another browser. */
  const enter = async (user: object): Promise<Page> => {
    given.sheaf.provider!.user = { ...user }
    const page = await (await given.browse({ locale: "en-GB" })).newPage()
    await page.goto(`${root()}/console/`)
    await page.getByRole("link", { name: "Continue with Example ID" }).click()
    await page.waitForURL(`${root()}/console/**`)
    await page.getByRole("button", { name: "Account and workspace" }).waitFor({ timeout: 20_000 })
    return page
  }

  it("signs a person in by one click, is shown in the account, and signs them out", async () => {
    const page = await enter({ sub: "alice", email: "alice@example.test", email_verified: true })
    // The user has no password, which is not known while the account is read.
    const reading = Promise.withResolvers<void>()
    await page.route("**/v2/me", async (route) => {
      await reading.promise
      await route.continue()
    })
    await page.goto(`${root()}/console/settings/account`)
    await page.getByRole("cell", { name: "Example ID" }).waitFor()
    await page.getByText("Passkeys need a host name, and HTTPS").waitFor()
    expect(await page.getByLabel("Current password").count()).toBe(0)
    const read = page.waitForResponse("**/v2/me")
    reading.resolve()
    await read
    expect(await page.getByLabel("Current password").count()).toBe(0)
    await page.getByRole("button", { name: "Disconnect Example ID" }).click()
    await page.getByRole("button", { name: "Disconnect", exact: true }).click()
    await page.getByText("This is your last way to sign in.").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.goto(`${root()}/console/`)
    await page.getByRole("button", { name: "Account and workspace" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.waitForURL(`${given.sheaf.provider!.issuer}/end?**`)
    expect(await given.sql("SELECT id FROM sessions")).toEqual([])
    await page.context().close()
  })

  it("is connected in the settings of an account with a password", async () => {
    given.sheaf.provider!.user = { sub: "bob", email: "bob@example.test", email_verified: true }
    const { page } = await given.signedIn(await given.account())
    await page.goto(`${root()}/console/settings/account`)
    await page.getByText("No provider is connected.").waitFor()
    await page.getByRole("button", { name: "Connect Example ID", exact: true }).click()
    await page.getByRole("cell", { name: "bob@example.test" }).waitFor()
    await page.context().close()
  })

  it("confirms that the user is present, on a page next to the console, which sends the request again", async () => {
    const carol = { sub: "carol", email: "carol@example.test", email_verified: true }
    const page = await enter(carol)
    await page.goto(`${root()}/console/settings/keys`)
    await page.getByLabel("Name").fill("Backup script")
    await given.sheaf.advance("20 minutes")
    await page.getByRole("button", { name: "Make the key" }).click()
    const dialog = page.getByRole("dialog")
    const confirmNextTo = async (title: string) => {
      const opened = page.context().waitForEvent("page")
      await dialog.getByRole("button", { name: "Confirm with Example ID" }).click()
      const next = await opened
      await next.getByRole("heading", { name: title }).waitFor()
      await next.close()
      await dialog.getByText("then continue here").waitFor()
      await dialog.getByRole("button", { name: "Continue" }).click()
    }
    // Another user of the provider does not confirm it: the dialog stays, with the reason.
    given.sheaf.provider!.user = { ...carol, sub: "mallory" }
    await confirmNextTo("Example ID is not connected with your account")
    await dialog.getByRole("alert").waitFor()
    given.sheaf.provider!.user = carol
    await confirmNextTo("It is confirmed that you are present")
    await page.getByText("It is shown only now. Keep it like a password.").waitFor()
    await dialog.waitFor({ state: "detached" })
    expect(await given.sql("SELECT name FROM api_keys WHERE name = 'Backup script'")).toHaveLength(1)
    await page.context().close()
  })
})
