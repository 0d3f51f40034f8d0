import type { Element, ElementContent, Properties } from "hast"
import sax from "sax"
import { type Converted, type Embedded, namedIn } from "../Converted.ts"
import { cleaned } from "../Decoding.ts"
import { embeddedIn } from "../EmbeddedData.ts"
import { contentIn } from "./EnmlTree.ts"
import type { Task } from "./EnexTask.ts"
import {
  codeBlock,
  codeIn,
  element,
  flow,
  imagesInCode,
  isBlank,
  isElement,
  styleOf,
  text,
  textIn,
  wordsIn
} from "../html/Html.ts"
import { LinkPlaceholders } from "../html/HtmlMarkdown.ts"
import { normalizeHtml } from "../html/NormalizeHtml.ts"
import { isScript } from "../ScriptLinks.ts"
import { flows, holdsLines, isTrue, listOf, taskItem, todosIn, withTodoLines } from "./EnmlTasks.ts"

/** Converts the text of an Evernote note: XHTML with additional elements (ENML). */

export interface EnmlText {
  readonly text: string
  /** Files that the text names by their MD5: the file name, and whether it is an image. */
  readonly media: Readonly<Record<string, { readonly filename: string; readonly isImage: boolean }>>
  /** Names of files with missing bytes: the text names them by a hash that differs from theirs. */
  readonly damaged?: ReadonlyArray<string>
  readonly tasks: ReadonlyArray<Task>
  /** Front matter that is put before the text. */
  readonly head: string
}

/** The description of a file. */
const descriptionOf = ({ alt, title }: Properties): string | undefined =>
  [alt, title].find((each): each is string => typeof each === "string" && each.trim() !== "")

