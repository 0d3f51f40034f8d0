import type { Nodes, Root } from "mdast"
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly"
import { gfmStrikethroughCjkFriendly } from "micromark-extension-cjk-friendly-gfm-strikethrough"
import remarkGfm from "remark-gfm"
import remarkMath from "remark-math"
import remarkParse from "remark-parse"
import { type Plugin, unified } from "unified"
import { dollars } from "./syntax/MathSyntax.ts"
import { marks, marksFromMarkdown } from "./syntax/HighlightSyntax.ts"
import { comment, frontMatter } from "./PrivateParts.ts"
import { wikiLinks, wikiLinksFromMarkdown } from "./syntax/WikiLinkSyntax.ts"

/**
 * The public text of a note: without front matter, `%%comments%%` of Obsidian and comments of HTML (contract 5,
 * "shares"). Everything that a share publishes is made from this text.
 */

/** Emphasis next to the signs of Chinese, Japanese and Korean, which have no space there: `**「強調」**です`. */
const emphasisInCjk: Plugin = function () {
  // The last extension for a character comes first.
  this.data().micromarkExtensions!.push(cjkFriendlyExtension(), gfmStrikethroughCjkFriendly())
}

/** Parses Markdown with formulas, marks and links in double brackets. */
const parser = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkMath)
  .use(emphasisInCjk)
  .data({
    micromarkExtensions: [dollars, marks, wikiLinks],
    fromMarkdownExtensions: [marksFromMarkdown, wikiLinksFromMarkdown]
  })
  .freeze()

export interface PublicText {
  readonly text: string
  readonly tree: Root
  /** The content of its front matter. */
  readonly matter: string
  /** Returns where places of the text, in ascending order, are in the body. */
  readonly inBody: (places: ReadonlyArray<number>) => ReadonlyArray<number>
}

/** A range that is cut from a text. */
interface Range {
  readonly start: number
  readonly end: number
}

/** A range of the text in which signs of comments have another meaning. */
interface Stretch {
  readonly start: number
  readonly end: number
  readonly kind: "code" | "html" | "inlineMath" | "math"
}

const kindOf = ({ type }: Nodes): Stretch["kind"] | undefined =>
  type === "code" || type === "inlineCode"
    ? "code"
    : type === "math" || type === "inlineMath" || type === "html"
      ? type
      : undefined

/** In the order of the text. They do not overlap. */
const stretchesOf = (tree: Root): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  const visit = (node: Nodes): void => {
    const kind = kindOf(node)
    const [start, end] = [node.position?.start.offset, node.position?.end.offset]
    if (kind !== undefined && start !== undefined && end !== undefined) found.push({ start, end, kind })
    if ("children" in node) for (const child of node.children) visit(child)
  }
  visit(tree)
  // Footnotes, for example, may be elsewhere in the tree than in the text.
  return found.sort((one, other) => one.start - other.start)
}

const isEscaped = (text: string, at: number): boolean => {
  let start = at
  while (text[start - 1] === "\\") start--
  return (at - start) % 2 === 1
}

/** The end of each kind of comment. `<!-->` is a complete one. In HTML, `<?…>` and `<!…>` are comments, too. */
const closings: Readonly<Record<string, string>> = { "%%": "%%", "<!--": "-->", "<!": ">", "<?": ">" }

/** The end of the comment that begins at `start`; undefined for an unclosed one, which ends with the text. */
const endOf = (text: string, start: number, mark: string): number | undefined => {
  const closing = closings[mark]!
  const at = text.indexOf(closing, start + 2)
  return at < 0 ? undefined : at + closing.length
}

/** The end of the TeX of a formula, before its closing dollars. */
const endOfFormula = (text: string, { end }: Stretch): number => {
  let last = end
  while (text[last - 1] === "$") last--
  return last
}

