import { Clock, Context, Effect, Layer } from "effect"
import { hash } from "node:crypto"
import { type BadRequest, type Condition, Conflict, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import { Database, runSql } from "../database/Database.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import { setLog } from "../database/ReachedChangeSets.ts"
import { Lists } from "../lists/Lists.ts"
import { limitOf, type Page, type PageQuery } from "../lists/Page.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import { readsOf } from "../lists/RecordService.ts"
import { NoteTexts } from "../notes/texts/NoteTexts.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { type Reach, writable } from "../Reach.ts"
import type { SyncType } from "../Resources.ts"
import { changedMembers, type Data, same } from "../records/Merge.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import { mayAdd } from "../writer/ChangeSetWrite.ts"
import { Writer } from "../writer/Writer.ts"
import {
  type ChangedRecord,
  type ChangeSet,
  changeSetLife,
  changeSetList,
  type Revert,
  type RevertRequest,
  titleOf
} from "./ChangeSet.ts"
import * as Edits from "./RevertEdits.ts"
import { revertedList, revertList } from "./RevertLists.ts"
import { RevertQueue } from "./RevertQueue.ts"
import * as SetRecords from "./SetRecords.ts"

/** Maximum number of changes of a set that requests and MCP calls make. */
const maxChanges = 100_000

const closed = new Conflict({
  code: "invalid_state",
  detail: `This change set is reverted, or has ${maxChanges} changes: begin another one`
})

/** Milliseconds without a change after which the next call of an MCP caller begins another set. */
const callerPause = 30 * 60_000

/** Maximum lines of a difference, and maximum characters of a line in it. */
const maxDiffLines = 100
const maxLine = 500

/** Approximate maximum characters of the states that a page of records reads. */
const maxRead = 2 * 1024 * 1024

/** Groups of changes, and their reverts (contract 9, Change sets). */
export class ChangeSets extends Context.Service<
  ChangeSets,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<ChangeSet, NotFound | Unavailable, Principal>
    /** A page of the records that the set has changed, by type and id. */
    readonly records: (
      id: string,
      query: Pick<PageQuery, "limit" | "cursor">
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
    /** Begins a revert, or the preview of one. */
    readonly revert: (
      id: string,
      input: RevertRequest,
      condition?: Condition<ChangeSet>
    ) => Effect.Effect<Revert, Conflict | NotFound | Stale | Unavailable, Principal>
    readonly getRevert: (id: string) => Effect.Effect<Revert, NotFound | Unavailable, Principal>
    /** A page of the outcomes of a revert, in its order. */
    readonly reverted: (
      id: string,
      query: PageQuery
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
    /** Fails if the caller may not add changes to the set: it is another caller's, full, or reverted. */
    readonly check: (
      caller: Pick<PrincipalShape, "workspace_id" | "user_id" | "credential_id" | "reach">,
      id: string
    ) => Effect.Effect<void, Conflict | NotFound | Unavailable>
    /** The id of the set of an MCP caller: that of its last change, or another one after a pause. */
    readonly ofCaller: (
      caller: Pick<PrincipalShape, "workspace_id" | "credential_id">
    ) => Effect.Effect<string, Unavailable>
    /** The id of the last set of a caller's MCP calls; undefined if there is none. */
    readonly lastOfCaller: (
      caller: Pick<PrincipalShape, "workspace_id" | "credential_id">
    ) => Effect.Effect<string | undefined, Unavailable>
    readonly prune: Effect.Effect<void>
  }
>()("sheaf/changesets/ChangeSets") {
  static readonly layer = Layer.effect(
    ChangeSets,
    Effect.gen(function* () {
      const { read, whole, write: sql } = yield* Database
      const lists = yield* Lists
      const writer = yield* Writer
      const texts = yield* NoteTexts
      const queue = yield* RevertQueue
      const cursors = new PageCursors(yield* Secrets)
      const readAll = SetRecords.make(read)
      const readReached = SetRecords.make(read, setLog)
      const sets = yield* readsOf<ChangeSet>("ChangeSets", changeSetList, Edits.missing)
      const { get: getRevert } = yield* readsOf<Revert>("Reverts", revertList, NotFound.of("revert"))

      const keysText = `SELECT c.type, c.id, ${titleOf("$1", "c.type", "c.id")} AS title, c.bytes
        FROM (SELECT type, id, max(bytes) AS bytes FROM change_set_changes
          WHERE workspace_id = $1 AND change_set_id = $2 AND (type, id) > ($3, $4)
          GROUP BY type, id ORDER BY type, id LIMIT $5::int) c ORDER BY c.type, c.id`

      interface Key {
        readonly type: SyncType
        readonly id: string
        readonly title: string | null
        readonly bytes: number
      }

      const changedOf = Effect.fnUntraced(function* (record: SetRecords.SetRecord, title: string | null) {
        const [before, after] = [record.runs[0]!.before, record.runs.at(-1)!.after]
        const bodyOf = (state: Data | null | undefined) => {
          const body = state?.["body"]
          return typeof body === "string" ? body : ""
        }
        const lines =
          record.type !== "note" || before === undefined || after === undefined || same(bodyOf(before), bodyOf(after))
            ? []
            : yield* texts.diff(bodyOf(before), bodyOf(after), maxDiffLines)
        const shown = (data: Data) => {
          const { body, updated_at: _, version: __, word_count: ___, ...rest } = data
          return record.type === "note" ? rest : { ...rest, ...(body === undefined ? {} : { body }) }
        }
        const differing = (one: Data | null | undefined, other: Data | null | undefined) =>
          one == null ? null : changedMembers(shown(one), other ?? {})
        const changed: ChangedRecord = {
          type: record.type,
          id: record.id,
          title,
          version_before: record.version_before,
          version_after: record.version_after,
          changes: record.changes,
          before: differing(before, after),
          after: differing(after, before),
          diff: lines.map(({ line, mark, text }) => ({ line, mark, text: text.slice(0, maxLine).toWellFormed() }))
        }
        return changed
      })

      const records = traced("ChangeSets.records")(function* (id: string, query: Pick<PageQuery, "limit" | "cursor">) {
        const { reach, workspace_id } = yield* Principal
        const readRecords = reach === undefined ? readAll : readReached
        const spec = { path: `/change-sets/${id}/records`, defaultSort: "type" }
        const limit = yield* limitOf(query.limit)
        const [type = "", after = ""] =
          query.cursor === undefined ? [] : yield* cursors.read(spec, query, workspace_id, query.cursor)
        yield* sets.get(id)
        const keys = yield* runSql<Key>(read, keysText, [workspace_id, id, type, after, String(limit + 1)])
        const items: Array<string> = []
        let held = 0
        for (const key of keys.slice(0, limit)) {
          if (held > maxRead) break
          const [record] = yield* readRecords(workspace_id, id, key.type, [key.id], { isWhole: true })
          if (record !== undefined) items.push(JSON.stringify(yield* changedOf(record, key.title)))
          held += 2 * key.bytes
        }
        const has_more = items.length < keys.length
        const last = keys[items.length - 1]
        const page: Page = {
          items,
          has_more,
          next_cursor:
            has_more && last !== undefined ? cursors.make(spec, query, workspace_id, [last.type, last.id]) : null
        }
        return page
      })

      /** The set with the records that a revert of a limited caller may change. */
      const writableOf = (id: string, caller: PrincipalShape, reach: Reach) =>
        Effect.provideService(sets.get(id), Principal, { ...caller, reach: writable(reach) })

      const revert = traced("ChangeSets.revert")(function* (
        id: string,
        { preview = false }: RevertRequest,
        condition?: Condition<ChangeSet>
      ) {
        const found = yield* sets.get(id)
        if (condition !== undefined) yield* condition(found)
        const caller = yield* Principal
        const { records } = caller.reach === undefined ? found : yield* writableOf(id, caller, caller.reach)
        const row = yield* writer.change((draft) => Edits.request(draft, id, preview, records))
        yield* queue.wake
        return yield* getRevert(row.id)
      })

      const reverted = traced("ChangeSets.reverted")(function* (id: string, query: PageQuery) {
        const { workspace_id } = yield* Principal
        yield* getRevert(id)
        return yield* lists.page({
          spec: revertedList,
          query,
          workspace_id,
          where: "revert_id = $2",
          params: [id],
          within: id
        })
      })

      /** Whether a set takes no more changes. */
      const closedText = `(size >= ${maxChanges} OR EXISTS (SELECT FROM reverts r
        WHERE r.workspace_id = s.workspace_id AND r.change_set_id = s.id AND NOT r.preview)) AS is_closed`
      const checkText = `SELECT author_id, credential_id, ${closedText} FROM change_sets s WHERE workspace_id = $1 AND id = $2`

      interface Checked {
        readonly author_id: string | null
        readonly credential_id: string | null
        readonly is_closed: boolean
      }

      const check: ChangeSets["Service"]["check"] = Effect.fnUntraced(function* (caller, id) {
        const [row] = yield* runSql<Checked>(whole, checkText, [caller.workspace_id, id])
        if (row === undefined) return
        if (!mayAdd(caller, row)) return yield* Edits.missing
        if (row.is_closed) return yield* closed
      })

      const lastText = `SELECT id, updated_at, ${closedText} FROM change_sets s
        WHERE workspace_id = $1 AND credential_id = $2 AND origin = 'mcp' ORDER BY created_at DESC LIMIT 1`

      const last = Effect.fnUntraced(function* ({
        credential_id,
        workspace_id
      }: Pick<PrincipalShape, "workspace_id" | "credential_id">) {
        const [row] = yield* runSql<{ readonly id: string; readonly updated_at: string; readonly is_closed: boolean }>(
          whole,
          lastText,
          [workspace_id, credential_id]
        )
        return row
      })

      const ofCaller: ChangeSets["Service"]["ofCaller"] = Effect.fnUntraced(function* (caller) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* last(caller)
        if (found !== undefined && !found.is_closed && now - Date.parse(found.updated_at) < callerPause) return found.id
        // Two first calls at once get the same id.
        const from = `${caller.workspace_id} ${caller.credential_id} ${found?.id ?? ""}`
        return `cs_${hash("sha256", from, "hex").slice(0, 22)}`
      })

      const prune = Effect.gen(function* () {
        const cutoff = yield* ago(changeSetLife)
        const due = "SELECT workspace_id, id FROM"
        yield* deleteInBatches(
          sql,
          "change_set_changes",
          `(workspace_id, change_set_id) IN (${due} change_sets WHERE created_at < $1)`,
          cutoff
        )
        yield* deleteInBatches(sql, "change_sets", "created_at < $1", cutoff)
        yield* deleteInBatches(
          sql,
          "revert_outcomes",
          `(workspace_id, revert_id) IN (${due} reverts WHERE created_at < $1)`,
          cutoff
        )
        yield* deleteInBatches(sql, "reverts", "created_at < $1", cutoff)
      })

      return ChangeSets.of({
        list: sets.list,
        get: sets.get,
        records,
        revert,
        getRevert,
        reverted,
        check,
        ofCaller,
        lastOfCaller: (caller) => Effect.map(last(caller), (row) => row?.id),
        prune: Effect.orDie(prune)
      })
    })
  )
}
