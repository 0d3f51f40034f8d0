/** The first `count` of the items in the order of `compare`, sorted: most searches show a few of very many. */
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
