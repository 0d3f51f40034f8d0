import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { audit } from "../support/browser/Audit.ts"
import { launch, missing as noBrowser } from "../support/browser/Chromium.ts"
import { PackagedModules } from "../support/browser/PackagedModules.ts"
import { serveSite } from "../support/browser/SiteServer.ts"

const read = (name: string): string => readFileSync(join(import.meta.dirname, "notes-list", name), "utf8")

const account = { email: "anna@example.org", password: "correct horse battery" }

describe.skipIf(noBrowser !== "")(`the example of a notes list${noBrowser}`, () => {
  let sheaf: Sheaf
  let site: Awaited<ReturnType<typeof serveSite>>
  let browser: Browser
  beforeAll(async () => {
    using packaged = await PackagedModules.install()
    const script = await packaged.bundle(read("notes.js"))
    site = await serveSite({ "/": read("index.html"), "/bundle/notes.js": script })
    sheaf = await Sheaf.start({ postgres: inject("postgres") })
    await sheaf.client.registerUser(account)
    browser = await launch()
  })
  afterAll(async () => {
    await browser.close()
    await sheaf.stop()
    await site.stop()
  })

  let context: BrowserContext
  let one: Page
  let other: Page
  const errors: Array<string> = []
  beforeEach(async () => {
    sheaf.faults.clear()
    await context?.close()
    context = await browser.newContext()
    context.on("weberror", (error) => errors.push(error.error().message))
    one = await context.newPage()
    await one.goto(site.url)
    await one.getByLabel("Server").fill(sheaf.url)
    await one.getByLabel("E-mail").fill(account.email)
    await one.getByLabel("Password").fill(account.password)
    await one.getByRole("button", { name: "Sign in" }).click()
    await is(one, "Connected. Changes waiting: 0")
    // The second tab has the session of the first.
    other = await context.newPage()
    await other.goto(site.url)
    await is(other, "Connected. Changes waiting: 0")
  })

  const is = (tab: Page, state: string) => expect.poll(() => tab.getByRole("status").textContent()).toBe(state)
  const titles = (tab: Page) => tab.getByRole("listitem").allTextContents()
  const bodyOf = (tab: Page) => tab.getByLabel("Text").inputValue()
  const open = (tab: Page, title: string) => tab.getByRole("button", { name: title }).click()
  const create = async (tab: Page, title: string, body: string) => {
    await tab.getByRole("button", { name: "New note" }).click()
    await tab.getByLabel("Title", { exact: true }).fill(title)
    await tab.getByLabel("Text").fill(body)
  }
  /** The notes on the server, as the account has them. */
  const onServer = async () => {
    const { access_token } = await sheaf.client.logIn(account)
    const response = await fetch(`${sheaf.url}/notes?limit=100`, {
      headers: { authorization: `Bearer ${access_token}` }
    })
    const { data } = (await response.json()) as {
      readonly data: ReadonlyArray<{ readonly title: string; readonly body: string }>
    }
    return data
  }

  it("shows in one tab what the other writes", async () => {
    await create(one, "Vienna", "By train.")
    await expect.poll(() => titles(other)).toEqual(["Vienna"])
    await open(other, "Vienna")
    await expect.poll(() => bodyOf(other)).toBe("By train.")
    await other.getByLabel("Text").press("End")
    await other.keyboard.type(" At noon.")
    await expect.poll(() => bodyOf(one)).toBe("By train. At noon.")
    await create(other, "Prague", "By ship.")
    await expect.poll(() => titles(one)).toEqual(["Prague", "Vienna"])
    await one.getByLabel("Search titles").fill("vie")
    expect(await titles(one)).toEqual(["Vienna"])
    expect(await audit(one)).toEqual([])
    await one.getByRole("button", { name: "Move to trash" }).click()
    await expect.poll(() => titles(other)).toEqual(["Prague"])
    expect(await one.getByLabel("Text").isVisible()).toBe(false)
    expect(errors).toEqual([])
  })

  it("keeps what both tabs have written offline", async () => {
    await create(one, "Shared", "The first line.\n\nThe last line.")
    await expect.poll(() => titles(other)).toContain("Shared")
    await open(other, "Shared")
    await context.setOffline(true)
    await one.getByLabel("Text").fill("The first line, by one.\n\nThe last line.")
    await other.getByLabel("Text").fill("The first line.\n\nThe last line, by other.")
    await is(one, "Offline. Changes waiting: 1")
    await is(other, "Offline. Changes waiting: 1")
    await context.setOffline(false)
    const both = "The first line, by one.\n\nThe last line, by other."
    await expect.poll(() => Promise.all([bodyOf(one), bodyOf(other)])).toEqual([both, both])
    expect(await onServer()).toContainEqual(expect.objectContaining({ title: "Shared", body: both }))
    expect(errors).toEqual([])
  })

  it("shows a change that the server refuses", async () => {
    await create(one, "x".repeat(201), "A long title.")
    const refused = one.getByRole("region", { name: "Refused changes" })
    await expect.poll(() => refused.textContent()).toContain("200")
    expect(await bodyOf(one)).toBe("A long title.")
    await one.getByLabel("Title", { exact: true }).fill("Short")
    await expect.poll(() => titles(other)).toContain("Short")
    await expect.poll(() => refused.getByRole("listitem").count()).toBe(0)
    expect(errors).toEqual([])
  })

  it("continues when the server is back", async () => {
    sheaf.faults.set({ unavailable: 1, cutStreams: 1 })
    await create(one, "Meanwhile", "Written while the server restarts.")
    await expect.poll(() => one.getByRole("alert").textContent()).toContain("refused the request")
    sheaf.faults.clear()
    await is(one, "Connected. Changes waiting: 0")
    await expect.poll(() => titles(other)).toContain("Meanwhile")
    expect(errors).toEqual([])
  })

  it("keeps a change while the user is signed out in another tab", async () => {
    await create(other, "Before", "Written before.")
    await is(other, "Connected. Changes waiting: 0")
    await one.getByRole("button", { name: "Sign out" }).click()
    await expect.poll(() => one.getByRole("button", { name: "Sign in" }).isVisible()).toBe(true)
    await other.getByLabel("Text").fill("Written after.")
    await expect.poll(() => other.getByRole("button", { name: "Sign in" }).isVisible()).toBe(true)
    expect(await bodyOf(other)).toBe("Written after.")
    await other.getByLabel("Password").fill(account.password)
    await other.getByRole("button", { name: "Sign in" }).click()
    await is(other, "Connected. Changes waiting: 0")
    expect(await onServer()).toContainEqual(expect.objectContaining({ title: "Before", body: "Written after." }))
    expect(errors).toEqual([])
  })
})
