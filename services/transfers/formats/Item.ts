/** What is read of a file that somebody brings along. It knows nothing of workspaces: what is made of it is another's. */

export const sources = ["markdown", "enex", "notion"] as const
export type Source = (typeof sources)[number]

/** The ids that notes and files get, by their keys: the same at every reading, so that links can lead to what comes later. */
export interface Names {
  readonly note: (key: string) => string
  readonly file: (key: string) => string
}

/** What an import may take (contract 7), and what one note of it may. */
export interface Limits {
  readonly packedBytes: number
  /** Of everything that is unpacked, parts in parts included. */
  readonly unpackedBytes: number
  readonly entries: number
  /** So many bytes may come out of one, where there are more than `suspiciousBytes` of them. */
  readonly ratio: number
  readonly suspiciousBytes: number
  /** A text that is longer is kept as a file: it is never whole in memory. */
  readonly textBytes: number
  /** The same of a text together with the files that are embedded in it. */
  readonly embeddingBytes: number
  /** Of a note's body. */
  readonly bodyBytes: number
  /** How often files may be used by notes, in all. */
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

/** A link that reads otherwise than it did: what export needs to give it back. */
export interface Rewritten {
  readonly now: string
  readonly was: string
}

/** By what a note of the file is known again when it is imported once more. */
export interface SourceNote {
  /** The SHA-256 of its path, or of its id in the other program (`sourceKey`). */
  readonly key: string
  /** The SHA-256 of its content and of what the file says of its files (`contentOf`). */
  readonly content: string
  /** The note of an earlier import that it is to be written into, and those of its attachments that stay as they are. */
  readonly update?: { readonly note_id: string; readonly reused: ReadonlyArray<string> }
  /** The note of an earlier import cannot be updated, since it was edited: this one becomes a new note beside it. */
  readonly isBeside?: true
}

export interface NoteItem {
  readonly type: "note"
  /** The same at every reading of the file. */
  readonly key: string
  /** Names of notebooks, the outermost first: at most five, each of 1–100 characters. */
  readonly notebook: ReadonlyArray<string>
  readonly title: string
  /** Markdown, whose links lead to `attachment:…` and `note:…` where what they mean is known. */
  readonly body: string
  readonly original: {
    /** The path in an archive, else the name of the file. */
    readonly path: string
    /** In the order of the body. */
    readonly links: ReadonlyArray<Rewritten>
  }
  readonly tags: ReadonlyArray<string>
  /** When it was made and last changed, where the source says so. */
  readonly created_at?: string
  readonly updated_at?: string
  readonly archived?: boolean
  readonly pinned?: boolean
  readonly reminders: ReadonlyArray<{ readonly remind_at: string }>
  readonly source: SourceNote
  /** Keys of the files that it uses. */
  readonly files: ReadonlyArray<string>
  /** How much of the file is read by now, from 0 to 1. */
  readonly progress: number
}

/** A note that the workspace has from an earlier import, and that is left out. */
export interface SkippedItem {
  readonly type: "skipped"
  readonly progress: number
}

/** One note that has a file: `note_id` where that is a note of an earlier import. */
export interface FileUse {
  readonly key: string
  readonly note: string
  readonly note_id?: string
}

export interface FileItem {
  readonly type: "file"
  /** The path in an archive, else what the file is called by its note. */
  readonly path: string
  /** Each use is an attachment of its own, of the same bytes. */
  readonly uses: ReadonlyArray<FileUse>
  readonly filename: string
  readonly content_type?: string
  /** When it was attached, where an export of this service says so. */
  readonly created_at?: string
  readonly size: number
  /** Its bytes; they fail with `Damaged` where they are not what they should be. Good until the next item is asked for. */
  readonly open: () => AsyncIterable<Uint8Array>
}

/** What may be said of a file, or of what is in it. */
export const itemProblemCodes = [
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
  /** Nothing is read after it: the import has failed, and not a part of it. */
  readonly isFatal?: true
}

export type Item = NoteItem | SkippedItem | FileItem | ProblemItem

export const problem = (file: string, code: ProblemCode, message: string): ProblemItem => ({
  type: "problem",
  file,
  code,
  message
})

export const textRepaired = (file: string): ProblemItem =>
  problem(file, "text_repaired", "Characters that are no text are left out of it, or shown as \ufffd")

/** `encoding` is the one that it was read in. */
export const encodingAssumed = (file: string, encoding: string): ProblemItem =>
  problem(
    file,
    "encoding_assumed",
    `It is not UTF-8 and does not declare its encoding; it was read as ${encoding}. If words of it are wrong, save it as UTF-8 and import it again`
  )

/** Said of one thing in a file: the rest of it is read on. */
export class Damaged extends Error {
  readonly code: ProblemCode
  constructor(code: ProblemCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Said of the file as a whole. */
export class Unreadable extends Damaged {}
