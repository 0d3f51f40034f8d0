/**
 * Operators of SQL, OData, programming languages and search engines. They are refused with the spelling of this
 * language (contract 3): parsed as text, they would silently make another filter.
 */

const words: Readonly<Record<string, string>> = {
  eq: "=",
  equals: "=",
  is: "=",
  ne: "!=",
  neq: "!=",
  gt: ">",
  ge: ">=",
  gte: ">=",
  lt: "<",
  le: "<=",
  lte: "<=",
  contains: ":",
  has: ":",
  includes: ":",
  like: ":",
  ilike: ":",
  match: ":",
  matches: ":",
  regexp: ":",
  rlike: ":",
  startswith: "= with * at the end of the value",
  starts_with: "= with * at the end of the value",
  endswith: "= with * at the start of the value",
  ends_with: "= with * at the start of the value",
  between: ">= and <=",
  exists: ":*",
  nin: "NOT before the field, and IN"
}

/** The spelling here of a word such as `eq`, in any case; undefined for other words. */
export const wordSpelling = (word: string): string | undefined => {
  const name = word.toLowerCase()
  return Object.hasOwn(words, name) ? words[name] : undefined
}

/** Letters beyond Latin-1 are escaped: in an expression they double the memory of the text of the bundle. */
const signs: ReadonlyArray<readonly [RegExp, string]> = [
  [/^&&?$/, "AND"],
  [/^\|\|?$/, "OR"],
  [/^!$/, "NOT"],
  [/^={2,3}$/, "="],
  [/^(?:!==?|<>|\u2260|\^=|~=)$/, "!="],
  [/^(?:=<|\u2264)$/, "<="],
  [/^(?:=>|\u2265)$/, ">="],
  [/^(?:~|~~|=~|~\*|::|:=|@>)$/, ":"],
  [/^(?:!~|!~\*|!~~)$/, "NOT before the field, and :"]
]

/** The spelling here of a sign such as `&&`; undefined for other text. */
export const signSpelling = (sign: string): string | undefined => signs.find(([pattern]) => pattern.test(sign))?.[1]

const own = ["=", "!=", "<", "<=", ">", ">=", ":"]

/** The sign of another language at the start of a text; undefined when it starts with a sign of this language. */
export const signAt = (text: string): string | undefined => {
  const run = /^[&|!=<>~\u2260\u2264\u2265^:*@]{1,3}/.exec(text)?.[0] ?? ""
  for (let length = run.length; length > 0; length--) {
    const part = run.slice(0, length)
    if (own.includes(part)) return undefined
    if (signSpelling(part) !== undefined) return part
  }
  return undefined
}
