/** Converts a vault to the entries of its pushes: notebooks first, parents before children, then the notes. */
import { randomBytes } from "node:crypto"
import { cut, type Vault, type VaultNote } from "./vault.ts"

/** A record that device A makes. */
export interface Entry {
  readonly type: string
  readonly id: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface PlannedNote {
  readonly id: string
  readonly source: VaultNote
  readonly notebookId: string
  /** Names from the demo's top-level notebook down. */
  readonly notebookPath: readonly string[]
}

export interface Plan {
  readonly rootId: string
  readonly rootName: string
  readonly notebooks: ReadonlyMap<string, readonly string[]>
  readonly notes: readonly PlannedNote[]
  readonly batches: readonly (readonly Entry[])[]
}

/** Notebooks nest five levels deep, and the demo's notebook is the first level. */
const LEVELS_BELOW_ROOT = 4
const MAX_ENTRIES = 100 // the limit is 500; smaller batches show that several work
const MAX_BYTES = 8_000_000

/** Client-made ids: the prefix and 22 characters of [0-9A-Za-z_-]. */
export const newId = (prefix: "nb_" | "nt_"): string => prefix + randomBytes(16).toString("base64url")

/** Folders below the last level are joined into its name. */
export function foldersToNames(folders: readonly string[], levels: number = LEVELS_BELOW_ROOT): string[] {
  if (folders.length <= levels) return [...folders]
  return [...folders.slice(0, levels - 1), folders.slice(levels - 1).join(" / ")]
}

export function planPush(vault: Vault, rootName: string): Plan {
  const rootId = newId("nb_")
  const notebooks = new Map<string, readonly string[]>([[rootId, [rootName]]])
  const byPath = new Map<string, string>([["", rootId]])
  const entries: Entry[] = [{ type: "notebook", id: rootId, data: { name: rootName, parent_id: null } }]

  const notebookOf = (names: readonly string[]): string => {
    const key = names.join("\n")
    const known = byPath.get(key)
    if (known !== undefined) return known
    const parent = notebookOf(names.slice(0, -1))
    const id = newId("nb_")
    const name = cut(names.at(-1) ?? "", 100).trim()
    byPath.set(key, id)
    notebooks.set(id, [...(notebooks.get(parent) ?? []), name])
    entries.push({ type: "notebook", id, data: { name, parent_id: parent } })
    return id
  }

  const notes = vault.notes.map((source): PlannedNote => {
    const notebookId = notebookOf(foldersToNames(source.folders))
    return { id: newId("nt_"), source, notebookId, notebookPath: notebooks.get(notebookId) ?? [] }
  })
  for (const { id, source, notebookId } of notes) {
    const { title, body, tags } = source
    entries.push({ type: "note", id, data: { notebook_id: notebookId, title, body, tags } })
  }
  return { rootId, rootName, notebooks, notes, batches: batchesOf(entries) }
}

export function batchesOf(
  entries: readonly Entry[],
  maxEntries: number = MAX_ENTRIES,
  maxBytes: number = MAX_BYTES
): Entry[][] {
  const batches: Entry[][] = []
  let batch: Entry[] = []
  let size = 0
  for (const entry of entries) {
    const bytes = Buffer.byteLength(JSON.stringify(entry)) + 1
    if (batch.length > 0 && (batch.length >= maxEntries || size + bytes > maxBytes)) {
      batches.push(batch)
      batch = []
      size = 0
    }
    batch.push(entry)
    size += bytes
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
