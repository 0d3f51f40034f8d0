import { isWithControl } from "../Keys.ts"
import type { Selection } from "./Selection.ts"

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, J: 1, ArrowUp: -1, k: -1, K: -1 }

/** Keys of a list while one of its rows has the focus: they move in it, and select rows if there is a selection. */
export const onListKey = (
  event: KeyboardEvent,
  rows: ReadonlyArray<{ readonly id: string }>,
  selection: Selection | undefined
): void => {
  const focused = event.target instanceof Element ? event.target.closest("a.row")?.id : undefined
  if (focused === undefined) return
  const { altKey, ctrlKey, key, metaKey, shiftKey } = event
  const isPlain = !altKey && !ctrlKey && !metaKey
  const step = isPlain ? steps[key] : undefined
  if (step !== undefined) {
    const next = rows[rows.findIndex(({ id }) => id === focused) + step]
    if (next === undefined) return event.preventDefault()
    document.getElementById(next.id)?.focus()
    if (shiftKey) selection?.extend(rows, focused, next.id)
  } else if (selection === undefined) return
  else if (isWithControl(event, "a")) selection.selectAll(rows)
  else if (isPlain && key === " ") selection.toggle(focused)
  else if (isPlain && key === "Escape" && selection.ids.value.size > 0) selection.clear()
  else return
  event.preventDefault()
}
