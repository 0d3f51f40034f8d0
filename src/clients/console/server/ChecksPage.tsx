import type { ComponentChildren } from "preact"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { pageAddress } from "../Navigation.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Section } from "../ui/Section.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { wholeList } from "../ui/tables/usePages.ts"
import { useAction } from "../ui/useAction.ts"
import { useReading } from "../ui/useReading.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

type Run = Schemas["CheckRun"]
type Result = Run["results"][number]

/** Milliseconds between two readings while a run is not complete. */
const beforeReading = 1_000

const foundOf = ({ faults, has_more, reason }: Result): ComponentChildren =>
  faults.length === 0 ? (
    reason
  ) : (
    <ul class="faults">
      {faults.map(({ problem, remedy, workspace_id }, index) => (
        <li key={index}>
          <strong>{problem}</strong> {remedy}{" "}
          {workspace_id !== undefined && (
            <a href={pageAddress("server", "workspaces", workspace_id)}>{texts.checks.openWorkspace}</a>
          )}
        </li>
      ))}
      {has_more && <li>{texts.checks.more}</li>}
    </ul>
  )

const Results = ({ results, started_at }: Run) => (
  <DataTable
    label={texts.checks.resultsOf(longDate(started_at))}
    empty={texts.checks.noResults}
    list={wholeList(results)}
    keyOf={({ check }) => check}
    columns={[
      { label: texts.checks.check, of: ({ check }) => check },
      {
        label: words.result,
        of: ({ status }) => (
          <span class={`badge ${status === "faulty" ? "failed" : ""}`}>{texts.checks.statuses[status]}</span>
        )
      },
      { label: texts.checks.found, of: foundOf }
    ]}
  />
)

const summaryOf = ({ results, state }: Run): string => {
  const faulty = results.filter(({ status }) => status === "faulty").length
  return `${texts.checks.states[state]}, ${texts.checks.faulty(faulty)}`
}

/** Runs the checks of the server, and shows their results. */
export const ChecksPage = ({ admin }: ServerProps) => {
  const { failure, run } = useAction()
  const runs = useReading(
    async () => (await admin.adminListChecks()).data,
    [admin],
    (value) => (value?.[0]?.state === "running" ? beforeReading : undefined)
  )
  const begin = async (thorough: boolean) => {
    await admin.adminBeginCheck({ thorough })
    await runs.reload()
  }
  const [last, ...earlier] = runs.value ?? []
  const isRunning = last?.state === "running"
  return (
    <>
      <Section title={texts.checks.begin} lead={texts.checks.lead}>
        <Failure failure={failure} />
        <Failure failure={runs.failure} />
        <p class="actions start">
          <Button kind="main" isDisabled={isRunning} onClick={() => void run(() => begin(false))}>
            {texts.checks.quick}
          </Button>
          <Button isDisabled={isRunning} onClick={() => void run(() => begin(true))}>
            {texts.checks.thorough}
          </Button>
        </p>
      </Section>
      {runs.value !== undefined && (
        <Section title={texts.checks.last}>
          {last === undefined ? (
            <p class="hint">{texts.checks.none}</p>
          ) : (
            <>
              <p role="status">
                {longDate(last.started_at)}: {summaryOf(last)}
              </p>
              <Results {...last} />
            </>
          )}
        </Section>
      )}
      {earlier.length > 0 && (
        <Section title={texts.checks.earlier}>
          <DataTable
            label={texts.checks.earlier}
            empty=""
            list={wholeList(earlier)}
            keyOf={({ id }) => id}
            columns={[
              { label: words.begun, of: ({ started_at }) => longDate(started_at) },
              { label: words.result, of: summaryOf }
            ]}
            detail={{ about: ({ started_at }) => longDate(started_at), of: (earlier) => <Results {...earlier} /> }}
          />
        </Section>
      )}
    </>
  )
}
