import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { frontMatter } from "../../../markdown/PrivateParts.ts"
import { Marks, MAX_MATCHES, type Place } from "./Highlights.ts"
import type { Find } from "./MatchedTerms.ts"
import { plainText } from "../text/PlainText.ts"
import type { Query } from "./Query.ts"

export interface Highlight {
  readonly field: "title" | "body" | "tags"
  /** Which of the tags. */
  readonly index?: number
  /** HTML: the title or tag as a whole, the best fragment of the body as plain text, escaped, with `<mark>` around what was found. */
  readonly snippet: string
  /** Places in the raw value of the field: UTF-16 code units. */
  readonly matches: ReadonlyArray<{ readonly start: number; readonly length: number }>
}

export interface Highlighted {
  readonly snippet: string
  readonly highlights: ReadonlyArray<Highlight>
}

/** The width of a fragment, and the most text before its first match, in UTF-16 code units. */
const WIDTH = 240
const LEAD = 60
/** The Markdown that is read for a fragment, before its first match and behind it: signs take room that is not seen. */
const RAW_LEAD = 400
const RAW = 800

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

/** `text` from `from` to `to` as HTML, with the places marked. */
const marked = (text: string, places: ReadonlyArray<Place>, from = 0, to = text.length): string => {
  let html = ""
  let at = from
  for (const { end, start } of places) {
    if (start < from || end > to) continue
    html += `${escapeHtml(text.slice(at, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    at = end
  }
  return html + escapeHtml(text.slice(at, to))
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff

/** The nearest place from `at` on, before `limit`, at which a word begins; else `at`, off the middle of a character. */
const wordStart = (text: string, at: number, limit: number): number => {
  if (at <= 0) return 0
  const space = text.slice(at - 1, limit).search(/\s\S/)
  if (space >= 0) return at + space
  return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at
}

/** The nearest place up to `at`, not before `limit`, at which a word ends; else `at`, off the middle of a character. */
const wordEnd = (text: string, at: number, limit: number): number => {
  if (at >= text.length) return text.length
  for (let end = at; end > limit; end--) if (/\s/.test(text.charAt(end))) return end
  return isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at
}

/** Of the places that fit into a fragment together those of most clauses, then most places, then the earliest. */
const densest = (found: ReadonlyArray<Place>): { readonly start: number; readonly end: number } => {
  let best = { start: 0, end: 0, value: 0 }
  for (const [first, { start }] of found.entries()) {
    const near = found.slice(first).filter(({ end }, index) => index === 0 || end - start <= WIDTH - LEAD)
    const value = new Set(near.map(({ clause }) => clause)).size * (MAX_MATCHES + 1) + near.length
    if (value > best.value) best = { start, end: near.at(-1)!.end, value }
  }
  return best
}

/** The fragment of a Markdown text that shows most of what was found in it, as plain text. */
function* fragment(body: string, found: ReadonlyArray<Place>, marks: Marks, budget: Budget): Sliced<string> {
  const { start } = densest(found)
  const line = body.lastIndexOf("\n", Math.max(0, start - 2 * LEAD)) + 1
  const front = frontMatter.exec(body)?.[0].length ?? 0
  // A line without end is begun in its midst.
  const from = Math.max(front, start - line > RAW_LEAD ? wordStart(body, start - 2 * LEAD, start) : line)
  const until = wordEnd(body, Math.max(from, start) + RAW, start + RAW - 100)
  const text = plainText(body, from, until)
  // Signs vanish, also within words, and targets of links with what was found in them: places in plain text are others.
  const places = yield* marks.find(text, budget)
  const best = densest(places)
  const begin = wordStart(text, best.start - LEAD, best.start)
  const end = wordEnd(text, Math.max(begin + WIDTH, best.end), Math.max(best.end, 1))
  const isBegun = from > front || begin > 0
  const isCut = end < text.length || body.slice(until, until + 4096).trim() !== ""
  return `${isBegun ? "…" : ""}${marked(text, places, begin, end)}${isCut ? "…" : ""}`
}

/** Shows where the notes of one page of hits were found. */
export class Highlighter {
  readonly #query: Query

  constructor(query: Query) {
    this.#query = query
  }

  /** Whether a body may hold what was found; unknown are the places of sequences. */
  isInBody(finds: ReadonlyArray<Find>): boolean {
    const { clauses, phrases } = this.#query
    if (phrases.length > 0 || clauses.some(({ kind }) => kind === "sequence")) return true
    return finds.some(({ fields }) => fields.includes("body"))
  }

  /**
   * The places in title, tags and body (the first 200 of each), and as `snippet` the best fragment: of the body, else the
   * title, else a tag, else the beginning of the body. With a budget that is spent, the body is read no further.
   */
  *highlighting(
    note: { readonly title: string; readonly body: string; readonly tags: ReadonlyArray<string> },
    finds: ReadonlyArray<Find>,
    budget: Budget
  ): Sliced<Highlighted> {
    const marks = new Marks(this.#query, finds)
    const highlights: Array<Highlight> = []
    const texts = [
      { text: note.title, place: { field: "title" } },
      ...note.tags.map((text, index) => ({ text, place: { field: "tags", index } as const })),
      { text: note.body, place: { field: "body" } }
    ] as const
    for (const { place, text } of texts) {
      if (place.field === "body" && !this.isInBody(finds)) continue
      const found = yield* marks.find(text, budget)
      if (found.length === 0) continue
      const snippet = place.field === "body" ? yield* fragment(text, found, marks, budget) : marked(text, found)
      highlights.push({ ...place, snippet, matches: found.map(({ start, end }) => ({ start, length: end - start })) })
    }
    const best = highlights.find(({ field }) => field === "body") ?? highlights[0]
    return { snippet: best?.snippet ?? (yield* fragment(note.body, [], marks, budget)), highlights }
  }
}
