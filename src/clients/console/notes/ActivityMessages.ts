import { translated } from "../ChosenLanguage.ts"
import type { Schemas } from "../../client/SheafClient.ts"

/** Types of activity whose text depends on more than the type, or that end the list of the note. */
type Composed =
  | "note.created"
  | "note.updated"
  | "note.restored"
  | "note.purged"
  | "note.version_deleted"
  | "sync.conflict"
type PlainAction = Exclude<Schemas["NoteActivity"]["type"], Composed>

/** All texts of "What happened". They are loaded with its dialog. */
export const activityTexts = translated("activity", {
  sentence: (who: string, what: string, device: string | undefined, means: string | undefined) =>
    [who, what, ...(device === undefined ? [] : ["on", device]), ...(means === undefined ? [] : [means])].join(" "),
  byApp: (app: string) => `by ${app}`,
  byTool: (tool: string) => `by an assistant (${tool})`,
  byImport: "by an import",
  byUndo: "by an undo",
  withKey: (name: string, key: string | undefined) => `${name}, with the API key${key === undefined ? "" : ` ${key}`},`,
  formerMember: "A former member",
  fields: {
    body: "the text",
    title: "the title",
    tags: "the tags",
    pinned: "the pin",
    notebook_id: "the notebook"
  },
  otherField: "the note",
  list: (names: ReadonlyArray<string>) => new Intl.ListFormat("en").format(names),
  changed: (what: string) => `changed ${what}`,
  moved: "moved the note to another notebook",
  merged: (version: number) => `merged a change with version ${version}`,
  restoredVersion: (version: number) => `restored version ${version}`,
  deletedVersion: (version: number) => `deleted version ${version} from the history`,
  created: "created the note",
  imported: "imported the note",
  copied: "created a conflict copy",
  isCopy: "created this note as a conflict copy",
  restored: "restored the note from the trash",
  unarchived: "moved the note out of the archive",
  conflict: (edited: number, present: number | null) =>
    `sent a conflicting change (of version ${edited}, while ${present === null ? "the note was gone" : `version ${present} was newer`})`,
  actions: {
    "note.archived": "moved the note to the archive",
    "note.deleted": "moved the note to the trash",
    "attachment.created": "added a file",
    "attachment.ready": "uploaded a file",
    "attachment.updated": "changed a file",
    "attachment.deleted": "removed a file",
    "comment.created": "wrote a comment",
    "comment.updated": "changed a comment",
    "comment.resolved": "resolved a comment",
    "comment.deleted": "deleted a comment",
    "reminder.created": "set a reminder",
    "reminder.updated": "changed a reminder",
    "reminder.fired": "sent a reminder",
    "reminder.deleted": "removed a reminder",
    "share.created": "shared the note by a link",
    "share.updated": "changed a link",
    "share.deleted": "ended a link"
  } satisfies Record<PlainAction, string>,
  versions: (newest: number, oldest: number) =>
    newest === oldest ? `Version ${newest}` : `Versions ${oldest} to ${newest}`,
  openCopy: "Open the copy",
  openOriginal: "Open the original",
  undo: (who: string) => `Undo what ${who} did`,
  undoAgain: "Undo the undo",
  theImport: "the import",
  more: "Load more",
  none: "Nothing happened in the last 90 days."
})
