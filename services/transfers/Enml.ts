import type { Element, ElementContent, Properties, Root } from "hast"
import rehypeParse from "rehype-parse"
import sax from "sax"
import { unified } from "unified"
import type { Converted, Embedded } from "./Converted.ts"
import { cleaned } from "./Decoding.ts"
import { codeBlock, codeIn, element, flow, isBlank, isElement, regular, styleOf, text, textIn } from "./Html.ts"
import { Marks } from "./HtmlMarkdown.ts"

/** The text of a note of Evernote: XHTML with elements of its own (ENML). */

export interface Task {
  readonly group: string
  readonly title: string
  readonly isDone: boolean
}

export interface EnmlText {
  readonly text: string
  /** What is called by its MD5 in the text: its name, and whether it is an image. */
  readonly media: Readonly<Record<string, { readonly filename: string; readonly isImage: boolean }>>
  readonly tasks: ReadonlyArray<Task>
  /** Front matter, ready to be put before the text. */
  readonly head: string
}

const htmlParser = unified().use(rehypeParse, { fragment: true }).freeze()

/** What is nested deeper lies beside one another. */
const deepest = 200

const propertiesOf = (attributes: Readonly<Record<string, unknown>>): Properties =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      const written = String(value)
      if (name === "class") return ["className", written.split(/\s+/)]
      if (name === "colspan" || name === "rowspan")
        return [name === "colspan" ? "colSpan" : "rowSpan", Number(written) || 1]
      return [name, written]
    })
  )

/** A tree of well-formed ENML; undefined where it is none. No entity is expanded but those of XHTML. */
const treeOfXml = (source: string): Root | undefined => {
  const root: Root = { type: "root", children: [] }
  const open: Array<Root | Element> = [root]
  let depth = 0
  let isWrong = false
  const parser = sax.parser(true, { position: false })
  const add = (value: string) => {
    const parent = open.at(-1)!
    const last = parent.children.at(-1)
    if (last?.type === "text") last.value += value
    else parent.children.push({ type: "text", value })
  }
  parser.onerror = () => {
    isWrong = true
    parser.resume()
  }
  parser.ontext = add
  parser.oncdata = add
  parser.onopentag = ({ attributes, name }) => {
    depth++
    const made = element(name.toLowerCase(), [], propertiesOf(attributes))
    open.at(-1)!.children.push(made)
    if (depth < deepest) open.push(made)
  }
  parser.onclosetag = () => {
    if (depth-- < deepest) open.pop()
  }
  parser.write(source).close()
  return isWrong ? undefined : root
}

const decoded = (data: string): string => {
  try {
    return decodeURIComponent(data)
  } catch {
    return data
  }
}

const ownElements = new Set(["en-media", "en-todo"])

/** HTML knows no elements of Evernote: those that end at once hold what follows them. */
const lifted = (nodes: ReadonlyArray<ElementContent>): Array<ElementContent> =>
  nodes.flatMap((node) => {
    if (!isElement(node)) return [node]
    const children = lifted(node.children)
    return ownElements.has(node.tagName) ? [{ ...node, children: [] }, ...children] : [{ ...node, children }]
  })

const contentOf = (nodes: Root["children"]): Array<ElementContent> =>
  nodes.filter((node): node is ElementContent => node.type !== "doctype")

const rootOf = (source: string): Array<ElementContent> => {
  const tree = treeOfXml(source)
  // What is no XML is read as what a browser makes of it.
  const children = contentOf((tree ?? htmlParser.parse(source)).children)
  const content = tree === undefined ? lifted(children) : children
  const note = content.find((node) => isElement(node, "en-note"))
  return isElement(note) ? note.children : content
}

const isTrue = (value: unknown): boolean => String(value).toLowerCase() === "true"
const box = (isChecked: boolean): Element =>
  element("input", [], { type: "checkbox", ...(isChecked ? { checked: true } : {}) })

/** The check box that a line begins with, taken out of it. */
const leadingTodo = (
  node: Element
): { readonly isChecked: boolean; readonly children: Array<ElementContent> } | undefined => {
  const at = node.children.findIndex((child) => !isBlank(child))
  const first = node.children[at]
  if (!isElement(first)) return undefined
  const rest = node.children.slice(at + 1)
  if (first.tagName === "en-todo") return { isChecked: isTrue(first.properties["checked"]), children: rest }
  if (!["div", "p", "span", "font", "b", "i", "u"].includes(first.tagName)) return undefined
  const inner = leadingTodo(first)
  return inner === undefined ? undefined : { ...inner, children: [{ ...first, children: inner.children }, ...rest] }
}

const taskItem = (isDone: boolean, children: Array<ElementContent>): Element =>
  element("li", [box(isDone), ...children])

class Notes {
  readonly marks: Marks
  private readonly source: EnmlText
  readonly problems: Array<Converted["problems"][number]> = []
  readonly embedded: Array<Embedded> = []
  /** Lists that were lines with check boxes. */
  private readonly lines = new Set<Element>()

  constructor(source: EnmlText) {
    this.source = source
    this.marks = new Marks(source.text)
  }

  nodes(nodes: ReadonlyArray<ElementContent>): Array<ElementContent> {
    const made: Array<ElementContent> = []
    for (const node of nodes) {
      if (isElement(node, "div", "p")) {
        const todo = leadingTodo(node)
        if (todo !== undefined) {
          const item = taskItem(todo.isChecked, this.nodes(todo.children))
          const last = made.findLast((each) => !isBlank(each))
          // Lines of one list stand beside one another.
          if (isElement(last, "ul") && this.lines.has(last)) last.children.push(item)
          else {
            const list = element("ul", [item])
            this.lines.add(list)
            made.push(list)
          }
          continue
        }
      }
      made.push(...(isElement(node) ? this.element(node) : [node]))
    }
    return made
  }

