import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

/** Maximum presses of Tab until the focus is on an element. */
const maxTabs = 60

describe.skipIf(!isSlow || missing !== "")(`the console${missing}`, () => {
  const given = useConsole()

  it("is used with the keyboard alone", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    await client.createNotebook({ name: "Trips" })
    await client.createNotebook({ name: "Work" })
    const pages = await ConsolePages.open(await given.browse(), given.sheaf.url)
    const { keyboard } = pages.page
    /** The name of the element that has the focus, as it is read aloud. */
    const focused = () =>
      pages.page.evaluate<string>(`{
        const at = document.activeElement
        ;(at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent ?? "").trim()
      }`)
    const tabTo = async (name: string | RegExp, key = "Tab") => {
      const passed: Array<string> = []
      for (let presses = 0; presses < maxTabs; presses++) {
        const at = await focused()
        if (typeof name === "string" ? at === name : name.test(at)) return
        passed.push(at)
        await keyboard.press(key)
      }
      throw new Error(`Tab does not reach ${name}, only ${passed.join(", ")}`)
    }
    await pages.button("Create an account").waitFor()
    await tabTo("E-mail address")
    await keyboard.type(who.email)
    await tabTo("Password")
    await keyboard.type(who.password)
    await keyboard.press("Enter")
    await pages.page.getByText("No notes yet.").waitFor()

    await tabTo("New note")
    await keyboard.press("Enter")
    await pages.editor.waitFor()
    await expect.poll(focused).toBe("Title")
    await keyboard.type("A walk")
    await keyboard.press("Enter")
    await expect.poll(focused).toBe("Text of the note")
    await keyboard.type("By train.")
    await pages.state("Saved")
    await keyboard.press("Control+e")
    await pages.rendered.getByText("By train.").waitFor()
    await keyboard.press("Control+e")
    await pages.editor.waitFor()
    await expect.poll(focused).toBe("Text of the note")
    // Tab belongs to the text; after Escape it leads on.
    await keyboard.press("Escape")
    await keyboard.press("Tab")
    expect(await focused()).not.toBe("Text of the note")

    // Moves a notebook into another.
    await tabTo("More: Work", "Shift+Tab")
    await keyboard.press("Enter")
    await expect.poll(focused).toBe("New notebook inside")
    await keyboard.press("ArrowDown")
    await keyboard.press("ArrowDown")
    expect(await focused()).toBe("Move to…")
    await keyboard.press("Enter")
    await pages.dialog("Move to…").waitFor()
    await tabTo(/^Work/)
    await keyboard.type("Trips")
    await tabTo("Save")
    await keyboard.press("Enter")
    await pages.dialog("Move to…").waitFor({ state: "detached" })
    const notebooks = (await client.listNotebooks()).data
    const idOf = (name: string) => notebooks.find((notebook) => notebook.name === name)
    expect(idOf("Work")!.parent_id).toBe(idOf("Trips")!.id)
    await expect.poll(focused).toBe("More: Work")

    await client.createNote({ notebook_id, title: "Bread", body: "Flour." })
    await tabTo("Search notes")
    await keyboard.type("flour")
    await pages.page.locator(".row mark").waitFor()
    await tabTo(/^Bread/)
    await keyboard.press("Enter")
    await pages.rendered.getByText("Flour.").waitFor()
    await tabTo("More")
    await keyboard.press("Enter")
    await expect.poll(focused).toBe("Move to the archive")
    await keyboard.press("ArrowUp")
    expect(await focused()).toBe("Move to the trash")
    await keyboard.press("Enter")
    await pages.page.getByText("The note is in the trash.").waitFor()
    await tabTo("Trash", "Shift+Tab")
    await keyboard.press("Enter")
    await pages.page.locator(".windowed a.row", { hasText: "Bread" }).waitFor()
    await tabTo(/^Bread/)
    await keyboard.press("Enter")
    await pages.button("Restore").waitFor()
    await tabTo("Restore")
    await keyboard.press("Enter")
    await pages.rendered.getByText("Flour.").waitFor()
    expect((await client.listNotes({ filter: 'title = "Bread"' })).data).toHaveLength(1)
    expect(pages.seen()).toEqual([])
  })

  it("leaves Ctrl-E to the fields of macOS, where Cmd-E reads and writes", async () => {
    const who = await given.account()
    const context = await given.browse()
    await context.addInitScript('Object.defineProperty(navigator, "platform", { value: "MacIntel" })')
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    await pages.write("Keys", "Flour.")
    await pages.page.keyboard.press("Control+e")
    await pages.page.keyboard.press("Meta+e")
    await pages.rendered.getByText("Flour.").waitFor()
    expect(await pages.editor.count()).toBe(0)
    await pages.page.keyboard.press("Meta+e")
    await pages.editor.waitFor()
    expect(pages.seen()).toEqual([])
  })
})
