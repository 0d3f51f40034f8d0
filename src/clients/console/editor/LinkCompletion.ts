import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete"
import { exactLink, fitsBrackets, folded, noteLink } from "../../../../services/markdown/LinkText.ts"
import { type Schemas, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { texts } from "./EditorMessages.ts"
import { headingsOf } from "../finding/Headings.ts"
import { quoted } from "../notes/NoteFilter.ts"
import { linkStart } from "./Keymap.ts"

/** Maximum number of titles or headings that are offered. */
const maxOptions = 8

/** The text from `[[` to the brackets behind the cursor. */
interface Place {
  readonly from: number
  readonly to: number
}

const option = (label: string, link: string, { from, to }: Place, then?: () => void): Completion => ({
  label,
  apply: (view) => {
    view.dispatch({
      changes: { from, to, insert: link },
      selection: { anchor: from + link.length },
      userEvent: "input.complete"
    })
    then?.()
  }
})

export interface LinkTargets {
  readonly client: SheafClient
  /** The name of a notebook. */
  readonly notebookOf: (id: string) => string | undefined
  /** Creates the note to which a link without a note leads. */
  readonly onNewNote: (title: string) => void
}

/** Maximum number of notes with the offered titles. */
const maxSame = 50

/** The notes, those with the same title each with its notebook, and a new note with a title that none has. */
const noteOptions = async (
  { client, notebookOf, onNewNote }: LinkTargets,
  notes: ReadonlyArray<Schemas["Suggestion"]>,
  typed: string,
  place: Place,
  signal: AbortSignal
): Promise<ReadonlyArray<Completion>> => {
  // One note is suggested of each title.
  const filter = `title IN (${notes.map(({ text }) => quoted(text)).join(", ")})`
  const { data } =
    notes.length === 0 ? { data: [] } : await client.listNoteSummaries({ filter, limit: maxSame }, { signal })
  const byTitle = Map.groupBy(data, ({ title }) => title)
  const found = notes.flatMap(({ id, text: title }) => {
    const same = byTitle.get(title) ?? []
    if (same.length < 2) return option(title, noteLink({ id, title }), place)
    return same.map((note) => ({
      ...option(title, exactLink(note), place),
      detail: notebookOf(note.notebook_id) ?? ""
    }))
  })
  const title = typed.trim()
  if (!fitsBrackets(title) || title === "" || notes.some(({ text }) => folded(text) === folded(title))) return found
  return [...found, option(texts.newNote(title), `[[${title}]]`, place, () => onNewNote(title))]
}

/** Completes `[[` by titles of notes, and `[[title#` by the headings of the note. */
export const linkCompletion =
  (targets: LinkTargets) =>
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
    const { client } = targets
    const titles = async () => {
      const { data } = await client.suggestCompletions({ q, limit: maxOptions }, { signal })
      return data.filter(({ type }) => type === "title")
    }
    const headings = async () => {
      const note = (await titles()).find(({ text }) => text.toLowerCase() === q.trim().toLowerCase())
      if (note === undefined) return []
      const wanted = typed.slice(hash + 1).toLowerCase()
      const { body } = await client.getNote({ id: note.id }, { signal })
      const found = headingsOf(body).map(({ text }) => text)
      return found.filter((text) => text.toLowerCase().includes(wanted)).slice(0, maxOptions)
    }
    try {
      const options =
        hash < 0
          ? await noteOptions(targets, await titles(), typed, place, signal)
          : (await headings()).map((text) => option(text, `[[${q}#${text}]]`, place))
      return { from: before.from + 2, options, filter: false }
    } catch (error) {
      // The cursor has left the link, or there is no network.
      if (signal.aborted || error instanceof SheafError) return null
      throw error
    }
  }
