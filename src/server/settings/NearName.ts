/** The Damerau-Levenshtein distance: the number of letters to add, remove, change, or swap with a neighbour. */
export const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let above: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      row[j] = Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = above
    above = row
  }
  return above[b.length]!
}

const longest = 40

/** The most similar known name, at most two edits and a third of its letters away; undefined if there is none. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  if (name.length > longest) return undefined
  const plain = name.toLowerCase()
  return known
    .map((each) => ({ each, slips: distance(plain, each) }))
    .filter(({ each, slips }) => slips <= Math.min(2, Math.floor(each.length / 3)))
    .sort((a, b) => a.slips - b.slips)[0]?.each
}
