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

/**
 * Replaces a link that does not lead to a note, such as one of two whose titles differ in case, by the next of its forms. The
 * last form is exact.
 */
const ensure = async (
  { client, keep, notebook_id }: Parts,
  note: Note,
  forms: ReadonlyArray<string>,
  from: number
): Promise<void> => {
  const place = keep(from)
  const leads = async (link: string): Promise<boolean> => {
    const target = link.slice(2, -2).split("|")[0]!
    const found = await client
      .findLinkedNote({ target, notebook_id: notebook_id() })
      .catch((error: unknown) => (isProblem(error, "not_found") ? undefined : Promise.reject(error)))
    return found?.id === note.id
  }
  try {
    let next = 0
    while (next < forms.length - 1 && !(await leads(forms[next]!))) next++
    if (next > 0) place.replace(forms[0]!, forms[next]!)
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

/** The forms of a link by an alias: by it, by the title, by the id. */
const aliasForms = (alias: string, { id, title }: Note, { isInTable }: Place): ReadonlyArray<string> => [
  ...(fitsBrackets(alias) ? [`[[${alias}]]`] : []),
  ...(fitsBrackets(alias) && fitsBrackets(title) && !isInTable ? [`[[${title}|${alias}]]`] : []),
  exactLink({ id, title: alias })
]

/** The notes, those with the same title each with its notebook, aliases, and a new note with a title that none has. */
const noteOptions = async (
  parts: Parts,
  suggested: ReadonlyArray<Schemas["Suggestion"]>,
  typed: string,
  place: Place,
  signal: AbortSignal
): Promise<ReadonlyArray<Completion>> => {
  const [notes, aliases] = [
    suggested.filter(({ type }) => type === "title"),
    suggested.filter(({ type }) => type === "alias")
  ]
  // One note is suggested of each title.
  const filter = `title IN (${notes.map(({ text }) => quoted(text)).join(", ")}) AND archived IN (true, false)`
  const { data } =
    notes.length === 0 ? { data: [] } : await parts.client.listNoteSummaries({ filter, limit: maxSame }, { signal })
  const byTitle = Map.groupBy(data, ({ title }) => folded(title))
  const optionOf = (note: Note, forms: ReadonlyArray<string>, label = note.title) =>
    option(label, forms[0]!, place, (from) => void ensure(parts, note, forms, from))
  const formsOf = (note: Note, link: string) => (link.startsWith("[[") ? [link, exactLink(note)] : [link])
  const titled = notes.flatMap(({ id, text: title }) => {
    const same = byTitle.get(folded(title)) ?? []
    if (same.length < 2) return optionOf({ id, title }, formsOf({ id, title }, noteLink({ id, title })))
    return same.flatMap((note) => {
      if (note.title !== title) return []
      const folders = parts.pathOf(note.notebook_id)
      return { ...optionOf(note, formsOf(note, pathLink(note, folders, place))), detail: folders.join(" / ") }
    })
  })
  const named = aliases.map(({ id, text, title = "" }) =>
    optionOf({ id, title }, aliasForms(text, { id, title }, place), `${text} → ${title}`)
  )
  const found = [...titled, ...named]
  const title = typed.trim()
  if (!fitsBrackets(title) || title === "" || suggested.some(({ text }) => folded(text) === folded(title))) return found
  return [...found, option(texts.newNote(title), `[[${title}]]`, place, () => parts.onNewNote(title))]
}

/** Completes `[[` by titles and aliases of notes, and `[[title#` by the headings of the note. */
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
    const names = async () => {
      const { data } = await client.suggestCompletions({ q, limit: maxOptions }, { signal })
      return data.filter(({ type }) => type !== "tag")
    }
    const headings = async () => {
      const note = (await names()).find(({ text }) => text.toLowerCase() === q.trim().toLowerCase())
      if (note === undefined) return []
      const wanted = typed.slice(hash + 1).toLowerCase()
      const { body } = await client.getNote({ id: note.id }, { signal })
      const found = headingsOf(body).map(({ text }) => text)
      return found.filter((text) => text.toLowerCase().includes(wanted)).slice(0, maxOptions)
    }
    try {
      const options =
        hash < 0
          ? await noteOptions(parts, await names(), typed, place, signal)
          : (await headings()).map((text) => option(text, `[[${q}#${text}]]`, place))
      return { from: before.from + 2, options, filter: false }
    } catch (error) {
      // The cursor has left the link, or there is no network.
      if (signal.aborted || error instanceof SheafError) return null
      throw error
    }
  }
