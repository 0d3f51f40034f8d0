import remarkWikiLink from "@flowershow/remark-wiki-link"
import remarkGfm from "remark-gfm"
import remarkParse from "remark-parse"
import { unified } from "unified"

/**
 * The content of a Markdown text, line by line, in one style: signs of emphasis and lists, escapes, empty lines and
 * references make no difference, so that the outlines of two programs can be compared.
 */

interface Node {
  readonly type: string
  readonly value?: string | undefined
  readonly children?: ReadonlyArray<Node> | undefined
  readonly depth?: number | undefined
  readonly ordered?: boolean | null | undefined
  readonly start?: number | null | undefined
  readonly checked?: boolean | null | undefined
  readonly lang?: string | null | undefined
  readonly url?: string | undefined
  readonly alt?: string | null | undefined
  readonly identifier?: string | undefined
  readonly data?: unknown
}

/** The text that a wiki link shows instead of its target. */
const aliasOf = (data: unknown): string | undefined =>
  typeof data === "object" && data !== null && "alias" in data && typeof data.alias === "string"
    ? data.alias
    : undefined

/** The targets of the addresses in a text: a name for a note or a file, undefined for others. */
export interface Names {
  readonly note: (url: string) => string | undefined
  readonly file: (url: string) => string | undefined
}
const noNames: Names = { note: () => undefined, file: () => undefined }

const parser = unified().use(remarkParse).use(remarkGfm).use(remarkWikiLink).freeze()

/** Formats in the order in which they are written, the outermost first; an address comes before all of them. */
const signs: Readonly<Record<string, string>> = {
  strong: "**",
  em: "_",
  del: "~~",
  mark: "==",
  u: "__",
  sub: "~",
  sup: "^"
}
const order = Object.keys(signs)
const tags: Readonly<Record<string, string>> = { b: "strong", i: "em", s: "del" }

