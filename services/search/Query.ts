import { type Link, type Token, tokenize } from "./Tokens.ts"

/** How much of a query is looked at: UTF-16 code units, and terms. What is beyond does not restrict the result. */
const MAX_LENGTH = 2048
const MAX_TERMS = 64

/** A word; `edits` typing errors are forgiven, and with `prefix` its continuations match too. */
export interface Word {
  readonly kind: "word"
  readonly term: string
  readonly prefix: boolean
  readonly edits: 0 | 1 | 2
}

/** Terms that must follow each other: a quoted phrase, or a word of a script without spaces. Never forgives a typing error. */
export interface Sequence {
  readonly kind: "sequence"
  /** `link`: how a term follows the one before it, as `Token` has it; the first may follow anything (`none`). */
  readonly terms: ReadonlyArray<{ readonly term: string; readonly link: Link }>
}

export type Clause = Word | Sequence

/** A query, understood. A note matches when all `clauses` and `tags` do, and no `excluded` nor `excludedTags`. */
export interface Query {
  readonly clauses: ReadonlyArray<Clause>
  readonly excluded: ReadonlyArray<Sequence>
  /** As `tagKey` gives them. */
  readonly tags: ReadonlyArray<string>
  readonly excludedTags: ReadonlyArray<string>
  /** There is text, but nothing in it that can be searched for (`"???"`): nothing matches. */
  readonly unsearchable: boolean
}

/** The form in which tag names are compared: case and compatibility forms ignored, accents not. */
export const tagKey = (name: string): string => name.normalize("NFKC").toLowerCase()

// A byte order mark inside a word is no space to readers, nor to `tokenize`, though `\s` has it.
const PART = /(-?)(?:tag:(?:"([^"]*)"|([[\S\uFEFF]--["]]+))|"([^"]*)"|([[\S\uFEFF]--["]]+))/giv
const SINGLE_HIRAGANA = /^\p{sc=Hira}$/u
const segmenter = new Intl.Segmenter("und", { granularity: "word" })

const editsFor = (term: string): 0 | 1 | 2 => {
  // A wrong digit is another number, not a typing error.
  if (/\p{N}/u.test(term)) return 0
  const letters = [...term].length
  return letters >= 8 ? 2 : letters >= 4 ? 1 : 0
}

const word = (term: string): Word => ({ kind: "word", term, prefix: false, edits: editsFor(term) })

const sequence = (tokens: ReadonlyArray<Token>): Sequence => ({
  kind: "sequence",
  terms: tokens.map(({ term, link }, position) => ({ term, link: position > 0 ? link : "none" }))
})

/** The words of a run of text in a script without spaces, each a sequence of its characters. */
const segmentRun = (text: string, run: ReadonlyArray<Token>): Array<Sequence> => {
  const offset = run[0]?.start ?? 0
  const words: Array<Array<Token>> = []
  let next = 0
  for (const { segment, index } of segmenter.segment(text.slice(offset, run.at(-1)?.end))) {
    const tokens: Array<Token> = []
    for (
      let token = run[next];
      token !== undefined && token.start < offset + index + segment.length;
      token = run[++next]
    ) {
      tokens.push(token)
    }
    if (tokens.length > 0) words.push(tokens)
  }
  return words.map(sequence)
}

const clausesOf = (text: string): Array<Clause> => {
  const clauses: Array<Clause> = []
  let run: Array<Token> = []
  const endRun = () => {
    if (run.length > 0) clauses.push(...segmentRun(text, run))
    run = []
  }
  for (const token of tokenize(text)) {
    if (token.link !== "glued") endRun()
    if (token.unspaced) run.push(token)
    else clauses.push(word(token.term))
  }
  endRun()
  return clauses
}

// A lone kana between words (の, を, は) is grammar: a note that says it otherwise should still be found.
const isParticle = (clause: Clause): boolean =>
  clause.kind === "sequence" && clause.terms.length === 1 && SINGLE_HIRAGANA.test(clause.terms[0]?.term ?? "")

const termCount = (clause: Clause): number => (clause.kind === "word" ? 1 : clause.terms.length)

/** The clauses that fit into `MAX_TERMS` terms, repeated ones once, where they stand last. */
const limited = <C extends Clause>(clauses: ReadonlyArray<C>): Array<C> => {
  const distinct = new Map<string, C>()
  let room = MAX_TERMS
  for (const clause of clauses) {
    const key = JSON.stringify(clause)
    if (!distinct.delete(key)) room -= termCount(clause)
    if (room < 0) break
    distinct.set(key, clause)
  }
  return [...distinct.values()]
}

/**
 * Reads the query language: words, `"phrase"`, `-word`, `-"phrase"`, `tag:name`, `-tag:name`. There is no wrong query:
 * an unclosed quote or a lone operator is ignored. The last word, if nothing but tags and exclusions follow, is a prefix.
 */
export const parseQuery = (text: string): Query => {
  const head = text.slice(0, MAX_LENGTH).replace(/[“”„‟«»]/g, '"')
  const required: Array<Clause> = []
  const excluded: Array<Sequence> = []
  const tags = new Set<string>()
  const excludedTags = new Set<string>()
  for (const [, minus, quotedTag, plainTag, phrase, plain] of head.matchAll(PART)) {
    const tag = (quotedTag ?? plainTag)?.replace(/^#/, "")
    if (tag !== undefined) {
      if (tag !== "") (minus === "-" ? excludedTags : tags).add(tagKey(tag))
      continue
    }
    const words = phrase ?? plain ?? ""
    if (minus !== "-" && phrase === undefined) {
      required.push(...clausesOf(words))
      continue
    }
    const tokens = tokenize(words)
    if (tokens.length > 0) (minus === "-" ? excluded : required).push(sequence(tokens))
  }
  const content = required.filter((clause) => !isParticle(clause))
  const clauses = limited(content.length > 0 ? content : required)
  const last = clauses.at(-1)
  if (last?.kind === "word") clauses[clauses.length - 1] = { ...last, prefix: true }
  return {
    clauses,
    excluded: limited(excluded),
    tags: [...tags].slice(0, MAX_TERMS),
    excludedTags: [...excludedTags].slice(0, MAX_TERMS),
    unsearchable: head.trim() !== "" && clauses.length + excluded.length + tags.size + excludedTags.size === 0
  }
}
