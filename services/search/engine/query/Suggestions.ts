import type { Budget, Sliced } from "../../../concurrency/Budget.ts"
import { best, byText, newestOf } from "./Comparators.ts"
import { State, type Tag } from "../index/IndexedNote.ts"
import { contracted, fold, speltOut, tagKey } from "../text/Folding.ts"
import type { IndexStore } from "../index/IndexStore.ts"
import { wordOf } from "./Clauses.ts"
import { PostingList } from "../index/PostingList.ts"
import { codesOf, tokenize } from "../text/Tokenizer.ts"
import { TAG } from "./TypedTag.ts"
import { beginsNear, corrections, wordsBeginningNear, wordsBeginningWith, wordsContaining } from "./SimilarWords.ts"
import { Sort } from "../index/Vocabulary.ts"

/** A completion. `id` is the note's for a title, and "" for a tag. */
export interface Suggestion {
  readonly type: "tag" | "title"
  readonly text: string
  readonly id: string
}

const MAX_TYPED = 200
const MAX_WORDS = 12
/** Minimum letters of a text that is matched inside words. */
const MIN_INSIDE = 3
/** Maximum number of titles that are compared with the typed text: the shortest of those with all words. */
const MAX_TITLES = 500
/** Steps per tag, and per title with all words. */
const LOOK = 5
/** How words of a tag or title match the typed words: they begin with them, contain them, or nearly begin with them. */
const reaches = ["prefix", "inside", "near"] as const
type Reach = (typeof reaches)[number]

/**
 * At most `limit` completions; none for a blank prefix. Words match in any order, each as a prefix. Titles and tags
 * equal to the typed text come first, then those that begin with it, then the rest; shorter ones first. If there is
 * room, words that contain the typed text follow. Tags get at most half of the places unless there are too few titles;
 * after `tag:` they get all. Typing errors are allowed if nothing else matches. When the budget is spent, the result
 * has what was found so far.
 */
export function* suggesting(
  store: IndexStore,
  prefix: string,
  limit: number,
  budget: Budget
): Sliced<ReadonlyArray<Suggestion>> {
  const typed = prefix.slice(0, MAX_TYPED).trim()
  if (typed === "") return []
  const [, quoted, plain] = TAG.exec(typed) ?? []
  const asked = quoted ?? plain
  let tags: ReadonlyArray<Suggestion> = []
  let titles: ReadonlyArray<Suggestion> = []
  for (const reach of reaches) {
    if (tags.length + titles.length >= (reach === "near" ? 1 : limit)) break
    tags = joined(tags, yield* matchingTags(store, asked ?? typed, limit, reach, asked !== undefined, budget))
    if (asked === undefined) titles = joined(titles, yield* matchingTitles(store, typed, limit, reach, budget))
  }
  const chosen = tags.slice(0, Math.max(Math.ceil(limit / 2), limit - titles.length))
  return [...chosen, ...titles.slice(0, limit - chosen.length)]
}

/** Appends the suggestions that are new. */
const joined = (before: ReadonlyArray<Suggestion>, others: ReadonlyArray<Suggestion>): ReadonlyArray<Suggestion> => {
  const known = new Set(before.map(({ text }) => text))
  return [...before, ...others.filter(({ text }) => !known.has(text))]
}

const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const { link, term, unspaced } of tokenize(text)) {
    // Text without spaces is one word.
    if (unspaced && link === "glued" && words.length > 0) words[words.length - 1] += term
    else words.push(term)
  }
  return words.slice(0, MAX_WORDS)
}

const wordsOfTags = new WeakMap<Tag, ReadonlyArray<string>>()
const wordsOfTag = (tag: Tag): ReadonlyArray<string> => {
  let words = wordsOfTags.get(tag)
  if (words === undefined) wordsOfTags.set(tag, (words = wordsOf(tag.name)))
  return words
}

/** 0: equal, 1: begins with the typed text, 2: has the words. */
const placeOf = (text: string, typed: string): number => (text === typed ? 0 : text.startsWith(typed) ? 1 : 2)

/** Whether a word of a tag matches a typed word. */
const fits = (own: string, word: string, reach: Reach): boolean => {
  if (reach === "prefix") return own.startsWith(word)
  if (reach === "inside") return word.length >= MIN_INSIDE && own.includes(word)
  const { edits } = wordOf(word)
  return edits > 0 && beginsNear(codesOf(own), 0, own.length, codesOf(word), edits)
}

const commoner = (a: Pick<Tag, "name" | "notes">, b: Pick<Tag, "name" | "notes">): number =>
  b.notes - a.notes || byText(a.name, b.name)

