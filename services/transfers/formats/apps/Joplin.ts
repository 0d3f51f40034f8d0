import { textOf } from "../Decoding.ts"
import { momentIn } from "../evernote/EnexTime.ts"
import { Damaged, problem, type ProblemItem, readingShare, Unreadable } from "../Item.ts"
import type { Items } from "../NoteMaking.ts"
import { decoded } from "../../../markdown/LinkText.ts"
import { junk } from "../Paths.ts"
import type { Reading } from "../ReadOptions.ts"
import { joplinPath } from "../recognition/ArchiveForms.ts"
import type { Entry } from "../zip/ArchiveDirectory.ts"
import { type AppNote, readApp } from "./AppNotes.ts"
import type { Container } from "./Container.ts"
import { itemLink, itemTypes, type JoplinItem, joplinItemOf } from "./JoplinItem.ts"
import { pastTime } from "./JsonValues.ts"
import { within } from "./Opening.ts"

/** Reads an export of Joplin (JEX, or its folder of raw files): items with ids, and the files of resources. */

const resourcePath = /(?:^|\/)resources\/([0-9a-f]{32})(?:\.[^/]*)?$/i

/** The items, as they are known before the notes are read. */
class Index {
  readonly notes: Array<{ readonly id: string; readonly entry: Entry }> = []
  readonly known = new Set<string>()
  readonly problems: Array<ProblemItem> = []
  readonly folders = new Map<string, { readonly title: string; readonly parent: string }>()
  readonly resources = new Map<string, Entry>()
  readonly resourceNames = new Map<string, string>()
  readonly #tags = new Map<string, string>()
  readonly #noteTags = new Map<string, Array<string>>()
  #revisions = 0
  #encrypted = 0

  add({ properties, title }: JoplinItem, entry: Entry): void {
    const id = properties.get("id")!
    const type = properties.get("type_")
    if (properties.get("encryption_applied") === "1") {
      this.#encrypted++
      return
    }
    if (type === itemTypes.note) {
      if (this.known.has(id)) this.problems.push(problem(entry.path, "duplicate_path", "Another note has its id"))
      else this.notes.push({ id, entry })
      this.known.add(id)
    } else if (type === itemTypes.folder) this.folders.set(id, { title, parent: properties.get("parent_id") ?? "" })
    else if (type === itemTypes.resource) this.resourceNames.set(id, properties.get("filename") || title)
    else if (type === itemTypes.tag) this.#tags.set(id, title)
    else if (type === itemTypes.revision) this.#revisions++
    else if (type === itemTypes.noteTag) {
      const note = properties.get("note_id") ?? ""
      const tags = this.#noteTags.get(note) ?? []
      tags.push(properties.get("tag_id") ?? "")
      this.#noteTags.set(note, tags)
    }
  }

  tagsOf(note: string): ReadonlyArray<string> {
    return (this.#noteTags.get(note) ?? []).flatMap((tag) => this.#tags.get(tag) ?? [])
  }

  foldersOf(folder: string): ReadonlyArray<string> {
    const names: Array<string> = []
    const seen = new Set<string>()
    for (let at = folder; !seen.has(at); at = this.folders.get(at)!.parent) {
      const found = this.folders.get(at)
      if (found === undefined) break
      seen.add(at)
      names.unshift(found.title)
    }
    return names
  }

  all(): ReadonlyArray<ProblemItem> {
    const left = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`)
    return [
      ...this.problems,
      ...(this.#encrypted === 0
        ? []
        : [
            problem(
              "",
              "encrypted",
              `${left(this.#encrypted, "item is", "items are")} encrypted and not imported. Decrypt all notes in Joplin, and export again`
            )
          ]),
      ...(this.#revisions === 0
        ? []
        : [
            problem(
              "",
              "skipped",
              `${left(this.#revisions, "earlier version of a note is", "earlier versions of notes are")} left out`
            )
          ])
    ]
  }
}

const read = async (files: Container, entry: Entry, most: number): Promise<JoplinItem | undefined> =>
  joplinItemOf((await textOf(await files.bytes(entry, most))).text)

const indexOf = async function* (files: Container, most: number): AsyncGenerator<number, Index> {
  const index = new Index()
  const entries = files.entries.filter(({ path }) => !junk.test(path))
  for (const [count, entry] of entries.entries()) {
    const resource = resourcePath.exec(entry.path)?.[1]
    if (resource !== undefined) index.resources.set(resource.toLowerCase(), entry)
    else if (joplinPath.test(entry.path)) {
      try {
        const item = await read(files, entry, most)
        if (item !== undefined) index.add(item, entry)
        else index.problems.push(problem(entry.path, "invalid_file", "It is not an item of Joplin"))
      } catch (error) {
        if (!(error instanceof Damaged)) throw error
        index.problems.push(problem(entry.path, error.code, error.message))
      }
    } else index.problems.push(problem(entry.path, "skipped", "It is not a file of an export of Joplin"))
    yield (count + 1) / entries.length
  }
  return index
}

