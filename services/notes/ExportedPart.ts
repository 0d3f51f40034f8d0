import type { Effect, Schema } from "effect"
import type { Forbidden, Invalid, Unavailable } from "../Errors.ts"
import type { Draft } from "../writer/Draft.ts"

/** The members of a record of a JSON export that an import sets itself. */
export interface ImportedRecord {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
}

/** How a JSON export carries the records of a note: as an array in the file of the note. */
export interface ExportedPart {
  /** A record in the file. */
  readonly data: Schema.Codec<any>
  /** An SQL condition on the rows `x` that are exported, in addition to not being in the trash. */
  readonly condition?: string
  /** Members with Markdown: links in them follow renamed notes and attachments. */
  readonly texts: ReadonlyArray<string>
}

/** Why a record is not stored. */
export type RefusedPart = Forbidden | Invalid | Unavailable

/** How an import stores such records. */
export interface ImportedPart<Own, Record extends ImportedRecord> {
  /** Checks a record of a file, which may come from anywhere. */
  readonly schema: Schema.Codec<Record, any>
  /** Returns the records of a note in the order in which they can be stored, without those that are not stored. */
  readonly arrange?: (records: ReadonlyArray<Record>) => ReadonlyArray<Record>
  /**
   * Returns the row of a record; undefined if the record is not stored. `idOf` returns the id in this workspace of another
   * record of the same note and type.
   */
  readonly row: (
    draft: Draft,
    record: Record & { readonly note_id: string },
    idOf: (id: string) => string
  ) => Effect.Effect<Omit<Own, "revision" | "trashed"> | undefined, RefusedPart>
}
