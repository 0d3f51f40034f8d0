import { Clock, Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { apiKeyList } from "../identity/ApiKey.ts"
import type { ListSpec } from "../lists/Page.ts"
import { shapeOf } from "../tables/Column.ts"
import type { Unavailable } from "../Errors.ts"
import { Database, runSql } from "../database/Database.ts"
import type { EventType } from "../EventTypes.ts"
import * as RequestBatcher from "../database/RequestBatcher.ts"
import { shares } from "../notes/shares/Share.ts"
import { rowJson } from "../tables/RowJson.ts"
import { measuredLog, type SyncedRecord } from "../records/SyncedRecord.ts"
import { Session } from "../identity/Session.ts"
import { type ResourceType, rows } from "../Resources.ts"
import { invitationList } from "../workspaces/Invitation.ts"
import { memberList } from "../workspaces/Member.ts"
import { Workspace } from "../workspaces/Workspace.ts"
import { keptBytes as shownBytes } from "./Delivery.ts"
import { webhookList } from "./Webhook.ts"

/** The columns of a log entry that a delivery needs. */
export interface LogEntry {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly resource: string
  readonly resource_id: string
  readonly actor_id: string | null
  readonly occurred_at: string
}

/** SQL for the columns of a log entry `c`. */
export const entryColumns = "c.seq::float8 AS seq, c.id, c.type, c.resource, c.resource_id, c.actor_id, c.occurred_at"

/** A record type with the source and shape of its list. */
export type Listed = readonly [type: string, Pick<ListSpec, "from" | "shape">]

/** SQL condition that a record `x` is not in the trash. */
const isLive = (type: string): string =>
  type === "note"
    ? " AND x.deleted_at IS NULL"
    : rows[type as ResourceType].isOfNote === true
      ? " AND NOT x.trashed"
      : ""

/** Record types that are shown as in their lists. $1 is the workspace, $2 the current time. */
const listed: ReadonlyArray<Listed> = [
  [
    "session",
    {
      from: `(SELECT *, json_build_object('id', device_id, 'name', device_name, 'platform', platform) AS device,
        false AS current FROM sessions WHERE app IS NULL) s`,
      shape: shapeOf(Session)
    }
  ],
  ["member", memberList],
  ["invitation", invitationList],
  ["api_key", apiKeyList],
  // Without its link, which only its recipients may have.
  ["share", { from: shares.name, shape: shares.shape }],
  ["webhook", webhookList],
  ["workspace", { from: "(SELECT workspace_id AS id, * FROM workspaces) w", shape: shapeOf(Workspace) }]
]

/** Events whose details belong to the body, in addition to the members of their resource. */
export const detailed: ReadonlyArray<string> = ["workspace.restored"] satisfies ReadonlyArray<EventType>

/** Milliseconds for which a body is cached for other webhooks, and maximum number of characters of cached bodies. */
const keptFor = 5_000
const maxKept = 8 * 1024 * 1024
/** Maximum number of events in one query. */
const maxRead = 200

interface Wanted {
  readonly seqs: ReadonlyArray<number>
  /** The current time in milliseconds since 1970. */
  readonly at: number
}

/** Returns the first `shownBytes` bytes of a text, without a partial character at the end. */
const cutText = (text: string): string => {
  if (text.length * 3 <= shownBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= shownBytes) return text
  let end = shownBytes
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

/**
 * The body of an event; `resource` is the JSON of its record. The record comes last, because the SQL function `erased_body`
 * removes it from the end of a body.
 */
export const bodyOf = (workspace_id: string, entry: Omit<LogEntry, "seq">, resource: string | null): string =>
  `{"type":"${entry.type}","timestamp":"${entry.occurred_at}","data":{"id":"${entry.id}","workspace_id":"${workspace_id}",` +
  `"resource_type":"${entry.resource}","resource_id":"${entry.resource_id}",` +
  `"actor_id":${JSON.stringify(entry.actor_id)},"resource":${resource}}}`

/** The bodies of events (contract 9), each with its record as it was, or as it is now if that is no longer stored. */
export const make = (synced: ReadonlyArray<SyncedRecord>, more: ReadonlyArray<Listed>) =>
  Effect.gen(function* () {
    const { read } = yield* Database
    const quoted = (types: ReadonlyArray<string>) => types.map((type) => `'${type}'`).join(", ")
    const removals = quoted(synced.flatMap((each) => each.removals))
    const whens = (cases: ReadonlyArray<readonly [string, string]>) =>
      cases.map(([type, sql]) => `WHEN '${type}' THEN ${sql}`).join(" ")
    const current = whens([
      ...synced.map(
        ({ table: { name, synced: shape }, type }) =>
          [
            type,
            `(SELECT ${rowJson("x", shape)} FROM ${name} x
              WHERE x.workspace_id = $1 AND x.id = c.resource_id${isLive(type)})`
          ] as const
      ),
      ...[...listed, ...more].map(
        ([type, { from, shape }]) =>
          [
            type,
            `(SELECT ${rowJson("x", shape)} FROM (SELECT * FROM ${from}) x WHERE x.workspace_id = $1 AND x.id = c.resource_id)`
          ] as const
      )
    ])
    const noted = whens(synced.map(({ earlier, type }) => [type, earlier?.json ?? "c.data::text"] as const))
    const shown = `coalesce(CASE WHEN c.version IS NULL THEN NULL ELSE CASE c.resource ${noted} END END,
      CASE c.resource ${current} END)`
    const record = `CASE WHEN c.type IN (${quoted(detailed)}) THEN ((${shown})::jsonb || c.data::jsonb)::text ELSE ${shown} END`
    const text = `SELECT ${entryColumns}, c.is_left,
      CASE WHEN c.is_left OR c.type IN (${removals}) THEN NULL ELSE ${record} END AS record
      FROM ${measuredLog(
        synced,
        "c.workspace_id = $1 AND $2::text IS NOT NULL AND c.seq = ANY($3::bigint[])",
        maxRead
      )} ORDER BY c.seq`

    const beginningText = `SELECT ${entryColumns},
      CASE WHEN c.type IN (${removals}) THEN NULL ELSE left(${record}, ${shownBytes}) END AS record
      FROM changes c WHERE c.workspace_id = $1 AND $2::text IS NOT NULL AND c.seq = ANY($3::bigint[])`

    /** Returns the beginnings of bodies by seq, as deliveries show them, for events that are still in the log. */
    const beginnings = Effect.fnUntraced(function* (workspace_id: string, seqs: ReadonlyArray<number>) {
      const now = new Date(yield* Clock.currentTimeMillis).toISOString()
      const rows = yield* runSql<LogEntry & { readonly record: string | null }>(read, beginningText, [
        workspace_id,
        now,
        [...new Set(seqs)].map(String)
      ])
      return new Map(rows.map(({ record, ...entry }) => [entry.seq, cutText(bodyOf(workspace_id, entry, record))]))
    })

    const cache = new Map<string, { readonly body: string; readonly until: number }>()
    let size = 0
    const drop = (key: string) => {
      size -= cache.get(key)?.body.length ?? 0
      cache.delete(key)
    }

    /** `is_left`: the record was not read, because the events before it fill the query's size limit. */
    type Recorded = LogEntry & { readonly record: string | null; readonly is_left: boolean }

    /** Reads events with their records. One query serves webhooks that need the same events at the same time. */
    const recorded = RequestBatcher.make<WorkspaceId, Wanted, ReadonlyArray<Recorded>, Unavailable>({
      concurrency: 2,
      maxWeight: maxRead,
      weigh: ({ seqs }) => seqs.length,
      run: (workspace_id, group) => {
        const seqs = new Set(group.flatMap((each) => each.seqs))
        const now = Math.max(...group.map(({ at }) => at))
        return Effect.map(
          runSql<Recorded>(read, text, [workspace_id, new Date(now).toISOString(), [...seqs].map(String)]),
          (rows) => group.map(() => rows)
        )
      }
    })

    /**
     * Returns bodies by seq for events that are still in the log: as many from the first on as one query returns, and at
     * least one. `left` contains the events that need another call.
     */
    const of = Effect.fnUntraced(function* (workspace_id: WorkspaceId, seqs: ReadonlyArray<number>) {
      const now = yield* Clock.currentTimeMillis
      for (const [key, { until }] of cache) {
        if (until > now && size <= maxKept) break
        drop(key)
      }
      const bodies = new Map<number, string>()
      let unknown: Array<number> = []
      for (const seq of seqs) {
        const body = cache.get(`${workspace_id} ${seq}`)?.body
        if (body === undefined) unknown.push(seq)
        else bodies.set(seq, body)
      }
      const left = new Set<number>()
      while (unknown.length > 0) {
        left.clear()
        for (const { is_left, record, ...entry } of yield* recorded(workspace_id, { seqs: unknown, at: now })) {
          if (is_left) {
            left.add(entry.seq)
            continue
          }
          const key = `${workspace_id} ${entry.seq}`
          const body = cache.get(key)?.body ?? bodyOf(workspace_id, entry, record)
          bodies.set(entry.seq, body)
          if (cache.has(key)) continue
          cache.set(key, { body, until: now + keptFor })
          size += body.length
        }
        // If the query only returned bodies of concurrent calls, read again.
        if (!left.has(unknown[0]!)) break
        unknown = unknown.filter((seq) => left.has(seq))
      }
      return { bodies, left }
    })

    return {
      of,
      beginnings,
      /** Evicts the bodies of a workspace, because a note was erased. */
      forget: (workspace_id: string): void => {
        for (const key of cache.keys()) if (key.startsWith(`${workspace_id} `)) drop(key)
      }
    }
  })

export type DeliveryBodies = Effect.Success<ReturnType<typeof make>>
