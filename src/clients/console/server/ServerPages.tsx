import "../SharedParts.ts"
import type { ComponentChildren, FunctionComponent } from "preact"
import { useMemo } from "preact/hooks"
import { createAdmin } from "../../client/AdminClient.ts"
import type { AdministrationRoute } from "../Navigation.ts"
import { Administration } from "../ui/Administration.tsx"
import type { IconName } from "../ui/Icon.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { BackupsPage } from "./BackupsPage.tsx"
import { ChecksPage } from "./ChecksPage.tsx"
import { JobsPage } from "./JobsPage.tsx"
import { MailsPage } from "./MailsPage.tsx"
import { OverviewPage } from "./overview/OverviewPage.tsx"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"
import { SystemPage } from "./SystemPage.tsx"
import { UsersPage } from "./users/UsersPage.tsx"
import { ServerWorkspacesPage } from "./workspaces/ServerWorkspacesPage.tsx"

interface Page {
  readonly name: string
  readonly title: string
  readonly icon: IconName
  readonly Content: FunctionComponent<ServerProps>
}

const { pages: titles } = texts

const pages: ReadonlyArray<Page> = [
  { name: "overview", title: titles.overview, icon: "chart", Content: OverviewPage },
  { name: "users", title: titles.users, icon: "people", Content: UsersPage },
  { name: "workspaces", title: titles.workspaces, icon: "home", Content: ServerWorkspacesPage },
  { name: "jobs", title: titles.jobs, icon: "inbox", Content: JobsPage },
  { name: "backups", title: titles.backups, icon: "archive", Content: BackupsPage },
  { name: "mails", title: titles.mails, icon: "mail", Content: MailsPage },
  { name: "checks", title: titles.checks, icon: "shield", Content: ChecksPage },
  { name: "system", title: titles.system, icon: "gear", Content: SystemPage }
]

interface ServerPagesProps {
  readonly store: WorkspaceStore
  readonly shown: AdministrationRoute
  /** Why no changes come, if so. */
  readonly connection: ComponentChildren
  /** Shows the notes. */
  readonly onClose: () => void
}

/** The pages with which operators administer the whole server. */
export const ServerPages = ({ connection, onClose, store, shown }: ServerPagesProps) => {
  const admin = useMemo(() => createAdmin(store.client), [store.client])
  const isOperator = store.isOperator.value
  const page = pages.find(({ name }) => name === shown.page)
  return (
    <Administration
      client={store.client}
      label={texts.navigation}
      sections={isOperator === true ? [{ heading: texts.navigation, pages }] : []}
      shown={shown}
      title={page?.title}
      connection={connection}
      onClose={onClose}
    >
      {isOperator === true && page !== undefined && (
        <page.Content key={`${shown.page} ${shown.id}`} admin={admin} id={shown.id} />
      )}
      {isOperator === false && <p role="alert">{texts.notAllowed}</p>}
    </Administration>
  )
}
