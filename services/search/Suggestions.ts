import type { Budget, Sliced } from "../concurrency/Budget.ts"
import { best } from "./Best.ts"
import { completions, misspelt } from "./Expansion.ts"
import { fold } from "./Fold.ts"
import type { IndexStore } from "./IndexStore.ts"
import { byText, newestFirst } from "./Order.ts"
import { SLOTS } from "./Slots.ts"
import { tagKey, wordOf } from "./Query.ts"
import { giveBack, type Scratch, takeScratch } from "./Scratch.ts"
import { tokenize } from "./Tokens.ts"
import { editsBetween } from "./Typos.ts"

/** A completion. `id` is the note's for a title, and "" for a tag. */
export interface Suggestion {
  readonly type: "tag" | "title"
  readonly text: string
  readonly id: string
}

const MAX_TYPED = 200
const MAX_WORDS = 12
/** Steps of a look at a tag, and at a title that has all words. */
const LOOK = 5

/**
 * At most `limit` completions, none for a blank prefix. Words match in any order, the last as a prefix. First what is
 * typed exactly, then what begins with it, then the rest; shorter ones first. Tags take at most half of the places unless
 * there are not enough titles. Typing errors are forgiven where nothing else fits. With a budget that is spent, of those
 * found so far.
 */
export function* suggesting(
  store: IndexStore,
  prefix: string,
  limit: number,
  budget: Budget
): Sliced<ReadonlyArray<Suggestion>> {
  const typed = prefix.slice(0, MAX_TYPED).trim()
  if (typed === "") return []
  const words = wordsOf(typed)
  let tags = yield* matchingTags(store, typed, words, limit, false, budget)
  let titles = yield* matchingTitles(store, typed, limit, false, budget)
  if (tags.length + titles.length === 0) {
    tags = yield* matchingTags(store, typed, words, limit, true, budget)
    titles = yield* matchingTitles(store, typed, limit, true, budget)
  }
  const chosen = tags.slice(0, Math.max(Math.ceil(limit / 2), limit - titles.length))
  return [...chosen, ...titles.slice(0, limit - chosen.length)]
}

const wordsOf = (text: string): Array<string> => {
  const words: Array<string> = []
  for (const { link, term, unspaced } of tokenize(text)) {
    // What is written without spaces is one word.
    if (unspaced && link === "glued" && words.length > 0) words[words.length - 1] += term
    else words.push(term)
  }
  return words.slice(0, MAX_WORDS)
}

/** 0: exactly, 1: begins with it, 2: has the words. */
const placeOf = (text: string, typed: string): number => (text === typed ? 0 : text.startsWith(typed) ? 1 : 2)

const codesOf = (term: string): Uint16Array => Uint16Array.from({ length: term.length }, (_, i) => term.charCodeAt(i))

const isNear = (one: string, other: string): boolean => {
  const { edits } = wordOf(one)
  return (
    edits > 0 &&
    other.length < 64 &&
    editsBetween(codesOf(one), 0, one.length, codesOf(other), 0, other.length, edits) <= edits
  )
}

function* matchingTags(
  store: IndexStore,
  typed: string,
  words: ReadonlyArray<string>,
  limit: number,
  forgiving: boolean,
  budget: Budget
): Sliced<Array<Suggestion>> {
  // By the name itself too: a tag may consist of signs that are no words.
  const key = tagKey(typed.replace(/^#/, ""))
  const found = new Map<string, { text: string; place: number; notes: number; most: number }>()
  for (const { key: own, name, notes } of store.entries.tags) {
    if (budget.isSpent) break
    if (budget.spend(LOOK)) yield
    const folded = wordsOf(name)
    const fits =
      (key !== "" && own.startsWith(key)) ||
      (words.length > 0 &&
        words.every((word, position) =>
          folded.some(
            (each) =>
              each === word ||
              (position === words.length - 1 && each.startsWith(word)) ||
              (forgiving && isNear(word, each))
          )
        ))
    if (!fits) continue
    const place = Math.min(placeOf(own, key), placeOf(folded.join(" "), words.join(" ")))
    // Spellings of one tag are one; the commonest is shown.
    const before = found.get(own)
    if (before === undefined) found.set(own, { text: name, place, notes, most: notes })
    else {
      before.notes += notes
      if (notes > before.most || (notes === before.most && name < before.text)) {
        before.text = name
        before.most = notes
      }
    }
  }
  return best(
    [...found.values()],
    limit,
    (a, b) =>
      (a.place === 0 ? 0 : 1) - (b.place === 0 ? 0 : 1) ||
      a.place - b.place ||
      b.notes - a.notes ||
      byText(a.text, b.text)
  ).map(({ text }) => ({ type: "tag", text, id: "" }))
}

function* matchingTitles(
  store: IndexStore,
  typed: string,
  limit: number,
  forgiving: boolean,
  budget: Budget
): Sliced<Array<Suggestion>> {
  const { entries } = store
  const scratch = takeScratch(entries.capacity)
  try {
    const notes = yield* notesWith(store, typed, forgiving, scratch, budget)
    const asked = fold(typed)
    const found = new Map<string, { place: number; note: number }>()
    for (const note of notes) {
      const entry = entries.at(note)!
      const place = placeOf(fold(entry.title), asked)
      const before = found.get(entry.title)
      if (before === undefined || newestFirst(entry, entries.at(before.note)!) < 0)
        found.set(entry.title, { place, note })
      if (budget.isSpent) break
      if (budget.spend(LOOK)) yield
    }
    return best([...found.values()], limit, (a, b) => {
      const [one, other] = [entries.at(a.note)!, entries.at(b.note)!]
      return a.place - b.place || one.title.length - other.title.length || newestFirst(one, other)
    }).map(({ note }) => ({ type: "title", text: entries.at(note)!.title, id: entries.at(note)!.id }))
  } finally {
    giveBack(scratch)
  }
}

/** Notes that are not archived with all words in their titles, the last as a prefix. */
function* notesWith(
  store: IndexStore,
  typed: string,
  forgiving: boolean,
  scratch: Scratch,
  budget: Budget
): Sliced<ReadonlyArray<number>> {
  const tokens = tokenize(typed).slice(0, MAX_WORDS)
  const { matched } = scratch
  let found: Array<number> = []
  for (const [position, { term, unspaced }] of tokens.entries()) {
    const isLast = position === tokens.length - 1
    const whole = store.vocabulary.numberOf(term)
    const terms =
      isLast && !unspaced ? yield* completions(store.vocabulary, term, budget) : whole === undefined ? [] : [whole]
    if (forgiving && !unspaced)
      terms.push(...(yield* misspelt(store, wordOf(term), true, budget)).map((each) => each.term))
    const next: Array<number> = []
    for (const each of terms) {
      if (budget.isSpent) break
      store.postings.read(each, scratch.list)
      const { count, notes, slots } = scratch.list
      for (let i = 0; i < count; i++) {
        const note = notes[i]!
        if (matched[note] !== position || !SLOTS[slots[i]!]!.title) continue
        const entry = store.entries.at(note)
        if (entry === undefined || entry.archived) continue
        matched[note] = position + 1
        next.push(note)
      }
      if (budget.spend(2 + count / 4)) yield
    }
    found = next
    if (found.length === 0) break
  }
  return found
}
