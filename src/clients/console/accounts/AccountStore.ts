import {
  createClient,
  isProblem,
  memorySession,
  type Schemas,
  type Session,
  type SessionStore,
  type SheafClient
} from "../../client/SheafClient.ts"
import { apiUrl } from "../PageData.ts"
import { forgetCopies } from "../offline/CopyMarks.ts"
import { forgetLists } from "../workspace/ListStore.ts"
import { endedSession } from "./endedSession.ts"
import { type Account, accountOf, changeAccounts, channel, device, keepAccount, readAccounts } from "./KeptAccounts.ts"

/** Calls a listener when another tab has signed in or out, until the returned function is called. */
export const onOtherTab = (listener: () => void): (() => void) => {
  channel.addEventListener("message", listener)
  return () => channel.removeEventListener("message", listener)
}

/** Makes an account the one that was used last. Its tokens may have been renewed by another tab. */
export const preferAccount = (id: string): Promise<void> =>
  changeAccounts((accounts) => accounts.toSorted((one, other) => Number(other.id === id) - Number(one.id === id)))

type User = Pick<Schemas["User"], "email" | "locale" | "name">

const edit = (id: string, edited: (account: Account) => Account): Promise<void> =>
  changeAccounts((accounts) => accounts.map((account) => (account.id === id ? edited(account) : account)))

export const keepWorkspace = (id: string, workspace: string): Promise<void> =>
  edit(id, (account) => ({ ...account, workspace }))

/** Keeps the name, the address and the locale of an account, which may have changed. */
export const keepUser = (id: string, { email, locale, name }: User): Promise<void> =>
  edit(id, (account) => ({ ...account, email, name, locale }))

/** The session of an account, for its client. A session that has ended stays until the user signs in again. */
const sessionOf = (id: string, ended: () => void): SessionStore => ({
  read: async () => (await readAccounts()).find((account) => account.id === id)?.session,
  write: async (session) => {
    if (session === undefined) ended()
    else await edit(id, (account) => ({ ...account, session }))
  }
})

/** What refuses a session with one factor: the workspace, or the server to its operators. */
export type Barrier = "server" | "workspace"

/** Calls `barred` when a request is refused because the session has one factor. */
const watching =
  (barred: (by: Barrier) => void): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request)
    if (response.status === 403) {
      // A proxy has responded, if it is not JSON.
      const { code } = await response
        .clone()
        .json()
        .catch(() => ({}))
      if (code === "two_factors_required") barred(response.url.startsWith(`${apiUrl}/admin/`) ? "server" : "workspace")
    }
    return response
  }

const nothing = () => undefined

/** A client of an account. Calls `ended` when its session has ended, and `barred` when that needs a second factor. */
export const clientOf = (
  account: Account,
  ended: () => void = nothing,
  barred: (by: Barrier) => void = nothing
): SheafClient =>
  createClient({
    url: apiUrl,
    fetch: watching(barred),
    session: sessionOf(account.id, ended),
    // The pages themselves repeat what a user waits for, and say that the server is away, or busy for longer.
    retries: 2,
    longestWait: 4_000,
    workspace: account.workspace,
    device: account.session.device_id
  })

/** The workspace that the address names, to which an invitation leads. It is taken once. */
let wanted = new URLSearchParams(location.search).get("workspace") ?? undefined

/** The account in the workspace that the address names, if it names one. */
export const inWantedWorkspace = (account: Account): Account => {
  const workspace = wanted ?? account.workspace
  wanted = undefined
  return { ...account, workspace }
}

/**
 * The address of the account that the user has just created on the page `/setup`, which leads here. The history of the
 * browser does not keep it.
 */
export const newAddress = new URLSearchParams(location.hash.slice(1)).get("email") ?? undefined
if (newAddress !== undefined) history.replaceState(null, "", location.pathname)

/** A client without a session, to sign in. */
export const openClient = (): SheafClient => createClient({ url: apiUrl })

/**
 * Forgets an account of this device, and then ends its session. Returns where the user also signs out at a provider, if they
 * signed in by one. Rejects if the server could not be reached: the account is forgotten all the same.
 */
export const signOut = async (id: string): Promise<string | undefined> => {
  const account = (await readAccounts()).find((account) => account.id === id)
  await changeAccounts((accounts) => accounts.filter((account) => account.id !== id))
  await forgetLists(id)
  forgetCopies(id)
  channel.postMessage("signed out")
  if (account === undefined) return undefined
  try {
    const ended = await createClient({ url: apiUrl, session: memorySession(account.session), retries: 1 }).logOut()
    return ended.sign_out_url
  } catch (error) {
    // The session had ended before.
    if (!isProblem(error, ...endedSession)) throw error
    return undefined
  }
}

const web = { ...device, platform: "web" }

/** Keeps the account of a new session. */
const entered = async (session: Session): Promise<Account> => {
  const account = inWantedWorkspace(await accountOf(session))
  await keepAccount(account)
  return account
}

/** Signs in, and returns the account. */
export const signIn = async (input: Pick<Schemas["LogIn"], "code" | "email" | "password">): Promise<Account> =>
  entered(await openClient().signIn({ ...input, device: web }))

/** Signs in with a passkey, and returns its account. */
export const signInWith = async (proof: Schemas["PasskeyProof"]): Promise<Account> =>
  entered(await openClient().logInByPasskey({ ...proof, device: web }))

type Registration = Pick<Schemas["Register"], "email" | "password" | "name" | "invitation_token">

/** Creates an account, and returns it. */
export const signUp = async (input: Registration): Promise<Account> =>
  entered(await openClient().signUp({ ...input, device: web }))
