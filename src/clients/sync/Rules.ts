import type { Problem } from "../client/ClientProblem.ts"
import { containerOf, type Edit, editsOf, isEmpty, type Known, newId, restoring, type View, withLater } from "./Edit.ts"
import { type Data, merge, mergeHistories, mergeTexts, same } from "../../../services/records/Merge.ts"

/** A change that the server did not write, because it has a newer state. */
export interface Conflict {
  readonly mutation_id: string | null
  /** The revision that the next attempt must be based on; null if there is no record. */
  readonly revision: number | null
  readonly server: Known | null
  /** The common base of both changes, if the server has it. */
  readonly base?: { readonly data: Data } | null
}

/** The result of a pushed edit. */
export type Outcome =
  | { readonly status: "applied" | "duplicate"; readonly revision: number }
  | { readonly status: "conflict"; readonly conflict: Conflict }
  | { readonly status: "rejected"; readonly error: Problem }

/** The consequences of the result of an edit. */
export interface Settled {
  /** To push instead of the edit, before all others. */
  readonly again: ReadonlyArray<Edit>
  /** The waiting edits of the same record, as they are now. */
  readonly later: ReadonlyArray<Edit>
  /** The edit was refused: the user must decide. */
  readonly refused?: { readonly edit: Edit; readonly problem: Problem }
  /** The state of the record until the server sends it. */
  readonly known?: Known
  /** The id of a record that the server does not have. */
  readonly gone?: string
}

/** A notebook that is there, else a new one. */
const home = (
  view: Pick<View, "known" | "notebooks" | "shown">,
  except?: string
): { readonly id: string; readonly made: ReadonlyArray<Edit> } => {
  for (const id of view.notebooks()) if (id !== except) return { id, made: [] }
  const id = newId("nb_")
  return { id, made: editsOf({ type: "notebook", id, op: "upsert", data: { name: "Conflicts" } }, view) }
}

/** The member that marks the edits which settle the conflict of an edit: only notes have an activity that shows it. */
const markOf = ({ id, type }: Pick<Edit, "id" | "type">): Pick<Edit, "conflict_of"> =>
  type === "note" ? { conflict_of: id } : {}

/** The id of a note that several clients make of the same words. */
const idFor = (words: string): string => {
  const hashes = [1, 2, 3, 4].map((seed) => {
    let hash = seed
    for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ words.charCodeAt(at), 0x01000193)
    return (hash >>> 0).toString(36)
  })
  return `nt_copy-${hashes.join("-")}`
}

/** A conflict copy: a new note with the words of an edit that have no place in its record. */
export const copyOf = (
  { data, isRecovered, seen, ...record }: Pick<Edit, "data" | "id" | "isRecovered" | "seen" | "type">,
  view: Pick<View, "known" | "notebooks" | "shown">
): ReadonlyArray<Edit> => {
  const { body = "", name = "Comment", notebook_id, title = name } = { ...seen, ...data }
  const isThere = typeof notebook_id === "string" && view.shown(notebook_id).op === "upsert"
  const { id, made } = isThere ? { id: notebook_id, made: [] } : home(view)
  const copy = { notebook_id: id, title, body }
  // Each client that has the lost words makes the copy, and there is one.
  const own = isRecovered === true ? idFor(JSON.stringify([record.id, title, body])) : newId("nt_")
  const edits = editsOf({ type: "note", id: own, op: "upsert", data: copy }, view)
  return [...made, ...edits.map((edit) => ({ ...edit, ...markOf(record) }))]
}

/** The data that the user saw before an edit. A recovered one has none if others have changed the restored state. */
const seenBefore = ({ data, isRecovered, seen }: Edit, { base }: Conflict): Data =>
  isRecovered !== true
    ? seen
    : Object.fromEntries(
        [...Object.keys(seen), ...Object.keys(data)].map((member) => [member, seen[member] ?? base?.data[member]])
      )

