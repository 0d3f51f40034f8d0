import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

const busy = "The server is busy. Try again in a moment."
/** Seconds, more than those for which the console waits silently. */
const retryAfter = 5
/** The response of a server that still reads the contents of notes. */
const refusal = {
  status: 503,
  contentType: "application/problem+json",
  headers: { "retry-after": String(retryAfter) },
  body: JSON.stringify({ code: "overloaded", status: 503, title: "Overloaded", detail: "The links are being read" })
}

describe.skipIf(missing !== "")(`the contents of notes that a busy server refuses, in the console${missing}`, () => {
  const given = useConsole()

  it("are said to be late, and shown once the server has them", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = (title: string, body: string) => client.createNote({ notebook_id, title, body })
    const { id } = await note("Vienna", "---\nstatus: open\n---\n- [ ] tickets")
    await note("Plan", "[[Vienna]]")
    const pages = await given.signedIn(who)
    const { page } = pages
    await page.clock.install()
    /** Shows a place while the server refuses requests and holds the first one, then while it responds. */
    const visit = async (
      requests: RegExp,
      place: string,
      show: () => Promise<unknown>,
      content: string,
      hasSign = false
    ) => {
      const held = Promise.withResolvers<void>()
      await page.route(requests, async (route) => (await held.promise, await route.fulfill(refusal)))
      await show()
      const shown = page.locator(place)
      if (hasSign) await shown.getByText("…", { exact: true }).waitFor()
      held.resolve()
      await shown.getByText(busy).waitFor()
      expect(await audit(page)).toEqual([])
      await page.unroute(requests)
      await expect
        .poll(async () => {
          await page.clock.fastForward(retryAfter * 1000)
          return shown.getByText(content).count()
        })
        .toBeGreaterThan(0)
      expect(await shown.getByText(busy).count()).toBe(0)
    }
    await pages.follow(`all/${id}`)
    const links = page.locator(".links > summary")
    await links.waitFor()
    await visit(/\/links\?/, ".links", () => links.press("Enter"), "1 link in 1 note", true)
    await visit(/\/v2\/tasks\?/, ".tasks", () => pages.follow("tasks?q=open"), "tickets", true)
    await pages.follow("all")
    await visit(/\/v2\/search/, ".list", () => pages.search('properties.status = "open"'), "Vienna")
    await pages.button("Property").waitFor()
    await visit(/\/properties\?/, "dialog", () => pages.button("Property").click(), "status")
    // The clock of the test is a script, which the frame of a note does not run.
    expect(pages.seen().filter((each) => !each.includes("in 'about:srcdoc'"))).toEqual([])
  })
})
