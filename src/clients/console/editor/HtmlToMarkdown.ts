import { escapedName } from "../../../../services/markdown/LinkText.ts"

/** A node of a page, as browsers have it. */
export interface HtmlNode {
  /** 1 of elements, 3 of text. */
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: ArrayLike<HtmlNode>
  readonly getAttribute?: (name: string) => string | null
}

/** Maximum depth of elements. What is deeper is plain text. */
const maxDepth = 100
/** Maximum number of columns of a table. */
const maxColumns = 100

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))
const skipped = names("head script style title meta link template noscript svg math canvas select iframe object")
const blocks = names(
  "address article aside blockquote body center details dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
const strong = names("b strong")
const emphasis = names("i em cite dfn var")
const struck = names("s del strike")
const monospace = names("code kbd samp tt")

const tag = ({ nodeName, nodeType }: HtmlNode): string => (nodeType === 1 ? nodeName.toLowerCase() : "")
const children = ({ childNodes }: HtmlNode): ReadonlyArray<HtmlNode> => Array.from(childNodes)
const attribute = (node: HtmlNode, name: string): string => node.getAttribute?.(name) ?? ""
const styleOf = (node: HtmlNode): string => attribute(node, "style")

/** An address in a text, which is a link without brackets: it stays as it is. */
const bareAddress = /(\b(?:https?:\/\/|www\.)[^\s<>[\]*`\\]+)/i

const escaped = (text: string): string =>
  text
    .split(bareAddress)
    .map((part, index) => (index % 2 === 1 ? part : escapedName(part)))
    .join("")

/** Signs that begin a block, or the second line of a table, only at the start of a line. */
const withSafeStart = (line: string): string =>
  line
    .replace(/^(?:#{1,6}(?=\s|$)|>|[+-](?=\s|$)|=+$|[|:]*-[-:|\s]*$)/, "\\$&")
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2")

/** A mark around a text, without the white space at its ends. */
const marked = (text: string, mark: string): string => {
  const inner = text.trim()
  if (inner === "") return text
  const start = text.indexOf(inner)
  return text.slice(0, start) + mark + inner + mark + text.slice(start + inner.length)
}

/** The longest run of backquotes in a text. */
const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))

const codeOf = (text: string): string => {
  const mark = "`".repeat(longestRun(text) + 1)
  const gap = /^`|`$|^\s.*\S.*\s$/.test(text) ? " " : ""
  return text.trim() === "" ? text : mark + gap + text.replaceAll(/\s+/g, " ") + gap + mark
}

const addressOf = (href: string): string | undefined =>
  /^(?:https?:\/\/|mailto:|tel:)\S+$/i.test(href)
    ? href.replaceAll(/[()<>\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    : undefined

/** The formats that a text has already: they are not nested in themselves. */
type Formats = ReadonlySet<string>

/** The marks of a node's own formats. */
export const formatsOf = (node: HtmlNode): ReadonlyArray<string> => {
  const name = tag(node)
  const style = styleOf(node)
  const isLight = /font-weight:\s*(?:normal|[1-5]00)/i.test(style)
  const isBold = (strong.has(name) && !isLight) || /font-weight:\s*(?:bold|[6-9]00)/i.test(style)
  const isItalic = (emphasis.has(name) && !/font-style:\s*normal/i.test(style)) || /font-style:\s*italic/i.test(style)
  const isStruck = struck.has(name) || /text-decoration[^;]*line-through/i.test(style)
  return [
    ...(isBold ? ["**"] : []),
    ...(isItalic ? ["*"] : []),
    ...(isStruck ? ["~~"] : []),
    ...(name === "mark" ? ["=="] : [])
  ]
}

const inlineOf = (nodes: ReadonlyArray<HtmlNode>, depth: number, formats: Formats): string =>
  nodes.map((node) => inline(node, depth, formats)).join("")

const inline = (node: HtmlNode, depth: number, formats: Formats): string => {
  if (node.nodeType === 3) return escaped((node.textContent ?? "").replaceAll(/\s+/g, " "))
  const name = tag(node)
  if (name === "" || skipped.has(name)) return ""
  if (depth > maxDepth) return escaped(node.textContent ?? "")
  if (name === "br") return "\n"
  if (name === "input") return ""
  if (name === "img") {
    const [alt, src] = [attribute(node, "alt").replaceAll(/\s+/g, " "), addressOf(attribute(node, "src"))]
    return src === undefined ? escaped(alt) : `![${escaped(alt)}](${src})`
  }
  if (monospace.has(name)) return codeOf(node.textContent ?? "")
  const added = formatsOf(node).filter((mark) => !formats.has(mark))
  const text = inlineOf(children(node), depth + 1, new Set([...formats, ...added]))
  const formatted = added.reduceRight(marked, text)
  const address = name === "a" ? addressOf(attribute(node, "href")) : undefined
  if (address === undefined) return formatted
  const label = formatted.trim().replaceAll(/\s+/g, " ")
  if (label === "" || label === escaped(address)) return label === "" ? "" : address
  return `[${label}](${address})`
}

const indented = (text: string, first: string): string =>
  first + text.replaceAll("\n", `\n${" ".repeat(first.length)}`).replaceAll(/\n +(?=\n|$)/g, "\n")

const boxIn = (node: HtmlNode): HtmlNode | undefined => {
  for (const child of children(node).slice(0, 3)) {
    if (tag(child) === "input" && attribute(child, "type") === "checkbox") return child
    const inner = ["p", "label", "span"].includes(tag(child)) ? boxIn(child) : undefined
    if (inner !== undefined) return inner
  }
  return undefined
}

const listOf = (node: HtmlNode, depth: number): string => {
  const items: Array<string> = []
  let number = Number.parseInt(attribute(node, "start"), 10) || 1
  for (const child of children(node)) {
    const name = tag(child)
    const isList = name === "ul" || name === "ol"
    if (name !== "li" && !isList) continue
    // Some programs write an inner list next to its item.
    if (isList && items.length > 0) {
      items.push(`${items.pop()!}\n${indented(listOf(child, depth + 1), "  ")}`)
      continue
    }
    const box = boxIn(child)
    const sign = box === undefined ? "" : box.getAttribute?.("checked") == null ? "[ ] " : "[x] "
    const mark = tag(node) === "ol" ? `${number++}. ` : "- "
    const parts = isList ? [listOf(child, depth + 1)] : blocksOf(child, depth + 1)
    const isLoose = parts.length > 1 && parts.slice(1).some((part) => !/^(?:[-*]|\d+\.) /.test(part))
    const text = indented(sign + parts.join(isLoose ? "\n\n" : "\n"), " ".repeat(mark.length))
    items.push(mark + text.slice(mark.length))
  }
  return items.join("\n")
}

const rowsOf = (node: HtmlNode, depth = 0): ReadonlyArray<ReadonlyArray<HtmlNode>> =>
  children(node).flatMap((child) => {
    if (tag(child) === "tr")
      return [
        children(child)
          .filter((cell) => ["td", "th"].includes(tag(cell)))
          .slice(0, maxColumns)
      ]
    return ["thead", "tbody", "tfoot"].includes(tag(child)) && depth === 0 ? rowsOf(child, 1) : []
  })

const tableOf = (node: HtmlNode, depth: number): ReadonlyArray<string> => {
  const rows = rowsOf(node)
  const width = Math.max(0, ...rows.map(({ length }) => length))
  // A frame of other content.
  if (width < 2) return rows.flatMap((cells) => cells.flatMap((cell) => blocksOf(cell, depth + 1)))
  const lines = rows.map((cells) => {
    const texts = Array.from({ length: width }, (_, index) => {
      const cell = cells[index]
      const text = cell === undefined ? "" : blocksOf(cell, depth + 1).join(" ")
      return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|")
    })
    return `| ${texts.join(" | ")} |`
  })
  return [[lines[0]!, `| ${Array.from({ length: width }, () => "---").join(" | ")} |`, ...lines.slice(1)].join("\n")]
}

const codeBlock = (node: HtmlNode): string => {
  const text = (node.textContent ?? "").replace(/^\n/, "").trimEnd()
  const inner = children(node).find((child) => tag(child) === "code") ?? node
  const language = /(?:^|\s)lang(?:uage)?-([\w+#-]{1,30})/.exec(attribute(inner, "class"))?.[1] ?? ""
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

const block = (node: HtmlNode, depth: number): ReadonlyArray<string> => {
  const name = tag(node)
  if (depth > maxDepth) return [escaped((node.textContent ?? "").trim())]
  switch (name) {
    case "hr":
      return ["---"]
    case "pre":
      return [codeBlock(node)]
    case "ul":
    case "ol":
      return [listOf(node, depth)]
    case "table":
      return tableOf(node, depth)
    case "blockquote":
      return [
        blocksOf(node, depth + 1)
          .join("\n\n")
          .replaceAll(/^/gm, "> ")
          .replaceAll(/ +$/gm, "")
      ]
  }
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level === undefined) return blocksOf(node, depth + 1)
  const text = inlineOf(children(node), depth, new Set(["**"]))
    .replaceAll(/\s+/g, " ")
    .trim()
  return text === "" ? [] : [`${"#".repeat(Number(level))} ${text}`]
}

/** Whether a node has a block somewhere inside: `<b>` of some programs has whole documents. */
const hasBlock = (node: HtmlNode, depth: number): boolean =>
  depth <= maxDepth && (blocks.has(tag(node)) || children(node).some((child) => hasBlock(child, depth + 1)))

/** A part of a link around blocks, in which the link is around its first words. */
const linked = (node: HtmlNode, link: HtmlNode, depth: number): HtmlNode => {
  const { nodeName, nodeType, textContent } = node
  const getAttribute = (name: string) => attribute(node, name)
  const parts = children(node)
  const at = parts.findIndex((part) => !skipped.has(tag(part)) && part.textContent?.trim())
  if (at < 0 || depth > maxDepth || tag(node) === "pre") return node
  const end = parts.findIndex((part, index) => index >= at && hasBlock(part, depth))
  const after = end < 0 ? parts.length : Math.max(end, at + 1)
  const words = parts.slice(at, after)
  const first =
    end === at
      ? linked(parts[at]!, link, depth + 1)
      : {
          nodeType: 1,
          nodeName: "A",
          textContent: words.map((word) => word.textContent).join(""),
          childNodes: words,
          getAttribute: (name: string) => attribute(link, name)
        }
  return {
    nodeType,
    nodeName,
    textContent,
    childNodes: [...parts.slice(0, at), first, ...parts.slice(after)],
    getAttribute
  }
}

const blocksOf = (node: HtmlNode, depth: number): ReadonlyArray<string> => {
  const made: Array<string> = []
  let run: Array<HtmlNode> = []
  const endRun = () => {
    const lines = inlineOf(run, depth, new Set()).split("\n")
    const text = lines
      .map((line) => withSafeStart(line.trim()))
      .join("\n")
      .replaceAll(/\n{2,}/g, "\n")
      .trim()
    if (text !== "") made.push(text)
    run = []
  }
  for (const child of children(node)) {
    if (skipped.has(tag(child))) continue
    if (!hasBlock(child, depth)) {
      run.push(child)
      continue
    }
    endRun()
    const inner = tag(child) === "a" ? linked(child, child, depth) : child
    made.push(...(blocks.has(tag(child)) ? block(child, depth) : blocksOf(inner, depth + 1)))
  }
  endRun()
  return made.filter((text) => text.trim() !== "")
}

/** The Markdown of what a page or a program has copied. */
export const markdownOf = (root: HtmlNode): string => blocksOf(root, 0).join("\n\n")
