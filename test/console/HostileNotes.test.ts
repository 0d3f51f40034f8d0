import { describe, expect, it } from "vitest"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import type { ConsolePages } from "../support/browser/ConsolePages.ts"
import { type Account, useConsole } from "../support/browser/useConsole.ts"
import { markupFiles, missing as noMarkup, scriptedFiles } from "../support/hostile/Markup.ts"
import { ownMarkup } from "../support/hostile/OwnMarkup.ts"
import { upload } from "../../src/clients/client/Upload.ts"
import { sampled } from "../support/Slow.ts"

/** The policy of the page refuses images of other sites, which a note may contain. */
const isRefusedImage = (seen: string): boolean =>
  /^console: .*violates the following Content Security Policy directive: "(?:img|media)-src/.test(seen)

const titleOf = (text: string): string =>
  text
    .replaceAll(/\p{Cc}/gu, "")
    .slice(0, 150)
    .trim() || "x"

const tagOf = (text: string): string => text.replaceAll(/[\s,#]/g, "/").slice(0, 50)

describe.skipIf(!isSlow || missing !== "")(`notes that attack their readers in the console${missing}`, () => {
  const given = useConsole()

  const wrongIn = (pages: ConsolePages) => pages.seen().filter((each) => !isRefusedImage(each))

  /** Creates notes, and opens the list of them. */
  const opened = async (who: Account, cases: ReadonlyArray<string>) => {
    const ids: Array<string> = []
    for (const text of cases) {
      const { id } = await who.client.createNote({ notebook_id: who.notebook_id, title: titleOf(text), body: text })
      ids.push(id)
    }
    const pages = await given.signedIn(who)
    // Which notes are shown first is open: all have the time of the clock of the test.
    await pages.page.locator(".windowed a.row").first().waitFor()
    return { pages, ids }
  }

  /** Reads, prints and writes a note, and returns what is wrong. */
  const wrongWith = async (pages: ConsolePages, id: string): Promise<ReadonlyArray<string>> => {
    await pages.follow(`all/${id}`)
    await pages.rendered.waitFor({ state: "attached" })
    await pages.page.evaluate(`for (const type of ["beforeprint", "afterprint"]) dispatchEvent(new Event(type))`)
    await pages.edit()
    return wrongIn(pages)
  }

  it("run no script as a title, a text, a tag, the name of a notebook or a file, or a comment", async () => {
    const who = await given.account()
    const { client } = who
    const [workspace] = (await client.listWorkspaces()).data
    await client.updateWorkspace({ id: workspace!.id, plan: "team" })
    for (const name of ownMarkup) await client.createNotebook({ name })
    const { ids, pages } = await opened(who, ownMarkup)
    const all = ownMarkup.join("\n\n")
    const files: Array<string> = []
    const id = ids.at(-1)!
    for (const [index, text] of ownMarkup.entries()) {
      const filename = text.replaceAll("/", "")
      const { id: file } = await upload(client, { note_id: id, filename, content: new Uint8Array([index]) })
      files.push(`![${filename.replaceAll(/[[\]\\]/g, "\\$&")}](attachment:${file})`)
      await client.createComment({ note_id: id, body: text })
    }
    await client.updateNote({
      id,
      body: `${all}\n\n${files.join("\n")}`,
      tags: ownMarkup.map(tagOf)
    })
    await client.updateMe({ name: ownMarkup[1]! })
    const wrong: Record<string, ReadonlyArray<string>> = {}
    for (const [index, each] of ids.entries()) {
      const found = await wrongWith(pages, each)
      if (found.length > 0) wrong[ownMarkup[index]!] = found
    }
    await pages.page.reload()
    await pages.rendered.waitFor({ state: "attached" })
    for (const name of ["Comments", "Share", "Reminders", "History"]) {
      await pages.openDialog(name)
      if (name === "Share") await pages.dialog(name).getByRole("button", { name: "Create a link" }).click()
      await pages.closeDialog(name)
    }
    for (const query of ["onerror", ...ownMarkup.slice(0, 2)]) {
      await pages.search(query)
      await pages.page.locator(".list a.row, .list .blank").first().waitFor()
    }
    await pages.search("alert")
    await pages.page.locator(".row mark", { hasText: "alert" }).first().waitFor()
    await pages.follow(`tag:${encodeURIComponent(tagOf(ownMarkup[1]!))}`)
    await pages.page.locator(".windowed a.row").first().waitFor()
    expect([wrong, wrongIn(pages)]).toEqual([{}, []])
  })

  describe.skipIf(noMarkup !== "")(`of collections of attacks${noMarkup}`, () => {
    it("run no script of attached files, which the note shows and links to", async () => {
      const who = await given.account()
      const { ids, pages } = await opened(who, ["Files"])
      const note_id = ids[0]!
      const lines: Array<string> = []
      for (const { content, name } of scriptedFiles()) {
        const { id } = await upload(who.client, { note_id, filename: name, content })
        lines.push(`![${name}](attachment:${id}) [${name}](attachment:${id})`)
      }
      await who.client.updateNote({ id: note_id, body: lines.join("\n\n") })
      expect(await wrongWith(pages, note_id)).toEqual([])
    })

    it.each(markupFiles)("run no script, and request nothing from other origins: %s", async (_, cases) => {
      const chosen = sampled(cases, 3)
      const { ids, pages } = await opened(await given.account(), chosen)
      const wrong: Record<string, ReadonlyArray<string>> = {}
      for (const [index, id] of ids.entries()) {
        const found = await wrongWith(pages, id)
        if (found.length > 0) wrong[chosen[index]!] = found
      }
      expect(wrong).toEqual({})
    })
  })
})
