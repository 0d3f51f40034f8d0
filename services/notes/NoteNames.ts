import { aliasesOf } from "../markdown/Aliases.ts"
import { folded } from "../markdown/LinkText.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import type { Draft } from "../writer/Draft.ts"

/** The further names of notes, by which links find them. Notes in the trash keep theirs. */
const noteAliases = Table.make(
  "note_aliases",
  { name_key: Column.text(), note_id: Column.text() },
  { key: ["name_key", "note_id"] }
)

const keysOf = (body: string): ReadonlyArray<string> => [...new Set(aliasesOf(body).map(folded))]

/** Updates the names of a note whose body changes. A note that does not exist has an empty body. */
export const rename = (draft: Draft, note_id: string, before: string, after: string): void => {
  const [old, next] = [keysOf(before), keysOf(after)]
  for (const key of old) if (!next.includes(key)) draft.remove(noteAliases, key, note_id)
  for (const name_key of next) if (!old.includes(name_key)) draft.put(noteAliases, { name_key, note_id }, 100)
}
