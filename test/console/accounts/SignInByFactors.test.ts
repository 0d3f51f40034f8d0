import { readFile } from "node:fs/promises"
import type { Locator } from "playwright-core"
import { describe, expect, it } from "vitest"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { qrText } from "../../support/browser/qrText.ts"
import { type Account, useConsole } from "../../support/browser/useConsole.ts"
import { codeAt } from "../../support/factors/Factors.ts"
import { epoch } from "../../support/TestApp.ts"

/** The narrowest window. */
const narrow = { width: 360, height: 640 }
const wide = { width: 1280, height: 800 }

describe.skipIf(missing !== "")(`second factors in the console${missing}`, () => {
  // Browsers have passkeys for host names only.
  const given = useConsole({
    settings: { publicUrl: "http://localhost:0", operatorSecondFactorFrom: epoch }
  })

  /** The time of the instance. Each code of an app is used once, in its own 30 seconds. */
  let now = epoch
  const advance = async (seconds: number) => {
    await given.sheaf.advance(`${seconds} seconds`)
    now += seconds * 1000
  }
  const nextCode = async (secret: string): Promise<string> => {
    await advance(30)
    return codeAt(secret, now)
  }

  const signedIn = async (who: Account): Promise<ConsolePages> => {
    const pages = await ConsolePages.open(await given.browse(), given.sheaf.url.replace("127.0.0.1", "localhost"))
    await pages.signIn(who)
    return pages
  }

  /** Adds an authenticator that makes and uses passkeys by itself, as that of a phone whose owner agrees. */
  const addAuthenticator = async ({ page }: ConsolePages): Promise<void> => {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send("WebAuthn.enable")
    await devtools.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true
      }
    })
  }

  const signOut = async (pages: ConsolePages): Promise<void> => {
    await pages.page.getByRole("link", { name: "Back to the notes" }).click()
    await pages.button("Account and workspace").click()
    await pages.page.getByRole("menuitem", { name: "Sign out" }).click()
    await pages.page.getByText("Your notes, on your server.").waitFor()
  }
  const enterPassword = async ({ page }: ConsolePages, { email, password }: Account): Promise<void> => {
    await page.getByLabel("E-mail address").fill(email)
    await page.getByLabel("Password").fill(password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await page.getByText("Your account has a second factor.").waitFor()
  }
  const enterCode = async ({ page }: ConsolePages, code: string): Promise<void> => {
    await page.getByLabel("Code of the authenticator app, or a recovery code").fill(code)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
  }

  const secretIn = async (dialog: Locator): Promise<string> =>
    ((await dialog.getByRole("region", { name: "Secret" }).textContent()) ?? "").replaceAll(" ", "")
  /** Adds an authenticator app in the open section, and returns its secret. */
  const addApp = async (pages: ConsolePages, confirm: () => Promise<void> = async () => undefined): Promise<string> => {
    await pages.button("Add an authenticator app").click()
    await confirm()
    const dialog = pages.dialog("Add an authenticator app")
    const secret = await secretIn(dialog)
    await dialog.getByLabel("Code that the app shows").fill(await nextCode(secret))
    await dialog.getByRole("button", { name: "Add the app" }).click()
    return secret
  }
  /** Keeps the recovery codes that are shown as a file, and closes their dialog. */
  const keepCodes = async (pages: ConsolePages): Promise<ReadonlyArray<string>> => {
    const dialog = pages.dialog("Your recovery codes")
    const [download] = await Promise.all([
      pages.page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Download" }).click()
    ])
    const codes = (await readFile(await download.path(), "utf8")).match(/^[A-Z2-7]{6}(?:-[A-Z2-7]{6}){3}$/gm) ?? []
    expect(codes).toHaveLength(10)
    await dialog.getByRole("button", { name: "Done" }).click()
    await dialog.waitFor({ state: "detached" })
    return codes
  }

  it("an authenticator app is added, and a sign-in by password asks for its code or a recovery code", async () => {
    const who = await given.account()
    const pages = await signedIn(who)
    const { page } = pages
    await pages.settings("Account")
    await page.setViewportSize(narrow)
    await page.getByText("There are no second factors.").waitFor()
    expect(await audit(page)).toEqual([])
    await pages.button("Add an authenticator app").click()
    const dialog = pages.dialog("Add an authenticator app")
    await dialog.waitFor()
    expect(await audit(page)).toEqual([])
    const secret = await secretIn(dialog)
    expect(await qrText(page)).toContain(`secret=${secret}`)
    await dialog.getByLabel("Code that the app shows").fill("000000")
    await dialog.getByRole("button", { name: "Add the app" }).click()
    await dialog.locator(".field .error").waitFor()
    await dialog.getByLabel("Code that the app shows").fill(await nextCode(secret))
    await dialog.getByRole("button", { name: "Add the app" }).click()
    const codesDialog = pages.dialog("Your recovery codes")
    await codesDialog.waitFor()
    expect(await audit(page)).toEqual([])
    await page.keyboard.press("Escape")
    await codesDialog.getByRole("button", { name: "Done" }).click()
    expect(pages.seen()).toEqual([expect.stringContaining("You have not copied")])
    const codes = await keepCodes(pages)
    await page.getByText("10 recovery codes are left.").waitFor()
    expect(await audit(page)).toEqual([])

    await page.setViewportSize(wide)
    await signOut(pages)
    await enterPassword(pages, who)
    await page.setViewportSize(narrow)
    expect(await audit(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(narrow.width)
    expect(await page.evaluate("document.activeElement.autocomplete")).toBe("one-time-code")
    await pages.button("Back").click()
    await enterPassword(pages, who)
    await enterCode(pages, "000000")
    await page.getByText("The code is wrong, too old, or was used before").waitFor()
    await enterCode(pages, await nextCode(secret))
    await page.locator(".shell, .steps").waitFor()
    await page.setViewportSize(wide)
    await pages.settings("Sessions and devices")
    await pages.tableRow("this one").getByText("password + authenticator app").waitFor()

    await signOut(pages)
    await enterPassword(pages, who)
    await enterCode(pages, codes[0]!.toLowerCase())
    await page.locator(".shell, .steps").waitFor()
    await pages.settings("Account")
    await page.getByText("9 recovery codes are left.").waitFor()
    await advance(1200)
    await pages.button("Make new recovery codes…").click()
    await pages
      .dialog("Make new recovery codes")
      .getByRole("button", { name: "Make new recovery codes", exact: true })
      .click()
    const request = pages.dialog("Confirm that it is you")
    await request.getByLabel("Code of the authenticator app").fill(await nextCode(secret))
    await request.getByRole("button", { name: "Continue" }).click()
    expect(await keepCodes(pages)).not.toContain(codes[1])
    await page.getByText("10 recovery codes are left.").waitFor()
    expect(pages.seen()).toEqual([])
    await page.context().close()
  })

  it("a passkey signs in alone or as the second step, confirms, is renamed and removed", async () => {
    const who = await given.account()
    const pages = await signedIn(who)
    const { page } = pages
    await addAuthenticator(pages)
    await pages.settings("Account")
    await pages.button("Add a passkey").click()
    await keepCodes(pages)
    await pages.button("Rename Passkey").click()
    const name = pages.dialog("Rename Passkey")
    await name.getByLabel("Name").fill("Phone")
    await name.getByRole("button", { name: "Save" }).click()
    await name.waitFor({ state: "detached" })
    await pages.button("Add a passkey").click()
    await page.getByText("This device already has a passkey").waitFor()

    await signOut(pages)
    expect(await audit(page)).toEqual([])
    await pages.button("Sign in with a passkey").click()
    await page.locator(".shell, .steps").waitFor()
    await pages.settings("Sessions and devices")
    await pages.tableRow("this one").getByText("passkey", { exact: true }).waitFor()
    await signOut(pages)
    await enterPassword(pages, who)
    await pages.button("Use a passkey").click()
    await page.locator(".shell, .steps").waitFor()

    await pages.settings("Account")
    await advance(1200)
    await pages.button("Remove Phone").click()
    await pages.dialog("Remove Phone").getByRole("button", { name: "Remove Phone" }).click()
    const request = pages.dialog("Confirm that it is you")
    await request.waitFor()
    expect(await audit(page)).toEqual([])
    await request.getByRole("button", { name: "Use a passkey" }).click()
    await page.getByText("There are no second factors.").waitFor()
    await signOut(pages)
    await pages.button("Sign in with a passkey").click()
    await page.getByRole("alert").waitFor()
    expect(pages.seen()).toEqual([])
    await page.context().close()
  })

  it("a workspace that needs two factors opens when one was added, and keeps the text that is being written", async () => {
    const who = await given.account()
    const [workspace] = (await who.client.listWorkspaces()).data
    const { id } = workspace!
    await who.client.createWorkspace({ name: "Garden" })
    const pages = await signedIn(who)
    const { page } = pages
    await pages.settings("Workspace")
    await page.getByLabel("Members need a second factor").check()
    expect(Date.parse(await page.getByLabel("From").inputValue())).toBeGreaterThan(Date.now() + 5 * 24 * 3600_000)
    await pages.button("Save the rule").click()
    await page.getByText("Saved.").waitFor()
    expect(Date.parse((await who.client.getWorkspace({ id })).second_factor_from!)).toBeGreaterThan(Date.now())
    await page.getByRole("link", { name: "Back to the notes" }).click()
    await pages.begin("Plan", "Roses")
    await pages.state("Saved")
    const early = await signedIn(who)
    await who.client.updateWorkspace({ id, second_factor_from: new Date(now).toISOString() })

    await pages.type(", and tulips")
    const notice = page.getByRole("alert").filter({ hasText: "This workspace needs a sign-in with two factors." })
    await notice.getByRole("button", { name: "Continue" }).click()
    const needed = pages.dialog("Two factors are needed")
    await needed.waitFor()
    expect(await audit(page)).toEqual([])
    await advance(1200)
    const secret = await addApp(pages, async () => {
      const request = pages.dialog("Confirm that it is you")
      await request.getByLabel("Password").fill(who.password)
      await request.getByRole("button", { name: "Continue" }).click()
    })
    await keepCodes(pages)
    await needed.waitFor({ state: "detached" })
    await pages.state("Saved")
    expect(await pages.editor.textContent()).toContain("Roses, and tulips")

    await early.page.reload()
    const again = early.dialog("Two factors are needed")
    await again.getByText("Confirm with a factor that you have.").waitFor()
    expect(await audit(early.page)).toEqual([])
    await early.page.setViewportSize(narrow)
    expect(await early.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(narrow.width)
    await early.page.setViewportSize(wide)
    await again.getByRole("button", { name: "Open Garden" }).click()
    await early.page.locator(".account strong", { hasText: "Garden" }).waitFor()
    expect(await again.isVisible()).toBe(false)
    await early.button("Account and workspace").click()
    await early.page.getByRole("menuitemradio", { name: workspace!.name }).click()
    await again.getByRole("button", { name: "Close" }).click()
    await early.page.getByRole("alert").getByRole("button", { name: "Continue" }).click()
    await again.getByLabel("Code of the authenticator app").fill(await nextCode(secret))
    await again.getByRole("button", { name: "Continue" }).click()
    await again.waitFor({ state: "detached" })
    await early.row("Plan").waitFor()
    expect([...pages.seen(), ...early.seen()]).toEqual([])
    await Promise.all([page, early.page].map((each) => each.context().close()))
  })

  it("the pages of the server need two factors, see how many a user has, and remove them", async () => {
    const operator = await given.operator()
    const who = await given.account()
    const { secret, token } = await who.client.offerFactor({ kind: "totp" })
    await who.client.addFactor({ token, code: codeAt(secret!, now) })
    const pages = await signedIn(operator)
    await pages.button("Account and workspace").click()
    await pages.page.getByRole("menuitem", { name: "Server" }).click()
    await pages.dialog("Two factors are needed").getByText("The pages of the server need").waitFor()
    await addApp(pages)
    await keepCodes(pages)
    await pages.server("Users")
    await pages.page.getByRole("link", { name: who.email }).click()
    await pages.button("Remove second factors…").click()
    await pages
      .dialog("Remove second factors")
      .getByRole("button", { name: "Remove second factors", exact: true })
      .click()
    await pages.page.getByText("1 factor is removed.").waitFor()
    const { email, password } = who
    await createClient({ url: given.sheaf.url }).signIn({ email, password })
    expect(pages.seen()).toEqual([])
    await pages.page.context().close()
  })
})
