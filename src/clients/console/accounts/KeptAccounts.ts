import { createStore, get, update } from "idb-keyval"
import type { Session } from "../../client/SheafClient.ts"

/** An account that is signed in on this device. */
export interface Account {
  readonly id: string
  readonly email: string
  readonly name: string
  /** Absent in accounts that an earlier version kept. */
  readonly locale?: string
  readonly session: Session
  /** The workspace that was open last. */
  readonly workspace: string
}

/** The accounts of this device, the one that was used last first. */
type Accounts = ReadonlyArray<Account>

/**
 * IndexedDB, which all tabs share. The frame in which notes are shown runs no script, so that nothing in a note can read
 * it.
 */
const store = createStore("sheaf-console", "accounts")
const key = "accounts"

export const readAccounts = async (): Promise<Accounts> => (await get<Accounts>(key, store)) ?? []

/** The locales of the user: that of the account that was used last, without accounts those of the browser. */
export const readLocales = async (): Promise<ReadonlyArray<string>> => {
  const locale = (await readAccounts())[0]?.locale
  return locale === undefined ? navigator.languages : [locale]
}

export const changeAccounts = (changed: (accounts: Accounts) => Accounts): Promise<void> =>
  update<Accounts>(key, (accounts = []) => changed(accounts), store)

/** Carries a message to the other tabs when an account was signed in or out. */
export const channel = new BroadcastChannel("sheaf-console accounts")

/** Keeps an account as the one that was used last. */
export const keepAccount = async (account: Account): Promise<void> => {
  await changeAccounts((accounts) => [account, ...accounts.filter(({ id }) => id !== account.id)])
  channel.postMessage("signed in")
}

/** The account of a session, in the workspace that was open last on this device. */
export const accountOf = async (session: Session): Promise<Account> => {
  const { email, id, locale, name } = session.user
  const earlier = (await readAccounts()).find((account) => account.id === id)
  return { id, email, name, locale, session, workspace: earlier?.workspace ?? session.workspace_id }
}

/** This browser, as it is named in the list of sessions, with its language and time zone. */
export const device = {
  name: navigator.userAgent.match(/\b(Firefox|Edg|Chrome|Safari)\b/)?.[0]?.replace("Edg", "Edge") ?? "Browser",
  locale: navigator.language,
  timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The address that begins a sign-in by a provider, with what the server has to know of this browser. */
export const withDevice = (address: string): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(device)) url.searchParams.set(`device_${name}`, value)
  return url.href
}

const returnKey = "sheaf-return"

/** Remembers the page of the console that a sign-in by a provider leaves, such as one that an app has opened. */
export const rememberPage = (address: string): void => sessionStorage.setItem(returnKey, address)

/** The page to which a sign-in returns, once. */
export const takePage = (): string | undefined => {
  const address = sessionStorage.getItem(returnKey) ?? undefined
  sessionStorage.removeItem(returnKey)
  return address
}
