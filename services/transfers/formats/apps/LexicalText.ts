import { escapedName } from "../../../markdown/LinkText.ts"
import { addressOf } from "../html/HtmlMarkdown.ts"
import { Damaged } from "../Item.ts"
import { listIn, type JsonObject, objectIn, textIn } from "./JsonValues.ts"

/** The text of an editor that stores a tree of nodes (Lexical), such as that of Super notes, as Markdown. */

/** Maximum depth of nodes. */
const deepest = 50

/** Bits of `format` of a text, with the marks around it. */
const marks: ReadonlyArray<readonly [bit: number, mark: string]> = [
  [1, "**"],
  [2, "*"],
  [4, "~~"],
  [16, "`"]
]

const marked = (words: string, format: unknown): string => {
  const bits = typeof format === "number" ? format : 0
  const inner = words.trim()
  if (inner === "") return words
  const around = marks.filter(([bit]) => (bits & bit) !== 0).map(([, mark]) => mark)
  const start = words.indexOf(inner)
  return (
    words.slice(0, start) + around.join("") + inner + around.toReversed().join("") + words.slice(start + inner.length)
  )
}

/** The nodes in a node; throws `Damaged` if it is nested too deeply. */
const childrenOf = (node: JsonObject, depth: number): ReadonlyArray<JsonObject> => {
  if (depth > deepest) throw new Damaged("too_complex", `Its text is nested more than ${deepest} levels deep`)
  return listIn(node["children"]).map(objectIn)
}

const inline = (node: JsonObject, depth: number): string => {
  if (node["type"] === "linebreak") return "  \n"
  if (node["type"] === "tab") return "\t"
  const inner = wordsIn(node, depth)
  const words = textIn(node["text"]) === "" ? inner : marked(textIn(node["text"]), node["format"]) + inner
  const url = textIn(node["url"])
  return url === "" ? words : `[${words === "" ? escapedName(url) : words}](${addressOf(url)})`
}

const wordsIn = (node: JsonObject, depth: number): string =>
  childrenOf(node, depth)
    .map((child) => inline(child, depth + 1))
    .join("")

const indented = (text: string, by: string): string => text.replaceAll(/\n(?=.)/g, `\n${by}`)

const listOf = (node: JsonObject, depth: number): string =>
  childrenOf(node, depth)
    .map((item, index) => {
      const kind = node["listType"]
      const mark =
        kind === "number" ? `${index + 1}. ` : kind === "check" ? `- [${item["checked"] === true ? "x" : " "}] ` : "- "
      const below = " ".repeat(kind === "number" ? mark.length : 2)
      const parts = childrenOf(item, depth)
      const words = parts
        .filter(({ type }) => type !== "list")
        .map((child) => inline(child, depth + 1))
        .join("")
      const lists = parts
        .filter(({ type }) => type === "list")
        .map((list) => below + indented(listOf(list, depth + 1), below))
      // An item that only holds a list continues the item before it.
      return words.trim() === "" && lists.length > 0
        ? lists.join("\n")
        : [mark + indented(words, below), ...lists].join("\n")
    })
    .join("\n")

const block = (node: JsonObject, depth: number): string => {
  const words = () => wordsIn(node, depth)
  switch (node["type"]) {
    case "heading":
      return `${"#".repeat(Number(/^h([1-6])$/.exec(textIn(node["tag"]))?.[1] ?? 2))} ${words()}`
    case "quote":
      return words().replaceAll(/^/gm, "> ")
    case "code":
      return `\`\`\`\n${words().replaceAll("  \n", "\n")}\n\`\`\``
    case "list":
      return listOf(node, depth)
    case "horizontalrule":
      return "---"
    default: {
      const isBlock = childrenOf(node, depth).some(({ type }) => blocks.has(textIn(type)))
      return isBlock ? blocksOf(node, depth + 1) : inline(node, depth)
    }
  }
}

const blocks = new Set([
  "code",
  "heading",
  "horizontalrule",
  "list",
  "paragraph",
  "quote",
  "table",
  "tablecell",
  "tablerow"
])

const blocksOf = (node: JsonObject, depth: number): string =>
  childrenOf(node, depth)
    .map((child) => block(child, depth))
    .filter((text) => text.trim() !== "")
    .join("\n\n")

export const lexicalText = (value: JsonObject): string => `${blocksOf(objectIn(value["root"]), 1)}\n`
