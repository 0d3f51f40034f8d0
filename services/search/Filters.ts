import type { Entry } from "./Entries.ts"
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

/** What filters look at. */
export type Filtered = Pick<Entry, "tags" | "notebook_id" | "archived" | "created_at" | "updated_at">

/** The filters as a test of one note, together with the tags (as `tagKey` gives them) that the query asks for and excludes. */
export const filterOf = (
  filters: Filters,
  asked: ReadonlyArray<string>,
  excluded: ReadonlyArray<string>
): ((note: Filtered) => boolean) => {
  const { notebook_ids, tags_match, archived = false } = filters
  const time = (text: string | undefined, other: number) => (text === undefined ? other : Date.parse(text))
  const createdAfter = time(filters.created_after, -Infinity)
  const createdBefore = time(filters.created_before, Infinity)
  const updatedAfter = time(filters.updated_after, -Infinity)
  const updatedBefore = time(filters.updated_before, Infinity)
  const tags = (filters.tags ?? []).map(tagKey)
  return (note) => {
    const carried = (tag: string) => note.tags.some(({ key }) => key === tag)
    return (
      (archived === null || note.archived === archived) &&
      (notebook_ids === undefined || notebook_ids.has(note.notebook_id)) &&
      (tags.length === 0 || (tags_match === "any" ? tags.some(carried) : tags.every(carried))) &&
      asked.every(carried) &&
      !excluded.some(carried) &&
      note.created_at >= createdAfter &&
      note.created_at <= createdBefore &&
      note.updated_at >= updatedAfter &&
      note.updated_at <= updatedBefore
    )
  }
}

/** Whether the filters ask for nothing but whether a note is archived. */
export const isPlain = (filters: Filters): boolean =>
  filters.notebook_ids === undefined &&
  (filters.tags ?? []).length === 0 &&
  filters.created_after === undefined &&
  filters.created_before === undefined &&
  filters.updated_after === undefined &&
  filters.updated_before === undefined