const hashesIn = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(/<en-media\b[^>]*?\bhash\s*=\s*["']?([\w-]*)/gi)].map(([, hash = ""]) => hash.toLowerCase())

class Notes {
  readonly marks: LinkPlaceholders
  readonly #source: EnmlText
  readonly problems: Array<Converted["problems"][number]> = []
  readonly embedded: Array<Embedded> = []
  /** Lists that were lines with check boxes. */
  readonly #lines = new Set<Element>()
  /** Hashes of files that the export does not contain. */
  #sought: ReadonlySet<string> | undefined
  readonly #shownGroups = new Set<string>()

  constructor(source: EnmlText) {
    this.#source = source
    this.marks = new LinkPlaceholders(source.text)
  }

  /** Converts the content of an element; a list of check boxes is made only where blocks are allowed. */
  nodes(nodes: ReadonlyArray<ElementContent>, mayHoldBlocks = false): Array<ElementContent> {
    const made: Array<ElementContent> = []
    for (const node of mayHoldBlocks ? withTodoLines(nodes) : nodes) {
      // Lines that have elements are separate lists.
      const items = isElement(node, "div", "p") && !holdsLines(node) ? todosIn(node) : []
      if (items.length === 0) {
        made.push(...(isElement(node) ? this.#element(node) : [node]))
        continue
      }
      const children = items.map((todo) => taskItem(todo.isChecked, this.nodes(todo.children)))
      const last = made.findLast((each) => !isBlank(each))
      // Adjacent lines form one list.
      if (isElement(last, "ul") && this.#lines.has(last)) last.children.push(...children)
      else {
        const list = element("ul", children)
        this.#lines.add(list)
        made.push(list)
      }
    }
    return made
  }

  #element(node: Element): Array<ElementContent> {
    const style = styleOf(node)
    const { properties, tagName } = node
    if (isTrue(style.get("-en-codeblock")) || isTrue(style.get("--en-codeblock"))) {
      const language = style.get("--en-codeblocklanguage") ?? style.get("--en-syntaxlanguage") ?? ""
      const isKnown = /^[\w+#-]{1,30}$/.test(language) && language !== "plaintext"
      return [codeBlock(codeIn(node), isKnown ? language : undefined), ...this.nodes(imagesInCode(node))]
    }
    if (isTrue(style.get("--en-task-group"))) {
      const group = style.get("--en-id") ?? ""
      const isShown = this.#shownGroups.has(group)
      this.#shownGroups.add(group)
      const tasks = isShown ? [] : listOf(this.#tasksIn(group))
      // The text of the group is a block of its own: directly next to the text of another group, words would join.
      const content = this.nodes(node.children, true)
      return content.length === 0 ? tasks : [...tasks, { ...node, children: content }]
    }
    switch (tagName) {
      case "en-media":
        return [this.#media(node)]
      case "en-todo":
        return [text(isTrue(properties["checked"]) ? "☑ " : "☐ ")]
      case "en-crypt": {
        const hint = properties["hint"]
        this.problems.push({
          code: "encrypted_text",
          message: "Its encrypted text is kept as it is; Evernote can decrypt it"
        })
        return [
          element("p", [
            text(`Encrypted in Evernote${typeof hint === "string" && hint !== "" ? ` (hint: ${hint})` : ""}:`)
          ]),
          codeBlock(textIn(node).trim(), "en-crypt")
        ]
      }
      case "img":
        return this.#image(node)
      case "a":
        return [this.#link({ ...node, children: this.nodes(node.children) })]
      case "li": {
        const checked = style.get("--en-checked")
        const todos = todosIn(node)
        if (todos.length > 0) return todos.map((todo) => taskItem(todo.isChecked, this.nodes(todo.children)))
        return [
          checked === undefined
            ? { ...node, children: this.nodes(node.children) }
            : taskItem(isTrue(checked), this.nodes(node.children))
        ]
      }
      default:
        return [{ ...node, children: this.nodes(node.children, flows.has(tagName)) }]
    }
  }

  #tasksIn(group: string): ReadonlyArray<Task> {
    return this.#source.tasks.filter((task) => task.group === group)
  }

  /** Tasks of groups that the text does not show. */
  otherTasks(): Array<Element> {
    return listOf(this.#source.tasks.filter(({ group }) => !this.#shownGroups.has(group)))
  }

  #media({ properties }: Element): ElementContent {
    const hash = String(properties["hash"] ?? "").toLowerCase()
    const known = this.#source.media[hash]
    if (known === undefined) return this.#missing(hash, properties)
    const { filename, isImage } = known
    const href = this.marks.add(hash, "media", isImage)
    return isImage
      ? element("img", [], { src: href, alt: descriptionOf(properties) ?? filename })
      : element("a", [text(filename)], { href })
  }

  /** Text in place of a file that the export does not contain. */
  #missing(hash: string, properties: Properties): ElementContent {
    const { damaged = [] } = this.#source
    // The hash of a damaged file is unknown: the name fits only if one file is damaged and one hash is missing.
    this.#sought ??= new Set(hashesIn(this.#source.text).filter((each) => this.#source.media[each] === undefined))
    const filename = damaged.length === 1 && this.#sought.size <= 1 ? damaged[0] : undefined
    const type = String(properties["type"] ?? "")
    const name = filename ?? descriptionOf(properties) ?? (type === "" ? "of an unknown type" : `of the type ${type}`)
    const called = filename === undefined ? "" : `, the file "${filename}"`
    const message = `A file that it shows is missing from the export, and is replaced by text: ${namedIn([hash])}${called}`
    this.problems.push({ code: "missing_file", message })
    return text(`(missing file: ${name})`)
  }

  /** A link to a file that is embedded in the text; undefined for other addresses. */
  #embed(url: string, isEmbed: boolean): { readonly href: string; readonly name: string } | undefined {
    const file = embeddedIn(url, this.embedded.length + 1)
    if (file === undefined) return undefined
    const { isDamaged, ...embedded } = file
    if (isDamaged) {
      const message = `The bytes of its file "${embedded.filename}" are not all base64; the readable part is kept`
      this.problems.push({ code: "damaged", message })
    }
    const count = this.embedded.push(embedded)
    return { href: this.marks.add(`data:${count - 1}`, "media", isEmbed), name: embedded.filename }
  }

  #image(node: Element): Array<ElementContent> {
    const { alt, src, title } = node.properties
    const said = typeof alt === "string" ? alt : ""
    if (typeof src !== "string" || src.trim() === "") return said === "" ? [] : [text(said)]
    const file = this.#embed(src, true)
    const more = typeof title === "string" && title !== "" ? { title } : {}
    if (file !== undefined)
      return [element("img", [], { src: file.href, alt: said === "" ? file.name : said, ...more })]
    return [element("img", [], { src, alt: said, ...more })]
  }

  #link(node: Element): Element {
    const { href, title } = node.properties
    if (typeof href !== "string" || href.trim() === "") return element("span", node.children)
    const label = wordsIn(node)
    const file = this.#embed(href, false)
    // A file that a browser would run is attached, and not displayed.
    if (file !== undefined && isScript(href)) {
      const message = `A link led to a page in its own address, which could run scripts; the page is attached as the file "${file.name}"`
      this.problems.push({ code: "unsafe_link", message })
    }
    const isEmpty =
      (label === "" || (file !== undefined && label.startsWith("data:"))) &&
      !node.children.some((child) => isElement(child, "img"))
    const children = isEmpty ? [text(file?.name ?? href)] : node.children
    // A note is found by its title, because links use an id that exports do not contain.
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
  const shown = note.nodes(nodes, true)
  const children = flow([...shown, ...note.otherTasks()].flatMap((node) => normalizeHtml(node)))
  const { problems, ...cut } = note.marks.cut({ type: "root", children }, source.head)
  const broken = {
    code: "not_well_formed",
    message: "The XML of its text is not well formed: it is read as HTML, and its source is attached"
  } as const
  return {
    ...cut,
    tags: [],
    problems: [...note.problems, ...problems, ...(isWhole ? [] : [broken])],
    keepsSource: !isWhole,
    embedded: note.embedded
  }
}

/** The text of HTML without its elements, at any depth of nesting. */
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
