import { effect } from "@preact/signals"
import { SheafError } from "../../client/SheafClient.ts"
import { route } from "../Navigation.ts"
import { keepRecent, readRecent } from "../workspace/ListStore.ts"
import type { SeenNote } from "../workspace/SeenNotes.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** Maximum number of notes that are kept. */
const most = 20

/** The ids of the notes of each workspace that were opened last, the last one first. */
const opened = new WeakMap<WorkspaceStore, ReadonlyArray<string>>()

/** Reads the titles that are not known yet. Without a network these notes are left out. */
const readTitles = async (store: WorkspaceStore, ids: ReadonlyArray<string>): Promise<void> => {
  const missing = ids.filter((id) => store.seen.get(id) === undefined)
  if (missing.length === 0) return
  try {
    const filter = `id IN (${missing.join(", ")}) AND archived IN (true, false)`
    store.seen.add((await store.client.listNoteSummaries({ filter, limit: most })).data)
  } catch (error) {
    if (!(error instanceof SheafError)) throw error
  }
}

/** Remembers the notes that are opened, until the returned function is called. */
export const followRecent = (store: WorkspaceStore): (() => void) => {
  const add = (ids: ReadonlyArray<string>) => {
    const kept = [...new Set([...ids, ...(opened.get(store) ?? [])])].slice(0, most)
    opened.set(store, kept)
    return kept
  }
  const stored = readRecent(store.account).then(
    (ids) => {
      const now = opened.get(store) ?? []
      opened.set(store, [])
      return readTitles(store, add([...now, ...(ids ?? [])]))
    },
    // The browser refuses the storage.
    console.warn
  )
  return effect(() => {
    const { note } = route.value
    if (note?.startsWith("nt_") !== true) return
    add([note])
    void stored.then(() => keepRecent(store.account, opened.get(store)!)).catch(console.warn)
  })
}

/** The notes that were opened last, apart from the open one. */
export const recentNotes = (store: WorkspaceStore): ReadonlyArray<SeenNote> =>
  (opened.get(store) ?? []).flatMap((id) => {
    const note = store.seen.get(id)
    return note === undefined || id === route.value.note ? [] : [note]
  })
