import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { longDate } from "../../Dates.ts"
import { openPage, pageAddress } from "../../Navigation.ts"
import { Section } from "../../ui/Section.tsx"
import { type Column, DataTable } from "../../ui/tables/DataTable.tsx"
import { usePages } from "../../ui/tables/usePages.ts"
import { ListFilter } from "../ListFilter.tsx"
import { dateOrNever } from "../../ui/tables/TableColumns.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"
import { UserForm } from "./UserForm.tsx"
import { UserPage } from "./UserPage.tsx"
import { UserState } from "./UserState.tsx"

type User = Schemas["ServerUser"]

const options = [
  ["", texts.users.list],
  ["suspended = true", texts.users.suspendedOnly],
  ["operator = true", texts.users.operatorsOnly]
] as const

const columns: ReadonlyArray<Column<User>> = [
  {
    label: words.email,
    isLong: true,
    of: ({ email, id }) => <a href={pageAddress("server", "users", id)}>{email}</a>
  },
  { label: words.name, of: ({ name }) => name },
  { label: words.state, of: (user) => <UserState user={user} /> },
  { label: words.secondFactors, of: ({ second_factors }) => second_factors },
  { label: texts.pages.workspaces, of: ({ workspaces }) => workspaces },
  { label: texts.users.active, of: ({ last_active_at }) => dateOrNever(last_active_at) },
  { label: words.created, of: ({ created_at }) => longDate(created_at) }
]

const keyOf = ({ id }: User): string => id

const UserList = ({ admin }: Pick<ServerProps, "admin">) => {
  const [filter, setFilter] = useState<string>()
  const list = usePages(
    (page) => admin.adminListUsers({ ...page, ...(filter === undefined ? {} : { filter }) }),
    [admin, filter]
  )

  return (
    <>
      <Section title={texts.users.list}>
        <ListFilter searched={texts.users.words} options={options} onFilter={setFilter} />
        <DataTable label={texts.users.list} empty={texts.users.none} list={list} keyOf={keyOf} columns={columns} />
      </Section>
      <Section title={texts.users.create} lead={texts.users.createLead}>
        <UserForm admin={admin} onMade={({ id }) => openPage("server", "users", id)} />
      </Section>
    </>
  )
}

/** The users of the server, or one of them. */
export const UsersPage = ({ admin, id }: ServerProps) =>
  id === undefined ? <UserList admin={admin} /> : <UserPage admin={admin} id={id} />
