import fc from "fast-check"
import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { planLimits } from "../../src/program/testing/TestSettings.ts"
import { rounds } from "../support/Slow.ts"
import { launch, missing } from "../support/browser/Chromium.ts"
import { DraftPages, type DraftTab, type Network, type ShownDraft } from "../support/browser/DraftPages.ts"

const choices = ["result", "theirs", "yours"] as const

type Step =
  | { readonly kind: "type" | "others" | "title" | "others' title"; readonly place: number }
  | { readonly kind: "save" | "reload" | "trash" | "second tab" | "send" }
  | { readonly kind: "network"; readonly network: Network }
  | { readonly kind: "resolve"; readonly choice: (typeof choices)[number] }

const place = fc.nat({ max: 9 })
const kind = <const Kind extends string>(...kinds: ReadonlyArray<Kind>) => fc.constantFrom(...kinds)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind("type"), place }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("others"), place }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("title", "others' title"), place }) },
  { weight: 6, arbitrary: fc.record({ kind: kind("save", "save", "save", "reload", "trash", "second tab", "send") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("network"), network: kind("ok", "offline", "lost") }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("resolve"), choice: kind(...choices) }) }
)

/** Inserts a word before another, or instead of one that no test has typed. */
const withWord = (text: string, word: string, at: number, isInstead: boolean): string => {
  const words = text.split(" ")
  const place = at % (words.length + 1)
  words.splice(place, isInstead && !/\dx/.test(words[place] ?? "") ? 1 : 0, word)
  return words.join(" ")
}

