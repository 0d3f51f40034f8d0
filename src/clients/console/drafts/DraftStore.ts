import { signal } from "@preact/signals"
import { createStore, del, entries, get, set } from "idb-keyval"
import type { StoredDraft } from "./StoredDraft.ts"

const store = createStore("sheaf-console-drafts", "drafts")

/** The name of the lock that a tab holds while it has a draft open. */
const lockOf = (key: string): string => `sheaf draft ${key}`

/** The locks of all tabs. Pages that came by plain HTTP have none: there a draft may be open in another tab. */
const locks = isSecureContext ? navigator.locks : undefined

/** The drafts that this tab has open. */
const own = new Set<string>()

/** Increases when a tab leaves a draft. */
export const leavings = signal(0)

/** The drafts of other tabs whose leaving this tab waits for. */
const awaited = new Set<string>()

/** Waits until another tab leaves a draft. After a reload that is the page before, whose lock may still be there. */
const awaitLeaving = async (key: string): Promise<void> => {
  if (locks === undefined || awaited.has(key)) return
  awaited.add(key)
  await locks.request(lockOf(key), () => awaited.delete(key))
  leavings.value++
}

/** A draft that this tab holds until `release` is called or the tab is closed. */
export interface HeldDraft {
  /** Resolves when no other tab can take the draft. */
  readonly isHeld: Promise<unknown>
  readonly release: () => void
}

export const holdDraft = (key: string): HeldDraft => {
  const released = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  own.add(key)
  if (locks === undefined) isHeld.resolve()
  else void locks.request(lockOf(key), () => (isHeld.resolve(), released.promise))
  return {
    isHeld: isHeld.promise,
    release: () => {
      own.delete(key)
      released.resolve()
      leavings.value++
    }
  }
}

/**
 * Takes a draft that was left, so that no other tab takes it until `release` is called. Returns undefined if another tab has
 * taken it, or the server has stored it.
 */
export const takeDraft = async (
  key: string
): Promise<{ readonly draft: StoredDraft; readonly release: () => void } | undefined> => {
  const released = Promise.withResolvers<void>()
  const taken = Promise.withResolvers<StoredDraft | undefined>()
  const take = async (isOwn: boolean) => {
    // The other tab may only have waited for a leaving.
    if (!isOwn) void awaitLeaving(key)
    const draft = isOwn ? await get<StoredDraft>(key, store) : undefined
    taken.resolve(draft)
    if (draft !== undefined) await released.promise
  }
  const task = locks?.request(lockOf(key), { ifAvailable: true }, (lock) => take(lock !== null)) ?? take(true)
  task.catch(taken.reject)
  const draft = await taken.promise
  return draft === undefined ? undefined : { draft, release: released.resolve }
}

/** The drafts of an account that no tab has open, the latest first: they were left before the server had stored them. */
export const leftDrafts = async (account: string): Promise<ReadonlyArray<StoredDraft>> => {
  const { held = [] } = (await locks?.query()) ?? {}
  const open = new Set(held.map(({ name }) => name))
  const drafts = (await entries<string, StoredDraft>(store))
    .map(([, draft]) => draft)
    .filter((draft) => draft.account === account && !own.has(draft.key))
  const isOpen = ({ key }: StoredDraft) => open.has(lockOf(key))
  for (const draft of drafts.filter(isOpen)) void awaitLeaving(draft.key)
  return drafts.filter((draft) => !isOpen(draft)).sort((one, other) => other.changed_at - one.changed_at)
}

/** Rejects if the browser cannot store the draft, such as for want of room. */
export const writeDraft = (draft: StoredDraft): Promise<void> => set(draft.key, draft, store)

export const removeDraft = (key: string): Promise<void> => del(key, store)
