import type { Element, ElementContent } from "hast"
import sax from "sax"
import type { Converted, Embedded } from "./Converted.ts"
import { cleaned } from "./Decoding.ts"
import { embeddedIn } from "./EmbeddedData.ts"
import { contentIn } from "./EnmlTree.ts"
import type { Task } from "./EnexTask.ts"
import {
  besideCode,
  codeBlock,
  codeIn,
  element,
  flow,
  isBlank,
  isElement,
  styleOf,
  text,
  textIn,
  wordsIn
} from "./Html.ts"
import { Marks } from "./HtmlMarkdown.ts"
import { regular } from "./HtmlShapes.ts"
import { paragraphs } from "./MarkdownWriter.ts"
import { isScript } from "./ScriptLinks.ts"

/** The text of a note of Evernote: XHTML with elements of its own (ENML). */

export interface EnmlText {
  readonly text: string
  /** What is called by its MD5 in the text: its name, and whether it is an image. */
  readonly media: Readonly<Record<string, { readonly filename: string; readonly isImage: boolean }>>
  readonly tasks: ReadonlyArray<Task>
  /** Front matter, ready to be put before the text. */
  readonly head: string
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

const listOf = (tasks: ReadonlyArray<Task>): Array<Element> =>
  tasks.length === 0
    ? []
    : [
        element(
          "ul",
          tasks.map(({ isDone, lines, title }) =>
            taskItem(
              isDone,
              [title, ...lines].flatMap((line, index) => (index === 0 ? [text(line)] : [element("br", []), text(line)]))
            )
          )
        )
      ]

/** Tasks of a note whose text is not known. */
export const tasksAlone = (tasks: ReadonlyArray<Task>): string =>
  tasks.length === 0
    ? ""
    : `\n${paragraphs(tasks.map(({ isDone, lines, title }) => [`${isDone ? "☑" : "☐"} ${title}`, ...lines].join("; ")))}`

class Notes {
  readonly marks: Marks
  private readonly source: EnmlText
  readonly problems: Array<Converted["problems"][number]> = []
  readonly embedded: Array<Embedded> = []
  /** Lists that were lines with check boxes. */
  private readonly lines = new Set<Element>()
  private readonly shownGroups = new Set<string>()

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
      const isKnown = /^[\w+#-]{1,30}$/.test(language) && language !== "plaintext"
      return [codeBlock(codeIn(node), isKnown ? language : undefined), ...this.nodes(besideCode(node))]
    }
    if (isTrue(style.get("--en-task-group"))) {
      const group = style.get("--en-id") ?? ""
      const isShown = this.shownGroups.has(group)
      this.shownGroups.add(group)
      return [...(isShown ? [] : listOf(this.tasksIn(group))), ...this.nodes(node.children)]
    }
    switch (tagName) {
      case "en-media":
        return [this.media(node)]
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

  private tasksIn(group: string): ReadonlyArray<Task> {
    return this.source.tasks.filter((task) => task.group === group)
  }

  /** Tasks of groups that the text does not show. */
  otherTasks(): Array<Element> {
    return listOf(this.source.tasks.filter(({ group }) => !this.shownGroups.has(group)))
  }

  private media({ properties }: Element): Element {
    const hash = String(properties["hash"] ?? "").toLowerCase()
    const known = this.source.media[hash]
    const isImage = known?.isImage ?? String(properties["type"] ?? "").startsWith("image/")
    const href = this.marks.add(hash, "media", isImage)
    const name = known?.filename ?? (hash === "" ? "attachment" : hash)
    const said = [properties["alt"], properties["title"]].find((each) => typeof each === "string" && each.trim() !== "")
    return isImage
      ? element("img", [], { src: href, alt: said === undefined ? name : String(said) })
      : element("a", [text(name)], { href })
  }

  /** A file that stands in the text: a link to it; undefined where it is none. */
  private embed(url: string, isEmbed: boolean): { readonly href: string; readonly name: string } | undefined {
    const file = embeddedIn(url, this.embedded.length + 1)
    if (file === undefined) return undefined
    const { isDamaged, ...embedded } = file
    if (isDamaged) {
      const message = `The bytes of its file "${embedded.filename}" are not all base64; what could be read of them is kept`
      this.problems.push({ code: "damaged", message })
    }
    const count = this.embedded.push(embedded)
    return { href: this.marks.add(`data:${count - 1}`, "media", isEmbed), name: embedded.filename }
  }

  private image(node: Element): Array<ElementContent> {
    const { alt, src, title } = node.properties
    const said = typeof alt === "string" ? alt : ""
    if (typeof src !== "string" || src.trim() === "") return said === "" ? [] : [text(said)]
    const file = this.embed(src, true)
    const more = typeof title === "string" && title !== "" ? { title } : {}
    if (file !== undefined)
      return [element("img", [], { src: file.href, alt: said === "" ? file.name : said, ...more })]
    return [element("img", [], { src, alt: said, ...more })]
  }

  private link(node: Element): Element {
    const { href, title } = node.properties
    if (typeof href !== "string" || href.trim() === "") return element("span", node.children)
    const label = wordsIn(node)
    // A page is not kept as a file: in a browser it could run scripts.
    const file = isScript(href) ? undefined : this.embed(href, false)
    const isEmpty = label === "" && !node.children.some((child) => isElement(child, "img"))
    const children = isEmpty ? [text(file?.name ?? href)] : node.children
    // A note is known by its title: links name it by an id that no export has.
    const isNote =
      /^(?:evernote:\/\/\/view\/|https?:\/\/(?:www|app|sandbox)\.evernote\.com\/(?:shard|client|Home))/i.test(href)
    return element("a", children, {
      href:
        file?.href ?? (isNote && label !== "" && label !== href ? this.marks.add(label, "note", false, href) : href),
      ...(typeof title === "string" && title !== "" ? { title } : {})
    })
  }
}

/** The Markdown of a note. */
export const convertEnml = (source: EnmlText): Converted => {
  const note = new Notes(source)
  const { isWhole, nodes } = contentIn(source.text)
  const shown = note.nodes(nodes)
  const children = flow([...shown, ...note.otherTasks()].flatMap((node) => regular(node)))
  const { problems, ...cut } = note.marks.cut({ type: "root", children }, source.head)
  const broken = {
    code: "not_well_formed",
    message: "The XML of its text is not well formed: it is read as HTML, and its source is attached to it"
  } as const
  return {
    ...cut,
    tags: [],
    problems: [...note.problems, ...problems, ...(isWhole ? [] : [broken])],
    keepsSource: !isWhole,
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
