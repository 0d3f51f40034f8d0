import { createReadStream, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import sax from "sax"
import { markedEncoding } from "./Decoding.ts"
import type { Task } from "./Enml.ts"
import { type Limits, type ProblemCode, Unreadable } from "./Item.ts"
import { Spool } from "./Spool.ts"

/** An export of Evernote as a stream: its notes one after another, the bytes of their files on disk. */

export interface Resource {
  readonly path: string
  readonly size: number
  /** By which the text calls it. */
  readonly md5: string
  readonly filename: string
  readonly content_type: string
}

export interface EnexNote {
  readonly index: number
  readonly title: string
  readonly content: string
  /** The rest of a text that is too long to be read, or what cannot be read at all. */
  readonly whole: Resource | undefined
  readonly created: string
  readonly updated: string
  readonly tags: ReadonlyArray<string>
  readonly attributes: ReadonlyMap<string, string>
  readonly tasks: ReadonlyArray<Task>
  readonly resources: ReadonlyArray<Resource>
  readonly problems: ReadonlyArray<{ readonly code: ProblemCode; readonly message: string }>
  /** How many bytes of the file are read by now. */
  readonly read: number
}

const chunk = 32 * 1024
/** Of names, dates and the like. */
const longestField = 20_000
const mostTags = 1_000
const mostTasks = 10_000

interface Draft {
  title: string
  content: string
  created: string
  updated: string
  readonly tags: Array<string>
  readonly attributes: Map<string, string>
  readonly tasks: Array<Task>
  readonly resources: Array<Resource>
  readonly problems: Map<ProblemCode, string>
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
  resources: [],
  problems: new Map(),
  whole: undefined
})

/** What is in a note, in its parser's own words. Names of elements lie in a path below `note`. */
class Parser {
  readonly ready: Array<EnexNote> = []
  read = 0
  isExport = false
  // By the positions that it counts it ends what is too long.
  private readonly parser = sax.parser(true, { position: true })
  private readonly path: Array<string> = []
  private readonly limits: Limits
  private readonly scratch: string
  private note: Draft | undefined
  private spool: Spool | undefined
  private field = ""
  private inner = new Map<string, string>()
  private count = 0
  private files = 0
  private unpacked = 0

  constructor(scratch: string, limits: Limits) {
    this.scratch = scratch
    this.limits = limits
    this.parser.onopentag = (tag) => this.open(tag.name, tag.attributes)
    this.parser.onclosetag = () => this.close()
    this.parser.ontext = (text) => this.text(text)
    this.parser.oncdata = (text) => this.text(text)
    this.parser.onerror = (error) => {
      this.parser.resume()
      if (error.message.startsWith("Max buffer length exceeded")) {
        throw new Unreadable("not_well_formed", "A tag, comment or declaration in it is too long")
      }
      // Nothing before its root: it is something else altogether.
      if (this.path.length === 0 && !this.isExport) throw notAnExport()
      this.note?.problems.set(
        "not_well_formed",
        `Its XML is not well formed (${error.message.split("\n", 1)[0] ?? ""})`
      )
    }
  }

  write(text: string): void {
    this.parser.write(text)
    // What it has of a text goes on, so that it never holds much.
    this.parser.flush()
  }

  /** Removes what is begun and not ended; it says whether the file ended where it had to. */
  end(): boolean {
    const { note, spool } = this
    this.note = undefined
    this.spool = undefined
    note?.whole?.drop()
    spool?.drop()
    for (const { path } of note?.resources ?? []) rmSync(path, { force: true })
    return this.path.length === 0
  }

  private open(name: string, attributes: Readonly<Record<string, unknown>>): void {
    if (this.path.length === 0) {
      if (name !== "en-export") throw notAnExport()
      this.isExport = true
    }
    if (this.path.length > 100) throw new Unreadable("not_well_formed", "Its elements lie too deep in one another")
    this.path.push(name)
    this.field = ""
    const at = this.at()
    if (at === "note") this.note = draft()
    else if (at === "note/resource" || at === "note/task") this.inner = new Map()
    else if (at === "note/resource/data") {
      if (++this.files > this.limits.entries) {
        throw new Unreadable("too_many_entries", `There are more than ${this.limits.entries} files in it`)
      }
      this.spool = this.spoolOf(String(attributes["encoding"] ?? "base64").toLowerCase() === "base64")
    } else if (at === "note/content" && String(attributes["encoding"] ?? "").includes("aes")) {
      this.note?.problems.set("encrypted_text", "Its text is encrypted; it is kept as it is")
    }
  }

