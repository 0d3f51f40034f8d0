import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete"
import { exactLink, fitsBrackets, folded, noteLink } from "../../../../services/markdown/LinkText.ts"
import { isProblem, type Schemas, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { texts } from "./EditorMessages.ts"
import { headingsOf } from "../finding/Headings.ts"
import { quoted } from "../notes/NoteFilter.ts"
import { nodeAround, treeTo } from "./Formatting.ts"
import { linkStart } from "./Keymap.ts"

/** Maximum number of titles or headings that are offered. */
const maxOptions = 8

/** The text from `[[` to the brackets behind the cursor. */
interface Place {
  readonly from: number
  readonly to: number
  readonly isInTable: boolean
}

const option = (label: string, link: string, { from, to }: Place, then?: (from: number) => void): Completion => ({
  label,
  apply: (view) => {
    view.dispatch({
      changes: { from, to, insert: link },
      selection: { anchor: from + link.length },
      userEvent: "input.complete"
    })
    then?.(from)
  }
})

export interface LinkTargets {
  readonly client: SheafClient
  /** The names of a notebook and of those around it, from the outer one. */
  readonly pathOf: (id: string) => ReadonlyArray<string>
  /** The notebook of the note with the link. */
  readonly notebook_id: () => string
  /** Creates the note to which a link without a note leads. */
  readonly onNewNote: (title: string) => void
}

interface Parts extends LinkTargets {
  /** Keeps a place of the text until it is released. */
  readonly keep: (at: number) => {
    readonly replace: (before: string, after: string) => void
    readonly release: () => void
  }
}

/** Maximum number of notes with the offered titles. */
const maxSame = 50

type Note = Pick<Schemas["NoteSummary"], "id" | "title">

/** Replaces a link by its exact form if it does not lead to a note, such as one of two whose titles differ in case. */
const ensure = async ({ client, keep, notebook_id }: Parts, note: Note, link: string, from: number): Promise<void> => {
  const place = keep(from)
  const target = link.slice(2, -2).split("|")[0]!
  try {
    const found = await client
      .findLinkedNote({ target, notebook_id: notebook_id() })
      .catch((error: unknown) => (isProblem(error, "not_found") ? undefined : Promise.reject(error)))
    if (found?.id !== note.id) place.replace(link, exactLink(note))
  } catch (error) {
    // Without the network the link stays as it is.
    if (!(error instanceof SheafError)) throw error
  } finally {
    place.release()
  }
}

/** A link by the path of a note. A table has no place for a label, whose bar would begin a cell. */
const pathLink = (note: Note, folders: ReadonlyArray<string>, { isInTable }: Place): string => {
  const path = [...folders, note.title].join("/")
  return fitsBrackets(path) && fitsBrackets(note.title)
    ? `[[${path}${isInTable ? "" : `|${note.title}`}]]`
    : exactLink(note)
}

/** The notes, those with the same title each with its notebook, and a new note with a title that none has. */
const noteOptions = async (
  parts: Parts,
  notes: ReadonlyArray<Schemas["Suggestion"]>,
  typed: string,
  place: Place,
  signal: AbortSignal
): Promise<ReadonlyArray<Completion>> => {
  // One note is suggested of each title.
  const filter = `title IN (${notes.map(({ text }) => quoted(text)).join(", ")}) AND archived IN (true, false)`
  const { data } =
    notes.length === 0 ? { data: [] } : await parts.client.listNoteSummaries({ filter, limit: maxSame }, { signal })
  const named = Map.groupBy(data, ({ title }) => folded(title))
  const optionOf = (note: Note, link: string) =>
    option(note.title, link, place, (from) => link.startsWith("[[") && void ensure(parts, note, link, from))
  const found = notes.flatMap(({ id, text: title }) => {
    const same = named.get(folded(title)) ?? []
    if (same.length < 2) return optionOf({ id, title }, noteLink({ id, title }))
    return same.flatMap((note) => {
      if (note.title !== title) return []
      const folders = parts.pathOf(note.notebook_id)
      return { ...optionOf(note, pathLink(note, folders, place)), detail: folders.join(" / ") }
    })
  })
  const title = typed.trim()
  if (!fitsBrackets(title) || title === "" || notes.some(({ text }) => folded(text) === folded(title))) return found
  return [...found, option(texts.newNote(title), `[[${title}]]`, place, () => parts.onNewNote(title))]
}

/** Completes `[[` by titles of notes, and `[[title#` by the headings of the note. */
export const linkCompletion =
  (parts: Parts) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.matchBefore(linkStart)
    if (before === null) return null
    const isClosed = context.state.sliceDoc(context.pos, context.pos + 2) === "]]"
    const isInTable = nodeAround(treeTo(context.state, context.pos), context.pos, ["Table"]) !== undefined
    const place = { from: before.from, to: context.pos + (isClosed ? 2 : 0), isInTable }
    const ended = new AbortController()
    const { signal } = ended
    context.addEventListener("abort", () => ended.abort(), { onDocChange: true })
    const typed = before.text.slice(2)
    const hash = typed.indexOf("#")
    const q = hash < 0 ? typed : typed.slice(0, hash)
    const { client } = parts
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
          ? await noteOptions(parts, await titles(), typed, place, signal)
          : (await headings()).map((text) => option(text, `[[${q}#${text}]]`, place))
      return { from: before.from + 2, options, filter: false }
    } catch (error) {
      // The cursor has left the link, or there is no network.
      if (signal.aborted || error instanceof SheafError) return null
      throw error
    }
  }
