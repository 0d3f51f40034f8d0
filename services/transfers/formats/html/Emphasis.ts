import type { Delete, Emphasis, Html, PhrasingContent, Strong } from "mdast"
import type { Options } from "remark-stringify"
import { withAddresses } from "./BareAddresses.ts"

/**
 * Rearranges emphasis of HTML so that Markdown can express it. In Markdown its signs must touch the emphasised text,
 * and next to a word they are emphasis only if there is also a word inside (CommonMark 6.2). Otherwise the writer would
 * use character references, which are unreadable.
 */

declare module "mdast" {
  interface Data {
    /** Whether emphasis touches a word: `_` is not a sign of emphasis there. */
    isInWord?: boolean
  }
}

type Styled = Delete | Emphasis | Strong
type Side = "start" | "end"

const tags = { delete: "del", emphasis: "em", strong: "strong" } as const

const isStyled = (node: PhrasingContent | undefined): node is Styled => node !== undefined && node.type in tags

export const inlineHtml = (value: string, name: string): Html => ({ type: "html", value, data: { hName: name } })

const isWord = (sign: string): boolean => sign !== "" && !/[\s\p{P}\p{S}]/u.test(sign)

/** Parsers that read half a surrogate pair take emoji for letters: emoji may count as words outside, never inside. */
const mayBeWord = (sign: string): boolean => isWord(sign) || sign.length > 1

/** The first or last character of a node in Markdown. */
const edgeOf = (node: PhrasingContent | undefined, side: Side): string => {
  if (node === undefined) return ""
  if (node.type === "break") return side === "start" ? "\\" : "\n"
  if (isStyled(node)) {
    const inner = edgeOf(side === "start" ? node.children[0] : node.children.at(-1), side)
    // Emphasis of an emoji may lose its signs.
    return inner.length > 1 ? inner : "*"
  }
  if (node.type !== "text" && node.type !== "html") return "*"
  const { value } = node
  return (side === "start" ? Array.from(value.slice(0, 2))[0] : Array.from(value.slice(-2)).at(-1)) ?? ""
}

const isBlank = (node: PhrasingContent | undefined): boolean =>
  node?.type === "break" || (node?.type === "text" && node.value.trim() === "")

/** Moves white space and line breaks from the edges of emphasis to the outside. */
const withoutSpace = (node: Styled): Array<PhrasingContent> => {
  const inner = [...node.children]
  const before: Array<PhrasingContent> = []
  const after: Array<PhrasingContent> = []
  while (isBlank(inner[0])) before.push(inner.shift()!)
  while (isBlank(inner.at(-1))) after.unshift(inner.pop()!)
  const first = inner[0]
  if (first?.type === "text" && first.value.trimStart() !== first.value) {
    before.push({ type: "text", value: " " })
    inner[0] = { ...first, value: first.value.trimStart() }
  }
  const last = inner.at(-1)
  if (last?.type === "text" && last.value.trimEnd() !== last.value) {
    after.unshift({ type: "text", value: " " })
    inner[inner.length - 1] = { ...last, value: last.value.trimEnd() }
  }
  return [...before, ...(inner.length === 0 ? [] : [{ ...node, children: inner }]), ...after]
}

/** Merges equal neighbours. */
const joined = (
  nodes: ReadonlyArray<PhrasingContent>,
  made: (node: Styled) => PhrasingContent
): Array<PhrasingContent> => {
  const runs: Array<Array<PhrasingContent>> = []
  for (const node of nodes) {
    const last = runs.at(-1)
    if (last?.[0]?.type === node.type && (node.type === "text" || isStyled(node))) last.push(node)
    else runs.push([node])
  }
  return runs.map((run) => {
    const [first] = run
    if (run.length === 1) return first!
    if (isStyled(first))
      return made({ ...first, children: run.flatMap((node) => (isStyled(node) ? node.children : [])) })
    return { type: "text", value: run.map((node) => (node.type === "text" ? node.value : "")).join("") }
  })
}

/** Emphasises each letter at most once per kind, moves white space outside, and merges equal neighbours. */
const plain = (
  nodes: ReadonlyArray<PhrasingContent>,
  within: ReadonlyArray<Styled["type"]> = []
): Array<PhrasingContent> => {
  const made = (node: Styled): Styled => ({ ...node, children: plain(node.children, [...within, node.type]) })
  const apart = nodes.flatMap((node) => {
    if (!isStyled(node)) return ["children" in node ? { ...node, children: plain(node.children, within) } : node]
    return within.includes(node.type) ? plain(node.children, within) : withoutSpace(made(node))
  })
  return joined(apart, made)
}

/** The length of the signs before the first word; accents and joiners belong to their sign. */
const looseAtStart = (text: string): number => /^(?:[\s\p{P}\p{S}][\p{M}\u200d]*)+/u.exec(text)?.[0].length ?? 0