/** Returns the edits to push instead of one that has conflicted. */
export const afterConflict = (conflict: Conflict, edit: Edit, view: View): ReadonlyArray<Edit> => {
  const { revision, server } = conflict
  const next = { ...edit, mutation_id: newId(), revision: revision ?? 0, ...markOf(edit) }
  const theirs = server?.data ?? null
  if (edit.op === "delete") {
    // A deletion is repeated unless there are words that the user has not seen.
    const isSeen = (member: string) => same(theirs?.[member], edit.seen[member])
    return theirs !== null && ["title", "name", "body"].every(isSeen) ? [next] : []
  }
  if (edit.type === "note" && server?.op === "delete") return restoring(edit, server.revision)
  // It is made again as it was last known: others may have changed it after the user saw it.
  if (theirs === null) return [{ ...next, data: { ...edit.seen, ...view.known(edit.id)?.data, ...edit.data } }]
  const textsMerged = edit.isRecovered === true ? mergeHistories : mergeTexts
  const { data, isWhole } = merge(edit.data, seenBefore(edit, conflict), theirs, textsMerged)
  return [...(isWhole ? [] : copyOf(edit, view)), ...(isEmpty(data) ? [] : [{ ...next, data, seen: theirs }])]
}

/** Whether the server refuses the time at which a note was created: the clock of the device was wrong. */
const isOfWrongClock = (problem: Problem): boolean =>
  problem.code === "validation_failed" && problem.errors?.some(({ field }) => field === "data.created_at") === true

/** Returns what becomes of an edit that the server has refused. */
const afterRefusal = (problem: Problem, edit: Edit, later: ReadonlyArray<Edit>, view: View): Settled => {
  if (problem.code === "not_found" && edit.op === "delete") return { again: [], later }
  // Another record has the name of a tag that is not on the server any more.
  if (problem.code === "already_exists" && edit.isRecovered === true) return { again: [], later }
  const isUnresolved = problem.code === "unresolved_reference"
  // A refused edit of a record that was deleted later is dropped, but a note without a notebook is moved.
  if (later.some(({ op }) => op === "delete") && !(isUnresolved && edit.type === "note")) return { again: [], later }
  const whole = withLater(edit, later)
  const all = { ...whole.seen, ...whole.data }
  // A note that is not in the trash any more is restored with all its data.
  if (edit.op === "upsert" && isEmpty(edit.data) && !isEmpty(all))
    return { again: [{ ...whole, data: all }], later: [] }
  if (whole !== edit) return { again: [whole], later: [] }
  if (isOfWrongClock(problem)) {
    const { created_at: _, ...data } = edit.data
    return { again: [{ ...edit, data }], later: [] }
  }
  if (!isUnresolved) return { again: [], later: [], refused: { edit, problem } }
  const container = containerOf(edit)
  if (typeof container === "string" && view.isWaiting(container)) return { again: [edit], later: [] }
  if (edit.type === "note" && typeof container === "string") {
    const { id, made } = home(view, container)
    return { again: [...made, { ...edit, data: { ...edit.data, notebook_id: id } }], later: [], gone: container }
  }
  if (edit.type === "notebook") return { again: [{ ...edit, data: { ...edit.data, parent_id: null } }], later: [] }
  if (edit.type === "comment") return { again: copyOf(edit, view), later: [] }
  return { again: [], later: [], refused: { edit, problem } }
}

/** The state of an edit that the server has already, until it sends the record. */
const kept = ({ data, id, op, type }: Edit, revision: number, known: Known | undefined): { readonly known?: Known } =>
  known !== undefined && known.revision >= revision
    ? {}
    : { known: { type, id, revision: 1, ...known, op, data: { ...known?.data, ...data } } }

/**
 * Returns the consequences of the result of an edit. `later`: the waiting edits of the record. Take the states in the
 * response, also those of conflicts, before.
 */
export const settle = (edit: Edit, outcome: Outcome, later: ReadonlyArray<Edit>, view: View): Settled => {
  if (outcome.status === "conflict") {
    return { again: afterConflict(outcome.conflict, withLater(edit, later), view), later: [] }
  }
  if (outcome.status === "rejected") return afterRefusal(outcome.error, edit, later, view)
  const isApplied = outcome.status === "applied"
  // The revision of a duplicate may include changes that the user has not seen: later edits conflict, and are merged.
  const revisionOf = ({ revision }: Edit) => (isApplied && revision === edit.revision ? outcome.revision : revision)
  return {
    again: [],
    later: later.map((each) => ({ ...each, revision: revisionOf(each) || 1 })),
    ...(isApplied ? {} : kept(edit, outcome.revision, view.known(edit.id)))
  }
}

/** Whether a push is refused because of a single entry: halves of it are pushed until that entry is found. */
export const isRefusedForEntry = ({ code, status }: { readonly code: string; readonly status: number }): boolean =>
  status === 413 || code === "validation_failed" || code === "malformed_json"
