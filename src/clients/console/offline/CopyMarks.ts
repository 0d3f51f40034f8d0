import type { Account } from "../accounts/KeptAccounts.ts"
import type { Kept } from "./KeptNotebooks.ts"

/** Begins the names of all copies. */
export const copyPrefix = "sheaf-console-copy "

const prefixOf = (id: string): string => `${copyPrefix}${id} `

/** The name of the copy of a workspace, and of the mark that it is wanted. */
export const copyName = ({ id, workspace }: Pick<Account, "id" | "workspace">): string => prefixOf(id) + workspace

/** Whether the notes of the workspace are kept on this device. */
export const isKept = (account: Account): boolean => copyName(account) in localStorage

/** What is kept of a workspace; undefined if nothing is. */
export const keptNotebooks = (account: Account): Kept | undefined =>
  isKept(account) ? (JSON.parse(localStorage.getItem(copyName(account)) || `"all"`) as Kept) : undefined

/** Stores what is kept from now on. */
export const keepNotebooks = (account: Account, kept: Kept): void =>
  localStorage.setItem(copyName(account), JSON.stringify(kept))

/** How far the tab that pulls has come. */
export interface CopyState {
  readonly notes: number
  readonly isWhole: boolean
  /** Whether the browser could not store the copy, such as for lack of space. */
  readonly isUnstored: boolean
}

/** Messages between tabs: `changed` and `chosen` for the tab that pulls, and its state for the others. */
export type CopyMessage = "changed" | "chosen" | "state?" | CopyState

/** Sends a message about a copy to the other tabs, and to the part of this one that pulls. */
export const post = (name: string, message: CopyMessage): void => {
  const channel = new BroadcastChannel(name)
  channel.postMessage(message)
  channel.close()
}

/** Marks a copy as no longer wanted. */
export const unmark = (name: string): void => {
  localStorage.removeItem(name)
  post(name, "chosen")
}

/** Removes the copies of an account, but for those of the workspaces that it can open. */
export const forgetCopies = (id: string, open: ReadonlyArray<string> = []): void => {
  const kept = open.map((workspace) => copyName({ id, workspace }))
  for (const name of Object.keys(localStorage)) {
    if (!name.startsWith(prefixOf(id)) || kept.includes(name)) continue
    unmark(name)
    indexedDB.deleteDatabase(name)
  }
}
