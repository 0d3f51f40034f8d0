import type { Account } from "../accounts/KeptAccounts.ts"

/** Begins the names of all copies. */
export const copyPrefix = "sheaf-console-copy "

const prefixOf = (id: string): string => `${copyPrefix}${id} `

/** The name of the copy of a workspace, and of the mark that it is wanted. */
export const copyName = ({ id, workspace }: Pick<Account, "id" | "workspace">): string => prefixOf(id) + workspace

/** Whether the notes of the workspace are kept on this device. */
export const isKept = (account: Account): boolean => copyName(account) in localStorage

/** Removes the copies of an account. */
export const forgetCopies = (id: string): void => {
  for (const name of Object.keys(localStorage)) {
    if (!name.startsWith(prefixOf(id))) continue
    localStorage.removeItem(name)
    indexedDB.deleteDatabase(name)
  }
}
