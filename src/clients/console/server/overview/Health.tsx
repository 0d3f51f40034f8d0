import { locale } from "../../ChosenLanguage.ts"
import type { Schemas } from "../../../client/SheafClient.ts"
import { sizeOf } from "../../imports/sizeOf.ts"
import { pageAddress } from "../../Navigation.ts"
import { Section } from "../../ui/Section.tsx"
import { Facts } from "../Facts.tsx"
import { dateOrNever } from "../../ui/tables/TableColumns.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"

interface HealthProps {
  readonly status: Schemas["ServerStatus"]
  readonly nodes: ReadonlyArray<Schemas["ServerNode"]>
  /** The last attempt to back up. */
  readonly lastBackup: Schemas["ServerBackup"] | undefined
  /** The last run of the checks that has ended. */
  readonly lastCheck: Schemas["CheckRun"] | undefined
}

/** Something that needs the attention of an operator. */
interface Concern {
  readonly problem: string
  readonly remedy: string
  /** The page where the operator does it. */
  readonly page: "backups" | "checks" | "jobs" | "mails" | "system" | "workspaces"
}

/** With fewer free bytes, the server soon refuses files. */
const leastFree = 2 * 1024 ** 3

const { concerns: said } = texts.overview

const backupConcern = ({ lastBackup, status: { backups } }: HealthProps): Concern | undefined => {
  const page = "backups"
  if (backups === null) return { ...said.noBackups, page }
  if (backups.overdue) return { ...said.overdue, page }
  if (lastBackup !== undefined && lastBackup.error !== null) {
    return { problem: said.backupFailed(lastBackup.error), remedy: said.backupRemedy, page }
  }
  return backups.every_seconds === null ? { ...said.noSchedule, page } : undefined
}

const drillConcern = ({ status: { backups } }: HealthProps): Concern | undefined => {
  const page = "backups"
  const error = backups?.drills.last?.error ?? null
  if (error !== null) return { problem: said.drillFailed(error), remedy: said.drillRemedy, page }
  return backups?.drills.overdue === true ? { ...said.drillOverdue, page } : undefined
}

const concernsOf = (props: HealthProps): ReadonlyArray<Concern> => {
  const { lastCheck, nodes, status } = props
  const backup = backupConcern(props)
  const drill = drillConcern(props)
  const faulty = (lastCheck?.results ?? []).flatMap(({ check, status }) => (status === "faulty" ? [check] : []))
  const versions = new Set(nodes.map(({ version }) => version))
  return [
    ...(backup === undefined ? [] : [backup]),
    ...(drill === undefined ? [] : [drill]),
    ...(faulty.length === 0
      ? []
      : [{ problem: said.checks(faulty.join(", ")), remedy: said.checksRemedy, page: "checks" as const }]),
    ...(status.mails_failed === 0
      ? []
      : [{ problem: said.mails(status.mails_failed), remedy: said.mailsRemedy, page: "mails" as const }]),
    ...(status.mail ? [] : [{ ...said.noMail, page: "mails" as const }]),
    ...(status.jobs_failed === 0
      ? []
      : [{ problem: said.jobs(status.jobs_failed), remedy: said.jobsRemedy, page: "jobs" as const }]),
    ...(status.disk_free_bytes >= leastFree
      ? []
      : [{ problem: said.disk(sizeOf(status.disk_free_bytes)), remedy: said.diskRemedy, page: "workspaces" as const }]),
    ...(versions.size <= 1
      ? []
      : [{ problem: said.versions([...versions].join(", ")), remedy: said.versionsRemedy, page: "system" as const }])
  ]
}

/** Whether the server is well: what needs attention, with what to do, and its sizes. */
export const Health = (props: HealthProps) => {
  const { status } = props
  const concerns = concernsOf(props)
  return (
    <>
      <Section title={words.state}>
        {concerns.length === 0 ? (
          <p class="banner">{texts.overview.well}</p>
        ) : (
          <ul class="concerns">
            {concerns.map(({ page, problem, remedy }) => (
              <li key={problem} class="banner fault">
                <p>
                  <strong>{problem}</strong> {remedy}
                </p>
                <a href={pageAddress("server", page)}>{texts.pages[page]}</a>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title={texts.overview.sizes}>
        <Facts
          facts={[
            [texts.version, <a href={pageAddress("server", "system")}>{status.version}</a>],
            [texts.overview.nodes, status.nodes],
            [texts.pages.users, <a href={pageAddress("server", "users")}>{status.users.toLocaleString(locale)}</a>],
            [
              texts.pages.workspaces,
              <a href={pageAddress("server", "workspaces")}>{status.workspaces.toLocaleString(locale)}</a>
            ],
            [words.notes, status.notes.toLocaleString(locale)],
            [words.files, texts.overview.filesOf(status.files.toLocaleString(locale), sizeOf(status.file_bytes))],
            [texts.overview.database, sizeOf(status.database_bytes)],
            [texts.overview.diskFree, sizeOf(status.disk_free_bytes)],
            [texts.overview.lastBackup, dateOrNever(status.backups?.last_success_at)],
            [texts.overview.nextBackup, dateOrNever(status.backups?.next_at)],
            [texts.drills.last, dateOrNever(status.backups?.drills.last?.started_at)]
          ]}
        />
      </Section>
    </>
  )
}
