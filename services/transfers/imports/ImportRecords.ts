import { Effect } from "effect"
import { hash } from "node:crypto"
import * as AttachmentEdits from "../../notes/attachments/AttachmentEdits.ts"
import * as NoteEdits from "../../notes/NoteEdits.ts"
import { exportedParts } from "../../notes/NoteParts.ts"
import { inbox, inboxIn } from "../../notes/notebooks/Inbox.ts"
import * as Notebooks from "../../notes/notebooks/Notebooks.ts"
import { subtree } from "../../notes/notebooks/NotebookTree.ts"
import { notebooks } from "../../notes/notebooks/Notebook.ts"
import { notes, type NoteVersionRow, noteVersions } from "../../notes/NoteTable.ts"
import { nameKey, tags } from "../../notes/tags/Tag.ts"
import * as Tags from "../../notes/tags/Tags.ts"
import * as Templates from "../../notes/templates/Templates.ts"
import { templates } from "../../notes/templates/Template.ts"
import { records } from "../../writer/LogEntry.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Quotas } from "../../workspaces/Quotas.ts"
import type { ImportError, ImportRow } from "./Import.ts"
import type { ImportNames } from "./ImportNames.ts"
import type { RecordItem, VersionRecord } from "./JsonRecords.ts"
import { editedSince, type SourceEdits } from "./SourceEdits.ts"

const { atMost } = NoteEdits

/** Functions that store records that belong to a note, by type. */
const storeOf = new Map(
  exportedParts.flatMap(({ imported, type }) => (imported === undefined ? [] : [[type, imported.store] as const]))
)

const ofWorkspace = (file: string): ImportError => ({
  file,
  code: "skipped",
  message: "Templates belong to the whole workspace: a credential for some notebooks imports none"
})

interface Means {
  readonly draft: Draft
  readonly quotas: Quotas["Service"]
  readonly names: ImportNames
  readonly row: ImportRow
  /** The problems of the batch; more are added. */
  readonly errors: Array<ImportError>
  readonly sources: SourceEdits
  /** Notes that could not be updated because they were edited, with the new notes that were created instead. */
  readonly moved: Map<string, string>
  /** Notebooks of the workspace that are used for notebooks of the export, by their ids in the export. */
  readonly placed: ReadonlyMap<string, string>
  /** Hashes of the templates that were created. */
  readonly templates: ReadonlySet<string>
}

/** Writes records of an export to the draft of a batch, each once. */
export class ImportRecords {
  readonly placed: Map<string, string>
  readonly templates: Set<string>
  readonly #draft: Draft
  readonly #quotas: Quotas["Service"]
  readonly #names: ImportNames
  readonly #row: ImportRow
  readonly #errors: Array<ImportError>
  readonly #sources: SourceEdits
  readonly #moved: Map<string, string>

  constructor({ draft, errors, moved, names, placed, quotas, row, sources, templates }: Means) {
    this.#draft = draft
    this.#quotas = quotas
    this.#names = names
    this.#row = row
    this.#errors = errors
    this.#sources = sources
    this.#moved = moved
    this.placed = new Map(placed)
    this.templates = new Set(templates)
  }

