import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(!isSlow || missing !== "")(`keys in the text of a note${missing}`, () => {
  const given = useConsole()

  it("format words, save, and leave no paragraph selected", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    await pages.write("Keys", "A whole paragraph")
    await keyboard.press("Control+i")
    await keyboard.type(" of words")
    await keyboard.press("Control+b")
    await keyboard.type(", bold")
    await keyboard.press("Control+Shift+K")
    await keyboard.press("Control+u")
    await pages.page.evaluate(
      `addEventListener("keydown", (event) => (document.title = "prevented " + event.defaultPrevented))`
    )
    await keyboard.press("Control+s")
    await expect.poll(() => pages.page.title()).toBe("prevented true")
    await pages.state("Saved")
    const body = async () => (await who.client.getNote({ id: pages.noteId })).body
    expect(await body()).toBe("A whole *paragraph* of **words**, bold")
    await keyboard.press("Control+Home")
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await keyboard.press("Shift+ArrowRight")
    await keyboard.press("Control+k")
    await keyboard.type("https://sheaf.test/")
    await keyboard.press("Control+s")
    await expect.poll(body).toBe("[A](https://sheaf.test/) whole *paragraph* of **words**, bold")
    expect(pages.seen()).toEqual([])
  })

  it("keep a link of a note on its line while its titles are on their way, and leave no error", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    await client.createNote({ notebook_id, title: "Podcasts", body: "" })
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    await pages.write("Links", "")
    const { promise, resolve } = Promise.withResolvers<void>()
    await pages.page.route(
      /\/completions|\/suggest/,
      async (route) => (await promise, await route.continue().catch(() => undefined))
    )
    await pages.editor.focus()
    await keyboard.type("See [[Podc")
    await keyboard.press("Enter")
    // Left, and begun again.
    await keyboard.press("Escape")
    await keyboard.type("a")
    await keyboard.press("Backspace")
    await keyboard.press("Enter")
    resolve()
    await pages.page.getByRole("option", { name: "Podcasts" }).waitFor()
    await expect
      .poll(async () => (await keyboard.press("Enter"), pages.editor.innerText()))
      .toContain("See [[Podcasts]]")
    await pages.state("Saved")
    expect((await client.getNote({ id: pages.noteId })).body.split("\n")[0]).toBe("See [[Podcasts]]")
    expect(pages.seen()).toEqual([])
  })
})
