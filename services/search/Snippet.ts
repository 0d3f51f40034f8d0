import type { Budget, Sliced } from "../concurrency/Budget.ts"
import type { Find } from "./MatchedTerms.ts"
import { Marks, MAX_MATCHES, type Place } from "./Highlights.ts"
import { type Piece, visiblePieces } from "./PlainText.ts"
import type { Query } from "./Query.ts"
import { TokenReader } from "./Tokens.ts"

/** A found place: UTF-16 code units into the raw value of the field. */
export interface Span {
  readonly start: number
  readonly length: number
}

export interface Highlight {
  readonly field: "title" | "body" | "tags"
  /** Which of the tags. */
  readonly index?: number
  /** HTML: the title or tag as a whole, the best fragment of the body as plain text, escaped, with `<mark>` around what was found. */
  readonly snippet: string
  readonly matches: ReadonlyArray<Span>
}

/** Width of a fragment, and the most text before its first match, in UTF-16 code units. */
const WIDTH = 240
const LEAD = 60
/** So much raw text is read for a fragment, before its first match and in all: signs take room that is not seen. */
const RAW_LEAD = 400
const RAW = 1_200

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeHtml = (text: string): string => {
  const escaped = /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character) : text
  return /[^\S ]|  /.test(escaped) ? escaped.replace(/\s+/g, " ") : escaped
}

/** `text` from `from` to `to` as HTML, with the places marked, and an ellipsis where it was cut. */
const marked = (text: string, places: ReadonlyArray<Place>, from = 0, to = text.length, isCut = false): string => {
  let html = from > 0 ? "…" : ""
  let at = from
  for (const { start, end } of places) {
    if (start < from || end > to) continue
    html += `${escapeHtml(text.slice(at, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    at = end
  }
  return html + escapeHtml(text.slice(at, to)) + (to < text.length || isCut ? "…" : "")
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

/** A place as a fragment shows it: of a word longer than a fragment, its beginning. */
const shortened = (text: string, place: Place): Place => {
  const end = place.start + WIDTH
  return place.end <= end ? place : { ...place, end: isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end }
}

/** The places that lie near each other and show most of the clauses, then most places, then the earliest. */
const cluster = (found: ReadonlyArray<Place>): readonly [first: number, last: number] => {
  let best = { first: 0, last: 0, value: -1 }
  /** Of each clause for which `first` it was seen last. */
  const seenFor: Array<number | undefined> = []
  for (let first = 0; first < found.length; first++) {
    let clauses = 0
    let last = first
    for (let next = first; next < found.length; next++) {
      const { clause, end } = found[next]!
      if (next > first && end - found[first]!.start > WIDTH - LEAD) break
      if (seenFor[clause] !== first) clauses++
      seenFor[clause] = first
      last = next
    }
    const value = clauses * (MAX_MATCHES + 1) + (last - first)
    if (value > best.value) best = { first, last, value }
  }
  return [best.first, best.last]
}

interface Seen {
  readonly text: string
  readonly places: Array<Place>
}

/** The pieces as one text, and where in it the places lie of which something is seen. */
const seen = (raw: string, pieces: ReadonlyArray<Piece>, found: ReadonlyArray<Place>): Seen => {
  let text = ""
  const places: Array<Place> = []
  let next = 0
  // Of the text itself the last character is not asked: it would be copied for that, as long as it is, with each piece.
  let last = " "
  for (const { apart, end, shown, start } of pieces) {
    if (apart && last !== " ") text += " "
    const at = text.length
    while (next < found.length && found[next]!.end <= start) next++
    for (let index = next; index < found.length && found[index]!.start < end; index++) {
      const place = found[index]!
      const from = shown === undefined ? at + Math.max(0, place.start - start) : at
      const to = shown === undefined ? at + Math.min(end, place.end) - start : at + shown.length
      const before = places.at(-1)
      // A sign within a word divides the pieces, not the word.
      if (before !== undefined && before.end === from && found[index]!.start < start)
        places[places.length - 1] = { ...before, end: to }
      else places.push({ start: from, end: to, clause: place.clause })
    }
    const piece = shown ?? raw.slice(start, end)
    text += piece
    last = piece.at(-1) ?? last
  }
  return { text: text.trimEnd(), places }
}

/** The fragment of Markdown that shows most of what was found, as plain text. */
const fragment = (body: string, found: ReadonlyArray<Place>): string => {
  const [first, last] = cluster(found)
  const start = found[first]?.start ?? 0
  const near = body.lastIndexOf("\n", Math.max(0, start - RAW_LEAD)) + 1
  // A line without end is begun in its midst.
  const from = start - near > 2 * RAW_LEAD ? wordStart(body, start - LEAD, start) : near
  const end = found[last]?.end ?? 0
  const most = wordEnd(body, Math.max(from + RAW, Math.min(end, start + WIDTH)), Math.max(from + RAW - 100, end))
  const visible = visiblePieces(body, from, most, { from: end, count: WIDTH + LEAD })
  const raw = visible.until
  const { places, text } = seen(body, visible.pieces, found)
  const isCut = raw < body.length && body.slice(raw, raw + 4096).trim() !== ""
  if (places.length === 0) {
    const to = wordEnd(text, WIDTH, 1)
    return marked(text.slice(0, to).trimEnd(), [], 0, undefined, to < text.length || isCut)
  }
  const shown = places.map((place) => shortened(text, place))
  const [one, other] = cluster(shown)
  const begin = wordStart(text, shown[one]!.start - LEAD, shown[one]!.start)
  const stop = wordEnd(text, Math.max(begin + WIDTH, shown[other]!.end), shown[other]!.end)
  const html = marked(text, shown, begin, stop, isCut)
  return from > 0 && begin === 0 ? `…${html}` : html
}

const spans = (found: ReadonlyArray<Place>): Array<Span> =>
  found.map(({ start, end }) => ({ start, length: end - start }))

export interface Highlighted {
  readonly snippet: string
  readonly highlights: ReadonlyArray<Highlight>
}

/** Shows where the notes of one page of hits were found. */
export class Highlighter {
  readonly #query: Query
  readonly #reader = new TokenReader()

  constructor(query: Query) {
    this.#query = query
  }

  /** Whether something of what was found stands in a field. */
  isIn(field: Highlight["field"], finds: ReadonlyArray<Find>): boolean {
    const { clauses, phrases } = this.#query
    // The places of sequences are not known.
    if (phrases.length > 0 || clauses.some(({ kind }) => kind === "sequence")) return true
    return finds.some(({ fields }) => fields.includes(field))
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
    const marks = new Marks(this.#query, finds, this.#reader)
    const highlights: Array<Highlight> = []
    const title = this.isIn("title", finds) ? yield* marks.find(note.title, budget) : []
    if (title.length > 0) highlights.push({ field: "title", snippet: marked(note.title, title), matches: spans(title) })
    for (const [index, tag] of this.isIn("tags", finds) ? note.tags.entries() : []) {
      const found = yield* marks.find(tag, budget)
      if (found.length > 0)
        highlights.push({ field: "tags", index, snippet: marked(tag, found), matches: spans(found) })
    }
    const body = this.isIn("body", finds) ? yield* marks.find(note.body, budget) : []
    if (body.length > 0) highlights.push({ field: "body", snippet: fragment(note.body, body), matches: spans(body) })
    const best = highlights.find(({ field }) => field === "body") ?? highlights[0]
    return { snippet: best?.snippet ?? fragment(note.body, []), highlights }
  }
}