  /** Whether existing notebooks and templates are used for equal ones of the export. */
  get #isJoining(): boolean {
    return this.#row.keeps_ids !== true && this.#row.on_existing !== "duplicate"
  }

  #notebookId(id: string): string {
    return this.placed.get(id) ?? this.#names.id("notebook", id)
  }

  /** The notebook that a limited credential imports into; null for the top level. */
  get #root(): string | null {
    return this.#row.credential_id === null ? null : this.#row.notebook_id
  }

  /** The user who imports is the author of all records: the authors in an export cannot be trusted. */
  get #author_id(): string | null {
    return this.#draft.actor.user_id
  }

  readonly #notebook = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({
      created_at,
      id,
      parent_id = null,
      updated_at,
      ...input
    }: Extract<RecordItem, { type: "notebook" }>["record"]) {
      const draft = this.#draft
      const own = this.#names.id("notebook", id)
      const tree = yield* draft.all(notebooks)
      if (tree.has(own) || (yield* draft.get(records, "notebook", own)) !== undefined) return
      // The notes of the Inbox go into the existing one.
      if (this.#row.keeps_ids !== true && parent_id === null && this.#root === null && input.name === "Inbox") {
        if (inboxIn(tree) !== undefined) return
      }
      const parent = parent_id === null ? this.#root : this.#notebookId(parent_id)
      const equal = [...tree.values()].filter((row) => row.parent_id === parent && row.name === input.name)
      const root = tree.get(this.#root ?? "")
      const inside = new Set(root === undefined ? tree.keys() : subtree(tree, root).map(({ row }) => row.id))
      for (const there of this.#isJoining ? [id, ...equal.map((row) => row.id)] : []) {
        if (!inside.has(there) || !(yield* draft.mayWrite(notebooks, there))) continue
        return void this.placed.set(id, there)
      }
      const times = { created_at: atMost(created_at, draft.now), updated_at: atMost(updated_at, draft.now) }
      const place = parent !== null && tree.has(parent) ? parent : this.#root
      if (place !== null && !(yield* draft.mayWriteBelow(notebooks, place))) return void this.placed.set(id, place)
      yield* this.#quotas.take(draft, "notebooks", 1)
      yield* Notebooks.createRow(draft, { ...input, parent_id: place }, { id: own, revision: 1 }, times)
    }
  )

  readonly #tag = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ created_at, id, ...input }: Extract<RecordItem, { type: "tag" }>["record"]) {
      const draft = this.#draft
      // A limited caller has tags of notes alone, which bring theirs.
      if (draft.reach !== undefined) return
      const own = this.#names.id("tag", id)
      if ((yield* draft.find(tags, nameKey(input.name))) !== undefined) return
      if ((yield* draft.get(records, "tag", own)) !== undefined) return
      yield* Tags.createRow(draft, this.#quotas, input, { id: own, revision: 1 }, atMost(created_at, draft.now))
    }
  )

  readonly #template = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ file, record: { created_at, id, updated_at, ...input } }: Extract<RecordItem, { type: "template" }>) {
      const draft = this.#draft
      const own = this.#names.id("template", id)
      if (draft.reach !== undefined) return void this.#errors.push(ofWorkspace(file))
      if ((yield* draft.get(records, "template", own)) !== undefined) return
      const content = hash("sha256", JSON.stringify([input.name, input.body ?? ""]))
      if (this.#isJoining) {
        if (this.templates.has(content)) return
        const same = yield* draft.having(templates, "name", input.name)
        if (same.some(({ body }) => body === (input.body ?? ""))) return
      }
      const times = { created_at: atMost(created_at, draft.now), updated_at: atMost(updated_at, draft.now) }
      yield* Templates.createRow(draft, this.#quotas, input, { id: own, revision: 1 }, times)
      this.templates.add(content)
    }
  )

  #versionRow(note_id: string, { notebook_id, ...version }: VersionRecord): NoteVersionRow {
    const { pinned = false, archived = false } = version
    return {
      ...version,
      note_id,
      pinned,
      archived,
      notebook_id: this.#notebookId(notebook_id),
      created_at: atMost(version.created_at, this.#draft.now),
      author_id: this.#author_id
    }
  }

  /** Returns whether the note was imported or updated; undefined if it existed already. */
  readonly #note = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ file, record, source, versions }: Extract<RecordItem, { type: "whole_note" }>) {
      const draft = this.#draft
      const names = this.#names
      const quotas = this.#quotas
      const sources = this.#sources
      const {
        archived = false,
        created_at,
        notebook_id,
        pinned = false,
        restored_from,
        tags,
        title,
        updated_at
      } = record
      const state = source.update === undefined ? undefined : yield* sources.state(source)
      if (state === "done") return
      if (state === "as_written") {
        yield* sources.rewrite(source, { title, body: record.body, tags, pinned, archived }, record)
        return "updated" as const
      }
      const problems = state === "edited" || source.earlierWasEdited === true ? [editedSince(file)] : []
      const own = names.note(record.id)
      if ((yield* draft.get(records, "note", own)) !== undefined) return void this.#errors.push(...problems)
      const { body, copies } = yield* sources.copied(source, record.body)
      const wanted = this.#notebookId(notebook_id)
      const isThere = (yield* draft.get(notebooks, wanted)) !== undefined && (yield* draft.mayWrite(notebooks, wanted))
      const place = isThere ? wanted : (this.#root ?? (yield* inbox(draft, quotas)).id)
      yield* NoteEdits.create(
        draft,
        quotas,
        { notebook_id: place, title, body, tags, pinned, archived },
        { id: own, revision: record.version },
        { created_at, updated_at, restored_from }
      )
      yield* AttachmentEdits.addCopies(draft, quotas, own, copies)
      const rows = versions.map((version) => this.#versionRow(own, version))
      yield* NoteEdits.addVersions(draft, quotas, rows)
      sources.wrote(own, source, record.version)
      if (source.update !== undefined) this.#moved.set(source.update.note_id, own)
      this.#errors.push(...problems)
      return "imported" as const
    }
  )

  /** Versions that are not sent together with their note, because the history is too long. */
  readonly #history = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ note_id, versions }: Extract<RecordItem, { type: "versions" }>) {
      const draft = this.#draft
      const names = this.#names
      const quotas = this.#quotas
      const own = names.note(note_id)
      const note = yield* draft.get(notes, own)
      if (note === undefined) return
      const rows: Array<NoteVersionRow> = []
      for (const version of versions) {
        const there = yield* draft.get(noteVersions, own, String(version.version))
        if (there === undefined) rows.push(this.#versionRow(own, version))
      }
      if (rows.length === 0) return
      yield* NoteEdits.addVersions(draft, quotas, rows)
      NoteEdits.touch(draft, note)
    }
  )

  /** The note that a record belongs to. The record keeps its id if the note has the same id in the export. */
  #placeOf(note_id: string, into: string | undefined) {
    if (into === undefined) return { note_id: this.#names.note(note_id), keepsIds: false }
    const moved = this.#moved.get(into)
    return moved === undefined ? { note_id: into, keepsIds: into === note_id } : { note_id: moved, keepsIds: false }
  }

  readonly #part = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ into, note_id: of, of: type, record }: Extract<RecordItem, { type: "part" }>) {
      const draft = this.#draft
      const names = this.#names
      const { keepsIds, note_id } = this.#placeOf(of, into)
      const idOf = (id: string): string => (keepsIds ? id : names.id(type, id))
      const own = idOf(record.id)
      if ((yield* draft.get(records, type, own)) !== undefined) return
      const times = {
        created_at: atMost(record.created_at, draft.now),
        updated_at: atMost(record.updated_at, draft.now)
      }
      yield* storeOf.get(type)!(draft, this.#quotas, { ...record, id: own, note_id, ...times }, idOf)
    }
  )

  /** Writes an item. Returns whether a note was imported or updated; undefined for other items. */
  readonly write = (item: RecordItem) => {
    switch (item.type) {
      case "notebook":
        return Effect.as(this.#notebook(item.record), undefined)
      case "tag":
        return Effect.as(this.#tag(item.record), undefined)
      case "template":
        return Effect.as(this.#template(item), undefined)
      case "whole_note":
        return this.#note(item)
      case "versions":
        return Effect.as(this.#history(item), undefined)
      case "part":
        return Effect.as(this.#part(item), undefined)
    }
  }
}
