import { createStore, del, entries, get, set } from "idb-keyval"

/** Where the user makes a note of a content. */
interface SharedChoice {
  readonly workspace: string
  readonly notebook_id: string
  /** The server has refused it: the user decides again. */
  readonly isRefused?: boolean
}

/** Content that another app has shared with the console, until it is a note. */
export interface SharedContent {
  /** The key of the content, from which the id of the note is made. */
  readonly key: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly files: ReadonlyArray<File>
  /** Milliseconds. */
  readonly received_at: number
  /** The account that the console showed then; undefined if there was none: the next one to sign in takes the content. */
  readonly account?: string | undefined
  /** The server has not said yet that the content is from this device, and not from a page of another site. */
  readonly isUnchecked?: boolean
  /** The choice of the user. Without one, nothing is sent. */
  readonly choice?: SharedChoice
  /** The links of the files that were uploaded, in their order; empty for a file that was refused. */
  readonly links: ReadonlyArray<string>
}

/** The message of the console about content that came: that it waits for the server, or why it was not kept. */
export type SharedOutcome = "kept" | "foreign" | "lost" | "many" | "large" | "full"

/** Maximum number of contents that wait, for each account. */
const maxWaiting = 20
/** Maximum bytes of all that waits for an account. Unsent texts are stored in the same place of the browser. */
export const maxSharedBytes = 32_000_000
/** Maximum bytes of a text, which a note can have. */
const maxTextBytes = 1_048_576

/** The database, for the service worker too. */
const store = createStore("sheaf-console-shared", "waiting")

const alone = <A>(action: () => Promise<A>, key = ""): Promise<A> =>
  navigator.locks.request(`sheaf shared ${key}`, action) as Promise<A>

export const keepShared = (content: SharedContent): Promise<void> => set(content.key, content, store)

export const removeShared = (key: string): Promise<void> => del(key, store)

/** Works on a content while no other tab does, nor the service worker. It is undefined if another one has ended it. */
export const withShared = <A>(key: string, work: (content: SharedContent | undefined) => Promise<A>): Promise<A> =>
  alone(async () => work(await get<SharedContent>(key, store)), key)

/** The contents that wait, the oldest first. */
const allShared = async (): Promise<ReadonlyArray<SharedContent>> =>
  (await entries<string, SharedContent>(store))
    .map(([, content]) => content)
    .sort((one, other) => one.received_at - other.received_at)

/** Those that an account may see: its own, and those that came while there was none. */
export const sharedWith = async (id: string): Promise<ReadonlyArray<SharedContent>> =>
  (await allShared()).filter(({ account = id }) => account === id)

const textBytes = ({ text, title, url }: SharedContent): number => new Blob([title, text, url]).size

const bytesOf = (content: SharedContent): number =>
  content.files.reduce((sum, { size }) => sum + size, textBytes(content))

/** Keeps a content that has come. Returns why there is no room for it; undefined if it is kept. */
export const addShared = (content: SharedContent): Promise<SharedOutcome | undefined> =>
  alone(async () => {
    const waiting = (await allShared()).filter(({ account }) => account === content.account)
    if (waiting.length >= maxWaiting) return "many"
    const bytes = [...waiting, content].reduce((sum, each) => sum + bytesOf(each), 0)
    if (textBytes(content) > maxTextBytes || bytes > maxSharedBytes) return "large"
    await keepShared(content)
    return undefined
  })
