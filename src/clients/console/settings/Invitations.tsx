import { useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { RequestKey } from "../drafts/RequestKey.ts"
import { Button } from "../ui/Button.tsx"
import { Submit } from "../ui/Submit.tsx"
import { EmailField } from "../ui/EmailField.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { notify } from "../ui/Notices.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Secret } from "../ui/Secret.tsx"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import { usePages } from "../ui/tables/usePages.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isAtLeast, type Role, roles } from "./Roles.ts"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"

type Invitation = Schemas["Invitation"]
type Sent = Schemas["InvitationSent"]

interface InvitationsProps {
  readonly store: WorkspaceStore
  /** The list is read again when this number changes. */
  readonly visits: number
}

/** A form that invites a new member, and the invitations that were sent. */
export const Invitations = ({ store, visits }: InvitationsProps) => {
  const { account, client } = store
  const workspace_id = account.workspace
  const own = store.role.value ?? "viewer"
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("editor")
  /** The last invitation whose link the user passes on. */
  const [link, setLink] = useState<Sent>()
  const [revoked, setRevoked] = useState<Invitation>()
  const inviting = useAction()
  const listing = useAction()
  const key = useRef(new RequestKey()).current
  const list = usePages((page) => client.listInvitations({ workspace_id, ...page }), [client, visits])
  const sent = async (invitation: Sent) => {
    setLink(invitation.accept_url === undefined ? undefined : invitation)
    if (invitation.accept_url === undefined) notify(texts.people.sent(invitation.email))
    await list.reload()
  }
  const invite = async () => {
    const invitation = await withPassword((password) => {
      const input = { workspace_id, email, role, ...password }
      return client.createInvitation(input, { idempotencyKey: key.of(input) })
    })
    key.succeeded()
    setEmail("")
    await sent(invitation)
  }
  return (
    <>
      <Section title={texts.people.invite}>
        <Form class="form" onSubmit={() => inviting.run(invite)}>
          <Failure failure={inviting.failure} messages={texts.people.inviteProblems} fields={["email"]} />
          <EmailField label={words.email} failure={inviting.failure} value={email} onValue={setEmail} />
          <Select
            label={texts.people.role}
            options={roles.filter((each) => isAtLeast(own, each)).map((each) => [each, texts.people.roles[each]])}
            value={role}
            onValue={setRole}
          />
          <Submit label={texts.people.send} />
        </Form>
        {link?.accept_url !== undefined && (
          <Secret
            label={words.linkFor(link.email)}
            hint={texts.people.linkHint}
            value={link.accept_url}
            onDone={() => setLink(undefined)}
          />
        )}
        <ul class="hint">
          {texts.people.rolesHint.map(([name, meaning]) => (
            <li key={name}>
              <strong>{name}</strong> {meaning}
            </li>
          ))}
        </ul>
      </Section>
      <Section title={texts.people.invitations}>
        <Failure failure={listing.failure} messages={texts.people.inviteProblems} />
        <DataTable
          label={texts.people.invitations}
          empty={texts.people.noInvitations}
          list={list}
          keyOf={({ id }) => id}
          columns={[
            { label: words.email, isLong: true, of: ({ email }) => email },
            { label: texts.people.role, of: ({ role }) => texts.people.roles[role] },
            {
              label: words.state,
              of: ({ status }) => <span class="badge">{texts.people.statuses[status]}</span>
            },
            { label: texts.people.by, of: ({ invited_by }) => store.nameOf(invited_by) ?? texts.unknown },
            { label: texts.ends, of: ({ expires_at }) => longDate(expires_at) },
            actionColumn(
              (invitation: Invitation) =>
                invitation.status !== "accepted" && (
                  <div class="buttons">
                    <Button
                      isOnce
                      label={words.sendAgainTo(invitation.email)}
                      onClick={() =>
                        void listing.run(async () =>
                          sent(await client.resendInvitation({ workspace_id, id: invitation.id }))
                        )
                      }
                    >
                      {words.sendAgain}
                    </Button>
                    <Button label={texts.people.revokeOf(invitation.email)} onClick={() => setRevoked(invitation)}>
                      {texts.people.revoke}
                    </Button>
                  </div>
                )
            )
          ]}
        />
      </Section>
      {revoked !== undefined && (
        <Question
          title={texts.people.revokeOf(revoked.email)}
          lead={texts.people.revokeConfirm}
          action={texts.people.revokeButton}
          onConfirm={async () => {
            await client.deleteInvitation({ workspace_id, id: revoked.id })
            await list.reload()
          }}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  )
}
