import "../SharedParts.ts"
import type { ComponentChildren, FunctionComponent } from "preact"
import { useRef } from "preact/hooks"
import type { AdministrationRoute } from "../Navigation.ts"
import { Administration } from "../ui/Administration.tsx"
import type { IconName } from "../ui/Icon.tsx"
import { lazily } from "../ui/lazily.tsx"
import { AccountPage } from "./AccountPage.tsx"
import { AppsPage } from "./AppsPage.tsx"
import { PeoplePage } from "./PeoplePage.tsx"
import { AuditPage } from "./audit/AuditPage.tsx"
import { isAtLeast, type Role } from "./Roles.ts"
import { SessionsPage } from "./SessionsPage.tsx"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"
import { TransfersPage } from "./TransfersPage.tsx"
import { UsagePage } from "./UsagePage.tsx"
import { WebhooksPage } from "./webhooks/WebhooksPage.tsx"
import { WorkspacePage } from "./WorkspacePage.tsx"

interface Page {
  readonly title: string
  readonly icon: IconName
  /** The lowest role that may use it. */
  readonly least: Role
  readonly Content: FunctionComponent<SettingsProps>
}

const KeysPage = lazily(async () => (await import("./KeysPage.tsx")).KeysPage)
const FolderPage = lazily(async () => (await import("./folders/FolderPage.tsx")).FolderPage)

const { pages: titles, sections: headings } = texts

/** The pages by their names in addresses, in sections of the navigation. */
const sections: ReadonlyArray<readonly [heading: string, pages: Readonly<Record<string, Page>>]> = [
  [
    headings.own,
    {
      account: { title: titles.account, icon: "user", least: "viewer", Content: AccountPage },
      sessions: { title: titles.sessions, icon: "phone", least: "viewer", Content: SessionsPage },
      apps: { title: titles.apps, icon: "puzzle", least: "viewer", Content: AppsPage }
    }
  ],
  [
    headings.workspace,
    {
      workspace: { title: titles.workspace, icon: "home", least: "viewer", Content: WorkspacePage },
      people: { title: titles.people, icon: "people", least: "viewer", Content: PeoplePage },
      keys: { title: titles.keys, icon: "key", least: "editor", Content: KeysPage },
      folder: { title: titles.folder, icon: "book", least: "editor", Content: FolderPage },
      webhooks: { title: titles.webhooks, icon: "megaphone", least: "admin", Content: WebhooksPage },
      transfers: { title: titles.transfers, icon: "inbox", least: "viewer", Content: TransfersPage },
      usage: { title: titles.usage, icon: "chart", least: "viewer", Content: UsagePage },
      audit: { title: titles.audit, icon: "shield", least: "admin", Content: AuditPage }
    }
  ]
]

interface ShellProps extends Omit<SettingsProps, "id"> {
  readonly shown: AdministrationRoute
  /** Why no changes come, if so. */
  readonly connection: ComponentChildren
  /** Shows the notes. */
  readonly onClose: () => void
}

/** The pages with which users administer their account and a workspace. */
export const Settings = ({ connection, onClose, shown, ...props }: ShellProps) => {
  /** The role as it was known last: it is unknown for a moment when the address of the account has changed. */
  const known = useRef<Role | undefined>(undefined)
  const role = (known.current = props.store.role.value ?? known.current)
  const allows = (least: Role): boolean => (role === undefined ? least === "viewer" : isAtLeast(role, least))
  const page = sections.flatMap(([, pages]) => Object.entries(pages)).find(([name]) => name === shown.page)?.[1]
  const isAllowed = page !== undefined && role !== undefined && isAtLeast(role, page.least)
  return (
    <Administration
      client={props.store.client}
      label={texts.navigation}
      sections={sections.map(([heading, pages]) => ({
        heading,
        pages: Object.entries(pages).flatMap(([name, { least, ...page }]) => (allows(least) ? [{ name, ...page }] : []))
      }))}
      shown={shown}
      title={page?.title}
      connection={connection}
      onClose={onClose}
    >
      {isAllowed && <page.Content key={`${shown.page} ${shown.id}`} id={shown.id} {...props} />}
      {page !== undefined && role !== undefined && !isAllowed && <p role="alert">{texts.notAllowed}</p>}
    </Administration>
  )
}