/**
 * The end of a `%%` comment that begins in what looks like a formula. Two dollars in prose may look like one, too: then
 * the comment ends at its own closing mark. If the marks are not paired, nothing after the first is public. In a block
 * of TeX, a single mark is a comment of TeX, which does not leave the block.
 */
const endInFormula = (text: string, start: number, formula: Stretch): number => {
  let count = 0
  for (let at = text.indexOf("%%", start); at >= 0; at = text.indexOf("%%", at + 2)) count++
  if (count === 1 && formula.kind === "math") return Math.max(start, endOfFormula(text, formula))
  return (count % 2 === 0 ? endOf(text, start, "%%") : undefined) ?? text.length
}

/**
 * Finds comments to cut, from the first on. Code may begin inside a comment and end after it: without the comment, the text
 * after it parses differently, and is left to the next round. `isLast`: there is no further round, and the text is cut
 * off at the first comment.
 */
const commentsIn = (text: string, stretches: ReadonlyArray<Stretch>, isLast: boolean): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  let next = 0
  const opening = new RegExp(comment, "g")
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = match.index
    while (next < stretches.length && stretches[next]!.end <= start) next++
    const around = next < stretches.length && stretches[next]!.start <= start ? stretches[next] : undefined
    if (around?.kind === "code") {
      opening.lastIndex = around.end
      continue
    }
    const mark = match[0]
    if (around?.kind !== "html" && (mark === "<!" || mark === "<?" || isEscaped(text, start))) continue
    if (isLast) return [{ start, end: text.length }]
    const isInFormula = around?.kind === "math" || around?.kind === "inlineMath"
    const end =
      mark === "%%" && isInFormula ? endInFormula(text, start, around) : (endOf(text, start, mark) ?? text.length)
    found.push({ start, end })
    // The text after a broken formula parses differently without the formula.
    if (around !== undefined && around.kind !== "html" && end > around.start) return found
    opening.lastIndex = end
    while (next < stretches.length && stretches[next]!.end <= end) next++
    const broken = stretches[next]
    if (broken !== undefined && broken !== around && broken.start < end && broken.kind !== "html") return found
  }
  return found
}

const without = (text: string, cuts: ReadonlyArray<Range>): string => {
  let made = ""
  let kept = 0
  for (const { end, start } of cuts) {
    made += text.slice(kept, start)
    kept = end
  }
  return made + text.slice(kept)
}

/** Where places of a text, in ascending order, were before ranges were cut from it. */
const beforeCuts = (places: ReadonlyArray<number>, cuts: ReadonlyArray<Range>): ReadonlyArray<number> => {
  let next = 0
  let shift = 0
  return places.map((place) => {
    for (; next < cuts.length && cuts[next]!.start <= place + shift; next++)
      shift += cuts[next]!.end - cuts[next]!.start
    return place + shift
  })
}

/** Maximum number of rounds. Most notes need two: the second round finds no more comments. */
const rounds = 6

/** A byte order mark would shift all positions. */
const marksAtStart = /^\uFEFF*/

/** The public text of a body, with its tree. */
export const publicText = (body: string): PublicText => {
  const found = frontMatter.exec(body)
  const matter = found?.[1] ?? found?.[2] ?? ""
  let text = body
  const all: Array<ReadonlyArray<Range>> = []
  const cut = (cuts: ReadonlyArray<Range>) => {
    text = without(text, cuts)
    const end = marksAtStart.exec(text)![0].length
    text = text.slice(end)
    all.push(cuts, [{ start: 0, end }])
  }
  cut([{ start: 0, end: found?.[0].length ?? 0 }])
  let tree = parser.parse(text)
  for (let round = 1; round <= rounds; round++) {
    const comments = commentsIn(text, stretchesOf(tree), round === rounds)
    if (comments.length === 0) break
    cut(comments)
    tree = parser.parse(text)
  }
  return { text, tree, matter, inBody: (places) => all.reduceRight(beforeCuts, places) }
}
