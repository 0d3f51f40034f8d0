import type { Entry } from "../zip/ArchiveDirectory.ts"

/** The files of an export of a program: those of a ZIP, those of a tar archive, or a single one. */
export interface Container {
  readonly entries: ReadonlyArray<Entry>
  readonly stream: (entry: Entry) => AsyncIterable<Uint8Array>
  /** All bytes of a file; throws `Damaged` if there are more than `most`. */
  readonly bytes: (entry: Entry, most: number) => Promise<Buffer>
}
