import type { Nodes, Text } from "mdast"
import { folded } from "../LinkText.ts"
import { nodeText } from "../NodeText.ts"
import { publicText } from "../PublicText.ts"
import { type ContentLink, contextOf, isContext, lineAt } from "./TextContents.ts"

/** A text in which names are looked for. */
export interface NamedText {
  readonly body: string
  /** Folded names. */
  readonly names: ReadonlyArray<string>
}

export type Mention = Pick<ContentLink, "context" | "end" | "line" | "start" | "text">

const letter = /[\p{L}\p{N}\p{M}_]/u

/** Whether a range of a text begins and ends with whole words. Behind an exclamation mark, a link would be an image. */
const isWhole = (text: string, start: number, end: number): boolean => {
  const isInWord = (at: number) =>
    at > 0 && at < text.length && letter.test(text[at - 1]!) && letter.test(String.fromCodePoint(text.codePointAt(at)!))
  return !isInWord(start) && !isInWord(end) && text[start - 1] !== "!"
}

/** The first name in a text, as whole words. Folding must not change the length of the text. */
const firstIn = (text: string, names: ReadonlyArray<string>) => {
  const lower = folded(text)
  if (lower.length !== text.length) return undefined
  let first: { readonly start: number; readonly end: number } | undefined
  for (const name of names) {
    for (let start = lower.indexOf(name); start >= 0; start = lower.indexOf(name, start + 1)) {
      if (first !== undefined && start >= first.start) break
      if (isWhole(lower, start, start + name.length)) first = { start, end: start + name.length }
    }
  }
  return first
}

/** The first mention of one of the names in the text of a body, outside of links and code. */
export const mentionIn = ({ body, names }: NamedText): Mention | undefined => {
  const { inBody, text, tree } = publicText(body)
  const found: Array<{ readonly node: Text; readonly block: string; readonly start: number; readonly end: number }> = []
  const visit = (node: Nodes, block: string): void => {
    if (found.length > 0 || node.type === "link" || node.type === "linkReference") return
    const at = node.type === "text" ? node.position?.start.offset : undefined
    if (node.type === "text" && at !== undefined) {
      const first = firstIn(node.value, names)
      // An escape or a character reference before it moves it.
      const isThere = first !== undefined && text.startsWith(node.value.slice(first.start, first.end), at + first.start)
      if (isThere) found.push({ node, block, start: at + first.start, end: at + first.end })
    }
    if ("children" in node) for (const child of node.children) visit(child, isContext(node) ? nodeText(node) : block)
  }
  visit(tree, "")
  const [first] = found
  if (first === undefined) return undefined
  const [start, last] = inBody([first.start, first.end - 1])
  const words = text.slice(first.start, first.end)
  // A comment within the words is part of the body alone.
  if (last! + 1 - start! > words.length) return undefined
  return {
    start: start!,
    end: last! + 1,
    line: lineAt(body, start!),
    text: words,
    context: contextOf(first.block, words, 0)
  }
}
