import { Schema } from "effect"
import { listOf } from "../../lists/ListSpec.ts"
import * as Column from "../../tables/Column.ts"
import * as Table from "../../tables/Table.ts"
import { ends_with } from "../../workspaces/WorkspaceTables.ts"
import { Share, StoredShare } from "./Share.ts"

export const shares = Table.ofRecord("shares", StoredShare, {
  internal: {
    revision: Column.int,
    /** What its link ends with, sealed: a copy of the database opens no share. */
    token: Column.text(),
    token_hash: Column.text(),
    /** As `Passwords` keeps them. */
    password: Column.nullable(Column.text()),
    ends_with
  },
  key: ["id"],
  weigh: () => 800
})
export type ShareRow = Table.Row<typeof shares>

/** What an answer is made of: the token, sealed, is shown as an address. */
export const ListedShare = Schema.Struct({
  ...StoredShare.fields,
  view_count: Share.fields.view_count,
  token: Schema.String
})
export type ListedShare = typeof ListedShare.Type

/** Shares of notes outside the trash. Both look-ups are made for each row by itself, in the order of the list. */
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