  private spoolOf(isBase64: boolean): Spool {
    return new Spool(join(this.scratch, `part-${this.count++}`), isBase64)
  }

  private at(): string {
    return this.path.slice(1).join("/")
  }

  private text(text: string): void {
    const at = this.at()
    if (this.spool !== undefined && at === "note/resource/data") this.unpack(this.spool.add(text))
    else if (at === "note/content" && this.note !== undefined) {
      if (this.note.whole === undefined && this.note.content.length + text.length > this.limits.textBytes) {
        this.note.whole = this.spoolOf(false)
        this.unpack(this.note.whole.add(this.note.content))
      }
      if (this.note.whole === undefined) this.note.content += text
      else this.unpack(this.note.whole.add(text))
    } else if (this.field.length < longestField) this.field += text.slice(0, longestField)
  }

  private unpack(bytes: number): void {
    this.unpacked += bytes
    if (this.unpacked > this.limits.unpackedBytes) {
      throw new Unreadable("too_large", `More than ${this.limits.unpackedBytes} bytes would be unpacked`)
    }
  }

  private close(): void {
    const at = this.at()
    const { field, note } = this
    this.path.pop()
    this.field = ""
    if (note === undefined) return
    const value = field.trim()
    if (at === "note") this.finish(note)
    else if (at === "note/title") note.title = value
    else if (at === "note/created") note.created = value
    else if (at === "note/updated") note.updated = value
    else if (at === "note/tag" && note.tags.length < mostTags) note.tags.push(value)
    else if (at.startsWith("note/note-attributes/"))
      note.attributes.set(at.slice("note/note-attributes/".length), value)
    else if (at === "note/task") this.task(note)
    else if (at === "note/resource") this.resource(note)
    else if (at.startsWith("note/resource/") || at.startsWith("note/task/")) {
      this.inner.set(at.slice(at.lastIndexOf("/") + 1), value)
    }
  }

  private task(note: Draft): void {
    if (note.tasks.length >= mostTasks) return
    const isDone = this.inner.get("taskStatus") === "completed"
    note.tasks.push({
      group: this.inner.get("taskGroupNoteLevelID") ?? "",
      title: this.inner.get("title") ?? "",
      isDone
    })
  }

  private resource(note: Draft): void {
    const { spool } = this
    this.spool = undefined
    if (spool === undefined) return
    if (note.resources.length >= this.limits.files) {
      spool.drop()
      note.problems.set("too_many_links", `It has more than ${this.limits.files} files; the others are left out`)
      return
    }
    note.resources.push({
      ...spool.end(),
      filename: this.inner.get("file-name") ?? "",
      content_type: this.inner.get("mime") ?? ""
    })
  }

  private finish(note: Draft): void {
    this.note = undefined
    this.spool?.drop()
    this.spool = undefined
    const { whole } = note
    this.ready.push({
      ...note,
      index: this.ready.length,
      whole: whole === undefined ? undefined : { ...whole.end(), filename: "", content_type: "application/xml" },
      problems: [...note.problems].map(([code, message]) => ({ code, message })),
      read: this.read
    })
  }
}

const notAnExport = () => new Unreadable("invalid_file", "The file is no export of Evernote")

const labelOf = (head: Buffer): string => {
  const marked = markedEncoding(head)
  if (marked !== undefined) return marked
  const [, said] = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head.toString("latin1")) ?? []
  try {
    return new TextDecoder(said ?? "utf-8").encoding
  } catch {
    // An encoding that nobody knows: most of them are UTF-8 for all that.
    return "utf-8"
  }
}

/** Whether a name stands anywhere in a file of a Western encoding; of others it is not known. */
export const mentions = async (path: string, name: string): Promise<boolean> => {
  let before = Buffer.alloc(0)
  for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const part = Buffer.concat([before, bytes])
    if (part.includes(name) || part.subarray(0, 4).includes(0)) return true
    before = part.subarray(-name.length)
  }
  return false
}

/**
 * The notes of an export, in its order. The files of a note are gone when the next one is asked for. At its end it says
 * whether that was where it had to be.
 */
export async function* enexNotes(
  path: string,
  scratch: string,
  limits: Limits
): AsyncGenerator<EnexNote, boolean, undefined> {
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
      parser.write(decoder.decode(bytes, { stream: bytesRead > 0 }))
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
