import { signal } from "@preact/signals"
import { choose, chosen } from "../DeviceSettings.ts"
import { type NoteFilter, pathOf } from "../notes/NoteFilter.ts"
import { type Order, orderFields } from "./RowOrder.ts"

/** How the lists of this device look. */
interface ListView {
  readonly isCompact: boolean
  /** The orders that were chosen, by the paths of their lists, the last one last. */
  readonly orders: ReadonlyArray<readonly [list: string, order: Order]>
}

/** Maximum number of lists whose order is remembered. */
const mostLists = 200

const isOrder = (value: unknown): value is Order =>
  orderFields.some((field) => value === field || value === `-${field}`)

/** What an earlier visit, or another program, has stored. */
const read = (): ListView => {
  const stored = chosen("lists") as Partial<ListView> | undefined
  const orders = Array.isArray(stored?.orders) ? stored.orders : []
  return { isCompact: stored?.isCompact === true, orders: orders.filter((each) => isOrder(each?.[1])) }
}

export const listView = signal(read())

const change = (view: Partial<ListView>): void => {
  listView.value = { ...listView.value, ...view }
  choose("lists", listView.value)
}

/** All searches have one order, and all tags: their words stay out of what is left on a device after signing out. */
const keyOf = (filter: NoteFilter): string =>
  filter.kind === "search" || filter.kind === "tag" ? `/${filter.kind}` : pathOf(filter)

export const chooseCompact = (isCompact: boolean): void => change({ isCompact })

/** The order that was chosen for a list; undefined if it has that of the server. */
export const orderOf = (filter: NoteFilter): Order | undefined =>
  filter.kind === "trash" ? undefined : listView.value.orders.find(([list]) => list === keyOf(filter))?.[1]

export const chooseOrder = (filter: NoteFilter, order: Order | undefined): void => {
  const list = keyOf(filter)
  const others = listView.value.orders.filter(([each]) => each !== list)
  change({ orders: order === undefined ? others : [...others, [list, order] as const].slice(-mostLists) })
}
