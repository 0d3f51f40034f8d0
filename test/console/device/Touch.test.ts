import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

type Point = readonly [x: number, y: number]

/** A finger on a page. */
const fingerOn = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  const send = (type: "touchStart" | "touchMove" | "touchEnd" | "touchCancel", ...points: ReadonlyArray<Point>) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) })
  const down = async (from: Point, ...way: ReadonlyArray<Point>) => {
    await send("touchStart", from)
    for (const point of way) await send("touchMove", point)
  }
  const up = () => send("touchEnd")
  return {
    down,
    up,
    cancel: () => send("touchCancel"),
    drag: (...way: [Point, ...Array<Point>]) => down(...way).then(up)
  }
}

describe.skipIf(missing !== "")(`the console on a phone${missing}`, () => {
  const given = useConsole()

  it("goes back to the list with a finger, but not from tables, code, selected words, and the editor", async () => {
    const who = await given.account()
    const columns = Array.from({ length: 20 }, (_, index) => `column ${index}`).join(" | ")
    const body = `Some words to read.\n\n| ${columns} |\n|${"---|".repeat(20)}\n\n\`\`\`\n${"wide ".repeat(60)}\n\`\`\`\n\n${"More text. ".repeat(600)}`
    await who.client.createNote({ notebook_id: who.notebook_id, title: "Trip", body })
    const pages = await given.signedIn(who, phone)
    const { page } = pages
    const finger = await fingerOn(page)
    const note = page.locator(".pane.note")
    const list = page.locator(".pane.list")
    const transform = () => page.evaluate(`document.querySelector(".pane.note").style.transform`)
    await pages.read("Trip")
    const words = pages.rendered.getByText("Some words to read.")
    await words.waitFor()
    expect(await list.isVisible()).toBe(false)

    const { y } = (await words.boundingBox())!
    const at = y + 5
    // It follows the finger, with the list under it, and stays when it was not moved far.
    await finger.down([100, at], [120, at], [160, at + 4])
    expect(await transform()).toBe("translateX(60px)")
    expect(await list.isVisible()).toBe(true)
    await finger.up()
    await expect.poll(transform).toBe("")
    expect([await note.isVisible(), await list.isVisible()]).toEqual([true, false])
    await finger.down([100, at], [120, at], [300, at])
    await finger.cancel()
    await expect.poll(transform).toBe("")
    expect(await list.isVisible()).toBe(false)

    for (const kind of ["table", "pre"]) {
      const { x, y } = (await pages.rendered.locator(kind).first().boundingBox())!
      await finger.drag([x + 250, y + 15], [x + 200, y + 15], [x + 60, y + 15])
      await finger.drag([x + 30, y + 15], [x + 60, y + 15], [x + 280, y + 15])
      expect([kind, await transform()]).toEqual([kind, ""])
    }
    const frame = `document.querySelector("iframe.note-html").contentDocument`
    await page.evaluate(`${frame}.getSelection().selectAllChildren(${frame}.querySelector("p"))`)
    await finger.drag([100, at], [160, at], [330, at])
    expect(await transform()).toBe("")
    await page.evaluate(`${frame}.getSelection().removeAllRanges()`)
    await pages.edit()
    const editor = (await pages.editor.boundingBox())!
    await finger.drag([100, editor.y + 20], [160, editor.y + 20], [330, editor.y + 20])
    expect(await transform()).toBe("")
    await pages.button("Read").click()
    await words.waitFor()

    const again = (await words.boundingBox())!.y + 5
    await finger.drag([100, again], [160, again], [330, again])
    await expect.poll(() => note.isVisible()).toBe(false)
    expect(await list.isVisible()).toBe(true)
    expect(new URL(page.url()).pathname).toBe("/console/all")
    // The browser notes that the frame of a note runs no script, with each touch of it.
    expect(pages.seen().filter((each) => !each.includes("Blocked script execution in 'about:srcdoc'"))).toEqual([])
  })

  it("reads the list again when it is pulled far enough", async () => {
    const who = await given.account()
    await who.client.createNote({ notebook_id: who.notebook_id, title: "Trip", body: "" })
    const pages = await given.signedIn(who, phone)
    const { page } = pages
    await pages.row("Trip").waitFor()
    const finger = await fingerOn(page)
    const sign = page.locator(".pull")
    const { y } = (await pages.row("Trip").boundingBox())!
    const at = y + 20
    let reads = 0
    page.on("request", (request) => {
      if (request.method() === "GET" && /\/notes(?:\/summaries|-summaries|\?|_)/.test(request.url())) reads++
    })
    await finger.down([200, at], [200, at + 40], [200, at + 80])
    expect(await page.evaluate(`document.querySelector(".windowed").style.transform`)).toBe("translateY(40px)")
    await finger.up()
    await expect.poll(() => sign.count()).toBe(0)
    expect(reads).toBe(0)
    await finger.drag([200, at], [200, at + 40], [200, at + 180])
    await expect.poll(() => reads).toBe(1)
    await expect.poll(() => sign.count()).toBe(0)
    await pages.row("Trip").click()
    await page.locator(".reading h1", { hasText: "Trip" }).waitFor()
    expect(pages.seen()).toEqual([])
  })
})
