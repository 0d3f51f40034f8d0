import { type Batch, type Change, follow, type Schemas } from "../../client/SheafClient.ts"
import { type Entry, StoreError, type SyncStore } from "../../sync/SyncStore.ts"
import { isAway } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type CopyState, keptNotebooks } from "./CopyMarks.ts"
import { type Choice, type Kept, outsideOf } from "./KeptNotebooks.ts"
import { cursorKey, OfflineNotes } from "./OfflineNotes.ts"

/** The key of what is kept, as the copy follows it. */
const keptKey = "kept"

const placeOf = ({ data }: Change): string => (data as Schemas["Note"]).notebook_id

const entryOf = ({ data, id, op, type }: Change): Entry => [id, op === "delete" ? undefined : { type, data }]

/** The copy of the tab that pulls: all notebooks of the workspace, and the notes of those that are kept. */
export class PulledCopy {
  readonly #database: SyncStore
  #choice: Choice
  /** The notebook of each note. */
  #notes: Map<string, string>
  #cursor: string | undefined
  #isWhole = false
  #isUnstored = false

  constructor(database: SyncStore, entries: ReadonlyMap<string, unknown>) {
    this.#database = database
    this.#cursor = entries.get(cursorKey) as string | undefined
    const { notes, parents } = new OfflineNotes(entries)
    this.#choice = { kept: (entries.get(keptKey) as Kept | undefined) ?? "all", parents }
    this.#notes = new Map(notes.map(({ id, notebook_id }) => [id, notebook_id]))
  }

  get state(): CopyState {
    return { notes: this.#notes.size, isWhole: this.#isWhole, isUnstored: this.#isUnstored }
  }

  /** Pulls what has changed. A pull that fails continues with the next one. */
  async pull({ account, client }: WorkspaceStore, ended: AbortSignal): Promise<void> {
    try {
      await this.#choose(keptNotebooks(account) ?? [])
      do {
        const options = { cursor: this.#cursor, types: ["note", "notebook"], isOnce: true, signal: ended } as const
        for await (const batch of follow(client, options)) {
          await this.#apply(batch)
          if (this.#cursor === undefined) break
        }
      } while (this.#cursor === undefined && !ended.aborted)
      this.#isWhole = true
      this.#isUnstored = false
    } catch (error) {
      this.#isUnstored = error instanceof StoreError
      if (!ended.aborted && !isAway(error)) console.warn(error)
    }
  }

  async #choose(kept: Kept): Promise<void> {
    if (JSON.stringify(kept) === JSON.stringify(this.#choice.kept)) return
    await this.#write({ ...this.#choice, kept }, [], this.#cursor)
  }

  async #apply({ changes, cursor, isFirst }: Batch): Promise<void> {
    const parents = new Map(isFirst ? [] : this.#choice.parents)
    for (const { data, id, op, type } of changes) {
      if (type !== "notebook") continue
      if (op === "delete") parents.delete(id)
      else parents.set(id, (data as Schemas["Notebook"]).parent_id)
    }
    await this.#write({ ...this.#choice, parents }, changes, cursor, isFirst)
  }

  /**
   * Stores changes with the choice that holds after them, and removes the notes that are not kept any more. When a notebook is
   * kept from now on whose notes were left out, everything is pulled again: there is no cursor then.
   */
  async #write(choice: Choice, changes: ReadonlyArray<Change>, cursor: string | undefined, isFirst = false) {
    const outside = outsideOf(choice)
    const isMissing = outsideOf(this.#choice)
      .values()
      .some((id) => choice.parents.has(id) && !outside.has(id))
    const next = isMissing && !isFirst ? undefined : cursor
    const stored = changes.map((change): Change =>
      change.type === "note" && change.op === "upsert" && outside.has(placeOf(change))
        ? { ...change, op: "delete" }
        : change
    )
    // What everything does not contain does not exist any more.
    const dropped = isFirst
      ? [...this.#notes.keys(), ...this.#choice.parents.keys()]
      : [...this.#notes].flatMap(([id, notebook]) => (outside.has(notebook) ? [id] : []))
    await this.#database.write([
      ...dropped.map((id) => [id, undefined] as const),
      ...stored.map(entryOf),
      [keptKey, choice.kept],
      [cursorKey, next]
    ])
    for (const id of dropped) this.#notes.delete(id)
    for (const change of stored) {
      if (change.type !== "note") continue
      if (change.op === "delete") this.#notes.delete(change.id)
      else this.#notes.set(change.id, placeOf(change))
    }
    this.#choice = choice
    this.#cursor = next
    if (next === undefined) this.#isWhole = false
  }
}
