import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import type { IndexedNote } from "./IndexedNote.ts"
import { type Language, languageOf } from "../text/Languages.ts"
import { RowWriter } from "./TokenRows.ts"
import { IN_TAGS, IN_TITLE, slotOf } from "./PostingList.ts"
import { NumberGroups, WordParts } from "../text/JoinedWords.ts"
import { codesOf, isHyphened, TokenReader } from "../text/Tokenizer.ts"
import { Sort, type Vocabulary } from "./Vocabulary.ts"

/** Maximum number of distinct terms of a note: more than a book has. */
const MAX_NOTE_TERMS = 20_000
/** Maximum number of words in parts, and of grouped numbers, of a note that are found as one: more are data. */
const MAX_JOINED = 256
/** Steps per piece of text. */
const PIECE = 8_192
/** Steps per token. */
const TOKEN = 2
/** Minimum weight of function words to recognise the language of a note. */
const CLEAR = 2.5
/** The increment of a count for an occurrence in the body. Its lower bits are the fields for `slotOf`. */
const IN_BODY = 32

/** The indexed data of a note. */
export interface ReadNote {
  /** Its distinct terms, and the slot of each. */
  readonly terms: ReadonlyArray<number>
  readonly slots: Uint8Array
  /** Its row (see `TokenRows`), in a larger buffer. */
  readonly row: Buffer
  /** Number of tokens of its body. */
  readonly length: number
  readonly language: Language
}

/**
 * Reads a note for an index: its texts become terms of the vocabulary. It must run to its end before another note is
 * read into the vocabulary. When the index is full, the vocabulary gets no new terms.
 */
export function* readNote(
  note: IndexedNote,
  vocabulary: Vocabulary,
  full: () => boolean,
  budget: Budget
): Sliced<ReadNote> {
  const reader = new TokenReader()
  const writer = new RowWriter()
  /** By term: `IN_BODY` times its occurrences in the body, plus the bits of the other fields that contain it. */
  const counts = new Map<number, number>()
  /** Terms that are not tokens of a text: parts of words, pairs of characters, words and numbers without their parts. */
  const apart: Array<number> = []
  let joinedWords = 0
  let joinedNumbers = 0
  let isFull = full()

  /** Counts a term. Returns its number, or -1 for a term that is not indexed. */
  const count = (codes: Uint16Array, from: number, until: number, sort: Sort, field: number): number => {
    const hasRoom = counts.size < MAX_NOTE_TERMS
    const term =
      isFull || !hasRoom ? vocabulary.find(codes, from, until, sort) : vocabulary.intern(codes, from, until, sort)
    const before = counts.get(term)
    if (term < 0 || (before === undefined && !hasRoom)) return -1
    counts.set(term, field === IN_BODY ? (before ?? 0) + IN_BODY : (before ?? 0) | field)
    if (before === undefined && sort >= Sort.pair) apart.push(term)
    return term
  }
  /** Reads a field. Returns its number of tokens. */
  const read = function* (text: string, field: number): Sliced<number> {
    const groups = new NumberGroups(text)
    const parts = new WordParts(text)
    let length = 0
    let previous = -1
    const countText = (term: string, sort: Sort) => count(codesOf(term), 0, term.length, sort, field)
    /** Counts a term of several tokens. Returns whether the note did not have it. */
    const countJoined = (term: string): boolean => {
      const before = apart.length
      countText(term, Sort.joined)
      return apart.length > before
    }
    const visit = () => {
      length++
      const term = count(reader.codes, 0, reader.length, reader.unspaced ? Sort.unspaced : Sort.word, field)
      // A term that is not indexed still separates its neighbours.
      if (term < 0 || reader.link === "gap") writer.gap()
      if (term >= 0) {
        writer.term(term)
        // Pairs of characters, because single ones are in too many notes to find words by them.
        if (reader.link === "glued" && previous >= 0) countText(vocabulary.termAt(previous) + reader.term, Sort.pair)
        for (let part = 0; part < reader.partCount; part++) {
          count(reader.codes, reader.partStarts[part]!, reader.partEnds[part]!, Sort.part, field)
        }
        if (isHyphened(text, reader.start)) countText(`-${reader.term}`, Sort.part)
        for (const { text } of groups.next(reader)) {
          if (joinedNumbers < MAX_JOINED && countJoined(text)) joinedNumbers++
        }
        const word = parts.next(reader)
        if (word !== undefined && joinedWords < MAX_JOINED && countJoined(word)) joinedWords++
      }
      previous = term
    }
    reader.begin(text, TOKEN)
    for (let isMore = true; isMore;) {
      const before = reader.spent
      isMore = reader.read(PIECE, visit)
      if (budget.spend(reader.spent - before)) yield
      isFull = full()
    }
    writer.endField()
    return length
  }

  yield* read(note.title, IN_TITLE)
  for (const tag of note.tags) yield* read(tag, IN_TAGS)
  const length = yield* read(note.body, IN_BODY)
  for (const term of apart) writer.term(term)
  if (budget.spend(counts.size)) yield

  const functionWords = counts
    .entries()
    .map(([term, count]) => [vocabulary.functionMaskOf(term), Math.ceil(count / IN_BODY)] as const)
    .filter(([mask]) => mask > 0)
  return {
    terms: [...counts.keys()],
    slots: Uint8Array.from(counts.values(), (count) => slotOf(count % IN_BODY, Math.floor(count / IN_BODY))),
    row: writer.take(),
    length,
    language: languageOf(functionWords, CLEAR)
  }
}
