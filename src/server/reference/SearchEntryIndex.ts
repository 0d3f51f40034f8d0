import { stemmer } from "@orama/stemmers/english"
import MiniSearch, { type SearchResult } from "minisearch"

/** A place that a search can lead to. */
export interface Entry {
  readonly kind: string
  /** Factor on the score: how likely a place of this kind is wanted, compared with others that match equally well. */
  readonly weight: number
  readonly name: string
  /** Other names, such as the id of an operation. A query that equals one of them finds the entry first. */
  readonly aliases?: ReadonlyArray<string>
  readonly place: string
  /** The description, searched with less weight than names, and shown below the result. */
  readonly text: string
}

/** Words without a subject. They are ignored unless the query has no others. */
const stopWords = new Set(
  (
    "a about all an and any are as at be by can could do does for from get has have how i if in into is it its me must my " +
    "need needs of on one or out should so some such than that the their them then there these they this to up use " +
    "used using want was way we what when where which who why will with without work works would you your"
  ).split(" ")
)

/** Returns words and the parts of names, so that `createNote` and `note_count` are also found by their parts. */
const wordsOf = (text: string): Array<string> =>
  [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap(([word]) => {
    const parts = word.split(/(?<=[a-z])(?=[A-Z])/)
    return parts.length === 1 ? [word] : [word, ...parts]
  })

interface Indexed extends Entry {
  readonly id: number
}

const options = {
  fields: ["name", "aliases", "kind", "text"],
  extractField: (entry: Indexed, field: string) => {
    const value = entry[field as keyof Indexed]
    return Array.isArray(value) ? value.join(" ") : value
  },
  tokenize: wordsOf
}

/** A file that `SearchEntryIndex` reads: the entries, the terms that occur in them, and their index. */
interface Stored {
  readonly entries: ReadonlyArray<Entry>
  readonly terms: ReadonlyArray<string>
  /** The index of MiniSearch, as JSON. */
  readonly index: string
}

/** Returns the index of these entries as JSON. */
export const indexJson = (entries: ReadonlyArray<Entry>): string => {
  const terms = new Set<string>()
  const index = new MiniSearch<Indexed>({
    ...options,
    // The word itself is indexed next to its stem: a misspelt word has another stem, but resembles the word.
    processTerm: (word) => {
      const forms = [...new Set([stemmer(word.toLowerCase()), word.toLowerCase()])]
      for (const form of forms) terms.add(form)
      return forms
    }
  })
  index.addAll(entries.map((entry, id): Indexed => ({ ...entry, id })))
  return JSON.stringify({ entries, terms: [...terms], index: JSON.stringify(index) } satisfies Stored)
}

/** Finds entries by words in their names and descriptions. Stems, prefixes and misspelt words match too. */
export class SearchEntryIndex {
  readonly #entries: ReadonlyArray<Entry>
  readonly #index: MiniSearch<Indexed>
  readonly #terms: ReadonlySet<string>
  readonly #byName = new Map<string, Array<number>>()

  private constructor(entries: ReadonlyArray<Entry>, terms: ReadonlyArray<string>, index: MiniSearch<Indexed>) {
    this.#entries = entries
    this.#terms = new Set(terms)
    this.#index = index
    for (const [id, { aliases = [], name }] of entries.entries()) {
      for (const each of new Set([name, ...aliases].map((spelling) => spelling.toLowerCase()))) {
        this.#byName.set(each, [...(this.#byName.get(each) ?? []), id])
      }
    }
  }

  /** Reads an index (`indexJson`). */
  static async read(json: string): Promise<SearchEntryIndex> {
    const { entries, index, terms }: Stored = JSON.parse(json)
    return new SearchEntryIndex(entries, terms, await MiniSearch.loadJSONAsync<Indexed>(index, options))
  }

  /** Entries that match a word of the query, the best first. More matched words count more than better matches. */
  find(query: string): ReadonlyArray<Entry> {
    const all = wordsOf(query.normalize("NFKC")).map((word) => word.toLowerCase())
    const relevant = all.filter((word) => !stopWords.has(word))
    const terms = [...new Set((relevant.length > 0 ? relevant : all).map((word) => this.#termOf(word)))]
    const results = this.#index.search(terms.join(" "), {
      processTerm: (term) => term,
      combineWith: "OR",
      boost: { name: 4 },
      prefix: (term) => term.length > 2,
      // A word of the pages is not misspelt.
      fuzzy: (term) => (term.length > 3 && !this.#terms.has(term) ? 0.25 : false),
      maxFuzzy: 2,
      weights: { prefix: 0.4, fuzzy: 0.3 },
      boostDocument: (id) => this.#entries[id as number]!.weight
    })
    const name = query.trim().toLowerCase()
    const named = new Set(this.#byName.get(name))
    // A name in several parts is meant as a name; a single word such as `quota` may be the name of a member by chance.
    const nameFactor = /[^a-z]/.test(name) ? 100 : 2.5
    const ranked = results.map(({ id, queryTerms, score }: SearchResult) => ({
      entry: this.#entries[id]!,
      score: score * (queryTerms.length / terms.length) ** 3 * (named.has(id) ? nameFactor : 1)
    }))
    // Among equal scores, such as members with the same name, the shortest owner is first.
    ranked.sort((one, other) => other.score - one.score || one.entry.kind.length - other.entry.kind.length)
    return ranked.map(({ entry }) => entry)
  }

  #termOf(word: string): string {
    const stem = stemmer(word)
    return this.#terms.has(stem) ? stem : word
  }
}
