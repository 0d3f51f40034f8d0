import type { Language } from "../text/Languages.ts"

/** The indexed members of a note. Times are RFC 3339 in UTC with milliseconds. */
export interface IndexedNote {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly notebook_id: string
  readonly archived: boolean
  readonly word_count: number
  readonly created_at: string
  readonly updated_at: string
}

/** A tag, shared by all notes that have it with this spelling. */
export interface Tag {
  readonly name: string
  /** See `tagKey`. */
  readonly key: string
  notes: number
}

/** State of a number: without a note, a note, an archived note. */
export const State = { none: 0, live: 1, archived: 2 } as const

/** A note without its text. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly tags: ReadonlyArray<Tag>
  readonly notebook_id: string
  readonly archived: boolean
  readonly word_count: number
  /** Milliseconds since 1970. */
  readonly created_at: number
  readonly updated_at: number
  /** Number of tokens of the body. */
  readonly length: number
  readonly language: Language
}