  private element(node: Element): Array<ElementContent> {
    const style = styleOf(node)
    const { properties, tagName } = node
    if (isTrue(style.get("-en-codeblock")) || isTrue(style.get("--en-codeblock"))) {
      const language = style.get("--en-codeblocklanguage") ?? ""
      return [
        codeBlock(codeIn(node), /^[\w+#-]{1,30}$/.test(language) && language !== "plaintext" ? language : undefined)
      ]
    }
    if (isTrue(style.get("--en-task-group"))) {
      const group = this.source.tasks.filter((task) => task.group === style.get("--en-id"))
      return group.length === 0
        ? []
        : [
            element(
              "ul",
              group.map(({ isDone, title }) => taskItem(isDone, [text(title)]))
            )
          ]
    }
    switch (tagName) {
      case "en-media":
        return [this.media(String(properties["hash"] ?? "").toLowerCase(), String(properties["type"] ?? ""))]
      case "en-todo":
        return [text(isTrue(properties["checked"]) ? "☑ " : "☐ ")]
      case "en-crypt": {
        const hint = properties["hint"]
        this.problems.push({
          code: "encrypted_text",
          message: "Encrypted text of it is kept as it is; Evernote can read it"
        })
        return [
          element("p", [
            text(`Encrypted in Evernote${typeof hint === "string" && hint !== "" ? ` (hint: ${hint})` : ""}:`)
          ]),
          codeBlock(textIn(node).trim(), "en-crypt")
        ]
      }
      case "img":
        return this.image(node)
      case "a":
        return [this.link({ ...node, children: this.nodes(node.children) })]
      case "li": {
        const checked = style.get("--en-checked")
        const todo = leadingTodo(node)
        if (todo !== undefined) return [taskItem(todo.isChecked, this.nodes(todo.children))]
        return [
          checked === undefined
            ? { ...node, children: this.nodes(node.children) }
            : taskItem(isTrue(checked), this.nodes(node.children))
        ]
      }
      default:
        return [{ ...node, children: this.nodes(node.children) }]
    }
  }

  private media(hash: string, type: string): Element {
    const known = this.source.media[hash]
    const isImage = known?.isImage ?? type.startsWith("image/")
    const href = this.marks.add(hash, "media", isImage)
    const name = known?.filename ?? (hash === "" ? "attachment" : hash)
    return isImage ? element("img", [], { src: href, alt: name }) : element("a", [text(name)], { href })
  }

  private image(node: Element): Array<ElementContent> {
    const { alt, src } = node.properties
    if (typeof src !== "string" || src === "") return []
    const [, type = "", base64, data = ""] =
      /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,100}?(;base64)?,([\s\S]*)$/.exec(src) ?? []
    if (type !== "") {
      const ending =
        { jpeg: "jpg", "svg+xml": "svg" }[type.slice(type.indexOf("/") + 1)] ?? type.slice(type.indexOf("/") + 1)
      const count = this.embedded.push({
        filename: `embedded ${this.embedded.length + 1}.${ending}`,
        content_type: type,
        base64: base64 === undefined ? Buffer.from(decoded(data)).toString("base64") : data
      })
      const name = typeof alt === "string" && alt !== "" ? alt : `embedded ${count}.${ending}`
      return [element("img", [], { src: this.marks.add(`data:${count - 1}`, "media", true), alt: name })]
    }
    return [element("img", [], { src, alt: typeof alt === "string" ? alt : "" })]
  }

  private link(node: Element): Element {
    const { href } = node.properties
    if (typeof href !== "string") return element("span", node.children)
    const label = textIn(node).trim()
    const children =
      label === "" && !node.children.some((child) => isElement(child, "img")) ? [text(href)] : node.children
    // A note is known by its title: links name it by an id that no export has.
    const isNote =
      /^(?:evernote:\/\/\/view\/|https?:\/\/(?:www|app|sandbox)\.evernote\.com\/(?:shard|client|Home))/i.test(href)
    return element("a", children, {
      href: isNote && label !== "" && label !== href ? this.marks.add(label, "note", false, href) : href
    })
  }
}

/** The Markdown of a note. */
export const convertEnml = (source: EnmlText): Converted => {
  const note = new Notes(source)
  const children = flow(note.nodes(rootOf(source.text)).flatMap(regular))
  return {
    ...note.marks.cut({ type: "root", children }, source.head),
    tags: [],
    problems: note.problems,
    embedded: note.embedded
  }
}

/** The words of HTML alone, however deep its elements lie in one another. */
export const plainText = (source: string): string => {
  let words = ""
  let hidden = 0
  const parser = sax.parser(false, { position: false })
  const add = (value: string) => {
    if (hidden === 0) words += value
  }
  parser.ontext = add
  parser.oncdata = add
  parser.onopentag = ({ name }) => {
    if (/^(?:HEAD|STYLE|SCRIPT)$/.test(name)) hidden++
  }
  parser.onclosetag = (name) => {
    if (/^(?:HEAD|STYLE|SCRIPT)$/.test(name)) hidden--
    else if (/^(?:DIV|P|LI|H[1-6]|TR)$/.test(name)) add("\n")
  }
  parser.onerror = () => parser.resume()
  parser.write(source).close()
  return cleaned(words)
}
