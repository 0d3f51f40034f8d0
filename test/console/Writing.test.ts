import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { offered } from "../support/SetupLink.ts"

describe.skipIf(missing !== "")(`writing in the console${missing}`, () => {
  const given = useConsole()

  it("begins with the setup link, and shows a note in a second browser as it is written", async () => {
    const { origin } = new URL(given.sheaf.url)
    const link = await offered(given.sheaf)
    const context = await given.browse()
    const page = await context.newPage()
    await page.goto(link!.replace("http://sheaf.test", origin))
    const ida = { email: "ida@console.test", password: "correct horse battery" }
    await page.fill("#setup-email", ida.email)
    await page.fill("#setup-password", ida.password)
    await page.click("button")
    await page.locator("a[href*='/console']").first().click()
    await page.close()
    const writing = await ConsolePages.open(context, given.sheaf.url)
    await writing.signIn(ida)
    await writing.write("A walk to Vienna", "By train, with **two** bags.")

    const reading = await given.signedIn(ida)
    await reading.read("A walk to Vienna")
    await expect.poll(() => reading.rendered.locator("strong").textContent()).toBe("two")
    await writing.type("\n\nBack on Sunday.")
    await writing.state("Saved")
    await reading.rendered.getByText("Back on Sunday.").waitFor()
    expect([writing.seen(), reading.seen()]).toEqual([[], []])
  })
})
