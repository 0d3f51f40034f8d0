import { describe, expect, it } from "vitest"
import { createClient, SheafError } from "../../src/clients/client/SheafClient.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import type { ConsolePages } from "../support/browser/ConsolePages.ts"
import { useConsole } from "../support/browser/useConsole.ts"

/** Milliseconds for which all type; `DURATION` in seconds replaces it. */
const duration = 1000 * Number(process.env["DURATION"] ?? rounds(2, 60))

/** The whole text of the editor, which shows a part of it: what a person copies. */
const textIn = async ({ editor, page }: ConsolePages): Promise<string> => {
  await editor.focus()
  await page.keyboard.press("Control+a")
  return page.evaluate<string>(`(() => {
    const clipboardData = new DataTransfer()
    const copy = new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true })
    document.querySelector(".cm-content").dispatchEvent(copy)
    return clipboardData.getData("text/plain")
  })()`)
}

describe.skipIf(!isSlow || missing !== "")(`two browsers and an API client that write one note${missing}`, () => {
  const given = useConsole()

  it("lose no word, whatever is cut, refused or lost on the way", { timeout: duration + 600_000 }, async () => {
    const who = await given.account()
    const client = createClient({ url: given.sheaf.url, retries: 20, longestWait: 5_000 })
    await client.signIn(who)
    const first = await given.signedIn(who)
    const id = await first.write("Torture", "Beginning of one.\n\nBeginning of two.\n\nBeginning of three.")
    const second = await given.signedIn(who)
    await second.read("Torture")
    await second.edit()
    /** Words that were typed, each once. */
    const words = new Set<string>()
    let made = 0
    const wordOf = (name: string) => {
      const word = `${name}${++made}x`
      words.add(word)
      return word
    }
    const end = performance.now() + duration
    given.sheaf.faults.set({ latency: 0.2, unavailable: 0.1, lostResponses: 0.1, cutStreams: 0.5 })
    /** Types words at one place of the note. */
    const typing = async (pages: typeof first, name: string, key: string) => {
      for (let typed = 0; performance.now() < end; typed++) {
        await pages.editor.focus()
        if (typed % 10 === 0) await pages.page.keyboard.press(key)
        await pages.page.keyboard.type(`${wordOf(name)} `, { delay: 5 })
      }
      await pages.page.locator(".save-state.saved").waitFor()
    }
    const calling = async () => {
      while (performance.now() < end) {
        const note = await client.getNote({ id })
        const word = wordOf("api")
        const body = note.body.replace("three.", `three. ${word}`)
        await client.updateNote({ id, version: note.version, body }).catch((error: unknown) => {
          // Another writer was faster, or the server was away: the word may not be written.
          if (!(error instanceof SheafError)) throw error
          words.delete(word)
        })
      }
    }
    await Promise.all([typing(first, "one", "Control+Home"), typing(second, "two", "Control+End"), calling()])
    given.sheaf.faults.clear()
    const { body, version } = await client.getNote({ id })
    for (const pages of [first, second]) await expect.poll(() => textIn(pages)).toBe(body)
    console.log(`torture: ${words.size} words, ${version} versions, ${given.sheaf.faults.happened.length} faults`)
    expect(words.size).toBeGreaterThan(10)
    expect([...words].filter((word) => !body.includes(word))).toEqual([])
    expect(await Promise.all([first, second].map((pages) => pages.page.getByRole("dialog").count()))).toEqual([0, 0])
    expect([first.seen(), second.seen()]).toEqual([[], []])
  })
})
