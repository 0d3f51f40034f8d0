import { rmSync } from "node:fs"
import { join } from "node:path"
import sax from "sax"
import { type Limits, Unreadable } from "../Item.ts"
import { contentOf, ContentScan } from "./EnexContent.ts"
import { EnexDraft, longestField } from "./EnexDraft.ts"
import type { EnexNote } from "./EnexNote.ts"
import { Spool } from "./Spool.ts"

const deepest = 100
/** Maximum characters of a start tag of a text. */
const longestTag = 200

/** Elements below `note` that have a meaning here: an element within another one is part of that one's text. */
const containers = new Set([
  ...["note", "note/note-attributes", "note/resource", "note/resource/resource-attributes"],
  ...["note/task", "note/task/reminder"]
])

/** Words recognised in an image, and how it is displayed: the image contains all of it. */
const ofImage = ["alternate-data", "data", "duration", "height", "mime", "recognition", "width"]

export const notAnExport = () => new Unreadable("invalid_file", "The file is not an Evernote export")

/** How a file ended: completely, or in the middle of a note. */
export interface Ending {
  readonly isWhole: boolean
  readonly title: string
  /** Text outside of its notes. */
  readonly outside: ReadonlyArray<string>
}

/** Collects notes from the events of the parser. Paths of elements begin below `note`. */
export class EnexParser {
  readonly ready: Array<EnexNote> = []
  read = 0
  isExport = false
  /** Text outside of notes. */
  readonly outside: Array<string> = []
  // It needs positions to limit the length of tags and comments.
  readonly #parser = sax.parser(true, { position: true })
  readonly #path: Array<string> = []
  /** The text of each element of the path so far. */
  readonly #said: Array<string> = []
  readonly #limits: Limits
  readonly #scratch: string
  #note: EnexDraft | undefined
  #spool: Spool | undefined
  #inner = new Map<string, string>()
  #count = 0
  #files = 0
  #unpacked = 0
  /** The text of a note, which bypasses the parser. */
  #text: ContentScan | undefined
  /** The beginning of a tag whose end has not been read yet. */
  #begun = ""

  constructor(scratch: string, limits: Limits) {
    this.#scratch = scratch
    this.#limits = limits
    this.#parser.onopentag = (tag) => this.#open(tag.name, tag.attributes, "isSelfClosing" in tag && tag.isSelfClosing)
    this.#parser.onclosetag = () => this.#close()
    this.#parser.ontext = (text) => this.#say(text)
    this.#parser.oncdata = (text) => this.#say(text)
    this.#parser.onerror = (error) => {
      this.#parser.resume()
      if (error.message.startsWith("Max buffer length exceeded")) {
        throw new Unreadable("not_well_formed", "A tag, comment or declaration in it is too long")
      }
      // An error before the root element: the file has another format.
      if (this.#path.length === 0 && !this.isExport) throw notAnExport()
      this.#note?.report("not_well_formed", `Its XML is not well formed (${error.message.split("\n", 1)[0] ?? ""})`)
    }
  }

  write(piece: string, isLast: boolean): void {
    let rest = this.#begun + piece
    this.#begun = ""
    while (rest !== "") {
      if (this.#text !== undefined) {
        const part = this.#text.add(rest)
        this.#addContent(part.taken)
        if (part.rest === undefined) return
        this.#endText()
        rest = part.rest
      }
      const tag = /<content(?=[\s>])[^>]*>/.exec(rest)
      if (tag === null) return this.#parse(rest, isLast)
      const end = tag.index + tag[0].length
      this.#parse(rest.slice(0, end), true)
      rest = rest.slice(end)
    }
  }