/** Placeholders for formulas while the rest is parsed, because nothing in them is Markdown. */
const [open, close] = ["\ue000", "\ue001"]
/** An escape that removes a meaning which Markdown parsers do not know: that of a callout or a tag. */
const [escaped, meaningful] = ["\ue002", /\\(?=\[!\w+\]|#(?:\\?[\p{N}_/-])*(?:\p{L}|\\?[_/-]))/gu]

const withoutMath = (text: string) => {
  const formulas: Array<string> = []
  const kept = (tex: string, sign: string): string => {
    const said = tex
      .replaceAll(/\n[> \t]*/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim()
    return `${open}${formulas.push(`${sign}${said}${sign}`) - 1}${close}`
  }
  const bare = text
    .replaceAll(/\$\$([\s\S]+?)\$\$/g, (_, tex: string) => kept(tex, "$$"))
    .replaceAll(/(?<![\\$\w])\$(?=\S)((?:\\[^\n]|[^$\\\n`]|\n(?![> ]*\n))+)\$(?![\w$])/g, (_, tex: string) =>
      kept(tex, "$")
    )
  const put = (line: string) =>
    line.replaceAll(escaped, "\\").replaceAll(/\ue000(\d+)\ue001/g, (_, index: string) => formulas[Number(index)]!)
  return { bare: bare.replaceAll(meaningful, escaped), put }
}

interface Run {
  readonly text: string
  readonly marks: ReadonlySet<string>
}

const same = (one: ReadonlySet<string>, other: ReadonlySet<string>) => one.symmetricDifference(other).size === 0

class Inline {
  private readonly runs: Array<Run> = []
  private readonly names: Names
  private readonly definitions: ReadonlyMap<string, string>
  private marks: ReadonlySet<string> = new Set()

  constructor(names: Names, definitions: ReadonlyMap<string, string>) {
    this.names = names
    this.definitions = definitions
  }

  lines(nodes: ReadonlyArray<Node>): ReadonlyArray<string> {
    for (const node of nodes) this.visit(node)
    const lines: Array<Array<Run>> = [[]]
    for (const { marks, text } of this.runs) {
      for (const [index, part] of text.split("\n").entries()) {
        if (index > 0) lines.push([])
        lines.at(-1)!.push(...part.split(/(\s+)/).map((each) => ({ text: each, marks })))
      }
    }
    return lines.map(written)
  }

  private visit(node: Node): void {
    const { children = [], data, type, url = "", value = "" } = node
    const inner = (mark: string) => this.within(mark, () => children.forEach((child) => this.visit(child)))
    if (type === "text") this.add(value)
    else if (type === "break") this.add("\n")
    else if (type === "inlineCode") this.add(`\`${value}\``)
    else if (type === "strong") inner("strong")
    else if (type === "emphasis") inner("em")
    else if (type === "delete") inner("del")
    else if (type === "html") this.html(value)
    else if (type === "wikiLink") {
      const [path = "", heading] = value.split("#")
      const target = `→${path}${heading === undefined ? "" : `#${heading}`}`
      this.within(`link ${target}`, () => this.add(aliasOf(data) ?? (path === "" ? (heading ?? "") : value)))
    } else if (type === "embed") this.add(`{${value.slice(value.lastIndexOf("/") + 1)}}`)
    else if (type === "link" || type === "linkReference") this.link(node)
    else if (type === "image") {
      const name = this.names.file(url)
      this.add(name === undefined ? `![${node.alt ?? ""}](${url})` : `{${name}}`)
    } else children.forEach((child) => this.visit(child))
  }

  private link({ children = [], identifier = "", url = this.definitions.get(identifier) ?? "" }: Node): void {
    const inner = () => children.forEach((child) => this.visit(child))
    const file = this.names.file(url)
    if (file !== undefined) this.add(`{${file}}`)
    else {
      const note = url.startsWith("#") ? decodeURIComponent(url) : this.names.note(url)
      this.within(`link ${note === undefined ? url : `→${note}`}`, inner)
    }
  }

  private html(value: string): void {
    const [, end, name = ""] = /^<(\/?)([a-z]+)/i.exec(value) ?? []
    const mark = tags[name] ?? name
    if (name === "br") this.add("\n")
    else if (order.includes(mark)) {
      this.marks = end === "" ? this.marks.union(new Set([mark])) : this.marks.difference(new Set([mark]))
    } else this.add(value)
  }

  private within(mark: string, inner: () => void): void {
    const before = this.marks
    this.marks = before.union(new Set([mark]))
    inner()
    this.marks = before
  }

  private add(text: string): void {
    // A highlight has its own sign in some programs.
    for (const [index, part] of text.split("==").entries()) {
      if (index > 0) this.marks = this.marks.symmetricDifference(new Set(["mark"]))
      if (part !== "") this.runs.push({ text: part, marks: this.marks })
    }
  }
}

/** White space has the formats that the words on both sides share. */
const written = (runs: ReadonlyArray<Run>): string => {
  const words = runs.filter(({ text }) => text !== "")
  const spaced = words.map((run, index) => {
    if (run.text.trim() !== "") return run
    const before = words.slice(0, index).findLast(({ text }) => text.trim() !== "")
    const after = words.slice(index + 1).find(({ text }) => text.trim() !== "")
    return { text: " ", marks: (before?.marks ?? new Set<string>()).intersection(after?.marks ?? new Set()) }
  })
  const parts: Array<string> = []
  let now: ReadonlySet<string> = new Set()
  const sorted = (marks: ReadonlySet<string>) =>
    [...marks].toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
  const end = () => {
    for (const mark of sorted(now).toReversed()) parts.push(signs[mark] ?? `](${mark.slice("link ".length)})`)
  }
  for (const { marks, text } of spaced) {
    if (!same(now, marks)) {
      end()
      for (const mark of sorted(marks)) parts.push(signs[mark] ?? "[")
    }
    parts.push(text)
    now = marks
  }
  end()
  return parts.join("").replaceAll(/\s+/g, " ").trim()
}

const indent = (lines: ReadonlyArray<string>, first: string, other: string) =>
  lines.map((line, index) => (index === 0 ? first : other) + line)

export const outline = (text: string, names = noNames): ReadonlyArray<string> => {
  const { bare, put } = withoutMath(text)
  const definitions = new Map<string, string>()
  const define = (node: Node): void => {
    if (node.type === "definition") definitions.set(node.identifier ?? "", node.url ?? "")
    node.children?.forEach(define)
  }
  const blocks = (nodes: ReadonlyArray<Node> = []): ReadonlyArray<string> => nodes.flatMap(block)
  const block = (node: Node): ReadonlyArray<string> => {
    const { children = [], type, value = "" } = node
    const inline = (nodes: ReadonlyArray<Node>) =>
      new Inline(names, definitions).lines(nodes).filter((line) => line !== "")
    switch (type) {
      case "definition":
        return []
      case "heading":
        return [`${"#".repeat(node.depth ?? 1)} ${inline(children).join(" ")}`]
      case "blockquote":
        return indent(blocks(children), "> ", "> ")
      case "code":
        return [`\`\`\` ${(node.lang ?? "").toLowerCase()}`.trim(), ...value.trimEnd().split("\n"), "```"]
      case "list":
        return children.flatMap((item, index) => {
          const sign = node.ordered === true ? `${(node.start ?? 1) + index}.` : "-"
          const box = typeof item.checked === "boolean" ? ` [${item.checked ? "x" : " "}]` : ""
          const lines = blocks(item.children)
          return indent(lines.length === 0 ? [""] : lines, `${sign}${box} `, "  ")
        })
      case "table":
        return children.map(
          ({ children: cells = [] }) => `| ${cells.map((cell) => inline([cell]).join("<br>")).join(" | ")} |`
        )
      case "thematicBreak":
        return ["---"]
      case "html":
        return value.split("\n")
      default:
        return inline(children)
    }
  }
  const tree: Node = parser.parse(bare)
  define(tree)
  return blocks(tree.children).map(put)
}

const wordsIn = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}]+/gu) ?? []

/** Words of one text that another text lacks, or has less often. */
export const lostWords = (from: string, to: string): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const word of wordsIn(to)) left.set(word, (left.get(word) ?? 0) + 1)
  return wordsIn(from).filter((word) => {
    const count = left.get(word) ?? 0
    left.set(word, count - 1)
    return count <= 0
  })
}

