import { Context, Effect, Layer } from "effect"
import type {
  BadRequest,
  Condition,
  Forbidden,
  Invalid,
  NotFound,
  Stale,
  Unauthorized,
  Unavailable
} from "../../Errors.ts"
import { Passwords } from "../../identity/Passwords.ts"
import { Throttles } from "../../limits/Throttles.ts"
import { Lists } from "../../lists/Lists.ts"
import type { Page, PageQuery } from "../../lists/Page.ts"
import { Principal } from "../../Principal.ts"
import { Randomness } from "../../Randomness.ts"
import { Database, runSql } from "../../database/Database.ts"
import type { Draft } from "../../writer/Draft.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { Writer } from "../../writer/Writer.ts"
import { traced } from "../../Traced.ts"
import { Quotas } from "../../workspaces/Quotas.ts"
import {
  type ListedShare,
  type Share,
  type ShareCreate,
  shareList,
  type ShareRow,
  shares,
  type ShareUpdate
} from "./Share.ts"
import * as NotePart from "../NotePart.ts"
import * as Edits from "./ShareEdits.ts"
import * as ShareLinks from "./ShareLinks.ts"

/** Returns the part of a row that a response needs: the result that is stored for a repetition has no password. */
const listed = (row: ShareRow, view_count: number): ListedShare => ({
  ...shares.show(row),
  view_count,
  token: row.token
})

/** Public links to notes (contract 5). `SharedNotes` returns the notes behind the links. */
export class Shares extends Context.Service<
  Shares,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly create: (
      input: ShareCreate
    ) => Effect.Effect<Share, Forbidden | Invalid | NotFound | Unauthorized | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Share, NotFound | Unavailable, Principal>
    readonly update: (
      id: string,
      input: ShareUpdate,
      condition?: Condition<Share>
    ) => Effect.Effect<Share, Forbidden | Invalid | NotFound | Stale | Unauthorized | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<Share>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
  }
>()("sheaf/notes/shares/Shares") {
  static readonly layer = ({ publicUrl }: { readonly publicUrl: string }) =>
    Layer.effect(
      Shares,
      Effect.gen(function* () {
        const { read } = yield* Database
        const lists = yield* Lists
        const writer = yield* Writer
        const quotas = yield* Quotas
        const passwords = yield* Passwords
        const throttles = yield* Throttles
        const links = ShareLinks.make(publicUrl, yield* Secrets, yield* Randomness)

        const viewsText = `SELECT views::float8 AS views FROM share_views WHERE workspace_id = $1 AND share_id = $2`
        const viewsOf = Effect.fnUntraced(function* (workspace_id: string, id: string) {
          const [row] = yield* runSql<{ readonly views: number }>(read, viewsText, [workspace_id, id])
          return row?.views ?? 0
        })

        /** Returns the share; fails with 412 if the condition is not met. It covers the number of views, too. */
        const expected = Effect.fnUntraced(function* (draft: Draft, id: string, condition?: Condition<Share>) {
          const row = yield* Edits.openShare(draft, id)
          if (condition !== undefined) {
            yield* condition(links.shown(listed(row, yield* viewsOf(draft.workspace_id, id))))
          }
          return row
        })

        /** Hashes the password before the write, which may run more than once. */
        const hashOf = Effect.fnUntraced(function* (password: string | null | undefined) {
          if (typeof password !== "string") return null
          const { ip, user_id } = yield* Principal
          return yield* passwords.hash(password, yield* throttles.passwordClient(ip, user_id))
        })

        const list = traced("Shares.list")(function* (query: PageQuery) {
          const { workspace_id } = yield* Principal
          const page = yield* lists.page({ spec: shareList, query, workspace_id })
          return { ...page, items: page.items.map(links.shownJson) }
        })

        const getText = `SELECT id, note_id, password_protected, breaks, expires_at, created_by, created_at, view_count::float8 AS view_count,
          token FROM ${shareList.from} WHERE workspace_id = $1 AND id = $2 AND open`
        const get = traced("Shares.get")(function* (id: string) {
          const { workspace_id } = yield* Principal
          const [found] = yield* runSql<ListedShare>(read, getText, [workspace_id, id])
          return found === undefined ? yield* Edits.missing : links.shown(found)
        })

        const create = traced("Shares.create")(function* (input: ShareCreate) {
          yield* Edits.checkPassword(input, false)
          const secret = { ...links.fresh(), password: yield* hashOf(input.password) }
          const principal = yield* Principal
          const made = yield* writer.change(
            Effect.fnUntraced(function* (draft: Draft) {
              const caller = yield* Edits.callerIn(draft, principal)
              return listed(yield* Edits.create(draft, quotas, caller, input, secret), 0)
            }),
            [NotePart.need(input.note_id)]
          )
          return links.shown(made)
        })

        const update = traced("Shares.update")(function* (
          id: string,
          input: ShareUpdate,
          condition?: Condition<Share>
        ) {
          const principal = yield* Principal
          const { workspace_id } = principal
          // Hashing is expensive: fail before it if the share does not exist or the request contradicts itself.
          if (typeof input.password === "string") yield* Edits.checkPassword(input, (yield* get(id)).password_protected)
          const hashed = yield* hashOf(input.password)
          const row = yield* writer.change(
            Effect.fnUntraced(function* (draft: Draft) {
              const before = yield* expected(draft, id, condition)
              const caller = yield* Edits.callerIn(draft, principal)
              return listed(yield* Edits.update(draft, caller, before, input, hashed), 0)
            }),
            [[shares, id]]
          )
          return links.shown({ ...row, view_count: yield* viewsOf(workspace_id, id) })
        })

        const remove = traced("Shares.delete")((id: string, condition?: Condition<Share>) =>
          writer.change(
            Effect.fnUntraced(function* (draft: Draft) {
              Edits.remove(draft, yield* expected(draft, id, condition))
            }),
            [[shares, id]]
          )
        )

        return Shares.of({ list, create, get, update, delete: remove })
      })
    )
}
