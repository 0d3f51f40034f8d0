/** Longest term that is kept, in UTF-16 code units; longer ones (encoded data, mostly) are cut, in notes and queries alike. */
const MAX_TERM = 64
/**
 * So much of a word is folded, which leaves enough for a term under any number of marks that are meant: normal forms
 * sort marks, in a time that grows with the square of their number.
 */
const MAX_RAW = 1024

/**
 * A piece of text as the index sees it.
 * - `term`: folded form: NFKC, lower case, no diacritics
 * - `start`, `end`: UTF-16 code units into the raw text
 * - `unspaced`: one character of a script written without spaces (or an emoji), rather than a word
 * - `link`: of two unspaced tokens in a row, how the second follows the first: directly (`glued`) or with something that
 *   is no token between them (`gap`); `none` for others
 */
export interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
  readonly unspaced: boolean
  readonly link: Link
}

export type Link = "none" | "glued" | "gap"

// Hangul has spaces, but its particles are attached to the word: like Chinese, it is found by its syllables.
const UNSPACED_SCRIPTS = ["Han", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr"].map(
  (name) => `\\p{scx=${name}}`
)
const EMOJI = String.raw`[[\p{Extended_Pictographic}\p{RI}]--[©®™‼⁉]]`
const UNSPACED = String.raw`[[[${UNSPACED_SCRIPTS.join("")}]&&[\p{L}\p{Nl}]]${EMOJI}]`
const SPACED = String.raw`[[\p{L}\p{N}]--${UNSPACED}]`
// What only modifies the letter before it: marks, half-width (semi-)voiced sound marks, joiners and soft hyphens.
const MODIFIER = String.raw`[\p{M}\p{Default_Ignorable_Code_Point}\uFF9E\uFF9F]`
const TOKEN = new RegExp(`${SPACED}[${SPACED}${MODIFIER}]*|${UNSPACED}${MODIFIER}*`, "gv")
const ONE_WORD = new RegExp(`^${SPACED}[${SPACED}${MODIFIER}]*$`, "v")

const NON_ASCII = /\P{ASCII}/u
// Accents, Hebrew points, Arabic vowel signs and tatweel. Not every mark: kana sound marks and Indic vowels are letters to
// their readers.
const DIACRITICS =
  /[[\p{M}&&[\p{sc=Zinh}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]]--[\p{scx=Hira}]]|[\u0640\p{Default_Ignorable_Code_Point}]/gv
// MailTemplates that readers take for a variant of another, although Unicode does not decompose them.
const VARIANTS = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
  ["ħ", "h"],
  ["ŧ", "t"],
  ["ı", "i"],
  ["ĸ", "k"],
  ["ŋ", "n"],
  ["ς", "σ"]
])
const VARIANT = new RegExp(`[${[...VARIANTS.keys()].join("")}]`, "g")

/** The form in which text is compared: NFKC, lower case, diacritics folded (`Éß` becomes `ess`). */
export const fold = (text: string): string =>
  NON_ASCII.test(text)
    ? text
        .normalize("NFKD")
        .toLowerCase()
        .replace(DIACRITICS, "")
        .replace(VARIANT, (letter) => VARIANTS.get(letter) ?? letter)
        .normalize("NFC")
    : text.toLowerCase()

/** Folding leaves these single characters as they are: kana, common Han, Hangul. They are most of a CJK text. */
const isPlainUnspaced = (code: number): boolean =>
  (code >= 0x3041 && code <= 0x3096) ||
  (code >= 0x30a1 && code <= 0x30fc) ||
  (code >= 0x4e00 && code <= 0x9fff) ||
  (code >= 0xac00 && code <= 0xd7a3)

const cut = (text: string, length: number): string => {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/** Is handed a token; false ends the reading. */
export type VisitToken = (term: string, start: number, end: number, unspaced: boolean, link: Link) => boolean | void

/** Steps of reading: of a letter, of a word, of a word that must be folded, and of each token that this makes. */
const COST = { letter: 0.15, word: 1, folded: 15, part: 6 } as const

/**
 * Reads the tokens of a text, in order, in as many pieces as one likes. Hands them to a callback instead of making a
 * list: a build passes through millions of tokens.
 */
export class TokenReader {
  readonly #text: string
  readonly #stepsOfVisit: number
  // Its own copy, since a visit may tokenize something else.
  readonly #pattern = new RegExp(TOKEN)
  // Where the token before ended, if that was unspaced.
  #unspacedEnd = -1
  #spent = 0

  /** `stepsOfVisit`: what is done with each token costs so many steps. */
  constructor(text: string, stepsOfVisit = 0) {
    this.#text = text
    this.#stepsOfVisit = stepsOfVisit
  }

  /** Steps that reading has cost so far. */
  get spent(): number {
    return this.#spent
  }

  /** Reads on for about so many steps. False: there is no more, or the visit has ended it. */
  read(steps: number, visit: VisitToken): boolean {
    const pattern = this.#pattern
    const until = this.#spent + steps
    for (let match = pattern.exec(this.#text); match !== null; match = pattern.exec(this.#text)) {
      const raw = match[0]
      const start = match.index
      this.#spent += raw.length * COST.letter + this.#stepsOfVisit
      if (this.#visit(raw, start, start + raw.length, visit) === false) return false
      if (this.#spent >= until) return true
    }
    return false
  }

  #visit(raw: string, start: number, end: number, visit: VisitToken): boolean | void {
    const link = this.#unspacedEnd === -1 ? "none" : this.#unspacedEnd === start ? "glued" : "gap"
    if (raw.length === 1 && isPlainUnspaced(raw.charCodeAt(0))) {
      this.#spent += COST.word
      this.#unspacedEnd = end
      return visit(raw, start, end, true, link)
    }
    this.#spent += NON_ASCII.test(raw) ? COST.folded : COST.word
    const folded = fold(cut(raw, MAX_RAW))
    if (!NON_ASCII.test(raw) || ONE_WORD.test(folded)) {
      this.#unspacedEnd = -1
      return visit(cut(folded, MAX_TERM), start, end, false, "none")
    }
    // Compatibility forms may fold to several tokens or to none; each of them stands for the whole raw form.
    for (const [part] of folded.matchAll(TOKEN)) {
      this.#spent += COST.part + this.#stepsOfVisit
      const unspaced = !ONE_WORD.test(part)
      const partLink = !unspaced
        ? "none"
        : this.#unspacedEnd === end
          ? "glued"
          : this.#unspacedEnd === -1
            ? "none"
            : link
      if (visit(cut(part, MAX_TERM), start, end, unspaced, partLink) === false) return false
      this.#unspacedEnd = unspaced ? end : -1
    }
  }
}

/** Hands the tokens of `text` to `visit`, in order, until it returns false. */
export const eachToken = (text: string, visit: VisitToken): void => void new TokenReader(text).read(Infinity, visit)

/** The tokens of `text` as a list: for queries and other short texts. */
export const tokenize = (text: string): Array<Token> => {
  const tokens: Array<Token> = []
  eachToken(text, (term, start, end, unspaced, link) => {
    tokens.push({ term, start, end, unspaced, link })
  })
  return tokens
}
