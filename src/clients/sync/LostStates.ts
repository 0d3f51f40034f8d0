import type { Restored } from "../client/ClientProblem.ts"
import { changedMembers, type Data } from "../../../services/records/Merge.ts"
import { type Edit, editsOf, type Known, newId, type View, withLater } from "./Edit.ts"
import { afterConflict } from "./Rules.ts"

/**
 * A restore of the server from a backup takes away what was written after the backup. Clients that have it bring it back:
 * after a pull of everything, they push it as edits of the states that were restored.
 */

/** Milliseconds before a backup in which a change may have been made that the backup does not have. */
const margin = 60_000

/** Members that the server sets: a state that differs in them alone is the same. */
const ofServer = ["version", "word_count", "created_at", "updated_at", "status", "author_id", "user_id", "deleted"]

/** Types whose records others refer to, by id or by name. */
const firstTypes = ["notebook", "tag", "note"]

/** A record in a state that the server has lost, and its state there; undefined if the server does not have it. */
export interface Lost {
  readonly known: Known
  readonly now: Known | undefined
}

/** Whether the server has lost the state that a client has of a record. A deletion is not repeated: the record is back. */
export const isLost = ({ known, now }: Lost, { backup_at, least_revision }: Restored): boolean => {
  if (known.op === "delete") return false
  if (now?.revision === known.revision) return false
  // Else it is not known which changes the backup has of those that the client has.
  if (backup_at === null || known.changed_at === undefined) return true
  // A state from before the restore is that of the backup.
  if (now !== undefined && now.revision < least_revision) return now.revision < known.revision
  // A record that was changed or deleted since the restore may have been in the backup as the client has it.
  return Date.parse(known.changed_at) >= Date.parse(backup_at) - margin
}

/** Edits that bring a lost state back. */
const bringing = ({ known, now }: Lost, { least_revision }: Restored): ReadonlyArray<Edit> => {
  const { id, type } = known
  const data = known.data ?? {}
  const edit = (revision: number, data: Data, seen: Data): Edit => ({
    mutation_id: newId(),
    type,
    id,
    op: "upsert",
    revision,
    data,
    seen,
    isRecovered: true
  })
  if (now === undefined) return [edit(0, data, {})]
  if (now.op === "delete") {
    const view = { known: () => now, shown: () => ({ op: "delete", data }) as const }
    return editsOf({ type, id, op: "upsert", data }, view).map((each) => ({
      ...each,
      seen: Object.keys(each.data).length === 0 ? each.seen : {},
      isRecovered: true
    }))
  }
  const changed = Object.fromEntries(
    Object.entries(changedMembers(data, now.data ?? {})).filter(([member]) => !ofServer.includes(member))
  )
  if (Object.keys(changed).length === 0) return []
  // The conflict with a later state has the one in which the lost part began.
  return now.revision < Math.min(least_revision, known.revision)
    ? [edit(now.revision, changed, now.data ?? {})]
    : [edit(known.revision, changed, {})]
}

/** The edits of a lost record that are to be pushed: those that bring it back, and on top the own ones that wait. */
export const recovering = (
  lost: Lost,
  restored: Restored,
  waiting: ReadonlyArray<Edit>,
  view: View
): { readonly isRecovered: boolean; readonly edits: ReadonlyArray<Edit> } => {
  const { known, now } = lost
  const back = bringing(lost, restored)
  const revision = back.at(-1)?.revision ?? now?.revision ?? 0
  const [first, ...later] = waiting
  const isOnTop = first === undefined || first.revision === known.revision
  // Edits of an earlier state are merged with the lost one.
  const conflict = { mutation_id: null, revision: known.revision, server: known, base: null }
  const own = isOnTop ? waiting : afterConflict(conflict, withLater(first, later), view)
  const based = own.map((each) => (each.id === known.id ? { ...each, revision } : each))
  return { isRecovered: back.length > 0, edits: [...back, ...based] }
}

/** Lost records, those that others refer to first. */
export const inOrder = (all: ReadonlyArray<Lost>): ReadonlyArray<Lost> => {
  const placeOf = ({ known: { data, type } }: Lost) => {
    const place = firstTypes.indexOf(type)
    return `${place < 0 ? firstTypes.length : place} ${String(data?.["created_at"] ?? "")}`
  }
  const places = new Map(all.map((lost) => [lost, placeOf(lost)]))
  return all.toSorted((one, other) => (places.get(one)! < places.get(other)! ? -1 : 1))
}
