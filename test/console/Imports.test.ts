import { closeSync, ftruncateSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { hasSamples, samples, withSamples } from "../services/transfers/Reading.ts"
import { missing } from "../support/browser/Chromium.ts"
import type { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"
import { isSlow } from "../support/Slow.ts"

const vault = join(samples, "markdown/obsidian-help-en.zip")
/** The notes of the vault, and those for files that no note uses. */
const notes = 173 + 4

describe.skipIf(!isSlow || missing !== "" || !hasSamples)(`imports in the console${missing}${withSamples}`, () => {
  const given = useConsole()

  const openDialog = async (pages: ConsolePages) => {
    await pages.button("Account and workspace").click()
    await pages.page.getByRole("menuitem", { name: "Import notes…" }).click()
    const dialog = pages.dialog("Import notes")
    await dialog.waitFor()
    return dialog
  }
  type ImportDialog = Awaited<ReturnType<typeof openDialog>>

  const send = async (dialog: ImportDialog, path: string) => {
    await dialog.getByLabel("File", { exact: true }).setInputFiles(path)
    await dialog.getByRole("button", { name: "Import", exact: true }).click()
  }

  it("a vault comes with its notebooks, notes and files, and once only", async () => {
    const { client, ...who } = await given.account()
    const pages = await given.signedIn(who)
    const dialog = await openDialog(pages)
    await send(dialog, vault)
    await dialog.getByText(`${notes} notes imported.`).waitFor()
    const [record] = (await client.listImports()).data
    expect(record).toMatchObject({
      status: "done",
      imported: notes,
      filename: "obsidian-help-en.zip",
      source: "auto"
    })
    const { errors } = record!
    expect(errors.length).toBeGreaterThan(0)
    const problems = dialog.getByRole("region", { name: "Remarks" })
    expect(await problems.getByRole("listitem").count()).toBe(Math.min(errors.length, 200))
    await problems.getByText(errors[0]!.message).first().waitFor()

    await dialog.getByRole("button", { name: "Import another file" }).click()
    await send(dialog, vault)
    await dialog.getByText("0 notes imported.").waitFor()
    await dialog.getByText(`${notes} notes are here already, and were skipped.`).waitFor()
    await pages.closeDialog("Import notes")

    const closed = pages.page.locator('.tree [aria-expanded="false"]')
    await closed.first().waitFor()
    while ((await closed.count()) > 0) await closed.first().click()
    const notebooks = (await client.listNotebooks({ limit: 100 })).data
    for (const { name } of notebooks) await pages.page.locator(".tree .name", { hasText: name }).first().waitFor()
    const [file] = (await client.listAttachments({ filter: 'content_type = "image/png"', limit: 1 })).data
    const note = await client.getNote({ id: file!.note_id })
    await pages.follow(`all/${note.id}`)
    await pages.page.locator(".reading h1", { hasText: note.title }).waitFor()
    const image = pages.rendered.locator("img").first()
    // Before its bytes have come, it has no height.
    await expect.poll(async () => (await image.boundingBox())?.height ?? 0).toBeGreaterThan(30)
    expect(pages.seen()).toEqual([])
  })

  it("what would come in is shown first, with its remarks, and then imported", async () => {
    const { client, ...who } = await given.account()
    const pages = await given.signedIn(who)
    const dialog = await openDialog(pages)
    await dialog.getByLabel("File", { exact: true }).setInputFiles(vault)
    await dialog.getByRole("button", { name: "Preview", exact: true }).click()
    await dialog.getByText("Preview of the import:").waitFor()
    await dialog.getByText(`${notes} notes imported.`).waitFor()
    const [preview] = (await client.listImports()).data
    expect(preview).toMatchObject({ status: "done", preview: true, imported: notes })
    const { attachments, errors, imported, notebooks, tags, total } = preview!
    await dialog.getByText(`Notebooks: ${notebooks}, Tags: ${tags}, Files: ${attachments}`).waitFor()
    const remarks = dialog.getByRole("region", { name: "Remarks" })
    await remarks.getByText(preview!.errors[0]!.message).first().waitFor()
    expect((await client.listNotes({ limit: 1 })).data).toEqual([])

    await dialog.getByRole("button", { name: "Import", exact: true }).click()
    await dialog.getByText("Preview of the import:").waitFor({ state: "detached" })
    await dialog.getByText(`${notes} notes imported.`).waitFor()
    const [record] = (await client.listImports({ filter: "preview = false" })).data
    expect(record).toMatchObject({ preview: false, attachments, errors, imported, notebooks, tags, total })
    expect(pages.seen()).toEqual([])
  })

  it("an import continues while the dialog is closed, and after a reload", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const dialog = await openDialog(pages)
    /** The import as the pages receive it: it runs until the test ends that. */
    let isHeld = true
    await pages.page.context().route(/\/v2\/imports(\/im_\w+)?(\?.*)?$/, async (route, request) => {
      if (request.method() !== "GET" || !isHeld) return route.continue()
      const response = await route.fetch()
      const text = (await response.text()).replace(/"status":"(done|queued)"/, '"status":"running"')
      return route.fulfill({ response, body: text })
    })
    await dialog.getByRole("combobox", { name: "Into", exact: true }).selectOption({ label: "Inbox" })
    await send(dialog, join(samples, "markdown/obsidian-sandbox.zip"))
    await dialog.getByText("The server continues when you close this dialog or the page.").waitFor()
    await pages.page.reload()
    await pages.page.locator(".shell").waitFor()
    const again = await openDialog(pages)
    await again.getByText("The server continues when you close this dialog or the page.").waitFor()
    await pages.closeDialog("Import notes")
    isHeld = false
    await pages.page.getByText("31 notes imported.").waitFor()
    await pages.button("Show").click()
    await pages.dialog("Import notes").getByText("31 notes imported.").waitFor()
    const inside = (await who.client.listNotebooks()).data.filter(({ parent_id }) => parent_id === who.notebook_id)
    expect(inside.length).toBeGreaterThan(0)
    expect(pages.seen()).toEqual([])
  })

  it("a file that is not sent, too large or unreadable is refused with a reason, and can be sent again", async () => {
    const who = await given.account()
    const pages = await given.signedIn(who)
    const dialog = await openDialog(pages)
    const large = join(tmpdir(), `sheaf-large-${process.pid}.zip`)
    onTestFinished(() => rmSync(large))
    const descriptor = openSync(large, "w")
    ftruncateSync(descriptor, 2 * 1024 ** 3 + 1)
    closeSync(descriptor)
    await dialog.getByLabel("File", { exact: true }).setInputFiles(large)
    await dialog.getByText("is larger than 2 GB").waitFor()
    expect(await dialog.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true)

    // The network fails in the middle.
    await pages.page.route("**/files/imports/**", (route) => route.abort())
    await send(dialog, join(samples, "markdown/obsidian-sandbox.zip"))
    await dialog.getByText("The server cannot be reached, and the file was not sent.").waitFor()
    await pages.page.unroute("**/files/imports/**")
    await dialog.getByRole("button", { name: "Try again" }).click()
    await dialog.getByText("31 notes imported.").waitFor()

    await dialog.getByRole("button", { name: "Import another file" }).click()
    await send(dialog, join(samples, "markdown/hostile-zips/not-a-zip.zip"))
    await dialog.getByText("The import has failed.").waitFor()
    const failed = (await who.client.listImports({ filter: "status = failed" })).data[0]!
    await dialog.getByText(failed.errors[0]!.message).waitFor()

    // A drop, on any place of the page.
    await dialog.getByRole("button", { name: "Import another file" }).click()
    await dialog.getByText("Choose a file, or drop it here").waitFor()
    await pages.page.evaluate(`{
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["# Dropped\\n\\nText."], "dropped.md", { type: "text/markdown" }))
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    }`)
    await dialog.getByText("dropped.md").waitFor()
    await dialog.getByRole("button", { name: "Import", exact: true }).click()
    await dialog.getByText("1 note imported.").waitFor()
    expect(pages.seen()).toEqual([])
  })
})
