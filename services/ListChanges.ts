/** Maximum steps that the comparison of two lists takes: each pair of equal pieces may be compared with a whole list. */
export const stepsOf = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  const counts = new Map<string, number>()
  for (const piece of one) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  const pairs = other.reduce((sum, piece) => sum + (counts.get(piece) ?? 0), 0)
  return pairs * Math.min(one.length, other.length)
}

/** The items of `old` that were replaced, from the first to the last difference. */
export const replaced = (old: ReadonlyArray<string>, by: ReadonlyArray<string>) => {
  const most = Math.min(old.length, by.length)
  let start = 0
  while (start < most && old[start] === by[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === by.at(-1 - end)) end++
  return { start, end: old.length - end }
}