describe.skipIf(missing !== "")(`a draft of the console${missing}`, () => {
  let sheaf: Sheaf
  let browser: Browser
  let pages: DraftPages
  let context: BrowserContext
  let workspace_id: string
  beforeAll(async () => {
    const limits = { ...planLimits, free: { ...planLimits.free, storage_bytes: 1 } }
    sheaf = await Sheaf.start({ postgres: inject("postgres"), settings: { policies: { limits } } })
    workspace_id = (await sheaf.client.listWorkspaces()).data[0]!.id
    await sheaf.client.updateWorkspace({ id: workspace_id, plan: "team" })
    browser = await launch()
    const notebook_id = (await sheaf.client.listNotebooks()).data[0]!.id
    pages = await DraftPages.start({ url: sheaf.url, key: sheaf.key, notebook_id })
  })
  afterAll(async () => {
    await browser?.close()
    await pages?.stop()
    await sheaf?.stop()
  })
  beforeEach(async () => {
    context = await browser.newContext()
  })
  afterEach(() => context.close())

  /** All texts of a note that the server has, newest first. */
  const versionsOf = async (id: string) => {
    const bodies: Array<string> = []
    for await (const { body, title } of sheaf.client.listNoteVersions({ id, limit: 100 }))
      bodies.push(`${title}: ${body}`)
    return bodies
  }

  /** Decides and saves until the server has the text. */
  const saved = async (tab: DraftTab): Promise<void> => {
    await tab.network("ok")
    let shown: ShownDraft = await tab.call("save")
    for (let tries = 0; !shown.isSaved && tries < 20; tries++) {
      if (shown.result !== undefined) shown = await tab.call("resolve", "result")
      else shown = await tab.call(shown.refusal === "gone" ? "saveAsNew" : "save")
    }
    // A note that was begun, and in which nothing was typed.
    if (shown.title + shown.body === "") return
    expect(shown).toMatchObject({ isSaved: true, result: undefined, refusal: undefined })
  }

  /** A tab with a saved note. */
  const written = async () => {
    const tab = await pages.open(context)
    await tab.call("begin")
    await tab.call("type", { title: "Note", body: "First." })
    await tab.call("save")
    const id = await tab.call<string>("id")
    return { id, tab }
  }

  it("is created, saved and resolved once when responses are lost", async () => {
    const tab = await pages.open(context)
    await tab.call("begin")
    await tab.call("type", { title: "Lost", body: "One." })
    await tab.network("lost")
    await tab.call("save")
    await tab.reload()
    expect(await tab.call("resume")).toBe(true)
    await tab.call("type", { body: "One. Two." })
    expect(await tab.call("save")).toMatchObject({ isSaved: true })
    const id = await tab.call<string>("id")
    expect(await versionsOf(id)).toEqual(["Lost: One. Two.", "Lost: One."])

    // Only the first of several attempts is processed.
    await tab.network("lost")
    await tab.call("type", { body: "One. Two. Three." })
    await tab.call("save")
    await tab.network("offline")
    await tab.call("type", { body: "One. Two. Three. Four." })
    await tab.call("save")
    await tab.call("type", { body: "One. Two. Three. Four. Five." })
    await tab.call("save")
    await tab.reload()
    await tab.call("resume")
    expect(await tab.call("save")).toMatchObject({ isSaved: true, result: undefined })
    expect((await versionsOf(id)).slice(0, 2)).toEqual(["Lost: One. Two. Three. Four. Five.", "Lost: One. Two. Three."])

    await sheaf.client.updateNote({ id, title: "Theirs", body: "Theirs." })
    await tab.call("type", { title: "Mine", body: "Mine." })
    expect((await tab.call("save")).result).toBeDefined()
    await tab.call("edit", { title: "Both", body: "Both." })
    await tab.network("lost")
    await tab.call("resolve", "result")
    await tab.reload()
    await tab.call("resume")
    expect(await tab.call("save")).toMatchObject({ body: "Both.", isSaved: true, result: undefined })
    expect((await versionsOf(id)).slice(0, 3)).toEqual(["Both: Both.", "Mine: Mine.", "Theirs: Theirs."])
  })

  it("is sent once by two tabs, whichever note it is of, and when its creation was never tried", async () => {
    const { id, tab } = await written()
    await tab.network("offline")
    await tab.call("type", { body: "First. Offline." })
    await tab.call("begin")
    await tab.call("type", { title: "Never tried", body: "New." })
    const tabs = await Promise.all([pages.open(context), pages.open(context)])
    await tab.close(tabs[0]!)
    await Promise.all(tabs.map((each) => each.call("send")))
    for (const each of tabs) expect(await each.call("send")).toBe(0)
    expect(await versionsOf(id)).toEqual(["Note: First. Offline.", "Note: First."])
    expect((await sheaf.client.listNotes({ filter: 'title = "Never tried"' })).data).toHaveLength(1)
  })

  it("is merged when it is sent, waits where both have changed the same words, and is merged when it is opened", async () => {
    const { id, tab } = await written()
    await tab.call("type", { body: "First.\n\nSecond." })
    await tab.call("save")
    await tab.network("offline")
    await tab.call("type", { body: "First of mine.\n\nSecond." })
    await tab.call("close")
    await sheaf.client.updateNote({ id, body: "First.\n\nSecond of theirs." })
    await tab.network("ok")
    expect(await tab.call("send")).toBe(0)
    const both = "First of mine.\n\nSecond of theirs."
    expect((await sheaf.client.getNote({ id })).body).toBe(both)

    await tab.call("open", id)
    await tab.network("offline")
    await tab.call("type", { body: both.replace("mine", "us") })
    await tab.call("close")
    expect(await tab.call("send")).toBe(1)
    await sheaf.client.updateNote({ id, body: both.replace("mine", "them") })
    await tab.network("ok")
    expect(await tab.call("send")).toBe(1)
    expect((await sheaf.client.getNote({ id })).body).toBe(both.replace("mine", "them"))
    expect(await tab.call("attend")).toBe(true)
    const merged = both.replace("mine.", "them.\nus.")
    expect(await tab.call("save")).toMatchObject({ body: merged, isSaved: true, result: undefined })
    expect(await tab.call("send")).toBe(0)
  })

  it("is opened while it is sent, and keeps what is typed then", async () => {
    const { id, tab } = await written()
    await tab.network("offline")
    await tab.call("type", { body: "First. Offline." })
    await tab.call("close")
    await tab.network("ok")
    const { promise, resolve } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    await tab.page.route(/\/v2\/notes\/nt_/, async (route) => (begun.resolve(), await promise, await route.continue()))
    const sent = tab.call("send")
    await begun.promise
    expect(await tab.call("attend")).toBe(true)
    expect(await tab.shown()).toMatchObject({ body: "First. Offline.", isSaved: false })
    await tab.call("type", { body: "First. Offline. Open." })
    resolve()
    await sent
    expect(await tab.call("save")).toMatchObject({ body: "First. Offline. Open.", isSaved: true })
    expect(await versionsOf(id)).toEqual(["Note: First. Offline. Open.", "Note: First. Offline.", "Note: First."])
    expect(await tab.call("left")).toEqual([])
  })

  it("takes the words of both sides without a question, also when an attempt before has lost its response", async () => {
    const { id, tab } = await written()
    await tab.network("lost")
    await tab.call("type", { body: "First mine." })
    await tab.call("save")
    await sheaf.client.updateNote({ id, body: "First theirs." })
    await tab.network("ok")
    await tab.call("type", { body: "First mine. More." })
    expect(await tab.call("save")).toMatchObject({ isSaved: true, result: undefined })
    // The text of the lost attempt is in the history, and does not come back.
    expect((await versionsOf(id)).slice(0, 3)).toEqual([
      "Note: First theirs. More.",
      "Note: First theirs.",
      "Note: First mine."
    ])
  })

  it("can be continued in two tabs, which create one note", async () => {
    const tab = await pages.open(context)
    await tab.call("begin")
    await tab.call("type", { title: "Two tabs", body: "Offline." })
    await tab.network("offline")
    await tab.call("save")
    const tabs = await Promise.all([pages.open(context), pages.open(context)])
    await tab.close(tabs[0]!)
    const lefts = await Promise.all(tabs.map((each) => each.call<ReadonlyArray<unknown>>("left")))
    expect(lefts.map(({ length }) => length)).toEqual([1, 1])
    const resumed = await Promise.all(tabs.map((each) => each.call<boolean>("resume")))
    const open = tabs.filter((_, index) => resumed[index])
    for (const each of open) await saved(each)
    expect((await sheaf.client.listNotes({ filter: 'title = "Two tabs"' })).data.map(({ body }) => body)).toEqual([
      "Offline."
    ])
    for (const each of tabs) expect(await each.call("left")).toEqual([])
  })

  it("is saved as a new note when its note was deleted, also while a conflict was open", async () => {
    const { id, tab } = await written()
    await sheaf.client.updateNote({ id, title: "Theirs" })
    await tab.call("type", { title: "Mine", body: "Mine." })
    expect((await tab.call("save")).result).toBeDefined()
    await sheaf.client.deleteNote({ id, permanent: true })
    expect(await tab.call("resolve", "theirs")).toMatchObject({ body: "Mine.", refusal: "gone", result: undefined })
    expect(await tab.call("saveAsNew")).toMatchObject({ isSaved: true, refusal: undefined })
    expect(await versionsOf(await tab.call("id"))).toEqual(["Mine: Mine."])
  })

  it("keeps an edited result when the user chooses another one without a network", async () => {
    const { id, tab } = await written()
    await sheaf.client.updateNote({ id, title: "Theirs", body: "Theirs." })
    await tab.call("type", { title: "Mine", body: "Mine." })
    await tab.call("save")
    await tab.call("edit", { title: "Note", body: "Edited." })
    await tab.network("offline")
    expect(await tab.call("resolve", "theirs")).toMatchObject({ result: { body: "Edited." } })
    // The link of a file whose upload ends now.
    await tab.call("type", { body: "Mine.\nLink." })
    expect(await tab.call("shown")).toMatchObject({ result: { body: "Edited.\nLink." } })
    await tab.network("ok")
    expect(await tab.call("resolve", "result")).toMatchObject({ isSaved: true, body: "Edited.\nLink." })
  })

  it("is discarded, or saved as a new note, while a request with an earlier text of it runs", async () => {
    const { id, tab } = await written()
    const requests = /\/v2\/notes\/nt_/
    /** Types while a request runs, and ends the text before the request. */
    const ended = async (sent: string, typed: string, way: "discard" | "saveAsNew") => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const begun = Promise.withResolvers<void>()
      await tab.page.route(requests, async (route) => (begun.resolve(), await promise, await route.continue()))
      await tab.call("type", { body: sent })
      await tab.call("begun")
      await begun.promise
      await tab.call("type", { body: typed })
      const shown = tab.call(way)
      await expect.poll(async () => [await tab.call("id"), (await tab.shown()).body]).not.toEqual([id, typed])
      resolve()
      await shown
      await tab.page.unroute(requests)
    }
    await ended("First. Sent.", "First. Sent. Dropped.", "discard")
    // The server has stored the request, as if another user had sent it.
    await expect.poll(() => tab.shown()).toMatchObject({ body: "First. Sent.", isSaved: true })
    await expect.poll(() => tab.call("left")).toEqual([])
    await ended("First. Again.", "First. Again. Moved.", "saveAsNew")
    expect(await tab.shown()).toMatchObject({ body: "First. Again. Moved.", isSaved: true })
    expect(await versionsOf(await tab.call("id"))).toEqual(["Note: First. Again. Moved."])
    expect(await versionsOf(id)).toEqual(["Note: First. Again.", "Note: First. Sent.", "Note: First."])
  })

  it("has a title also without one, and on one line", async () => {
    const tab = await pages.open(context)
    await tab.call("begin")
    await tab.call("type", { title: " \t ", body: "Body." })
    expect(await tab.call("save")).toMatchObject({ title: "   ", isSaved: true })
    expect(await tab.call("type", { title: "One\ttwo " })).toMatchObject({ isSaved: false })
    expect(await tab.call("save")).toMatchObject({ title: "One two ", isSaved: true })
    await tab.network("lost")
    await tab.call("type", { title: "Three\tfour" })
    await tab.call("save")
    await tab.network("ok")
    expect(await tab.call("save")).toMatchObject({ isSaved: true, result: undefined })
    expect(await versionsOf(await tab.call("id"))).toEqual(["Three four: Body.", "One two : Body.", "Untitled: Body."])
  })

  it("of a new note says why it is refused when its workspace is gone, and keeps the text", async () => {
    const tab = await pages.open(context)
    await tab.page.route(/\/v2\/notes$/, (route) => {
      const problem = {
        type: "about:blank",
        title: "Not found",
        status: 404,
        code: "not_found",
        detail: "No such workspace"
      }
      return route.fulfill({ status: 404, contentType: "application/problem+json", body: JSON.stringify(problem) })
    })
    await tab.call("begin")
    await tab.call("type", { body: "Kept." })
    expect(await tab.call("save")).toMatchObject({ refusal: "refused", isSaved: false, body: "Kept." })
    await tab.page.unroute(/\/v2\/notes$/)
    expect(await tab.call("save")).toMatchObject({ refusal: undefined, isSaved: true, body: "Kept." })
  })

  it("stays while the workspace is full, and is saved when there is room", async () => {
    const { id, tab } = await written()
    await sheaf.client.updateWorkspace({ id: workspace_id, plan: "free" })
    await tab.call("type", { body: "First. More." })
    expect(await tab.call("save")).toMatchObject({ refusal: "refused", isSaved: false, body: "First. More." })
    await tab.reload()
    await tab.call("resume")
    expect(await tab.call("save")).toMatchObject({ refusal: "refused", body: "First. More." })
    await sheaf.client.updateWorkspace({ id: workspace_id, plan: "team" })
    expect(await tab.call("save")).toMatchObject({ refusal: undefined, isSaved: true })
    expect(await versionsOf(id)).toEqual(["Note: First. More.", "Note: First."])
  })

  it("says that the browser cannot store it, until it can", async () => {
    const { id, tab } = await written()
    await tab.network("offline")
    await tab.call("full", true)
    await tab.call("type", { body: "First. Full." })
    expect(await tab.call("save")).toMatchObject({ isUnstored: true, isSaved: false })
    await tab.network("ok")
    expect(await tab.call("save")).toMatchObject({ isSaved: true })
    await tab.call("full", false)
    await tab.call("type", { body: "First. Full. Room." })
    expect(await tab.call("save")).toMatchObject({ isUnstored: false, isSaved: true })
    expect((await versionsOf(id))[0]).toBe("Note: First. Full. Room.")
  })

  it("gets what is typed after it was closed, such as the link of a file, and offers it when that fails", async () => {
    const { id, tab } = await written()
    await tab.call("close")
    await tab.call("type", { body: "First. Link." })
    await expect.poll(() => versionsOf(id)).toEqual(["Note: First. Link.", "Note: First."])
    await expect.poll(() => tab.call("left")).toEqual([])
    await tab.network("offline")
    await tab.call("type", { body: "First. Link. Offline." })
    await expect.poll(() => tab.call("left")).toEqual([{ texts: ["Note", "First. Link. Offline."] }])
  })

  it("keeps each typed word on the server or on the device, whatever happens", async () => {
    let made = 0
    /** The notes of earlier runs. */
    const earlier = new Set<string>()
    const run = async (steps: ReadonlyArray<Step>) => {
      const context = await browser.newContext()
      try {
        let tab = await pages.open(context)
        await tab.call("begin")
        await tab.call("type", { title: "Words", body: "one two three four" })
        await tab.call("save")
        const first = await tab.call<string>("id")
        const notes = new Set([first])
        /** Saves the text of a tab, which may be a new note by now. */
        const ended = async (tab: DraftTab) => {
          await saved(tab)
          const id = await tab.call<string | undefined>("id")
          if (id !== undefined) notes.add(id)
        }
        const words: Array<string> = []
        /** Opens what the tab has left, or else the note. */
        const reopened = async () => {
          await tab.network("ok")
          if (await tab.call<boolean>("resume")) return
          const found = await sheaf.client.getNote({ id: first }).catch(() => undefined)
          if (found === undefined) await tab.call("begin")
          else await tab.call("open", first)
        }
        for (const step of steps) {
          const shown = await tab.shown()
          const word = `w${++made}x`
          if (step.kind === "type") {
            words.push(word)
            await tab.call("type", { body: withWord(shown.body, word, step.place, step.place > 6) })
          } else if (step.kind === "title") {
            words.push(word)
            await tab.call("type", { title: `${shown.title} ${word}` })
          } else if (step.kind === "others") {
            const note = await sheaf.client.getNote({ id: first }).catch(() => undefined)
            if (note === undefined) continue
            const body = withWord(note.body, word, step.place, step.place > 4)
            await sheaf.client.updateNote({ id: first, version: note.version, body })
          } else if (step.kind === "others' title") {
            const note = await sheaf.client.getNote({ id: first }).catch(() => undefined)
            if (note === undefined) continue
            await sheaf.client.updateNote({ id: first, version: note.version, title: `${word} ${note.title}` })
          } else if (step.kind === "send") {
            // The tab leaves its text, which is sent without it.
            await tab.reload()
            await tab.call("send")
            await reopened()
          } else if (step.kind === "network") await tab.network(step.network)
          else if (step.kind === "save") await tab.call("save")
          else if (step.kind === "trash") await sheaf.client.deleteNote({ id: first }).catch(() => undefined)
          else if (step.kind === "resolve") {
            if (shown.result !== undefined) await tab.call("resolve", step.choice)
            else if (shown.refusal === "gone") await tab.call("saveAsNew")
          } else if (step.kind === "reload") {
            await tab.reload()
            await reopened()
          } else {
            // The first tab stays open, with its draft.
            const before = tab
            tab = await pages.open(context)
            await reopened()
            await ended(before)
          }
        }
        await ended(tab)
        await tab.reload()
        const left = await tab.call<ReadonlyArray<{ readonly texts: ReadonlyArray<string> }>>("left")
        for (const id of notes) await sheaf.client.restoreNote({ id }).catch(() => undefined)
        // Notes that a page has made before it ended are there, too.
        for (let cursor: string | undefined, more = true; more;) {
          const page = await sheaf.client.listNotes({ limit: 100, ...(cursor === undefined ? {} : { cursor }) })
          for (const { id } of page.data) if (!earlier.has(id)) notes.add(id)
          more = page.has_more
          cursor = page.next_cursor ?? undefined
        }
        for (const id of notes) earlier.add(id)
        const texts = [...left.flatMap((each) => each.texts)]
        for (const id of notes) texts.push(...(await versionsOf(id)))
        const all = texts.join("\n")
        expect(words.filter((word) => !all.includes(word))).toEqual([])
      } finally {
        await context.close()
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), run), {
      numRuns: rounds(3, 200),
      seed: Number(process.env["SEED"] ?? 1)
    })
  })
})
