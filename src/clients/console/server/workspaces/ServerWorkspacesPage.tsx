import { locale } from "../../ChosenLanguage.ts"
import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { longDate } from "../../Dates.ts"
import { sizeOf } from "../../imports/sizeOf.ts"
import { pageAddress } from "../../Navigation.ts"
import { Section } from "../../ui/Section.tsx"
import { type Column, DataTable } from "../../ui/tables/DataTable.tsx"
import { usePages } from "../../ui/tables/usePages.ts"
import { ListFilter } from "../ListFilter.tsx"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"
import { ServerWorkspacePage } from "./ServerWorkspacePage.tsx"
import { WorkspaceState } from "./WorkspaceState.tsx"

type Workspace = Schemas["ServerWorkspace"]

const options = [
  ["", texts.workspaces.list],
  ["deleted = false", texts.workspaces.presentOnly],
  ["deleted = true", texts.workspaces.deletedOnly]
] as const

const columns: ReadonlyArray<Column<Workspace>> = [
  { label: words.name, of: ({ id, name }) => <a href={pageAddress("server", "workspaces", id)}>{name}</a> },
  { label: texts.workspaces.slug, isLong: true, of: ({ slug }) => slug },
  { label: words.state, of: (workspace) => <WorkspaceState workspace={workspace} /> },
  { label: words.plan, of: ({ plan }) => words.plans[plan] },
  { label: words.members, of: ({ members }) => members },
  { label: words.notes, of: ({ notes }) => notes.toLocaleString(locale) },
  {
    label: words.stored,
    of: ({ storage_bytes, text_bytes }) => sizeOf(storage_bytes + text_bytes)
  },
  { label: words.created, of: ({ created_at }) => longDate(created_at) }
]

const keyOf = ({ id }: Workspace): string => id

const WorkspaceList = ({ admin }: Pick<ServerProps, "admin">) => {
  const [filter, setFilter] = useState<string>()
  const list = usePages(
    (page) => admin.adminListWorkspaces({ ...page, ...(filter === undefined ? {} : { filter }) }),
    [admin, filter]
  )
  return (
    <Section title={texts.workspaces.list} lead={texts.workspaces.lead}>
      <ListFilter searched={texts.workspaces.words} options={options} onFilter={setFilter} />
      <DataTable
        label={texts.workspaces.list}
        empty={texts.workspaces.none}
        list={list}
        keyOf={keyOf}
        columns={columns}
      />
    </Section>
  )
}

/** The workspaces of the server, or one of them. */
export const ServerWorkspacesPage = ({ admin, id }: ServerProps) =>
  id === undefined ? <WorkspaceList admin={admin} /> : <ServerWorkspacePage admin={admin} id={id} />
