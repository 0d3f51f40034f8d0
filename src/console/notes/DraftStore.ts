import { createStore, del, entries, set } from "idb-keyval"
import type { NoteContent } from "./NoteContent.ts"

/** Text that is not on the server yet. It is kept until the server has stored it. */
export interface StoredDraft {
  /** Random. For a note that is not created yet it is also the idempotency key of the creation. */
  readonly key: string
  readonly workspace: string
  /** The note; undefined while it is not created. */
  readonly note_id: string | undefined
  readonly notebook_id: string
  /** The version that the text was made from, and its content. */
  readonly version: number
  readonly base: NoteContent
  readonly content: NoteContent
  /** Milliseconds. */
  readonly changed_at: number
}

const store = createStore("sheaf-console-drafts", "drafts")

/** The name of the lock that a tab holds while it has a draft open. */
const lockOf = (key: string): string => `sheaf draft ${key}`

/** The locks of all tabs. Pages that came by plain HTTP have none: there a draft may be open in another tab. */
const locks = isSecureContext ? navigator.locks : undefined

/** The drafts that this tab has open. */
const own = new Set<string>()

/** Holds a draft for this tab until the returned function is called or the tab is closed. */
export const holdDraft = (key: string): (() => void) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  own.add(key)
  void locks?.request(lockOf(key), () => promise)
  return () => {
    own.delete(key)
    resolve()
  }
}

/** The drafts of a workspace that no tab has open: their tabs were closed before the server had stored them. */
export const leftDrafts = async (workspace: string): Promise<ReadonlyArray<StoredDraft>> => {
  const { held = [] } = (await locks?.query()) ?? {}
  const open = new Set(held.map(({ name }) => name))
  const drafts = await entries<string, StoredDraft>(store)
  return drafts
    .map(([, draft]) => draft)
    .filter((draft) => draft.workspace === workspace && !own.has(draft.key) && !open.has(lockOf(draft.key)))
    .sort((one, other) => other.changed_at - one.changed_at)
}

export const removeDraft = (key: string): Promise<void> => del(key, store)

/** Writes the states of one draft, always the last one. While a write runs, later states wait for its end. */
export class DraftWriter {
  private waiting: StoredDraft | undefined
  private writing: Promise<void> | undefined

  /** Rejects if the browser cannot store the draft, such as for want of room. */
  write(draft: StoredDraft): Promise<void> {
    this.waiting = draft
    return (this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined
    }))
  }

  async remove(key: string): Promise<void> {
    this.waiting = undefined
    await this.writing?.catch(() => undefined)
    if (this.waiting === undefined) await removeDraft(key)
  }

  private async writeAll(): Promise<void> {
    while (this.waiting !== undefined) {
      const draft = this.waiting
      this.waiting = undefined
      await set(draft.key, draft, store)
    }
  }
}
