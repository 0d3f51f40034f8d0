import { styleText } from "node:util"
import type { SceneResult } from "./Conformance.ts"

/** A scene as text: one line, and three more if the client did something wrong. */
export const textOf = ({ name, proves, reason, seconds, source }: SceneResult): string =>
  reason === undefined
    ? `${styleText("green", "✓")} ${name.padEnd(24)}${seconds.toFixed(1)} s`
    : `${styleText("red", "✗")} ${name}\n    ${reason}\n    It proves: ${proves}\n    Rule: ${source}`

const escaped = (text: string): string =>
  text.replaceAll(
    /[&<>"\p{Cc}]/gu,
    (character) => `&#${character === "\n" || character >= " " ? character.charCodeAt(0) : 32};`
  )

/** All results as JUnit XML, which CI systems show. */
export const junitOf = (results: ReadonlyArray<SceneResult>): string => {
  const failures = results.filter(({ reason }) => reason !== undefined).length
  const cases = results.map(({ name, reason, seconds }) => {
    const failure = reason === undefined ? "" : `<failure message="${escaped(reason)}"/>`
    return `  <testcase classname="sheaf conformance" name="${name}" time="${seconds.toFixed(3)}">${failure}</testcase>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="sheaf conformance" tests="${results.length}" failures="${failures}">\n${cases.join("")}</testsuite>\n`
}
