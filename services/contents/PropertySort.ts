import { asRead } from "../database/TextOrder.ts"
import { anyProperty, propertyPrefix } from "../lists/Filter.ts"
import type { ListSpec, PageQuery } from "../lists/Page.ts"
import { folded } from "../markdown/LinkText.ts"

/** How notes are sorted by a property in their front matter (contract 3): those with a value, then the others. */

/** Whether a filter or a sort may name a property. */
export const isOnProperties = (text: string | undefined): boolean => text?.includes(propertyPrefix) === true

/** The property by which a sort begins. */
export interface PropertySort {
  /** The name of the property, folded. */
  readonly name: string
  readonly descending: boolean
  /** The terms after it, with the comma before them. */
  readonly others: string
}

/** Quotes around the name are optional. A name with a comma cannot be sorted by. */
const written = new RegExp(`^(-?)${propertyPrefix.replace(".", "\\.")}(?:"([^",]+)"|([^,]+))(,.*)?$`, "s")

export const propertySortOf = (sort: string | undefined): PropertySort | undefined => {
  const [, sign, quoted, bare, others = ""] = written.exec(sort ?? "") ?? []
  return sign === undefined ? undefined : { name: folded(quoted ?? bare!), descending: sign === "-", others }
}

/** The condition that a row is the first value of the property $2. */
export const isFirstValue = "p.workspace_id = $1 AND p.name_key = $2 AND p.ordinal = 0 AND p.value > ''"

/** Maximum number of characters of titles that are compared after the property: a cursor has a maximum length. */
const maxTitle = 100

const sortedBy = (spec: ListSpec, sql: string): ListSpec => ({
  ...spec,
  // Pinned notes have no place of their own.
  first: {},
  sorts: {
    ...spec.sorts,
    title: { sql: asRead(`left(title, ${maxTitle})`), type: "text" },
    [anyProperty]: { sql, type: "text" }
  },
  // An index has the order, but archived notes are skipped one by one.
  unindexedSorts: [...(spec.unindexedSorts ?? []), anyProperty]
})

/** The two parts of a list: the name is their parameter, so that few texts of SQL are enough for all names. */
export const partsOf = (spec: ListSpec, query: PageQuery, { descending, name, others }: PropertySort) => {
  const sort = `${descending ? "-" : ""}${anyProperty}${others}`
  const list = { params: [name], query: { ...query, sort } }
  const valued: ListSpec = {
    ...sortedBy(spec, "property"),
    from: `(SELECT n.*, p.name_key, p.ordinal, p.value AS property
      FROM note_properties p JOIN notes n ON n.workspace_id = p.workspace_id AND n.id = p.note_id) notes`,
    // The last page has a cursor too: the other part follows.
    polled: sort
  }
  return [
    { ...list, spec: valued, within: `${name} with`, where: "name_key = $2 AND ordinal = 0 AND property > ''" },
    {
      ...list,
      // They are equal, and an index has them by their ids.
      spec: sortedBy(spec, others === "" ? "id" : "''::text"),
      within: `${name} without`,
      where: `NOT EXISTS (SELECT FROM note_properties p WHERE ${isFirstValue} AND p.note_id = id)`
    }
  ] as const
}
