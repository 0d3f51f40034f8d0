import { wholesOf, withoutDots } from "../text/JoinedWords.ts"
import {
  functionMask,
  isFunctionWord,
  type Language,
  languageOf,
  type LanguagesOfNotes,
  UNKNOWN
} from "../text/Languages.ts"
import { type Token, tokenize } from "../text/Tokenizer.ts"
import { tagKey } from "../text/Folding.ts"
import { type Clause, clausesOf, type Sequence, sequence } from "./Clauses.ts"

/** Maximum size of a query: UTF-16 code units, clauses and phrases, and terms of sequences. The rest is ignored. */
const MAX_LENGTH = 2048
const MAX_CLAUSES = 31
const MAX_TERMS = 64

/** A sequence that no note may have. `option`: for a word, the term of notes with it after a hyphen (`-la`). */
export interface Exclusion extends Sequence {
  readonly option?: string
}

/** A parsed query. Phrases, tags and exclusions are required; of the clauses, as many as possible should match. */
export interface Query {
  readonly clauses: ReadonlyArray<Clause>
  readonly phrases: ReadonlyArray<Sequence>
  /** Words typed without spaces, such as a date or an address: notes rank higher if they are adjacent. */
  readonly chunks: ReadonlyArray<Sequence>
  /** All words of a query that is a line of text: a note with this line is meant. */
  readonly line: Sequence | undefined
  /** All words of a query as one, as in an identifier. */
  readonly whole: string | undefined
  readonly excluded: ReadonlyArray<Exclusion>
  /** Options of commands: they exclude nothing, and notes with them rank higher. */
  readonly options: ReadonlySet<string>
  /** As `tagKey` returns them. */
  readonly tags: ReadonlyArray<string>
  readonly excludedTags: ReadonlyArray<string>
  /** The language of the query, by its words. */
  readonly language: Language
  /** The typed text without tags and exclusions, with phrases as words. */
  readonly words: string
  /** The text with phrases as words. Undefined if there are no phrases. */
  readonly unbound: string | undefined
  /** The text has nothing that can be searched for (`"???"`): nothing matches. */
  readonly unsearchable: boolean
}

/** Characters that are only used as quotes. */
const QUOTES = /[“”„‟«»‹›「」『』＂]/g
// A byte order mark within a word is no space, for readers and for `tokenize`, although `\s` contains it. A quote after
// a digit opens no phrase: it is an inch sign. `“` is used for all of `QUOTES`.
const PART =
  /(-?)(?:tag:(?:["“]([^"“]*)["“]|([[\S\uFEFF]--["“]]+))|(?:(?<!\p{N})"|“)([^"“]*)["“]|([[\S\uFEFF]--["“]]+))/giv
/** The syntax of requirements in the text of a phrase, as if it were a query. */
const BINDING = /(?<!\S)-+|(?<=tag):/giu
/** Minimum number of words of a line of text. */
const MIN_LINE = 4
// A lone kana between words (の, を, は) is grammar: notes that phrase it differently should be found, too.
const isParticle = (clause: Clause): boolean => clause.kind === "sequence" && clause.isParticle === true

const termCount = (clause: Clause): number => (clause.kind === "word" ? 1 : clause.terms.length)

/** The clauses that fit. A repeated clause counts once, at its last position. */
const limited = <C extends Clause>(clauses: ReadonlyArray<C>): Array<C> => {
  const distinct = new Map<string, C>()
  let room = MAX_TERMS
  for (const clause of clauses) {
    const key = clause.kind === "word" ? clause.term : JSON.stringify(clause.terms)
    if (!distinct.delete(key)) room -= termCount(clause)
    if (room < 0 || distinct.size === MAX_CLAUSES) break
    distinct.set(key, clause)
  }
  return [...distinct.values()]
}

/**
 * Whether a word after a minus is excluded. Options of commands are typed, too: `-x` of one letter, `--long`, and words
 * with `=` exclude nothing.
 */
const isExclusion = (word: string, tokens: ReadonlyArray<Token>): boolean =>
  !word.startsWith("-") && !word.includes("=") && !(tokens.length === 1 && [...tokens[0]!.term].length === 1)

/** The term of notes that have an option. */
const optionOf = ([first]: ReadonlyArray<Token>): string => `-${first!.term}`

const anyLanguage: LanguagesOfNotes = { most: UNKNOWN, all: 0 }

/**
 * The language of a query by its function words: a language of some notes, or any that two function words indicate;
 * otherwise that of most notes. The same letters may be different words in two languages.
 */
const languageOfQuery = (clauses: ReadonlyArray<Clause>, { all, most }: LanguagesOfNotes): Language => {
  const masks = clauses.map((clause) => (clause.kind === "word" ? functionMask(clause.term) : 0)).filter(Boolean)
  const language = languageOf(
    masks.map((mask) => [masks.length >= 2 ? mask : mask & all, 1]),
    0.4
  )
  return language === UNKNOWN ? most : language
}

/** Changes the words of a query, but not its tags, phrases and exclusions. */
export const withWords = (query: string, change: (words: string) => string): string =>
  query.replace(PART, (written: string, minus: string, ...groups: ReadonlyArray<string | undefined>) => {
    const plain = groups[3]
    return plain === undefined ? written : minus + change(plain)
  })

