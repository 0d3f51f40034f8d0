import { chartTexts } from "./ChartMessages.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import { linePath, nearestStep, stepText, timeTicks, valueText, valueTicks } from "./ChartScale.ts"
import { type Charted, ChartTable, textOf } from "./ChartTable.tsx"

const height = 160
/** The space for the texts of the axes, in pixels. */
const gutter = { left: 58, bottom: 20, top: 8, right: 10 }
const bottom = height - gutter.bottom

/** Lines over time, with a read-out that the pointer and the arrow keys move, and with the same values as a table. */
export const Chart = (charted: Charted) => {
  const { lines, steps, title, unit } = charted
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(600)
  const [chosen, setChosen] = useState<number>()
  const [isTable, setTable] = useState(false)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry!.contentRect.width)))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  const last = steps.count - 1
  // The last steps may not be measured yet.
  const newest = Math.max(...lines.map(({ values }) => values.findLastIndex((value) => value !== null)))
  const shown = Math.min(chosen ?? (newest < 0 ? last : newest), last)
  const maximum = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const marks = valueTicks(maximum, 4, unit === "requests" || unit === "rows")
  const inner = width - gutter.left - gutter.right
  const x = (index: number) => gutter.left + (last === 0 ? 0 : (index / last) * inner)
  const y = (value: number) => bottom - (value / marks.at(-1)!) * (bottom - gutter.top)
  const readOut = [
    stepText(steps, shown),
    ...lines.map(({ label, values }) => `${label}: ${textOf(values[shown], unit)}`)
  ]

  const follow = ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }) =>
    setChosen(nearestStep((clientX - currentTarget.getBoundingClientRect().left - gutter.left) / inner, steps.count))
  const move = (event: KeyboardEvent) => {
    const moves: Partial<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 }
    const by = event.key === "Home" ? -last : event.key === "End" ? last : moves[event.key]
    if (by === undefined) return
    event.preventDefault()
    setChosen(Math.max(0, Math.min(last, shown + by)))
  }

  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="hint">{readOut[0]}</span>
      </figcaption>
      <ul class="chart-lines">
        {lines.map(({ label, values }, index) => (
          <li key={label}>
            <svg class={`chart-key chart-line-${index + 1}`} viewBox="0 0 24 8" aria-hidden="true">
              <path d="M1 4h22" />
            </svg>
            {label} <strong>{textOf(values[shown], unit)}</strong>
          </li>
        ))}
      </ul>
      <div
        ref={box}
        class="chart-plot"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={readOut.join(", ")}
        onKeyDown={move}
        onPointerDown={follow}
        onPointerMove={follow}
        onPointerLeave={() => setChosen(undefined)}
      >
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
          {marks.map((mark) => (
            <g key={mark} class="chart-mark">
              <path d={`M${gutter.left} ${y(mark)}H${width - gutter.right}`} />
              <text x={gutter.left - 6} y={y(mark) + 4} text-anchor="end">
                {valueText(mark, unit)}
              </text>
            </g>
          ))}
          {timeTicks(steps, Math.floor(inner / 70)).map(({ index, text }) => (
            <text key={index} class="chart-time" x={x(index)} y={height - 4} text-anchor="middle">
              {text}
            </text>
          ))}
          {chosen !== undefined && <path class="chart-cursor" d={`M${x(shown)} ${gutter.top}V${bottom}`} />}
          {lines.map(({ label, values }, index) => (
            <path key={label} class={`chart-line-${index + 1}`} d={linePath(values, x, y)} />
          ))}
        </svg>
      </div>
      <details open={isTable} onToggle={({ currentTarget }) => setTable(currentTarget.open)}>
        <summary>{chartTexts.table}</summary>
        {isTable && <ChartTable {...charted} />}
      </details>
    </figure>
  )
}
