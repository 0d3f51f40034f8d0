import type { PgClient } from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { setLog } from "../database/ReachedChangeSets.ts"
import type { WorkspaceId } from "../Ids.ts"
import * as Queue from "../jobs/Queue.ts"
import { NoteTexts } from "../notes/texts/NoteTexts.ts"
import { Principal } from "../Principal.ts"
import { SyncAdapters } from "../sync/SyncAdapters.ts"
import { systemActor } from "../writer/Actor.ts"
import { Writer } from "../writer/Writer.ts"
import { type RevertRow, reverts } from "./ChangeSet.ts"
import * as Edits from "./RevertEdits.ts"
import * as PresentTags from "./PresentTags.ts"
import * as RevertCaller from "./RevertCaller.ts"
import { nextOf, recordsOf, stages } from "./RevertOrder.ts"
import { actorOf, make as makeSteps } from "./RevertStep.ts"
import * as SetRecords from "./SetRecords.ts"

/** Runs reverts in steps, each in one write with its progress: an interrupted revert continues with the next step. */
export class RevertRuns extends Context.Service<
  RevertRuns,
  {
    readonly run: (workspace_id: string, id: string) => Effect.Effect<void, Queue.Retry | Queue.Drop>
    readonly fail: (workspace_id: string, id: string) => Effect.Effect<void>
  }
>()("sheaf/changesets/RevertRuns") {
  static readonly layer = Layer.effect(
    RevertRuns,
    Effect.gen(function* () {
      const { read, whole, write: sql } = yield* Database
      const writer = yield* Writer
      const adapters = yield* SyncAdapters
      const noteTexts = yield* NoteTexts
      const readAll = SetRecords.make(whole)
      const readReached = SetRecords.make(read, setLog)
      const callerOf = RevertCaller.make(read)
      const withPresentTags = PresentTags.make(read)

      const find = (workspace_id: WorkspaceId, id: string) =>
        Effect.map(
          runSql<RevertRow>(
            read,
            `SELECT ${reverts.selectList} FROM reverts WHERE workspace_id = $1 AND id = $2 AND status = 'queued'`,
            [workspace_id, id]
          ),
          ([row]) => row
        )

      const run = Effect.fnUntraced(
        function* (workspace: string, id: string) {
          const workspace_id = workspace as WorkspaceId
          const row = yield* find(workspace_id, id)
          if (row === undefined) return
          const principal = yield* callerOf(workspace_id, row)
          const { reach } = principal
          if (row.preview) yield* beginPreview(sql, workspace_id, row)
          const [first, after] = row.preview ? [0, 0] : progressOf(row.progress)
          const readRecords = reach === undefined ? readAll : readReached
          const runStep = makeSteps({ adapters, noteTexts, readRecords, whole, withPresentTags, writer })
          yield* Effect.gen(function* () {
            for (const [index, stage] of [...stages.entries()].slice(first)) {
              // All of the set: the places of the progress stay, whatever the caller reaches when the revert continues.
              const records = yield* recordsOf(whole, readAll, workspace_id, row.change_set_id, stage)
              let done = index === first ? after : 0
              while (done < records.length) {
                const ids = nextOf(records, done)
                done += ids.length
                // A limited credential may have been narrowed, or have ended, since the step before.
                const caller = row.is_limited ? yield* callerOf(workspace_id, row) : principal
                const actor = actorOf(row, caller.reach)
                const step = runStep({ actor, row, workspace_id, stage, ids, progress: `${index} ${done}` })
                if (!(yield* Effect.provideService(step, Principal, caller))) return
              }
            }
          })
          yield* writer.write(workspace_id, { actor: actorOf(row, reach), needs: [[reverts, id]] }, (draft) =>
            Edits.end(draft, id, "done")
          )
        },
        Effect.catchTags({
          Unavailable: ({ detail }) => new Queue.Retry({ reason: detail }),
          NotFound: () => new Queue.Drop({ reason: "The workspace no longer exists" })
        })
      )

      const fail = (workspace_id: string, id: string) =>
        writer
          .write(workspace_id as WorkspaceId, { actor: systemActor, needs: [[reverts, id]] }, (draft) =>
            Edits.end(draft, id, "failed")
          )
          .pipe(Effect.catchTags({ NotFound: () => Effect.void, Unavailable: Effect.die }))

      return RevertRuns.of({ run, fail })
    })
  )
}

/** The stage of a revert, and the number of its records that are done. */
const progressOf = (progress: string): readonly [number, number] => {
  const [stage = 0, done = 0] = progress === "" ? [] : progress.split(" ").map(Number)
  return [stage, done]
}

/** Deletes the outcomes of earlier previews of the set, and those of an interrupted try of this one. */
const beginPreview = Effect.fnUntraced(function* (sql: PgClient, workspace_id: WorkspaceId, row: RevertRow) {
  yield* runSql(
    sql,
    `DELETE FROM revert_outcomes WHERE workspace_id = $1 AND revert_id IN (
        SELECT id FROM reverts WHERE workspace_id = $1 AND change_set_id = $2 AND preview AND (status <> 'queued' OR id = $3))`,
    [workspace_id, row.change_set_id, row.id]
  )
  yield* runSql(
    sql,
    `UPDATE reverts SET reverted = 0, merged = 0, kept = 0, progress = '' WHERE workspace_id = $1 AND id = $2`,
    [workspace_id, row.id]
  )
  yield* runSql(
    sql,
    `DELETE FROM reverts WHERE workspace_id = $1 AND change_set_id = $2 AND preview AND status <> 'queued'`,
    [workspace_id, row.change_set_id]
  )
})
