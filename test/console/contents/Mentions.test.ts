import { describe, expect, it } from "vitest"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"

describe.skipIf(missing !== "")(`mentions of a note in the console${missing}`, () => {
  const given = useConsole()

  const mentions = ({ page }: ConsolePages) => page.locator(".mention strong")
  const open = async (pages: ConsolePages, id: string) => {
    await pages.follow(`all/${id}`)
    await pages.page.locator(".links > summary").press("Enter")
    await pages.page.getByRole("heading", { name: "Mentions without a link" }).waitFor()
  }

  it("become links in their places, one or all, in a form that leads to the note", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = async (title: string, body: string, at = notebook_id) =>
      (await client.createNote({ notebook_id: at, title, body })).id
    const vienna = await note("Vienna", "---\naliases: [Wien]\n---\n")
    const made = {
      Same: [await note("Same", "To Vienna, Vienna."), "To [[Vienna]], Vienna."],
      Other: [await note("Other", "😀 at **wien**\r\n"), "😀 at **[[Vienna|wien]]**\r\n"],
      Table: [await note("Table", "| a | Wien |\n|---|---|\n"), `| a | [Wien](note:${vienna}) |\n|---|---|\n`],
      Brackets: [await note("Brackets", "[Vienna]"), `[[Vienna](note:${vienna})]`]
    } as const
    const pages = await given.signedIn(who)
    await open(pages, vienna)
    await expect.poll(() => mentions(pages).count()).toBe(4)
    expect(await audit(pages.page)).toEqual([])
    await pages.button("Link: Same").press("Enter")
    await expect.poll(() => mentions(pages).count()).toBe(3)
    await pages.button("Link all").press("Enter")
    await expect.poll(() => mentions(pages).count()).toBe(0)
    for (const [name, [id, body]] of Object.entries(made)) {
      expect([name, (await client.getNote({ id })).body]).toEqual([name, body])
      const { data } = await client.listNoteLinks({ id, direction: "out" })
      expect(data.map((each) => each.target_id)).toEqual([vienna])
    }
    await pages.page.locator(".notice", { hasText: "Links in 3 notes were updated." }).waitFor()
    await pages.button("Undo").click()
    await expect.poll(async () => (await client.getNote({ id: made.Table[0] })).body).toContain("| Wien |")
    expect((await client.getNote({ id: made.Same[0] })).body).toBe(made.Same[1])
    expect(pages.seen()).toEqual([])
  })

  it("become exact links where several notes have the title, and stay in a note that has changed", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const { id: rome } = await client.createNote({ notebook_id, title: "Rome", body: "x" })
    await client.createNote({ notebook_id: trips.id, title: "Rome", body: "x" })
    const walk = await client.createNote({ notebook_id, title: "Walk", body: "Rome" })
    const pages = await given.signedIn(who)
    await open(pages, rome)
    const body = "Before Rome"
    await client.updateNote({ id: walk.id, version: walk.version, body })
    await pages.button("Link: Walk").click()
    await pages.page.locator(".notice", { hasText: "Notes that have changed meanwhile stay as they are." }).waitFor()
    expect((await client.getNote({ id: walk.id })).body).toBe(body)
    await pages.page.locator(".mention", { hasText: body }).waitFor()
    await pages.button("Link: Walk").click()
    await expect.poll(() => mentions(pages).count()).toBe(0)
    expect((await client.getNote({ id: walk.id })).body).toBe(`Before [Rome](note:${rome})`)
    expect(pages.seen()).toEqual([])
  })
})
