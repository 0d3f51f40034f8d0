import { useMemo, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { keepFocus } from "../ui/focusHeading.ts"
import { notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { type Column, DataTable } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useAction } from "../ui/useAction.ts"
import { ListFilter } from "./ListFilter.tsx"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"
import { TestMailForm } from "./TestMailForm.tsx"
import type { ServerProps } from "./ServerProps.ts"

type Mail = Schemas["ServerMail"]

const options = [
  ["", texts.jobs.all],
  ...(["failed", "retrying", "waiting"] as const).map(
    (state) => [`state = ${state}`, texts.mails.states[state]] as const
  )
] as const

const keyOf = ({ id }: Mail): string => id

/** The mails that wait or have failed. */
export const MailsPage = ({ admin }: ServerProps) => {
  const [filter, setFilter] = useState<string>()
  const { failure, run } = useAction()
  const list = usePages(
    (page) => admin.adminListMails({ ...page, ...(filter === undefined ? {} : { filter }) }),
    [admin, filter]
  )
  const resend = ({ id, recipient }: Mail) =>
    run(async () => {
      await admin.adminResendMail({ id })
      notify(texts.mails.resent(recipient))
      await list.reload()
      keepFocus()
    })
  const columns = useMemo(
    (): ReadonlyArray<Column<Mail>> => [
      { label: texts.mails.recipient, isLong: true, of: ({ recipient }) => recipient },
      {
        label: words.state,
        of: ({ error, next_at, state }) => (
          <span>
            <span class={`badge ${state === "failed" ? "failed" : ""}`}>
              {texts.mails.states[state]} {error}
            </span>{" "}
            {next_at !== null && words.due(longDate(next_at))}
          </span>
        )
      },
      { label: texts.mails.attempts, of: ({ attempts }) => attempts },
      { label: words.created, of: ({ created_at }) => longDate(created_at) },
      actionColumn((mail) => (
        <Button label={words.sendAgainTo(mail.recipient)} onClick={() => void resend(mail)}>
          {words.sendAgain}
        </Button>
      ))
    ],
    [admin, filter]
  )
  return (
    <>
      <Section title={texts.mails.title} lead={texts.mails.lead}>
        <ListFilter options={options} onFilter={setFilter}>
          <Button onClick={() => void list.reload()}>{words.refresh}</Button>
        </ListFilter>
        <Failure failure={failure} messages={texts.mails.problems} />
        <DataTable label={texts.mails.title} empty={texts.mails.none} list={list} keyOf={keyOf} columns={columns} />
      </Section>
      <Section title={texts.mails.test} lead={texts.mails.testLead}>
        <TestMailForm admin={admin} />
      </Section>
    </>
  )
}
