import { createStore, del, entries, set } from "idb-keyval"

/** Content that another app has shared with the console, until it is a note. */
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

/** The message of the console about shared content: why it was not kept. */
export type SharedRefusal = "foreign" | "lost" | "many" | "large"

/** Maximum number of contents that wait. */
const maxWaiting = 20
/** Maximum bytes of all that waits. Unsent texts are stored in the same place of the browser. */
export const maxSharedBytes = 32_000_000
/** Maximum bytes of a text, which a note can have. */
const maxTextBytes = 1_048_576

/** The database, for the service worker too. */
const store = createStore("sheaf-console-shared", "waiting")

export const keepShared = (content: SharedContent): Promise<void> => set(content.key, content, store)

export const removeShared = (key: string): Promise<void> => del(key, store)

/** The contents that wait, the oldest first. */
export const waitingShared = async (): Promise<ReadonlyArray<SharedContent>> =>
  (await entries<string, SharedContent>(store))
    .map(([, content]) => content)
    .sort((one, other) => one.received_at - other.received_at)

const textBytes = ({ text, title, url }: SharedContent): number => new Blob([title, text, url]).size

const bytesOf = (content: SharedContent): number =>
  content.files.reduce((sum, { size }) => sum + size, textBytes(content))

/** Why there is no room for a content; undefined if there is. */
export const whyNoRoom = async (content: SharedContent): Promise<SharedRefusal | undefined> => {
  const waiting = await waitingShared()
  if (waiting.length >= maxWaiting) return "many"
  const bytes = [...waiting, content].reduce((sum, each) => sum + bytesOf(each), 0)
  return textBytes(content) > maxTextBytes || bytes > maxSharedBytes ? "large" : undefined
}
