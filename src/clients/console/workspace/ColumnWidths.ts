import { choose, chosen } from "../DeviceSettings.ts"

/** The columns whose width can be changed: the navigation and the list. */
export type Column = "side" | "list"

/** Pixels of the columns that the user has made wider or narrower on this device. */
const widths: Partial<Record<Column, number>> = {}

/** Changes a width until the page is closed, or without one takes the width of the style. */
export const showWidth = (column: Column, width?: unknown): void => {
  if (typeof width === "number") widths[column] = width
  else delete widths[column]
  // The style has a width for others, and the limits.
  document.documentElement.style.setProperty(`--${column}-width`, column in widths ? `${widths[column]}px` : null)
}

const kept = chosen("columns") as typeof widths | undefined
showWidth("side", kept?.side)
showWidth("list", kept?.list)

/** Stores the widths as they are now. */
export const storeWidths = (): void => choose("columns", widths)
