import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete"
import { noteLink } from "../../../../services/markdown/LinkText.ts"
import { SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { linkStart } from "./Keymap.ts"

/** Maximum number of titles or headings that are offered. */
const maxOptions = 8

const heading = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/gm

/** The text from `[[` to the brackets behind the cursor. */
interface Place {
  readonly from: number
  readonly to: number
}

const option = (label: string, link: string, { from, to }: Place): Completion => ({
  label,
  apply: (view) =>
    view.dispatch({
      changes: { from, to, insert: link },
      selection: { anchor: from + link.length },
      userEvent: "input.complete"
    })
})

/** Completes `[[` by titles of notes, and `[[title#` by the headings of the note. */
export const linkCompletion =
  (client: SheafClient) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(linkStart)
    if (before === null) return null
    const isClosed = context.state.sliceDoc(context.pos, context.pos + 2) === "]]"
    const place = { from: before.from, to: context.pos + (isClosed ? 2 : 0) }
    const ended = new AbortController()
    const { signal } = ended
    context.addEventListener("abort", () => ended.abort(), { onDocChange: true })
    const typed = before.text.slice(2)
    const hash = typed.indexOf("#")
    const q = hash < 0 ? typed : typed.slice(0, hash)
    const titles = async () => {
      const { data } = await client.suggestCompletions({ q, limit: maxOptions }, { signal })
      return data.filter(({ type }) => type === "title")
    }
    const headings = async () => {
      const note = (await titles()).find(({ text }) => text.toLowerCase() === q.trim().toLowerCase())
      if (note === undefined) return []
      const wanted = typed.slice(hash + 1).toLowerCase()
      const { body } = await client.getNote({ id: note.id }, { signal })
      const found = [...body.matchAll(heading)].map(([, text = ""]) => text)
      return found.filter((text) => text.toLowerCase().includes(wanted)).slice(0, maxOptions)
    }
    try {
      const options =
        hash < 0
          ? (await titles()).map(({ id, text }) => option(text, noteLink({ id, title: text }), place))
          : (await headings()).map((text) => option(text, `[[${q}#${text}]]`, place))
      return { from: before.from + 2, options, filter: false }
    } catch (error) {
      // The cursor has left the link, or there is no network.
      if (signal.aborted || error instanceof SheafError) return null
      throw error
    }
  }
