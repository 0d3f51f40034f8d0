import { useEffect, useRef, useState } from "preact/hooks"
import { inWantedWorkspace, newAddress, onOtherTab } from "./accounts/AccountStore.ts"
import { type Account, readAccounts } from "./accounts/KeptAccounts.ts"
import { SignIn } from "./accounts/SignIn.tsx"
import { isInLanguage } from "./ChosenLanguage.ts"
import { texts } from "./Messages.ts"
import { isSending } from "./Sending.ts"
import { Dialog } from "./ui/Dialog.tsx"
import { Notices, notify } from "./ui/Notices.tsx"
import { WorkspaceShell } from "./WorkspaceShell.tsx"

export const App = ({ accounts }: { readonly accounts: ReadonlyArray<Account> }) => {
  const [account, setAccount] = useState(() => {
    const first = newAddress === undefined ? accounts[0] : accounts.find(({ email }) => email === newAddress)
    return first && inWantedWorkspace(first)
  })
  const [isAdding, setIsAdding] = useState(false)
  /** Opens an account. A page is in one language: for another one it is loaded again, unless a file is being sent. */
  const show = (next: Account | undefined) =>
    next?.locale === undefined || isInLanguage(next.locale) || isSending() ? setAccount(next) : location.reload()
  const current = useRef(account)
  current.current = account
  useEffect(
    () =>
      onOtherTab(() => {
        void readAccounts().then((known) => {
          const { current: shown } = current
          if (shown === undefined || known.some(({ id }) => id === shown.id)) return
          notify(texts.account.signedOutElsewhere)
          show(known[0])
        })
      }),
    []
  )
  const signedIn = (fresh: Account) => {
    setIsAdding(false)
    show(fresh)
  }
  return (
    <>
      {account === undefined ? (
        <main class="welcome">
          <h1>{texts.name}</h1>
          <SignIn suggestion={newAddress} onSignedIn={signedIn} />
          {newAddress === undefined && <p class="hint">{texts.account.firstStart}</p>}
        </main>
      ) : (
        <WorkspaceShell
          key={`${account.id} ${account.workspace}`}
          account={account}
          onAccount={show}
          onAdd={() => setIsAdding(true)}
        />
      )}
      {isAdding && (
        <Dialog title={texts.account.add} onClose={() => setIsAdding(false)}>
          <SignIn onSignedIn={signedIn} />
        </Dialog>
      )}
      <Notices />
    </>
  )
}
