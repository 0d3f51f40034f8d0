import type { FieldCode } from "../../../../../services/Errors.ts"
import type { Language } from "../../../../../services/languages/Language.ts"
import type { ProblemCode } from "../../../../../services/ProblemCodes.ts"
import type { PageTexts } from "./EnglishPages.ts"

interface Sentences {
  readonly problems: Readonly<Record<ProblemCode, string>>
  readonly fields: Readonly<Record<FieldCode, string>>
}

/** The sentences about problems of pages in a language. */
export const sentencesOf = (
  language: Language,
  { fields, problems }: Sentences,
  tryAgain: (problem: string, time: string) => string
): Pick<PageTexts, "problem" | "fieldProblem" | "throttledFor"> => {
  const span = (unit: "second" | "minute", value: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(value)
  return {
    problem: (code) => problems[code],
    fieldProblem: (label, code) => `${label}: ${fields[code]}`,
    throttledFor: (problem, seconds) =>
      tryAgain(problem, seconds < 120 ? span("second", seconds) : span("minute", Math.ceil(seconds / 60)))
  }
}
