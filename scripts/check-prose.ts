import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * The rules of style in CONTRIBUTING that a script can check: prints each comment, message, test name and line of
 * Markdown that uses a word outside plain technical English, with the word to use, and each title of a commit with
 * another form, and fails when there is one.
 */

const root = join(import.meta.dirname, "..")

/** Words that are refused in prose, each with what to write. */
const prose: ReadonlyArray<readonly [pattern: RegExp, use: string]> = [
  [/\b(told|tells?|telling|untold)\b/i, "return, report, log, notify, show"],
  [/\banew\b/i, "again"],
  [/\b(whoever|whomever|whosoever|nobody|somebody)\b/i, "the noun: request, caller, client, row, worker, user"],
  [/\b(those|them|one|ones|all|he|of) who\b/i, "the noun: users who, clients that"],
  [/\bbeside\b/i, "next to, during, with"],
  [/\b(stands|stood)\b|\bstand(?! for)\b(?!-| by)/i, "is"],
  [/\bso (many|much|few)\b/i, 'a number: "Maximum number of cached words"'],
  [/\b(let|lets|letting) go\b/i, "release"],
  [/\bdear\b/i, "expensive"],
  [/\b(answer|answers|answered|answering|unanswered)\b/i, "response, result, reply; respond, return"],
  [/\b(heed|heeds|heeded|heeding)\b/i, "honour"],
  [/\b(heard|hears?)\b/i, "receive, is notified of"],
  [/\b(go|goes|going|went) on\b/i, "continue"],
  [/\b(lest|whence|whither|hitherto|thereof|therein|thereupon|thence|ere)\b/i, "a plainer word"],
  [/(^|[.:;!?]\s+)Of (?!course\b)[a-z]/, "subject, verb, object"]
]

/** Words that are refused in names of the code. */
const names: ReadonlyArray<readonly [pattern: RegExp, use: string]> = prose.slice(0, 3)

/** Migrations are never edited; the others speak of the words themselves, or are not prose of the project. */
const exempt = /^(services\/database\/migrations\/|scripts\/check-prose\.ts|LICENSE|NOTICE|test\/.*__snapshots__)/

const wrong: Array<string> = []

const check = (file: string, line: number, text: string, rules = prose): void => {
  for (const [pattern, use] of rules) {
    const found = pattern.exec(text)
    if (found !== null) wrong.push(`${file}:${line}: "${found[0].trim()}": write ${use}`)
  }
}

/** A comment, a regular expression or a string in TypeScript. */
const piece =
  /(?<=[=(,:!&|?[{};>]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*|\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g

/** What precedes the name of a test. */
const testName = /(\b(it|test|describe)(\.\w+)*|\))\(\s*$/

const isSql = (text: string): boolean => /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|CREATE|ALTER|SET)\b/.test(text)

/** Splits a name in camel case into words. */
const wordsOf = (code: string): string => code.replace(/([a-z0-9])([A-Z])/g, "$1 $2")

const checkTypeScript = (file: string, source: string): void => {
  const isTest = file.startsWith("test/")
  let at = 0
  let line = 1
  const checkNames = (code: string): void => {
    if (isTest) return
    for (const [index, part] of code.split("\n").entries()) check(file, line + index, wordsOf(part), names)
  }
  for (const found of source.matchAll(piece)) {
    const before = source.slice(at, found.index)
    if (!isTest)
      for (const [index, code] of before.split("\n").entries()) check(file, line + index, wordsOf(code), names)
    line += before.split("\n").length - 1
    const text = found[0]
    const isComment = /^\/[/*]/.test(text)
    if (isComment || (isTest ? testName.test(before) : text.includes(" ") && !isSql(text))) {
      const plain = isComment ? text.replace(/^[ \t]*(\/\*\*?|\*\/|\*|\/\/)[ \t]?/gm, "") : text.slice(1, -1)
      for (const [index, part] of plain.split("\n").entries()) check(file, line + index, part)
    }
    line += text.split("\n").length - 1
    at = found.index + text.length
  }
  checkNames(source.slice(at))
}

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8"
})
const only = process.argv.slice(2)
for (const file of files.split("\n")) {
  if (!/\.(tsx?|mts|mjs|css|md)$/.test(file) || exempt.test(file)) continue
  if (only.length > 0 && !only.some((folder) => file.startsWith(folder))) continue
  const source = readFileSync(join(root, file), "utf8")
  if (file.endsWith(".md")) for (const [index, line] of source.split("\n").entries()) check(file, index + 1, line)
  else checkTypeScript(file, source)
}

/** The time from which titles of commits are checked: earlier ones keep what they say. */
const titlesSince = "2026-11-29T11:00:00Z"
const isTitle = (text: string): boolean =>
  text.length <= 72 && /^[a-z][a-z0-9 -]*: \S/.test(text) && !/[;.]$|; /.test(text)
const log = execFileSync("git", ["log", `--since=${titlesSince}`, "--format=%h %s"], { cwd: root, encoding: "utf8" })
for (const [, hash, text] of log.matchAll(/^(\S+) (.*)$/gm)) {
  check(`commit ${hash!}`, 1, text!)
  if (!isTitle(text!)) wrong.push(`commit ${hash!}: "${text!}": write area: verb …, one change, at most 72 characters`)
}

if (wrong.length > 0) {
  console.error(wrong.join("\n"))
  console.error(`${wrong.length} places that are not in plain technical English.`)
  process.exit(1)
}
