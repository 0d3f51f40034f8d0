import { atOnce, Budget, type Sliced } from "../budgets/Budget.ts"
import { type Clause, parseQuery, type Query, type Sequence } from "./Query.ts"
import { type Link, TokenReader, type VisitToken } from "./Tokens.ts"
import { COMPARISON, kindOf } from "./Vocabulary.ts"

/** A found place: UTF-16 code units into the raw value of the field. */
export interface Span {
  readonly start: number
  readonly length: number
}

export interface Highlight {
  readonly field: "title" | "body" | "tags"
  /** Which of the tags. */
  readonly index?: number
  /** HTML: the title or tag as a whole, the best fragment of the body, escaped, with `<mark>` around what was found. */
  readonly snippet: string
  readonly matches: ReadonlyArray<Span>
}

/** Width of a fragment, and the most text before its first match, in UTF-16 code units. */
const WIDTH = 240
const LEAD = 60
/** Most places that are reported of one field. */
const MAX_MATCHES = 200
/** Once something was found in a body, no more of it is read than this. */
const MAX_READ = 65_536

/** Text is read in pieces of so many steps: each word in them may be compared with each of the query. */
const PIECE = 256

/** A found place, and the number of the clause that it belongs to. */
interface Found {
  readonly start: number
  readonly end: number
  readonly clause: number
}

/** The places in `text` at which a clause matches, in order, not overlapping. With a budget that is spent, the first of them. */
function* find(text: string, clauses: ReadonlyArray<Clause>, budget: Budget): Sliced<Array<Found>> {
  const found: Array<Found> = []
  const words = new Map<string, number>()
  let compared = 0
  const wordClause = (term: string): number => {
    const known = words.get(term)
    if (known !== undefined) return known
    const clause = clauses.findIndex((each) => {
      if (each.kind === "word") compared++
      return each.kind === "word" && kindOf(each, term) !== undefined
    })
    words.set(term, clause)
    return clause
  }
  const longest = Math.max(1, ...clauses.map((clause) => (clause.kind === "sequence" ? clause.terms.length : 1)))
  const sequences = clauses.flatMap((clause, index) => (clause.kind === "sequence" ? [{ clause, index }] : []))
  let recent: Array<{ term: string; start: number; link: Link }> = []
  const endsHere = ({ terms }: Sequence): boolean =>
    recent.length >= terms.length &&
    terms.every(({ term, link }, position) => {
      const token = recent[recent.length - terms.length + position]
      return token?.term === term && (position === 0 || token.link === link)
    })
  const reader = new TokenReader(text)
  const visit: VisitToken = (term, start, end, unspaced, link) => {
    if (found.length >= MAX_MATCHES || (found.length > 0 && start > MAX_READ)) return false
    if (sequences.length > 0) {
      if (recent.length > 4 * longest) recent = recent.slice(-longest)
      recent.push({ term, start, link })
      for (const { clause, index } of sequences) {
        if (endsHere(clause))
          found.push({ start: recent[recent.length - clause.terms.length]?.start ?? start, end, clause: index })
      }
    }
    const clause = unspaced ? -1 : wordClause(term)
    if (clause >= 0) found.push({ start, end, clause })
    return true
  }
  while (!budget.isSpent) {
    compared = 0
    const before = reader.spent
    const isMore = reader.read(PIECE, visit)
    if (budget.spend(reader.spent - before + compared * COMPARISON)) yield
    if (!isMore) break
  }
  return merged(found.sort((a, b) => a.start - b.start || b.end - a.end))
}

/** Joins what overlaps or touches, so that marks do not nest. */
const merged = (found: ReadonlyArray<Found>): Array<Found> => {
  const result: Array<Found> = []
  for (const each of found) {
    const last = result.at(-1)
    if (last === undefined || each.start > last.end) result.push(each)
    else if (each.end > last.end) result[result.length - 1] = { ...last, end: each.end }
  }
  return result
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character).replace(/\s+/g, " ")

/** `text` from `from` to `to` as HTML, with the places marked, and an ellipsis where it was cut. */
const marked = (text: string, found: ReadonlyArray<Found>, from = 0, to = text.length): string => {
  let html = from > 0 ? "…" : ""
  let at = from
  for (const { start, end } of found) {
    if (start < from || end > to) continue
    html += `${escapeHtml(text.slice(at, start))}<mark>${escapeHtml(text.slice(start, end))}</mark>`
    at = end
  }
  return html + escapeHtml(text.slice(at, to)) + (to < text.length ? "…" : "")
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
const shortened = (text: string, place: Found): Found => {
  const end = place.start + WIDTH
  return place.end <= end ? place : { ...place, end: isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end }
}

/** The fragment of `text` that shows most of the clauses, then most places, then the earliest. */
const fragment = (text: string, places: ReadonlyArray<Found>): string => {
  const found = places.map((place) => shortened(text, place))
  let best = { first: 0, last: 0, value: -1 }
  for (let first = 0; first < found.length; first++) {
    const clauses = new Set<number>()
    let last = first
    for (let next = first; next < found.length; next++) {
      if (next > first && found[next]!.end - found[first]!.start > WIDTH - LEAD) break
      clauses.add(found[next]!.clause)
      last = next
    }
    const value = clauses.size * (MAX_MATCHES + 1) + (last - first)
    if (value > best.value) best = { first, last, value }
  }
  const start = found[best.first]?.start ?? 0
  const end = found[best.last]?.end ?? 0
  const from = wordStart(text, start - LEAD, start)
  return marked(text, found, from, wordEnd(text, Math.max(from + WIDTH, end), end))
}

const spans = (found: ReadonlyArray<Found>): Array<Span> =>
  found.map(({ start, end }) => ({ start, length: end - start }))

interface Highlighted {
  readonly snippet: string
  readonly highlights: ReadonlyArray<Highlight>
}

/**
 * Shows where a note matches a query: the places in title, tags and body (the first 200 of each), and as `snippet` the
 * best fragment: of the body, else the title, else a tag, else the beginning of the body. Words count as found by the
 * same rules as in the index. With a budget that is spent, the body is read no further.
 */
export function* highlighting(
  note: { readonly title: string; readonly body: string; readonly tags: ReadonlyArray<string> },
  { clauses }: Query,
  budget: Budget
): Sliced<Highlighted> {
  const highlights: Array<Highlight> = []
  const title = yield* find(note.title, clauses, budget)
  if (title.length > 0) highlights.push({ field: "title", snippet: marked(note.title, title), matches: spans(title) })
  for (const [index, tag] of note.tags.entries()) {
    const found = yield* find(tag, clauses, budget)
    if (found.length > 0) highlights.push({ field: "tags", index, snippet: marked(tag, found), matches: spans(found) })
  }
  const body = clauses.length > 0 ? yield* find(note.body, clauses, budget) : []
  if (body.length > 0) highlights.push({ field: "body", snippet: fragment(note.body, body), matches: spans(body) })
  const best = highlights.find(({ field }) => field === "body") ?? highlights[0]
  return { snippet: best?.snippet ?? fragment(note.body, []), highlights }
}

/** `highlighting` at one stretch. */
export const highlight = (note: Parameters<typeof highlighting>[0], query: string): Highlighted =>
  atOnce(highlighting(note, parseQuery(query), new Budget()))
