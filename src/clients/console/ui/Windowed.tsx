import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

/** Rows above and below the visible ones that are in the page, so that scrolling shows no gaps. */
const margin = 8

interface WindowedProps<Row> {
  readonly label: string
  readonly rows: ReadonlyArray<Row>
  /** The height of each row in pixels. */
  readonly rowHeight: number
  readonly keyOf: (row: Row) => string
  readonly render: (row: Row) => ComponentChildren
  /** The row that stays in the page wherever the list is scrolled, because it has the focus. */
  readonly selected?: string | undefined
  readonly onEnd: () => void
  readonly isComplete: boolean
}

/** A list with rows of one height, of which only the visible ones are in the page. */
export const Windowed = <Row,>({
  isComplete,
  keyOf,
  label,
  onEnd,
  render,
  rowHeight,
  rows,
  selected
}: WindowedProps<Row>) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const element = scroller.current!
    const update = () => setView({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener("scroll", update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", update)
    }
  }, [])
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin)
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + margin)
  const isNearEnd = !isComplete && end >= rows.length - margin
  useEffect(() => {
    if (isNearEnd) onEnd()
  }, [isNearEnd, rows.length])
  const shown = rows.slice(first, end).map((row, index) => ({ row, place: first + index }))
  const selectedPlace = selected === undefined ? -1 : rows.findIndex((row) => keyOf(row) === selected)
  if (selectedPlace >= 0 && (selectedPlace < first || selectedPlace >= end)) {
    shown.push({ row: rows[selectedPlace]!, place: selectedPlace })
  }
  return (
    <div ref={scroller} class="windowed">
      <ul aria-label={label} style={{ height: `${rows.length * rowHeight}px` }}>
        {shown.map(({ place, row }) => (
          <li
            key={keyOf(row)}
            aria-setsize={isComplete ? rows.length : -1}
            aria-posinset={place + 1}
            style={{ transform: `translateY(${place * rowHeight}px)`, height: `${rowHeight}px` }}
          >
            {render(row)}
          </li>
        ))}
      </ul>
    </div>
  )
}
