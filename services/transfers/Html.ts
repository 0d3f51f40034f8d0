import type { Element, ElementContent, Nodes, Properties } from "hast"

/** HTML of other programs, brought into the shape that rehype-remark knows. */

export const element = (tagName: string, children: Array<ElementContent>, properties: Properties = {}): Element => ({
  type: "element",
  tagName,
  properties,
  children
})
export const text = (value: string): ElementContent => ({ type: "text", value })

/** Whether it is an element, of one of these names if there are any. */
export const isElement = (node: Nodes | undefined, ...names: ReadonlyArray<string>): node is Element =>
  node?.type === "element" && (names.length === 0 || names.includes(node.tagName))

export const textIn = (node: Nodes): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textIn).join("") : ""

export const isBlank = (node: Nodes): boolean =>
  node.type === "comment" || (node.type === "text" && node.value.trim() === "")

const shows = new Set(["callout-mark", "cell-break", "hr", "img", "input", "math", "td", "th"])

/** Whether nothing of it is to be seen, however deep it is. */
const isNothing = (node: Nodes): boolean =>
  isBlank(node) || (node.type === "element" && !shows.has(node.tagName) && node.children.every(isNothing))

/** The declarations of a `style`. */
export const styleOf = (node: Element): ReadonlyMap<string, string> => {
  const { style } = node.properties
  const found = new Map<string, string>()
  if (typeof style !== "string") return found
  for (const declaration of style.split(";")) {
    const colon = declaration.indexOf(":")
    if (colon > 0) found.set(declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim())
  }
  return found
}

export const classesOf = ({ properties }: Element): ReadonlyArray<string> =>
  Array.isArray(properties["className"]) ? properties["className"].map(String) : []

const generic = new Set([
  "article",
  "center",
  "div",
  "footer",
  "header",
  "main",
  "nav",
  "section",
  "tbody",
  "body",
  "html"
])
const blocks = new Set([
  ...[
    "address",
    "aside",
    "blockquote",
    "details",
    "dl",
    "fieldset",
    "figure",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6"
  ],
  ...["hr", "li", "ol", "p", "pre", "table", "ul"],
  ...generic
])
const inlineWrappers = new Set([
  "a",
  "abbr",
  "b",
  "big",
  "del",
  "em",
  "font",
  "i",
  "ins",
  "mark",
  "s",
  "small",
  "span",
  "strike"
])

export const isBlock = (node: Nodes): boolean => node.type === "element" && blocks.has(node.tagName)
const hasBlock = (node: Element): boolean =>
  node.children.some(
    (child) => isBlock(child) || (isElement(child) && inlineWrappers.has(child.tagName) && hasBlock(child))
  )

/**
 * Lines, each of which is an element of its own, as paragraphs: a blank one stands between two. What holds blocks only
 * to hold them is gone.
 */
export const flow = (children: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  const made: Array<ElementContent> = []
  let lines: Array<Array<ElementContent>> = []
  let loose: Array<ElementContent> = []
  const endLine = (): void => {
    if (loose.every(isNothing)) {
      // A space that must not be broken stands for an empty line.
      if (loose.some((node) => textIn(node).includes("\u00a0"))) {
        loose = []
        endParagraph()
      }
    } else lines.push(loose)
    loose = []
  }
  const endParagraph = (): void => {
    endLine()
    if (lines.length > 0) {
      made.push(
        element(
          "p",
          lines.flatMap((line, index) => (index === 0 ? line : [element("br", []), ...line]))
        )
      )
    }
    lines = []
  }
  const visit = (nodes: ReadonlyArray<ElementContent>): void => {
    for (const node of nodes) {
      if (!isElement(node)) loose.push(node)
      else if (node.tagName === "br") {
        if (loose.every(isNothing)) endParagraph()
        else endLine()
      } else if (!isBlock(node)) {
        if (inlineWrappers.has(node.tagName) && node.tagName !== "a" && hasBlock(node)) visit(node.children)
        else loose.push(node)
      } else if (node.tagName === "p") {
        endParagraph()
        if (!isNothing(node)) made.push(...(hasBlock(node) ? flow(node.children) : [node]))
      } else if (!generic.has(node.tagName)) {
        endParagraph()
        made.push(node)
      } else {
        endLine()
        if (hasBlock(node)) visit(node.children)
        else if (isNothing(node)) {
          if (node.children.length > 0) endParagraph()
        } else {
          const last = node.children.findLastIndex((child) => !isBlank(child))
          lines.push(isElement(node.children[last], "br") ? node.children.slice(0, last) : node.children)
        }
        endLine()
      }
    }
  }
  visit(children)
  endParagraph()
  return made
}

/** What a cell of a table may hold: lines, but no blocks. */
const cellLines = (children: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  const made: Array<ElementContent> = []
  const lineBreak = (): void => {
    if (made.length > 0 && !isElement(made.at(-1), "cell-break")) made.push(element("cell-break", []))
  }
  const visit = (nodes: ReadonlyArray<ElementContent>): void => {
    for (const node of nodes) {
      if (isElement(node) && (isBlock(node) || ["br", "td", "th", "tr"].includes(node.tagName))) {
        lineBreak()
        if (node.tagName === "li") made.push(text("• "))
        visit(node.children)
        lineBreak()
      } else if (!isBlank(node) || made.length > 0) made.push(node)
    }
  }
  visit(children)
  while (made.length > 0 && (isElement(made.at(-1), "cell-break") || isBlank(made.at(-1)!))) made.pop()
  return made
}

