import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { texts } from "../Messages.ts"

/** Which tasks are shown instead of a list of notes: the name of a view; empty for the first one. */
export interface TaskFilter {
  readonly kind: "tasks"
  readonly query: string
}

/** Which notes a list has. It is the first part of the path of a page. */
export type NoteFilter =
  | { readonly kind: "all" | "archive" | "trash" }
  | { readonly kind: "notebook"; readonly id: string }
  | { readonly kind: "tag"; readonly name: string }
  | { readonly kind: "search"; readonly query: string }

/** What is shown next to the open note. */
export type ShownList = NoteFilter | TaskFilter

/** Reads a filter from the first part of a path and the query. */
export const filterOf = (part: string | undefined, query: string | undefined): ShownList => {
  if (part === "archive" || part === "trash") return { kind: part }
  if (part === "search" || part === "tasks") return { kind: part, query: query ?? "" }
  if (part?.startsWith("nb_") === true) return { kind: "notebook", id: part }
  if (part?.startsWith("tag:") === true) return { kind: "tag", name: part.slice("tag:".length) }
  return { kind: "all" }
}

const partOf = (filter: ShownList): string => {
  if (filter.kind === "notebook") return filter.id
  if (filter.kind === "tag") return `tag:${encodeURIComponent(filter.name)}`
  return filter.kind
}

/** The path of a list, or of one of its notes, below that of the console. */
export const pathOf = (filter: ShownList, note?: string): string => {
  const query = "query" in filter && filter.query !== "" ? `?q=${encodeURIComponent(filter.query)}` : ""
  return `/${partOf(filter)}${note === undefined ? "" : `/${note}`}${query}`
}

/** The heading of a list. */
export const titleOf = (filter: ShownList, store: WorkspaceStore): string => {
  if (filter.kind === "notebook") return store.notebook(filter.id)?.name ?? texts.notebook
  if (filter.kind === "tag") return `#${filter.name}`
  return texts.lists[filter.kind]
}

/** A text in a filter of the API, whose `*` are no wildcards. */
export const quoted = (text: string): string => `"${text.replaceAll(/["\\*]/g, "\\$&")}"`

/** The `filter` and `sort` of a list, as the API takes them. */
export const listQueryOf = (filter: Exclude<NoteFilter, { kind: "search" }>) => {
  switch (filter.kind) {
    case "all":
      return {}
    case "archive":
      return { filter: "archived = true" }
    case "trash":
      return { filter: "deleted_at:*", sort: ["-deleted_at" as const] }
    case "notebook":
      return { filter: `notebook_id = ${filter.id}` }
    case "tag":
      return { filter: `tags:"${filter.name.replaceAll(/["\\]/g, "\\$&")}"` }
  }
}
