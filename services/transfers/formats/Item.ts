/** Items that readers yield from a file of a user. They are independent of workspaces; an import stores them. */

export const sources = ["auto", "markdown", "enex", "notion", "json"] as const
export type Source = (typeof sources)[number]

/** Ids of notes and files by their keys: the same each time a file is read, so that links can lead to later items. */
export interface Names {
  readonly note: (key: string) => string
  readonly file: (key: string) => string
}

/** Limits of an import (contract 7) and of each note in it. */
export interface Limits {
  readonly packedBytes: number
  /** Bytes of everything that is unpacked, including archives in archives. */
  readonly unpackedBytes: number
  readonly entries: number
  /** Maximum unpacked bytes per packed byte of an entry with more than `suspiciousBytes` unpacked bytes. */
  readonly ratio: number
  readonly suspiciousBytes: number
  /** A longer text is kept as a file, because it is never held in memory as a whole. */
  readonly textBytes: number
  /** The same limit for a text together with the files that are embedded in it. */
  readonly embeddingBytes: number
  /** Maximum bytes of a note's body. */
  readonly bodyBytes: number
  /** Maximum number of uses of files by notes, in total. */
  readonly uses: number
  readonly files: number
}

export const limits: Limits = {
  packedBytes: 2 * 1024 ** 3,
  unpackedBytes: 10 * 1024 ** 3,
  entries: 200_000,
  ratio: 200,
  suspiciousBytes: 16 * 1024 ** 2,
  textBytes: 8 * 1024 ** 2,
  embeddingBytes: 32 * 1024 ** 2,
  bodyBytes: 1024 ** 2,
  uses: 500_000,
  files: 10_000
}

/** A link whose text changed. Exports use it to restore the original. */
export interface Rewritten {
  readonly now: string
  readonly was: string
}

/** Identifies a note of the file when the file is imported again. */
export interface SourceNote {
  /** The SHA-256 of its path, or of its id in the other program (`sourceKey`). */
  readonly key: string
  /** The SHA-256 of its content and of the metadata of its files (`contentOf`). */
  readonly content: string
  /** The note of an earlier import to write into, and the ids of its attachments that stay as they are. */
  readonly update?: { readonly note_id: string; readonly reused: ReadonlyArray<string> }
  /** The note of an earlier import was edited and cannot be updated: this one becomes a new note next to it. */
  readonly earlierWasEdited?: true
}

export interface NoteItem {
  readonly type: "note"
  /** The same each time the file is read. */
  readonly key: string
  /** Names of notebooks, the outermost first: at most five, each of 1–100 characters. */
  readonly notebook: ReadonlyArray<string>
  readonly title: string
  /** Markdown, whose links with a known target lead to `attachment:…` and `note:…`. */
  readonly body: string
  readonly original: {
    /** The path in an archive, or the name of the file. */
    readonly path: string
    /** In the order of the body. */
    readonly links: ReadonlyArray<Rewritten>
  }
  readonly tags: ReadonlyArray<string>
  /** When the note was created and last changed, if the source has these times. */
  readonly created_at?: string
  readonly updated_at?: string
  readonly archived?: boolean
  readonly pinned?: boolean
  readonly reminders: ReadonlyArray<{ readonly remind_at: string }>
  readonly source: SourceNote
  /** Keys of the files that it uses. */
  readonly files: ReadonlyArray<string>
  /** The share of the file that has been read, from 0 to 1. */
  readonly progress: number
}

/** A note that is left out because the workspace has it from an earlier import. */
export interface SkippedItem {
  readonly type: "skipped"
  readonly progress: number
}

/** The share of the progress before the first note is made, while names and links are read. */
export const readingShare = 0.2

/** The progress of reading before the first note is made. */
interface ProgressItem {
  readonly type: "progress"
  readonly progress: number
}

/** The use of a file by a note; `note_id` is set if that is a note of an earlier import. */
export interface FileUse {
  readonly key: string
  readonly note: string
  readonly note_id?: string
}

export interface FileItem {
  readonly type: "file"
  /** The path in an archive, or the name that its note gives the file. */
  readonly path: string
  /** Each use becomes an attachment with the same bytes. */
  readonly uses: ReadonlyArray<FileUse>
  readonly filename: string
  readonly content_type?: string
  /** When it was attached, if an export of this service contains that time. */
  readonly created_at?: string
  readonly size: number
  /** Its bytes; reading fails with `Damaged` if they are not as declared. Valid until the next item is requested. */
  readonly open: () => AsyncIterable<Uint8Array>
}

/** Problems of a file or of its content. */
export const itemProblemCodes = [
  "other_source",
  "not_readable",
  "too_large",
  "too_many_entries",
  "suspicious_ratio",
  "unsafe_path",
  "symbolic_link",
  "encrypted",
  "unsupported_compression",
  "overlapping",
  "damaged",
  "duplicate_path",
  "name_repaired",
  "skipped",
  "unused_files",
  "text_repaired",
  "encoding_assumed",
  "was_in_trash",
  "title_shortened",
  "notebook_folded",
  "body_too_long",
  "front_matter_not_read",
  "tag_not_taken",
  "date_not_read",
  "link_not_found",
  "link_ambiguous",
  "unsafe_link",
  "missing_file",
  "too_many_links",
  "too_complex",
  "not_well_formed",
  "truncated",
  "encrypted_text",
  "not_converted",
  "invalid_file"
] as const
export type ProblemCode = (typeof itemProblemCodes)[number]

export interface ProblemItem {
  readonly type: "problem"
  /** The path in an archive, or the title of a note in a file; empty for the file as a whole. */
  readonly file: string
  readonly code: ProblemCode
  readonly message: string
  /** Nothing is read after it: the import has failed as a whole. */
  readonly isFatal?: true
}

export type Item = NoteItem | SkippedItem | ProgressItem | FileItem | ProblemItem

export const problem = (file: string, code: ProblemCode, message: string): ProblemItem => ({
  type: "problem",
  file,
  code,
  message
})

export const textRepaired = (file: string): ProblemItem =>
  problem(file, "text_repaired", "Characters that are not text were removed, or replaced by \ufffd")

/** `encoding`: the encoding that was used to read it. */
export const encodingAssumed = (file: string, encoding: string): ProblemItem =>
  problem(
    file,
    "encoding_assumed",
    `It is not UTF-8 and does not declare its encoding; it was read as ${encoding}. If words in it are wrong, save it as UTF-8 and import it again`
  )

/** A part of the file cannot be read; reading continues with the rest. */
export class Damaged extends Error {
  readonly code: ProblemCode
  constructor(code: ProblemCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The file as a whole cannot be read. */
export class Unreadable extends Damaged {}
