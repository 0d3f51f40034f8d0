/** The fields by which a list is sorted. Pinned notes come first in each order. */
export const orderFields = ["updated_at", "created_at", "title"] as const
type OrderField = (typeof orderFields)[number]
export type Order = OrderField | `-${OrderField}`

/** The members of a note by which lists are sorted. */
interface Sorted {
  readonly id: string
  readonly pinned: boolean
  readonly title: string
  readonly created_at: string
  readonly updated_at: string
}

/**
 * The order of the server, which is that of Unicode in every language, as in English: by letters, then accents, then case, and
 * numbers by their value. Another order would place a row elsewhere than the server.
 */
const { compare } = new Intl.Collator("en", { numeric: true })

const fieldOf = (order: Order) => order.replace("-", "") as OrderField

/** Whether a row comes before another one. */
export const isBefore = (one: Sorted, other: Sorted, order: Order): boolean => {
  if (one.pinned !== other.pinned) return one.pinned
  const field = fieldOf(order)
  const by = field === "title" ? compare(one.title, other.title) : one[field] < other[field] ? -1 : 1
  return order.startsWith("-") ? by > 0 : by < 0
}

/**
 * The rows of a sorted list after notes have changed. `fresh` has those of the changed notes that are in the list now. In a
 * list that is not read to its end, a note that belongs behind the last row is left out: it is read with the rows there.
 */
export const placed = <Row extends Sorted>(
  rows: ReadonlyArray<Row>,
  changed: ReadonlySet<string>,
  fresh: ReadonlyArray<Row>,
  order: Order,
  isComplete: boolean
): ReadonlyArray<Row> => {
  const field = fieldOf(order)
  const byId = new Map(fresh.map((row) => [row.id, row]))
  const result = rows.flatMap((row) => {
    if (!changed.has(row.id)) return [row]
    const now = byId.get(row.id)
    // Where its place has not changed it stays, whatever the server thinks of its letters.
    if (now === undefined || now.pinned !== row.pinned || now[field] !== row[field]) return []
    byId.delete(row.id)
    return [now]
  })
  for (const row of byId.values()) {
    const at = result.findIndex((each) => isBefore(row, each, order))
    if (at >= 0) result.splice(at, 0, row)
    else if (isComplete) result.push(row)
  }
  return result
}
