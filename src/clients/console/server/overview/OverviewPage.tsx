import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { Failure } from "../../ui/Failure.tsx"
import { Section } from "../../ui/Section.tsx"
import { Select } from "../../ui/Select.tsx"
import { useReading } from "../../ui/useReading.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"
import { Health } from "./Health.tsx"
import { ServerCharts } from "./ServerCharts.tsx"

type Range = Schemas["SeriesReport"]["range"]

/** Milliseconds between two readings. */
const beforeReading = 60_000

const ranges = (["hour", "day", "month", "year"] as const).map(
  (range) => [range, texts.overview.ranges[range]] as const
)

/** Whether the server is well, and what it has measured of itself. */
export const OverviewPage = ({ admin }: ServerProps) => {
  const [range, setRange] = useState<Range>("hour")
  const state = useReading(
    async () => {
      const [status, nodes, backups, checks] = await Promise.all([
        admin.adminGetServer(),
        admin.adminListNodes(),
        admin.adminListBackups({ limit: 1 }),
        admin.adminListChecks()
      ])
      const lastCheck = checks.data.find(({ state }) => state === "ended")
      return { status, nodes: nodes.data, lastBackup: backups.data[0], lastCheck }
    },
    [admin],
    () => beforeReading
  )
  const report = useReading(
    () => admin.adminGetSeries({ range }),
    [admin, range],
    () => beforeReading
  )
  return (
    <>
      <Failure failure={state.failure} />
      {state.value !== undefined && <Health {...state.value} />}
      <Section title={texts.overview.measured} lead={texts.overview.measuredLead}>
        <div class="filters">
          <Select label={texts.overview.range} options={ranges} value={range} onValue={setRange} />
        </div>
        <Failure failure={report.failure} />
        {report.value !== undefined && <ServerCharts report={report.value} />}
      </Section>
    </>
  )
}
