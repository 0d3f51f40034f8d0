import { texts } from "../Messages.ts"
import { Dialog } from "../ui/Dialog.tsx"
import type { Account } from "./KeptAccounts.ts"
import { SignIn } from "./SignIn.tsx"

interface SignInAgainProps {
  readonly account: Account
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly onSignedIn: (account: Account) => void
}

/** Says that the session has ended. Its dialog opens at a click only: else it would take what the user types in a note. */
export const SignInAgain = ({ account, isOpen, onOpen, onSignedIn }: SignInAgainProps) =>
  isOpen ? (
    <Dialog title={texts.account.again} onClose={() => onOpen(false)}>
      <p>{texts.account.againLead}</p>
      <SignIn email={account.email} onSignedIn={onSignedIn} />
    </Dialog>
  ) : (
    <div class="notices top" role="alert">
      <div class="notice">
        <span>{texts.account.againLead}</span>
        <button type="button" class="link" onClick={() => onOpen(true)}>
          {texts.account.signIn}
        </button>
      </div>
    </div>
  )
