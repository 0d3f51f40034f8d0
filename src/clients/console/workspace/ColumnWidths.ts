import { choose, chosen } from "../DeviceSettings.ts"

/** The columns whose width can be changed: the navigation and the list. */
export type Column = "side" | "list"

/** Pixels of the columns that the user has made wider or narrower on this device. */
const widths: Partial<Record<Column, number>> = {}

const show = (column: Column, width: unknown): void => {
  if (typeof width === "number") widths[column] = width
  else delete widths[column]
  // The style has a width for others, and the limits.
  document.documentElement.style.setProperty(`--${column}-width`, column in widths ? `${widths[column]}px` : null)
}

const kept = chosen("columns") as typeof widths | undefined
show("side", kept?.side)
show("list", kept?.list)

/** Changes a width, or without one takes the width of the style. */
export const chooseWidth = (column: Column, width?: number): void => {
  show(column, width)
  choose("columns", widths)
}
