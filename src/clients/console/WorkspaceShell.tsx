import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { randomId } from "../client/RandomId.ts"
import { SheafError } from "../client/SheafClient.ts"
import { AccountMenu } from "./accounts/AccountMenu.tsx"
import {
  type Barrier,
  clientOf,
  keepUser,
  keepWorkspace,
  onOtherTab,
  preferAccount,
  signOut
} from "./accounts/AccountStore.ts"
import { type Account, readAccounts } from "./accounts/KeptAccounts.ts"
import { SignInAgain } from "./accounts/SignInAgain.tsx"
import { texts } from "./Messages.ts"
import { open, route, writing } from "./Navigation.ts"
import { Overlays } from "./Overlays.tsx"
import type { StoredDraft } from "./drafts/StoredDraft.ts"
import { titleOf } from "./notes/NoteFilter.ts"
import { NoteListPane } from "./notes/NoteListPane.tsx"
import { NoSelection } from "./notes/NoSelection.tsx"
import { NotePane } from "./notes/NotePane.tsx"
import type { NoteSource } from "./drafts/NoteSource.ts"
import { isSending } from "./Sending.ts"
import { Button } from "./ui/Button.tsx"
import { lazily } from "./ui/lazily.tsx"
import { notify } from "./ui/Notices.tsx"
import "./workspace/ColumnWidths.ts"
import { ConnectionState } from "./workspace/ConnectionState.tsx"
import { WorkspaceStore } from "./workspace/WorkspaceStore.ts"
import { Sidebar } from "./workspace/Sidebar.tsx"

const TwoFactorsNeeded = lazily(async () => (await import("./factors/FactorParts.ts")).TwoFactorsNeeded)
const Settings = lazily(async () => (await import("./settings/Settings.tsx")).Settings)
const Start = lazily(async () => (await import("./start/Start.tsx")).Start)
const TasksPane = lazily(async () => (await import("./tasks/TasksPane.tsx")).TasksPane)
const SharedWaiting = lazily(async () => (await import("./OnDemand.ts")).SharedWaiting)
const ServerPages = lazily(async () => (await import("./server/ServerPages.tsx")).ServerPages)

interface ShellProps {
  readonly account: Account
  readonly onAccount: (account: Account | undefined) => void
  readonly onAdd: () => void
}

/** Moves the focus to the first note of the list, or without one to the search. */
const toList = () => {
  const [note, search] = [".windowed a, .task a", ".search input"].map((each) =>
    document.querySelector<HTMLElement>(each)
  )
  ;(note ?? search)?.focus()
}

