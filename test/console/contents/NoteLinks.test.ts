import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { isSlow } from "../../support/Slow.ts"

const vaults = new URL("../../../../shared/data/markdown/", import.meta.url)
const noVaults = existsSync(vaults) ? "" : " (skipped: no ../shared/data/markdown here)"

describe.skipIf(missing !== "")(`links between notes in the console${missing}`, () => {
  const given = useConsole()

  /** The scripts by which a test looks into the frame of a note are reported, although they run. */
  const wrongIn = (pages: ConsolePages) => pages.seen().filter((each) => !each.includes("in 'about:srcdoc'"))
  const link = (pages: ConsolePages, name: string) => pages.rendered.getByRole("link", { name, exact: true })
  const isAt = (pages: ConsolePages, id: string) => expect.poll(() => pages.noteId).toBe(id)

  it("lead to their notes and places, look different without a note, and make the note on a click", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const { id: folder } = await client.createNotebook({ name: "Trips" })
    const long = "text\n\n".repeat(100)
    const rome = await client.createNote({
      notebook_id: folder,
      title: "Rome",
      body: `${long}# Food & drink\n\n${long}`
    })
    const body = "[[rome]] [[Trips/Rome#Food & drink|food]] [[Lisbon]] [[Trips/Porto]]"
    const { id } = await client.createNote({ notebook_id, title: "Plan", body })
    const pages = await given.signedIn(who)
    await pages.read("Plan")
    await link(pages, "rome").click()
    await isAt(pages, rome.id)
    await pages.page.goBack()
    await link(pages, "food").click()
    await isAt(pages, rome.id)
    const heading = pages.rendered.locator("#h-food-drink")
    const bar = (await pages.page.locator(".note > .bar").boundingBox())!
    await expect.poll(async () => (await heading.boundingBox())!.y).toBeLessThan(400)
    expect((await heading.boundingBox())!.y).toBeGreaterThanOrEqual(bar.y + bar.height)
    await pages.page.goBack()

    for (const [name, notebook] of [
      ["Lisbon", notebook_id],
      ["Trips/Porto", folder]
    ] as const) {
      await pages.follow(`all/${id}`)
      const style = (name: string) =>
        link(pages, name).evaluate(
          (element: any) => element.ownerDocument.defaultView.getComputedStyle(element).borderBottomStyle
        )
      expect([await style("rome"), await style(name)]).toEqual(["none", "dashed"])
      await link(pages, name).click()
      await pages.editor.waitFor()
      await expect
        .poll(() => pages.page.getByRole("textbox", { name: "Title" }).inputValue())
        .toBe(name.split("/").at(-1))
      expect(await client.getNote({ id: pages.noteId })).toMatchObject({ notebook_id: notebook, version: 1, body: "" })
      await pages.page.goBack()
      await isAt(pages, id)
      await expect.poll(() => style(name)).toBe("none")
    }
    expect((await client.listNotes()).data).toHaveLength(4)
    expect(wrongIn(pages)).toEqual([])
  })

  it("are followed once, also after a change that is not shown", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const rome = await client.createNote({ notebook_id, title: "Rome", body: "x" })
    const plan = await client.createNote({ notebook_id, title: "Plan", body: "[[Rome]]" })
    const pages = await given.signedIn(who)
    await pages.read("Plan")
    await link(pages, "Rome").waitFor()
    const rendered = pages.page.waitForResponse((response) => response.url().includes(`${plan.id}/rendered`))
    await client.updateNote({ id: plan.id, version: plan.version, body: "[[Rome]] %%x%%" })
    await (await rendered).finished()
    await link(pages, "Rome").click()
    await isAt(pages, rome.id)
    await pages.page.goBack()
    await isAt(pages, plan.id)
    expect(wrongIn(pages)).toEqual([])
  })

  it("lead from a text that is being written to the same notes", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const note = async (title: string, body = "x", at = notebook_id) =>
      (await client.createNote({ notebook_id: at, title, body })).id
    const [rome, path] = [await note("ROME", "# Food", trips.id), await note("Trips/Old")]
    const [sharp, here] = [await note("C# notes"), await note("Rome")]
    const capital = await note("Paris", "---\naliases: [The Capital]\n---\n# Food")
    const pages = await given.signedIn(who)
    for (const [link, id] of [
      ["[[c# Notes]]", sharp],
      ["[[inbox/rome.md]]", here],
      ["[[Trips/Rome#Food]]", rome],
      ["[[trips/old]]", path],
      ["[[the capital#Food]]", capital],
      [`[food](note:${rome}#Food)`, rome]
    ] as const) {
      await pages.follow(`all/${await note("Plan", link)}`)
      await pages.edit()
      await pages.page.keyboard.press("Control+End")
      if (link.endsWith(")")) await pages.page.keyboard.press("ArrowLeft")
      await pages.page.keyboard.press("Alt+Enter")
      await isAt(pages, id)
      expect([link, new URL(pages.page.url()).hash]).toEqual([link, link.includes("#Food") ? "#h-food" : ""])
    }
    expect(wrongIn(pages)).toEqual([])
  })

  it("are completed by titles, whatever signs they have, and by headings", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const made = await client.createNote({ notebook_id, title: "Podcast [draft] | *two*", body: "x" })
    await client.createNote({ notebook_id, title: "Podcasts", body: "# First\n\n## Second part\n" })
    const pages = await given.signedIn(who)
    await pages.begin("Links", "")
    const complete = async (typed: string, option: string) => {
      await pages.page.keyboard.type(typed)
      await pages.page.locator(".cm-tooltip-autocomplete li", { hasText: option }).first().click()
      await pages.page.keyboard.type(" ")
    }
    await complete("[[podcast dra", "Podcast [draft]")
    await complete("[[podcasts", "Podcasts")
    await complete("[[Podcasts#sec", "Second part")
    await pages.state("Saved")
    await pages.page.waitForURL(/\/nt_/)
    const { body } = await client.getNote({ id: pages.noteId })
    expect(body.trim()).toBe(`[Podcast \\[draft\\] | \\*two\\*](note:${made.id}) [[Podcasts]] [[Podcasts#Second part]]`)
    await pages.button("Read").click()
    await link(pages, "Podcast [draft] | *two*").click()
    await isAt(pages, made.id)
  })

  it("are completed by the path of one of several notes with the title, exactly where needed, and by a new note", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const note = (title: string, at: string) => client.createNote({ notebook_id: at, title, body: "x" })
    await note("Plan", notebook_id)
    await note("Plan", trips.id)
    const twins = [await note("Twin", trips.id), await note("Twin", trips.id)]
    await note("ROME", notebook_id)
    const rome = await note("Rome", trips.id)
    const pages = await given.signedIn(who)
    await pages.begin("Links", "")
    const option = (text: string) => pages.page.locator(".cm-tooltip-autocomplete li", { hasText: text })
    await pages.page.keyboard.type("[[Plan")
    await option("Inbox").waitFor()
    await option("Trips").click()
    await pages.page.keyboard.type(" [[Twin")
    await option("Twin").first().click()
    // Each is verified after it was written.
    await expect.poll(() => pages.editor.innerText()).toMatch(/\[Twin\]\(note:nt_\w+\)/)
    await pages.page.keyboard.type(" [[Planets")
    await option("New note “Planets”").click()
    await pages.page.keyboard.type(" [[rome")
    await option("Trips").click()
    await pages.page.keyboard.type(" ")
    await expect.poll(async () => (await client.listNotes({ filter: 'title = "Planets"' })).data.length).toBe(1)
    await pages.state("Saved")
    await pages.page.waitForURL(/\/nt_/)
    const id = pages.noteId
    const { body } = await client.getNote({ id })
    expect(body.trim()).toMatch(
      /^\[\[Trips\/Plan\|Plan\]\] \[Twin\]\(note:nt_\w+\) \[\[Planets\]\] \[\[Trips\/Rome\|Rome\]\]$/
    )
    expect(twins.some((twin) => body.includes(twin.id))).toBe(true)
    const { data } = await client.listNoteLinks({ id, direction: "out" })
    expect(data.map(({ status }) => status)).toEqual(["resolved", "resolved", "resolved", "resolved"])
    expect(data.at(-1)!.target_id).toBe(rome.id)
    expect(wrongIn(pages)).toEqual([])
  })

  it("are completed by aliases, by the title where several notes have the alias, and exactly where that is not enough", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const aliased = (title: string, aliases: string) =>
      client.createNote({ notebook_id, title, body: `---\naliases: [${aliases}]\n---\n# Food\n` })
    const paris = await aliased("Paris", "The Capital, Seat")
    const rome = await aliased("Rome", "Seat")
    const sharp = await aliased("C# [x]", "Language")
    const pages = await given.signedIn(who)
    await pages.begin("Links", "")
    const complete = async (typed: string, option: string) => {
      await pages.page.keyboard.type(typed)
      await pages.page.locator(".cm-tooltip-autocomplete li", { hasText: option }).click()
      await pages.page.keyboard.type(" ")
    }
    await complete("[[the cap", "The Capital → Paris")
    await complete("[[seat", "Seat → Rome")
    await expect.poll(() => pages.editor.innerText()).toContain("[[Rome|Seat]]")
    await complete("[[lang", "Language → C# [x]")
    await complete("[[language#", "Food")
    await pages.state("Saved")
    await pages.page.waitForURL(/\/nt_/)
    const id = pages.noteId
    expect((await client.getNote({ id })).body.trim()).toBe(
      "[[The Capital]] [[Rome|Seat]] [[Language]] [[language#Food]]"
    )
    const { data } = await client.listNoteLinks({ id, direction: "out" })
    const targets = data.toSorted((one, other) => one.starts - other.starts).map(({ target_id }) => target_id)
    expect(targets).toEqual([paris.id, rome.id, sharp.id, sharp.id])
    expect(wrongIn(pages)).toEqual([])
  })

  it
    .skipIf(!isSlow || noVaults !== "")
    .each(["obsidian-sandbox", "obsidian-help-en", "logseq-docs", "obsdconv-testdata"])(
    `of the vault %s lead to their notes${noVaults}`,
    { timeout: 1_800_000 },
    async (name) => {
      const who = await given.account()
      const { client } = who
      const made = await client.createImport({ source: "markdown", filename: `${name}.zip` })
      const bytes = readFileSync(new URL(`${name}.zip`, vaults))
      await fetch(made.upload_url!, { method: "PUT", headers: made.upload_headers ?? {}, body: bytes })
      await given.sheaf.idle()
      expect((await client.getImport({ id: made.id })).status).toBe("done")
      const titles = new Map<string, string>()
      const linked: Array<string> = []
      for await (const { body, id, title } of client.listNotes({ limit: 100 })) {
        titles.set(id, title)
        if (body.includes("note:nt_")) linked.push(id)
      }
      expect(linked.length).toBeGreaterThan(0)
      const pages = await given.signedIn(who)
      let followed = 0
      for (const id of linked) {
        await pages.follow(`all/${id}`)
        await isAt(pages, id)
        await pages.page.locator(".reading h1", { hasText: titles.get(id)! }).waitFor()
        await pages.rendered.locator("a, .missing").first().waitFor({ state: "attached" })
        const hrefs = new Set(
          await pages.rendered.locator("a").evaluateAll((links) => links.map((each) => each.getAttribute("href")!))
        )
        for (const href of [...hrefs].filter((each) => each.startsWith("#note:"))) {
          const target = /^#note:([^#]+)/.exec(href)![1]!
          // A click of the page itself: another element may lie over the link.
          await pages.rendered.locator(`a[href="${href}"]`).first().dispatchEvent("click")
          await isAt(pages, target)
          await pages.page.locator(".reading h1", { hasText: titles.get(target)! }).waitFor()
          await pages.page.goBack()
          await isAt(pages, id)
          await pages.rendered.locator(`a[href="${href}"]`).first().waitFor({ state: "attached" })
          followed++
        }
        // Imports write a link by id only if the note is there.
        expect([...hrefs].filter((each) => each.startsWith("#missing:nt_"))).toEqual([])
      }
      expect(followed).toBeGreaterThan(linked.length / 2)
      expect(wrongIn(pages)).toEqual([])
    }
  )
})
