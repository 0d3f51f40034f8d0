import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { audit } from "../support/browser/Audit.ts"
import { launch, missing } from "../support/browser/Chromium.ts"
import { type Watched, watched } from "../support/browser/Watched.ts"
import { confirmationsTo, mailTo } from "../support/people/Mail.ts"
import { linksIn } from "../support/people/FormPages.ts"
import { logIn, password, register, unsigned, workspaceOf } from "../support/people/People.ts"
import { freshLink } from "../support/people/SetupLink.ts"
import { isSlow } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

/** The folder for screenshots, if any. */
const screenshots = process.env["PAGE_SCREENSHOTS"]

/** Milliseconds for a test; a real browser is slow on a busy machine. */
const testTimeout = 600_000

describe.skipIf(missing !== "")(`account pages in a browser${missing}`, () => {
  const { app } = useApp()
  let browser: Browser
  let origin: string
  let tab: Watched

  beforeAll(async () => {
    browser = await launch()
    origin = new URL(app.url).origin
    tab = await watched(await browser.newContext(), origin)
    if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true })
  }, testTimeout)
  afterAll(() => browser.close())

  const here = (link: string): string => link.replace("http://sheaf.test", origin)

  const invite = async (email: string, name = "Plant researchers of the botanical garden") => {
    const owner = await register(app, { name: "Olga Österreicher" })
    const workspace = await workspaceOf(app, owner, name)
    const sent = await app.call("POST", `/workspaces/${workspace}/invitations`, { email }, owner.headers)
    return here(sent.body.accept_url)
  }

  const resetLink = async (email: string) => {
    await unsigned(app, "/auth/forgot", { email })
    // Other mails, such as that about a new device, may be stored before it.
    const link = async () =>
      (await mailTo(app, email)).flatMap(linksIn).find((each) => each.includes("/password/reset"))
    await expect.poll(link).toBeDefined()
    return here((await link())!)
  }

  const confirmLink = async (email: string) => here(linksIn((await confirmationsTo(app, email))[0]!)[0]!)

  /** Returns what is wrong with the open page in each window size and colour scheme. */
  const wrongWith = async (name: string): Promise<ReadonlyArray<string>> => {
    const wrong: Array<string> = []
    for (const [device, size] of [
      ["desktop", { width: 1280, height: 900 }],
      ["phone", { width: 360, height: 740 }]
    ] as const) {
      await tab.page.setViewportSize(size)
      for (const colorScheme of ["light", "dark"] as const) {
        // Colours that change slowly would be measured half-way.
        await tab.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        const width = await tab.page.evaluate<number>("document.documentElement.scrollWidth")
        if (width > size.width) wrong.push(`wider than the window of ${size.width}`)
        // Audits take most of the time, so npm test only audits light pages on a desktop and dark pages on a phone.
        if (isSlow || (device === "desktop") === (colorScheme === "light")) wrong.push(...(await audit(tab.page)))
        if (screenshots === undefined) continue
        await tab.page.screenshot({ path: join(screenshots, `${name}-${device}-${colorScheme}.png`), fullPage: true })
      }
    }
    return wrong
  }

  type Opened = readonly [name: string, url: string, act?: () => Promise<void>]

  const expectFine = async (...pages: ReadonlyArray<Opened>): Promise<void> => {
    for (const [name, url, act] of pages) {
      await tab.page.goto(url)
      await act?.()
      expect([name, await wrongWith(name)]).toEqual([name, []])
    }
    // The console logs the status of error pages.
    const seen = tab.seen().filter((each) => !/^console: .*the server responded with a status of 4|^4\d\d: /.test(each))
    expect(seen).toEqual([])
  }

  it(
    "are accessible and usable for invitations in every state, light and dark, on a desktop and a phone",
    async () => {
      const { page } = tab
      const link = await invite("ines.lopez-gonzalez@botanical-garden.example")
      const long = await invite(`${"x".repeat(60)}@${"very-long-domain.".repeat(8)}example`, "W".repeat(100))
      await expectFine(
        ["invitation", link],
        ["invitation-long", long],
        [
          "invitation-wrong-password",
          link,
          async () => {
            await page.fill("#sign-in-password", "not the password")
            await page.click("text=Join >> nth=-1")
            await page.waitForSelector("[role=alert]")
          }
        ],
        [
          "invitation-weak-password",
          link,
          async () => {
            await page.fill("#register-name", "Inés")
            await page.fill("#register-password", "1q2w3e4r5t")
            await page.click("text=Create account and join")
            await page.waitForSelector("#register-password-wrong")
          }
        ],
        [
          "invitation-accepted",
          link,
          async () => {
            await page.fill("#register-name", "Inés")
            await page.fill("#register-password", password)
            await page.click("text=Create account and join")
            await page.waitForSelector("h1:has-text('You have joined')")
          }
        ],
        ["invitation-unknown", `${origin}/invitations/accept?token=sfi_x`]
      )
    },
    testTimeout
  )

  it(
    "are accessible and usable for a password reset",
    async () => {
      const { page } = tab
      const { email } = await register(app)
      const link = await resetLink(email)
      await expectFine(
        ["reset-ask", `${origin}/password/reset`],
        [
          "reset-asked",
          `${origin}/password/reset`,
          async () => {
            await page.fill("#ask-email", "anna@example.org")
            await page.click("text=Send link")
            await page.waitForSelector("h1:has-text('Check your inbox')")
          }
        ],
        ["reset", link],
        [
          "reset-weak",
          link,
          async () => {
            await page.fill("#reset-new_password", "basketball")
            await page.click("button")
            await page.waitForSelector("#reset-new_password-wrong")
          }
        ],
        [
          "reset-done",
          link,
          async () => {
            await page.fill("#reset-new_password", "another password")
            await page.click("button")
            await page.waitForSelector("h1:has-text('Your password has been changed')")
          }
        ],
        ["reset-used", link]
      )
    },
    testTimeout
  )

  it(
    "are accessible and usable for the confirmation of an address",
    async () => {
      const { page } = tab
      const { email } = await register(app)
      const link = await confirmLink(email)
      await expectFine(
        ["confirm", link],
        [
          "confirmed",
          link,
          async () => {
            await page.click("button")
            await page.waitForSelector("h1:has-text('is confirmed')")
          }
        ],
        ["confirm-ask", `${origin}/email/confirm`],
        ["confirm-broken", `${origin}/email/confirm?token=x`]
      )
    },
    testTimeout
  )

  it(
    "are accessible and usable for the first account",
    async () => {
      const { page } = tab
      const link = here(await freshLink(app))
      const create = async (password: string, then: string) => {
        await page.fill("#setup-email", "ida.lopez-gonzalez@botanical-garden.example")
        await page.fill("#setup-password", password)
        await page.click("button")
        await page.waitForSelector(then)
      }
      await expectFine(
        ["setup", link],
        ["setup-weak-password", link, () => create("basketball", "#setup-password-wrong")],
        [
          "setup-done",
          link,
          async () => {
            await create(password, "h1:has-text('Your account is ready')")
            await page.click("summary")
          }
        ],
        ["setup-used", link]
      )
    },
    testTimeout
  )

  it(
    "lead to the console signed in, with the time zone and the language of the browser, and offer to copy the key",
    async () => {
      const context = await browser.newContext({ timezoneId: "Asia/Tokyo", locale: "de-AT" })
      await context.grantPermissions(["clipboard-read", "clipboard-write"])
      const { page, seen } = await watched(context, origin)
      await app.sql("DELETE FROM devices")
      await app.sql("UPDATE users SET timezone = 'UTC', locale = 'en'")
      await page.goto(here(await freshLink(app)))
      await page.fill("#setup-email", "tab@sheaf.test")
      await page.fill("#setup-password", password)
      await page.click("button")
      await page.click("text=Schlüssel für Skripte zeigen")
      await page.click("text=Kopieren")
      await page.waitForSelector("text=Kopiert")
      expect(await page.evaluate<string>("navigator.clipboard.readText()")).toMatch(/^sfk_\w{36}$/)
      await page.click("text=Weiter")
      await page.waitForSelector("h1:has-text('Notizen mitbringen')")
      expect(page.url()).toBe(`${origin}/console/start`)
      expect(await page.content()).not.toMatch(/sf[ark]_\w{36}/)
      const [user] = await app.sql("SELECT timezone, locale FROM users WHERE email = 'tab@sheaf.test'")
      expect(user).toEqual({ timezone: "Asia/Tokyo", locale: "de-AT" })
      // Another account of the same browser, in the workspace of its invitation.
      await page.goto(await invite("zoe@sheaf.test", "Greenhouse"))
      await page.fill("#register-name", "Zoe")
      await page.fill("#register-password", password)
      await page.click("button:has-text('Konto erstellen und beitreten')")
      await page.click("text=Sheaf öffnen")
      await page.waitForSelector(".account strong:has-text('Greenhouse')")
      await page.goto(await resetLink("zoe@sheaf.test"))
      await page.fill("#reset-new_password", "another password")
      await page.click("button")
      await page.waitForSelector("text=Sie sind angemeldet als")
      await page.click("text=Sheaf öffnen")
      await page.waitForSelector(".account .hint:has-text('zoe@sheaf.test')")
      // The console is left while it reads.
      expect(seen().filter((each) => !each.endsWith("net::ERR_ABORTED"))).toEqual([])
      await context.close()
    },
    testTimeout
  )

  it(
    "are accessible for problems",
    () =>
      expectFine(
        ["not-found", `${origin}/nothing/here`],
        ["api", `${origin}/v2/notes`],
        ["errors", `${origin}/v2/errors/invalid_token`]
      ),
    testTimeout
  )

  it(
    "work without scripts and with the keyboard only",
    async () => {
      const offline = await browser.newContext({ javaScriptEnabled: false })
      const page = await offline.newPage()
      const { email } = await register(app)
      await page.goto(await invite(email))
      await page.focus("#sign-in-password")
      await page.keyboard.type("not the password")
      await page.keyboard.press("Enter")
      await page.waitForSelector("[role=alert]")
      // The focus is on the invalid field.
      await page.keyboard.type(password)
      await page.keyboard.press("Enter")
      await page.waitForSelector("h1:has-text('You have joined')")
      await page.goto(await resetLink(email))
      await page.focus("[type=password]")
      await page.keyboard.type("another password")
      await page.keyboard.press("Enter")
      await page.waitForSelector("h1:has-text('Your password has been changed')")
      await logIn(app, email, { password: "another password" })
      await page.goto(here(await freshLink(app)))
      await page.focus("#setup-email")
      await page.keyboard.type("keyboard@sheaf.test")
      await page.keyboard.press("Tab")
      await page.keyboard.type("Kay")
      await page.keyboard.press("Tab")
      await page.keyboard.type("short")
      await page.keyboard.press("Enter")
      await page.waitForSelector("#setup-password-wrong")
      // The focus is on the invalid field, and the address and the name are still there.
      await page.keyboard.type(password)
      await page.keyboard.press("Enter")
      await page.waitForSelector("h1:has-text('Your account is ready')")
      await offline.close()
      await logIn(app, "keyboard@sheaf.test")
    },
    testTimeout
  )
})
