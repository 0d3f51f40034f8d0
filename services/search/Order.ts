import type { Entry } from "./Entries.ts"

export const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

/** English has the root's order, as the collation that lists sort text by. */
const collator = new Intl.Collator("en", { numeric: true })

/** Text as people read it, as lists sort it (contract 3). */
export const asRead = (a: string, b: string): number => collator.compare(a, b) || byText(a, b)

/** What was changed last comes first; of the same time the lower id. */
export const newestFirst = (a: Entry, b: Entry): number =>
  a.updated_at === b.updated_at ? byText(a.id, b.id) : b.updated_at - a.updated_at
