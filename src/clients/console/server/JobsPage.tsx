import { useMemo, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { pageAddress } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { keepFocus } from "../ui/focusHeading.ts"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { type Column, DataTable } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useRefresh } from "../ui/tables/useRefresh.ts"
import { useAction } from "../ui/useAction.ts"
import { ListFilter } from "./ListFilter.tsx"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { texts as main } from "../Messages.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

type Job = Schemas["ServerJob"]

const states = ["failed", "running", "queued", "retrying", "awaiting_file", "done"] as const

const options = [
  ["", texts.jobs.all],
  ...states.map((state) => [`state = ${state}`, texts.jobs.states[state]] as const)
] as const

const isChanging = ({ state }: Job): boolean => state === "queued" || state === "running"
const isEnded = ({ state }: Job): boolean => state === "done" || state === "failed"
const nameOf = ({ kind, workspace }: Job): string => texts.jobs.nameOf(texts.jobs.kinds[kind], workspace)
const keyOf = ({ id }: Job): string => id

const StateOf = ({ job }: { readonly job: Job }) => (
  <span>
    <span class={`badge ${job.state === "failed" ? "failed" : ""}`}>{texts.jobs.states[job.state]}</span> {job.error}
    {job.next_at !== null && texts.jobs.next(longDate(job.next_at))}
    {job.state === "running" && <progress aria-label={nameOf(job)} value={job.progress} />}
  </span>
)

/** The exports and imports of all workspaces. */
export const JobsPage = ({ admin }: ServerProps) => {
  const [filter, setFilter] = useState<string>()
  const [cancelled, setCancelled] = useState<Job>()
  const { failure, run } = useAction()
  const list = usePages(
    (page) => admin.adminListJobs({ ...page, ...(filter === undefined ? {} : { filter }) }),
    [admin, filter]
  )
  useRefresh(list, isChanging)
  const retry = ({ id }: Job) =>
    run(async () => {
      await admin.adminRetryJob({ id })
      await list.reload()
      keepFocus()
    })
  const columns = useMemo(
    (): ReadonlyArray<Column<Job>> => [
      { label: texts.jobs.kind, of: ({ kind }) => texts.jobs.kinds[kind] },
      {
        label: words.workspace,
        of: ({ workspace, workspace_id }) => <a href={pageAddress("server", "workspaces", workspace_id)}>{workspace}</a>
      },
      { label: words.state, of: (job) => <StateOf job={job} /> },
      { label: words.created, of: ({ created_at }) => longDate(created_at) },
      actionColumn((job) =>
        job.state === "failed" ? (
          <Button label={texts.jobs.retryOf(nameOf(job))} onClick={() => void retry(job)}>
            {main.retry}
          </Button>
        ) : (
          !isEnded(job) && (
            <Button label={texts.jobs.cancelOf(nameOf(job))} onClick={() => setCancelled(job)}>
              {texts.jobs.cancel}
            </Button>
          )
        )
      )
    ],
    [admin, filter]
  )
  return (
    <Section title={texts.jobs.title} lead={texts.jobs.lead}>
      <ListFilter options={options} onFilter={setFilter}>
        <Button onClick={() => void list.reload()}>{words.refresh}</Button>
      </ListFilter>
      <Failure failure={failure} />
      <DataTable label={texts.jobs.title} empty={texts.jobs.none} list={list} keyOf={keyOf} columns={columns} />
      {cancelled !== undefined && (
        <Question
          title={texts.jobs.cancelOf(nameOf(cancelled))}
          lead={texts.jobs.cancelConfirm}
          action={texts.jobs.cancelButton}
          onConfirm={async () => {
            await admin.adminCancelJob({ id: cancelled.id })
            await list.reload()
          }}
          onClose={() => setCancelled(undefined)}
        />
      )}
    </Section>
  )
}
