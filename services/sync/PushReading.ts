import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type * as Ids from "../Ids.ts"
import { records } from "../storage/Change.ts"
import { orUnavailable } from "../storage/Database.ts"
import type { Draft } from "../storage/Draft.ts"
import type { Need } from "../storage/Mailboxes.ts"
import type { Bases } from "../storage/Pushable.ts"
import type * as Table from "../storage/Table.ts"
import { isAskable, prefixes, revisionOf, textOf } from "./PushEntries.ts"
import { maxAhead, unknownBytes } from "./PushBounds.ts"
import type { Pushables } from "./Pushables.ts"

interface Asked {
  readonly type: string
  readonly id: string
}

/** The record that an entry names, which is not understood yet. */
export const askedBy = (raw: unknown): Asked | undefined => {
  const [type, id] = [textOf(raw, "type"), textOf(raw, "id")]
  return type === undefined || !Object.hasOwn(prefixes, type) || id === undefined || !isAskable(id)
    ? undefined
    : { type, id }
}

/** Reads what the entries from one on are about, as much as is read at a time: where it has ended, and the bytes. */
export const readAhead = Effect.fnUntraced(function* (
  pushables: Pushables["Service"],
  draft: Draft,
  bases: ReadonlyMap<string, Bases>,
  entries: ReadonlyArray<unknown>,
  first: number
) {
  const rows = new Map<string, Need>()
  const stale = new Map<string, Array<{ readonly id: string; readonly revision: number }>>()
  let next = first
  for (let bytes = 0; next < entries.length && bytes < maxAhead; next++) {
    const asked = askedBy(entries[next])
    const record = asked === undefined ? undefined : yield* draft.get(records, asked.type, asked.id)
    if (asked === undefined || record === undefined) continue
    for (const need of pushables.of(asked.type).needs(asked.id)) rows.set(asked.id, need)
    bytes += record.deleted ? unknownBytes : record.bytes
    const revision = revisionOf(entries[next])
    if (revision === undefined || revision >= record.revision) continue
    const some = stale.get(asked.type)
    some === undefined ? stale.set(asked.type, [{ id: asked.id, revision }]) : some.push({ id: asked.id, revision })
    bytes += unknownBytes
  }
  const keys = new Map<Table.Table<any>, Array<ReadonlyArray<string>>>()
  for (const [table, ...key] of rows.values()) {
    const some = keys.get(table)
    some === undefined ? keys.set(table, [key]) : some.push(key)
  }
  let read = 0
  for (const [table, some] of keys) read += yield* draft.load(table, some)
  for (const [type, some] of stale) read += yield* bases.get(type)!.load(some)
  return { next, read }
})

/** About the bytes of the records that a push names, as often as it names them. */
export const bytesOf = (read: PgClient, workspace_id: Ids.WorkspaceId, asked: ReadonlyArray<Asked>) =>
  Effect.map(
    orUnavailable(
      read.unsafe<{ readonly bytes: number }>(
        `SELECT coalesce(sum(CASE WHEN r.deleted THEN ${unknownBytes} ELSE r.bytes END), 0)::float8 AS bytes
        FROM unnest($2::text[], $3::text[]) x(type, id)
        JOIN records r ON r.workspace_id = $1 AND r.type = x.type AND r.id = x.id`,
        [workspace_id, asked.map(({ type }) => type), asked.map(({ id }) => id)]
      )
    ),
    ([row]) => row!.bytes
  )
