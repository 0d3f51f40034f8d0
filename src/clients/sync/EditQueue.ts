import type { Problem } from "../client/ClientProblem.ts"
import { type Data, merge } from "../../../services/records/Merge.ts"
import { containerOf, corrected, type Edit, editsOf, joinedWith, newId, type View } from "./Edit.ts"
import { copyOf, type Settled } from "./Rules.ts"

/** An edit that the server refused, and why. */
export interface Refused {
  readonly edit: Edit
  readonly problem: Problem
  /** Whether the bytes of the attachment were refused, which the server has. */
  readonly isUpload?: true
}

/** An own edit as it is stored. */
export interface Pending {
  readonly edit: Edit
  /** The order of edits. */
  readonly position: number
  /** Whether it was pushed, and has no result yet: then it is pushed again unchanged. */
  readonly isSent: boolean
  /** Why the server refused it. */
  readonly problem?: Problem
  readonly isUpload?: true
}

/** A change of the user. */
export interface OwnChange extends Pick<Edit, "data" | "id" | "op" | "type"> {
  /** The data that the user saw before the change, if it may be older than the state that the client has. */
  readonly seen?: Data | undefined
}

const editOf = ({ edit }: Pending): Edit => edit
const isWaiting = ({ isSent, problem }: Pending): boolean => !isSent && problem === undefined
const isRefused = ({ problem }: Pending): boolean => problem !== undefined

/** The own edits: those that wait to be pushed, those that were pushed without a response, and those that were refused. */
export class EditQueue {
  /** Stores an edit; `undefined` removes it. */
  readonly #store: (mutation_id: string, pending: Pending | undefined) => void
  /** All edits in their order, by the ids of their mutations. */
  readonly #all = new Map<string, Pending>()
  /** The same edits, by the ids of their records. */
  readonly #records = new Map<string, Map<string, Pending>>()
  #lastPosition = 0

  constructor(store: (mutation_id: string, pending: Pending | undefined) => void = () => {}) {
    this.#store = store
  }

  load(pending: ReadonlyArray<Pending>): void {
    for (const each of pending.toSorted((one, other) => one.position - other.position)) this.#keep(each)
  }

  get sent(): ReadonlyArray<Edit> {
    return [...this.#all.values()].filter(({ isSent }) => isSent).map(editOf)
  }

  get waiting(): ReadonlyArray<Edit> {
    return [...this.#all.values()].filter(isWaiting).map(editOf)
  }

  get refused(): ReadonlyArray<Refused> {
    return [...this.#all.values()].flatMap(({ edit, isUpload, problem }) =>
      problem === undefined ? [] : [{ edit, problem, ...(isUpload === true ? { isUpload } : {}) }]
    )
  }

  /** The number of edits that the server does not have, without refused ones. */
  get size(): number {
    return this.#all.size - this.refused.length
  }

  /** The ids of records with edits. */
  ids(): Iterable<string> {
    return this.#records.keys()
  }

  #pendingOf(id: string): ReadonlyArray<Pending> {
    return [...(this.#records.get(id)?.values() ?? [])]
  }

  /** The edits of a record, in the order in which they apply. */
  of(id: string): ReadonlyArray<Edit> {
    return this.#pendingOf(id).map(editOf)
  }

  /** The edits of a record that were not refused. */
  unrefusedOf(id: string): ReadonlyArray<Edit> {
    return this.#pendingOf(id)
      .filter((each) => !isRefused(each))
      .map(editOf)
  }

  /** The edits of a record that are to be pushed. */
  waitingOf(id: string): ReadonlyArray<Edit> {
    return this.#pendingOf(id).filter(isWaiting).map(editOf)
  }

  /** Whether an edit of a record is to be pushed, or was pushed and has no result yet. */
  isWaiting(id: string): boolean {
    return this.unrefusedOf(id).length > 0
  }

  isRefused(id: string): boolean {
    return this.#pendingOf(id).some(isRefused)
  }

  #keep(pending: Pending): void {
    const { id, mutation_id } = pending.edit
    const own = this.#records.get(id) ?? new Map<string, Pending>()
    this.#records.set(id, own.set(mutation_id, pending))
    this.#all.set(mutation_id, pending)
    this.#lastPosition = Math.max(this.#lastPosition, pending.position)
  }

  #set(pending: Pending): void {
    this.#keep(pending)
    this.#store(pending.edit.mutation_id, pending)
  }

  #remove({ id, mutation_id }: Edit): void {
    const own = this.#records.get(id)
    own?.delete(mutation_id)
    if (own?.size === 0) this.#records.delete(id)
    if (this.#all.delete(mutation_id)) this.#store(mutation_id, undefined)
  }

  /**
   * Adds a change of the user. It is joined with the last edit, or with a refused one that it corrects. Returns the ids of
   * the records that it concerns.
   */
  change({ seen, ...change }: OwnChange, view: Pick<View, "known" | "notebooks" | "shown">): ReadonlyArray<string> {
    if (seen === undefined) return this.#add(change, view)
    const { data, isWhole } = merge(change.data, seen, view.shown(change.id).data)
    const copies = isWhole ? [] : copyOf({ ...change, seen }, view)
    for (const each of copies) this.#append(each)
    const ids = Object.keys(data).length === 0 ? [] : this.#add({ ...change, data }, view)
    return [...copies.map(({ id }) => id), ...ids]
  }

  #add(change: Omit<OwnChange, "seen">, view: Pick<View, "known" | "shown">): ReadonlyArray<string> {
    const [edit, ...more] = editsOf(change, view)
    const refused = more.length > 0 ? undefined : this.#pendingOf(change.id).find(isRefused)?.edit
    this.#append(refused === undefined ? edit : corrected(refused, edit))
    for (const each of more) this.#append(each)
    if (refused !== undefined) this.#remove(refused)
    return [change.id]
  }

