import { HASH_SEED, hashStep } from "./Tokens.ts"

/**
 * Classes of letters that sound alike in most languages of the Latin alphabet, by letter from `a`: vowels are 0, `h` and
 * `w`, which are often silent, 1.
 */
const CLASSES = [0, 2, 3, 4, 0, 2, 3, 1, 0, 3, 3, 5, 6, 6, 0, 2, 3, 7, 3, 4, 0, 2, 1, 3, 0, 3]

/**
 * A hash of how a word sounds: classes of consonants, each once in a row, and whether it begins with a vowel. Vowels inside
 * and silent letters don't count, so that `fonetik` and `phonetic` are the same. 0 for what cannot be said so.
 */
export const soundOf = (codes: ArrayLike<number>, from: number, until: number): number => {
  let hash = HASH_SEED
  let last = -1
  let count = 0
  for (let i = from; i < until; i++) {
    let code = codes[i]! - 97
    if (code < 0 || code > 25) return 0
    const next = i + 1 < until ? codes[i + 1]! - 97 : -1
    // ph as f; kn, gn, ps, pt, wr at the beginning as their second letter; gh before t is silent.
    if (i === from && ((code === 10 && next === 13) || (code === 6 && next === 13) || (code === 15 && next === 18)))
      continue
    if (code === 6 && next === 7 && i > from) {
      i++
      continue
    }
    let sound = CLASSES[code]!
    if (code === 19 && next === 8 && i + 2 < until && codes[i + 2] === 111) sound = 3 // tion as sion
    if (sound === 0) {
      if (i === from) {
        hash = hashStep(hash, 0)
        count++
      }
      last = 0
      continue
    }
    if (sound === 1) continue
    if (sound !== last) {
      hash = hashStep(hash, sound)
      count++
    }
    last = sound
  }
  return count < 2 ? 0 : hash
}
