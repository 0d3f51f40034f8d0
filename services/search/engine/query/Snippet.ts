import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { plainText } from "../../../markdown/PlainText.ts"
import { frontMatter } from "../../../markdown/PrivateParts.ts"
import { Marks, MAX_MATCHES, type Place } from "./Highlights.ts"
import type { Find } from "./MatchedTerms.ts"
import type { Query } from "./Query.ts"

export interface Highlight {
  readonly field: "title" | "body" | "tags"
  /** Index of the tag. */
  readonly index?: number
  /** HTML: the whole title or tag, or the best fragment of the body as plain text, with `<mark>` around matches. */
  readonly snippet: string
  /** Places in the raw value of the field, in UTF-16 code units. */
  readonly matches: ReadonlyArray<{ readonly start: number; readonly length: number }>
}

export interface Highlighted {
  readonly snippet: string
  readonly highlights: ReadonlyArray<Highlight>
}

/** The width of a fragment, and the maximum text before its first match, in UTF-16 code units. */
const WIDTH = 240
const LEAD = 60
/** UTF-16 code units of Markdown read before the first match of a fragment, and from there on: syntax is not shown. */
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

/** A part of `text` as HTML, with the places marked. */
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

/** The nearest beginning of a word from `at` on, before `limit`; else `at`, but not within a character. */
const wordStart = (text: string, at: number, limit: number): number => {
  if (at <= 0) return 0
  const space = text.slice(at - 1, limit).search(/\s\S/)
  if (space >= 0) return at + space
  return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at
}

/** The nearest end of a word up to `at`, not before `limit`; else `at`, but not within a character. */
const wordEnd = (text: string, at: number, limit: number): number => {
  if (at >= text.length) return text.length
  for (let end = at; end > limit; end--) if (/\s/.test(text.charAt(end))) return end
  return isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at
}

/** The places that fit into a fragment: those with the most clauses, then the most places, then the earliest. */
const densest = (found: ReadonlyArray<Place>): { readonly start: number; readonly end: number } => {
  let best = { start: 0, end: 0, value: 0 }
  for (const [first, { start }] of found.entries()) {
    const near = found.slice(first).filter(({ end }, index) => index === 0 || end - start <= WIDTH - LEAD)
    const value = new Set(near.map(({ clause }) => clause)).size * (MAX_MATCHES + 1) + near.length
    if (value > best.value) best = { start, end: near.at(-1)!.end, value }
  }
  return best
}

/** The fragment of a Markdown text with the most matches, as plain text. */
function* fragment(body: string, found: ReadonlyArray<Place>, marks: Marks, budget: Budget): Sliced<string> {
  const { start } = densest(found)
  const line = body.lastIndexOf("\n", Math.max(0, start - 2 * LEAD)) + 1
  const front = frontMatter.exec(body)?.[0].length ?? 0
  // A very long line is begun in the middle.
  const from = Math.max(front, start - line > RAW_LEAD ? wordStart(body, start - 2 * LEAD, start) : line)
  const until = wordEnd(body, Math.max(from, start) + RAW, start + RAW - 100)
  const text = plainText(body, from, until)
  // Without the syntax and the targets of links, the places are different: they are looked up again in the plain text.
  const places = yield* marks.find(text, budget)
  const best = densest(places)
  const begin = wordStart(text, best.start - LEAD, best.start)
  const end = wordEnd(text, Math.max(begin + WIDTH, best.end), Math.max(best.end, 1))
  const isBegun = from > front || begin > 0
  const isCut = end < text.length || body.slice(until, until + 4096).trim() !== ""
  return `${isBegun ? "…" : ""}${marked(text, places, begin, end)}${isCut ? "…" : ""}`
}

/** Highlights the matches in the notes of one page of hits. */
export class Highlighter {
  readonly #query: Query

  constructor(query: Query) {
    this.#query = query
  }

  /** Whether a body may contain matches. The fields of sequences are not known. */
  isInBody(finds: ReadonlyArray<Find>): boolean {
    const { clauses, phrases } = this.#query
    if (phrases.length > 0 || clauses.some(({ kind }) => kind === "sequence")) return true
    return finds.some(({ fields }) => fields.includes("body"))
  }

  /**
   * The places in title, tags and body (the first 200 of each), and as `snippet` the best fragment: of the body, else
   * the title, else a tag, else the beginning of the body. When the budget is spent, no more of the body is read.
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
