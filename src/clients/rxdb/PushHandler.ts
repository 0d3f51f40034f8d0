import type { RxCollection, RxReplicationWriteToMasterRow } from "rxdb"
import type { Client } from "../client/Client.ts"
import { EditQueue, type Refused } from "../sync/EditQueue.ts"
import { changedMembers, type Data } from "../../../services/records/Merge.ts"
import { pushAll, type Replica, send } from "../sync/PushRun.ts"
import { type Edit, type Known, maxEntries, newId, type Shown, shownWith } from "../sync/Edit.ts"
import { docOf, isSameContent, isSameState, type RecordDoc, type SheafRecord } from "./RecordSchema.ts"

export type Row = RxReplicationWriteToMasterRow<SheafRecord>

/** The members that the user has changed. A deletion has the members that were changed before it. */
type Change = Pick<Edit, "data" | "id" | "op" | "type">

/** The state of the user in which a record was pushed. RxDB may not have the state yet that the server stored then. */
interface Pushed {
  readonly doc: RecordDoc
  /** The base of the change. */
  readonly base: Known | undefined
  /** The version that RxDB assumed on the server. */
  readonly assumed: number | undefined
}

/** The records that a record is in: the server must have them before. */
const containersOf = ({ data, op }: Change): ReadonlyArray<string> =>
  op === "delete"
    ? []
    : [data["notebook_id"], data["note_id"], data["parent_id"]].filter((id) => typeof id === "string")

/** The same changes, each after those of its containers, and deletions last. */
const inOrder = (changes: ReadonlyMap<string, Change>): ReadonlyArray<Change> => {
  const ordered: Array<Change> = []
  const begun = new Set<Change>()
  const add = (change: Change | undefined) => {
    if (change?.op !== "upsert" || begun.has(change)) return
    begun.add(change)
    for (const id of containersOf(change)) add(changes.get(id))
    ordered.push(change)
  }
  for (const change of changes.values()) add(change)
  return [...ordered, ...[...changes.values()].filter(({ op }) => op === "delete")]
}

/** Whether a change relies on nothing that differs between what the user saw and the state of the server. */
const isCurrent = ({ data, op }: Change, seen: Data, state: Known): boolean => {
  const different = changedMembers(state.data ?? {}, seen)
  const read = op === "delete" ? ["title", "name", "body"] : []
  return [...read, ...Object.keys(data)].every((member) => !(member in different))
}

const stateOf = ({ id, type, version, data, _deleted }: RecordDoc): Known => ({
  type,
  id,
  op: _deleted ? "delete" : "upsert",
  revision: version,
  data
})

