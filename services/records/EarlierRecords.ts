import type { Reads } from "../database/ReachedRows.ts"
import { Effect } from "effect"
import type { WorkspaceId } from "../Ids.ts"
import { runSql } from "../database/Database.ts"
import { currentOnly, type SyncedRecord } from "./SyncedRecord.ts"

/** A record at a revision, as requested. */
interface RequestedRecord {
  readonly type: string
  readonly id: string
  readonly revision: number
}

const keyOf = ({ id, revision, type }: RequestedRecord): string => `${type} ${id} ${revision}`

/**
 * Reads records of these types at revisions, in one query: from the history if the type has one, else from the table
 * while the record is still at that revision. Returns a look-up, which returns null for a state that is not kept.
 */
export const make = (sql: Reads, types: ReadonlyArray<SyncedRecord>) => {
  const cases = types.map((each) => `WHEN '${each.type}' THEN ${(each.earlier ?? currentOnly(each.table)).json}`)
  const text = `SELECT c.resource AS type, c.resource_id AS id, c.version AS revision,
      CASE c.resource ${cases.join(" ")} END AS json
    FROM (SELECT $1::text COLLATE "C" AS workspace_id, x.*
      FROM unnest($2::text[], $3::text[], $4::int[]) AS x(resource, resource_id, version)) c`
  const members = new Map(types.map(({ table, type }) => [type as string, Object.keys(table.synced)]))

  return (workspace_id: WorkspaceId, requested: ReadonlyArray<RequestedRecord>) =>
    Effect.map(
      requested.length === 0
        ? Effect.succeed([])
        : runSql<RequestedRecord & { readonly json: string | null }>(sql, text, [
            workspace_id,
            requested.map(({ type }) => type),
            requested.map(({ id }) => id),
            requested.map(({ revision }) => revision)
          ]),
      (rows) => {
        const found = new Map(rows.map((row) => [keyOf(row), row.json]))
        return (record: RequestedRecord): object | null => {
          const json = found.get(keyOf(record)) ?? null
          if (json === null) return null
          const data = JSON.parse(json) as Record<string, unknown>
          // In the order of the record's members, as sync sent them the first time.
          return Object.fromEntries(
            members.get(record.type)!.flatMap((member) => (Object.hasOwn(data, member) ? [[member, data[member]]] : []))
          )
        }
      }
    )
}
