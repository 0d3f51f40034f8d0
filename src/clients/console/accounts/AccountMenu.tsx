import { useSignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { ImportRun } from "../imports/ImportRun.ts"
import { texts } from "../Messages.ts"
import { openPage, openStart } from "../Navigation.ts"
import { onDemand } from "../ui/lazily.tsx"
import { Menu } from "../ui/Menu.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type Account, readAccounts } from "./KeptAccounts.ts"

const ImportDialog = onDemand((all) => all.ImportDialog)

interface AccountMenuProps {
  readonly store: WorkspaceStore
  readonly onWorkspace: (id: string) => void
  readonly onAccount: (account: Account) => void
  readonly onAdd: () => void
  readonly onSignOut: () => void
}

/** The account and the workspace, with the others of this device. */
export const AccountMenu = ({ onAccount, onAdd, onSignOut, onWorkspace, store }: AccountMenuProps) => {
  const [accounts, setAccounts] = useState<ReadonlyArray<Account>>([])
  useEffect(() => void readAccounts().then(setAccounts), [store])
  const [isImporting, setIsImporting] = useState(false)
  const run = useSignal<ImportRun | undefined>(undefined)
  const { account } = store
  return (
    <>
      <div class="account">
        <div>
          <strong>{store.workspace.value?.name ?? "…"}</strong>
          <span class="hint">{account.email}</span>
        </div>
        <Menu
          icon="user"
          label={texts.account.menu}
          items={[
            ...store.workspaces.value.map(({ id, name }) => ({
              id,
              label: name,
              isChecked: id === account.workspace,
              onSelect: () => onWorkspace(id)
            })),
            ...accounts
              .filter(({ id }) => id !== account.id)
              .map((other) => ({
                id: other.id,
                label: other.email,
                icon: "user" as const,
                onSelect: () => onAccount(other)
              })),
            ...(store.canWrite.value
              ? [
                  { label: texts.importNotes, icon: "inbox" as const, onSelect: () => setIsImporting(true) },
                  { label: texts.connect, icon: "phone" as const, onSelect: () => openStart("connect") }
                ]
              : []),
            { label: texts.settings, icon: "gear" as const, onSelect: () => openPage("settings", "account") },
            ...(store.isOperator.value === true
              ? [{ label: texts.server, icon: "database" as const, onSelect: () => openPage("server", "overview") }]
              : []),
            { label: texts.account.add, icon: "plus" as const, onSelect: onAdd },
            { label: texts.account.signOut, icon: "back" as const, onSelect: onSignOut }
          ]}
        />
      </div>
      {isImporting && (
        <ImportDialog
          store={store}
          current={run}
          onOpen={() => setIsImporting(true)}
          onClose={() => setIsImporting(false)}
        />
      )}
    </>
  )
}