/** Pushes the changes of a collection, merges conflicts, and returns the states that the server has stored. */
export class PushHandler {
  readonly #collection: RxCollection<SheafRecord>
  readonly #versions: Map<string, number>
  readonly #onRefused: (refused: Refused) => void | Promise<void>
  readonly #settings: {
    readonly client: Client
    readonly replica: Replica
    readonly notebooks: ReadonlyArray<string> | undefined
    readonly cursor: () => string | undefined
  }
  readonly #queue = new EditQueue()
  /** For each record that is being pushed: the state of the user, and that of the server. */
  readonly #pushed = new Map<string, Pushed>()
  readonly #stored = new Map<string, Known>()
  /** The notebooks that the server has, at the begin of a push. */
  #notebooks: ReadonlyMap<string, Known> = new Map()
  /** Notebooks that the server does not have, until the end of a push. */
  readonly #gone = new Set<string>()

  /** `versions` gets the version of each record that was pushed. */
  constructor(options: {
    readonly client: Client
    readonly collection: RxCollection<SheafRecord>
    readonly versions: Map<string, number>
    readonly onRefused: (refused: Refused) => void | Promise<void>
    readonly notebooks?: ReadonlyArray<string> | undefined
    /** The position of the collection. */
    readonly cursor: () => string | undefined
  }) {
    this.#collection = options.collection
    this.#versions = options.versions
    this.#onRefused = options.onRefused
    const known = (id: string) => this.#stored.get(id) ?? this.#notebooks.get(id)
    const shown = (id: string) => shownWith(known(id), this.#queue.of(id))
    const replica: Replica = {
      known,
      shown,
      notebooks: () => [...this.#notebooks.keys()].filter((id) => !this.#gone.has(id) && shown(id).op === "upsert"),
      isWaiting: (id) => this.#queue.isWaiting(id),
      take: (state) => this.#take(state),
      keep: (state) => this.#take(state),
      forget: (id) => void this.#gone.add(id),
      // RxDB pushes again what was not pushed before a crash.
      save: async () => {}
    }
    this.#settings = { client: options.client, replica, notebooks: options.notebooks, cursor: options.cursor }
  }

  /**
   * Pushes rows. Returns the state of the server of each record where RxDB has another one. Rejects with a SheafError if
   * the server did not respond, or cannot process the push now. Then RxDB calls it again.
   */
  async push(rows: ReadonlyArray<Row>): Promise<Array<RecordDoc>> {
    this.#notebooks = await this.#readNotebooks()
    // Edits of an earlier call that was rejected.
    await pushAll(this.#settings, this.#queue)
    const changed = rows.filter((row) => this.#isChanged(row))
    const changes = new Map<string, Change>()
    for (const { assumedMasterState, newDocumentState: doc } of changed) {
      this.#addChange(changes, doc, this.#baseOf(doc, assumedMasterState), assumedMasterState?.version)
    }
    await this.#addContainers(changes)
    for (const change of inOrder(changes)) this.#add(change)
    await pushAll(this.#settings, this.#queue)
    const refused = changed.flatMap(({ assumedMasterState: assumed }) =>
      assumed !== undefined && !assumed._deleted && this.#queue.isRefused(assumed.id) ? [stateOf(assumed)] : []
    )
    await this.#refresh(refused)
    const docs = changed.flatMap((row) => this.#resultOf(row) ?? [])
    for (const each of this.#queue.refused) {
      await this.#onRefused(each)
      this.#forget(each.edit.id)
    }
    for (const id of this.#stored.keys()) if (!this.#pushed.has(id)) this.#stored.delete(id)
    this.#gone.clear()
    return docs
  }

  /** Takes the current state of records: the server returns it for changes without members, which change nothing. */
  async #refresh(states: ReadonlyArray<Known>): Promise<void> {
    const edits = states.map((state): Edit => ({
      ...state,
      mutation_id: newId(),
      op: "upsert",
      data: {},
      seen: state.data ?? {}
    }))
    for (let start = 0; start < edits.length; start += maxEntries) {
      await send(this.#settings, edits.slice(start, start + maxEntries))
    }
  }

  /** Whether RxDB has another state than the one that it assumes on the server. */
  #isChanged({ assumedMasterState: assumed, newDocumentState: doc }: Row): boolean {
    const pushed = this.#pushed.get(doc.id)
    const isSame = assumed !== undefined && isSameContent(assumed, doc)
    // RxDB has what the server stored then; or the user has changed what the server refused.
    const isOver = isSame || pushed?.assumed !== assumed?.version
    if (isOver || (this.#queue.isRefused(doc.id) && !isSameContent(pushed!.doc, doc))) this.#forget(doc.id)
    return !isSame
  }

  #forget(id: string): void {
    this.#pushed.delete(id)
    this.#stored.delete(id)
    for (const { edit } of this.#queue.refused) if (edit.id === id) this.#queue.drop(edit)
  }

  /** The data that the user saw before the change, at the revision that it is based on. */
  #baseOf(doc: RecordDoc, assumed: RecordDoc | undefined): Known | undefined {
    const pushed = this.#pushed.get(doc.id)
    if (pushed !== undefined) {
      const revision = Math.max(1, pushed.base?.revision ?? 0)
      return { ...stateOf(pushed.doc), revision }
    }
    if (assumed !== undefined) return assumed.version === 0 ? undefined : stateOf(assumed)
    // RxDB has the record from the server, and ended before it stored that.
    return doc.version === 0 ? undefined : { ...stateOf(doc), op: "upsert", data: {} }
  }

  #addChange(changes: Map<string, Change>, doc: RecordDoc, base: Known | undefined, assumed: number | undefined): void {
    const { id, type } = doc
    const op = doc._deleted ? "delete" : "upsert"
    const seen = base?.data ?? {}
    const change: Change = { type, id, op, data: changedMembers(doc.data, seen) }
    // A note that the server has never had is in the trash with all its words after its deletion.
    const isLost = type === "note" && base === undefined
    if (op === (base?.op ?? "delete") && (op === "delete" ? !isLost : Object.keys(change.data).length === 0)) return
    const state = this.#stored.get(id)
    const isBasedOnState = state !== undefined && (base?.op === "delete" || isCurrent(change, seen, state))
    const revised = base === undefined || !isBasedOnState ? base : { ...base, revision: state.revision }
    this.#pushed.set(id, { doc, base: revised, assumed })
    changes.set(id, change)
  }

  #add({ data, id, op, type }: Change): void {
    const { base } = this.#pushed.get(id)!
    const seen = base?.data ?? {}
    const before = base?.op ?? "delete"
    const add = (change: Pick<Edit, "data" | "op">, shown: Shown) =>
      this.#queue.change({ type, id, ...change }, { known: () => base, shown: () => shown, notebooks: () => [] })
    // Text that was typed before a deletion is in the trash with the note, or stays if others have changed the note.
    if (op === "upsert" || Object.keys(data).length > 0) add({ op: "upsert", data }, { op: before, data: seen })
    if (op === "delete") add({ op, data: {} }, { op: "upsert", data: { ...seen, ...data } })
  }

  /** Adds records that the server does not have, and that the changes need. */
  async #addContainers(changes: Map<string, Change>): Promise<void> {
    while (true) {
      const ids = new Set([...changes.values()].flatMap(containersOf))
      const missing = [...ids].filter((id) => !this.#pushed.has(id))
      if (missing.length === 0) return
      const found = await this.#collection.findByIds(missing).exec()
      const docs = [...found.values()].map((doc) => doc.toJSON()).filter(({ version }) => version === 0)
      if (docs.length === 0) return
      for (const doc of docs) this.#addChange(changes, { ...doc, _deleted: false }, undefined, undefined)
    }
  }

  /** The state of the server, if RxDB has another one. */
  #resultOf({ assumedMasterState: assumed, newDocumentState: doc }: Row): RecordDoc | undefined {
    const state = this.#stored.get(doc.id)
    if (this.#queue.isRefused(doc.id)) {
      return state === undefined ? (assumed ?? { ...doc, version: 0, _deleted: true }) : docOf(state, doc.data)
    }
    const result = state === undefined ? doc : docOf(state, doc.data)
    if (state !== undefined) this.#versions.set(doc.id, state.revision)
    if (!isSameState(result, doc)) return result
    this.#forget(doc.id)
    return undefined
  }

  #take(state: Known): void {
    const before = this.#stored.get(state.id)
    if (before !== undefined && before.revision > state.revision) return
    this.#stored.set(state.id, { ...state, data: state.data ?? before?.data ?? null })
  }

  async #readNotebooks(): Promise<ReadonlyMap<string, Known>> {
    const docs = await this.#collection.find({ selector: { type: "notebook" } }).exec()
    const states = docs.map((doc) => stateOf({ ...doc.toJSON(), _deleted: false }))
    return new Map(states.filter(({ revision }) => revision > 0).map((state) => [state.id, state]))
  }
}
