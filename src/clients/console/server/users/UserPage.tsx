import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { longDate } from "../../Dates.ts"
import { openPage, pageAddress } from "../../Navigation.ts"
import { Button } from "../../ui/Button.tsx"
import { Failure } from "../../ui/Failure.tsx"
import { notify } from "../../ui/Notices.tsx"
import { withPassword } from "../../ui/PasswordRequest.tsx"
import { Question } from "../../ui/Question.tsx"
import { Secret } from "../../ui/Secret.tsx"
import { Section } from "../../ui/Section.tsx"
import { useAction } from "../../ui/useAction.ts"
import { useReading } from "../../ui/useReading.ts"
import { Facts } from "../Facts.tsx"
import { dateOrNever } from "../../ui/tables/TableColumns.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"
import { UserNames } from "./UserNames.tsx"
import { UserState } from "./UserState.tsx"

type Asked = "suspend" | "makeOperator" | "endSessions" | "resetFactors" | "delete"

interface UserPageProps extends Pick<ServerProps, "admin"> {
  readonly id: string
}

/** A user of the server, with what operators do. */
export const UserPage = ({ admin, id }: UserPageProps) => {
  const { failure: unread, reload, value: user } = useReading(() => admin.adminGetUser({ id }), [admin, id])
  const [link, setLink] = useState<Schemas["PasswordLink"]>()
  const [asked, setAsked] = useState<Asked>()
  const { failure, run } = useAction()
  const change = async (changes: { readonly operator?: boolean; readonly suspended?: boolean }) => {
    await withPassword((password) => admin.adminUpdateUser({ id, ...changes, ...password }))
    await reload()
  }
  const makeLink = async () =>
    setLink(await withPassword((password) => admin.adminMakePasswordLink({ id, ...password })))
  const confirmed: Readonly<Record<Asked, () => Promise<void>>> = {
    suspend: () => change({ suspended: true }),
    makeOperator: () => change({ operator: true }),
    endSessions: async () => {
      notify(words.sessionsEnded((await admin.adminEndSessions({ id })).revoked))
      await reload()
    },
    resetFactors: async () => {
      const { removed } = await withPassword((password) => admin.adminResetFactors({ id, ...password }))
      notify(texts.users.factorsReset(removed))
      await reload()
    },
    delete: async () => {
      await withPassword((password) => admin.adminDeleteUser({ id, ...password }))
      notify(texts.users.deleted(user?.email ?? id))
      openPage("server", "users")
    }
  }
  return (
    <>
      <p>
        <a href={pageAddress("server", "users")}>{texts.users.list}</a>
      </p>
      <Failure failure={unread} messages={texts.users.problems} />
      {user !== undefined && (
        <>
          {link !== undefined && (
            <Secret
              label={words.linkFor(user.email)}
              value={link.url}
              hint={texts.users.linkHint(longDate(link.expires_at))}
              onDone={() => setLink(undefined)}
            />
          )}
          <Section title={user.email}>
            <Facts
              facts={[
                [words.state, <UserState user={user} />],
                [texts.users.confirmed, user.email_confirmed ? texts.yes : texts.no],
                [words.sessions, user.sessions],
                [words.secondFactors, user.second_factors],
                [
                  texts.pages.workspaces,
                  <>
                    {user.workspaces},{" "}
                    <a href={pageAddress("server", "workspaces", user.workspace_id)}>{texts.users.personal}</a>
                  </>
                ],
                [texts.users.active, dateOrNever(user.last_active_at)],
                [words.created, longDate(user.created_at)]
              ]}
            />
            <Failure failure={failure} />
            <p class="actions start">
              {user.suspended_at === null ? (
                <Button onClick={() => setAsked("suspend")}>{texts.users.suspend}</Button>
              ) : (
                <Button onClick={() => void run(() => change({ suspended: false }))}>{texts.users.resume}</Button>
              )}
              {user.operator ? (
                <Button onClick={() => void run(() => change({ operator: false }))}>{texts.users.endOperator}</Button>
              ) : (
                <Button onClick={() => setAsked("makeOperator")}>{texts.users.makeOperator}</Button>
              )}
              <Button onClick={() => void run(makeLink)}>{texts.users.makeLink}</Button>
              <Button onClick={() => setAsked("endSessions")}>{texts.users.endSessions}</Button>
              {user.second_factors > 0 && (
                <Button onClick={() => setAsked("resetFactors")}>{texts.users.resetFactors}</Button>
              )}
              <Button kind="danger" onClick={() => setAsked("delete")}>
                {words.delete}
              </Button>
            </p>
          </Section>
          <UserNames key={`${user.email} ${user.name}`} admin={admin} user={user} onSaved={reload} />
          {asked !== undefined && (
            <Question
              title={texts.users.titles[asked]}
              lead={texts.users.leads[asked](user.email)}
              action={texts.users.titles[asked]}
              onConfirm={confirmed[asked]}
              onClose={() => setAsked(undefined)}
            />
          )}
        </>
      )}
    </>
  )
}
