import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import { ConsolePages } from "../support/browser/ConsolePages.ts"
import { taskTimes } from "../support/browser/TaskTimes.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { isSlow } from "../support/Slow.ts"

/** Notes in the list. */
const count = 10_000
/** Notes in one request. */
const batch = 500
/** Maximum milliseconds of processor time for which a page does not react. */
const maxTask = 100
/** Milliseconds above which a task is printed. */
const notable = 50

describe.skipIf(!isSlow || missing !== "")(`large notes and long lists in the console${missing}`, () => {
  const given = useConsole()

  it("react at once while a person scrolls and types", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const [workspace] = (await client.listWorkspaces()).data
    await client.updateWorkspace({ id: workspace!.id, plan: "team" })
    for (let from = 0; from < count; from += batch) {
      await client.pushChanges({
        changes: Array.from({ length: batch }, (_, index) => ({
          op: "upsert" as const,
          type: "note" as const,
          id: `nt_${String(from + index).padStart(22, "0")}`,
          data: { notebook_id, title: `Note ${from + index}`, body: `Text of note ${from + index}, with some words.` }
        }))
      })
    }
    const line =
      "Lorem **ipsum** dolor sit amet, [consectetur](https://example.org) adipiscing elit, sed do eiusmod tempor.\n"
    const body = `\n## Heading\n\n${line.repeat(20)}`.repeat(480).slice(0, 1_000_000)
    const { id } = await client.createNote({ notebook_id, title: "Large", body })

    const context = await given.browse()
    const pages = await ConsolePages.open(context, given.sheaf.url)
    await pages.signIn(who)
    await pages.row("Large").waitFor()
    const { page } = pages
    const tasks: Record<string, ReadonlyArray<number>> = {}
    const step = async (name: string, act: () => Promise<unknown>) => {
      tasks[name] = (await taskTimes(page, act)).filter((millis) => millis > notable)
    }
    await page.mouse.move(420, 400)
    await step("scrolling the list", async () => {
      const last = page.locator(`.windowed li[aria-posinset="${count + 1}"]`)
      while (!(await last.isVisible())) await page.mouse.wheel(0, 5_000)
    })
    await step("reading", async () => {
      await pages.follow(`all/${id}`)
      await pages.rendered.getByText("Lorem").first().waitFor()
    })
    await step("opening the editor", () => pages.edit())
    await step("typing", async () => {
      await page.locator(".cm-line").nth(3).click()
      await page.keyboard.type("Some words in a large note, one after another. ", { delay: 40 })
    })
    await step("saving", () => pages.state("Saved"))
    await page.mouse.move(900, 500)
    await step("scrolling the editor", async () => {
      for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 900)
    })
    console.log(`tasks of more than ${notable} ms: ${JSON.stringify(tasks)}`)
    expect((await client.getNote({ id })).body).toContain("one after another.")
    for (const name of ["scrolling the list", "typing", "saving", "scrolling the editor"]) {
      expect([name, tasks[name]!.filter((millis) => millis > maxTask)]).toEqual([name, []])
    }
    expect(pages.seen()).toEqual([])
  })
})
