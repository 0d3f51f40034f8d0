import { createReadStream, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import sax from "sax"
import { namedIn } from "../Converted.ts"
import { markedEncoding } from "../Decoding.ts"
import { contentOf, ContentScan } from "./EnexContent.ts"
import { historyOf, type Task, taskOf } from "./EnexTask.ts"
import { timeOf } from "./EnexTime.ts"
import { type Limits, type ProblemCode, Unreadable } from "../Item.ts"
import { Spool } from "./Spool.ts"
import { type EnexNote, type Resource } from "./EnexNote.ts"

/** Reads an Evernote export as a stream: one note at a time, with the bytes of its files on disk. */

const chunk = 32 * 1024
/** Maximum characters of names, dates, descriptions and other fields. */
const longestField = 64 * 1024
const mostTags = 1_000
const mostTasks = 10_000
/** Maximum number of attributes of a note. */
const mostAttributes = 1_000
const mostProblems = 100
const deepest = 100
/** Maximum characters of a start tag of a text. */
const longestTag = 200

interface Draft {
  title: string
  content: string
  created: string
  updated: string
  readonly tags: Array<string>
  readonly attributes: Map<string, string>
  readonly tasks: Array<Task>
  readonly taskHistory: Array<string>
  readonly resources: Array<Resource>
  readonly problems: Array<{ readonly code: ProblemCode; readonly message: string }>
  whole: Spool | undefined
}

const draft = (): Draft => ({
  title: "",
  content: "",
  created: "",
  updated: "",
  tags: [],
  attributes: new Map(),
  tasks: [],
  taskHistory: [],
  resources: [],
  problems: [],
  whole: undefined
})

/** Elements below `note` that have a meaning here: an element within another one is part of that one's text. */
const containers = new Set([
  ...["note", "note/note-attributes", "note/resource", "note/resource/resource-attributes"],
  ...["note/task", "note/task/reminder"]
])

/** Words recognised in an image, and how it is displayed: the image contains all of it. */
const ofImage = ["alternate-data", "data", "duration", "height", "mime", "recognition", "width"]

/** Collects notes from the events of the parser. Paths of elements begin below `note`. */
class Parser {
  readonly ready: Array<EnexNote> = []
  read = 0
  isExport = false
  /** Text outside of notes. */
  readonly outside: Array<string> = []
  // It needs positions to limit the length of tags and comments.
  private readonly parser = sax.parser(true, { position: true })
  private readonly path: Array<string> = []
  /** The text of each element of the path so far. */
  private readonly said: Array<string> = []
  private readonly limits: Limits
  private readonly scratch: string
  private note: Draft | undefined
  private spool: Spool | undefined
  private inner = new Map<string, string>()
  private count = 0
  private files = 0
  private unpacked = 0
  /** The text of a note, which bypasses the parser. */
  private text: ContentScan | undefined
  /** The beginning of a tag whose end has not been read yet. */
  private begun = ""

  constructor(scratch: string, limits: Limits) {
    this.scratch = scratch
    this.limits = limits
    this.parser.onopentag = (tag) => this.open(tag.name, tag.attributes, "isSelfClosing" in tag && tag.isSelfClosing)
    this.parser.onclosetag = () => this.close()
    this.parser.ontext = (text) => this.say(text)
    this.parser.oncdata = (text) => this.say(text)
    this.parser.onerror = (error) => {
      this.parser.resume()
      if (error.message.startsWith("Max buffer length exceeded")) {
        throw new Unreadable("not_well_formed", "A tag, comment or declaration in it is too long")
      }
      // An error before the root element: the file has another format.
      if (this.path.length === 0 && !this.isExport) throw notAnExport()
      this.report("not_well_formed", `Its XML is not well formed (${error.message.split("\n", 1)[0] ?? ""})`)
    }
  }

  write(piece: string, isLast: boolean): void {
    let rest = this.begun + piece
    this.begun = ""
    while (rest !== "") {
      if (this.text !== undefined) {
        const part = this.text.add(rest)
        this.addContent(part.taken)
        if (part.rest === undefined) return
        this.endText()
        rest = part.rest
      }
      const tag = /<content(?=[\s>])[^>]*>/.exec(rest)
      if (tag === null) return this.parse(rest, isLast)
      const end = tag.index + tag[0].length
      this.parse(rest.slice(0, end), true)
      rest = rest.slice(end)
    }
  }

  private parse(xml: string, isWhole: boolean): void {
    const open = xml.lastIndexOf("<")
    if (!isWhole && open >= xml.length - longestTag && open >= 0 && !xml.includes(">", open)) {
      this.begun = xml.slice(open)
      this.parser.write(xml.slice(0, open))
    } else this.parser.write(xml)
    // Passes on buffered text, so that the parser never holds much.
    this.parser.flush()
  }

  /** Removes files of unfinished notes; returns the title of a note in which the file ends. */
  end(): Ending {
    const { note, spool } = this
    this.note = undefined
    this.spool = undefined
    this.text = undefined
    note?.whole?.drop()
    spool?.drop()
    for (const { path } of note?.resources ?? []) rmSync(path, { force: true })
    return { isWhole: this.path.length === 0, title: note?.title ?? "", outside: this.outside }
  }

  private report(code: ProblemCode, message: string): void {
    const { note } = this
    // Only the first XML error of a note is reported.
    const isKnown = note?.problems.some(
      (known) => known.code === code && (code === "not_well_formed" || known.message === message)
    )
    if (isKnown === false && note!.problems.length < mostProblems) note!.problems.push({ code, message })
  }

  private open(name: string, attributes: Readonly<Record<string, unknown>>, isEmpty: boolean): void {
    if (this.path.length === 0) {
      if (name !== "en-export") throw notAnExport()
      this.isExport = true
    }
    if (this.path.length > deepest) throw new Unreadable("not_well_formed", "Its elements are nested too deeply")
    this.path.push(name)
    this.said.push("")
    const at = this.at()
    if (at === "note") this.note = draft()
    else if (at === "note/resource" || at === "note/task") this.inner = new Map()
    else if (at === "note/resource/data") {
      if (++this.files > this.limits.entries) {
        throw new Unreadable("too_many_entries", `It contains more than ${this.limits.entries} files`)
      }
      if (this.spool !== undefined) {
        this.report("skipped", "A file in it has its bytes twice; the first ones are left out")
        this.spool.drop()
      }
      this.spool = this.spoolOf(String(attributes["encoding"] ?? "base64").toLowerCase() === "base64")
    } else if (at === "note/content" && this.note !== undefined) {
      if (!isEmpty) this.text = new ContentScan()
      if (String(attributes["encoding"] ?? "").includes("aes")) {
        this.report("encrypted_text", "Its text is encrypted; it is kept as it is")
      }
    } else if (at.startsWith("note/note-attributes/") && typeof attributes["key"] === "string") {
      this.said[this.said.length - 1] = `${attributes["key"]}: `
    }
  }

  private spoolOf(isBase64: boolean): Spool {
    return new Spool(join(this.scratch, `part-${this.count++}`), isBase64)
  }

  private at(): string {
    return this.path.slice(1).join("/")
  }

  private say(text: string): void {
    if (this.spool !== undefined && this.at() === "note/resource/data") this.unpack(this.spool.add(text))
    else if (this.said.length > 0) this.add(this.said.length - 1, text)
  }

  private add(depth: number, text: string): void {
    const said = this.said[depth]!
    const room = longestField - said.length
    if (text.length > room && !this.path.includes("recognition")) {
      this.report("too_large", `Its <${this.path[depth] ?? ""}> is cut to the first ${longestField} characters`)
    }
    if (room > 0) this.said[depth] = said + text.slice(0, room)
  }

  private endText(): void {
    this.text = undefined
    if (this.note !== undefined && this.note.whole === undefined) this.note.content = contentOf(this.note.content)
  }

  private addContent(text: string): void {
    const { note } = this
    if (note === undefined || text === "") return
    if (note.whole === undefined && note.content.length + text.length > this.limits.textBytes) {
      note.whole = this.spoolOf(false)
      this.unpack(note.whole.add(note.content))
    }
    if (note.whole === undefined) note.content += text
    else this.unpack(note.whole.add(text))
  }

  private unpack(bytes: number): void {
    this.unpacked += bytes
    if (this.unpacked > this.limits.unpackedBytes) {
      throw new Unreadable("too_large", `More than ${this.limits.unpackedBytes} bytes would be unpacked`)
    }
  }

  private close(): void {
    const at = this.at()
    const depth = this.path.length
    const { note } = this
    const name = this.path.pop() ?? ""
    const said = this.said.pop() ?? ""
    if (at === "note/content") return
    const parent = this.at()
    const value = said.trim()
    if (note === undefined) {
      if (value !== "" && this.outside.length < 10) this.outside.push(value)
      return
    }
    if (depth > 2 && !containers.has(parent)) {
      // Within a name or another field: it is part of that field.
      if (value !== "") this.add(depth - 2, said)
    } else if (at === "note") {
      this.other(note, "note", value)
      this.finish(note)
    } else if (at === "note/title" && note.title === "") note.title = value
    else if (at === "note/created" && note.created === "") note.created = value
    else if (at === "note/updated" && note.updated === "") note.updated = value
    else if (at === "note/tag") this.tag(note, value)
    else if (at === "note/task") this.task(note, value)
    else if (at === "note/resource") this.resource(note, value)
    else if (at.startsWith("note/resource/") || at.startsWith("note/task/")) {
      // Members of attributes and reminders have paths below those.
      const member = at.slice(at.indexOf("/", "note/".length) + 1).replace("resource-attributes/", "")
      if (at.startsWith("note/resource/") && ofImage.includes(name)) {
        if (name === "mime") this.inner.set(name, value)
        if (name === "alternate-data") this.report("skipped", "An alternative form of a file in it is left out")
      } else if (value !== "") this.inner.set(member, value)
    } else this.other(note, name, value)
  }

  private other(note: Draft, name: string, value: string): void {
    if (value === "") return
    if (!note.attributes.has(name) && note.attributes.size >= mostAttributes) {
      this.report("too_large", `It has more than ${mostAttributes} attributes; the others are left out`)
      return
    }
    const known = note.attributes.get(name)
    if (known !== undefined && known.length > longestField) {
      return this.report("too_large", `It has <${name}> too often; the last are left out`)
    }
    note.attributes.set(name, known === undefined ? value : `${known}\n${value}`)
  }

  private tag(note: Draft, value: string): void {
    if (value === "") return
    if (note.tags.length < mostTags) note.tags.push(value)
    else this.other(note, "tag", value)
  }

  private task(note: Draft, value: string): void {
    if (note.tasks.length >= mostTasks) {
      return this.report("too_large", `It has more than ${mostTasks} tasks; the others are left out`)
    }
    if (value !== "") this.inner.set("task", value)
    note.tasks.push(taskOf(this.inner))
    const history = historyOf(this.inner, [note.created, note.updated])
    if (history !== undefined) note.taskHistory.push(history)
  }

  private resource(note: Draft, value: string): void {
    const { inner, spool } = this
    this.spool = undefined
    const filename = inner.get("file-name") ?? ""
    if (spool === undefined) {
      const said = [...inner].map(([name, each]) => `${name} ${timeOf(each) ?? each}`)
      this.report("missing_file", `A file in it has no bytes: ${namedIn(value === "" ? said : [...said, value])}`)
      return
    }
    if (note.resources.length >= this.limits.files) {
      spool.drop()
      this.report("too_many_links", `It has more than ${this.limits.files} files; the others are left out`)
      return
    }
    const file = spool.end()
    const called = filename === "" ? `number ${note.resources.length + 1}` : JSON.stringify(filename.slice(0, 200))
    if (file.isDamaged) {
      const message = `The bytes of its file ${called} are not all base64; the readable part is kept`
      this.report("damaged", message)
    } else if (file.size === 0) this.report("missing_file", `Its file ${called} is empty`)
    const attributes = new Map([...inner].filter(([name]) => !["attachment", "file-name", "mime"].includes(name)))
    if (value !== "") attributes.set("resource", value)
    note.resources.push({ ...file, filename, content_type: inner.get("mime") ?? "", attributes })
  }

  private finish(note: Draft): void {
    this.note = undefined
    this.spool?.drop()
    this.spool = undefined
    const { whole } = note
    this.ready.push({
      ...note,
      index: this.ready.length,
      whole:
        whole === undefined
          ? undefined
          : { ...whole.end(), filename: "", content_type: "application/xml", attributes: new Map() },
      read: this.read
    })
  }
}

const notAnExport = () => new Unreadable("invalid_file", "The file is not an Evernote export")

const labelOf = (head: Buffer): string => {
  const marked = markedEncoding(head)
  if (marked !== undefined) return marked
  const [, said] = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head.toString("latin1")) ?? []
  try {
    return new TextDecoder(said ?? "utf-8").encoding
  } catch {
    // An unknown encoding: most of these files are UTF-8 nevertheless.
    return "utf-8"
  }
}

