/** What an operation is, and what it changes. */
import type { NoteType, SyncType } from "../../services/Resources.ts"
import type { OperationStep } from "./Plan.ts"

export type Type = NoteType | SyncType
export type Way = "api" | "push" | "mcp" | "replica" | "import"
export type Data = Readonly<Record<string, unknown>>

/** A change of one record, which each way sends in its own form. */
export interface Change {
  readonly type: Type
  /** Undefined for a new record. */
  readonly id?: string
  readonly op: "create" | "update" | "delete" | "purge" | "restore"
  /** The members that it sets. */
  readonly data: Data
  /** By the API: a path below that of the record, to which `sent` is posted. */
  readonly action?: string
  readonly sent?: Data
  /** Members that change although `data` does not name them. */
  readonly touches?: ReadonlyArray<string>
  /** A word that the change adds to a text. */
  readonly word?: string
  /** The version that it names is an earlier one: it must be refused. */
  readonly isStale?: true
}

/** What an operation reads to make its change. */
export interface Hand {
  readonly step: OperationStep
  /** The word of this step. */
  readonly word: string
  /** The id of the record that a step needs, by its index. */
  readonly id: (index: number) => string
  /** The newest content of a record that the sender has seen; it makes no change to one that it has not seen. */
  readonly seen: (id: string) => Data
}

export interface Operation {
  readonly kind: string
  readonly weight: number
  /** The types of records that it needs; the first one is what it changes, unless it makes a new one. */
  readonly needs: ReadonlyArray<Type>
  readonly makes?: Type
  /** The record is seldom used later. */
  readonly isEnd?: true
  readonly ways: ReadonlyArray<Way>
  /** The changes, which are sent together; none if it does not apply. Undefined for a read, which `Reads` has. */
  readonly changes?: (hand: Hand) => ReadonlyArray<Change>
}
