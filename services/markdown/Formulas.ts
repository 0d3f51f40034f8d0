import type { Element, ElementContent, Nodes, Properties, Root } from "hast"
import rehypeParse from "rehype-parse"
import rehypeSanitize from "rehype-sanitize"
import { unified } from "unified"
import temml from "temml"

/** Converts TeX to MathML, which browsers render without scripts. */

/** Maximum characters of TeX in a formula and in a note. A formula beyond them is shown as its source. */
const maxOfFormula = 8 * 1024
const maxOfNote = 64 * 1024
/** Maximum depth of a formula: functions that walk a deeper tree could exhaust the stack. */
const maxDepth = 100

const options = {
  trust: false,
  strict: false,
  throwOnError: true,
  maxExpand: 1_000,
  maxSize: [20, 20] as [number, number]
}

const elements = [
  ...["math", "maction", "menclose", "merror", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded"],
  ...["mphantom", "mprescripts", "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup"],
  ...["mtable", "mtd", "mtext", "mtr", "munder", "munderover"]
]

const attributes = [
  ...["accent", "accentunder", "columnspacing", "columnlines", "columnspan", "depth", "display", "displaystyle"],
  ...["fence", "form", "frame", "height", "largeop", "linethickness", "lspace", "mathbackground", "mathcolor"],
  ...["mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowspacing", "rowspan", "rspace"],
  ...["scriptlevel", "separator", "stretchy", "style", "symmetric", "voffset", "width"]
]

/** The elements and attributes that Temml writes with these options. All others are removed. */
const allowed = {
  strip: ["script", "style", "annotation", "annotation-xml"],
  tagNames: elements,
  attributes: { "*": [...attributes, "className"] },
  protocols: {},
  clobber: [],
  clobberPrefix: ""
}

const read = unified().use(rehypeParse, { fragment: true }).freeze()
const sanitize = unified().use(rehypeSanitize, allowed).freeze()

/** The pages allow no inline styles: the styles that matter become classes and attributes. */
const styled = ({ style, ...properties }: Properties): Properties => {
  if (typeof style !== "string") return properties
  const classes = Array.isArray(properties["className"]) ? [...properties["className"]] : []
  const made: Properties = { ...properties }
  for (const declaration of style.split(";")) {
    const [name = "", value = ""] = declaration.split(":").map((part) => part.trim())
    if (name === "color" && /^#[0-9a-f]{6}$/i.test(value)) made["mathcolor"] = value
    else if (name === "padding-left" && value === "0em") classes.push("tml-l0")
    else if (name === "padding-right" && value === "0em") classes.push("tml-r0")
    else if (name === "text-align" && value === "left") classes.push("tml-left")
    else if (name === "border" && value === "1px solid") classes.push("tml-fbox")
  }
  return classes.length === 0 ? made : { ...made, className: classes }
}

const finished = (node: ElementContent, depth: number): ElementContent => {
  if (node.type !== "element") return node
  if (depth > maxDepth) throw new RangeError("The formula is nested too deeply")
  return {
    type: "element",
    tagName: node.tagName,
    properties: styled(node.properties),
    children: node.children.map((child) => finished(child, depth + 1))
  }
}

/** Line breaks of a display formula need an environment in MathML. */
const inLines = (tex: string): string =>
  tex.includes("\\\\") && !tex.includes("\\begin{") ? `\\begin{gathered}${tex}\\end{gathered}` : tex

const mathOf = (tex: string, isDisplay: boolean): Element | undefined => {
  try {
    const text = temml.renderToString(isDisplay ? inLines(tex) : tex, {
      ...options,
      displayMode: isDisplay,
      wrap: isDisplay ? "none" : "tex"
    })
    const [math] = (sanitize.runSync(read.parse(text)) as Root).children
    return math?.type === "element" && math.tagName === "math" ? (finished(math, 0) as Element) : undefined
  } catch {
    // Invalid TeX is shown as its source.
    return undefined
  }
}

const textOf = (node: Nodes): string =>
  node.type === "text" ? node.value : "children" in node ? node.children.map(textOf).join("") : ""

/** Whether an element holds a formula, as `remark-math` leaves it. */
export const isFormula = ({ properties, tagName }: Element): boolean =>
  tagName === "code" &&
  Array.isArray(properties["className"]) &&
  (properties["className"].includes("math-inline") || properties["className"].includes("math-display"))

/** The formulas of one note. Equal formulas are rendered once. */
export class Formulas {
  readonly #made = new Map<string, Element | undefined>()
  #left = maxOfNote

  /** Returns the element that replaces an element with TeX. */
  of(code: Element): Element {
    const tex = textOf(code).trim()
    const isDisplay = (code.properties["className"] as ReadonlyArray<unknown>).includes("math-display")
    const key = `${isDisplay ? "block" : "inline"} ${tex}`
    if (!this.#made.has(key) && tex !== "" && tex.length <= Math.min(maxOfFormula, this.#left)) {
      this.#left -= tex.length
      this.#made.set(key, mathOf(tex, isDisplay))
    }
    const math = this.#made.get(key)
    const shown: Element = math ?? {
      type: "element",
      tagName: "code",
      properties: { className: ["tex"] },
      children: [{ type: "text", value: tex }]
    }
    if (!isDisplay) return shown
    return { type: "element", tagName: "span", properties: { className: ["formula"], tabIndex: 0 }, children: [shown] }
  }
}
