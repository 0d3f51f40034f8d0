import { Archive } from "../formats/zip/Archive.ts"
import { type Entry, Unpacked } from "../formats/zip/ArchiveDirectory.ts"
import { type EarlierNotes, keyOfRecord } from "../formats/EarlierNotes.ts"
import { exportedParts } from "../../notes/NoteParts.ts"
import { maxPerNote } from "../../notes/NotePart.ts"
import { Damaged, type Limits, problem, type ProblemItem, type SkippedItem, Unreadable } from "../formats/Item.ts"
import { membersOf, valueOf } from "../formats/JsonMembers.ts"
import {
  type AttachedFile,
  type IdsItem,
  Manifest,
  NotebookRecord,
  NoteRecord,
  type RecordItem,
  type PartRecord,
  recordReader,
  TagRecord,
  TemplateRecord,
  VersionRecord
} from "./JsonRecords.ts"
import { attachmentOf, ExportArchive, idIn, maxOfMember, noExport } from "./ExportArchive.ts"

export type JsonItem = RecordItem | AttachedFile | IdsItem | ProblemItem | SkippedItem

const manifestOf = recordReader(Manifest)
const notebookOf = recordReader(NotebookRecord)
const tagOf = recordReader(TagRecord)
const templateOf = recordReader(TemplateRecord)
const noteOf = recordReader(NoteRecord)
const versionOf = recordReader(VersionRecord)

/** Maximum bytes of the list of notebooks, and of that of tags. */
const maxOfList = 64 * 1024 * 1024
/** Maximum number of characters of versions that are sent together with their note. */
const historyChars = 512 * 1024
const idsAtOnce = 1_000

/** Reads each value. Invalid values become problems, and the others are still read. */
function* each<A>(path: string, values: unknown, read: (value: unknown) => A): Generator<A | ProblemItem> {
  if (!Array.isArray(values)) throw noExport(`${path} is not a list`)
  for (const value of values as ReadonlyArray<unknown>) {
    try {
      yield read(value)
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      yield problem(path, error.code, error.message)
    }
  }
}

const isProblem = (item: object): item is ProblemItem => "type" in item && item.type === "problem"

/** The arrays of a note file whose records are stored one by one: the reader of a record, and their order. */
const parts = new Map(
  exportedParts.flatMap(({ exported: { texts }, imported, member, type }) =>
    imported === undefined
      ? []
      : [[member as string, { type, texts, read: recordReader(imported.schema), arrange: imported.arrange }] as const]
  )
)

/** Reads a note and the records that belong to it, in the order of the file. */
async function* noteItems(
  entry: Entry,
  from: ExportArchive,
  progress: number,
  earlier: EarlierNotes | undefined
): AsyncGenerator<JsonItem> {
  const file = entry.path
  const key = idIn(file, "notes")!
  if (earlier?.isSkipped(key) === true) {
    yield { type: "skipped", progress }
    return
  }
  const into = earlier?.updatedBy(key)
  const files = into === undefined ? [] : await from.filesOf(entry)
  await earlier?.reuse(key, files)
  const content = await from.content(entry)
  const identity = keyOfRecord(key)
  const source = earlier?.sourceOf(
    key,
    identity,
    content,
    files.map((each) => each.key)
  ) ?? { key: identity, content }
  const left: Array<string> = []
  let note: NoteRecord | undefined
  let versions: Array<VersionRecord> | undefined = []
  let held: Array<VersionRecord> = []
  let chars = 0
  const records = new Map<string, Array<PartRecord>>()
  /** The note with the versions that are sent together with it. */
  const noteItem = (): RecordItem => {
    const item = { type: "whole_note" as const, file, record: note!, source, versions: versions!, progress }
    versions = undefined
    return item
  }
  const further = (): RecordItem => {
    const item = { type: "versions" as const, file, note_id: note!.id, versions: held }
    held = []
    chars = 0
    return item
  }
  for await (const { name, text } of membersOf(from.stream(entry), maxOfMember)) {
    const value = valueOf(text)
    if (name === "note") {
      if (note !== undefined) throw new Damaged("invalid_file", "It has more than one note")
      note = noteOf(value)
      if (`notes/${note.id}.json` !== file) throw new Damaged("invalid_file", "Its note does not match its file name")
      continue
    }
    if (note === undefined) throw new Damaged("invalid_file", "It does not begin with its note")
    try {
      if (name === "versions") {
        const version = versionOf(value)
        // The updated note keeps its own history.
        if (into !== undefined) continue
        if (version.version >= note.version) throw new Damaged("invalid_file", "A version is not older than its note")
        chars += version.body?.length ?? 0
        if (versions !== undefined && chars <= historyChars) {
          versions.push(version)
          continue
        }
        if (versions !== undefined) {
          yield noteItem()
          chars = version.body?.length ?? 0
        }
        held.push(version)
        if (chars > historyChars) yield further()
        continue
      }
      if (versions !== undefined) yield noteItem()
      if (held.length > 0) yield further()
      const note_id = note.id
      const of = into === undefined ? { note_id } : { note_id, into }
      // Records got new ids in the workspace, so that it is unknown which of them exist.
      if (into !== undefined && into !== note_id && name !== "attachments") {
        if (parts.has(name) && !left.includes(name)) left.push(name)
        continue
      }
      if (name === "attachments") {
        const record = attachmentOf(value)
        if (earlier?.hasFile(record.id) === true) continue
        yield { type: "attached", file, ...of, record, open: from.file(record.sha256) }
        continue
      }
      const part = parts.get(name)
      if (part === undefined) continue
      const read = records.get(name) ?? []
      if (read.length >= maxPerNote) throw new Damaged("skipped", `Only its first ${maxPerNote} ${name} are imported`)
      read.push(part.read(value))
      records.set(name, read)
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
      yield problem(file, error.code, error.message)
    }
  }
  if (note === undefined) throw new Damaged("invalid_file", "It has no note")
  if (versions !== undefined) yield noteItem()
  if (held.length > 0) yield further()
  const of = into === undefined ? { note_id: note.id } : { note_id: note.id, into }
  for (const [name, read] of records) {
    const { arrange, texts, type } = parts.get(name)!
    for (const record of arrange?.(read) ?? read) yield { type: "part", of: type, texts, file, ...of, record }
  }
  if (left.length > 0) {
    yield problem(
      file,
      "skipped",
      `Its text and files were updated; its ${left.join(" and ")} in the workspace were not changed`
    )
  }
}

