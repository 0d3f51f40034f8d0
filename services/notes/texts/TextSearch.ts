/**
 * Returns the offsets of the first `most` matches of a text that is not empty. They may overlap. By Knuth, Morris and
 * Pratt: the time of `indexOf` can be proportional to the product of both lengths.
 */
export const matches = (text: string, wanted: string, most: number): ReadonlyArray<number> => {
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
