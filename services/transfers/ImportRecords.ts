import { Effect } from "effect"
import * as NotePart from "../notes/NotePart.ts"
import * as CommentEdits from "../notes/CommentEdits.ts"
import * as NoteEdits from "../notes/NoteEdits.ts"
import * as Notebooks from "../notes/Notebooks.ts"
import { notebooks } from "../notes/NotebookTable.ts"
import { notes, type NoteVersionRow, noteVersions } from "../notes/NoteTable.ts"
import * as ReminderEdits from "../notes/ReminderEdits.ts"
import { nameKey } from "../notes/Tag.ts"
import * as Tags from "../notes/Tags.ts"
import { tags } from "../notes/TagTable.ts"
import * as Templates from "../notes/Templates.ts"
import { isAtLeast } from "../Principal.ts"
import { records } from "../storage/Change.ts"
import type { Draft } from "../storage/Draft.ts"
import type { Need } from "../storage/Mailboxes.ts"
import type { Quotas } from "../workspaces/Quotas.ts"
import { members } from "../workspaces/Rows.ts"
import type { ImportNames } from "./ImportNames.ts"
import type { ImportRow } from "./ImportTable.ts"
import type { RecordItem, VersionRecord } from "./JsonRecords.ts"

const { atMost } = NoteEdits

/** What drafts of these items read, in one query a table. */
export const needsOf = (items: ReadonlyArray<RecordItem>, names: ImportNames): ReadonlyArray<Need> =>
  items.flatMap((item): ReadonlyArray<Need> => {
    switch (item.type) {
      case "notebook":
        return [[records, "notebook", names.notebook(item.record.id)]]
      case "tag":
        return [[records, "tag", names.tag(item.record.id)]]
      case "template":
        return [[records, "template", names.template(item.record.id)]]
      case "whole_note":
        return [[records, "note", names.note(item.record.id)]]
      case "versions":
        return [[notes, names.note(item.note_id)]]
      case "comment":
        return [[records, "comment", names.comment(item.record.id)], NotePart.need(names.note(item.note_id))]
      case "reminder":
        return [[records, "reminder", names.reminder(item.record.id)], NotePart.need(names.note(item.note_id))]
    }
  })

/**
 * Whether what comes in may keep its ids: only into a workspace that has nothing but an empty Inbox, which then makes way.
 * `isKnown`: the workspace has, or had, a record of the export, or a note in its trash.
 */
export const keepIds = Effect.fnUntraced(function* (draft: Draft, isKnown: boolean, ids: ReadonlySet<string>) {
  const { attachments, comments, notes: count, reminders, shares, tags: tagCount, templates } = draft.head
  const [inbox, ...others] = (yield* draft.all(notebooks)).values()
  const isEmpty =
    attachments + comments + count + reminders + shares + tagCount + templates === 0 &&
    others.length === 0 &&
    (inbox === undefined || (inbox.name === "Inbox" && inbox.parent_id === null && inbox.note_count === 0))
  if (isKnown || !isEmpty) return false
  if (inbox !== undefined && ids.size > 0 && !ids.has(inbox.id)) {
    Notebooks.records.remove(draft, inbox, "notebook.deleted")
  }
  return true
})

/** Brings records of an export in, each once, into the draft of a batch. */
export class ImportRecords {
  private readonly draft: Draft
  private readonly quotas: Quotas["Service"]
  private readonly names: ImportNames
  private readonly row: ImportRow
  private readonly known = new Map<string, boolean>()

  constructor(draft: Draft, quotas: Quotas["Service"], names: ImportNames, row: ImportRow) {
    this.draft = draft
    this.quotas = quotas
    this.names = names
    this.row = row
  }

  /** Who wrote something: as the export says, where an admin brings all of a workspace back; else who brings it. */
  private readonly author = Effect.fnUntraced({ self: this as ImportRecords }, function* (author_id: string | null) {
    const { user_id } = this.draft.actor
    if (this.row.keeps_ids !== true || user_id === null) return user_id
    const [member] = yield* this.draft.having(members, "user_id", user_id)
    return member !== undefined && isAtLeast(member.role, "admin") ? author_id : user_id
  })

  /** Who is reminded: nobody but a member. */
  private readonly reminded = Effect.fnUntraced({ self: this as ImportRecords }, function* (user_id: string) {
    let isMember = this.known.get(user_id)
    if (isMember === undefined) {
      isMember = (yield* this.author(user_id)) === user_id
      if (isMember) isMember = (yield* this.draft.having(members, "user_id", user_id)).length > 0
      this.known.set(user_id, isMember)
    }
    return isMember ? user_id : this.draft.actor.user_id
  })