/** The differences between two lists of lines: the lines of each at that place. */
export const differences = (theirs: ReadonlyArray<string>, ours: ReadonlyArray<string>) => {
  // The number of lines that two ends have in common.
  const common = Array.from({ length: theirs.length + 1 }, () => Array.from({ length: ours.length + 1 }, () => 0))
  for (let at = theirs.length - 1; at >= 0; at--) {
    for (let to = ours.length - 1; to >= 0; to--) {
      common[at]![to] =
        theirs[at] === ours[to] ? common[at + 1]![to + 1]! + 1 : Math.max(common[at + 1]![to]!, common[at]![to + 1]!)
    }
  }
  const found: Array<{ readonly theirs: Array<string>; readonly ours: Array<string> }> = []
  let [at, to, isOpen] = [0, 0, false]
  while (at < theirs.length || to < ours.length) {
    if (at < theirs.length && theirs[at] === ours[to]) {
      ;[at, to, isOpen] = [at + 1, to + 1, false]
      continue
    }
    if (!isOpen) found.push({ theirs: [], ours: [] })
    isOpen = true
    const isTheirs = to >= ours.length || (at < theirs.length && common[at + 1]![to]! >= common[at]![to + 1]!)
    if (isTheirs) found.at(-1)!.theirs.push(theirs[at++]!)
    else found.at(-1)!.ours.push(ours[to++]!)
  }
  return found
}
