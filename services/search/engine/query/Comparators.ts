import type { DocumentTable } from "../index/DocumentTable.ts"

export const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** English sorts like the root collation, by which lists sort text. */
const collator = new Intl.Collator("en", { numeric: true })

/** Compares text as people read it, like lists (contract 3). */
export const asRead = (a: string, b: string): number => collator.compare(a, b) || byText(a, b)

/** Compares two notes by their numbers: the last changed first, then the lower id. */
export const newestOf =
  (entries: DocumentTable) =>
  (a: number, b: number): number =>
    entries.columns.updated[b]! - entries.columns.updated[a]! || byText(entries.idOf(a), entries.idOf(b))

/** The first `count` items by `compare`, sorted. Most searches show a few of very many. */
export const best = <A>(items: ArrayLike<A>, count: number, compare: (a: A, b: A) => number): Array<A> => {
  if (items.length <= 4 * count) return Array.from(items).sort(compare).slice(0, count)
  const kept: Array<A> = []
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!
    if (kept.length === count && compare(kept[count - 1]!, item) <= 0) continue
    let from = 0
    let until = kept.length
    while (from < until) {
      const middle = (from + until) >>> 1
      if (compare(kept[middle]!, item) <= 0) from = middle + 1
      else until = middle
    }
    kept.splice(from, 0, item)
    if (kept.length > count) kept.pop()
  }
  return kept
}
