import { effect, signal } from "@preact/signals"
import { type Change, type Schemas, SheafError } from "../../client/SheafClient.ts"
import { orCopy } from "../offline/orCopy.ts"
import type { OfflineNotes } from "../offline/OfflineNotes.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { listQueryOf, type NoteFilter } from "./NoteFilter.ts"
import { isBefore, type Order, placed } from "../lists/RowOrder.ts"
import { searchOf } from "./SearchQuery.ts"

/** A note in a list. */
export type NoteRow = Schemas["NoteSummary"] & { readonly snippet?: string }

/** Rows that are read at a time. */
const pageSize = 100
/** Maximum number of notes in a filter, and of changed notes that are read by themselves: more are read with the list. */
const mostIds = 40
const mostChanged = 200
/** Milliseconds from a change to the reading of the rows again. */
const beforeReading = 300

interface RowPage {
  readonly rows: ReadonlyArray<NoteRow>
  readonly cursor: string | null
  /** Whether they are of the copy on this device. */
  readonly isCopied?: true
}

/** The rows of a list, read in pages as the user scrolls, and again when notes change. */
export class NoteRows {
  readonly rows = signal<ReadonlyArray<NoteRow>>([])
  readonly isComplete = signal(false)
  readonly isRead = signal(false)
  /** Why the rows could not be read. */
  readonly failure = signal<SheafError | undefined>(undefined)
  /** The number of notes that a search has found. */
  readonly total = signal<number | undefined>(undefined)
  readonly filter: NoteFilter
  /** The order that the user has chosen; undefined for that of the server. */
  readonly order: Order | undefined
  readonly #store: WorkspaceStore
  readonly #ended = new AbortController()
  readonly #unsubscribe: () => void
  readonly #stopRetrying: () => void
  #cursor: string | null = null
  /** Whether rows are of the copy on this device: what has changed since then is not known. */
  #isCopied = false
  #reading: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #changed = new Map<string, Change>()

