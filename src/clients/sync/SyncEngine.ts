import type { Client } from "../client/Client.ts"
import type { RecordType } from "../client/Follow.ts"
import { sha256 } from "../client/Upload.ts"
import type { OwnChange, Refused } from "./EditQueue.ts"
import { type AttachedFile, downloadFile, endUpload } from "./FileTransfer.ts"
import type { LocalRecord, RecordChange, RecordOf } from "./LocalRecord.ts"
import { changedMembers, checkSize, type Data } from "../../../services/records/Merge.ts"
import { newId, withNotebooks } from "./Edit.ts"
import { SyncConnection } from "./SyncConnection.ts"
import { SyncState } from "./SyncState.ts"
import { StoreError, type SyncStore } from "./SyncStore.ts"

/** Options of an engine. */
export interface SyncOptions {
  readonly client: Client
  readonly store: SyncStore
  /** The types of records that are kept, and notebooks; by default all, also those of later versions of the server. */
  readonly types?: ReadonlyArray<RecordType>
  /**
   * The ids of the notebooks that are kept, with those in them, at most 50; by default all. Tags and templates are then not
   * kept.
   */
  readonly notebooks?: ReadonlyArray<string>
  /** How people recognize this device. */
  readonly device?: { readonly name?: string; readonly platform?: string }
}

/** The state of the engine, for an app to show. */
export interface EngineState {
  /**
   * `offline`: the last attempt got no response, or none was made since the engine was opened or stopped. `syncing`: a push
   * or a pull is running, or will be repeated. `synced`: the last ones have succeeded, and no edit waits.
   */
  readonly status: "offline" | "syncing" | "synced"
  /** The number of edits and files that the server does not have yet, without refused ones. */
  readonly waiting: number
  /** Why the last push, pull or write failed, as a `SheafError` or a `StoreError`. What was not written is in memory. */
  readonly error: unknown
  /** Whether everything that existed on the server has come once. */
  readonly isWhole: boolean
  /** The number of records that were pushed again after the last restore of the server, which had lost their state. */
  readonly recovered: number
}

/** The prefixes of ids, by type. */
const prefixes: Readonly<Record<RecordType, string>> = {
  note: "nt_",
  notebook: "nb_",
  tag: "tg_",
  template: "tp_",
  attachment: "at_",
  comment: "cm_",
  reminder: "rm_"
}

/** A copy of the records of a workspace that can be read and edited without a network. */
export class SyncEngine {
  readonly #client: Client
  readonly #store: SyncStore
  readonly #data: SyncState
  readonly #connection: SyncConnection
  #closing: Promise<void> | undefined
  readonly #listeners = new Set<(ids: ReadonlyArray<string>) => void>()

