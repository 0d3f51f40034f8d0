import type { Element, ElementContent, Nodes, Properties } from "hast"

/** Helpers for HTML of other programs, which bring it into a shape that rehype-remark supports. */

export const element = (tagName: string, children: Array<ElementContent>, properties: Properties = {}): Element => ({
  type: "element",
  tagName,
  properties,
  children
})
export const text = (value: string): ElementContent => ({ type: "text", value })

/** Whether it is an element, with one of these names if there are any. */
export const isElement = (node: Nodes | undefined, ...names: ReadonlyArray<string>): node is Element =>
  node?.type === "element" && (names.length === 0 || names.includes(node.tagName))

export const isText = (node: Nodes): boolean => node.type === "text"

export const textIn = (node: Nodes): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textIn).join("") : ""

/** Elements that each begin a new line where there are no blocks. */
export const ownLine = new Set([
  ...["br", "caption", "cell-break", "dd", "dt", "figcaption", "legend", "option", "summary"],
  ...["tbody", "td", "tfoot", "th", "thead", "tr"]
])

/** The words of a node in one line, with spaces between the words of different lines. */
export const wordsIn = (node: Nodes): string => {
  let words = ""
  const visit = (each: Nodes): void => {
    if (each.type === "text") words += each.value
    if (!("children" in each)) return
    const isLine = isBlock(each) || (isElement(each) && ownLine.has(each.tagName))
    if (isLine) words += " "
    for (const child of each.children) visit(child)
    if (isLine) words += " "
  }
  visit(node)
  return words.replaceAll(/[ \t\r\n]+/g, " ").trim()
}

export const isBlank = (node: Nodes): boolean =>
  node.type === "comment" || (node.type === "text" && node.value.trim() === "")

const shows = new Set(["callout-mark", "cell-break", "hr", "img", "input", "math", "td", "th"])

/** Whether the node shows nothing, at any depth. */
export const isNothing = (node: Nodes): boolean =>
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
export const blocks = new Set([
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
 * Turns lines that are elements into paragraphs, which blank lines separate. Elements that only contain blocks are
 * removed.
 */
export const flow = (children: ReadonlyArray<ElementContent>): Array<ElementContent> => {
  const made: Array<ElementContent> = []
  let lines: Array<Array<ElementContent>> = []
  let loose: Array<ElementContent> = []
  const endLine = (): void => {
    if (loose.every(isNothing)) {
      // A non-breaking space marks an empty line.
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

/** Formulas in the form for a line, or for a cell of a table. */
export const withLineMath = (nodes: ReadonlyArray<ElementContent>, display: "line" | "cell"): Array<ElementContent> =>
  nodes.map((node) => {
    if (!isElement(node)) return node
    if (node.tagName === "math") return { ...node, properties: { ...node.properties, display } }
    return { ...node, children: withLineMath(node.children, display) }
  })

/** Blocks as lines, for elements that cannot contain blocks: cells of tables, headings. */
export const linesOf = (
  children: ReadonlyArray<ElementContent>,
  lineBreak: "br" | "cell-break"
): Array<ElementContent> => {
  const made: Array<ElementContent> = []
  const endLine = (): void => {
    if (made.length > 0 && !isElement(made.at(-1), lineBreak)) made.push(element(lineBreak, []))
  }
  const visit = (nodes: ReadonlyArray<ElementContent>): void => {
    for (const node of nodes) {
      if (isElement(node) && (isBlock(node) || ownLine.has(node.tagName))) {
        endLine()
        if (node.tagName === "li") made.push(text("• "))
        visit(node.children)
        endLine()
      } else if (!isBlank(node) || made.length > 0) made.push(node)
    }
  }
  visit(withLineMath(children, lineBreak === "cell-break" ? "cell" : "line"))
  while (made.length > 0 && (isElement(made.at(-1), lineBreak) || isBlank(made.at(-1)!))) made.pop()
  return made
}

/** The text of a code block whose lines are elements. */
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

/** The images in a code block, which follow it because code cannot show them. */
export const imagesInCode = (node: Element): ReadonlyArray<Element> => {
  const found = elementsOf(node, ["en-media", "img"])
  return found.length === 0 ? [] : [element("p", found)]
}

const elementsOf = (node: Element, names: ReadonlyArray<string>): Array<ElementContent> =>
  node.children.flatMap((child) => {
    if (!isElement(child)) return []
    return names.includes(child.tagName) ? [child, text(" ")] : elementsOf(child, names)
  })
