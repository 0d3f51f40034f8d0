/** Characters that `indexOf` looks for: its time is at most proportional to their number. */
const prefixLength = 32

/** The matches by `indexOf`; undefined if too many places begin like the wanted text. */
const byPrefix = (text: string, wanted: string, most: number): ReadonlyArray<number> | undefined => {
  const prefix = wanted.slice(0, prefixLength)
  const found: Array<number> = []
  let compared = 0
  for (let at = text.indexOf(prefix); at >= 0 && found.length < most; at = text.indexOf(prefix, at + 1)) {
    compared += wanted.length
    if (compared > text.length + wanted.length) return undefined
    if (text.startsWith(wanted, at)) found.push(at)
  }
  return found
}

/** Knuth–Morris–Pratt: the time is proportional to the length of both texts, whatever they contain. */
const byAutomaton = (text: string, wanted: string, most: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  const back = new Int32Array(wanted.length)
  for (let at = 1, length = 0; at < wanted.length; at++) {
    while (length > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(length)) length = back[length - 1]!
    if (wanted.charCodeAt(at) === wanted.charCodeAt(length)) length++
    back[at] = length
  }
  for (let at = 0, length = 0; at < text.length && found.length < most; at++) {
    while (length > 0 && text.charCodeAt(at) !== wanted.charCodeAt(length)) length = back[length - 1]!
    if (text.charCodeAt(at) === wanted.charCodeAt(length)) length++
    if (length < wanted.length) continue
    found.push(at - length + 1)
    length = back[length - 1]!
  }
  return found
}

/** Returns the offsets of the first `most` matches of a text that is not empty. They may overlap. */
export const matches = (text: string, wanted: string, most: number): ReadonlyArray<number> =>
  byPrefix(text, wanted, most) ?? byAutomaton(text, wanted, most)
