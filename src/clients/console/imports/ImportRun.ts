import { signal } from "@preact/signals"
import { importFile, type NewImport } from "../../client/ImportFile.ts"
import { type Schemas, SheafError } from "../../client/SheafClient.ts"
import { whileSending } from "../Sending.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

type Import = Schemas["Import"]

/** How far an import is. */
type ImportState =
  | { readonly kind: "sending"; readonly share: number }
  /** `isAway`: the server cannot be reached at present. */
  | { readonly kind: "running"; readonly record: Import; readonly isAway: boolean }
  | { readonly kind: "ended"; readonly record: Import }
  /** The file was not sent, or the import cannot be followed. */
  | { readonly kind: "refused"; readonly error: SheafError }

/** A file of notes, as it is sent. */
export type ImportFile = NewImport & { readonly content: File }

/** Milliseconds between two looks at an import. */
const beforeLooking = 1_000

/** Whether the same request may succeed later. */
const isTemporary = ({ problem }: SheafError): boolean => [0, 429, 502, 503, 504].includes(problem.status)

/** An import, from the first byte of its file to its end. It continues while no dialog shows it. */
export class ImportRun {
  readonly state = signal<ImportState>({ kind: "sending", share: 0 })
  /** The file; undefined if another page has sent it. */
  readonly file: ImportFile | undefined
  /** Whether a dialog shows it. */
  isShown = false
  readonly #store: WorkspaceStore
  readonly #onEnd: (record: Import) => void
  readonly #left = new AbortController()

  private constructor(store: WorkspaceStore, onEnd: (record: Import) => void, file?: ImportFile) {
    this.#store = store
    this.#onEnd = onEnd
    this.file = file
  }

  /** Sends a file, and imports it. Calls `onEnd` at the end of the import. */
  static send(store: WorkspaceStore, file: ImportFile, onEnd: (record: Import) => void): ImportRun {
    const run = new ImportRun(store, onEnd, file)
    void run.#guarded(() => run.#send(file))
    return run
  }

  /** Follows an import that has its file. */
  static follow(store: WorkspaceStore, record: Import, onEnd: (record: Import) => void): ImportRun {
    const run = new ImportRun(store, onEnd)
    void run.#guarded(() => run.#follow(record))
    return run
  }

  /** Ends the sending of the file. */
  cancel(): void {
    this.#left.abort()
  }

  async #guarded(task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      if (this.#left.signal.aborted) return
      if (!(error instanceof SheafError)) throw error
      this.state.value = { kind: "refused", error }
    }
  }

  async #send(file: ImportFile): Promise<void> {
    const { signal } = this.#left
    const onProgress = (sent: number, total: number) =>
      (this.state.value = { kind: "sending", share: total === 0 ? 1 : sent / total })
    await this.#follow(await whileSending(() => importFile(this.#store.client, file, { signal, onProgress })))
  }

  async #follow(first: Import): Promise<void> {
    let record = first
    while (record.status === "queued" || record.status === "running") {
      this.state.value = { kind: "running", record, isAway: false }
      await new Promise((resolve) => setTimeout(resolve, beforeLooking))
      record = await this.#look(record)
    }
    this.state.value = { kind: "ended", record }
    this.#onEnd(record)
  }

  /** Returns the import as it is now, or as it was if the server is away. */
  async #look(record: Import): Promise<Import> {
    try {
      return await this.#store.client.getImport({ id: record.id })
    } catch (error) {
      if (!(error instanceof SheafError) || !isTemporary(error)) throw error
      this.state.value = { kind: "running", record, isAway: true }
      return record
    }
  }
}
