import { describe, expect, it } from "vitest"
import { createClient, type SheafClient } from "../../../src/clients/client/SheafClient.ts"
import { audit } from "../../support/browser/Audit.ts"
import { missing } from "../../support/browser/Chromium.ts"
import type { ConsolePages } from "../../support/browser/ConsolePages.ts"
import { useConsole } from "../../support/browser/useConsole.ts"
import { connect } from "../../support/mcp/McpClients.ts"
import { isSlow } from "../../support/Slow.ts"

const title = "Undo these changes"

describe.skipIf(missing !== "")(`undo in the console${missing}`, () => {
  const given = useConsole()

  /** The secret of a new API key. */
  const keyOf = async (client: SheafClient, name: string): Promise<string> =>
    (await client.createApiKey({ name, scopes: ["notes:read", "notes:write"] })).secret

  const openActivity = async (pages: ConsolePages) => {
    await pages.button("More").click()
    await pages.page.getByRole("menuitem", { name: "What happened" }).click()
    return pages.dialog("What happened")
  }

  /** The texts of the records of a part of the dialog. */
  const records = async (pages: ConsolePages, part: string) => {
    const items = pages.dialog(title).getByRole("region", { name: part }).getByRole("listitem")
    await items.first().waitFor()
    return items.allInnerTexts()
  }

  const notice = ({ page }: ConsolePages, text: string) => page.locator(".notice", { hasText: text })

  it("shows what an assistant did to notes, takes it back by keys, keeps the words of a person, and undoes the undo", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const note = (title: string, body: string) => client.createNote({ notebook_id, title, body })
    const [diary, list, plan] = [
      await note("Diary", "Sun.\n"),
      await note("List", "Milk.\n"),
      await note("Plan", "One.\n")
    ]
    const assistant = await connect("2.x", { url: given.sheaf.url, key: await keyOf(client, "Tidy script") })
    for (const { id } of [diary, list])
      await assistant.done("edit_note", { note_id: id, version: 1, append: "By a machine." })
    await assistant.done("edit_note", { note_id: plan.id, version: 1, properties: { title: "Plan of a machine" } })
    await assistant.close()
    const { body } = await client.getNote({ id: diary.id })
    await client.updateNote({ id: diary.id, body: `By a person.\n\n${body}` })
    await client.updateNote({ id: plan.id, title: "Plan of a person" })

    const pages = await given.signedIn(who)
    const { keyboard } = pages.page
    await pages.read("Diary")
    const activity = await openActivity(pages)
    await activity.getByRole("button", { name: "Undo what Tidy script did" }).press("Enter")
    const dialog = pages.dialog(title)
    await dialog.getByText("Nothing has changed yet.").waitFor()
    expect(await records(pages, "Stays as it is: 1")).toEqual(["Plan of a person\nNote\nChanged since then: title"])
    expect(await records(pages, "As before, but for later changes: 1")).toEqual(["Diary\nNote"])
    expect(await records(pages, "As before: 1")).toEqual(["List\nNote"])
    expect(await audit(pages.page)).toEqual([])
    await dialog.getByRole("button", { name: "Undo", exact: true }).press("Enter")
    await dialog.getByText("Undone. 1 record stays as it is.").waitFor()
    expect(await audit(pages.page)).toEqual([])
    const bodies = () => Promise.all([diary, list].map(async ({ id }) => (await client.getNote({ id })).body))
    expect(await bodies()).toEqual(["By a person.\n\nSun.\n", "Milk.\n"])
    expect((await client.getNote({ id: plan.id })).title).toBe("Plan of a person")

    await dialog.getByRole("button", { name: "Undo the undo" }).press("Enter")
    const again = pages.dialog("Undo the undo")
    await again.getByText("The changes are undone already.").waitFor()
    await again.getByRole("button", { name: "Undo the undo" }).press("Enter")
    await again.getByText("The changes are there again.").waitFor()
    expect((await bodies()).every((text) => text.includes("By a machine."))).toBe(true)
    await keyboard.press("Escape")
    await again.waitFor({ state: "detached" })
    await activity.getByText("by an undo").first().waitFor()
    expect(pages.seen()).toEqual([])
  })

  it.runIf(isSlow)("says why an undo stops, and continues it or tries it again", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const changeSet = "cs_of-thirty-notes-of-a-script"
    const script = createClient({ url: given.sheaf.url, key: await keyOf(client, "Sorter") })
    for (let each = 1; each <= 30; each++)
      await script.createNote({ notebook_id, title: `Note ${each}` }, { changeSet })
    const { id } = (await client.listNotes({ limit: 1 })).data[0]!
    const count = async () => (await client.listNotes({ limit: 100 })).data.length
    const pages = await given.signedIn(who)
    const { page } = pages
    const dialog = pages.dialog(title)
    const undos: Array<string> = []
    page.on("request", (request) => {
      if (request.method() === "POST" && request.postData() === '{"preview":false}') undos.push(request.url())
    })
    await pages.follow(`all/${id}`)
    const activity = await openActivity(pages)
    await activity.getByRole("button", { name: "Undo what Sorter did" }).click()
    await dialog.getByText("Nothing has changed yet.").waitFor()
    expect(await records(pages, "As before: 30")).toHaveLength(25)
    await dialog.getByRole("button", { name: "Show more" }).click()
    await dialog.getByText("Note 30").or(dialog.getByText("Note 1")).first().waitFor()
    await expect.poll(() => records(pages, "As before: 30")).toHaveLength(30)

    await page.route("**/v2/reverts/*", (route) => route.abort())
    await dialog.getByRole("button", { name: "Undo", exact: true }).click()
    await dialog.getByRole("alert").getByText("The server cannot be reached.").waitFor()
    expect(await audit(page)).toEqual([])
    await page.unroute("**/v2/reverts/*")
    await dialog.getByRole("button", { name: "Try again" }).click()
    await dialog.getByText("Undone.").waitFor()
    expect(undos).toHaveLength(1)
    expect(await count()).toBe(0)

    /** The status of a revert, as the page receives it. */
    let shown: "running" | "failed" | undefined = "failed"
    await page.route("**/v2/reverts/*", async (route) => {
      const response = await route.fetch()
      const revert = await response.json()
      await route.fulfill({
        response,
        json: shown === undefined || revert.preview === true ? revert : { ...revert, status: shown }
      })
    })
    const again = pages.dialog("Undo the undo")
    await dialog.getByRole("button", { name: "Undo the undo" }).click()
    await again.getByText("The changes are undone already.").waitFor()
    await again.getByRole("button", { name: "Undo the undo" }).click()
    await again.getByRole("alert").getByText("The server could not undo all of it.").waitFor()
    await expect.poll(count).toBe(30)
    shown = "running"
    await again.getByRole("button", { name: "Try again" }).click()
    await dialog.getByText("Nothing has changed yet.").waitFor()
    await dialog.getByRole("button", { name: "Undo", exact: true }).click()
    await dialog.getByText("The server continues when you close this dialog.").waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await pages.closeDialog("What happened")
    await notice(pages, "Undoing").waitFor()
    shown = undefined
    await notice(pages, "Undone.").waitFor()
    await expect.poll(count).toBe(0)
    expect(pages.seen()).toEqual([])
  })

  it.runIf(isSlow)("takes an import back, also from the list of imports", async () => {
    const who = await given.account()
    const { client } = who
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.button("Account and workspace").click()
    await page.getByRole("menuitem", { name: "Import notes…" }).click()
    const imports = pages.dialog("Import notes")
    const file = { name: "recipe.md", mimeType: "text/markdown", buffer: Buffer.from("# Bread\n\nFlour.\n") }
    await imports.getByLabel("File", { exact: true }).setInputFiles(file)
    await imports.getByRole("button", { name: "Import", exact: true }).click()
    await imports.getByText("1 note imported.").waitFor()
    await imports.getByRole("button", { name: "Undo this import" }).click()
    const dialog = pages.dialog(title)
    await dialog.getByText("Nothing has changed yet.").waitFor()
    await dialog.getByRole("button", { name: "Undo", exact: true }).click()
    await dialog.getByText("Undone.").waitFor()
    expect((await client.listNotes()).data).toEqual([])
    await page.keyboard.press("Escape")
    await pages.closeDialog("Import notes")

    await pages.settings("Imports and exports")
    await pages
      .tableRow("recipe.md")
      .getByRole("button", { name: /^Details/ })
      .click()
    await pages.button("Undo this import").click()
    const again = pages.dialog("Undo the undo")
    await again.getByRole("button", { name: "Undo the undo" }).click()
    await again.getByText("The changes are there again.").waitFor()
    expect((await client.listNotes()).data.map(({ title }) => title)).toEqual(["recipe"])
    expect(pages.seen()).toEqual([])
  })

  it.runIf(isSlow)(
    "takes back what is done with several notes at once, but for what others have changed since",
    async () => {
      const who = await given.account()
      const { client, notebook_id } = who
      const [trips, work] = [
        await client.createNotebook({ name: "Trips" }),
        await client.createNotebook({ name: "Work" })
      ]
      for (const title of ["One", "Two", "Three"]) await client.createNote({ notebook_id, title })
      const pages = await given.signedIn(who)
      const { page } = pages
      await pages.row("Three").focus()
      await page.keyboard.press("Control+a")
      await page
        .getByRole("toolbar", { name: "3 notes selected" })
        .getByRole("button", { name: /^Move to a/ })
        .click()
      await pages.dialog("Move 3 notes").getByLabel("Notebook").selectOption(trips.id)
      await pages.dialog("Move 3 notes").getByRole("button", { name: "Move" }).click()
      const [two] = (await client.listNotes({ filter: "title = Two" })).data
      await notice(pages, "3 notes are in “Trips” now.").waitFor()
      await client.updateNote({ id: two!.id, notebook_id: work.id })
      await notice(pages, "3 notes are").getByRole("button", { name: "Undo" }).click()
      const partly = notice(pages, "Undone. 1 record stays as it is.")
      await partly.waitFor()
      const places = async () =>
        Object.fromEntries((await client.listNotes()).data.map(({ notebook_id, title }) => [title, notebook_id]))
      expect(await places()).toEqual({ One: notebook_id, Two: work.id, Three: notebook_id })
      await partly.getByRole("button", { name: "Details" }).click()
      expect(await records(pages, "Stays as it is: 1")).toEqual(["Two\nNote\nChanged since then: notebook"])
      expect(await records(pages, "As before: 2")).toHaveLength(2)
      expect(await audit(page)).toEqual([])
      await page.keyboard.press("Escape")
      await pages.dialog(title).waitFor({ state: "detached" })

      // The network is lost between the click and the response.
      await pages.row("Three").focus()
      await page.keyboard.press("Control+a")
      await page.getByRole("button", { name: "Move to the trash" }).click()
      const trashed = notice(pages, "3 notes are in the trash.")
      await trashed.waitFor()
      await page.route("**/v2/change-sets/**", (route) => route.abort())
      await trashed.getByRole("button", { name: "Undo" }).click()
      const away = notice(pages, "The server cannot be reached.")
      await away.waitFor()
      await page.unroute("**/v2/change-sets/**")
      await away.getByRole("button", { name: "Try again" }).click()
      await notice(pages, "Undone.").waitFor()
      expect(await places()).toEqual({ One: notebook_id, Two: work.id, Three: notebook_id })
      expect(pages.seen()).toEqual([])
    }
  )

  it.runIf(isSlow)("takes back the merge and the deletion of a tag, and the deletion of a notebook", async () => {
    const who = await given.account()
    const { client } = who
    const trips = await client.createNotebook({ name: "Trips" })
    const { id } = await client.createNote({ notebook_id: trips.id, title: "Alps", tags: ["walk"] })
    await client.createNote({ notebook_id: trips.id, title: "Sea", tags: ["swim"] })
    const pages = await given.signedIn(who)
    const { page } = pages
    const select = async (menu: string, item: string) => {
      await pages.button(menu).click()
      await page.getByRole("menuitem", { name: item, exact: true }).click()
    }
    const undo = (text: string) => notice(pages, text).getByRole("button", { name: "Undo" }).click()
    const tags = async () => (await client.getNote({ id })).tags
    const titles = async () => (await client.listNotes()).data.map(({ title }) => title).toSorted()
    await select("More: #walk", "Merge into…")
    await pages.dialog("Merge #walk").getByLabel("Tag that replaces it").fill("swim")
    await pages.dialog("Merge #walk").getByRole("button", { name: "Merge" }).click()
    await notice(pages, "#walk is merged.").waitFor()
    expect(await tags()).toEqual(["swim"])
    await undo("#walk is merged.")
    await expect.poll(tags).toEqual(["walk"])
    await select("More: #walk", "Delete…")
    await pages.dialog("Delete #walk").getByRole("button", { name: "Delete" }).click()
    await notice(pages, "#walk is deleted.").waitFor()
    expect(await tags()).toEqual([])
    await undo("#walk is deleted.")
    await expect.poll(tags).toEqual(["walk"])
    await select("More: Trips", "Delete")
    await notice(pages, "“Trips” and its notes are in the trash.").waitFor()
    expect(await titles()).toEqual([])
    await undo("“Trips” and its notes are in the trash.")
    await expect.poll(titles).toEqual(["Alps", "Sea"])
    await page.locator(".tree a", { hasText: "Trips" }).waitFor()
    expect(pages.seen()).toEqual([])
  })

  it.runIf(isSlow)("is offered for the calls of assistants and for undos in the audit log", async () => {
    const who = await given.account()
    const { client, notebook_id } = who
    const { id } = await client.createNote({ notebook_id, title: "Diary", body: "Sun.\n" })
    const assistant = await connect("2.x", { url: given.sheaf.url, key: await keyOf(client, "Tidy script") })
    await assistant.done("edit_note", { note_id: id, version: 1, append: "By a machine." })
    await assistant.close()
    const pages = await given.signedIn(who)
    await pages.settings("Audit log")
    await pages
      .tableRow("tool.called")
      .getByRole("button", { name: /^Details/ })
      .click()
    await pages.button(title).click()
    const dialog = pages.dialog(title)
    await dialog.getByRole("button", { name: "Undo", exact: true }).click()
    await dialog.getByText("Undone.").waitFor()
    expect((await client.getNote({ id })).body).toBe("Sun.\n")
    await dialog.locator("footer").getByRole("button", { name: "Close" }).click()
    await pages.page.getByLabel("Action").fill("change_set.reverted")
    await pages.button("Filter").click()
    await pages
      .tableRow("change_set.reverted")
      .getByRole("button", { name: /^Details/ })
      .click()
    await pages.button(title).click()
    await pages.dialog("Undo the undo").getByText("The changes are undone already.").waitFor()
    expect(await audit(pages.page)).toEqual([])
    expect(pages.seen()).toEqual([])
  })
})
