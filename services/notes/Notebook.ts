import { Schema } from "effect"
import { id, time } from "../Fields.ts"
import * as Text from "../Text.ts"

/** The built-in set of icon names. */
export const icons = [
  "archive",
  "bell",
  "book",
  "bookmark",
  "box",
  "briefcase",
  "bug",
  "calendar",
  "camera",
  "cart",
  "chart",
  "chat",
  "check",
  "clock",
  "cloud",
  "code",
  "coffee",
  "compass",
  "cup",
  "database",
  "document",
  "earth",
  "film",
  "flag",
  "flask",
  "folder",
  "game",
  "gear",
  "gift",
  "graduation",
  "heart",
  "home",
  "inbox",
  "key",
  "lamp",
  "leaf",
  "lightbulb",
  "link",
  "list",
  "lock",
  "mail",
  "map",
  "megaphone",
  "moon",
  "music",
  "notebook",
  "paint",
  "paperclip",
  "pen",
  "people",
  "phone",
  "photo",
  "pin",
  "plane",
  "puzzle",
  "rocket",
  "shield",
  "star",
  "sun",
  "tag",
  "target",
  "tools",
  "tree",
  "trophy",
  "umbrella",
  "user",
  "wallet",
  "wrench"
] as const

const Icon = Text.oneOf(icons, "unknown_icon").annotate({ identifier: "Icon" })

export const Notebook = Schema.Struct({
  id: id("nb", "The notebook's id."),
  name: Schema.String,
  color: Schema.NullOr(Schema.String),
  icon: Schema.NullOr(Icon),
  parent_id: Schema.NullOr(id("nb", "The notebook that this one lies in; null at the top.")),
  note_count: Schema.Int,
  created_at: time("When it was made."),
  updated_at: time("When it was last changed.")
}).annotate({ identifier: "Notebook" })
export type Notebook = typeof Notebook.Type

const writable = {
  name: Schema.optionalKey(Text.line(100)),
  color: Schema.optionalKey(Schema.NullOr(Text.Color)),
  icon: Schema.optionalKey(Schema.NullOr(Icon)),
  parent_id: Schema.optionalKey(Schema.NullOr(Text.line(100)))
}

export const NotebookCreate = Schema.Struct({ ...writable, name: Text.line(100) }).annotate({
  identifier: "NotebookCreate"
})
export type NotebookCreate = typeof NotebookCreate.Type

export const NotebookUpdate = Schema.Struct(writable).annotate({ identifier: "NotebookUpdate" })
export type NotebookUpdate = typeof NotebookUpdate.Type

/** A move names the new parent: null is the top level. */
export const NotebookMove = Schema.Struct({ ...writable, parent_id: Schema.NullOr(Text.line(100)) }).annotate({
  identifier: "NotebookMove"
})
export type NotebookMove = typeof NotebookMove.Type
