import type { Reads } from "../database/ReachedRows.ts"
import { type Clock, Effect, Latch, Schedule } from "effect"
import type { PrincipalShape } from "../Principal.ts"
import { isDeletedText } from "./IdentityTables.ts"

/** A watched credential, its user, the workspace in which it is used, and what it reaches. */
export type Watched = Pick<
  PrincipalShape,
  "credential_id" | "user_id" | "home_id" | "workspace_id" | "digest" | "reach" | "selects"
>

interface Watch {
  readonly credential: Watched
  readonly onEnd: () => void
}

/**
 * Watches the credentials of open responses, such as streams. A credential is checked again when there is news of its
 * user or workspace, each minute because it may expire, and each second while the node cannot receive news.
 */
export class CredentialWatch {
  readonly #all = new Set<Watch>()
  readonly #doubtful = new Set<Watch>()
  readonly #due = Latch.makeUnsafe()
  readonly #sql: Reads
  readonly #clock: Clock.Clock

  constructor(sql: Reads, clock: Clock.Clock) {
    this.#sql = sql
    this.#clock = clock
  }

  add(credential: Watched, onEnd: () => void): () => void {
    const watch = { credential, onEnd }
    this.#all.add(watch)
    // The credential may have changed between its authentication and this call.
    this.#doubtful.add(watch)
    this.#due.openUnsafe()
    return () => {
      this.#all.delete(watch)
      this.#doubtful.delete(watch)
    }
  }

  /** Marks the credentials of a workspace, or all, to be checked again. */
  doubt(workspace_id?: string): void {
    for (const watch of this.#all) {
      const { home_id, workspace_id: own } = watch.credential
      if (workspace_id === undefined || own === workspace_id || home_id === workspace_id) this.#doubtful.add(watch)
    }
    if (this.#doubtful.size > 0) this.#due.openUnsafe()
  }

  readonly #look = Effect.suspend(() => {
    this.#due.closeUnsafe()
    const watches = [...this.#doubtful]
    this.#doubtful.clear()
    if (watches.length === 0) return Effect.void
    const each = (of: (credential: Watched) => string) => watches.map(({ credential }) => of(credential))
    return this.#sql
      .unsafe<{ readonly n: number }>(
        `SELECT x.n FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY
        AS x(credential_id, user_id, home_id, workspace_id, digest, reach, n)
      JOIN members m ON m.workspace_id = x.workspace_id AND m.user_id = x.user_id
      JOIN workspaces w ON w.workspace_id = x.workspace_id AND w.deleted_at IS NULL
      JOIN users u ON u.id = x.user_id AND u.suspended_at IS NULL
      WHERE NOT ${isDeletedText("x.user_id")} AND (EXISTS (SELECT FROM sessions s WHERE s.workspace_id = x.home_id AND s.id = x.credential_id)
        OR EXISTS (
          SELECT FROM api_keys k WHERE k.workspace_id = x.workspace_id AND k.id = x.credential_id
            AND (k.secret_hash = x.digest OR k.previous_secret_hash = x.digest AND k.previous_secret_expires_at > $7)
            AND coalesce(k.notebooks::jsonb, 'null') = x.reach::jsonb
        ))`,
        [
          each(({ credential_id }) => credential_id),
          each(({ user_id }) => user_id),
          each(({ home_id }) => home_id),
          each(({ workspace_id }) => workspace_id),
          each(({ digest }) => digest),
          each(({ reach, selects }) => JSON.stringify(selects === true ? null : (reach ?? null))),
          new Date(this.#clock.currentTimeMillisUnsafe()).toISOString()
        ]
      )
      .pipe(
        Effect.map((rows) => {
          const good = new Set(rows.map(({ n }) => Number(n)))
          for (const [index, watch] of watches.entries()) {
            if (!good.has(index + 1) && this.#all.delete(watch)) watch.onEnd()
          }
        }),
        // They stay marked, and the guard checks them again.
        Effect.tapCause((cause) => {
          for (const watch of watches) if (this.#all.has(watch)) this.#doubtful.add(watch)
          this.#due.openUnsafe()
          return Effect.logDebug("the credentials of open streams could not be checked", cause)
        })
      )
  })

  /** Checks marked credentials in a loop. */
  guard(isCutOff: () => boolean) {
    const looking = Effect.andThen(this.#due.await, this.#look).pipe(
      Effect.retry(Schedule.spaced("1 second")),
      Effect.forever
    )
    const doubting = Effect.repeat(
      Effect.sync(() => {
        if (isCutOff()) this.doubt()
      }),
      Schedule.spaced("1 second")
    )
    const timing = Effect.repeat(
      Effect.sync(() => this.doubt()),
      Schedule.spaced("1 minute")
    )
    return Effect.all([looking, doubting, timing], { concurrency: 3, discard: true })
  }
}
