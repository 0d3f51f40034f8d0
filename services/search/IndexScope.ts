import { Effect } from "effect"
import { hash } from "node:crypto"
import { runSql } from "../database/Database.ts"
import { notesWithin, type Reads } from "../database/ReachedRows.ts"
import type { Unavailable } from "../Errors.ts"
import type { Reach } from "../Reach.ts"
import { type Head, headsOf } from "./ChangedNotes.ts"

/**
 * The notes of an index: those of a workspace, or those that a limited credential reaches (contract 4). With an index of
 * their own, no word of another note has a part in a search.
 */
export interface IndexScope {
  readonly workspace_id: string
  readonly reach: Reach | undefined
}

/** The end of a log. `tree`: a hash of the notebooks of a limited scope. */
export interface ScopeHead extends Head {
  readonly tree?: string
}

const mark = "~"

/** The name of an index, and of its folder. */
export const nameOf = ({ reach, workspace_id }: IndexScope): string =>
  reach === undefined ? workspace_id : workspace_id + mark + hash("sha256", JSON.stringify(reach)).slice(0, 32)

/** The workspace of an index with a name. */
export const workspaceOf = (name: string): string => name.split(mark, 1)[0]!

/** The same reads, of the notes of the scope. */
export const notesOf = (sql: Reads, scope: IndexScope): Reads =>
  scope.reach === undefined
    ? sql
    : {
        unsafe: (text, params) => {
          const own = notesWithin(scope, text, params)
          return sql.unsafe(own.text, own.params)
        }
      }

const headText = `SELECT epoch, seq::float8 AS seq, (SELECT md5(string_agg(id, ',' ORDER BY id)) FROM reached) AS tree
  FROM heads WHERE workspace_id = $1`

/** Where the log of a scope ends. Undefined if there is no such workspace. */
export const headOf = (sql: Reads, scope: IndexScope): Effect.Effect<ScopeHead | undefined, Unavailable> =>
  Effect.map(
    scope.reach === undefined
      ? headsOf(sql, [scope.workspace_id])
      : runSql<ScopeHead>(notesOf(sql, scope), headText, [scope.workspace_id]),
    ([head]) => head
  )
