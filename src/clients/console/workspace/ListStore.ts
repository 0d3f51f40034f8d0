import { createStore, delMany, get, keys, set } from "idb-keyval"
import type { Schemas } from "../../client/SheafClient.ts"

/** The lists of a workspace that all its pages show. */
export interface Lists {
  readonly workspaces: ReadonlyArray<Schemas["Workspace"]>
  readonly notebooks: ReadonlyArray<Schemas["Notebook"]>
  readonly tags: ReadonlyArray<Schemas["Tag"]>
  readonly templates: ReadonlyArray<Schemas["Template"]>
  readonly members: ReadonlyArray<Schemas["Member"]>
}

/** The lists as they were read last, so that the console opens without a network. They are forgotten at sign-out. */
const store = createStore("sheaf-console-lists", "lists")

interface Owner {
  readonly id: string
  readonly workspace: string
}

const keyOf = ({ id, workspace }: Owner): string => `${id} ${workspace}`

export const readLists = (owner: Owner): Promise<Lists | undefined> => get<Lists>(keyOf(owner), store)

export const keepLists = (owner: Owner, lists: Lists): Promise<void> => set(keyOf(owner), lists, store)

/** The ids of the notes that were opened last. */
export const readRecent = (owner: Owner): Promise<ReadonlyArray<string> | undefined> =>
  get<ReadonlyArray<string>>(`${keyOf(owner)} recent`, store)

export const keepRecent = (owner: Owner, ids: ReadonlyArray<string>): Promise<void> =>
  set(`${keyOf(owner)} recent`, ids, store)

/** Forgets the lists of all workspaces of an account. */
export const forgetLists = async (id: string): Promise<void> => {
  const found = await keys<string>(store)
  await delMany(
    found.filter((key) => key.startsWith(`${id} `)),
    store
  )
}
