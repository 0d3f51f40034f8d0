import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import { aliasesOf } from "../markdown/Aliases.ts"
import { folded } from "../markdown/LinkText.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"
import type { Draft } from "../writer/Draft.ts"
import type { NoteRow } from "./NoteTable.ts"

/** The further names of notes, by which links find them. Notes in the trash keep theirs. */
const noteAliases = Table.make(
  "note_aliases",
  { name_key: Column.text(), note_id: Column.text() },
  { key: ["name_key", "note_id"] }
)

/** Milliseconds for which links find a note by a former title (contract 5, Links in a body). */
export const formerNameLife = 90 * 24 * 3600_000

/** Titles that notes had, each with the notebook of that time. */
const formerNames = Table.make(
  "former_names",
  { name_key: Column.text(), note_id: Column.text(), notebook_id: Column.text(), until: Column.text() },
  { key: ["name_key", "note_id", "notebook_id"] }
)

const keysOf = (body: string): ReadonlyArray<string> => [...new Set(aliasesOf(body).map(folded))]

/** Updates the aliases of a note whose body changes. A note that does not exist has an empty body. */
export const renameAliases = (draft: Draft, note_id: string, before: string, after: string): void => {
  const [old, next] = [keysOf(before), keysOf(after)]
  for (const key of old) if (!next.includes(key)) draft.remove(noteAliases, key, note_id)
  for (const name_key of next) if (!old.includes(name_key)) draft.put(noteAliases, { name_key, note_id }, 100)
}

/** Updates the names of a note that changes. */
export const rename = (draft: Draft, before: NoteRow | undefined, after: NoteRow): void => {
  const { body, id: note_id, notebook_id, title } = after
  if (before?.body !== body) renameAliases(draft, note_id, before?.body ?? "", body)
  if (before === undefined) return
  const name_key = folded(before.title)
  if (before.notebook_id === notebook_id && name_key === folded(title)) return
  const until = new Date(draft.millis + formerNameLife).toISOString()
  draft.put(formerNames, { name_key, note_id, notebook_id: before.notebook_id, until }, 200)
}

/** Deletes the former titles by which links find their notes no longer. */
export const endFormerNames = Effect.gen(function* () {
  const { write } = yield* Database
  yield* deleteInBatches(write, formerNames.name, "until <= $1", yield* ago(0))
})
