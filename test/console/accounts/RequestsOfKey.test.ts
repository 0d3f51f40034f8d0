import { describe, expect, it } from "vitest"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { isSlow } from "../../support/Slow.ts"

describe.skipIf(!isSlow || missing !== "")(`requests of an API key in the console${missing}`, () => {
  const given = useConsole()

  const start = async (options: Parameters<typeof given.signedIn>[1] = {}) => {
    const who = await given.account()
    const { id, secret } = await who.client.createApiKey({ name: "Sync <b>" })
    const client = createClient({ url: given.sheaf.url, key: secret })
    return { who, id, client, pages: await given.signedIn(who, options) }
  }

  it("are shown as they come, with a command to copy", async () => {
    const { client, pages } = await start({ permissions: ["clipboard-read", "clipboard-write"] })
    const { page } = pages
    await pages.settings("API keys")
    const link = page.getByRole("link", { name: "Requests: Sync <b>" })
    await link.focus()
    await page.keyboard.press("Enter")
    await page.getByText("There are no requests.").waitFor()
    await page.getByText("The last 1000 requests with the key “Sync <b>”").waitFor()
    await client.listNotes()
    const first = page.locator("tbody tr", { hasText: "GET /v2/notes" })
    await first.waitFor()
    expect(await first.textContent()).toMatch(/200 .*\d ms.*2026/)
    await page.getByRole("button", { name: "Details: GET /v2/notes" }).press("Enter")
    await pages.button("Copy (curl)").press("Enter")
    await page.getByText("Copied").first().waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      `curl --globoff -H "Authorization: Bearer $SHEAF_KEY" '${new URL(given.sheaf.url).origin}/v2/notes'`
    )
    // Open details stay open while new requests come.
    await client.getNote({ id: "nt_01kq3mZ8vT4sWx7Yb2Nc5E" }).catch(() => undefined)
    await page.getByText("404 not_found").waitFor()
    expect(await page.getByText("Request-Id: req_").count()).toBe(1)
    await page.getByLabel("Show").selectOption("failed")
    await first.filter({ hasText: "200" }).waitFor({ state: "detached" })
    await page.getByText("404 not_found").waitFor()
    expect(pages.seen().filter((each) => !each.includes("404"))).toEqual([])
  })

  it("are shown page by page, in the language of the user, accessible on a phone", async () => {
    const { client, id, pages, who } = await start()
    for (let time = 0; time < 110; time++) await client.listTags({ filter: `name = ${"long".repeat(1 + (time % 90))}` })
    const { page } = pages
    await page.setViewportSize({ width: 360, height: 640 })
    await page.goto(new URL(`/console/settings/keys/${id}`, given.sheaf.url).href)
    await page
      .getByRole("button", { name: /^Details: GET/ })
      .first()
      .click()
    await page.getByText("Request-Id: req_").waitFor()
    expect(await audit(page)).toEqual([])
    expect(
      await page.evaluate(
        `Math.max(...[...document.querySelectorAll("html, .settings > main")].map((each) => each.scrollWidth))`
      )
    ).toBeLessThanOrEqual(360)
    await pages.button("Load more").click()
    await expect.poll(() => page.getByRole("button", { name: /^(Details|Hide): GET/ }).count()).toBe(110)
    await pages.button("Refresh").click()
    await expect.poll(() => page.getByRole("button", { name: /^(Details|Hide): GET/ }).count()).toBe(100)
    await who.client.updateMe({ locale: "de" })
    const german = await (await given.browse({ locale: "de-DE" })).newPage()
    await german.goto(page.url())
    await german.locator("input[type=email]").fill(who.email)
    await german.locator("input[type=password]").fill(who.password)
    await german.locator("form.sign-in button[type=submit]").click()
    await german.locator(".shell").waitFor()
    await german.goto(page.url())
    await german.getByText("Die letzten 1000 Anfragen mit dem Schlüssel „Sync <b>“").waitFor()
    expect(pages.seen()).toEqual([])
  })
})