/** The pages of one workspace of an account. */
export const WorkspaceShell = ({ account, onAccount, onAdd }: ShellProps) => {
  const [hasEnded, setHasEnded] = useState(false)
  const [isSigningIn, setIsSigningIn] = useState(false)
  /** What needs a second factor of the session, and whether its dialog is open. */
  const [barred, setBarred] = useState<{ readonly by: Barrier; readonly isOpen: boolean }>()
  /** The number of times that the session got a second factor. Pages begin again then. */
  const [confirmations, setConfirmations] = useState(0)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  /** A draft that is continued, and the number of notes that were begun, by which new notes differ. */
  const [begun, setBegun] = useState<{ readonly draft?: StoredDraft; readonly count: number }>({ count: 0 })
  const store = useMemo(() => {
    const client = clientOf(
      account,
      () => setHasEnded(true),
      // A dialog would take what the user types in a note: then it opens at a click only.
      (by) => setBarred((known) => known ?? { by, isOpen: made.texts.size === 0 })
    )
    const made = new WorkspaceStore(account, client)
    return made
  }, [account.id, account.workspace, account.email])
  useEffect(() => {
    void store.open()
    void import("./AfterStart.ts").then((all) => (all.followShared(store), all.keepCopy(store))).catch(console.warn)
    return () => store.close()
  }, [store])
  useEffect(() => {
    return store.subscribe((changes) => {
      if (changes.some(({ type }) => type === "reminder"))
        void import("./OnDemand.ts").then(({ showFired }) => showFired(store, changes))
    })
  }, [store])
  const isConnected = store.connections.value > 0
  useEffect(() => {
    if (isConnected && globalThis.Notification?.permission === "granted")
      void import("./OnDemand.ts").then(({ renew }) => renew(store)).catch(console.warn)
  }, [store, isConnected])
  const renewed = () => {
    setHasEnded(false)
    setIsSigningIn(false)
    void store.retry()
  }
  const confirmed = () => {
    setBarred(undefined)
    setConfirmations(confirmations + 1)
    void store.repeat()
  }
  useEffect(() => {
    // Signed in again in another tab: with the session that has ended, the dialog opens again.
    if (hasEnded) return onOtherTab(renewed)
  }, [store, hasEnded])
  const current = route.value
  const { administration, filter, note, start } = current
  const isAway = administration !== undefined || start !== undefined
  /** The list and the note that are open, or were before the settings, the server or the start page. */
  const left = useRef(current)
  if (!isAway) left.current = { filter, note: note === "new" ? undefined : note }
  useEffect(() => setIsMenuOpen(false), [current])
  useEffect(() => {
    if (!isAway) document.title = `${titleOf(filter, store)} · ${texts.name}`
  }, [current, store.isReady.value])

  const newNote = () => {
    setBegun(({ count }) => ({ count: count + 1 }))
    open(filter.kind === "trash" ? { kind: "all" } : filter, "new")
  }
  const continueDraft = (draft: StoredDraft) => {
    setBegun(({ count }) => ({ draft, count: count + 1 }))
    open(filter, draft.note?.id ?? "new")
  }
  const notebook_id = filter.kind === "notebook" ? filter.id : store.inbox.value?.id
  const sourceOf = (): NoteSource | undefined => {
    const { draft } = begun
    if (draft !== undefined && (draft.note?.id ?? "new") === note) return { kind: "draft", draft }
    if (note === undefined) return undefined
    if (note !== "new") return { kind: "existing", id: note }
    return notebook_id === undefined ? undefined : { kind: "new", notebook_id }
  }
  useEffect(() => {
    // A draft is continued once.
    if (begun.draft !== undefined && (begun.draft.note?.id ?? "new") !== note) setBegun(({ count }) => ({ count }))
  }, [note])
  // A note stays in its pane when it is created. A note that leaves the trash is read again.
  const isTrash = filter.kind === "trash"
  const [pane, setPane] = useState<{ readonly key: string; readonly source: NoteSource; readonly token: string }>()
  useEffect(() => {
    setPane((open) => {
      const source = sourceOf()
      if (source === undefined) return undefined
      const key = source.kind === "existing" ? `${isTrash ? "trash " : ""}${source.id}` : `begun ${begun.count}`
      const isSame = open !== undefined && (open.key === key || open.token === history.state)
      return isSame ? open : { key, source, token: randomId() }
    })
  }, [note, begun, notebook_id, isTrash])

  const openWorkspace = (workspace: string) =>
    void keepWorkspace(account.id, workspace).then(() => (open({ kind: "all" }), onAccount({ ...account, workspace })))
  const leave = async () => {
    if (isSending() && !confirm(texts.account.sendingConfirm)) return
    if (!(await store.saveTexts()) && !confirm(texts.account.signOutConfirm)) return
    await forget()
  }
  const forget = async () => {
    store.close()
    try {
      const elsewhere = await signOut(account.id)
      if (elsewhere !== undefined) {
        location.assign(elsewhere)
        return
      }
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      notify(texts.account.signedOutHere)
    }
    onAccount((await readAccounts())[0])
  }
  const close = () => open(left.current.filter, left.current.note)
  const over = (
    <>
      {hasEnded && (
        <SignInAgain
          account={account}
          isOpen={isSigningIn}
          onOpen={setIsSigningIn}
          onSignedIn={(fresh) => (fresh.id === account.id ? renewed() : onAccount(fresh))}
        />
      )}
      {barred !== undefined && !hasEnded && (
        <TwoFactorsNeeded
          {...barred}
          store={store}
          onOpen={() => setBarred({ ...barred, isOpen: true })}
          onClose={() => {
            // The notes are open to this session: only the pages of the server are not.
            setBarred(barred.by === "server" ? undefined : { ...barred, isOpen: false })
            if (barred.by === "server") close()
          }}
          onConfirmed={confirmed}
          onWorkspace={openWorkspace}
          onSignOut={() => void leave()}
        />
      )}
      <Overlays store={store} onNew={newNote} />
      {store.shared.value.length > 0 && <SharedWaiting store={store} />}
    </>
  )
  const connection = !hasEnded && barred?.by !== "workspace" && (
    <ConnectionState store={store} onWorkspace={openWorkspace} />
  )
  if (store.failure.value !== undefined && !store.isReady.value) {
    return (
      <>
        <main class="blank">
          {connection}
          <Button onClick={() => onAccount(undefined)}>{texts.account.signIn}</Button>
        </main>
        {over}
      </>
    )
  }
  if (administration !== undefined) {
    const frame = { store, shown: administration, connection, onClose: close }
    return (
      <>
        {administration.area === "server" ? (
          <ServerPages key={confirmations} {...frame} />
        ) : (
          <Settings
            key={confirmations}
            {...frame}
            onWorkspace={openWorkspace}
            onUser={({ email, locale, name }) =>
              void Promise.all([keepUser(account.id, { email, locale, name }), store.saveTexts()]).then(() =>
                onAccount({ ...account, email, name, locale })
              )
            }
            onDeleted={() => void forget().then(() => open({ kind: "all" }))}
          />
        )}
        {over}
      </>
    )
  }
  if (start !== undefined) {
    return (
      <>
        <Start
          store={store}
          step={start}
          connection={connection}
          onWrite={newNote}
          onClose={() => open({ kind: "all" })}
        />
        {over}
      </>
    )
  }
  const menu = (
    <AccountMenu
      store={store}
      onWorkspace={openWorkspace}
      onAccount={(other) => void preferAccount(other.id).then(() => (open({ kind: "all" }), onAccount(other)))}
      onAdd={onAdd}
      onSignOut={() => void leave()}
    />
  )
  const list = { store, connection, onMenu: () => setIsMenuOpen(!isMenuOpen) }
  return (
    <div class={`shell ${note === undefined ? "" : "has-note"} ${isMenuOpen ? "has-menu" : ""}`}>
      <button type="button" class="skip" onClick={toList}>
        {texts.skip}
      </button>
      <Sidebar store={store} account={menu} />
      {isMenuOpen && <div class="shade" onClick={() => setIsMenuOpen(false)} />}
      <main class="panes">
        {filter.kind === "tasks" ? (
          <section class="pane list" aria-label={texts.lists.tasks}>
            <TasksPane {...list} filter={filter} />
          </section>
        ) : (
          <NoteListPane {...list} filter={filter} note={note} onNew={newNote} onDraft={continueDraft} />
        )}
        {pane === undefined ? (
          <section class="pane note">
            <NoSelection store={store} onNew={newNote} />
          </section>
        ) : (
          <NotePane
            key={pane.key}
            store={store}
            source={pane.source}
            token={pane.token}
            isWriting={pane.source.kind !== "existing" || history.state === writing}
          />
        )}
      </main>
      {over}
    </div>
  )
}
