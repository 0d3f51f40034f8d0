import { useMemo } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { sizeOf } from "../imports/sizeOf.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { saveFrom } from "../ui/saveFile.ts"
import { Section } from "../ui/Section.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useAction } from "../ui/useAction.ts"
import { useReading } from "../ui/useReading.ts"
import { type Attempts, type Backup, grouped, intervalText } from "./AttemptRows.ts"
import { DrillSection } from "./DrillSection.tsx"
import { Facts } from "./Facts.tsx"
import { actionColumn, dateOrNever } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

type Plan = Schemas["BackupPlan"]

/** Milliseconds between two readings while a backup or a drill runs. */
const beforeReading = 2_000

const PlanFacts = ({ plan }: { readonly plan: Plan }) => (
  <Facts
    facts={[
      [texts.backups.to, plan.to],
      [texts.backups.every, plan.every_seconds === null ? texts.backups.noSchedule : intervalText(plan.every_seconds)],
      [texts.backups.keep, plan.keep],
      [texts.backups.encrypted, plan.encrypted ? texts.yes : texts.no],
      [texts.backups.last, dateOrNever(plan.last_success_at)],
      [texts.backups.next, dateOrNever(plan.next_at)]
    ]}
  />
)

const stateOf = ({ bytes, count, ended_at, error }: Attempts) => {
  if (error !== null) {
    return (
      <span>
        <span class="badge failed">{count === 1 ? texts.backups.failed : texts.backups.failedTimes(count)}</span>{" "}
        {error}
      </span>
    )
  }
  return <span class="badge">{ended_at === null || bytes === null ? texts.backups.running : texts.backups.made}</span>
}

/** The plan of backups, and the attempts to back up. */
export const BackupsPage = ({ admin }: ServerProps) => {
  const { failure, run } = useAction()
  const status = useReading(
    () => admin.adminGetServer(),
    [admin],
    (value) => (value?.backups?.running === true || value?.backups?.drills.running === true ? beforeReading : undefined)
  )
  const plan = status.value?.backups
  // It changes when a backup begins and ends.
  const list = usePages((page) => admin.adminListBackups(page), [admin, plan?.running])
  const { pages } = list
  const rows = useMemo(() => pages?.map(grouped), [pages])
  const begin = async () => {
    await admin.adminBeginBackup()
    await Promise.all([status.reload(), list.reload()])
  }
  const download = async ({ id }: Backup) =>
    saveFrom((await withPassword((password) => admin.adminDownloadBackup({ id, ...password }))).url)
  return (
    <>
      <Failure failure={status.failure} />
      {plan === null && <p class="banner">{texts.backups.noPlan}</p>}
      {plan != null && (
        <Section title={texts.backups.plan} lead={texts.backups.planLead}>
          {plan.overdue && (
            <p class="banner fault" role="alert">
              {texts.overview.concerns.overdue.problem}
            </p>
          )}
          <PlanFacts plan={plan} />
          <p class="actions start">
            <Button kind="main" isDisabled={plan.running} onClick={() => void run(begin)}>
              {plan.running ? texts.backups.isRunning : texts.backups.begin}
            </Button>
          </p>
        </Section>
      )}
      {plan != null && <DrillSection admin={admin} drills={plan.drills} reload={status.reload} />}
      <Section title={texts.pages.backups} lead={texts.backups.lead}>
        <Failure failure={failure} />
        <DataTable
          label={texts.pages.backups}
          empty={texts.backups.none}
          list={{ ...list, pages: rows }}
          keyOf={({ id }) => id}
          columns={[
            { label: words.begun, of: ({ started_at }) => longDate(started_at) },
            { label: words.state, of: stateOf },
            { label: texts.backups.kind, of: ({ kind }) => texts.backups.kinds[kind] },
            { label: words.size, of: ({ bytes }) => (bytes === null ? "" : sizeOf(bytes)) },
            { label: texts.backups.encrypted, of: ({ encrypted }) => (encrypted ? texts.yes : texts.no) },
            { label: words.file, isLong: true, of: ({ target }) => target },
            actionColumn(
              (backup: Backup) =>
                backup.bytes !== null && (
                  <Button
                    label={texts.backups.downloadOf(longDate(backup.started_at))}
                    onClick={() => void run(() => download(backup))}
                  >
                    {words.download}
                  </Button>
                )
            )
          ]}
        />
      </Section>
    </>
  )
}
