import { Context, Effect, Layer } from "effect"
import { type BadRequest, NotFound, type Unavailable } from "../Errors.ts"
import { Database, runSql } from "../database/Database.ts"
import { maySeeAll } from "../identity/ApiKey.ts"
import { limitOf, type Page, type PageQuery } from "../lists/Page.ts"
import { PageCursors } from "../lists/PageCursors.ts"
import { Principal } from "../Principal.ts"
import type { ConflictReason } from "../records/ConflictReasons.ts"
import { Secrets } from "../secrets/Secrets.ts"
import { traced } from "../Traced.ts"
import type { Via } from "../writer/Actor.ts"
import type { Change } from "../writer/LogEntry.ts"
import { LimitedEventIds } from "./LimitedEventIds.ts"
import type { NoteActivity } from "./NoteActivity.ts"

/** The members of the data of log entries that an activity shows. */
interface LoggedData {
  readonly fields?: ReadonlyArray<string>
  readonly version?: number
  readonly reason?: ConflictReason
  readonly revision?: number | null
  readonly client_revision?: number
  readonly mutation_id?: string | null
}

interface Row extends Pick<Change, "seq" | "id" | "version" | "actor_id" | "device_id" | "occurred_at"> {
  readonly type: NoteActivity["type"]
  readonly resource: NoteActivity["resource_type"]
  readonly resource_id: string
  readonly via: Via | null
  /** Null for records that belong to the note: their data is not shown. */
  readonly data: LoggedData | null
  readonly restored_from: number | null
  readonly actor_name: string | null
  readonly device_name: string | null
  readonly key_name: string | null
}

/** Larger than any seq. */
const top = "9223372036854775807"

const latest = "AND c.seq < $3::bigint ORDER BY c.seq DESC LIMIT $4::int"

/**
 * The entries about the note, and those about its conflict copies, by an index each. Names are looked up for the entries
 * of the page: of users if $5, of all API keys if $6, and of those of the user $7.
 */
const text = `SELECT e.seq::float8 AS seq, e.id, e.type, e.resource, e.resource_id, e.version, e.actor_id, e.device_id, e.via,
    e.occurred_at, CASE e.resource WHEN 'note' THEN e.data END AS data,
    CASE e.resource WHEN 'note' THEN coalesce(
      (SELECT v.restored_from FROM note_versions v
        WHERE v.workspace_id = $1 AND v.note_id = e.resource_id AND v.version = e.version),
      (SELECT n.restored_from FROM notes n WHERE n.workspace_id = $1 AND n.id = e.resource_id AND n.version = e.version)
    ) END AS restored_from,
    (SELECT u.name FROM members m JOIN users u ON u.id = m.user_id
      WHERE $5::boolean AND m.workspace_id = $1 AND m.user_id = e.actor_id) AS actor_name,
    (SELECT d.name FROM devices d WHERE d.workspace_id = $1 AND d.id = e.device_id) AS device_name,
    (SELECT k.name FROM api_keys k WHERE k.id = e.via ->> 'api_key_id' AND k.workspace_id = $1
      AND ($6::boolean OR k.user_id = $7)) AS key_name
  FROM (
    SELECT * FROM (
      (SELECT c.* FROM changes c
        WHERE c.workspace_id = $1 AND c.note_id = $2 AND NOT c.with_note ${latest})
      UNION ALL
      (SELECT c.* FROM changes c
        WHERE c.workspace_id = $1 AND c.conflict_of = $2 AND c.type = 'note.created' AND c.resource_id <> $2 ${latest})
    ) c ORDER BY c.seq DESC LIMIT $4::int
  ) e ORDER BY e.seq DESC`

const existsText = "SELECT FROM notes WHERE workspace_id = $1 AND id = $2"

const actorOf = ({ actor_id, actor_name, key_name, via }: Row): NoteActivity["actor"] => {
  const key = via?.api_key_id
  return {
    kind: actor_id === null ? "server" : key === undefined ? "user" : "api_key",
    user_id: actor_id,
    name: actor_name,
    api_key: key === undefined || key_name === null ? null : { id: key, name: key_name }
  }
}