/** Whether a file contains a name. Also true for UTF-16, where the name cannot be found. */
export const mentions = async (path: string, name: string): Promise<boolean> => {
  let before = Buffer.alloc(0)
  for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const part = Buffer.concat([before, bytes])
    if (part.includes(name) || part.subarray(0, 4).includes(0)) return true
    before = part.subarray(-name.length)
  }
  return false
}

/** How a file ended: completely, or in the middle of a note. */
export interface Ending {
  readonly isWhole: boolean
  readonly title: string
  /** Text outside of its notes. */
  readonly outside: ReadonlyArray<string>
}

/** Yields the notes of an export in order. The files of a note are deleted when the next one is requested. */
export async function* enexNotes(
  path: string,
  scratch: string,
  limits: Limits
): AsyncGenerator<EnexNote, Ending, undefined> {
  const file = await open(path)
  const parser = new Parser(scratch, limits)
  let index = 0
  const given: Array<EnexNote> = parser.ready
  const drop = (note: EnexNote) => {
    for (const each of [...note.resources, ...(note.whole === undefined ? [] : [note.whole])])
      rmSync(each.path, { force: true })
  }
  try {
    const { size } = await file.stat()
    if (size === 0) throw new Unreadable("not_readable", "The file is empty")
    if (size > limits.packedBytes)
      throw new Unreadable("too_large", `The file has more than ${limits.packedBytes} bytes`)
    let decoder: InstanceType<typeof TextDecoder> | undefined
    const buffer = Buffer.alloc(chunk)
    while (true) {
      const { bytesRead } = await file.read(buffer, 0, chunk)
      const bytes = buffer.subarray(0, bytesRead)
      decoder ??= new TextDecoder(labelOf(bytes.subarray(0, 1_024)))
      parser.read += bytesRead
      parser.write(decoder.decode(bytes, { stream: bytesRead > 0 }), bytesRead === 0)
      while (given.length > 0) {
        const note = given[0]!
        yield { ...note, index: index++ }
        drop(given.shift()!)
      }
      if (bytesRead === 0) break
    }
    if (!parser.isExport) throw notAnExport()
    return parser.end()
  } finally {
    parser.end()
    for (const note of given) drop(note)
    await file.close()
  }
}
