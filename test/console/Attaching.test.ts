import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(!isSlow || missing !== "")(`files in the console${missing}`, () => {
  const given = useConsole()
  const folder = mkdtempSync(join(tmpdir(), "sheaf-attaching-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  const fileOf = (name: string, content: string, size?: number): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    if (size !== undefined) truncateSync(path, size)
    return path
  }

  it("are linked one by one where they were dropped; one of 2 GB is refused at once, and the others follow", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const id = await pages.write("Files", "Before. After.")
    const { page } = pages
    await page.keyboard.press("Home")
    for (let at = 0; at < "Before. ".length; at++) await page.keyboard.press("ArrowRight")
    // The first upload waits until the person has typed before and after the place.
    const held = Promise.withResolvers<void>()
    await page.route(
      (url) => url.pathname.includes("/uploads"),
      async (route, request) => {
        if (request.method() === "PUT") await held.promise
        await route.continue()
      }
    )
    const files = [fileOf("one.txt", "One."), fileOf("huge.bin", "", 2 ** 31), fileOf("two.txt", "Two.")]
    await page.locator("input[type=file]").setInputFiles(files)
    await page.keyboard.press("Home")
    await page.keyboard.insertText("Earlier. ")
    await page.keyboard.press("End")
    await page.keyboard.insertText(" Later.")
    held.resolve()
    await page.locator(".notice", { hasText: "huge.bin is larger than the plan allows." }).waitFor()
    await pages.editor.getByText("two.txt").waitFor()
    await pages.state("Saved")
    expect((await who.client.getNote({ id })).body).toMatch(
      /^Earlier\. Before\. \[one\.txt\]\(attachment:\w+\)\n\[two\.txt\]\(attachment:\w+\)After\. Later\.$/
    )
    expect(pages.seen()).toEqual([])
  })

  it("are lines of their own before a heading", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const id = await pages.write("Headed", "# Head")
    await pages.page.keyboard.press("Control+Home")
    const files = [fileOf("one.txt", "One."), fileOf("two.txt", "Two.")]
    await pages.page.locator("input[type=file]").setInputFiles(files)
    await pages.editor.getByText("two.txt").waitFor()
    await pages.state("Saved")
    expect((await who.client.getNote({ id })).body).toMatch(
      /^\[one\.txt\]\(attachment:\w+\)\n\[two\.txt\]\(attachment:\w+\)\n# Head$/
    )
    expect(pages.seen()).toEqual([])
  })

  it("are linked in a note that was left while they were sent, and whose text others have changed", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    const id = await pages.write("Left", "Photos:")
    await who.client.createNote({ notebook_id: who.notebook_id, title: "Other", body: "Flour." })
    const sending = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route(
      (url) => url.pathname.includes("/uploads"),
      async (route, request) => {
        if (request.method() === "PUT") {
          sending.resolve()
          await held.promise
        }
        await route.continue()
      }
    )
    await page.locator("input[type=file]").setInputFiles(fileOf("photo.txt", "Photo."))
    await sending.promise
    await pages.read("Other")
    await who.client.updateNote({ id, body: "All photos:" })
    held.resolve()
    await expect
      .poll(async () => (await who.client.getNote({ id })).body)
      .toMatch(/^All photos:\n\[photo\.txt\]\(attachment:\w+\)$/)
    expect(pages.seen()).toEqual([])
  })

  it("are named when they cannot be sent without a network", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.begin("", "")
    await pages.page.context().setOffline(true)
    await pages.page.locator("input[type=file]").setInputFiles(fileOf("offline.txt", "Offline."))
    await pages.page
      .locator(".notice", { hasText: "offline.txt was not attached: The server cannot be reached." })
      .waitFor()
    await pages.page.context().setOffline(false)
    await pages.page.locator("input[type=file]").setInputFiles(fileOf("online.txt", "Online."))
    await pages.editor.getByText("online.txt").waitFor()
    await pages.state("Saved")
    expect(pages.seen()).toEqual([])
  })

  it("of the editor are loaded again when the network is back, and the title that was typed stays", async () => {
    const who = await given.account()
    const { id } = await who.client.createNote({
      notebook_id: who.notebook_id,
      title: "Bread",
      body: "# Dough\n\nFlour."
    })
    // A browser without workers, which would have them.
    const context = await given.browse()
    await context.addInitScript("delete Navigator.prototype.serviceWorker")
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    const { page } = pages
    await pages.read("Bread")
    await pages.rendered.getByText("Flour.").waitFor()
    await page.context().setOffline(true)
    await pages.button("Write").click()
    await page.getByText("The editor needs the server.").waitFor()
    await page.getByRole("textbox", { name: "Title" }).fill("Sourdough")
    await page.context().setOffline(false)
    await page.locator(".writing").getByRole("button", { name: "Try again" }).click()
    await pages.editor.waitFor()
    await pages.type(" Water.")
    await pages.state("Saved")
    expect(await who.client.getNote({ id })).toMatchObject({ title: "Sourdough", body: "# Dough\n\nFlour. Water." })
    await pages.button("More").click()
    await page.getByRole("menuitem", { name: "Outline" }).click()
    await pages.dialog("Outline of the note").getByText("Dough").click()
    await expect.poll(() => pages.editor.evaluate("document.activeElement.className")).toContain("cm-content")
    expect(pages.seen()).toEqual([])
  })
})
