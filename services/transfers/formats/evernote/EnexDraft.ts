import { namedIn } from "../Converted.ts"
import type { ProblemCode } from "../Item.ts"
import type { EnexNote, Resource } from "./EnexNote.ts"
import { historyOf, type Task, taskOf } from "./EnexTask.ts"
import { timeOf } from "./EnexTime.ts"
import type { Spool } from "./Spool.ts"

/** Maximum characters of names, dates, descriptions and other fields. */
export const longestField = 64 * 1024
const maxTags = 1_000
const maxTasks = 10_000
/** Maximum number of attributes of a note. */
const maxAttributes = 1_000
const maxProblems = 100

/** A note of an export while it is read, within the limits of its parts. */
export class EnexDraft {
  title = ""
  content = ""
  created = ""
  updated = ""
  readonly tags: Array<string> = []
  readonly attributes = new Map<string, string>()
  readonly tasks: Array<Task> = []
  readonly taskHistory: Array<string> = []
  readonly resources: Array<Resource> = []
  readonly problems: Array<{ readonly code: ProblemCode; readonly message: string }> = []
  /** The file with the text, if it is too long to be read. */
  whole: Spool | undefined

  report(code: ProblemCode, message: string): void {
    // Only the first XML error of a note is reported.
    const isKnown = this.problems.some(
      (known) => known.code === code && (code === "not_well_formed" || known.message === message)
    )
    if (!isKnown && this.problems.length < maxProblems) this.problems.push({ code, message })
  }

  addAttribute(name: string, value: string): void {
    if (value === "") return
    if (!this.attributes.has(name) && this.attributes.size >= maxAttributes) {
      this.report("too_large", `It has more than ${maxAttributes} attributes; the others are left out`)
      return
    }
    const known = this.attributes.get(name)
    if (known !== undefined && known.length > longestField) {
      return this.report("too_large", `It has <${name}> too often; the last are left out`)
    }
    this.attributes.set(name, known === undefined ? value : `${known}\n${value}`)
  }

  /** Adds a tag; further ones become an attribute. */
  addTag(value: string): void {
    if (value === "") return
    if (this.tags.length < maxTags) this.tags.push(value)
    else this.addAttribute("tag", value)
  }

  addTask(members: Map<string, string>, value: string): void {
    if (this.tasks.length >= maxTasks) {
      return this.report("too_large", `It has more than ${maxTasks} tasks; the others are left out`)
    }
    if (value !== "") members.set("task", value)
    this.tasks.push(taskOf(members))
    const history = historyOf(members, [this.created, this.updated])
    if (history !== undefined) this.taskHistory.push(history)
  }

  /** Adds a file: its bytes, if it has any, and its members. */
  addFile(spool: Spool | undefined, members: ReadonlyMap<string, string>, value: string, maxFiles: number): void {
    const filename = members.get("file-name") ?? ""
    if (spool === undefined) {
      const said = [...members].map(([name, each]) => `${name} ${timeOf(each) ?? each}`)
      this.report("missing_file", `A file in it has no bytes: ${namedIn(value === "" ? said : [...said, value])}`)
      return
    }
    if (this.resources.length >= maxFiles) {
      spool.drop()
      this.report("too_many_links", `It has more than ${maxFiles} files; the others are left out`)
      return
    }
    const file = spool.end()
    const called = filename === "" ? `number ${this.resources.length + 1}` : JSON.stringify(filename.slice(0, 200))
    if (file.isDamaged) {
      const message = `The bytes of its file ${called} are not all base64; the readable part is kept`
      this.report("damaged", message)
    } else if (file.size === 0) this.report("missing_file", `Its file ${called} is empty`)
    const attributes = new Map([...members].filter(([name]) => !["attachment", "file-name", "mime"].includes(name)))
    if (value !== "") attributes.set("resource", value)
    this.resources.push({ ...file, filename, content_type: members.get("mime") ?? "", attributes })
  }

  finished(index: number, read: number): EnexNote {
    const { whole } = this
    return {
      ...this,
      index,
      whole:
        whole === undefined
          ? undefined
          : { ...whole.end(), filename: "", content_type: "application/xml", attributes: new Map() },
      read
    }
  }
}
