import { Schema } from "effect"
import * as Fields from "../../Fields.ts"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import * as Text from "../../Text.ts"
import { ends_with } from "../../workspaces/WorkspaceTables.ts"
import { inNote } from "../NoteTable.ts"

const about = {
  note_id: "The note that it shows.",
  password: {
    description: "The password that readers must enter, 8 to 128 characters. It is never shown. Null: none.",
    examples: ["correct horse battery"]
  },
  password_protected: {
    description: "Whether readers need a password. `false` removes the password.",
    examples: [true]
  },
  breaks: {
    description: "Whether the share shows a single line break of the text as a line break, as note apps do.",
    examples: [true]
  },
  expires_at: "Until when the link is valid; null if it does not expire.",
  created_by: "The user who made it, or the admin who kept it after that user left."
}

/** The stored members of a share that clients may see. */
export const StoredShare = Schema.Struct({
  id: Fields.ownId("sh"),
  note_id: Fields.id("nt", about.note_id),
  password_protected: Schema.Boolean.annotate(about.password_protected),
  breaks: Schema.Boolean.annotate(about.breaks),
  expires_at: Schema.NullOr(Fields.time(about.expires_at)),
  created_by: Schema.NullOr(Fields.id("us", about.created_by)),
  created_at: Fields.createdAt
}).annotate({ identifier: "StoredShare" })

/** A share (contract 5). */
export const Share = Schema.Struct({
  ...StoredShare.fields,
  url: Schema.NullOr(Schema.String).annotate({
    description:
      "The public link. Anyone who has it can read the note, with the password if there is one. Null after the server's " +
      "secret key was lost: the link is still valid, but the server can no longer show it.",
    examples: [`${Fields.exampleOrigin}/s/q3Zt8Jx0Kd2mQx9vT4sWx7`]
  }),
  view_count: Schema.Int.annotate({
    description:
      "How often the note was read through the link. It may be a few seconds behind; a view does not change the share.",
    minimum: 0,
    examples: [12],
    isBig: true
  })
}).annotate({ identifier: "Share" })
export type Share = typeof Share.Type

const password = Text.short(128)
  .check(
    Text.checked("too_short", "must be at least 8 characters", (text) => Text.codePoints(text) >= 8, { minLength: 8 })
  )
  .annotate(about.password)

/** Whether a text can be the password of a share at all. */
export const isPassword = Schema.is(password)

const writable = {
  password: Schema.optionalKey(Schema.NullOr(password)),
  password_protected: Schema.optionalKey(Schema.Boolean.annotate({ ...about.password_protected, examples: [true] })),
  breaks: Schema.optionalKey(Schema.Boolean.annotate(about.breaks)),
  expires_at: Schema.optionalKey(
    Schema.NullOr(Text.Timestamp).annotate({
      description: "Until when the link is valid, a time in the future; null if it does not expire.",
      examples: ["2026-04-01T12:00:00.000Z"]
    })
  ),
  url: Schema.optionalKey(Text.Ignored)
}

export const ShareCreate = Schema.Struct({
  note_id: Text.notBlank(100).annotate(Fields.aboutId("nt", "The note to share. It cannot be changed later.")),
  ...writable
}).annotate({ identifier: "ShareCreate" })
export type ShareCreate = typeof ShareCreate.Type

export const ShareUpdate = Schema.Struct({ ...writable, note_id: Schema.optionalKey(Text.Ignored) }).annotate({
  identifier: "ShareUpdate"
})
export type ShareUpdate = typeof ShareUpdate.Type

export const shares = Table.ofRecord("shares", StoredShare, {
  internal: {
    revision: Column.int,
    /** The token at the end of the link, encrypted: a copy of the database does not open shares. */
    token: Column.text(),
    token_hash: Column.text(),
    /** The hash that `Passwords` makes. */
    password: Column.nullable(Column.text()),
    ends_with
  },
  key: ["id"],
  within: inNote,
  weigh: () => 800
})
export type ShareRow = Table.Row<typeof shares>

/** A share with its encrypted token, which responses replace by the link. */
export const ListedShare = Schema.Struct({
  ...StoredShare.fields,
  view_count: Share.fields.view_count,
  token: Schema.String
})
export type ListedShare = typeof ListedShare.Type

/** Shares of notes outside the trash. Both subqueries run for each row by itself, in the order of the list. */
export const shareList = listOf(ListedShare, {
  path: "/shares",
  from: `(SELECT s.*,
      coalesce((SELECT views FROM share_views v WHERE v.workspace_id = s.workspace_id AND v.share_id = s.id), 0)
        AS view_count,
      (SELECT deleted_at IS NULL FROM notes n WHERE n.workspace_id = s.workspace_id AND n.id = s.note_id) AS open
    FROM shares s) counted`,
  sort: ["-created_at", "expires_at"],
  filter: ["id", "note_id", "password_protected", "expires_at", "created_at"],
  indexed: { id: "few", note_id: "few", created_at: "order" },
  hidden: [{ condition: "open", shownBy: [] }]
})
