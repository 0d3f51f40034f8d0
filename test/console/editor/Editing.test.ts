import { describe, expect, it } from "vitest"
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
})
