import { tagKey } from "./Query.ts"

/** Which notes a search is about, whatever its words. */
export interface Filters {
  readonly notebook_ids?: ReadonlySet<string> | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  /** `all` unless told. */
  readonly tags_match?: "all" | "any" | undefined
  /** The bounds themselves are included. */
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
  /** false (default): not archived; true: archived only; null: both. */
  readonly archived?: boolean | null | undefined
}

/** What filters look at. Tags as `tagKey` gives them. */
export interface Filtered {
  readonly tags: ReadonlyArray<string>
  readonly notebook_id: string
  readonly archived: boolean
  readonly created_at: string
  readonly updated_at: string
}

/** The filters as a test of one note, together with the tags (as `tagKey` gives them) that the query asks for and excludes. */
export const filterOf = (
  filters: Filters,
  asked: ReadonlyArray<string>,
  excluded: ReadonlyArray<string>
): ((note: Filtered) => boolean) => {
  const {
    notebook_ids,
    tags_match,
    created_after,
    created_before,
    updated_after,
    updated_before,
    archived = false
  } = filters
  const tags = (filters.tags ?? []).map(tagKey)
  return (note) => {
    const carried = (tag: string) => note.tags.includes(tag)
    return (
      (archived === null || note.archived === archived) &&
      (notebook_ids === undefined || notebook_ids.has(note.notebook_id)) &&
      (tags.length === 0 || (tags_match === "any" ? tags.some(carried) : tags.every(carried))) &&
      asked.every(carried) &&
      !excluded.some(carried) &&
      (created_after === undefined || note.created_at >= created_after) &&
      (created_before === undefined || note.created_at <= created_before) &&
      (updated_after === undefined || note.updated_at >= updated_after) &&
      (updated_before === undefined || note.updated_at <= updated_before)
    )
  }
}
