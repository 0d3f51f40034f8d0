import { stemmer as danish } from "@orama/stemmers/danish"
import { stemmer as dutch } from "@orama/stemmers/dutch"
import { stemmer as english } from "@orama/stemmers/english"
import { stemmer as finnish } from "@orama/stemmers/finnish"
import { stemmer as french } from "@orama/stemmers/french"
import { stemmer as german } from "@orama/stemmers/german"
import { stemmer as hungarian } from "@orama/stemmers/hungarian"
import { stemmer as italian } from "@orama/stemmers/italian"
import { stemmer as norwegian } from "@orama/stemmers/norwegian"
import { stemmer as portuguese } from "@orama/stemmers/portuguese"
import { stemmer as romanian } from "@orama/stemmers/romanian"
import { stemmer as russian } from "@orama/stemmers/russian"
import { stemmer as spanish } from "@orama/stemmers/spanish"
import { stemmer as swedish } from "@orama/stemmers/swedish"
import { stemmer as turkish } from "@orama/stemmers/turkish"
import { functionWords } from "./FunctionWords.ts"

/** A language by its number, from 1 on; 0 is one that was not recognised. */
export type Language = number
export const UNKNOWN: Language = 0

const all: ReadonlyArray<readonly [keyof typeof functionWords, (word: string) => string]> = [
  ["en", english],
  ["de", german],
  ["fr", french],
  ["es", spanish],
  ["it", italian],
  ["pt", portuguese],
  ["nl", dutch],
  ["sv", swedish],
  ["no", norwegian],
  ["da", danish],
  ["fi", finnish],
  ["ru", russian],
  ["ro", romanian],
  ["hu", hungarian],
  ["tr", turkish]
]

export const ENGLISH: Language = 1
export const languages: ReadonlyArray<Language> = all.map((_, index) => index + 1)

const numberOf = (name: keyof typeof functionWords): Language => all.findIndex(([each]) => each === name) + 1

/** Languages that write compounds as one word. */
export const compounding: ReadonlySet<Language> = new Set((["de", "nl", "sv", "no", "da", "fi"] as const).map(numberOf))

/** Languages with umlauts, for which some write two letters, as bits. */
export const UMLAUTED = (["de", "sv", "no", "da", "fi", "hu", "tr"] as const).reduce(
  (bits, name) => bits | (1 << numberOf(name)),
  0
)

/** Of each function word the languages to which it belongs, as bits. */
const masks = new Map<string, number>()
for (const [index, [name]] of all.entries()) {
  for (const word of functionWords[name].trim().split(/\s+/)) masks.set(word, (masks.get(word) ?? 0) | (2 << index))
}

/** The languages, as bits by their numbers, in which a term says little. */
export const functionMask = (term: string): number => masks.get(term) ?? 0

export const isFunctionWord = (term: string, language: Language): boolean => (functionMask(term) & (1 << language)) > 0

/** What all inflected forms of a word have in common. A word that is too short, or none, has no other form. */
export const stemOf = (term: string, language: Language): string => {
  if (term.length < 3 || term.length > 40 || !/^\p{L}+$/u.test(term)) return term
  const stem = all[language - 1]?.[1](term) ?? term
  return stem.length < 2 ? term : stem
}

/** The language whose function words weigh most, if it is clear which. */
export class LanguageGuess {
  readonly #counts = new Float64Array(all.length + 1)

  clear(): void {
    this.#counts.fill(0)
  }

  /** Counts occurrences of a function word. A word of many languages counts little. */
  add(mask: number, times: number): void {
    let shared = 0
    for (let rest = mask; rest > 0; rest &= rest - 1) shared++
    for (let rest = mask; rest > 0; rest &= rest - 1) {
      this.#counts[31 - Math.clz32(rest & -rest)]! += Math.min(times, 20) / shared
    }
  }

  /** `least`: so much must be known to say it. */
  best(least: number): Language {
    let best = UNKNOWN
    let second = 0
    for (const language of languages) {
      const count = this.#counts[language]!
      if (count > this.#counts[best]! || best === UNKNOWN) {
        if (best !== UNKNOWN) second = Math.max(second, this.#counts[best]!)
        best = language
      } else if (count > second) second = count
    }
    return this.#counts[best]! >= least && this.#counts[best]! > 1.1 * second ? best : UNKNOWN
  }
}
