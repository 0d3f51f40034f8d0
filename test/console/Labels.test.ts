import { describe, expect, it } from "vitest"
import { missing } from "../support/browser/Chromium.ts"
import type { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { isSlow } from "../support/Slow.ts"

/** The number of tags that the navigation shows, as in `WorkspaceStore`. */
const shownTags = 500

describe.skipIf(!isSlow || missing !== "")(`notebooks, tags and templates in the console${missing}`, () => {
  const given = useConsole()

  /** Selects an item of a menu. */
  const select = async (pages: ConsolePages, menu: string, item: string) => {
    await pages.button(menu).click()
    await pages.page.getByRole("menuitem", { name: item, exact: true }).click()
  }

  /** The link to the notes of a tag in the navigation. */
  const tagLink = (pages: ConsolePages, name: string) =>
    pages.page.locator(".sidebar > .tag-list a", { has: pages.page.getByText(name, { exact: true }) })

  it("notebooks get a colour, an icon and a name", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    await pages.button("New notebook").click()
    const created = pages.dialog("New notebook")
    await created.getByLabel("Name of the notebook").fill("Trips")
    await created.getByRole("radio", { name: "Blue" }).check()
    await created.getByText("Icon: none").click()
    await created.getByRole("radio", { name: "plane" }).check()
    await created.getByRole("button", { name: "Save" }).click()
    await created.waitFor({ state: "detached" })
    const trips = async () => (await who.client.listNotebooks()).data.find(({ icon }) => icon === "plane")
    expect(await trips()).toMatchObject({ name: "Trips", color: "#4478bd" })

    await select(pages, "More: Trips", "Edit…")
    const edited = pages.dialog("Edit the notebook")
    await edited.getByLabel("Name of the notebook").fill("Journeys")
    await edited.getByLabel("Another colour").fill("#123456")
    await edited.getByRole("button", { name: "Save" }).click()
    await edited.waitFor({ state: "detached" })
    expect(await trips()).toMatchObject({ name: "Journeys", color: "#123456" })
    await pages.button("More: Journeys").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("tags are renamed, coloured, merged and deleted, and an open list follows", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    for (const [title, tags] of [
      ["One", ["wrok"]],
      ["Two", ["work"]],
      ["Three", ["other"]]
    ] as const) {
      await client.createNote({ notebook_id, title, tags: [...tags] })
    }
    const tags = async () =>
      Object.fromEntries(
        (await client.listTags()).data.map(({ color, name, note_count }) => [name, [note_count, color]])
      )
    const pages = await given.signedIn(who)
    await tagLink(pages, "wrok").click()
    await pages.row("One").waitFor()

    await select(pages, "More: #wrok", "Name and colour…")
    const edit = pages.dialog("#wrok")
    await edit.getByLabel("Name of the tag").fill("WORK")
    await edit.getByRole("button", { name: "Save" }).click()
    await edit.getByText("There is a tag with this name.").waitFor()
    await edit.getByLabel("Name of the tag").fill("two words")
    await edit.getByRole("button", { name: "Save" }).click()
    await edit.getByText("must not contain white space").waitFor()
    await edit.getByLabel("Name of the tag").fill("job")
    await edit.getByRole("radio", { name: "Red" }).check()
    await edit.getByRole("button", { name: "Save" }).click()
    await edit.waitFor({ state: "detached" })
    await pages.page.getByRole("heading", { name: "#job" }).waitFor()
    await pages.row("One").waitFor()
    expect(await tags()).toEqual({ job: [1, "#c8453b"], work: [1, null], other: [1, null] })

    // Another device renames it.
    const [job] = (await client.listTags({ filter: "name = job" })).data
    await client.updateTag({ id: job!.id, name: "duty" })
    await pages.page.getByRole("heading", { name: "#duty" }).waitFor()

    await select(pages, "More: #duty", "Merge into…")
    const merge = pages.dialog("Merge #duty")
    await merge.getByLabel("Tag that replaces it").fill("nothing")
    await merge.getByRole("button", { name: "Merge" }).click()
    await merge.getByText("There is no tag with this name.").waitFor()
    await merge.getByLabel("Tag that replaces it").fill("work")
    await merge.getByRole("button", { name: "Merge" }).click()
    await merge.waitFor({ state: "detached" })
    await pages.page.getByRole("heading", { name: "#work" }).waitFor()
    await pages.row("One").waitFor()
    await pages.row("Two").waitFor()
    expect(await tags()).toEqual({ work: [2, null], other: [1, null] })

    await select(pages, "More: #work", "Delete…")
    const remove = pages.dialog("Delete #work")
    await remove.getByText("2 notes have this tag").waitFor()
    await remove.getByRole("button", { name: "Delete" }).click()
    await remove.waitFor({ state: "detached" })
    await pages.page.getByRole("heading", { name: "All notes" }).waitFor()
    await pages.row("One").waitFor()
    expect(await tags()).toEqual({ other: [1, null] })
    expect(pages.seen()).toEqual([])
  })

  it("tags beyond those of the navigation are in a dialog, by a part of their name", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    for (let each = 0; each < shownTags; each += 50) {
      const tags = Array.from({ length: 50 }, (_, index) => `tag-${each + index}`)
      await client.createNote({ notebook_id, title: `Note ${each}`, tags })
    }
    await client.createTag({ name: "rare-bird" })
    const pages = await given.signedIn(who)
    await pages.page.getByText("The 500 tags of most notes are shown.").waitFor()
    expect(await tagLink(pages, "rare-bird").count()).toBe(0)
    await pages.button("All tags").first().click()
    const all = pages.dialog("All tags")
    await all.getByText("rare-bird").waitFor()
    await all.getByRole("button", { name: "Show more" }).click()
    await expect.poll(() => all.getByRole("link").count()).toBe(200)
    await all.getByLabel("Part of the name").fill("E-B")
    await expect.poll(() => all.getByRole("link").count()).toBe(1)
    await all.getByRole("link", { name: "rare-bird" }).click()
    await all.waitFor({ state: "detached" })
    await pages.page.getByText("No note has this tag.").waitFor()
    expect(pages.seen()).toEqual([])
  })

  it("templates are created, edited and deleted, and a note names placeholders without a value", async () => {
    const who = await given.account()
    const { client } = who
    const templates = async () => (await client.listTemplates()).data.map(({ body, name }) => [name, body])
    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    /** Replaces the questions of the browser: returns how many there were. */
    const decide = (isYes: boolean) =>
      pages.page.evaluate(`{
      globalThis.asked = 0
      globalThis.confirm = () => (globalThis.asked++, ${isYes})
    }`)
    const asked = () => pages.page.evaluate<number>("globalThis.asked")
    await select(pages, "New note from a template", "Manage templates…")
    const dialog = pages.dialog("Templates")
    await dialog.getByText("No templates yet.").waitFor()
    await dialog.getByRole("button", { name: "New template" }).click()
    await dialog.getByLabel("Name of the template").fill("Visit")
    await dialog.getByLabel("Text of the template").fill("# {{title}}\n\nWith {{client}}.")

    // The page is loaded again.
    await pages.page.reload()
    await select(pages, "New note from a template", "Manage templates…")
    expect(await dialog.getByLabel("Name of the template").inputValue()).toBe("Visit")

    // Escape, again, and a click next to the dialog: the text stays.
    await decide(false)
    await keyboard.press("Escape")
    await keyboard.press("Escape")
    await pages.page.mouse.click(5, 5)
    expect(await asked()).toBeGreaterThanOrEqual(2)
    expect(await dialog.getByLabel("Text of the template").inputValue()).toContain("With {{client}}.")
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Visit", { exact: true }).waitFor()
    expect(await templates()).toEqual([["Visit", "# {{title}}\n\nWith {{client}}."]])

    // Another user changes the template while its text is written.
    await dialog.getByRole("button", { name: "Edit: Visit" }).click()
    await dialog.getByLabel("Text of the template").fill("With {{client}} in {{city}}.")
    const [visit] = (await client.listTemplates()).data
    await client.updateTemplate({ id: visit!.id, body: "Theirs." })
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByText("Another user has changed this template.").waitFor()
    expect(await templates()).toEqual([["Visit", "Theirs."]])
    await dialog.getByRole("button", { name: "Save" }).click()
    await dialog.getByRole("button", { name: "Edit: Visit" }).waitFor()
    expect(await templates()).toEqual([["Visit", "With {{client}} in {{city}}."]])

    await dialog.getByRole("button", { name: "Delete: Visit" }).click()
    await dialog.getByText("“Visit” is deleted.").waitFor()
    expect(await templates()).toEqual([])
    await dialog.getByRole("button", { name: "Undo" }).click()
    await dialog.getByRole("button", { name: "Edit: Visit" }).waitFor()
    expect(await templates()).toEqual([["Visit", "With {{client}} in {{city}}."]])

    // Text that was typed is discarded when the user agrees.
    await dialog.getByRole("button", { name: "New template" }).click()
    await dialog.getByLabel("Name of the template").fill("Discarded")
    await decide(true)
    await keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    expect(await asked()).toBe(1)

    await select(pages, "New note from a template", "Visit")
    await pages.page.getByText("Placeholders without a value: client, city").waitFor()
    await pages.rendered.getByText("With {{client}} in {{city}}.").waitFor()
    expect(pages.seen()).toEqual([])
  })
})
