import { useSignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { ImportRun } from "../imports/ImportRun.ts"
import { texts } from "../Messages.ts"
import { openPage, openStart } from "../Navigation.ts"
import { onDemand } from "../ui/lazily.tsx"
import { Menu } from "../ui/Menu.tsx"
import type { Place } from "../workspace/Place.ts"
import { type Account, readAccounts } from "./KeptAccounts.ts"

const ImportDialog = onDemand((all) => all.ImportDialog)

interface AccountMenuProps {
  readonly place: Place
  readonly onWorkspace: (id: string) => void
  readonly onAccount: (account: Account) => void
  readonly onAdd: () => void
  readonly onSignOut: () => void
}

/** The account and the workspace, with the others of this device. */
export const AccountMenu = ({ onAccount, onAdd, onSignOut, onWorkspace, place }: AccountMenuProps) => {
  const [accounts, setAccounts] = useState<ReadonlyArray<Account>>([])
  useEffect(() => void readAccounts().then(setAccounts), [place])
  const [isImporting, setIsImporting] = useState(false)
  const run = useSignal<ImportRun | undefined>(undefined)
  const { account } = place
  return (
    <>
      <div class="account">
        <div>
          <strong>{place.workspace.value?.name ?? "…"}</strong>
          <span class="hint">{account.email}</span>
        </div>
        <Menu
          icon="user"
          label={texts.account.menu}
          items={[
            ...place.workspaces.value.map(({ id, name }) => ({
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
            ...(place.canWrite.value
              ? [
                  { label: texts.imports.menu, icon: "inbox" as const, onSelect: () => setIsImporting(true) },
                  { label: texts.connect, icon: "phone" as const, onSelect: () => openStart("connect") }
                ]
              : []),
            { label: texts.settings, icon: "gear" as const, onSelect: () => openPage("settings", "account") },
            ...(place.isOperator.value === true
              ? [{ label: texts.server, icon: "database" as const, onSelect: () => openPage("server", "overview") }]
              : []),
            { label: texts.account.add, icon: "plus" as const, onSelect: onAdd },
            { label: texts.account.signOut, icon: "back" as const, onSelect: onSignOut }
          ]}
        />
      </div>
      {isImporting && (
        <ImportDialog
          place={place}
          current={run}
          onOpen={() => setIsImporting(true)}
          onClose={() => setIsImporting(false)}
        />
      )}
    </>
  )
}