const number = (properties: JoplinItem["properties"], name: string): number => Number(properties.get(name) ?? 0) || 0

const locationOf = (properties: JoplinItem["properties"]): string => {
  const place = ["latitude", "longitude"].map((name) => number(properties, name))
  return place.every((each) => each === 0) ? "" : place.join(", ")
}

/** A to-do as a task before its text, and its reminder if that is still to come. */
const taskOf = (title: string, properties: JoplinItem["properties"], { now, timezone }: Reading) => {
  if (properties.get("is_todo") !== "1") return { text: "" }
  const moment = (time: number) => momentIn(new Date(time).toISOString(), timezone, false)
  const isTime = (time: number) => time > 0 && time < 8e14
  const [due, done] = ["todo_due", "todo_completed"].map((name) => number(properties, name))
  const lines = [
    ...(isTime(due!) ? [`Due: ${moment(due!)}`] : []),
    ...(isTime(done!) ? [`Done: ${moment(done!)}`] : [])
  ]
  const text = [`- [${done === 0 ? " " : "x"}] ${title.trim() || "To-do"}`, ...lines].join("\\\n  ")
  const isAhead = isTime(due!) && due! > now.getTime() && done === 0
  return { text: `${text}\n\n`, ...(isAhead ? { remind_at: new Date(due!).toISOString() } : {}) }
}

export const readJoplin = (path: string, reading: Reading, isArchive: boolean): Items =>
  within(path, reading, isArchive, async function* (files) {
    if (!files.entries.some((entry) => joplinPath.test(entry.path))) {
      throw new Unreadable("not_readable", "This is a tar archive, not an export of Joplin. Pack its files as a ZIP")
    }
    yield* notesIn(files, reading)
  })

async function* notesIn(files: Container, reading: Reading): Items {
  const { limits, now } = reading
  const indexed = indexOf(files, limits.textBytes)
  let step = await indexed.next()
  for (; step.done !== true; step = await indexed.next()) {
    yield { type: "progress", progress: readingShare * step.value }
  }
  const index = step.value
  yield* index.all()
  const noteOf = ({ body, properties, title }: JoplinItem, entry: Entry, progress: number): AppNote => {
    const id = properties.get("id")!
    const { text: task, remind_at } = taskOf(title, properties, reading)
    const isHtml = properties.get("markup_language") === "2"
    const resources = [...body.matchAll(/:\/([0-9a-f]{32})/gi)].flatMap(
      ([, resource = ""]) => index.resources.get(resource.toLowerCase()) ?? []
    )
    const time = (name: string) => pastTime(properties.get(`user_${name}`) || properties.get(name), now)
    return {
      key: id,
      id,
      path: title === "" ? entry.path : title,
      folders: index.foldersOf(properties.get("parent_id") ?? ""),
      title,
      text: isHtml ? body : task + body,
      format: isHtml ? "html" : "markdown",
      after: isHtml ? task.trim() : "",
      properties: {
        source: properties.get("source_url") ?? "",
        author: properties.get("author") ?? "",
        location: locationOf(properties),
        ...(properties.get("is_conflict") === "1" ? { conflict: true } : {})
      },
      tags: index.tagsOf(id),
      created_at: time("created_time"),
      updated_at: time("updated_time"),
      isTrashed: number(properties, "deleted_time") > 0,
      remind_at,
      linked: [...new Set(resources)],
      progress
    }
  }
  const names = new Map(
    [...index.resources].map(([id, entry]) => [
      entry.path.slice(entry.path.lastIndexOf("/") + 1),
      index.resourceNames.get(id) ?? ""
    ])
  )
  yield* readApp(
    {
      name: "joplin",
      files,
      attachments: [...index.resources.values()],
      nameOf: (base) => names.get(base) || base,
      notes: async function* () {
        for (const [count, { entry }] of index.notes.entries()) {
          const item = await read(files, entry, limits.textBytes)
          if (item !== undefined) yield noteOf(item, entry, (count + 1) / index.notes.length)
        }
      },
      find: ({ target }) => {
        const [, id = "", heading = ""] = itemLink.exec(target) ?? []
        const file = index.resources.get(id.toLowerCase())
        if (file !== undefined) return { file }
        return index.known.has(id.toLowerCase()) ? { note: id.toLowerCase(), heading: decoded(heading) } : undefined
      }
    },
    reading
  )
}