  #append(edit: Edit): void {
    const last = this.#pendingOf(edit.id).findLast(isWaiting)
    // An edit that waits between may create the container.
    const isMoved = containerOf(edit) !== undefined && last !== [...this.#all.values()].findLast(isWaiting)
    const joined = isMoved ? undefined : joinedWith(last?.edit, edit)
    if (joined !== undefined) this.#set({ ...last!, edit: joined })
    else this.#set({ edit, position: this.#lastPosition + 1, isSent: false })
  }

  #pendingFor({ mutation_id }: Edit): Pending {
    return this.#all.get(mutation_id)!
  }

  /** Marks edits as sent. */
  markSent(edits: ReadonlyArray<Edit>): void {
    for (const edit of edits) this.#set({ ...this.#pendingFor(edit), isSent: true })
  }

  /** Lets a sent edit wait again, unchanged and at its place. */
  postpone(edit: Edit): void {
    this.#set({ ...this.#pendingFor(edit), isSent: false })
  }

  /** Ends a sent edit. What follows from its result is pushed after all that waits. */
  settle(edit: Edit, { again, later, refused }: Settled): void {
    if (refused === undefined) this.#remove(edit)
    else this.#set({ ...this.#pendingFor(edit), isSent: false, problem: refused.problem })
    const kept = new Map(later.map((each) => [each.mutation_id, each]))
    for (const each of this.#pendingOf(edit.id).filter(isWaiting)) {
      const now = kept.get(each.edit.mutation_id)
      if (now === undefined) this.#remove(each.edit)
      else if (now !== each.edit) this.#set({ ...each, edit: now })
    }
    for (const each of again) this.#append(each)
  }

  /** Replaces all edits of a record that were not refused. What was pushed without a result is pushed again. */
  replace(id: string, edits: ReadonlyArray<Edit>): void {
    for (const each of this.unrefusedOf(id)) this.#remove(each)
    for (const each of edits) this.#append(each)
  }

  /** Adds an edit that was refused after its push. */
  refuse(refused: Refused): void {
    this.#set({ ...refused, position: this.#lastPosition + 1, isSent: false })
  }

  /** Ends the refusal of an edit, which is pushed again. */
  retry(edit: Edit): void {
    if (this.drop(edit)) this.#append({ ...edit, mutation_id: newId() })
  }

  /** Ends the refusal of an edit. Returns false if it is not refused any more. */
  drop(edit: Edit): boolean {
    const isThere = this.#pendingOf(edit.id).some(
      (each) => isRefused(each) && each.edit.mutation_id === edit.mutation_id
    )
    if (isThere) this.#remove(edit)
    return isThere
  }
}
