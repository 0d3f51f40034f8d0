import type { DocumentTable } from "../index/DocumentTable.ts"
import { State } from "../index/IndexedNote.ts"
import { tagKey } from "../text/Folding.ts"

/** The notes that a search covers, whatever its words. */
export interface Filters {
  readonly note_ids?: ReadonlySet<string> | undefined
  readonly notebook_ids?: ReadonlySet<string> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  /** Default: `all`. */
  readonly tags_match?: "all" | "any" | undefined
  /** Milliseconds: `_after` is included, `_before` is not. */
  readonly created_after?: number | undefined
  readonly created_before?: number | undefined
  readonly updated_after?: number | undefined
  readonly updated_before?: number | undefined
  /** false (default): not archived; true: archived only; null: both. */
  readonly archived?: boolean | null | undefined
}

/** Whether no note passes, whatever its words: none is named, none is in these notebooks, or has a tag (see `tagKey`) that is required. */
export const excludesAll = (entries: DocumentTable, filters: Filters, asked: ReadonlyArray<string>): boolean => {
  const { note_ids, notebook_ids, tags = [], tags_match } = filters
  if (notebook_ids?.size === 0 || note_ids?.size === 0) return true
  if (tags.length + asked.length === 0) return false
  const known = new Set(Array.from(entries.tags, ({ key }) => key))
  const isMissing = (tag: string) => !known.has(tag)
  const missing = tags.map(tagKey).filter(isMissing).length
  return asked.some(isMissing) || (tags_match === "any" ? missing === tags.length && missing > 0 : missing > 0)
}

/** The filters as a test of a note, with the tags (see `tagKey`) that the query requires and excludes. */
export const filterOf = (
  entries: DocumentTable,
  filters: Filters,
  asked: ReadonlyArray<string>,
  excluded: ReadonlyArray<string>
): ((note: number) => boolean) => {
  const { archived = false, note_ids, notebook_ids, tags_match } = filters
  const { created_after = -Infinity, created_before = Infinity } = filters
  const { updated_after = -Infinity, updated_before = Infinity } = filters
  const tags = (filters.tags ?? []).map(tagKey)
  return (note) => {
    const state = entries.columns.states[note]!
    if (state === State.none || (archived !== null && (state === State.archived) !== archived)) return false
    const created = entries.columns.created[note]!
    const updated = entries.columns.updated[note]!
    if (created < created_after || created >= created_before) return false
    if (updated < updated_after || updated >= updated_before) return false
    if (notebook_ids !== undefined && !notebook_ids.has(entries.notebookOf(note))) return false
    if (note_ids !== undefined && !note_ids.has(entries.idOf(note))) return false
    if (tags.length + asked.length + excluded.length === 0) return true
    const own = entries.tagsOf(note)
    const hasTag = (tag: string) => own.some(({ key }) => key === tag)
    return (
      (tags.length === 0 || (tags_match === "any" ? tags.some(hasTag) : tags.every(hasTag))) &&
      asked.every(hasTag) &&
      !excluded.some(hasTag)
    )
  }
}