const viaOf = (via: Via | null): NoteActivity["via"] =>
  via?.by === undefined
    ? null
    : {
        by: via.by,
        mutation_id: via.mutation_id ?? null,
        conflict_of: via.conflict_of ?? null,
        import_id: via.import_id ?? null,
        change_set_id: via.change_set_id ?? null,
        app: via.app ?? null,
        tool: via.tool ?? null
      }

const conflictOf = ({ data, type }: Row): NoteActivity["conflict"] =>
  type !== "sync.conflict" || data?.reason === undefined
    ? null
    : {
        reason: data.reason,
        version: data.revision ?? null,
        client_version: data.client_revision ?? 0,
        mutation_id: data.mutation_id ?? null
      }

const itemOf = (note_id: string, row: Row): NoteActivity => {
  const isOwn = row.resource_id === note_id
  return {
    id: row.id,
    type: row.type,
    resource_type: row.resource,
    resource_id: row.resource_id,
    occurred_at: row.occurred_at,
    actor: actorOf(row),
    device: row.device_id === null ? null : { id: row.device_id, name: row.device_name },
    via: viaOf(row.via),
    version: isOwn ? row.version : null,
    fields: row.data?.fields ?? null,
    restored_from: isOwn ? row.restored_from : null,
    deleted_version: row.type === "note.version_deleted" ? (row.data?.version ?? null) : null,
    conflict: conflictOf(row)
  }
}

/** The activity of a note, as far as the log of its workspace is kept (contract 9). */
export class NoteActivities extends Context.Service<
  NoteActivities,
  {
    /** A page of the entries of the log about a note, also one in the trash: newest first. */
    readonly list: (
      note_id: string,
      query: Pick<PageQuery, "limit" | "cursor">
    ) => Effect.Effect<Page, BadRequest | NotFound | Unavailable, Principal>
  }
>()("sheaf/activity/NoteActivities") {
  static readonly layer = Layer.effect(
    NoteActivities,
    Effect.gen(function* () {
      const { read } = yield* Database
      const secrets = yield* Secrets
      const cursors = new PageCursors(secrets)
      const limitedIds = new LimitedEventIds(secrets)

      const list = traced("NoteActivities.list")(function* (
        note_id: string,
        query: Pick<PageQuery, "limit" | "cursor">
      ) {
        const { reach, role, scopes, user_id, workspace_id } = yield* Principal
        const isLimited = reach !== undefined
        const path = `/notes/${note_id}/activity`
        const spec = { path, defaultSort: "-seq", ...(isLimited ? { isSealed: true as const } : {}) }
        const limit = yield* limitOf(query.limit)
        const [below = top] =
          query.cursor === undefined ? [] : yield* cursors.read(spec, query, workspace_id, query.cursor)
        // Members, keys and devices do not exist for limited callers.
        const readsKeys = !isLimited && scopes.has("keys:read")
        const [note] = yield* runSql(read, existsText, [workspace_id, note_id])
        if (note === undefined) return yield* NotFound.of("note")
        const rows = yield* runSql<Row>(read, text, [
          workspace_id,
          note_id,
          below,
          String(limit + 1),
          !isLimited && scopes.has("members:read"),
          readsKeys && maySeeAll({ role }),
          readsKeys ? user_id : null
        ])
        const shown = rows.slice(0, limit)
        const has_more = rows.length > limit
        const page: Page = {
          items: shown.map((row) =>
            JSON.stringify(
              itemOf(note_id, isLimited ? { ...row, id: limitedIds.of(workspace_id, row.id), device_name: null } : row)
            )
          ),
          has_more,
          next_cursor: has_more ? cursors.make(spec, query, workspace_id, [String(shown.at(-1)!.seq)]) : null
        }
        return page
      })

      return NoteActivities.of({ list })
    })
  )
}
