import type { Restored } from "../client/ClientProblem.ts"
import type { Batch, RecordType } from "../client/Follow.ts"
import { EditQueue, type Pending } from "./EditQueue.ts"
import type { Replica } from "./PushRun.ts"
import { inOrder, isLost, type Lost, recovering } from "./LostStates.ts"
import { type Known, knownOf, type Shown, shownWith } from "./Edit.ts"
import { SharedRun } from "./SharedRun.ts"
import { type Entry, StoreError, type SyncStore } from "./SyncStore.ts"

/** The last state of a record, and the number of the pull of everything that has returned it. */
interface Stored {
  readonly known: Known
  readonly pull: number
}

/** What the engine keeps; undefined for all. The cursor belongs to it. */
interface Selection {
  readonly types?: ReadonlyArray<RecordType> | undefined
  readonly notebooks?: ReadonlyArray<string> | undefined
}

const textOf = ({ notebooks, types }: Selection): string => `${types} ${notebooks}`

/** The stored state, in addition to records, edits and uploads. */
interface Position extends Selection {
  readonly device: string
  /** Whose records these are; undefined until the first exchange. */
  readonly workspace?: string
  readonly cursor: string | undefined
  /** The number of pulls of everything that were begun. */
  readonly pull: number
  /** Whether the last one has ended. */
  readonly isWhole: boolean
  /** The restore of the server after which the last one was begun, until it has ended. */
  readonly restored?: Restored | undefined
  /** The number of records that were pushed again after the last restore. */
  readonly recovered?: number
}

