import { speltOut } from "../text/Folding.ts"
import type { Link, Token } from "../text/Tokenizer.ts"

/** The words of a text as clauses of a query. */

/** A wanted word. It matches with `edits` typing errors and, with `prefix`, its continuations. */
export interface Word {
  readonly kind: "word"
  readonly term: string
  readonly prefix: boolean
  readonly edits: 0 | 1 | 2
  /** `camel` and `case` of `camelCase`. */
  readonly parts: ReadonlyArray<string>
  /** The word joined with its neighbours, as notes may have it: `wifi` of `wi-fi`. */
  readonly wholes?: ReadonlyArray<string>
  /** `mueller` of `müller`. */
  readonly speltOut?: string
  /** In a correction: terms that may be meant as well, likeliest first. */
  readonly others?: ReadonlyArray<number>
}

/** Consecutive terms: a quoted phrase, or a word of a script without spaces. It allows no typing errors. */
export interface Sequence {
  readonly kind: "sequence"
  /** `link`: how a term follows the previous one, as in `Token`; `none` for the first, which may follow anything. */
  readonly terms: ReadonlyArray<{ readonly term: string; readonly link: Link }>
  /** A Korean word without its particle. */
  readonly stem?: Sequence
  /** Whether it is a particle: other notes phrase it differently. */
  readonly isParticle?: boolean
}

export type Clause = Word | Sequence

const SINGLE_HIRAGANA = /^\p{sc=Hira}$/u
/** The particles at the end of a Korean word, or after a word of another script. */
const PARTICLE =
  /(?:(?:에서|에게|한테|께서|으로|까지|부터|처럼|보다|마다|조차|이나|이랑|라도|밖에|하고)[은는도만의]?|[은는이가을를의에도만로와과나랑])$/u
/** Minimum syllables of a Korean word before its particle: many single syllables are in all notes. */
const MIN_STEM = 2
const segmenter = new Intl.Segmenter("und", { granularity: "word" })

const editsFor = (term: string): 0 | 1 | 2 => {
  // A wrong digit makes another number, not a typing error; signs are typed on purpose.
  if (/[^\p{L}\p{M}]/u.test(term)) return 0
  const letters = [...term].length
  return letters >= 8 ? 2 : letters >= 4 ? 1 : 0
}

export const wordOf = (term: string, parts: ReadonlyArray<string> = []): Word => ({
  kind: "word",
  term,
  prefix: false,
  edits: editsFor(term),
  parts
})

export const sequence = (tokens: ReadonlyArray<Token>): Sequence => ({
  kind: "sequence",
  terms: tokens.map(({ term, link }, position) => ({ term, link: position > 0 ? link : "none" }))
})

/** The words of a run of text in a script without spaces, each a sequence of its characters. */
const segmentRun = (text: string, run: ReadonlyArray<Token>): Array<Sequence> => {
  const offset = run[0]?.start ?? 0
  const words: Array<Array<Token>> = []
  let next = 0
  for (const { segment, index } of segmenter.segment(text.slice(offset, run.at(-1)?.end))) {
    const tokens: Array<Token> = []
    for (
      let token = run[next];
      token !== undefined && token.start < offset + index + segment.length;
      token = run[++next]
    ) {
      tokens.push(token)
    }
    if (tokens.length > 0) words.push(tokens)
  }
  const textOf = (word: ReadonlyArray<Token>) => text.slice(word[0]!.start, word.at(-1)!.end)
  // Only single kana: this is a word that the segmenter does not know.
  const isOne = words.length > 1 && words.every((word) => SINGLE_HIRAGANA.test(textOf(word)))
  if (isOne) return [sequence(words.flat())]
  const isAfterWord = /[\p{L}\p{N}]/u.test(text.charAt(offset - 1))
  return words.map((word, position): Sequence => {
    const written = textOf(word)
    const [particle = ""] = PARTICLE.exec(written) ?? []
    const isParticle = SINGLE_HIRAGANA.test(written) || (particle === written && position === 0 && isAfterWord)
    const stem = word.slice(0, word.length - particle.length)
    const hasStem = particle !== "" && stem.length >= MIN_STEM
    return { ...sequence(word), isParticle, ...(hasStem ? { stem: sequence(stem) } : undefined) }
  })
}

export const clausesOf = (text: string, tokens: ReadonlyArray<Token>): Array<Clause> => {
  const clauses: Array<Clause> = []
  let run: Array<Token> = []
  const endRun = () => {
    if (run.length > 0) clauses.push(...segmentRun(text, run))
    run = []
  }
  for (const token of tokens) {
    if (token.link !== "glued") endRun()
    if (token.unspaced) run.push(token)
    else {
      const spelling = speltOut(text.slice(token.start, token.end), token.term)
      const word = wordOf(token.term, token.parts)
      clauses.push(spelling === token.term ? word : { ...word, speltOut: spelling })
    }
  }
  endRun()
  return clauses
}