function* matchingTags(
  store: IndexStore,
  typed: string,
  limit: number,
  reach: Reach,
  withAll: boolean,
  budget: Budget
): Sliced<Array<Suggestion>> {
  const words = wordsOf(typed)
  // The name itself is compared, too: a tag may consist of signs only.
  const key = tagKey(typed.replace(/^#/, ""))
  const fitting: Array<Tag> = []
  for (const tag of store.entries.tags) {
    if (budget.isSpent) break
    if (budget.spend(LOOK)) yield
    const own = wordsOfTag(tag)
    const hasWord = (word: string) => own.some((each) => fits(each, word, "prefix") || fits(each, word, reach))
    const isFound = key === "" ? withAll : tag.key.startsWith(key) || (words.length > 0 && words.every(hasWord))
    if (isFound) fitting.push(tag)
  }
  // Spellings of one tag count as one; the most common is shown.
  const found = Array.from(Map.groupBy(fitting, (tag) => tag.key).values(), (spellings) => {
    const shown = spellings.reduce((one, other) => (commoner(one, other) <= 0 ? one : other))
    return {
      name: shown.name,
      notes: spellings.reduce((sum, { notes }) => sum + notes, 0),
      place: Math.min(placeOf(shown.key, key), placeOf(wordsOfTag(shown).join(" "), words.join(" ")))
    }
  })
  return best(found, limit, (a, b) => a.place - b.place || commoner(a, b)).map(({ name }) => ({
    type: "tag",
    text: name,
    id: ""
  }))
}

function* matchingTitles(
  store: IndexStore,
  typed: string,
  limit: number,
  reach: Reach,
  budget: Budget
): Sliced<Array<Suggestion>> {
  const { entries } = store
  const { titleLengths } = entries.columns
  const newest = newestOf(entries)
  const shorter = (a: number, b: number) => titleLengths[a]! - titleLengths[b]! || newest(a, b)
  /** The newest note of each of the shortest titles. A title typed in full is among them: it is the shortest match. */
  let shortest: Array<readonly [title: string, note: number]> = []
  let noteOf = new Map<string, number>()
  let last: number | undefined
  const prune = () => {
    shortest = best([...noteOf], MAX_TITLES, ([, a], [, b]) => shorter(a, b))
    noteOf = new Map(shortest)
    if (shortest.length === MAX_TITLES) last = shortest.at(-1)![1]
  }
  // Later notes are usually newer.
  for (const note of (yield* notesWith(store, typed, reach, budget)).toReversed()) {
    if (budget.isSpent && noteOf.size >= limit) break
    if (last !== undefined && shorter(note, last) > 0) continue
    const title = entries.titleOf(note)
    const before = noteOf.get(title)
    if (before === undefined || newest(note, before) < 0) noteOf.set(title, note)
    if (noteOf.size >= 2 * MAX_TITLES) prune()
    if (budget.spend(2)) yield
  }
  prune()
  const asked = fold(typed)
  const found: Array<{ readonly title: string; readonly note: number; readonly place: number }> = []
  for (const [title, note] of shortest) {
    if (budget.isSpent && found.length >= limit) break
    found.push({ title, note, place: placeOf(fold(title), asked) })
    if (budget.spend(LOOK)) yield
  }
  return best(found, limit, (a, b) => a.place - b.place || shorter(a.note, b.note)).map(({ note, title }) => ({
    type: "title",
    text: title,
    id: entries.idOf(note)
  }))
}

/** The terms that a typed word may mean, the word itself first. */
function* termsOf({ vocabulary }: IndexStore, word: string, reach: Reach, budget: Budget): Sliced<Set<number>> {
  const whole = vocabulary.numberOf(word, Sort.word)
  const terms = new Set(whole === undefined ? [] : [whole])
  const add = (more: ReadonlyArray<number>) => {
    for (const term of more) terms.add(term)
  }
  for (const each of [word, ...contracted(word)]) add(yield* wordsBeginningWith(vocabulary, each, budget))
  if (reach === "inside" && word.length >= MIN_INSIDE) add(yield* wordsContaining(vocabulary, word, budget))
  const { edits } = wordOf(word)
  if (reach === "near" && edits > 0) {
    add((yield* corrections(vocabulary, word, edits, true, budget)).map(({ term }) => term))
    add(yield* wordsBeginningNear(vocabulary, word, edits, budget))
  }
  return terms
}

/** Notes, not archived, with all words in their titles. */
function* notesWith(store: IndexStore, typed: string, reach: Reach, budget: Budget): Sliced<ReadonlyArray<number>> {
  const { entries, postings, vocabulary } = store
  const { states } = entries.columns
  const asked: Array<{ readonly terms: ReadonlySet<number>; readonly notes: number }> = []
  for (const { end, start, term, unspaced } of tokenize(typed).slice(0, MAX_WORDS)) {
    const character = unspaced ? vocabulary.numberOf(term, Sort.unspaced) : undefined
    const terms = new Set(character === undefined ? [] : [character])
    for (const each of unspaced ? [] : new Set([term, speltOut(typed.slice(start, end), term)])) {
      for (const number of yield* termsOf(store, each, reach, budget)) terms.add(number)
    }
    asked.push({ terms, notes: terms.values().reduce((sum, number) => sum + vocabulary.notesOf(number), 0) })
  }
  // The words with the fewest notes come first.
  asked.sort((a, b) => a.notes - b.notes)
  /** By note: how many of the words it has so far. */
  const matched = new Uint8Array(entries.capacity)
  const list = new PostingList()
  let found: Array<number> = []
  for (const [position, { terms }] of asked.entries()) {
    found = []
    for (const each of terms) {
      if (budget.isSpent) break
      postings.readTitles(each, list)
      for (let i = 0; i < list.count; i++) {
        const note = list.notes[i]!
        if (matched[note] !== position || states[note] !== State.live) continue
        matched[note] = position + 1
        found.push(note)
      }
      if (budget.spend(2 + list.count / 4)) yield
    }
    if (found.length === 0) break
  }
  return found
}