/**
 * Parses the query language: words, `"phrase"`, `-word`, `-"phrase"`, `tag:name`, `-tag:name`. Every query is valid: an
 * unclosed quote or a lone operator is ignored. The last word is a prefix, if only tags and exclusions follow.
 * `languagesOfNotes`: the languages of the notes, for a query that does not show its own. `options`: the options of exclusions
 * that exclude nothing.
 */
export const parseQuery = (
  text: string,
  languagesOfNotes: LanguagesOfNotes = anyLanguage,
  options: ReadonlySet<string> = new Set()
): Query => {
  const head = withoutDots(text.slice(0, MAX_LENGTH).replace(QUOTES, "“"))
  const parts = [...head.matchAll(PART)].flatMap(([written, minus, quotedTag, plainTag, phrase, plain]) => {
    const tag = (quotedTag ?? plainTag)?.replace(/^#/, "")
    const typed = phrase ?? plain ?? ""
    const tokens = tokenize(typed)
    if (tag === "" || (tag === undefined && tokens.length === 0)) return []
    const isPlain = tag === undefined && phrase === undefined
    const isOut = minus === "-" && (!isPlain || isExclusion(typed, tokens))
    const isOption = isPlain && isOut && options.has(optionOf(tokens))
    return [{ written: written.replaceAll("“", '"'), tag, typed, tokens, isPlain, isOut, isOption, minus }]
  })
  // A query of only words after a minus has options: otherwise it would find nothing.
  const isAlone = parts.every(({ isOption, isOut, isPlain }) => isPlain && isOut && !isOption)

  const wanted: Array<Clause> = []
  const phrases: Array<Sequence> = []
  const chunks: Array<Sequence> = []
  const excluded: Array<Exclusion> = []
  const tags = new Set<string>()
  const excludedTags = new Set<string>()
  const plain: Array<string> = []
  /** The query with its phrases as words. */
  const unbound: Array<string> = []
  const spelt: Array<ReadonlyArray<string>> = []
  for (const { isOption, isOut, isPlain, minus, tag, tokens, typed, written } of parts) {
    const isPhrase = tag === undefined && !isPlain && !isOut
    const words = isPhrase ? typed.replace(BINDING, " ") : minus + typed
    unbound.push(isPhrase ? words : written)
    if (tag !== undefined) (isOut ? excludedTags : tags).add(tagKey(tag))
    else if (isOption) plain.push(words)
    else if (isOut && !isAlone) {
      excluded.push(isPlain ? { ...sequence(tokens), option: optionOf(tokens) } : sequence(tokens))
    } else if (isPhrase) {
      phrases.push(sequence(tokens))
      plain.push(words)
    } else {
      plain.push(words)
      wanted.push(...clausesOf(typed, tokens))
      spelt.push(tokens.some(({ unspaced }) => unspaced) ? [] : tokens.map(({ term }) => term))
      if (tokens.length > 1 && tokens.some(({ unspaced }) => !unspaced))
        chunks.push(sequence(tokens.slice(0, MAX_TERMS)))
    }
  }
  const binding = phrases.length + excluded.length + tags.size + excludedTags.size
  const joined = (texts: ReadonlyArray<string>) => texts.join(" ").replace(/\s+/g, " ").trim()
  const isLine = parts.length > 1 && parts.every(({ isOut, isPlain }) => isPlain && !isOut)
  const line = isLine ? tokenize(text.slice(0, MAX_LENGTH)) : []
  const isOneWord = line.length > 1 && line.every(({ unspaced }) => !unspaced)

  const language = languageOfQuery(wanted, languagesOfNotes)
  const isContent = (clause: Clause): boolean =>
    !isParticle(clause) && !(clause.kind === "word" && isFunctionWord(clause.term, language))
  const content = wanted.filter(isContent)
  const wholes = wholesOf(spelt, head)
  const bound = limited(phrases)
  const fitting = limited(content.length > 0 || phrases.length > 0 ? content : wanted)
  const clauses = fitting.slice(0, MAX_CLAUSES - bound.length).map((clause) => {
    if (clause.kind !== "word") return clause
    const own = wholes.filter(({ parts }) => parts.includes(clause.term)).map(({ text }) => text)
    return own.length === 0 ? clause : { ...clause, wholes: own }
  })
  const last = wanted.at(-1)
  const typing = clauses.at(-1)
  if (typing?.kind === "word" && last?.kind === "word" && typing.term === last.term && !/[.?!]\s*$/.test(head)) {
    clauses[clauses.length - 1] = { ...typing, prefix: true }
  }
  return {
    clauses,
    phrases: bound,
    chunks: chunks.slice(0, 8),
    line: line.length >= MIN_LINE && line.length <= MAX_TERMS ? sequence(line) : undefined,
    whole: isOneWord ? line.map(({ term }) => term).join("") : undefined,
    excluded: limited(excluded),
    options,
    tags: [...tags].slice(0, MAX_TERMS),
    excludedTags: [...excludedTags].slice(0, MAX_TERMS),
    language,
    words: joined(plain),
    unbound: phrases.length > 0 ? joined(unbound) : undefined,
    unsearchable: head.trim() !== "" && clauses.length + binding === 0
  }
}
