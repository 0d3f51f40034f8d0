/** A place that a search can lead to. */
export interface Entry {
  readonly kind: string
  /** How much more it is likely to be what is looked for than another that fits as well. */
  readonly rank: number
  readonly name: string
  readonly place: string
  /** What is said of it, and what else it can be found by. */
  readonly text: string
}

/** Words of names: `createNote` is found by `create` too. */
const parted = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_.[\]-]+/g, " ")

const startsWord = (text: string, at: number): boolean => at === 0 || !/[a-z0-9]/.test(text[at - 1]!)

const scoreIn = (text: string, term: string, scores: { readonly word: number; readonly part: number }): number => {
  for (let at = text.indexOf(term), best = 0; ; at = text.indexOf(term, at + 1)) {
    if (at < 0) return best
    if (startsWord(text, at)) return scores.word
    best = scores.part
  }
}

/** Finds places by the words of their names and of what is said of them. */
export class SearchIndex {
  private readonly entries: ReadonlyArray<Entry & { readonly names: ReadonlyArray<string>; readonly said: string }>

  constructor(entries: ReadonlyArray<Entry>) {
    this.entries = entries.map((entry) => ({
      ...entry,
      names: [...new Set([entry.name.toLowerCase(), parted(entry.name).toLowerCase()])],
      said: `${entry.text} ${entry.kind}`.toLowerCase()
    }))
  }

  /** Those that have every word of the query, what is named by it first. */
  find(query: string): ReadonlyArray<Entry> {
    const asked = query.toLowerCase().trim()
    const terms = [...new Set(asked.split(/\s+/))].filter((term) => term !== "")
    if (terms.length === 0) return []
    return this.entries
      .map((entry) => ({ entry, score: this.score(entry, asked, terms) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ entry }) => entry)
  }

  private score(
    { names, rank, said }: (typeof this.entries)[number],
    asked: string,
    terms: ReadonlyArray<string>
  ): number {
    let score = names.includes(asked) ? 1000 : 0
    for (const term of terms) {
      const inName = Math.max(...names.map((name) => scoreIn(name, term, { word: 100, part: 40 })))
      const best = Math.max(inName, scoreIn(said, term, { word: 20, part: 5 }))
      if (best === 0) return 0
      score += best
    }
    // Of equals the shorter name is the nearer one.
    return score + rank - names[0]!.length / 100
  }
}