  constructor(store: WorkspaceStore, filter: NoteFilter, order?: Order) {
    this.#store = store
    this.filter = filter
    this.order = order
    this.#unsubscribe = store.subscribe((changes) => this.#noticed(changes))
    this.#stopRetrying = effect(() => {
      if (store.connections.value > 0 && this.failure.peek() !== undefined) void this.retry()
    })
    void this.more()
  }

  close(): void {
    this.#unsubscribe()
    this.#stopRetrying()
    this.#ended.abort()
    clearTimeout(this.#timer)
  }

  /** Reads the next rows, unless all were read. */
  async more(): Promise<void> {
    if (this.isComplete.value) return
    await (this.#reading ??= this.#run(async () => {
      const { cursor, rows } = await this.#page(this.#cursor)
      const known = new Set(this.rows.value.map(({ id }) => id))
      this.rows.value = [...this.rows.value, ...rows.filter(({ id }) => !known.has(id))]
      this.#ends(cursor)
    }))
  }

  /** Reads again what could not be read. */
  retry(): Promise<void> {
    return this.isRead.value ? this.#readAgain() : this.more()
  }

  #ends(cursor: string | null): void {
    this.#cursor = cursor
    this.isComplete.value = cursor === null
    this.isRead.value = true
  }

  #run(task: () => Promise<void>): Promise<void> {
    return task()
      .then(
        () => (this.failure.value = undefined),
        (error: unknown) => {
          if (this.#ended.signal.aborted) return
          if (!(error instanceof SheafError)) throw error
          this.failure.value = error
          // A busy server says when to ask again.
          if (error.retryAfter !== undefined)
            setTimeout(() => {
              if (this.failure.value === error && !this.#ended.signal.aborted) void this.retry()
            }, error.retryAfter)
        }
      )
      .finally(() => {
        this.#reading = undefined
      })
  }

  async #page(cursor: string | null): Promise<RowPage> {
    const read = (copy: OfflineNotes) => {
      const { filter, order = "-updated_at" } = this
      const asked = filter.kind === "search" ? searchOf(filter.query, this.#store.notebooks.value) : filter
      // Only the server has the properties.
      if ("filter" in asked) return undefined
      const rows = copy.rows(asked, (one, other) => isBefore(one, other, order))
      this.total.value = this.filter.kind === "search" ? rows?.length : undefined
      return rows && ({ rows, cursor: null, isCopied: true } as const)
    }
    const page = await orCopy<RowPage>(
      this.#store,
      () => this.#pageOfServer(cursor),
      read,
      () => void this.retry()
    )
    this.#isCopied = page.isCopied === true
    return page
  }

  async #pageOfServer(cursor: string | null): Promise<RowPage> {
    const { client } = this.#store
    const { signal } = this.#ended
    const { order } = this
    const at = cursor === null ? {} : { cursor }
    if (this.filter.kind === "search") {
      const sort = order === undefined ? {} : { sort: order }
      const asked = searchOf(this.filter.query, this.#store.notebooks.value)
      const input = { ...asked, limit: pageSize, ...sort, ...at }
      const { hits, next_cursor, total } = await client.searchNotes(input, { signal })
      this.total.value = total
      this.#store.seen.add(hits)
      return { rows: hits.map((hit) => ({ ...hit, excerpt: "" })), cursor: next_cursor }
    }
    const sort = order === undefined ? {} : { sort: [order] }
    const query = { limit: pageSize, ...listQueryOf(this.filter), ...sort, ...at }
    const found = await client.listNoteSummaries(query, { signal })
    if (this.filter.kind !== "trash") this.#store.seen.add(found.data)
    return { rows: found.data, cursor: found.next_cursor }
  }

  #noticed(changes: ReadonlyArray<Change>): void {
    for (const change of changes) if (change.type === "note") this.#changed.set(change.id, change)
    if (this.#changed.size > 0) this.#timer ??= setTimeout(() => void this.#readAgain(), beforeReading)
  }

  /** Reads the first page again: changed notes are there. Rows after it are kept, unless they have moved or are gone. */
  async #readAgain(): Promise<void> {
    this.#timer = undefined
    await this.#reading
    if (this.#ended.signal.aborted) return
    const changed = new Map(this.#changed)
    const order = this.filter.kind === "search" || this.order === "-updated_at" ? undefined : this.order
    await (this.#reading = this.#run(async () => {
      // In other orders, changed notes are not in the first page.
      const isCopied = this.#isCopied
      if (order !== undefined && !isCopied && changed.size <= mostChanged) return await this.#place(changed, order)
      const first = await this.#page(null)
      this.#read(changed)
      const inFirst = new Set(first.rows.map(({ id }) => id))
      const rest = this.rows.value.slice(first.rows.length).filter(({ id }) => !inFirst.has(id) && !changed.has(id))
      // After very many changes, all rows known before may be further down.
      const isApart = isCopied || order !== undefined || !this.rows.value.some(({ id }) => inFirst.has(id))
      const isShort = isApart || this.rows.value.length <= first.rows.length || first.cursor === null
      this.rows.value = isShort ? first.rows : [...first.rows, ...rest]
      if (isShort) this.#ends(first.cursor)
    }))
  }

  /** Those that have changed again meanwhile are read once more. */
  #read(changed: ReadonlyMap<string, Change>): void {
    for (const [id, change] of changed) if (this.#changed.get(id) === change) this.#changed.delete(id)
  }

  /** Reads the notes that have changed, and puts each where it belongs. */
  async #place(changed: ReadonlyMap<string, Change>, order: Order): Promise<void> {
    const ids = [...changed.keys()]
    const fresh: Array<NoteRow> = []
    const { filter } = { filter: "", ...listQueryOf(this.filter as Exclude<NoteFilter, { kind: "search" }>) }
    for (let at = 0; at < ids.length; at += mostIds) {
      const some = `id IN (${ids.slice(at, at + mostIds).join(", ")})`
      const input = { filter: filter === "" ? some : `(${filter}) AND ${some}`, limit: mostIds }
      fresh.push(...(await this.#store.client.listNoteSummaries(input, { signal: this.#ended.signal })).data)
    }
    this.#read(changed)
    this.rows.value = placed(this.rows.value, new Set(ids), fresh, order, this.isComplete.value)
  }
}