/** The state of an engine, in memory and in its store. Each change is in memory at once, and stored by `save`. */
export class SyncState implements Replica {
  readonly #store: SyncStore
  readonly selection: Selection
  readonly #records = new Map<string, Stored>()
  /** The states on a restored server of records that are here in a lost state, until everything has come. */
  readonly #restored = new Map<string, Known>()
  readonly edits = new EditQueue((id, pending) => this.#unsaved.set(`edit/${id}`, pending))
  /** The SHA-256 of the files that are to be uploaded, by the ids of their attachments. */
  readonly uploads = new Map<string, string>()
  #at: Position
  #unsaved = new Map<string, unknown>()
  readonly #saving = new SharedRun(() => this.#write())

  constructor(store: SyncStore, selection: Selection) {
    this.#store = store
    this.selection = selection
    this.#at = { device: `sy_${crypto.randomUUID()}`, cursor: undefined, ...selection, pull: 0, isWhole: false }
  }

  /** Takes what the store has. */
  async load(entries: Iterable<Entry>): Promise<void> {
    const { selection } = this
    const pending: Array<Pending> = []
    for (const [key, value] of entries) {
      const [kind, id = ""] = key.split("/")
      // An engine has written the values.
      if (kind === "position") this.#at = value as Position
      else if (kind === "record") this.#records.set(id, value as Stored)
      else if (kind === "restored") this.#restored.set(id, value as Known)
      else if (kind === "edit") pending.push(value as Pending)
      else if (kind === "file") this.uploads.set(id, value as string)
    }
    this.edits.load(pending)
    // A pull of everything drops other records.
    if (textOf(this.#at) !== textOf(selection)) this.#at = { ...this.#at, ...selection, cursor: undefined }
    this.#unsaved.set("position", this.#at)
    await this.save()
    const used = new Set(this.uploads.values())
    for (const name of await this.#store.files()) if (!used.has(name)) await this.#store.removeFile(name)
  }

  /** Stores all changes until now. After a failure, they are stored with the next ones. */
  save(): Promise<void> {
    return this.#saving.run()
  }

  async #write(): Promise<void> {
    if (this.#unsaved.size === 0) return
    const written = this.#unsaved
    this.#unsaved = new Map()
    try {
      await this.#store.write([...written])
    } catch (error) {
      this.#unsaved = new Map([...written, ...this.#unsaved])
      throw error
    }
  }

  /** Throws a StoreError if the records are those of another workspace. */
  bind(workspace: string): void {
    if (this.#at.workspace === workspace) return
    if (this.#at.workspace !== undefined) {
      throw new StoreError(
        `The store is of workspace ${this.#at.workspace}, the client of ${workspace}: use another store`
      )
    }
    this.#at = { ...this.#at, workspace }
    this.#unsaved.set("position", this.#at)
  }

  get device(): string {
    return this.#at.device
  }

  get cursor(): string | undefined {
    return this.#at.cursor
  }

  known(id: string): Known | undefined {
    return this.#records.get(id)?.known
  }

  /** Whether everything that existed on the server has come once. */
  get isWhole(): boolean {
    return this.#at.isWhole
  }

  /** Whether everything must come first, so that what a restore of the server has taken away is pushed before own edits. */
  get isRestoring(): boolean {
    return this.#at.restored !== undefined
  }

  /** The number of records that were pushed again after the last restore of the server. */
  get recovered(): number {
    return this.#at.recovered ?? 0
  }

  /** All records with a state or an own edit. */
  ids(): Iterable<string> {
    return new Set([...this.#records.keys(), ...this.edits.ids()])
  }

  shown(id: string): Shown {
    return shownWith(this.known(id), this.edits.of(id))
  }

  typeOf(id: string): string | undefined {
    return this.known(id)?.type ?? this.edits.of(id)[0]?.type
  }

  *notebooks(): Generator<string> {
    for (const id of this.ids()) {
      if (this.typeOf(id) !== "notebook" || this.shown(id).op === "delete") continue
      if (this.#records.has(id) || !this.edits.isRefused(id)) yield id
    }
  }

  isWaiting(id: string): boolean {
    return this.edits.isWaiting(id)
  }

  /**
   * Takes the state of a record. A revision before the known one changes nothing, except in a pull of everything. A
   * deletion keeps the data, with own edits: their words are not in the response.
   */
  take(change: Known): void {
    const stored = this.#records.get(change.id)
    const isFirst = !this.#at.isWhole && stored !== undefined && stored.pull < this.#at.pull
    if (isFirst && this.#isLost({ known: stored.known, now: change })) {
      if (change.revision >= (this.#restored.get(change.id)?.revision ?? 0)) this.#setRestored(change.id, change)
      return
    }
    if (stored !== undefined && !isFirst && stored.known.revision > change.revision) return
    this.keep({ ...change, data: change.data ?? this.shown(change.id).data })
  }

  #isLost({ known, now }: Lost): boolean {
    const { restored } = this.#at
    return restored !== undefined && (this.#restored.has(known.id) || isLost({ known, now }, restored))
  }

  #setRestored(id: string, now: Known | undefined): void {
    if (now !== undefined) this.#restored.set(id, now)
    else if (!this.#restored.delete(id)) return
    this.#unsaved.set(`restored/${id}`, now)
  }

  /** Takes a batch of changes in the order of the log, and returns the ids of the records that it concerns. */
  follow({ changes, cursor, isFirst, isWhole, restored }: Batch): ReadonlyArray<string> {
    if (isFirst) {
      // A second restore begins with the states that the first has left here.
      for (const id of this.#restored.keys()) this.#setRestored(id, undefined)
      const last = this.#at.isWhole ? undefined : this.#at.restored
      this.#at = { ...this.#at, pull: this.#at.pull + 1, isWhole: false, restored: restored ?? last }
    }
    for (const change of changes) this.take(knownOf(change))
    const more = isWhole && !this.#at.isWhole ? this.#end() : []
    this.#at = { ...this.#at, cursor, isWhole: this.#at.isWhole || isWhole }
    this.#unsaved.set("position", this.#at)
    return [...changes.map(({ id }) => id), ...more]
  }

  /** Ends a pull of everything: records that it has not returned are dropped, or brought back with others that are lost. */
  #end(): ReadonlyArray<string> {
    const gone = [...this.#records.values()].flatMap(({ known, pull }) =>
      pull < this.#at.pull ? [{ known, now: this.#restored.get(known.id) }] : []
    )
    const lost = inOrder(gone.filter((each) => this.#isLost(each)))
    const back = lost.map((each) => recovering(each, this.#at.restored!, this.edits.unrefusedOf(each.known.id), this))
    for (const { known, now } of gone) {
      this.#setRestored(known.id, undefined)
      if (now === undefined) this.forget(known.id)
      else this.keep({ ...now, data: now.data ?? known.data })
    }
    for (const [at, { known, now }] of lost.entries()) {
      this.edits.replace(known.id, back[at]!.edits)
      // The server may have its bytes, or the store.
      const hash = known.type === "attachment" && now === undefined ? known.data?.["sha256"] : undefined
      if (typeof hash === "string") this.setUpload(known.id, hash)
    }
    const { restored, ...at } = this.#at
    const recovered = back.filter(({ isRecovered }) => isRecovered).length
    this.#at = restored === undefined ? at : { ...at, recovered }
    return gone.map(({ known }) => known.id)
  }

  /** Keeps the state of a record. */
  keep(known: Known): void {
    // An app reads these values.
    for (const value of Object.values(known.data ?? {})) Object.freeze(value)
    const stored = { known, pull: this.#at.pull }
    this.#records.set(known.id, stored)
    this.#unsaved.set(`record/${known.id}`, stored)
  }

  /** Drops the state of a record that the server does not have. */
  forget(id: string): void {
    if (this.#records.delete(id)) this.#unsaved.set(`record/${id}`, undefined)
  }

  /** Keeps that a file is to be uploaded; `undefined` ends it. */
  setUpload(attachment: string, name: string | undefined): void {
    if (name === undefined) this.uploads.delete(attachment)
    else this.uploads.set(attachment, name)
    this.#unsaved.set(`file/${attachment}`, name)
  }
}
