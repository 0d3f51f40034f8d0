import { chartTexts } from "./ChartMessages.ts"
import { type Steps, stepText, valueText } from "./ChartScale.ts"

interface ChartLine {
  readonly label: string
  /** A value for each step; null where nothing was measured. */
  readonly values: ReadonlyArray<number | null>
}

export interface Charted {
  readonly title: string
  readonly steps: Steps
  /** `bytes` and `seconds` are shown with units; `requests` and `rows` are whole numbers. */
  readonly unit: string
  /** At most four, each with a value for every step. */
  readonly lines: ReadonlyArray<ChartLine>
}

export const textOf = (value: number | null | undefined, unit: string): string =>
  value == null ? chartTexts.none : valueText(value, unit)

/** The values of a chart as a table, the newest first. */
export const ChartTable = ({ lines, steps, title, unit }: Charted) => (
  <div class="chart-table" tabIndex={0} role="region" aria-label={title}>
    <table>
      <thead>
        <tr>
          <th scope="col">{chartTexts.time}</th>
          {lines.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: steps.count }, (_, back) => steps.count - 1 - back).map((index) => (
          <tr key={index}>
            <th scope="row">{stepText(steps, index)}</th>
            {lines.map(({ label, values }) => (
              <td key={label}>{textOf(values[index], unit)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
