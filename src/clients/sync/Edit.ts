import { unexpected } from "../client/ClientProblem.ts"
import type { Data } from "../../../services/records/Merge.ts"

export type Op = "upsert" | "delete"

/** The last state of a record that the server has sent. A deleted one keeps the data before its deletion. */
export interface Known {
  readonly type: string
  readonly id: string
  readonly op: Op
  readonly revision: number
  readonly data: Data | null
  /** When the server stored it. */
  readonly changed_at?: string
}

/** A change of the user that the server does not have yet. */
export interface Edit {
  /** The server applies a change with the same id once. */
  readonly mutation_id: string
  readonly type: string
  readonly id: string
  readonly op: Op
  /** The revision that it is based on; 0 creates the record. */
  readonly revision: number
  /** The members that change. */
  readonly data: Data
  /** The data that the user saw before the edit: the common base of a merge. It is not sent. */
  readonly seen: Data
  /** The note in whose conflict the edit began: the note itself for a merge, another one for its conflict copy. */
  readonly conflict_of?: string
  /** Whether it brings back what a restore of the server has taken away. It is not sent. */
  readonly isRecovered?: true
}

const isKnown = (value: Partial<Known> | null | undefined): value is Known =>
  typeof value?.type === "string" &&
  typeof value.id === "string" &&
  (value.op === "upsert" || value.op === "delete") &&
  typeof value.revision === "number" &&
  typeof value.data === "object"

/** Types of records, and that of notebooks: a note needs the notebook that it is in. */
export const withNotebooks = <T extends string>(types: ReadonlyArray<T>): ReadonlyArray<T | "notebook"> => [
  ...new Set<T | "notebook">(["notebook", ...types])
]

/** The state of a record that a server sent, of whatever type. Throws a SheafError for anything else. */
export const knownOf = (value: unknown): Known => {
  const change = value as Partial<Known> | null | undefined
  if (!isKnown(change)) throw unexpected("A change of an unknown form")
  const { changed_at, data, id, op, revision, type } = change
  return { type, id, op, revision, data, ...(changed_at === undefined ? {} : { changed_at }) }
}

/** The part of the state of a client that the rules read. */
export interface View {
  readonly known: (id: string) => Known | undefined
  /** The state of a record with all own edits. */
  readonly shown: (id: string) => Shown
  /** The ids of the notebooks that the server has or will have, and that are not deleted. */
  readonly notebooks: () => Iterable<string>
  /** Whether an edit of the record is to be pushed, or was pushed and has no result yet. */
  readonly isWaiting: (id: string) => boolean
}

/** The record as the user sees it; a deleted one has the data before its deletion. */
export interface Shown {
  readonly op: Op
  readonly data: Data
}

/** Maximum number of edits of a push. */
export const maxEntries = 500
/** Maximum characters of a push: it has at most 15 MB in UTF-8, and the server accepts 16 MB. */
const maxCharacters = 5e6

export const newId = (prefix = ""): string => prefix + crypto.randomUUID()

export const isEmpty = (data: Data): boolean => Object.keys(data).length === 0

/** The state of a record with own edits, in their order. If the server does not have it any more, it is as it was seen. */
export const shownWith = (known: Known | undefined, edits: ReadonlyArray<Edit>): Shown => ({
  op: edits.at(-1)?.op ?? known?.op ?? "delete",
  data: Object.assign({}, known === undefined ? edits[0]?.seen : known.data, ...edits.map(({ data }) => data))
})

/** Two edits of one record as one. Each member keeps what was seen before its first edit. */
const join = (first: Edit, next: Edit): Edit => {
  const members = Object.keys(first.op === "delete" ? first.seen : first.data)
  const seen = Object.fromEntries(members.map((member) => [member, first.seen[member]]))
  return {
    ...first,
    op: next.op,
    data: { ...first.data, ...next.data },
    seen: { ...first.seen, ...next.seen, ...seen }
  }
}

/** Edits that restore a note from the trash. The second one conflicts, and is merged with what is in the trash. */
export const restoring = (edit: Edit, deletion: number): readonly [Edit, ...ReadonlyArray<Edit>] => {
  const first = { ...edit, mutation_id: newId(), revision: deletion, data: {} }
  return isEmpty(edit.data) ? [first] : [first, { ...edit, mutation_id: newId(), revision: deletion - 1 }]
}

/** The edits of a change that the user makes. A note in the trash is restored first. */
export const editsOf = (
  { data, id, op, type }: Pick<Edit, "data" | "id" | "op" | "type">,
  view: Pick<View, "known" | "shown">
): readonly [Edit, ...ReadonlyArray<Edit>] => {
  const record = view.known(id)
  const { data: seen, op: before } = view.shown(id)
  const isNote = type === "note"
  const revision = record?.revision ?? 0
  // An edit of a note that is being restored is based on the state before the deletion.
  const based = {
    mutation_id: newId(),
    type,
    id,
    op,
    revision: isNote && record?.op === "delete" ? revision - 1 : revision
  }
  const isBack = before === "delete" && op === "upsert"
  if (!isBack) return [{ ...based, data, seen }]
  if (isNote && record?.op === "delete") return restoring({ ...based, data, seen }, revision)
  // A deleted record is restored with all its data. Without a trash, the server has none of them.
  return [{ ...based, data: { ...seen, ...data }, seen: isNote ? seen : {} }]
}

/** The edit and the last waiting one as one edit, if they concern one record, and neither is its deletion alone. */
export const joinedWith = (last: Edit | undefined, edit: Edit): Edit | undefined =>
  last?.id === edit.id && last.op === edit.op && last.revision === edit.revision ? join(last, edit) : undefined

/** A refused edit together with the one that corrects it. */
export const corrected = (refused: Edit, edit: Edit): Edit => ({
  ...join(refused, edit),
  mutation_id: edit.mutation_id
})

/** The edits of the next push: new notebooks first, each record once, within the limits of a push. */
export const batchOf = (waiting: ReadonlyArray<Edit>): ReadonlyArray<Edit> => {
  const ids = new Set<string>()
  const isNew = ({ id, op, revision, type }: Edit) => {
    const isFirst = !ids.has(id)
    ids.add(id)
    return isFirst && type === "notebook" && op === "upsert" && revision === 0
  }
  const first = new Set(waiting.filter(isNew))
  const batch = new Map<string, Edit>()
  let characters = 0
  for (const edit of [...first, ...waiting.filter((edit) => !first.has(edit))]) {
    characters += JSON.stringify(edit.data).length + 500
    if (batch.has(edit.id) || batch.size === maxEntries || (batch.size > 0 && characters > maxCharacters)) break
    batch.set(edit.id, edit)
  }
  return [...batch.values()]
}

/** An edit with the later ones of its record. A deletion among them was meant for another state than there is now. */
export const withLater = (edit: Edit, later: ReadonlyArray<Edit>): Edit =>
  later.filter(({ op }) => op === "upsert").reduce(join, edit)

/** The record that an edit puts its record into, if any. */
export const containerOf = ({ data }: Pick<Edit, "data">): unknown =>
  data["notebook_id"] ?? data["note_id"] ?? data["parent_id"]
