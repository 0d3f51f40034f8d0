import { frontMatter } from "./PrivateParts.ts"

/** Characters of front matter that are read. */
export const longestMatter = 16_384
/** Maximum number of aliases of a note, and of characters of an alias. */
const maxAliases = 50
export const longestAlias = 200

const member = /^alias(?:es)?[ \t]*(?::[ \t]|:$|=)[ \t]*(.*(?:\n[ \t]*-[ \t].*|\n[ \t]+.*|\n\])*)/im

const quoted = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'/
/** Values in brackets, separated by commas. */
const listed = new RegExp(`\\s*(?:${quoted.source})|[^,\\n[\\]]+`, "g")
/** A value on each line. */
const lines = new RegExp(`^[ \\t]*(?:-[ \\t]+)?(${quoted.source}|.*?)[ \\t]*(?:[ \\t]#.*)?$`, "gm")

const plain = (text: string): string => {
  const value = text.trim()
  if (value.startsWith('"') && value.endsWith('"')) return value.slice(1, -1).replaceAll(/\\(["\\])/g, "$1")
  return value.startsWith("'") && value.endsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value
}

/**
 * The other names of a note, from `aliases` or `alias` in its front matter: a value, a list in brackets, or a list of
 * lines. A parser of YAML, which would take 14 MB of the main thread, is not needed for what note apps write there.
 */
export const aliasesOf = (body: string): ReadonlyArray<string> => {
  if (!/^\uFEFF?(?:---|\+\+\+)/.test(body)) return []
  const found = frontMatter.exec(body.slice(0, longestMatter))
  const value = member.exec((found?.[1] ?? found?.[2] ?? "").replaceAll(/\r\n?/g, "\n"))?.[1]
  if (value === undefined) return []
  const texts = value.trimStart().startsWith("[")
    ? (value
        .trimStart()
        .replace(/\][^\]]*$/, "")
        .slice(1)
        .match(listed) ?? [])
    : [...value.matchAll(lines)].map(([, text = ""]) => text)
  const names = texts.map(plain).filter((name) => name !== "" && name.length <= longestAlias)
  return [...new Set(names)].slice(0, maxAliases)
}
