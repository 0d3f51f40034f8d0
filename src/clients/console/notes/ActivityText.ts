import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { activityTexts as activity } from "./ActivityMessages.ts"

/** Names of fields, and sentences of actions. Others come from a later version of the server. */
const fieldNames: Partial<Record<string, string>> = activity.fields
const actions: Partial<Record<string, string>> = activity.actions

type Activity = Schemas["NoteActivity"]
type NameOf = (user_id: string | null) => string | undefined

/** A line of what happened: one item, or several in a row that read the same. */
export interface ActivityLine {
  readonly id: string
  readonly occurred_at: string
  readonly text: string
  /** The version that the item made, or the newest and the oldest of several; null if it made none. */
  readonly versions: readonly [newest: number, oldest: number] | null
  /** The other note of a conflict: its copy, or the original of a copy. */
  readonly other: { readonly id: string; readonly isCopy: boolean } | null
  /** The change set that the item belongs to. */
  readonly set: string | null
  /** The words of the undo of the set, on the first line that has it. */
  readonly undo: string | null
}

const membersOf = (fields: ReadonlyArray<string>): string => {
  const names = [...new Set(fields.map((field) => fieldNames[field] ?? activity.otherField))]
  return names.length === 0 ? activity.otherField : activity.list(names)
}

const updated = ({ fields, restored_from, via, version }: Activity): string => {
  if (restored_from !== null) return activity.restoredVersion(restored_from)
  if (via?.conflict_of != null && version !== null) return activity.merged(version - 1)
  if (fields?.length === 1 && fields[0] === "notebook_id") return activity.moved
  return activity.changed(membersOf(fields ?? []))
}

/** The action, as the rest of a sentence that begins with them. */
const actionOf = (item: Activity, note_id: string): string => {
  const { conflict, deleted_version, fields, type, via } = item
  if (type === "note.updated") return updated(item)
  if (type === "note.created") {
    if (item.resource_id !== note_id) return activity.copied
    if (via?.conflict_of != null) return activity.isCopy
    return via?.by === "import" ? activity.imported : activity.created
  }
  if (type === "note.restored") return fields === null ? activity.restored : activity.unarchived
  if (type === "note.version_deleted" && deleted_version !== null) return activity.deletedVersion(deleted_version)
  if (type === "sync.conflict" && conflict !== null) return activity.conflict(conflict.client_version, conflict.version)
  return actions[type] ?? type
}

const actorOf = ({ actor }: Activity, nameOf: NameOf): string => {
  if (actor.kind === "server") return texts.name
  const name = nameOf(actor.user_id) ?? activity.formerMember
  return actor.kind === "user" ? name : activity.withKey(name, actor.api_key?.name)
}

const meansOf = ({ type, via }: Activity): string | undefined => {
  if (via?.app != null) return activity.byApp(via.app)
  if (via?.tool != null) return activity.byTool(via.tool)
  if (via?.by === "revert") return activity.byUndo
  return via?.by === "import" && type !== "note.created" ? activity.byImport : undefined
}

const sentenceOf = (item: Activity, note_id: string, nameOf: NameOf): string =>
  activity.sentence(actorOf(item, nameOf), actionOf(item, note_id), item.device?.name ?? undefined, meansOf(item))

const otherOf = ({ resource_id, resource_type, via }: Activity, note_id: string): ActivityLine["other"] => {
  if (resource_type !== "note") return null
  if (resource_id !== note_id) return { id: resource_id, isCopy: true }
  return via?.conflict_of == null || via.conflict_of === note_id ? null : { id: via.conflict_of, isCopy: false }
}

/** The words of the undo of an item: what did it, such as an app or an API key. */
const undoOf = (item: Activity, nameOf: NameOf): string => {
  const { actor, via } = item
  if (via?.by === "revert") return activity.undoAgain
  if (via?.by === "import") return activity.undo(activity.theImport)
  return activity.undo(via?.app ?? actor.api_key?.name ?? nameOf(actor.user_id) ?? activity.formerMember)
}

/** The items as lines, newest first. Versions in a row that differ in nothing but their number and time are one line. */
export const linesOf = (
  items: ReadonlyArray<Activity>,
  note_id: string,
  nameOf: NameOf
): ReadonlyArray<ActivityLine> => {
  const lines: Array<ActivityLine> = []
  const sets = new Set<string>()
  for (const item of items) {
    const text = sentenceOf(item, note_id, nameOf)
    const { id, occurred_at, version, via } = item
    const set = via?.change_set_id ?? null
    const last = lines.at(-1)
    const isSame = last?.text === text && last.set === set && dayOf(last.occurred_at) === dayOf(occurred_at)
    if (isSame && last?.versions != null && version !== null) {
      lines[lines.length - 1] = { ...last, versions: [last.versions[0], version] }
      continue
    }
    const versions = version === null ? null : ([version, version] as const)
    const undo = set === null || sets.has(set) ? null : undoOf(item, nameOf)
    if (set !== null) sets.add(set)
    lines.push({ id, occurred_at, text, versions, other: otherOf(item, note_id), set, undo })
  }
  return lines
}

/** The local day of a time. */
export const dayOf = (timestamp: string): string => new Date(timestamp).toDateString()
