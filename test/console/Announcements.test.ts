import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe.skipIf(!isSlow || missing !== "")(`what the console announces${missing}`, () => {
  const given = useConsole()

  it("stays while the pointer or the focus is on it", async () => {
    const who = await given.account()
    const context = await given.browse()
    await context.clock.install()
    const pages = await ConsolePages.open(context, given.sheaf.url)
    const { clock } = pages.page
    await pages.signIn(who)
    await pages.write("Bread", "Flour.")
    await pages.button("More").click()
    await pages.page.getByRole("menuitem", { name: "Move to the trash" }).click()
    const notice = pages.page.locator(".notice", { hasText: "The note is in the trash." })
    const undo = notice.getByRole("button", { name: "Undo" })
    await undo.waitFor()
    await clock.fastForward(15_000)
    expect(await notice.isVisible()).toBe(true)
    await undo.focus()
    await clock.fastForward(60_000)
    await notice.hover()
    await undo.blur()
    await clock.fastForward(60_000)
    expect(await notice.isVisible()).toBe(true)
    await pages.page.mouse.move(5, 5)
    await expect
      .poll(async () => {
        await clock.fastForward(21_000)
        return notice.count()
      })
      .toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it("is a text that cannot be saved, and that it is saved again, but no pause of typing", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.write("Quiet", "One.")
    await pages.page.evaluate(`{
      globalThis.announced = []
      const status = document.querySelector(".note .bar [role=status]")
      new MutationObserver(() => announced.push(status.textContent)).observe(status, {
        childList: true,
        characterData: true,
        subtree: true
      })
    }`)
    for (const words of [" Two.", " Three."]) {
      await pages.type(words)
      await pages.state("Not saved yet")
      await pages.state("Saved")
    }
    expect(await pages.page.evaluate("announced")).toEqual([])
    given.sheaf.faults.set({ unavailable: 1 })
    await pages.type(" Four.")
    await pages.state("Offline: kept on this device")
    await pages.type(" Five.")
    given.sheaf.faults.clear()
    await pages.state("Saved")
    expect(await pages.page.evaluate("announced")).toEqual(["Offline: kept on this device", "Saved"])
    expect(pages.seen()).toEqual([])
  })
})