/** The lines of code, whose lines are elements. */
export const codeIn = (node: Element): string => {
  const lines: Array<string> = []
  let line = ""
  const end = () => {
    lines.push(line)
    line = ""
  }
  const visit = (each: Nodes): void => {
    if (each.type === "text") line += each.value.replaceAll("\u00a0", " ")
    else if (each.type === "element" && each.tagName === "br") end()
    else if ("children" in each) {
      const isLine = isBlock(each)
      if (isLine && line !== "") end()
      const before = lines.length
      for (const child of each.children) visit(child)
      if (isLine && (line !== "" || lines.length === before)) end()
    }
  }
  for (const child of node.children) visit(child)
  if (line !== "") end()
  return lines.join("\n")
}

export const codeBlock = (code: string, language: string | undefined): Element =>
  element("pre", [
    element(
      "code",
      [text(code.endsWith("\n") ? code : `${code}\n`)],
      language === undefined ? {} : { className: [`language-${language}`] }
    )
  ])

const lists = ["ul", "ol"]

/** Puts a list below an item: one of its kind that is there goes on. */
const below = (item: Element, list: ElementContent): void => {
  const at = item.children.findLastIndex((child) => !isBlank(child))
  const last = item.children[at]
  if (isElement(list, ...lists) && isElement(last, list.tagName)) {
    item.children[at] = { ...last, children: [...last.children, ...list.children] }
  } else item.children.push(list)
}

/** A list with its sub-lists where they belong: within the item before them. */
const listOf = (list: Element): Element => {
  const items: Array<ElementContent> = []
  for (const child of list.children) {
    const last = items.at(-1)
    const hasOnlyLists =
      isElement(child, "li") &&
      child.children.some((each) => isElement(each, ...lists)) &&
      child.children.every((each) => isBlank(each) || isElement(each, ...lists))
    if (hasOnlyLists && isElement(last, "li")) for (const each of child.children) below(last, each)
    else if (isElement(child, "li")) items.push({ ...child, children: [...child.children] })
    else if (isElement(child, ...lists) && isElement(last, "li")) below(last, child)
    else if (!isBlank(child)) items.push(element("li", [child]))
  }
  return { ...list, children: items }
}

const wrap = (names: ReadonlyArray<string>, children: Array<ElementContent>): Array<ElementContent> =>
  names.reduceRight((inner, name) => [element(name, inner)], children)

/** What a style says, as elements. */
const styled = (style: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const weight = style.get("font-weight") ?? ""
  const line = `${style.get("text-decoration") ?? ""} ${style.get("text-decoration-line") ?? ""}`
  return [
    ...(style.has("-evernote-highlight") || style.has("--en-highlight") ? ["mark"] : []),
    ...(/^(?:bold|bolder|[6-9]00)/.test(weight) ? ["strong"] : []),
    ...((style.get("font-style") ?? "").startsWith("italic") ? ["em"] : []),
    ...(line.includes("line-through") ? ["del"] : []),
    ...(line.includes("underline") ? ["u"] : [])
  ]
}

const emphasised = new Set(["b", "strong", "i", "em", "u", "mark", "s", "del", "strike", "ins", "sub", "sup"])

/** Brings what is the same in all programs into shape: styles, lists, tables, and emphasis of nothing. */
export const regular = (node: ElementContent): ReadonlyArray<ElementContent> => {
  if (!isElement(node)) return node.type === "comment" ? [] : [node]
  if (["script", "style", "title", "head", "noscript", "template", "colgroup"].includes(node.tagName)) return []
  if (node.tagName === "pre") return [node]
  const list = lists.includes(node.tagName) ? listOf(node) : node
  const children = list.children.flatMap(regular)
  if (emphasised.has(node.tagName)) {
    const isEmpty = children.every((child) => isBlank(child) || isElement(child, "br"))
    return isEmpty || children.some(isBlock) ? children : [{ ...node, children }]
  }
  if (["td", "th"].includes(node.tagName)) return [{ ...node, children: cellLines(children) }]
  if (node.tagName === "li") return [{ ...node, children: itemOf(children) }]
  if (node.tagName === "blockquote") return [{ ...node, children: flow(children) }]
  if (node.tagName === "details") {
    const summary = children.filter((child) => isElement(child, "summary"))
    return [{ ...node, children: [...summary, ...flow(children.filter((child) => !isElement(child, "summary")))] }]
  }
  if (["span", "font"].includes(node.tagName)) {
    const names = styled(styleOf(node))
    return names.length === 0 || children.every(isBlank) || children.some(isBlock)
      ? [{ ...node, children }]
      : wrap(names, children)
  }
  return [{ ...list, children }]
}

/** A tight item has its first line without a paragraph; its check box stays before that. */
const itemOf = (children: Array<ElementContent>): Array<ElementContent> => {
  const box = children.findIndex((child) => isElement(child, "input"))
  const made = flow(children.filter((_, index) => index !== box))
  const [first] = made
  const inner =
    isElement(first, "p") && made.filter((child) => isElement(child, "p")).length === 1
      ? [...first.children, ...made.slice(1)]
      : made
  return box < 0 ? inner : [children[box]!, ...inner]
}
