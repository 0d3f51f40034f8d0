import type { Client } from "../client/Client.ts"
import { isProblem, SheafError, unexpected } from "../client/ClientProblem.ts"
import type { Schemas } from "../client/Types.ts"
import { sendBytes, sha256 } from "../client/Upload.ts"
import { editsOf } from "./Edit.ts"
import type { SyncState } from "./SyncState.ts"
import { StoreError, type SyncStore } from "./SyncStore.ts"

/** A file for a note. */
export interface AttachedFile {
  readonly filename: string
  /** The media type; by default derived from the name. */
  readonly content_type?: string
  readonly bytes: Blob | Uint8Array<ArrayBuffer>
}

/** Statuses of uploads that the server refuses for good, such as of a file that is too large, or of an erased note. */
const refusals = [403, 404, 409, 410, 413, 422]

const notReady = () => new SheafError({ code: "attachment_not_ready", status: 409, detail: "The bytes are missing" })

/** Ends the upload of a file, and removes its bytes unless another attachment has the same. */
export const endUpload = async (state: SyncState, store: SyncStore, id: string): Promise<void> => {
  const name = state.uploads.get(id)
  if (name === undefined) return
  state.setUpload(id, undefined)
  await state.save()
  if (![...state.uploads.values()].includes(name)) await store.removeFile(name)
}

interface TransferSettings {
  readonly client: Client
  readonly state: SyncState
  readonly store: SyncStore
  /** The attachments whose notes were found in the trash. */
  readonly trashed: Set<string>
  readonly signal: AbortSignal
}

/** Whether a note can come back from the trash. One that is there has lost the attachment alone. */
const isInTrash = async ({ client, signal }: TransferSettings, id: unknown): Promise<boolean> => {
  if (typeof id !== "string") return false
  for (const read of ["getNote", "listNoteActivity"] as const) {
    try {
      await client.call(read, { id }, { signal })
      return read === "listNoteActivity"
    } catch (error) {
      if (!isProblem(error, "not_found")) throw error
    }
  }
  return false
}

/** Uploads a file, unless its note is in the trash: then it waits for the note. */
const uploadFile = async (settings: TransferSettings, id: string, name: string): Promise<void> => {
  const { client, signal, state, store, trashed } = settings
  try {
    const pending = await client.call<Schemas["AttachmentUpload"]>("getAttachment", { id }, { signal })
    if (pending.status !== "ready") {
      if (!(await store.files()).includes(name)) {
        throw notReady()
      }
      await sendBytes(client, pending, new Blob([await store.readFile(name)]), { signal })
    }
    await endUpload(state, store, id)
  } catch (error) {
    if (!isProblem(error, "not_found") || !(await isInTrash(settings, state.shown(id).data["note_id"]))) throw error
    trashed.add(id)
  }
}

/** Uploads the files whose attachments were pushed. One that the server refuses is among the refused edits, with its bytes. */
export const uploadFiles = async (settings: TransferSettings): Promise<void> => {
  const { state, trashed } = settings
  const failures: Array<unknown> = []
  for (const [id, name] of state.uploads) {
    const known = state.known(id)
    if (known === undefined || state.isWaiting(id) || state.edits.isRefused(id)) continue
    if (known.op === "delete" && trashed.has(id)) continue
    try {
      await uploadFile(settings, id, name)
    } catch (error) {
      if (error instanceof SheafError && refusals.includes(error.problem.status)) {
        const { filename } = state.shown(id).data
        const [edit] = editsOf({ type: "attachment", id, op: "upsert", data: { filename } }, state)
        state.edits.refuse({ edit, problem: error.problem, isUpload: true })
        await state.save()
      } else if (error instanceof StoreError || (error instanceof SheafError && error.problem.status >= 400)) {
        // This file fails, and others may succeed.
        failures.push(error)
      } else throw error
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Downloads the bytes of an attachment, and checks their hash. */
export const downloadFile = async (client: Client, id: string): Promise<Uint8Array<ArrayBuffer>> => {
  const attachment = await client.call<Schemas["Attachment"]>("getAttachment", { id })
  const { sha256: hash, url } = attachment
  if (typeof url !== "string") throw notReady()
  const asking = { method: "GET", path: url, isRepeatable: true, isOpen: true }
  const bytes = await client.ask(asking, async (response) => new Uint8Array(await response.arrayBuffer()))
  if ((await sha256(bytes)) !== hash) throw unexpected(`The bytes of ${id} have another hash`)
  return bytes
}
