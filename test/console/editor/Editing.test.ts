import { describe, expect, it } from "vitest"
import { upload } from "../../../src/clients/client/Upload.ts"
import { missing } from "../../support/browser/Chromium.ts"
import { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`editing in the console${missing}`, () => {
  const given = useConsole()

  it("ticks tasks where they are read, without a network too, and never another line", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const bodyOf = async () => (await client.getNote({ id })).body
    const { id } = await client.createNote({
      notebook_id,
      title: "Packing",
      body: "%%private%%\n- [ ] tickets\n- [x] hat\n\n1. [ ] book"
    })
    const context = await given.browse()
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    await pages.read("Packing")
    const box = (name: string) => pages.rendered.getByRole("checkbox", { name })
    await box("tickets").press(" ")
    await pages.state("Saved")
    expect(await bodyOf()).toBe("%%private%%\n- [x] tickets\n- [x] hat\n\n1. [ ] book")
    // The page stays as it is, with the focus.
    expect(await pages.rendered.locator("input:focus").count()).toBe(1)

    await context.setOffline(true)
    await box("hat").click()
    await pages.state("Offline: kept on this device")
    expect(await box("hat").isChecked()).toBe(false)
    await client.updateNote({ id, body: "New\n%%private%%\n- [x] tickets\n- [ ] more\n1. [ ] book\n- [x] hat" })
    await context.setOffline(false)
    await expect.poll(bodyOf).toBe("New\n%%private%%\n- [x] tickets\n- [ ] more\n1. [ ] book\n- [ ] hat")
    await pages.rendered.getByText("more").waitFor()

    // Another user deletes the line at the same time.
    await pages.beforeSave(() => client.updateNote({ id, body: "- [x] tickets\n- [ ] more\n- [ ] hat" }))
    await box("book").click()
    await pages.page.locator(".notice", { hasText: "Merged with another change" }).waitFor()
    await box("book").waitFor({ state: "detached" })
    expect(await bodyOf()).toBe("- [x] tickets\n- [ ] more\n- [ ] hat")
    expect(pages.seen()).toEqual([])
  })

  it("ticks tasks where they are written, with the pointer and the keyboard, and takes each back in one step", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    const id = await pages.write("Tasks", "- [ ] one\n- two")
    const bodyOf = async () => (await who.client.getNote({ id })).body
    await keyboard.press("Control+Enter")
    await expect.poll(bodyOf).toBe("- [ ] one\n- [ ] two")
    await pages.editor.getByRole("checkbox").nth(0).click()
    await keyboard.press("Control+Enter")
    await expect.poll(bodyOf).toBe("- [x] one\n- [x] two")
    await keyboard.press("Control+z")
    await expect.poll(bodyOf).toBe("- [x] one\n- [ ] two")
    await keyboard.press("Control+z")
    await expect.poll(bodyOf).toBe("- [ ] one\n- [ ] two")
    expect(pages.seen()).toEqual([])
  })

  it("formats with keys and a bar, which the device may hide, and keeps what can be undone while the note is read", async () => {
    const who = await given.account()
    const context = await given.browse({ hasTouch: true })
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    const { keyboard } = pages.page
    const id = await pages.write("Formats", "one")
    const bodyOf = async () => (await who.client.getNote({ id })).body
    await keyboard.press("Shift+Home")
    await keyboard.press("Control+e")
    await expect.poll(bodyOf).toBe("`one`")
    await keyboard.press("ArrowRight")
    await keyboard.press("Control+e")
    await pages.rendered.locator("code").waitFor()
    await keyboard.press("Control+e")
    await pages.editor.waitFor()
    await keyboard.press("Control+z")
    await expect.poll(bodyOf).toBe("one")
    await pages.button("Tasks (Ctrl-Shift-9)").click()
    await keyboard.press("End")
    await keyboard.type("!")
    await expect.poll(bodyOf).toBe("- [ ] one!")

    // One stop of Tab, in which the arrow keys move.
    await pages.button("Hide the formatting bar").focus()
    await keyboard.press("Home")
    await keyboard.press("ArrowRight")
    expect(await pages.page.locator(".cm-formatting :focus").getAttribute("aria-label")).toBe("Bold (Ctrl-B)")
    await pages.button("Hide the formatting bar").click()
    await pages.button("Heading").waitFor({ state: "hidden" })
    await pages.page.reload()
    await pages.edit()
    await pages.button("Show the formatting bar").click()
    await pages.page.setViewportSize({ width: 390, height: 700 })
    const bar = await pages.page.getByRole("toolbar", { name: "Formatting" }).boundingBox()
    expect(bar!.y + bar!.height).toBe(700)
    expect(pages.seen()).toEqual([])
  })

  it("has a menu of blocks behind a slash, which typing filters and Escape closes", async () => {
    const who = await given.account()
    const { client } = who
    await client.createTemplate({ name: "Meeting", body: "Present on {{year}}: {{who}}" })
    const pages = await given.signedIn(who)
    const { page } = pages
    const { keyboard } = page
    await pages.write("Blocks", "")
    const bodyOf = async () => (await client.getNote({ id: pages.noteId })).body
    const option = (name: string) => page.getByRole("option", { name })
    await pages.editor.focus()
    await keyboard.type("/head")
    await option("Heading 2").waitFor()
    expect(await page.locator(".cm-tooltip-autocomplete li").count()).toBe(3)
    await keyboard.press("ArrowDown")
    await keyboard.press("Enter")
    await keyboard.type("Route /")
    await option("Heading 1").waitFor()
    await keyboard.press("Escape")
    await option("Heading 1").waitFor({ state: "detached" })
    await keyboard.type("task")
    await keyboard.press("Enter")
    await keyboard.type("/task")
    await option("Task").waitFor()
    await keyboard.press("Enter")
    await keyboard.type("tickets")
    await keyboard.press("Enter")
    await keyboard.press("Enter")
    await keyboard.type("/meet")
    await option("Template: Meeting").click()
    await page.locator(".notice", { hasText: "without a value: who" }).waitFor()
    await pages.state("Saved")
    await expect.poll(bodyOf).toMatch(/^## Route \/task\n- \[ \] tickets\n+- \[ \] Present on \d{4}: \{\{who\}\}$/)
    expect(pages.seen()).toEqual([])
  })

  it("pastes addresses over words as links, pages as Markdown, and pictures with a name", async () => {
    const who = await given.account()
    const { client } = who
    const pages = await given.signedIn(who)
    const { page } = pages
    const { keyboard } = page
    const id = await pages.write("Pasted", "See Vienna")
    const bodyOf = async () => (await client.getNote({ id })).body
    /** Pastes data as a browser does: by types, and a picture of a width if there is one. */
    const paste = (data: Readonly<Record<string, string>>, width = 0) =>
      page.evaluate(`(async () => {
        const clipboardData = new DataTransfer()
        for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text)
        if (${width} > 0) {
          const canvas = new OffscreenCanvas(${width}, 10)
          canvas.getContext("2d").fillRect(0, 0, 5, 5)
          const blob = await canvas.convertToBlob()
          clipboardData.items.add(new File([blob], "image.png", { type: "image/png" }))
        }
        const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
        document.querySelector(".cm-content").dispatchEvent(event)
      })()`)
    await keyboard.press("Control+Shift+ArrowLeft")
    await paste({ "text/plain": "https://sheaf.test/vienna" })
    await expect.poll(bodyOf).toBe("See [Vienna](https://sheaf.test/vienna)")
    await keyboard.press("Enter")
    await paste({
      "text/plain": "Days Monday",
      "text/html":
        '<h2>Days</h2><ul><li>Monday <b>early</b><img src="https://elsewhere.test/a.png"></li></ul><script>alert(1)</script>'
    })
    await expect
      .poll(bodyOf)
      .toBe("See [Vienna](https://sheaf.test/vienna)\n## Days\n\n- Monday **early**![](https://elsewhere.test/a.png)")
    await keyboard.press("Control+z")
    const code = "def f(*args):\n    return args[0]"
    await paste({
      "text/plain": code,
      "text/html": `<meta charset="utf-8"><div style="color: #000;font-weight: normal;white-space: pre;"><div><span style="font-style: italic;">def</span> f(*args):</div><div>    return args[0]</div></div>`
    })
    await expect.poll(bodyOf).toBe(`See [Vienna](https://sheaf.test/vienna)\n${code}`)
    await keyboard.press("Control+z")
    await paste({}, 5_000)
    await expect.poll(bodyOf).toMatch(/\n!\[Pasted image \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png\]\(attachment:at_\w+\)$/)
    const [, attachment] = /attachment:(at_\w+)/.exec(await bodyOf())!
    const { url } = await client.getAttachment({ id: attachment! })
    const picture = Buffer.from(await (await fetch(url!)).arrayBuffer())
    // The width of a PNG.
    expect(picture.readUInt32BE(16)).toBe(4_096)
    // The policy of the page refuses the styles of what is pasted, which are only read.
    expect(pages.seen().filter((seen) => !seen.includes("Applying inline style"))).toEqual([])
  })

  it("attaches copied files instead of their names, and pastes HTML that comes alone, without what cannot be saved", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const id = await pages.write("Copied", "")
    const bodyOf = async () => (await who.client.getNote({ id })).body
    const paste = (data: Readonly<Record<string, string>>, file = "") =>
      pages.page.evaluate(`{
        const clipboardData = new DataTransfer()
        for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text)
        if (${JSON.stringify(file)} !== "") clipboardData.items.add(new File(["words"], ${JSON.stringify(file)}))
        const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
        document.querySelector(".cm-content").dispatchEvent(event)
      }`)
    await pages.editor.focus()
    await paste({ "text/plain": "file:///home/ann/the%20plan.txt" }, "the plan.txt")
    await expect.poll(bodyOf).toMatch(/^\[the plan\.txt\]\(attachment:at_\w+\)$/)
    await pages.retype("")
    await paste({ "text/html": "<p>Only <span>HTML</span></p>" })
    await paste({ "text/plain": " a\0b" })
    // A script can give half a character to the page as a system clipboard cannot.
    await pages.page.evaluate(`{
      const clipboardData = new DataTransfer()
      clipboardData.setData("text/plain", "\\ud83d!")
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
      document.querySelector(".cm-content").dispatchEvent(event)
    }`)
    await expect.poll(bodyOf).toBe("Only HTML ab\ufffd!")
    await pages.retype("\n")
    await pages.page.keyboard.type("```")
    await pages.page.keyboard.press("Enter")
    await paste({ "text/html": "<b>let</b> a" })
    await expect.poll(bodyOf).toMatch(/```\nlet a/)
    await pages.state("Saved")
    expect(pages.seen()).toEqual([])
  })

  it("shows formats, images and directions in place, changes no byte, and opens links", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const lisbon = await client.createNote({ notebook_id, title: "Lisbon", body: "By ship." })
    const { id } = await client.createNote({ notebook_id, title: "שלום", body: "" })
    const picture = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64"
    )
    const file = await upload(client, {
      note_id: id,
      filename: "a.png",
      content: new Blob([picture]),
      content_type: "image/png"
    })
    const body = `# One\n\n==two== \`three\` [[Lisbon]]\n\n![a](attachment:${file.id})\n\nمرحبا world\n\n> four`
    await client.updateNote({ id, body })
    const pages = await given.signedIn(who)
    await pages.read("שלום")
    await pages.edit()
    await pages.editor.locator(".cm-marked", { hasText: "==two==" }).waitFor()
    await pages.editor.getByRole("img", { name: "a" }).waitFor()
    const directions = await pages.page.evaluate(`[
      document.querySelector(".title-input"),
      document.querySelector(".row[aria-current] .row-title"),
      ...[...document.querySelectorAll(".cm-line")].filter((each) => /مرحبا|four/.test(each.textContent))
    ].map((each) => getComputedStyle(each).direction)`)
    expect(directions).toEqual(["rtl", "rtl", "rtl", "ltr"])
    await pages.editor.getByText("attachment").click()
    await pages.editor.getByRole("img", { name: "a" }).waitFor({ state: "detached" })
    await pages.editor.getByText("Lisbon").click({ modifiers: ["Control"] })
    await pages.page.waitForURL(new RegExp(lisbon.id))
    const { body: after, version } = await client.getNote({ id })
    expect([after, version]).toEqual([body, 2])
    expect(pages.seen()).toEqual([])
  })

  it("goes through the cells of a table with Tab, and adds a row behind the last one", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    const id = await pages.write("Cities", "")
    await keyboard.type("/table")
    await pages.page.getByRole("option", { name: "Table", selected: true }).waitFor()
    await keyboard.press("Enter")
    for (const cell of ["City", "Days", "Vienna", "2", "Lisbon", "12"]) {
      await keyboard.type(cell)
      if (cell !== "12") await keyboard.press("Tab")
    }
    await keyboard.press("Shift+Tab")
    await keyboard.type("Porto")
    await expect
      .poll(async () => (await who.client.getNote({ id })).body)
      .toBe("| City   | Days |\n| ------ | ---- |\n| Vienna | 2    |\n| Porto | 12   |")
    expect(pages.seen()).toEqual([])
  })
})
