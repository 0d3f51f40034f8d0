import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { Button } from "../ui/Button.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { Failure } from "../ui/Failure.tsx"
import { notify } from "../ui/Notices.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import { wholeList } from "../ui/tables/usePages.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isAtLeast, type Role, roles } from "./Roles.ts"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"

type Member = Schemas["Member"]

const nameOf = ({ email, name }: Member): string => name || email

/** The members. Admins change those up to their own role. */
export const MemberTable = ({ store }: { readonly store: WorkspaceStore }) => {
  const { account, client } = store
  const workspace_id = account.workspace
  const [removed, setRemoved] = useState<Member>()
  const { failure, run } = useAction()
  const own = store.role.value ?? "viewer"
  const mayChange = (member: Member) =>
    isAtLeast(own, "admin") && isAtLeast(own, member.role) && member.user_id !== account.id
  const change = (member: Member, role: Role) =>
    run(async () => {
      try {
        await withPassword((password) => client.updateMember({ workspace_id, id: member.id, role, ...password }))
        notify(texts.people.roleChanged(nameOf(member), texts.people.roles[role]))
      } finally {
        await store.read()
      }
    })
  return (
    <Section title={words.members}>
      <Failure failure={failure} messages={texts.people.problems} />
      <DataTable
        label={words.members}
        empty={texts.people.noMembers}
        list={wholeList(store.members.value)}
        keyOf={({ id }) => id}
        columns={[
          {
            label: texts.people.person,
            of: (member) => (
              <>
                {nameOf(member)} {member.user_id === account.id && <span class="badge">{texts.people.you}</span>}
              </>
            )
          },
          { label: words.email, isLong: true, of: ({ email }) => email },
          {
            label: texts.people.role,
            of: (member) =>
              mayChange(member) ? (
                <Select
                  label={texts.people.roleOf(nameOf(member))}
                  isLabelHidden
                  options={roles.filter((role) => isAtLeast(own, role)).map((role) => [role, texts.people.roles[role]])}
                  value={member.role}
                  onValue={(role) => void change(member, role)}
                />
              ) : (
                texts.people.roles[member.role]
              )
          },
          { label: texts.people.since, of: ({ created_at }) => longDate(created_at) },
          actionColumn(
            (member: Member) =>
              mayChange(member) && (
                <Button label={texts.people.removeOf(nameOf(member))} onClick={() => setRemoved(member)}>
                  {texts.remove}
                </Button>
              )
          )
        ]}
      />
      {removed !== undefined && (
        <Question
          title={texts.people.removeOf(nameOf(removed))}
          lead={texts.people.removeConfirm(nameOf(removed))}
          action={texts.people.removeButton}
          messages={texts.people.problems}
          onConfirm={async () => {
            await client.deleteMember({ workspace_id, id: removed.id })
            await store.read()
          }}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Section>
  )
}
