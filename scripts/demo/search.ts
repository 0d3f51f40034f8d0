/** Ten searches, chosen from the words of the vault so that each must find a known note. */
import type { Client } from "./client.ts"
import { prose } from "./markdown.ts"
import type { Plan, PlannedNote } from "./plan.ts"
import { oneLine, type Report } from "./report.ts"

export interface Query {
  readonly kind: "title" | "word" | "phrase" | "prefix" | "typo" | "tag"
  readonly text: string
  /** At least one of these notes must be among the hits. */
  readonly wanted: readonly string[]
}

interface Hit {
  readonly id: string
  readonly title: string
  readonly score: number
  readonly snippet: string
}

interface SearchResponse {
  readonly query: string
  readonly hits: readonly Hit[]
  readonly total: number
  readonly took_ms: number
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Evenly spread picks, the same for the same vault. */
const spread = <A>(list: readonly A[], count: number): A[] =>
  list.length <= count
    ? [...list]
    : Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)] as A)

export function chooseQueries(notes: readonly PlannedNote[], count: number = 10): Query[] {
  const where = new Map<string, Set<string>>() // word → notes that contain it
  const titles = new Map<string, number>()
  for (const { id, source } of notes) {
    const folded = source.title.toLowerCase()
    titles.set(folded, (titles.get(folded) ?? 0) + 1)
    for (const word of wordsOf(`${source.title}\n${source.body}`)) {
      const ids = where.get(word) ?? new Set<string>()
      where.set(word, ids.add(id))
    }
  }
  const spreadOf = (word: string): number => where.get(word)?.size ?? 0
  const vocabulary = [...where.keys()].sort()

  const distinctive = notes.filter(({ source }) => {
    const plain = /^[\p{L}\p{N}]+(?: [\p{L}\p{N}]+)*$/u.test(source.title) && source.title.length >= 6
    return (
      plain &&
      titles.get(source.title.toLowerCase()) === 1 &&
      wordsOf(source.title).some((word) => spreadOf(word) <= 10)
    )
  })
  const rare = rareWords(notes).filter((word) => spreadOf(word) === 1)
  const ofWord = (kind: Query["kind"], text: string, word: string): Query => ({
    kind,
    text,
    wanted: [...(where.get(word) ?? [])]
  })

  const titleQueries = spread(distinctive, count).map(({ id, source }): Query => ({
    kind: "title",
    text: source.title,
    wanted: [id]
  }))
  const wordQueries = spread(rare, count).map((word) => ofWord("word", word, word))
  const special = [phrase(notes), prefix(), typo(), tag(notes)].filter((query) => query !== undefined)
  const chosen = [...spread(titleQueries, 4), ...spread(wordQueries, 2), ...special]
  for (const query of [...wordQueries, ...titleQueries]) {
    if (chosen.length < count && !chosen.some(({ text }) => text === query.text)) chosen.push(query)
  }
  return chosen.slice(0, count)

  function prefix(): Query | undefined {
    for (const word of [...rare].reverse()) {
      const start = word.slice(0, -2)
      const same = vocabulary.filter((other) => other.startsWith(start))
      const wanted = new Set(same.flatMap((other) => [...(where.get(other) ?? [])]))
      if (!where.has(start) && wanted.size <= 10) return { kind: "prefix", text: start, wanted: [...wanted] }
    }
    return undefined
  }

  function typo(): Query | undefined {
    const candidates = distinctive.flatMap(({ source }) => wordsOf(source.title))
    for (const word of candidates.filter((each) => /^[a-z]{8,}$/.test(each) && spreadOf(each) <= 10)) {
      const middle = Math.floor(word.length / 2)
      const wrong = word.slice(0, middle) + (word[middle] === "x" ? "q" : "x") + word.slice(middle + 1)
      if (!vocabulary.some((other) => other.startsWith(wrong))) return ofWord("typo", wrong, word)
    }
    return undefined
  }
}

/** Plain lower-case words of ordinary length from running text, sorted. */
function rareWords(notes: readonly PlannedNote[]): string[] {
  const words = new Set<string>()
  for (const { source } of notes) {
    for (const match of prose(source.body).matchAll(/(?<=^|\s)([a-z]{7,14})(?=[.,;:!?]?(?:\s|$))/gm))
      words.add(match[1] ?? "")
  }
  return [...words].sort()
}

/** Four consecutive plain words that occur in one note only. */
function phrase(notes: readonly PlannedNote[]): Query | undefined {
  for (const { id, source } of [...notes].reverse()) {
    const found = /(?<=^|\s)[a-z]{3,}(?: [a-z]{3,}){3}(?=[.,;:!?]?(?:\s|$))/m.exec(prose(source.body))?.[0]
    if (found === undefined || !source.body.includes(found)) continue
    if (notes.every((other) => other.id === id || !other.source.body.toLowerCase().includes(found))) {
      return { kind: "phrase", text: `"${found}"`, wanted: [id] }
    }
  }
  return undefined
}

function tag(notes: readonly PlannedNote[]): Query | undefined {
  const carriers = new Map<string, string[]>()
  for (const { id, source } of notes)
    for (const name of source.tags) carriers.set(name, [...(carriers.get(name) ?? []), id])
  const plain = [...carriers].filter(([name]) => /^[\p{L}\p{N}]+$/u.test(name))
  const best = plain.sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]
  return best && { kind: "tag", text: `tag:${best[0]}`, wanted: best[1] }
}

/** Runs the searches in the demo's notebook, prints the best hit of each, and returns the server's times. */
export async function runSearches(
  client: Client,
  plan: Plan,
  queries: readonly Query[],
  report: Report,
  print: (line: string) => void
): Promise<number[]> {
  const took: number[] = []
  for (const { kind, text, wanted } of queries) {
    const response = await client.post<SearchResponse>("/search", {
      query: text,
      notebook_id: plan.rootId,
      limit: 20
    })
    const best = response.hits[0]
    const found = response.hits.some(({ id }) => wanted.includes(id))
    const name = `search: ${kind} ${oneLine(text)}`
    report.check(found, `${name} does not find the note that it was taken from`)
    report.check(response.total >= response.hits.length, `${name}: total ${response.total} is less than the hits`)
    report.check(
      response.hits.every(({ score }) => score >= 0 && score <= 1),
      `${name}: a score outside 0–1`
    )
    report.check(
      response.hits.every((hit) => !("body" in hit)),
      `${name}: a hit contains the body`
    )
    took.push(response.took_ms)
    const hit = best === undefined ? "no hit" : oneLine(best.title, 44)
    print(
      `  ${kind.padEnd(6)}  ${oneLine(text, 40).padEnd(40)}  ${hit.padEnd(44)}  ${String(response.total).padStart(4)} hits  ${response.took_ms} ms`
    )
  }
  return took
}