async function* items(
  path: string,
  limits: Limits,
  earlierOf: () => EarlierNotes | undefined
): AsyncGenerator<JsonItem> {
  const archive = await Archive.open(path, limits, new Unpacked(limits))
  try {
    yield* archive.problems
    const from = new ExportArchive(archive)
    const manifest = await from.value("manifest.json", maxOfMember)
    try {
      manifestOf(manifest)
    } catch (error) {
      throw noExport(error instanceof Error ? error.message : String(error))
    }
    yield* from.problems
    const notebooks = [...each("notebooks.json", await from.value("notebooks.json", maxOfList), notebookOf)]
    const tags = [...each("tags.json", await from.value("tags.json", maxOfList), tagOf)]
    const notes = from.in("notes")
    const templates = from.in("templates")

    const ids = [
      ...[...notebooks, ...tags].flatMap((record) => (isProblem(record) ? [] : [record.id])),
      ...notes.map(({ path: each }) => idIn(each, "notes")!),
      ...templates.map(({ path: each }) => idIn(each, "templates")!)
    ]
    for (let at = 0; at < ids.length; at += idsAtOnce) yield { type: "ids", ids: ids.slice(at, at + idsAtOnce) }
    yield { type: "decide" }

    const earlier = earlierOf()
    const sought = notes.map((entry) => {
      const key = idIn(entry.path, "notes")!
      return { entry, key, source: keyOfRecord(key) }
    })
    await earlier?.decide(sought, async ({ entry }) => {
      try {
        return await from.content(entry)
      } catch (error) {
        // Reported when the note itself is read.
        if (!(error instanceof Damaged)) throw error
        return undefined
      }
    })

    for (const record of notebooks) {
      yield isProblem(record) ? record : { type: "notebook", file: "notebooks.json", record }
    }
    for (const record of tags) yield isProblem(record) ? record : { type: "tag", file: "tags.json", record }
    for (const [index, entry] of notes.entries()) {
      try {
        yield* noteItems(entry, from, (index + 1) / notes.length, earlier)
      } catch (error) {
        if (!(error instanceof Damaged)) throw error
        yield problem(entry.path, error.code, error.message)
      }
    }
    for (const { path: file } of templates) {
      try {
        yield { type: "template", file, record: templateOf(await from.value(file, maxOfMember)) }
      } catch (error) {
        if (!(error instanceof Damaged)) throw error
        yield problem(file, error.code, error.message)
      }
    }
  } finally {
    await archive.close()
  }
}

/**
 * Reads a JSON export, item by item, the ids of its records first. Problems are reported as in `read`. `earlier` is
 * called after the decision whether records keep their ids, and returns undefined if they do.
 */
export async function* readJson(
  path: string,
  limits: Limits,
  earlier: () => EarlierNotes | undefined
): AsyncGenerator<JsonItem> {
  try {
    yield* items(path, limits, earlier)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    const code = error instanceof Unreadable ? error.code : "not_readable"
    const failed: ProblemItem = { type: "problem", file: "", code, message: error.message, isFatal: true }
    yield failed
  }
}
