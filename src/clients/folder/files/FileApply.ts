import type { Stats } from "node:fs"
import { folderOf } from "../../../../services/transfers/formats/Paths.ts"
import { isProblem } from "../../client/ClientProblem.ts"
import type { SyncEngine } from "../../sync/SyncEngine.ts"
import { later, type Outcome } from "../ApplySettings.ts"
import type { FileAccess } from "../FileAccess.ts"
import { hashOf, identityOf, statOf, trustedStat } from "../FolderScan.ts"
import type { FolderStore } from "../FolderStore.ts"
import { putAside } from "../FolderTrash.ts"
import type { FileAction } from "./FilePlan.ts"

interface FileApplySettings {
  readonly access: FileAccess
  readonly engine: SyncEngine
  readonly store: FolderStore
  readonly changedFolders: Set<string>
}

/** Maximum bytes of a file, which is in memory while it is sent. The server refuses some files below. */
const maxFileBytes = 500 * 1024 * 1024

const foundAs = (stats: Stats) => ({ identity: identityOf(stats), stat: trustedStat(stats) })

/** Carries out the actions on files that are no notes. */
export class FileApply {
  readonly #settings: FileApplySettings
  /** Whether the server was not reached for a file: it will not be for the next one. */
  isOffline = false

  constructor(settings: FileApplySettings) {
    this.#settings = settings
  }

  async run(action: FileAction): Promise<Outcome> {
    const { engine, store } = this.#settings
    switch (action.kind) {
      case "attachFile":
        return this.#attach(action.note_id, action.path)
      case "fetchFile":
        return this.#fetch(action.id, action.path)
      case "trashAsset":
        return this.#trash(action.id, action.path)
      case "removeAttachment":
        store.setFile(action.id, undefined)
        await engine.remove("attachment", action.id)
        return undefined
      case "leaveFile":
        store.setFile(action.id, { ...store.fileBases.get(action.id)!, isRemoved: true })
        return undefined
      case "forgetFile":
        store.setFile(action.id, undefined)
        return undefined
    }
  }

  async #attach(note_id: string, path: string): Promise<Outcome> {
    const { access, engine, store } = this.#settings
    const before = await access.stats(path)
    if (before === undefined) return later
    if (before.size > maxFileBytes) return { path, message: "It is larger than 500 MiB: it stays here alone" }
    const bytes = await access.read(path)
    const stats = await access.stats(path)
    if (bytes === undefined || stats === undefined || statOf(stats) !== statOf(before)) return later
    const filename = path.slice(path.lastIndexOf("/") + 1).normalize("NFC")
    const id = await engine.attach(note_id, { filename, bytes })
    store.setFile(id, { ...foundAs(stats), path, note_id, hash: hashOf(bytes) })
    return undefined
  }

  async #fetch(id: string, path: string): Promise<Outcome> {
    const { access, changedFolders, engine, store } = this.#settings
    const note_id = engine.get("attachment", id)?.note_id
    if (note_id === undefined) return later
    let bytes: Uint8Array
    try {
      bytes = await engine.bytes(id)
    } catch (error) {
      this.isOffline = isProblem(error, "no_response")
      throw error
    }
    await access.makeFolder(folderOf(path))
    const temporary = await access.writeNextTo(folderOf(path), bytes, undefined)
    const written = await access.stats(temporary)
    const isFree = await access.link(temporary, path)
    await access.remove(temporary)
    // Another attachment of the same bytes may have brought it.
    const stats = isFree ? written : await access.stats(path)
    const hash = hashOf(bytes)
    if (stats === undefined || (!isFree && (await access.hash(path)) !== hash)) return later
    changedFolders.add(folderOf(path))
    store.setFile(id, { ...foundAs(stats), path, note_id, hash })
    return undefined
  }

  async #trash(id: string, path: string): Promise<Outcome> {
    const { access, changedFolders, store } = this.#settings
    if ((await access.hash(path)) !== store.fileBases.get(id)?.hash) return later
    if (!(await putAside(access, changedFolders, path, "move"))) return later
    store.setFile(id, undefined)
    await access.removeEmpty(folderOf(path))
    return undefined
  }
}
