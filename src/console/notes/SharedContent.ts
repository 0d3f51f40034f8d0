import { createStore, del, entries, keys, set } from "idb-keyval"

/** What another app has shared with the console, until it is a note. */
export interface SharedContent {
  /** The key of the content, from which the idempotency key of the note is made. */
  readonly key: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly files: ReadonlyArray<File>
  /** Milliseconds. */
  readonly received_at: number
  /** The links of the files that were uploaded, in their order; empty for a file that was refused. */
  readonly links: ReadonlyArray<string>
}

/** Maximum number of contents that wait. Every page can send some. */
export const mostShared = 20

/** The database, for the service worker too. */
const store = createStore("sheaf-console-shared", "waiting")

export const keepShared = (content: SharedContent): Promise<void> => set(content.key, content, store)

export const removeShared = (key: string): Promise<void> => del(key, store)

export const countShared = async (): Promise<number> => (await keys(store)).length

/** The contents that wait, the oldest first. */
export const waitingShared = async (): Promise<ReadonlyArray<SharedContent>> =>
  (await entries<string, SharedContent>(store))
    .map(([, content]) => content)
    .sort((one, other) => one.received_at - other.received_at)
