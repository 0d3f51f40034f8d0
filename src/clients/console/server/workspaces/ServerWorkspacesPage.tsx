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
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"
import { ServerWorkspacePage } from "./ServerWorkspacePage.tsx"
import { WorkspaceState } from "./WorkspaceState.tsx"

type Workspace = Schemas["ServerWorkspace"]

const options = [
  ["", texts.workspaces.all],
  ["deleted = false", texts.workspaces.presentOnly],
  ["deleted = true", texts.workspaces.deletedOnly]
] as const

const columns: ReadonlyArray<Column<Workspace>> = [
  { label: texts.name, of: ({ id, name }) => <a href={pageAddress("server", "workspaces", id)}>{name}</a> },
  { label: texts.workspaces.slug, isLong: true, of: ({ slug }) => slug },
  { label: texts.state, of: (workspace) => <WorkspaceState workspace={workspace} /> },
  { label: texts.plan, of: ({ plan }) => texts.plans[plan] },
  { label: texts.workspaces.members, of: ({ members }) => members },
  { label: texts.notes, of: ({ notes }) => notes.toLocaleString(locale) },
  {
    label: texts.workspaces.stored,
    of: ({ storage_bytes, text_bytes }) => sizeOf(storage_bytes + text_bytes)
  },
  { label: texts.created, of: ({ created_at }) => longDate(created_at) }
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
      <ListFilter words={texts.workspaces.words} options={options} onFilter={setFilter} />
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
