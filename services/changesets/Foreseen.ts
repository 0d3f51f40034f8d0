import { Effect } from "effect"
import type { Data } from "../records/Merge.ts"
import { comments } from "../notes/comments/Comment.ts"
import { notes } from "../notes/NoteTable.ts"
import { notebooks } from "../notes/notebooks/Notebook.ts"
import { nameKey, tags } from "../notes/tags/Tag.ts"
import type { Draft } from "../writer/Draft.ts"
import type { PlannedChange } from "./RevertPlan.ts"
import type { RecordKey } from "./SetRecords.ts"

const texts = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? (value as ReadonlyArray<string>) : [])

/**
 * The workspace as a revert leaves it: the rows of a draft, and the changes that a preview has planned so far, which no row has.
 * A revert that writes plans nothing here.
 */
export class Foreseen {
  readonly #back: Set<string>
  readonly #gone: Set<string>
  /** The keys of the names that tags get, by their ids. */
  readonly #tags: Map<string, string>
  readonly #parents: Map<string, unknown>
  /** Changes of the numbers of notes, by the id of a notebook and by the key of a tag. */
  readonly #notes: Map<string, number>

  /** A write may run more than once, so each run has a copy. */
  constructor(from?: Foreseen) {
    this.#back = new Set(from === undefined ? [] : from.#back)
    this.#gone = new Set(from === undefined ? [] : from.#gone)
    this.#tags = new Map(from === undefined ? [] : from.#tags)
    this.#parents = new Map(from === undefined ? [] : from.#parents)
    this.#notes = new Map(from === undefined ? [] : from.#notes)
  }

  /** Adds the planned change of a record. null: it did not exist, or is deleted. */
  add({ id, type }: RecordKey, from: Data | null, to: Data | null): void {
    if (to === null) this.#gone.add(id)
    else if (from === null) this.#back.add(id)
    if (type === "tag" && to !== null) this.#tags.set(id, nameKey(String(to["name"])))
    if (type === "notebook" && to !== null) this.#parents.set(id, to["parent_id"])
    if (type !== "note") return
    for (const [data, count] of [[from, -1] as const, [to, 1] as const]) {
      if (data === null) continue
      const places = [String(data["notebook_id"]), ...new Set(texts(data["tags"]).map(nameKey))]
      for (const place of places) this.#notes.set(place, (this.#notes.get(place) ?? 0) + count)
    }
  }

  isBack(id: string): boolean {
    return this.#back.has(id)
  }

  /** Whether a tag comes back whose name has this key. */
  bringsTag(key: string): boolean {
    return [...this.#tags].some(([id, own]) => own === key && this.#back.has(id))
  }

  /** Whether another tag has the name. */
  isTaken(draft: Draft, id: string, name: string): Effect.Effect<boolean> {
    const key = nameKey(name)
    if ([...this.#tags].some(([other, own]) => other !== id && own === key)) return Effect.succeed(true)
    return Effect.map(
      draft.find(tags, key),
      (row) => row !== undefined && row.id !== id && !this.#tags.has(row.id) && !this.#gone.has(row.id)
    )
  }

  hasNotebook(draft: Draft, id: string): Effect.Effect<boolean> {
    if (this.#back.has(id)) return Effect.succeed(true)
    return Effect.map(draft.get(notebooks, id), (row) => row !== undefined && !this.#gone.has(id))
  }

  /** Whether the caller may delete a notebook, bring it back, or move it, as a change of it does. */
  readonly mayPlace = Effect.fnUntraced(
    { self: this as Foreseen },
    function* (draft: Draft, from: Data | null, change: PlannedChange) {
      if (draft.reach === undefined) return true
      const to = change.op === "update" || change.op === "revive" ? change.data["parent_id"] : undefined
      if (change.op === "update" && to === undefined) return true
      for (const id of [...(from === null ? [] : [from["parent_id"]]), ...(to === undefined ? [] : [to])]) {
        if (this.#back.has(String(id))) continue
        if (typeof id !== "string" || !(yield* draft.mayWriteBelow(notebooks, id))) return false
      }
      return true
    }
  )

  hasNote(draft: Draft, id: string): Effect.Effect<boolean> {
    if (this.#back.has(id)) return Effect.succeed(true)
    return Effect.map(draft.get(notes, id), (row) => row?.deleted_at === null && !this.#gone.has(id))
  }

  /** Whether a first comment is there, also one that is kept for its replies. */
  hasComment(draft: Draft, id: string): Effect.Effect<boolean> {
    if (this.#back.has(id)) return Effect.succeed(true)
    return Effect.map(
      draft.get(comments, id),
      (row) => row !== undefined && (!row.trashed || this.#back.has(row.note_id)) && !this.#gone.has(id)
    )
  }

  /** Whether a notebook or tag has no notes, and a notebook no sub-notebooks. */
  readonly isEmpty = Effect.fnUntraced({ self: this as Foreseen }, function* (draft: Draft, { id, type }: RecordKey) {
    if (type === "tag") {
      const tag = yield* draft.get(tags, id)
      return (tag?.note_count ?? 0) + (this.#notes.get(tag?.name_key ?? "") ?? 0) <= 0
    }
    const tree = yield* draft.all(notebooks)
    const parentOf = (child: string, parent: string | null) =>
      this.#parents.has(child) ? this.#parents.get(child) : parent
    const hasChild = [...tree.values()].some((row) => !this.#gone.has(row.id) && parentOf(row.id, row.parent_id) === id)
    return !hasChild && (tree.get(id)?.note_count ?? 0) + (this.#notes.get(id) ?? 0) <= 0
  })
}
