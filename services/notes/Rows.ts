import * as Table from "../storage/Table.ts"
import type { Notebook } from "./Notebook.ts"

/** The rows of this folder's tables as a draft holds them. What the column list does not name is not the writer's. */

export interface NoteRow {
  readonly id: string
  readonly notebook_id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly version: number
  readonly word_count: number
  readonly created_at: string
  readonly updated_at: string
  /** When it was put into the trash. */
  readonly deleted_at: string | null
  /** Who made the current version. */
  readonly author_id: string | null
  readonly restored_from: number | null
}

export const notes = Table.make<NoteRow>("notes", {
  columns: {
    id: "text",
    notebook_id: "text",
    title: "text",
    body: "text",
    tags: "text[]",
    pinned: "boolean",
    archived: "boolean",
    version: "int",
    word_count: "int",
    created_at: "text",
    updated_at: "text",
    deleted_at: "text",
    author_id: "text",
    restored_from: "int"
  },
  key: ["id"],
  weigh: (row) => row.body.length + row.title.length + 500
})

/** A superseded version. `body` null: the same as the next version's. */
export interface NoteVersionRow {
  readonly note_id: string
  readonly version: number
  readonly notebook_id: string
  readonly title: string
  readonly body: string | null
  readonly tags: ReadonlyArray<string>
  readonly pinned: boolean
  readonly archived: boolean
  readonly word_count: number
  readonly author_id: string | null
  readonly created_at: string
  readonly restored_from: number | null
}

export const noteVersions = Table.make<NoteVersionRow>("note_versions", {
  columns: {
    note_id: "text",
    version: "int",
    notebook_id: "text",
    title: "text",
    body: "text",
    tags: "text[]",
    pinned: "boolean",
    archived: "boolean",
    word_count: "int",
    author_id: "text",
    created_at: "text",
    restored_from: "int"
  },
  key: ["note_id", "version"],
  appendOnly: true
})

export interface NoteTagRow {
  readonly tag_id: string
  readonly note_id: string
}

export const noteTags = Table.make<NoteTagRow>("note_tags", {
  columns: { tag_id: "text", note_id: "text" },
  key: ["tag_id", "note_id"]
})

export interface NotebookRow {
  readonly id: string
  readonly name: string
  readonly name_key: string
  readonly color: string | null
  readonly icon: Notebook["icon"]
  readonly parent_id: string | null
  readonly note_count: number
  readonly revision: number
  readonly created_at: string
  readonly updated_at: string
}

export const notebooks = Table.make<NotebookRow>("notebooks", {
  columns: {
    id: "text",
    name: "text",
    name_key: "text",
    color: "text",
    icon: "text",
    parent_id: "text",
    note_count: "int",
    revision: "int",
    created_at: "text",
    updated_at: "text"
  },
  key: ["id"],
  resident: true
})

export interface TagRow {
  readonly id: string
  readonly name: string
  readonly name_key: string
  readonly color: string | null
  readonly note_count: number
  readonly revision: number
  readonly created_at: string
}

export const tags = Table.make<TagRow>("tags", {
  columns: {
    id: "text",
    name: "text",
    name_key: "text",
    color: "text",
    note_count: "int",
    revision: "int",
    created_at: "text"
  },
  key: ["id"],
  resident: true,
  unique: "name_key"
})
