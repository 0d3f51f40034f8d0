import type { Schemas } from "../../client/SheafClient.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Section } from "../ui/Section.tsx"
import { dateOrNever } from "../ui/tables/TableColumns.ts"
import { useAction } from "../ui/useAction.ts"
import { intervalText } from "./AttemptRows.ts"
import { Facts } from "./Facts.tsx"
import { texts } from "./ServerMessages.ts"
import type { ServerProps } from "./ServerProps.ts"

type Drills = Schemas["RestoreDrillPlan"]

interface DrillSectionProps {
  readonly admin: ServerProps["admin"]
  readonly drills: Drills
  readonly reload: () => Promise<void>
}

const resultOf = ({ ended_at, error }: NonNullable<Drills["last"]>) =>
  error !== null ? (
    <span>
      <span class="badge failed">{texts.backups.failed}</span> {error}
    </span>
  ) : (
    <span class="badge">{ended_at === null ? texts.backups.running : texts.drills.succeeded}</span>
  )

/** The last drill, which restored a backup into a scratch database, and when the next one is due. */
export const DrillSection = ({ admin, drills, reload }: DrillSectionProps) => {
  const { failure, run } = useAction()
  const { last, running } = drills
  const begin = async () => {
    await admin.adminBeginDrill()
    await reload()
  }
  return (
    <Section title={texts.drills.title} lead={texts.drills.lead}>
      <Failure failure={failure} />
      {drills.overdue && (
        <p class="banner fault" role="alert">
          {texts.overview.concerns.drillOverdue.problem}
        </p>
      )}
      <Facts
        facts={[
          [
            texts.backups.every,
            drills.every_seconds === null ? texts.backups.noSchedule : intervalText(drills.every_seconds)
          ],
          [texts.drills.last, dateOrNever(last?.started_at)],
          ...(last === null
            ? []
            : [[words.result, resultOf(last)] as const, [texts.drills.backup, last.target] as const]),
          [texts.drills.next, dateOrNever(drills.next_at)]
        ]}
      />
      <p class="actions start">
        <Button isDisabled={running} onClick={() => void run(begin)}>
          {running ? texts.drills.isRunning : texts.drills.begin}
        </Button>
      </p>
    </Section>
  )
}
