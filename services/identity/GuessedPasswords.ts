import { readFileSync } from "node:fs"
import { brotliDecompressSync } from "node:zlib"

/**
 * `common-passwords.txt.br` has the 100 000 commonest passwords of ten characters or more, each as `stem` has it, on a
 * line of its own, sorted. They are from `10_million_password_list_top_1M.txt` of OWASP SecLists
 * (https://github.com/danielmiessler/SecLists), under the licence CC BY-SA 3.0, and so is that file.
 */
let common: string | undefined

/** Read at the first use. Searching the text takes less than a millisecond; a set of its lines would take 8 MB. */
const isCommon = (stem: string): boolean => {
  common ??= brotliDecompressSync(readFileSync(new URL("./common-passwords.txt.br", import.meta.url))).toString(
    "latin1"
  )
  return common.includes(`\n${stem}\n`)
}

/** A password without case, and without the digits and signs at its end; of one without letters, without the signs. */
const stem = (plain: string): string =>
  plain.replace(/[^\p{L}\p{M}]+$/u, "") || plain.replace(/[^\p{L}\p{M}\p{N}]+$/u, "") || plain

/** Without case and compatibility forms, as it is stored (NFKC). */
const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

const rows = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm"]
const neighbours = new Set(
  rows.flatMap((row) => [...row].slice(1).flatMap((key, index) => [row[index]! + key, key + row[index]!]))
)

const isLetterOrDigit = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)

/** Whether a character is the same as the one before, next to it in order, or next to it on a keyboard. */
const follows = (before: string, character: string): boolean =>
  before === character ||
  neighbours.has(before + character) ||
  (Math.abs(before.codePointAt(0)! - character.codePointAt(0)!) === 1 &&
    isLetterOrDigit(before) &&
    isLetterOrDigit(character))

/** Whether it is at most three runs, such as `aaaaaaaaaa`, `abcdef123456` or `qwertyuiop!`. */
const isRuns = (characters: ReadonlyArray<string>): boolean =>
  characters.slice(1).filter((character, index) => !follows(characters[index]!, character)).length < 3

/** Whether it repeats fewer than ten characters, such as `tigertiger` or `abcabcabca`. */
const isRepeat = (characters: ReadonlyArray<string>): boolean =>
  Array.from({ length: Math.min(9, Math.floor(characters.length / 2)) }, (_, index) => index + 1).some((length) =>
    characters.every((character, index) => index < length || character === characters[index - length])
  )

/** Whether a password is among the first that are tried: common, a run, or a repetition (contract 4). */
export const isGuessed = (password: string): boolean => {
  const whole = folded(password)
  const word = stem(whole)
  if (isCommon(word)) return true
  // Of one without letters it is not known where the digits at its end begin.
  if (!/\p{L}/u.test(word))
    for (let end = 10; end < Math.min(word.length, 20); end++) if (isCommon(word.slice(0, end))) return true
  // What was left out is the smaller part: else it decides.
  const parts = word.length * 2 > whole.length ? [whole, word] : [whole]
  return parts.some((part) => isRuns([...part]) || isRepeat([...part]))
}

/** Letters and digits alone. */
const reduced = (text: string): string => folded(text).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "")

/** How many letters must be left of a password without the name and the address. */
const leastLetters = 4

/** Whether a password is little more than the name or the e-mail address of its user, or parts of them (contract 4). */
export const isOwnName = (
  password: string,
  { email, name }: { readonly email: string; readonly name: string }
): boolean => {
  const words = [name, email, ...[name, email].flatMap((text) => text.split(/[^\p{L}\p{M}\p{N}]+/u))]
    .map(reduced)
    .filter((word) => word.length >= 3)
    .sort((one, other) => other.length - one.length)
  const whole = reduced(password)
  const rest = words.reduce((left, word) => left.replaceAll(word, " "), whole)
  return rest !== whole && rest.replaceAll(/[^\p{L}]/gu, "").length < leastLetters
}
