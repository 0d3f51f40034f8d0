import { type Batch, type Change, follow, type Schemas } from "../../client/SheafClient.ts"
import { type Entry, StoreError, type SyncStore } from "../../sync/SyncStore.ts"
import { isAway } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type CopyState, keptNotebooks } from "./CopyMarks.ts"
import { type Choice, type Kept, outsideOf } from "./KeptNotebooks.ts"
import { OfflineNotes, wholeKey } from "./OfflineNotes.ts"

/** The key of what is kept, as the copy follows it. */
const keptKey = "kept"
/** The key of the cursor, until which all changes were pulled. */
const cursorKey = "cursor"
/** The key of the number of the last full pull. */
const roundKey = "round"

const placeOf = ({ data }: Change): string => (data as Schemas["Note"]).notebook_id

/** The copy of the tab that pulls: all notebooks of the workspace, and the notes of those that are kept. */
export class PulledCopy {
  readonly #database: SyncStore
  #choice: Choice
  /** The notebook of each note. */
  readonly #notes: Map<string, string>
  /** The full pull during or after which each record came last. */
  readonly #rounds: Map<string, number>
  #round: number
  #cursor: string | undefined
  #isWhole: boolean
  #isUnstored = false

  constructor(database: SyncStore, entries: ReadonlyMap<string, unknown>) {
    this.#database = database
    this.#cursor = entries.get(cursorKey) as string | undefined
    this.#isWhole = entries.has(wholeKey)
    this.#round = (entries.get(roundKey) as number | undefined) ?? 0
    const { notes, parents } = new OfflineNotes(entries)
    this.#choice = { kept: (entries.get(keptKey) as Kept | undefined) ?? "all", parents }
    this.#notes = new Map(notes.map(({ id, notebook_id }) => [id, notebook_id]))
    const roundOf = (id: string): number => (entries.get(id) as { readonly round?: number }).round ?? 0
    this.#rounds = new Map([...this.#notes.keys(), ...parents.keys()].map((id) => [id, roundOf(id)]))
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
      this.#isUnstored = false
    } catch (error) {
      this.#isUnstored = error instanceof StoreError
      if (!ended.aborted && !isAway(error)) console.warn(error)
    }
  }

  async #choose(kept: Kept): Promise<void> {
    if (JSON.stringify(kept) === JSON.stringify(this.#choice.kept)) return
    await this.#write(
      { ...this.#choice, kept },
      { changes: [], cursor: this.#cursor, isFirst: false, isWhole: false },
      this.#round
    )
  }

  async #apply(batch: Batch): Promise<void> {
    const { changes, isFirst, isWhole } = batch
    const round = isFirst ? this.#round + 1 : this.#round
    const changed = new Set(changes.map(({ id }) => id))
    // Records that the full pull does not contain no longer exist. Until its end, they can be read.
    const gone = [...this.#rounds].flatMap(([id, last]) => (isWhole && last < round && !changed.has(id) ? [id] : []))
    const parents = new Map(this.#choice.parents)
    for (const id of gone) parents.delete(id)
    for (const { data, id, op, type } of changes) {
      if (type !== "notebook") continue
      if (op === "delete") parents.delete(id)
      else parents.set(id, (data as Schemas["Notebook"]).parent_id)
    }
    await this.#write({ ...this.#choice, parents }, batch, round, gone)
  }

  /**
   * Stores changes with the choice that holds after them, and removes the notes that are not kept any more. When a notebook is
   * kept from now on whose notes were left out, everything is pulled again: there is no cursor then.
   */
  async #write(
    choice: Choice,
    { changes, cursor, isFirst, isWhole }: Omit<Batch, "cursor"> & { readonly cursor: string | undefined },
    round: number,
    gone: ReadonlyArray<string> = []
  ): Promise<void> {
    const outside = outsideOf(choice)
    const isMissing = outsideOf(this.#choice)
      .values()
      .some((id) => choice.parents.has(id) && !outside.has(id))
    const next = isMissing && !isFirst ? undefined : cursor
    const hasAll = next !== undefined && (isWhole || (this.#isWhole && !isMissing))
    const isStored = (change: Change) =>
      change.op === "upsert" && (change.type !== "note" || !outside.has(placeOf(change)))
    const dropped = [...gone, ...[...this.#notes].flatMap(([id, notebook]) => (outside.has(notebook) ? [id] : []))]
    await this.#database.write([
      ...dropped.map((id): Entry => [id, undefined]),
      ...changes.map((change): Entry => {
        const { data, id, type } = change
        return [id, isStored(change) ? { type, data, round } : undefined]
      }),
      [keptKey, choice.kept],
      [cursorKey, next],
      [roundKey, round],
      [wholeKey, hasAll ? true : undefined]
    ])
    for (const id of [...dropped, ...changes.map(({ id }) => id)]) {
      this.#notes.delete(id)
      this.#rounds.delete(id)
    }
    for (const change of changes) {
      if (!isStored(change)) continue
      this.#rounds.set(change.id, round)
      if (change.type === "note") this.#notes.set(change.id, placeOf(change))
    }
    this.#choice = choice
    this.#cursor = next
    this.#round = round
    this.#isWhole = hasAll
  }
}
