import { hash } from "node:crypto"
import type { Place } from "./engine/index/SavedIndex.ts"
import type { FoundHits, SearchTask } from "./SearchThread.ts"

/** Maximum number of results, and of the characters of their hits. */
const maxResults = 1_000
const maxCharacters = 8_000_000

/** A key of equal tasks. It is short, although a task may have many notebooks. */
export const keyOf = (task: SearchTask): string =>
  hash(
    "sha256",
    JSON.stringify(task, (_, value: unknown) => (value instanceof Set ? [...value] : value)),
    "base64"
  )

/**
 * The results of the last searches. A result is valid as long as the log of its workspace does not grow: the same search
 * then costs about as much as a read.
 */
export class RecentResults {
  /** By key, the least recently used first. */
  readonly #results = new Map<string, { readonly place: Place; readonly result: FoundHits }>()
  #characters = 0

  get(key: string, { epoch, seq }: Place): FoundHits | undefined {
    const known = this.#results.get(key)
    if (known === undefined) return undefined
    this.#remove(key)
    if (known.place.epoch !== epoch || known.place.seq !== seq) return undefined
    this.#add(key, known.place, known.result)
    return known.result
  }

  set(key: string, place: Place, result: FoundHits): void {
    this.#remove(key)
    if (result.hits.length > maxCharacters / 10) return
    this.#add(key, place, result)
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= maxResults && this.#characters <= maxCharacters) return
      this.#remove(oldest)
    }
  }

  #add(key: string, place: Place, result: FoundHits): void {
    this.#results.set(key, { place, result })
    this.#characters += result.hits.length
  }

  #remove(key: string): void {
    this.#characters -= this.#results.get(key)?.result.hits.length ?? 0
    this.#results.delete(key)
  }
}
