import { join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { audit } from "../support/browser/Audit.ts"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { pkce, requestOf } from "../support/oauth/OAuthFlow.ts"

const screenshots = process.env["SCREENSHOTS"]

describe.skipIf(missing !== "")(`limited credentials in the console${missing}`, () => {
  const given = useConsole()

  /** Checks the page on desktops in light colours, and on a phone in dark ones. */
  const check = async (page: Page, name: string, shown?: Locator): Promise<void> => {
    for (const [width, height, colorScheme] of [
      [1280, 800, "light"],
      [960, 700, "light"],
      [360, 740, "dark"]
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      expect([name, width, await audit(page)]).toEqual([name, width, []])
      const content = await page.evaluate<number>(
        `Math.max(...[...document.querySelectorAll("html, .settings > main, dialog")].map((each) => each.scrollWidth))`
      )
      expect([name, content <= width]).toEqual([name, true])
      await shown?.scrollIntoViewIfNeeded()
      if (screenshots !== undefined) await page.screenshot({ path: join(screenshots, `${name}-${width}.png`) })
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }

  it("an API key is made for chosen notebooks by keyboard, and the list shows them", async () => {
    const who = await given.account()
    const { client } = who
    const work = await client.createNotebook({ name: "Work on the railway museum in Strasshof" })
    await client.createNotebook({ name: "Plans", parent_id: work.id })
    const lists = await client.createNotebook({ name: "Lists" })
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.settings("API keys")
    await page.getByLabel("Name", { exact: true }).fill("Script")
    await page.getByLabel("write notes").check()
    const reach = page.getByRole("group", { name: "It reaches" })
    await reach.getByLabel("The whole workspace").focus()
    await page.keyboard.press("ArrowDown")
    const boxes = page.getByRole("group", { name: "The notes of chosen notebooks" })
    await boxes.waitFor()
    expect(await pages.button("Make the key").isDisabled()).toBe(true)
    await boxes.getByLabel(work.name, { exact: true }).focus()
    await page.keyboard.press("Space")
    expect(await boxes.getByLabel("Plans").isChecked()).toBe(true)
    expect(await boxes.getByLabel("Plans").isDisabled()).toBe(true)
    await boxes.getByLabel("Lists", { exact: true }).check()
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowUp")
    expect(await page.evaluate("document.documentElement.scrollHeight <= innerHeight")).toBe(true)
    await check(page, "key-form", page.getByText("All else is hidden from it."))
    await pages.button("Make the key").click()
    const secret = await page.getByRole("textbox", { name: "Secret of “Script”" }).inputValue()
    await page.getByText(`It reaches: ${work.name} (write notes), Lists (read notes)`).waitFor()
    await check(page, "key-list")
    const key = (await client.listApiKeys()).data[0]!
    expect(key.notebooks).toEqual([
      { id: work.id, access: "write", include_subnotebooks: true },
      { id: lists.id, access: "read", include_subnotebooks: true }
    ])
    const seen = await fetch(`${given.sheaf.url}/notebooks`, { headers: { authorization: `Bearer ${secret}` } })
    const { data } = (await seen.json()) as { readonly data: ReadonlyArray<{ readonly name: string }> }
    expect(data.map(({ name }) => name).toSorted()).toEqual(["Lists", "Plans", work.name])
    await client.deleteNotebook({ id: lists.id })
    await page.reload()
    await page.getByText(`It reaches: ${work.name} (write notes), a deleted notebook (read notes)`).waitFor()
    await page.context().close()
  })

  it("an app is allowed for notebooks of the workspace that the user chooses", async () => {
    const root = given.sheaf.url.replace(/\/v2$/, "")
    const redirect_uri = "com.example.assistant:/callback"
    const registered = await fetch(`${root}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name: "Assistant", redirect_uris: [redirect_uri] })
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const who = await given.account()
    const { client } = who
    const team = await client.createWorkspace({ name: "Museum" })
    const notebook = await client.createNotebook({ name: "Engines" }, { workspace: team.id })
    const { page } = await given.signedIn(who)
    const { challenge, verifier } = pkce()
    await page.goto(`${root}/oauth/authorize?${requestOf(client_id, challenge, { redirect_uri })}`)
    const dialog = page.getByRole("dialog", { name: "Allow Assistant?" })
    await dialog.getByLabel("The notes of chosen notebooks").check()
    await dialog.getByLabel("Inbox").check()
    await dialog.getByLabel("Workspace", { exact: true }).selectOption("Museum")
    expect(await dialog.getByLabel("The notes of chosen notebooks").isChecked()).toBe(true)
    expect(await dialog.getByRole("button", { name: "Allow" }).isDisabled()).toBe(true)
    await dialog.getByLabel("Engines", { exact: true }).check()
    await dialog.getByLabel("Engines: It may").waitFor()
    await check(page, "consent", dialog.getByText("All else is hidden from it."))
    // The page leaves for the program at once, and takes the body of the response with it.
    const allowed = Promise.withResolvers<string>()
    await page.route("**/me/connected-apps", async (route) => {
      const response = await route.fetch()
      allowed.resolve(((await response.json()) as { readonly redirect_url: string }).redirect_url)
      await route.fulfill({ response })
    })
    await dialog.getByRole("button", { name: "Allow" }).click()
    const redirect_url = await allowed.promise
    await page.unroute("**/me/connected-apps")
    await dialog.waitFor({ state: "detached" })
    const code = new URL(redirect_url).searchParams.get("code")!
    const form = { grant_type: "authorization_code", client_id, code, code_verifier: verifier, redirect_uri }
    const tokens = await fetch(`${root}/oauth/token`, { method: "POST", body: new URLSearchParams(form) })
    expect(tokens.status).toBe(200)
    await page.goto(`${root}/console/settings/apps`)
    await page.getByRole("cell", { name: "Engines (write notes)" }).waitFor()
    await check(page, "apps")
    expect((await client.listConnectedApps()).data[0]!.notebooks).toEqual([
      { id: notebook.id, access: "write", include_subnotebooks: true }
    ])
    await page.context().close()
  })
})
