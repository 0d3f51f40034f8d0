import { readFileSync } from "node:fs"
import { brotliDecompressSync } from "node:zlib"

/**
 * `common-passwords.txt.br` contains the 100 000 most common passwords of ten characters or more, as `stem` returns them,
 * one per line, sorted. They are from `10_million_password_list_top_1M.txt` of OWASP SecLists
 * (https://github.com/danielmiessler/SecLists). Both files are under the licence CC BY-SA 3.0.
 */
let common: string | undefined

/** The file is read at the first use. A search in the text takes less than 1 ms; a set of its lines would take 8 MB. */
const isCommon = (stem: string): boolean => {
  common ??= brotliDecompressSync(readFileSync(new URL("./common-passwords.txt.br", import.meta.url))).toString(
    "latin1"
  )
  return common.includes(`\n${stem}\n`)
}

/** Returns a folded password without the digits and signs at its end, or without the signs if it has no letters. */
const stem = (plain: string): string =>
  plain.replace(/[^\p{L}\p{M}]+$/u, "") || plain.replace(/[^\p{L}\p{M}\p{N}]+$/u, "") || plain

/** Returns a text in lower case and without compatibility forms (NFKC, as passwords are hashed). */
const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

const rows = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm"]
const neighbours = new Set(
  rows.flatMap((row) => [...row].slice(1).flatMap((key, index) => [row[index]! + key, key + row[index]!]))
)

const isLetterOrDigit = (character: string): boolean => /[\p{L}\p{N}]/u.test(character)

/** Whether a character equals the previous one, or is next to it in code point order or on a keyboard. */
const follows = (before: string, character: string): boolean =>
  before === character ||
  neighbours.has(before + character) ||
  (Math.abs(before.codePointAt(0)! - character.codePointAt(0)!) === 1 &&
    isLetterOrDigit(before) &&
    isLetterOrDigit(character))

/** Whether a password consists of at most three runs, such as `aaaaaaaaaa`, `abcdef123456` or `qwertyuiop!`. */
const isRuns = (characters: ReadonlyArray<string>): boolean =>
  characters.slice(1).filter((character, index) => !follows(characters[index]!, character)).length < 3

/** Whether a password repeats a sequence of fewer than ten characters, such as `tigertiger` or `abcabcabca`. */
const isRepeat = (characters: ReadonlyArray<string>): boolean =>
  Array.from({ length: Math.min(9, Math.floor(characters.length / 2)) }, (_, index) => index + 1).some((length) =>
    characters.every((character, index) => index < length || character === characters[index - length])
  )

/** Whether a password is one that attackers try first: common, a run, or a repetition (contract 4). */
export const isGuessed = (password: string): boolean => {
  const whole = folded(password)
  const word = stem(whole)
  if (isCommon(word)) return true
  // A password without letters has no clear start of the digits at its end, so its prefixes are checked.
  if (!/\p{L}/u.test(word))
    for (let end = 10; end < Math.min(word.length, 20); end++) if (isCommon(word.slice(0, end))) return true
  // The stem counts only if it is the larger part of the password.
  const parts = word.length * 2 > whole.length ? [whole, word] : [whole]
  return parts.some((part) => isRuns([...part]) || isRepeat([...part]))
}

/** Returns only the letters and digits of a text, folded. */
const reduced = (text: string): string => folded(text).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "")

/** Minimum number of letters in a password apart from the name and the address. */
const leastLetters = 4

/** Whether a password is little more than its user's name or e-mail address, or parts of them (contract 4). */
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