  constructor({ client, device, store }: SyncOptions, data: SyncState) {
    this.#client = client
    this.#store = store
    this.#data = data
    this.#connection = new SyncConnection({
      client,
      store,
      data,
      device: { ...device, id: data.device },
      notify: (ids) => this.#notify(ids)
    })
  }

  /** The record with the user's own edits; undefined if it does not exist, was deleted, or has another type. */
  get<T extends RecordType>(type: T, id: string): RecordOf<T> | undefined
  /** The same for a record of any type. */
  get(id: string): LocalRecord | undefined
  get(...[first, second]: readonly [id: string] | readonly [type: string, id: string]): LocalRecord | undefined {
    const id = second ?? first
    if (second !== undefined && this.#data.typeOf(id) !== first) return undefined
    const { data, op } = this.#data.shown(id)
    return op === "delete" ? undefined : { ...data, id }
  }

  /** The type of a record. */
  typeOf(id: string): string | undefined {
    return this.#data.typeOf(id)
  }

  /** All records of a type, in no order. */
  all<T extends RecordType>(type: T): ReadonlyArray<RecordOf<T>>
  /** The same for a type of a later version of the server. */
  all(type: string): ReadonlyArray<LocalRecord>
  all(type: string): ReadonlyArray<LocalRecord> {
    return [...this.#data.ids()].flatMap((id) => this.get(type as RecordType, id) ?? [])
  }

  /** Edits that the server refused, and why: show them, and call `retry` or `discard`. */
  get refused(): ReadonlyArray<Refused> {
    return this.#data.edits.refused
  }

  get state(): EngineState {
    const { error, status } = this.#connection
    const { edits, isWhole, recovered, uploads } = this.#data
    const files = [...uploads.keys()].filter((id) => !edits.isRefused(id)).length
    return { status, waiting: edits.size + files, error, isWhole, recovered }
  }

  /** Calls a listener after each change of records of a type. */
  subscribe<T extends RecordType>(type: T, listener: (changes: ReadonlyArray<RecordChange<T>>) => void): () => void
  /** Calls a listener after each change with the ids of the records, or without one if only `state` has changed. */
  subscribe(listener: (ids: ReadonlyArray<string>) => void): () => void
  subscribe<T extends RecordType>(
    ...given:
      | readonly [listener: (ids: ReadonlyArray<string>) => void]
      | readonly [type: T, listener: (changes: ReadonlyArray<RecordChange<T>>) => void]
  ): () => void {
    const listener = given.length === 1 ? given[0] : this.#ofType(...given)
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** A listener for ids that calls one for the records of a type. */
  #ofType<T extends RecordType>(
    type: T,
    listener: (changes: ReadonlyArray<RecordChange<T>>) => void
  ): (ids: ReadonlyArray<string>) => void {
    // A record that is not on the server any more has no type.
    const shown = new Set(this.all(type).map(({ id }) => id))
    return (ids) => {
      const changes = ids.flatMap((id) => {
        const record = this.get(type, id)
        if (record !== undefined) shown.add(id)
        else if (!shown.delete(id)) return []
        return [{ id, record }]
      })
      if (changes.length > 0) listener(changes)
    }
  }

  #notify(ids: ReadonlyArray<string>): void {
    for (const listener of this.#listeners) {
      try {
        listener(ids)
      } catch (error) {
        // It is reported as an uncaught error of the app, and stops nothing here.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }

  #checkOpen(): void {
    if (this.#closing) throw new StoreError("The engine was closed")
  }

  /** Creates a record and returns its id. */
  async create(type: string, data: Data): Promise<string> {
    const prefix = Object.hasOwn(prefixes, type) ? prefixes[type as RecordType] : undefined
    if (prefix === undefined) throw new TypeError(`A ${type} cannot be created`)
    const id = newId(prefix)
    await this.edit(type, id, data)
    return id
  }

  /**
   * Changes members of a record. `seen` is the record from which the user made the change, as `get` returned it: what has
   * changed since is merged. Without it, the change replaces what `get` returns now. Resolves when the edit is stored.
   * Rejects with a RangeError for a text that is too large, which changes nothing; and with a StoreError if the edit could
   * not be stored: then it is in memory.
   */
  async edit(type: string, id: string, data: Data, seen?: Data): Promise<void> {
    checkSize(data)
    const { data: shown, op } = this.#data.shown(id)
    if (seen === undefined && op === "upsert" && Object.keys(changedMembers(data, shown)).length === 0) return
    // A note that is pushed later has this time.
    const isNew = type === "note" && this.#data.typeOf(id) === undefined
    const made = isNew ? { created_at: new Date(Date.now()).toISOString() } : {}
    await this.#change({ type, id, op: "upsert", data: { ...made, ...structuredClone(data) }, seen })
  }

  /** Deletes a record. A note goes to the trash. */
  async remove(type: string, id: string): Promise<void> {
    if (this.#data.shown(id).op === "upsert") await this.#change({ type, id, op: "delete", data: {} })
  }

  /** Brings a deleted record back, with the data that it had. */
  restore(type: string, id: string): Promise<void> {
    return this.#change({ type, id, op: "upsert", data: {} })
  }

  async #change(change: OwnChange): Promise<void> {
    this.#checkOpen()
    const known = this.#data.typeOf(change.id)
    if (known !== undefined && known !== change.type) throw new TypeError(`${change.id} is a ${known}`)
    this.#notify(this.#data.edits.change(change, this.#data))
    await this.flush()
    this.#connection.pushSoon()
  }

  /** Stores what could not be stored before, and is only in memory. */
  flush(): Promise<void> {
    return this.#connection.flush()
  }

  /** Pushes a refused edit again, for example after a quota was raised. */
  async retry({ edit }: Refused): Promise<void> {
    this.#data.edits.retry(edit)
    this.#notify([edit.id])
    await this.flush()
    this.#connection.pushSoon()
  }

  /** Drops a refused edit: the record is as the server has it. Bytes of a file that it refused are removed. */
  async discard({ edit, isUpload }: Refused): Promise<void> {
    if (!this.#data.edits.drop(edit)) return
    if (isUpload === true || this.#data.known(edit.id)?.op !== "upsert")
      await endUpload(this.#data, this.#store, edit.id)
    this.#notify([edit.id])
    await this.flush()
  }

  /** Attaches a file to a note, and returns the id of the attachment. Its bytes are stored, and uploaded after the note. */
  async attach(note_id: string, { bytes, ...file }: AttachedFile): Promise<string> {
    const content = bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes
    const [id, hash] = [newId("at_"), await sha256(content)]
    // Another upload of the same bytes may end now: it must not remove them.
    this.#data.uploads.set(id, hash)
    try {
      await this.#store.writeFile(hash, content)
    } catch (error) {
      this.#data.uploads.delete(id)
      throw error
    }
    this.#data.setUpload(id, hash)
    await this.edit("attachment", id, { ...file, note_id, size: content.length, sha256: hash })
    return id
  }

  /** The bytes of an attachment: those that wait for their upload, else those of the server, whose hash is checked. */
  bytes(attachment_id: string): Promise<Uint8Array<ArrayBuffer>> {
    const name = this.#data.uploads.get(attachment_id)
    return name === undefined ? downloadFile(this.#client, attachment_id) : this.#store.readFile(name)
  }

  /**
   * Pushes all edits that were made before the call, then pulls all changes. Runs once at a time: calls during a run share
   * the next one. Rejects with a SheafError or a StoreError, or with an AbortError until a `stop` has ended; no edit is
   * lost.
   */
  async sync(): Promise<void> {
    this.#checkOpen()
    return this.#connection.sync()
  }

  /** Pulls, follows changes live, and pushes edits as they are made, until `stop`. Failures are repeated. */
  start(): void {
    this.#checkOpen()
    this.#connection.start()
  }

  /** Ends the exchange with the server, also requests that are running. */
  stop(): Promise<void> {
    return this.#connection.stop()
  }

  /** Stops, and closes the store. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    await this.#connection.close()
    try {
      await this.flush()
    } finally {
      await this.#store.close()
    }
  }
}

/** Opens the state in a store. Rejects with a StoreError if it cannot be read, or another process has it open. */
export const openSync = async (options: SyncOptions): Promise<SyncEngine> => {
  const { notebooks, store, types } = options
  const data = new SyncState(store, { types: types && withNotebooks(types), notebooks })
  const entries = await store.load()
  try {
    await data.load(entries)
  } catch (error) {
    await store.close()
    throw error
  }
  return new SyncEngine(options, data)
}
