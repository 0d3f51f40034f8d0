import type { BrowserContextOptions } from "playwright-core"
import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { type Account, useConsole } from "../../support/browser/useConsole.ts"
import { isSlow } from "../../support/Slow.ts"

describe.skipIf(missing !== "")(`languages of the console${missing}`, () => {
  const given = useConsole()

  const signIn = async ({ page }: ConsolePages, { email, password }: Account) => {
    await page.locator("input[type=email]").fill(email)
    await page.locator("input[type=password]").fill(password)
    await page.locator("form.sign-in button[type=submit]").click()
    await page.locator(".shell").waitFor()
  }
  const opened = async (options: BrowserContextOptions) =>
    ConsolePages.open(await given.browse(options), given.sheaf.url)
  const lang = ({ page }: ConsolePages) => page.evaluate("document.documentElement.lang")

  it("are those of the browser, then of the user: one file, also offline; another choice loads the page and keeps a draft", async () => {
    const who = await given.account()
    await who.client.updateMe({ locale: "de-CH" })
    const pages = await opened({ locale: "de-DE" })
    const { page } = pages
    const files: Array<string> = []
    page.on("request", (request) => files.push(request.url()))
    await page.getByRole("button", { name: "Anmelden" }).waitFor()
    await signIn(pages, who)
    await pages.button("Neue Notiz").waitFor()
    expect(await lang(pages)).toBe("de")
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await page.context().setOffline(true)
    await page.reload()
    await pages.button("Neue Notiz").waitFor()
    await page.context().setOffline(false)

    await page.route(/\/v2\/notes$/, (route, request) =>
      request.method() === "POST" ? route.abort() : route.continue()
    )
    await pages.button("Neue Notiz").click()
    await pages.editor.waitFor()
    await page.getByRole("textbox", { name: "Titel" }).fill("Reise")
    await pages.type("Der Zug fährt um sieben.")
    await pages.state("Offline: auf diesem Gerät erhalten")
    await pages.button("Konto und Arbeitsbereich").click()
    await page.getByRole("menuitem", { name: "Einstellungen" }).click()
    await page.getByLabel("Sprache", { exact: true }).selectOption("English")
    await pages.button("Profil speichern").click()
    await pages.button("Save the profile").waitFor()
    expect(await lang(pages)).toBe("en")
    expect((await who.client.getMe()).locale).toBe("en")
    await page.unroute(/\/v2\/notes$/)
    await page.reload()
    await expect
      .poll(async () => (await who.client.listNotes({ filter: 'title = "Reise"' })).data.map(({ body }) => body))
      .toEqual(["Der Zug fährt um sieben."])
    expect(files.filter((url) => /French|Spanish|Chinese/.test(url))).toEqual([])
    expect(pages.seen()).toEqual([])
  })

  it("have the remarks of imports, with the names that are concerned", async () => {
    const who = await given.account()
    await who.client.updateMe({ locale: "de" })
    const pages = await opened({ locale: "de-DE", viewport: { width: 390, height: 844 } })
    await signIn(pages, who)
    // A phone shows the first steps too, as long as there is no note.
    await pages.button("Notiz schreiben").waitFor()
    await pages.button("Notizen importieren…").click()
    const file = { name: "Reise.md", mimeType: "text/markdown", buffer: Buffer.from("[[Nirgends]] ![x](fort.png)") }
    await pages.page.locator("input[type=file]").setInputFiles(file)
    await pages.button("Importieren").click()
    const remarks = pages.page.getByRole("region", { name: "Hinweise" }).getByRole("listitem")
    await remarks.first().waitFor()
    expect((await remarks.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ")).toSorted()).toEqual([
      'Reise.md Dateien fehlen: "fort.png"',
      'Reise.md Ziele von Links fehlen in der Datei; die Links bleiben, wie sie sind: "Nirgends"'
    ])
    expect(pages.seen()).toEqual([])
  })

  it.runIf(isSlow)("are English for other locales, and the user's in a browser of another language", async () => {
    const who = await given.account()
    await who.client.updateMe({ locale: "zh-TW" })
    const pages = await opened({ locale: "it-IT" })
    await pages.button("Sign in").waitFor()
    await signIn(pages, who)
    await pages.button("新建笔记").waitFor()
    expect(await lang(pages)).toBe("zh-Hans")
    await pages.page.context().close()
  })
})