  private readonly notebook = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({
      created_at,
      id,
      parent_id = null,
      updated_at,
      ...input
    }: Extract<RecordItem, { type: "notebook" }>["record"]) {
      const { draft, names } = this
      const own = names.notebook(id)
      const tree = yield* draft.all(notebooks)
      if (tree.has(own) || (yield* draft.get(records, "notebook", own)) !== undefined) return
      // There is one already, which its notes go into.
      if (this.row.keeps_ids !== true && parent_id === null && input.name === "Inbox") {
        if ([...tree.values()].some((row) => row.parent_id === null && row.name === "Inbox")) return
      }
      const parent = parent_id === null ? null : names.notebook(parent_id)
      const times = { created_at: atMost(created_at, draft.now), updated_at: atMost(updated_at, draft.now) }
      yield* this.quotas.take(draft, "notebooks", 1)
      const place = parent !== null && tree.has(parent) ? parent : null
      yield* Notebooks.createRow(draft, { ...input, parent_id: place }, { id: own, revision: 1 }, times)
    }
  )

  private readonly tag = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ created_at, id, ...input }: Extract<RecordItem, { type: "tag" }>["record"]) {
      const { draft, names } = this
      const own = names.tag(id)
      if ((yield* draft.find(tags, nameKey(input.name))) !== undefined) return
      if ((yield* draft.get(records, "tag", own)) !== undefined) return
      yield* Tags.createRow(draft, this.quotas, input, { id: own, revision: 1 }, atMost(created_at, draft.now))
    }
  )

  private readonly template = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ created_at, id, updated_at, ...input }: Extract<RecordItem, { type: "template" }>["record"]) {
      const { draft, names } = this
      const own = names.template(id)
      if ((yield* draft.get(records, "template", own)) !== undefined) return
      const times = { created_at: atMost(created_at, draft.now), updated_at: atMost(updated_at, draft.now) }
      yield* Templates.createRow(draft, this.quotas, input, { id: own, revision: 1 }, times)
    }
  )

  private readonly versionRow = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* (note_id: string, { notebook_id, ...version }: VersionRecord) {
      const { pinned = false, archived = false } = version
      return {
        ...version,
        note_id,
        pinned,
        archived,
        notebook_id: this.names.notebook(notebook_id),
        created_at: atMost(version.created_at, this.draft.now),
        author_id: yield* this.author(version.author_id)
      } satisfies NoteVersionRow
    }
  )

  private readonly note = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ record, versions }: Extract<RecordItem, { type: "whole_note" }>) {
      const { draft, names, quotas } = this
      const own = names.note(record.id)
      if ((yield* draft.get(records, "note", own)) !== undefined) return false
      const {
        archived = false,
        author_id,
        body,
        created_at,
        notebook_id,
        pinned = false,
        restored_from,
        title,
        updated_at
      } = record
      const wanted = names.notebook(notebook_id)
      const place = (yield* draft.get(notebooks, wanted)) ?? (yield* Notebooks.inbox(draft, quotas))
      yield* NoteEdits.create(
        draft,
        quotas,
        { notebook_id: place.id, title, body, tags: record.tags, pinned, archived },
        { id: own, revision: record.version },
        { created_at, updated_at, author_id: yield* this.author(author_id), restored_from }
      )
      const rows = yield* Effect.forEach(versions, (version) => this.versionRow(own, version))
      yield* NoteEdits.addVersions(draft, quotas, rows)
      return true
    }
  )

  /** A history that is too long to come with its note. */
  private readonly history = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ note_id, versions }: Extract<RecordItem, { type: "versions" }>) {
      const { draft, names, quotas } = this
      const own = names.note(note_id)
      const note = yield* draft.get(notes, own)
      if (note === undefined) return
      const rows: Array<NoteVersionRow> = []
      for (const version of versions) {
        const there = yield* draft.get(noteVersions, own, String(version.version))
        if (there === undefined) rows.push(yield* this.versionRow(own, version))
      }
      if (rows.length === 0) return
      yield* NoteEdits.addVersions(draft, quotas, rows)
      NoteEdits.touch(draft, note)
    }
  )

  private readonly comment = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ note_id, record }: Extract<RecordItem, { type: "comment" }>) {
      const { draft, names } = this
      const own = names.comment(record.id)
      if ((yield* draft.get(records, "comment", own)) !== undefined) return
      yield* CommentEdits.bring(draft, this.quotas, {
        ...record,
        id: own,
        note_id: names.note(note_id),
        parent_id: record.parent_id === null ? null : names.comment(record.parent_id),
        author_id: record.deleted ? null : yield* this.author(record.author_id),
        body: record.deleted ? "" : record.body,
        created_at: atMost(record.created_at, draft.now),
        updated_at: atMost(record.updated_at, draft.now)
      })
    }
  )

  private readonly reminder = Effect.fnUntraced(
    { self: this as ImportRecords },
    function* ({ note_id, record }: Extract<RecordItem, { type: "reminder" }>) {
      const { draft, names } = this
      const own = names.reminder(record.id)
      if ((yield* draft.get(records, "reminder", own)) !== undefined) return
      const user_id = yield* this.reminded(record.user_id)
      if (user_id === null) return
      yield* ReminderEdits.bring(draft, this.quotas, {
        ...record,
        id: own,
        note_id: names.note(note_id),
        user_id,
        remind_at: new Date(record.remind_at).toISOString(),
        created_at: atMost(record.created_at, draft.now),
        updated_at: atMost(record.updated_at, draft.now)
      })
    }
  )

  /** Answers whether a note has come in by it. */
  readonly write = (item: RecordItem) => {
    switch (item.type) {
      case "notebook":
        return Effect.as(this.notebook(item.record), false)
      case "tag":
        return Effect.as(this.tag(item.record), false)
      case "template":
        return Effect.as(this.template(item.record), false)
      case "whole_note":
        return this.note(item)
      case "versions":
        return Effect.as(this.history(item), false)
      case "comment":
        return Effect.as(this.comment(item), false)
      case "reminder":
        return Effect.as(this.reminder(item), false)
    }
  }
}
