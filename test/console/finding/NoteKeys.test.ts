import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { sampled } from "../../support/Slow.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`keys over an open note${missing}`, () => {
  const given = useConsole()

  it("do the same wherever the focus is on the note that is read, and nothing while its text is written", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const body = "# Bags\n\nSome words.\n\n- [ ] Pack\n\n[[Vienna]]"
    const { id } = await client.createNote({ notebook_id, title: "Plan", body })
    const pages = await given.signedIn(who)
    const { page, rendered } = pages
    const { keyboard } = page
    const search = page.locator(".search input:focus")
    const outline = pages.dialog("Outline of the note")
    const focusOn = {
      words: () => rendered.getByText("Some words.").click(),
      page: () => page.evaluate("document.activeElement.blur()"),
      button: () => pages.button("Share").focus(),
      box: () => rendered.getByRole("checkbox", { name: "Pack" }).focus(),
      link: () => rendered.getByRole("link", { name: "Vienna" }).focus()
    }
    for (const [place, focus] of sampled(Object.entries(focusOn), 2)) {
      const at = async (key: string) => {
        await pages.follow(`all/${id}`)
        await rendered.getByText("Some words.").waitFor()
        await focus()
        await keyboard.press(key)
      }
      await at("?")
      await pages.dialog("Keys").getByText("save now").waitFor()
      await keyboard.press("Escape")
      await pages.dialog("Keys").waitFor({ state: "detached" })
      // Caps Lock is on.
      await at("O")
      await outline.getByText("Bags").waitFor()
      // A second key is typed into the dialog.
      await keyboard.press("n")
      await keyboard.press("Escape")
      await outline.waitFor({ state: "detached" })
      await at("/")
      await search.waitFor()
      expect([place, await search.inputValue()]).toEqual([place, ""])
      await at("Control+k")
      await pages.dialog("Find or do something").waitFor()
      await keyboard.press("Escape")
      await pages.dialog("Find or do something").waitFor({ state: "detached" })
      await at("n")
      await pages.editor.waitFor()
      await expect.poll(() => page.getByRole("textbox", { name: "Title" }).inputValue()).toBe("")
      await at("Control+e")
      await pages.editor.waitFor()
      await pages.editor.focus()
      await keyboard.press("Control+e")
      await rendered.getByText("Some words.").waitFor()
    }
    expect((await client.listNotes()).data.map(({ title, version }) => [title, version])).toEqual([["Plan", 1]])

    await pages.edit()
    await pages.editor.focus()
    await keyboard.press("Control+End")
    await keyboard.type("?od/n")
    await pages.state("Saved")
    expect(await page.locator("dialog[open]").count()).toBe(0)
    expect((await client.getNote({ id })).body).toBe(`${body}?od/n`)
    expect(pages.seen().filter((each) => !each.includes("in 'about:srcdoc'"))).toEqual([])
  })
})
