import { useEffect, useState } from "preact/hooks"
import { texts } from "../finding/FindingMessages.ts"
import { type Column, showWidth, storeWidths } from "./ColumnWidths.ts"

/** Pixels of one press of a key. */
const step = 16

const panes = { side: ".sidebar", list: ".pane.list" } as const
const widthOf = (column: Column): number => document.querySelector<HTMLElement>(panes[column])?.offsetWidth ?? 0

/** The edge of a column, which is dragged or moved by keys (WAI-ARIA, window splitter). */
const ColumnEdge = ({ column }: { readonly column: Column }) => {
  const [width, setWidth] = useState(() => widthOf(column))
  useEffect(() => {
    const read = () => setWidth(widthOf(column))
    addEventListener("resize", read)
    return () => removeEventListener("resize", read)
  }, [column])
  const move = (wanted?: number) => {
    showWidth(column, wanted)
    // The style keeps it within its limits: what is beyond them would have to be taken back first.
    const shown = widthOf(column)
    if (wanted !== undefined && shown !== wanted) showWidth(column, shown)
    setWidth(shown)
  }
  const change = (wanted?: number) => {
    move(wanted)
    storeWidths()
  }
  return (
    <div
      class={`edge ${column}-edge`}
      role="separator"
      aria-orientation="vertical"
      aria-label={texts.columns[column]}
      aria-valuenow={width}
      tabIndex={0}
      onDblClick={() => change()}
      onKeyDown={(event) => {
        const { key } = event
        if (key === "Enter") change()
        else if (key === "ArrowLeft") change(width - step)
        else if (key === "ArrowRight") change(width + step)
        else return
        event.preventDefault()
      }}
      onPointerDown={({ button, currentTarget, pointerId }) =>
        button === 0 && currentTarget.setPointerCapture(pointerId)
      }
      onPointerMove={({ clientX, currentTarget, pointerId }) => {
        if (!currentTarget.hasPointerCapture(pointerId)) return
        move(Math.round(clientX - document.querySelector(panes[column])!.getBoundingClientRect().left))
      }}
      onLostPointerCapture={storeWidths}
    />
  )
}

/** The edges of the navigation and of the list. */
export const ColumnEdges = () => (
  <section class="edges" aria-label={texts.columns.name}>
    <ColumnEdge column="side" />
    <ColumnEdge column="list" />
  </section>
)
