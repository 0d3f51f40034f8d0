import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { rounds } from "../../support/Slow.ts"

const reloads = rounds(3, 1_000)

describe.skipIf(missing !== "")(`the console in flight mode${missing}`, () => {
  const given = useConsole()

  it(
    `is loaded again ${reloads} times, reads, searches and writes each time, and loses no word`,
    { timeout: 5_400_000 },
    async () => {
      const who = await given.account()
      const { client, notebook_id } = who
      const titles = ["Vienna", "Groceries", "Alps"]
      const notes = []
      for (const title of titles)
        notes.push(await client.createNote({ notebook_id, title, body: `**About** ${title}.` }))
      const diary = await client.createNote({ notebook_id, title: "Diary", body: "Begun." })
      const pages = await given.signedIn(who)
      const { page } = pages
      await pages.settings("Workspace")
      await page.getByLabel("The notes of all notebooks").check()
      await page.getByText("4 notes are on this device.").waitFor()
      await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
      await pages.follow("all")
      await pages.row("Diary").waitFor()
      await page.reload()
      // The renderer is stored when the page is controlled.
      await expect
        .poll(() =>
          page.evaluate(
            `caches.keys().then(async ([name]) => (await (await caches.open(name)).keys()).filter(({ url }) => url.includes("/NoteRenderer-")).length)`
          )
        )
        .toBe(1)

      await page.context().setOffline(true)
      const written: Array<string> = []
      const began = performance.now()
      for (let round = 0; round < reloads; round++) {
        await page.reload()
        await pages.row("Diary").waitFor()
        const at = round % titles.length
        if (round % 3 === 0) {
          await pages.follow(`search?q=${titles[at]!.toLowerCase()}`)
          await expect.poll(() => page.locator(".row-title").allTextContents()).toEqual([titles[at]])
          await pages.follow("all")
        } else if (round % 3 === 1) {
          await pages.follow(`all/${notes[at]!.id}`)
          await pages.rendered.locator("strong", { hasText: "About" }).waitFor()
        } else {
          await pages.follow(`all/${diary.id}`)
          await page.locator(".reading h1", { hasText: "Diary" }).waitFor()
          await pages.edit()
          written.push(`word${round}`)
          await pages.type(`\n${written.at(-1)}`)
          await pages.state("Offline: kept on this device")
        }
        if (round % 100 === 99)
          console.log(`${round + 1} reloads in ${Math.round((performance.now() - began) / 1000)} s`)
      }
      expect(pages.seen()).toEqual([])
      await page.context().setOffline(false)
      await expect
        .poll(async () => (await client.getNote({ id: diary.id })).body, { timeout: 60_000 })
        .toBe(["Begun.", ...written].join("\n"))
    }
  )
})
