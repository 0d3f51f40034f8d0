import fc from "fast-check"
import type { Browser, BrowserContext } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest"
import { Sheaf } from "../../src/testing/Sheaf.ts"
import { rounds } from "../support/Slow.ts"
import { launch, missing } from "../support/browser/Chromium.ts"
import { DraftPages, type DraftTab, type Network, type ShownDraft } from "../support/browser/DraftPages.ts"

const choices = ["result", "theirs", "mine"] as const

type Step =
  | { readonly kind: "type" | "others" | "title"; readonly place: number }
  | { readonly kind: "save" | "reload" | "trash" | "second tab" }
  | { readonly kind: "network"; readonly network: Network }
  | { readonly kind: "resolve"; readonly choice: (typeof choices)[number] }

const place = fc.nat({ max: 9 })
const kind = <const Kind extends string>(...kinds: ReadonlyArray<Kind>) => fc.constantFrom(...kinds)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind("type"), place }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("others"), place }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("title"), place }) },
  { weight: 5, arbitrary: fc.record({ kind: kind("save", "save", "save", "reload", "trash", "second tab") }) },
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
  beforeAll(async () => {
    sheaf = await Sheaf.start({ postgres: inject("postgres") })
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

  it("keeps each typed word on the server or on the device, whatever happens", async () => {
    let made = 0
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
            const earlier = tab
            tab = await pages.open(context)
            await reopened()
            await ended(earlier)
          }
        }
        await ended(tab)
        await tab.reload()
        const left = await tab.call<ReadonlyArray<{ readonly texts: ReadonlyArray<string> }>>("left")
        for (const id of notes) await sheaf.client.restoreNote({ id }).catch(() => undefined)
        const texts = [...left.flatMap((each) => each.texts)]
        for (const id of notes) texts.push(...(await versionsOf(id)))
        const all = texts.join("\n")
        expect(words.filter((word) => !all.includes(word))).toEqual([])
      } finally {
        await context.close()
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), run), {
      numRuns: rounds(12, 200),
      seed: Number(process.env["SEED"] ?? 1)
    })
  })
})
