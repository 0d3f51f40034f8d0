import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`images in a text${missing}`, () => {
  const given = useConsole()

  /** Pastes a picture of some pixels, as a browser does it with one that has no name. */
  const paste = ({ page }: ConsolePages, width: number, height: number) =>
    page.evaluate(`(async () => {
      const canvas = new OffscreenCanvas(${width}, ${height})
      canvas.getContext("2d").fillRect(0, 0, ${width}, ${height})
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File([await canvas.convertToBlob()], "image.png", { type: "image/png" }))
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
      document.querySelector(".cm-content").dispatchEvent(paste)
    })()`)

  it("are pasted with a name and scaled down; a handle writes their width by the mouse and by keys, in one step of undo", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { page } = pages
    const id = await pages.write("Pictures", "Before.\n\n")
    await paste(pages, 5_000, 2_500)
    await pages.editor.getByText("attachment:").waitFor()
    await pages.type("\n\nAfter.")
    const image = page.locator(".cm-image img")
    await image.waitFor()
    expect(await image.evaluate(({ naturalWidth }: { naturalWidth: number }) => naturalWidth)).toBe(4_096)
    const { data } = await who.client.listAttachments({ filter: `note_id = ${id}` })
    expect(data.map(({ filename }) => filename)).toEqual([
      expect.stringMatching(/^Pasted image \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/)
    ])
    const name = data[0]!.filename
    await pages.state("Saved")
    const before = (await who.client.getNote({ id })).body
    const body = (width: number) => before.replace("](attach", `|${width}](attach`)

    const handle = page.getByRole("slider", { name: "Width of the image" })
    const { height, width, x, y } = (await handle.boundingBox())!
    const shown = (await image.boundingBox())!.width
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2 - 100, y, { steps: 3 })
    expect((await image.boundingBox())!.width).toBe(shown - 100)
    await page.mouse.up()
    const written = Math.round(shown - 100)
    await expect.poll(async () => (await who.client.getNote({ id })).body).toBe(body(written))

    // The handle has the focus: a key that is held is one step too.
    await page.keyboard.down("ArrowLeft")
    await page.keyboard.down("ArrowLeft")
    await page.keyboard.up("ArrowLeft")
    await expect.poll(async () => (await who.client.getNote({ id })).body).toBe(body(written - 20))
    expect(await handle.getAttribute("aria-valuenow")).toBe(String(written - 20))
    expect(await page.evaluate("document.activeElement.role")).toBe("slider")
    expect(await audit(page)).toEqual([])
    // A key that is taken back writes nothing.
    await page.keyboard.down("ArrowRight")
    await page.keyboard.press("Escape")
    await page.keyboard.up("ArrowRight")
    expect(await page.evaluate("document.activeElement.className")).toContain("cm-content")
    await page.keyboard.press("Control+z")
    await expect.poll(async () => (await who.client.getNote({ id })).body).toBe(body(written))
    await page.keyboard.press("Control+z")
    await expect.poll(async () => (await who.client.getNote({ id })).body).toBe(before)

    // As other programs write it, by its name, and twice in a line.
    const named = name.toUpperCase()
    await pages.retype(`![[${named}|200]] and ![[${named}|300]]\n\nAfter.`)
    await image.nth(1).waitFor()
    expect((await image.first().boundingBox())!.width).toBe(200)
    await handle.nth(1).focus()
    await page.keyboard.press("ArrowLeft")
    await expect
      .poll(async () => (await who.client.getNote({ id })).body)
      .toBe(`![[${named}|200]] and ![[${named}|290]]\n\nAfter.`)
    await pages.button("Read").click()
    await expect.poll(async () => (await pages.rendered.locator("img").last().boundingBox())?.width).toBe(290)
    expect(pages.seen()).toEqual([])
  })
})
