import { afterAll, describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { TestProvider } from "../../../src/program/testing/TestProvider.ts"
import { epoch } from "../../support/TestApp.ts"

const provider = await TestProvider.start(() => epoch)
afterAll(() => provider.close())

describe.skipIf(missing !== "")(`a provider in the console${missing}`, () => {
  const given = useConsole({ settings: { providers: [provider.settings()] } })

  it("signs a person in by one click, is shown in the account, and signs them out", async () => {
    const root = given.sheaf.url.replace(/\/v2$/, "")
    const page = await (await given.browse({ locale: "en-GB" })).newPage()
    await page.goto(`${root}/console/`)
    await page.getByRole("link", { name: "Continue with Example ID" }).click()
    await page.waitForURL(`${root}/console/**`)
    await page.getByRole("button", { name: "Account and workspace" }).waitFor({ timeout: 20_000 })
    await page.goto(`${root}/console/settings/account`)
    await page.getByRole("cell", { name: "Example ID" }).waitFor()
    await page.getByRole("button", { name: "Disconnect Example ID" }).click()
    await page.getByRole("button", { name: "Disconnect", exact: true }).click()
    await page.getByText("This is your last way to sign in.").waitFor()
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.goto(`${root}/console/`)
    await page.getByRole("button", { name: "Account and workspace" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.waitForURL(`${provider.issuer}/end?**`)
    expect(await given.sql("SELECT id FROM sessions")).toEqual([])
    await page.context().close()
  })

  it("is connected in the settings of an account with a password", async () => {
    provider.user = { sub: "bob", email: "bob@example.test", email_verified: true }
    const { page } = await given.signedIn(await given.account())
    const root = given.sheaf.url.replace(/\/v2$/, "")
    await page.goto(`${root}/console/settings/account`)
    await page.getByText("No provider is connected.").waitFor()
    await page.getByRole("button", { name: "Connect Example ID", exact: true }).click()
    await page.getByRole("cell", { name: "bob@example.test" }).waitFor()
    await page.context().close()
  })
})