const looseAtEnd = (text: string): number => {
  const signs = Array.from(text)
  let start = signs.length
  for (let at = signs.length - 1; at >= 0; at--) {
    if (signs[at] === "\u200d" || signs[at] === "\ufe0f") continue
    if (isWord(signs[at]!)) break
    start = at
  }
  return signs.slice(start).join("").length
}

/** Removes the text outside of words from an edge of emphasis and returns it. */
const takeLoose = (children: Array<PhrasingContent>, side: Side): string => {
  const index = side === "start" ? 0 : children.length - 1
  const node = children[index]
  if (node?.type !== "text") return ""
  const { value } = node
  const cut = side === "start" ? looseAtStart(value) : value.length - looseAtEnd(value)
  const [loose, rest] =
    side === "start" ? [value.slice(0, cut), value.slice(cut)] : [value.slice(cut), value.slice(0, cut)]
  if (rest === "") children.splice(index, 1)
  else children[index] = { ...node, value: rest }
  return loose
}

/** Emphasis between the text before and after it; signs at its edges that touch a word move outside. */
const nextToWords = (node: Styled, before: string, after: string): Array<PhrasingContent> => {
  const children = [...node.children]
  const head = mayBeWord(before) ? takeLoose(children, "start") : ""
  const tail = mayBeWord(after) ? takeLoose(children, "end") : ""
  const isBehindWord = mayBeWord(head === "" ? before : edgeOf({ type: "text", value: head }, "end"))
  const isBeforeWord = mayBeWord(tail === "" ? after : edgeOf({ type: "text", value: tail }, "start"))
  const isStuck =
    (isBehindWord && !isWord(edgeOf(children[0], "start"))) || (isBeforeWord && !isWord(edgeOf(children.at(-1), "end")))
  const made: Array<PhrasingContent> = head === "" ? [] : [{ type: "text", value: head }]
  if (children.length > 0 && isStuck) {
    const tag = tags[node.type]
    made.push(inlineHtml(`<${tag}>`, tag), ...children, inlineHtml(`</${tag}>`, tag))
  } else if (children.length > 0) {
    made.push({ ...node, children, data: { isInWord: isBehindWord || isBeforeWord } })
  }
  if (tail !== "") made.push({ type: "text", value: tail })
  return made
}

/** Removes white space at the beginning and end of a line. */
const trimmed = (nodes: ReadonlyArray<PhrasingContent>): Array<PhrasingContent> => {
  const made: Array<PhrasingContent> = []
  for (const [index, node] of nodes.entries()) {
    const [before, after] = [nodes[index - 1], nodes[index + 1]]
    if (node.type !== "text") made.push(node)
    else {
      const from = before === undefined || before.type === "break" ? node.value.replace(/^[ \t\n]+/, "") : node.value
      const value = after === undefined || after.type === "break" ? from.replace(/[ \t\n]+$/, "") : from
      if (value !== "") made.push({ ...node, value })
    }
  }
  while (isBlank(made.at(-1))) made.pop()
  return made
}

const nextToAllWords = (nodes: ReadonlyArray<PhrasingContent>): Array<PhrasingContent> => {
  const made: Array<PhrasingContent> = []
  for (const [index, node] of nodes.entries()) {
    const inner = "children" in node ? { ...node, children: nextToAllWords(node.children) } : node
    if (!isStyled(inner)) made.push(inner)
    else made.push(...nextToWords(inner, edgeOf(made.at(-1), "end"), edgeOf(nodes[index + 1], "start")))
  }
  return joined(made, (node) => node)
}

/** The content of a paragraph, a heading or a cell in a form that Markdown can express. */
export const phrasing = (nodes: ReadonlyArray<PhrasingContent>): Array<PhrasingContent> =>
  trimmed(nextToAllWords(withAddresses(plain(nodes))))

type Handle = NonNullable<NonNullable<Options["handlers"]>["emphasis"]>

/** Writes one kind of emphasis with its preferred sign, and next to a word with the sign that is valid there. */
const written = (type: "emphasis" | "strong", signs: readonly [string, string]): Handle => {
  const write: Handle = (node, _, state, info) => state.containerPhrasing({ type: "paragraph", children: [node] }, info)
  return Object.assign(write, {
    peek: () => signs[0],
    attention: ({ data }: Emphasis | Strong) => ({
      construct: type,
      markers: data?.isInWord === true ? ["*"] : [...signs],
      sizes: [type === "strong" ? 2 : 1]
    })
  })
}

export const emphasisHandlers: NonNullable<Options["handlers"]> = {
  emphasis: written("emphasis", ["_", "*"]),
  strong: written("strong", ["*", "_"])
}
