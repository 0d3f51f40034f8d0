import type { Budget, Sliced } from "../budgets/Budget.ts"
import { best } from "./Best.ts"
import { tagKey } from "./Query.ts"
import { tokenize } from "./Tokens.ts"

/** A completion. `id` is the note's for a title, and "" for a tag. */
export interface Suggestion {
  readonly type: "tag" | "title"
  readonly text: string
  readonly id: string
}

interface Title {
  readonly text: string
  readonly words: string
  readonly tags: ReadonlyArray<string>
  readonly archived: boolean
  readonly updated_at: string
}

/** The spellings of one tag, each with the number of notes that carry it. A rename reaches the notes one by one. */
interface Tag {
  readonly words: string
  readonly spellings: Map<string, number>
}

/** Steps of a look at a tag or title. */
const LOOK = 5

/** Words with a space before each: text that contains ` re` has a word that begins with `re`. */
const wordsOf = (text: string): string =>
  tokenize(text)
    .map(({ term }) => ` ${term}`)
    .join("")

/** 0: begins with it, 1: a later word does, undefined: none. */
const placeOf = (words: string, prefix: string): number | undefined => {
  const at = prefix === "" ? -1 : words.indexOf(prefix)
  return at === -1 ? undefined : at === 0 ? 0 : 1
}

const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** The tags and titles of a workspace, to complete what is being typed. */
export class Suggestions {
  readonly #titles = new Map<string, Title>()
  readonly #tags = new Map<string, Tag>()
  #characters = 0

  /** About how much memory they take. */
  get bytes(): number {
    return this.#titles.size * 300 + this.#characters * 2 + this.#tags.size * 300
  }

  /** Adds a note that is not contained. */
  add(note: { id: string; title: string; tags: ReadonlyArray<string>; archived: boolean; updated_at: string }): void {
    const { title: text, tags, archived, updated_at } = note
    this.#titles.set(note.id, { text, words: wordsOf(text), tags, archived, updated_at })
    this.#characters += text.length
    for (const name of tags) {
      const key = tagKey(name)
      let tag = this.#tags.get(key)
      if (tag === undefined) this.#tags.set(key, (tag = { words: wordsOf(name), spellings: new Map() }))
      tag.spellings.set(name, (tag.spellings.get(name) ?? 0) + 1)
    }
  }

  /** Removes a note; one that is not contained is no error. */
  remove(id: string): void {
    const title = this.#titles.get(id)
    if (title === undefined) return
    this.#titles.delete(id)
    this.#characters -= title.text.length
    for (const name of title.tags) {
      const key = tagKey(name)
      const spellings = this.#tags.get(key)?.spellings
      const notes = (spellings?.get(name) ?? 0) - 1
      if (notes > 0) spellings?.set(name, notes)
      else spellings?.delete(name)
      if (spellings?.size === 0) this.#tags.delete(key)
    }
  }

  /**
   * At most `limit` completions, none for a blank prefix: tags by use, then titles by `updated_at`, latest first. Tags take
   * at most half of the places unless there are not enough titles. With a budget that is spent, of those found so far.
   */
  *suggest(prefix: string, limit: number, budget: Budget): Sliced<ReadonlyArray<Suggestion>> {
    const typed = prefix.slice(0, 200).trim()
    if (typed === "") return []
    const words = wordsOf(typed)
    const tags = yield* this.#matchingTags(words, tagKey(typed.replace(/^#/, "")), limit, budget)
    const titles = yield* this.#matchingTitles(words, limit, budget)
    const tagPlaces = Math.max(Math.ceil(limit / 2), limit - titles.length)
    const chosen = tags.slice(0, tagPlaces)
    return [...chosen, ...titles.slice(0, limit - chosen.length)]
  }

  *#matchingTags(words: string, key: string, limit: number, budget: Budget): Sliced<Array<Suggestion>> {
    const found: Array<{ place: number; notes: number; text: string }> = []
    for (const [tag, { words: tagWords, spellings }] of this.#tags) {
      if (budget.isSpent) break
      if (budget.spend(LOOK)) yield
      // By the name itself too: a tag may consist of signs that are no words.
      const place = key !== "" && tag.startsWith(key) ? 0 : placeOf(tagWords, words)
      if (place === undefined) continue
      const [[text] = [""]] = [...spellings].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]))
      const notes = [...spellings.values()].reduce((sum, count) => sum + count, 0)
      found.push({ place, notes, text })
    }
    return best(found, limit, (a, b) => a.place - b.place || b.notes - a.notes || byText(a.text, b.text)).map(
      ({ text }) => ({ type: "tag", text, id: "" })
    )
  }

  *#matchingTitles(words: string, limit: number, budget: Budget): Sliced<Array<Suggestion>> {
    const found: Array<{ place: number; id: string; title: Title }> = []
    for (const [id, title] of this.#titles) {
      if (budget.isSpent) break
      if (budget.spend(LOOK)) yield
      const place = title.archived ? undefined : placeOf(title.words, words)
      if (place !== undefined) found.push({ place, id, title })
    }
    return best(
      found,
      limit,
      (a, b) => a.place - b.place || byText(b.title.updated_at, a.title.updated_at) || byText(a.id, b.id)
    ).map(({ id, title }) => ({ type: "title", text: title.text, id }))
  }
}
