import { Effect, Schema } from "effect"
import { runSql } from "../database/Database.ts"
import type { Reads } from "../database/ReachedRows.ts"
import { Invalid, type Unavailable } from "../Errors.ts"
import * as Fields from "../Fields.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Principal } from "../Principal.ts"
import type { Reach } from "../Reach.ts"
import * as Text from "../Text.ts"

/**
 * The notebooks that a limited caller reaches, to which its cursors are bound (contract 6). They change when one comes, with
 * notes that changed before, or goes. One that is created has later changes only, so that cursors stay valid. One that is restored has a later version.
 */
export interface ReachedSet {
  /** A hash of their ids. */
  readonly hash: string
  /** When: the seq of the head. */
  readonly seq: number
}

export const hashLength = 22

const hashOf = (condition: string): string =>
  `(SELECT left(encode(sha256(convert_to(coalesce(string_agg(id, ',' ORDER BY id), ''), 'UTF8')), 'hex'), ${hashLength})
    FROM reached ${condition})`

/** SQL for the hash of the notebooks that a limited caller reaches. */
export const reachedHash = hashOf("")

/** The same without those created after a seq: if no other one has come or gone since, the hash of that time. $1: the workspace. */
export const hashSince = (seq: string): string =>
  hashOf(`WHERE id NOT IN (SELECT resource_id FROM changes
    WHERE workspace_id = $1 AND seq > ${seq}::bigint AND type = 'notebook.created' AND version = 1)`)

const presentText = `SELECT ${reachedHash} AS hash, ${hashSince("$2")} AS since, seq::float8 AS seq FROM heads WHERE workspace_id = $1`

/** Maximum number of notebooks that a client selects. */
export const maxSelected = 50

/** The notebooks that a client selects, in a request. */
export const selected = (description: string) =>
  Schema.optionalKey(
    Schema.Array(Text.notBlank(100).annotate(Fields.aboutId("nb", "A notebook.")))
      .check(Text.notEmpty(), Text.atMost(maxSelected))
      .annotate({ description })
  )

/** What a client reaches that has selected these notebooks. */
export const reachOf = (notebooks: ReadonlyArray<string>): Reach =>
  notebooks.map((id) => ({ id, access: "write", include_subnotebooks: true }))

export const isLimited = Invalid.field("notebooks", "invalid", "is for credentials that reach the whole workspace")

/** Runs a request of a client that keeps some notebooks only, with those in them, as that of a limited credential. */
export const selecting = <A, E, R>(
  notebooks: ReadonlyArray<string> | undefined,
  request: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Invalid, R | Principal> =>
  notebooks === undefined
    ? request
    : Effect.flatMap(Principal, (caller) => {
        if (caller.reach !== undefined) return Effect.fail<E | Invalid>(isLimited)
        return Effect.provideService(request, Principal, { ...caller, reach: reachOf(notebooks), selects: true })
      })

/** `read` is limited to what its caller reaches. */
export const make = (read: Reads) => {
  const present = (workspace_id: WorkspaceId, since: number) =>
    Effect.map(
      runSql<ReachedSet & { readonly since: string }>(read, presentText, [workspace_id, String(since)]),
      ([row]) => row!
    )

  return {
    /** What the caller reaches now; undefined for everything. */
    now: Effect.flatMap(Principal, ({ reach, workspace_id }): Effect.Effect<ReachedSet | undefined, Unavailable> =>
      reach === undefined ? Effect.undefined : Effect.map(present(workspace_id, 0), ({ hash, seq }) => ({ hash, seq }))
    ),
    /** Whether the caller reaches what it reached at an earlier time; undefined for everything. */
    isStill: (earlier: ReachedSet | undefined) =>
      Effect.flatMap(Principal, ({ reach, workspace_id }): Effect.Effect<boolean, Unavailable> =>
        reach === undefined || earlier === undefined
          ? Effect.succeed(reach === undefined && earlier === undefined)
          : Effect.map(present(workspace_id, earlier.seq), ({ since }) => since === earlier.hash)
      )
  }
}