  #parse(xml: string, isWhole: boolean): void {
    const open = xml.lastIndexOf("<")
    if (!isWhole && open >= xml.length - longestTag && open >= 0 && !xml.includes(">", open)) {
      this.#begun = xml.slice(open)
      this.#parser.write(xml.slice(0, open))
    } else this.#parser.write(xml)
    // Passes on buffered text, so that the parser never holds much.
    this.#parser.flush()
  }

  /** Removes files of unfinished notes; returns the title of a note in which the file ends. */
  end(): Ending {
    const note = this.#note
    const spool = this.#spool
    this.#note = undefined
    this.#spool = undefined
    this.#text = undefined
    note?.whole?.drop()
    spool?.drop()
    for (const { path } of note?.resources ?? []) rmSync(path, { force: true })
    return { isWhole: this.#path.length === 0, title: note?.title ?? "", outside: this.outside }
  }

  #open(name: string, attributes: Readonly<Record<string, unknown>>, isEmpty: boolean): void {
    if (this.#path.length === 0) {
      if (name !== "en-export") throw notAnExport()
      this.isExport = true
    }
    if (this.#path.length > deepest) throw new Unreadable("not_well_formed", "Its elements are nested too deeply")
    this.#path.push(name)
    this.#said.push("")
    const at = this.#at()
    if (at === "note") this.#note = new EnexDraft()
    else if (at === "note/resource" || at === "note/task") this.#inner = new Map()
    else if (at === "note/resource/data") {
      if (++this.#files > this.#limits.entries) {
        throw new Unreadable("too_many_entries", `It contains more than ${this.#limits.entries} files`)
      }
      if (this.#spool !== undefined) {
        this.#note?.report("skipped", "A file in it has its bytes twice; the first ones are left out")
        this.#spool.drop()
      }
      this.#spool = this.#spoolOf(String(attributes["encoding"] ?? "base64").toLowerCase() === "base64")
    } else if (at === "note/content" && this.#note !== undefined) {
      if (!isEmpty) this.#text = new ContentScan()
      if (String(attributes["encoding"] ?? "").includes("aes")) {
        this.#note?.report("encrypted_text", "Its text is encrypted; it is kept as it is")
      }
    } else if (at.startsWith("note/note-attributes/") && typeof attributes["key"] === "string") {
      this.#said[this.#said.length - 1] = `${attributes["key"]}: `
    }
  }

  #spoolOf(isBase64: boolean): Spool {
    return new Spool(join(this.#scratch, `part-${this.#count++}`), isBase64)
  }

  #at(): string {
    return this.#path.slice(1).join("/")
  }

  #say(text: string): void {
    if (this.#spool !== undefined && this.#at() === "note/resource/data") this.#unpack(this.#spool.add(text))
    else if (this.#said.length > 0) this.#add(this.#said.length - 1, text)
  }

  #add(depth: number, text: string): void {
    const said = this.#said[depth]!
    const room = longestField - said.length
    if (text.length > room && !this.#path.includes("recognition")) {
      this.#note?.report("too_large", `Its <${this.#path[depth] ?? ""}> is cut to the first ${longestField} characters`)
    }
    if (room > 0) this.#said[depth] = said + text.slice(0, room)
  }

  #endText(): void {
    this.#text = undefined
    if (this.#note !== undefined && this.#note.whole === undefined) this.#note.content = contentOf(this.#note.content)
  }

  #addContent(text: string): void {
    const note = this.#note
    if (note === undefined || text === "") return
    if (note.whole === undefined && note.content.length + text.length > this.#limits.textBytes) {
      note.whole = this.#spoolOf(false)
      this.#unpack(note.whole.add(note.content))
    }
    if (note.whole === undefined) note.content += text
    else this.#unpack(note.whole.add(text))
  }

  #unpack(bytes: number): void {
    this.#unpacked += bytes
    if (this.#unpacked > this.#limits.unpackedBytes) {
      throw new Unreadable("too_large", `More than ${this.#limits.unpackedBytes} bytes would be unpacked`)
    }
  }

  #close(): void {
    const at = this.#at()
    const depth = this.#path.length
    const note = this.#note
    const name = this.#path.pop() ?? ""
    const said = this.#said.pop() ?? ""
    if (at === "note/content") return
    const parent = this.#at()
    const value = said.trim()
    if (note === undefined) {
      if (value !== "" && this.outside.length < 10) this.outside.push(value)
      return
    }
    if (depth > 2 && !containers.has(parent)) {
      // Within a name or another field: it is part of that field.
      if (value !== "") this.#add(depth - 2, said)
    } else if (at === "note") {
      note.addAttribute("note", value)
      this.#finish(note)
    } else if (at === "note/title" && note.title === "") note.title = value
    else if (at === "note/created" && note.created === "") note.created = value
    else if (at === "note/updated" && note.updated === "") note.updated = value
    else if (at === "note/tag") note.addTag(value)
    else if (at === "note/task") note.addTask(this.#inner, value)
    else if (at === "note/resource") {
      const spool = this.#spool
      this.#spool = undefined
      note.addFile(spool, this.#inner, value, this.#limits.files)
    } else if (at.startsWith("note/resource/") || at.startsWith("note/task/")) {
      // Members of attributes and reminders have paths below those.
      const member = at.slice(at.indexOf("/", "note/".length) + 1).replace("resource-attributes/", "")
      if (at.startsWith("note/resource/") && ofImage.includes(name)) {
        if (name === "mime") this.#inner.set(name, value)
        if (name === "alternate-data") note.report("skipped", "An alternative form of a file in it is left out")
      } else if (value !== "") this.#inner.set(member, value)
    } else note.addAttribute(name, value)
  }

  #finish(note: EnexDraft): void {
    this.#note = undefined
    this.#spool?.drop()
    this.#spool = undefined
    this.ready.push(note.finished(this.ready.length, this.read))
  }
}
