import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { emailKey } from "../Email.ts"
import type { WorkspaceId } from "../Ids.ts"
import { systemActor } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import type { Writer } from "../writer/Writer.ts"

/**
 * Replaces the addresses and names of deleted accounts in logs by pseudonyms (contract 4, "When an account is deleted").
 * It reads the entries about people in batches by their indexes, and may run again after an interruption.
 */

const batch = 1_000

/** A deleted account, until its memberships have ended and its address and name are erased. */
export interface AccountDeletion {
  readonly user_id: string
  readonly home_id: WorkspaceId
  /** null if the address was not confirmed: then it may belong to another person. */
  readonly email_key: string | null
  readonly name: string
  readonly by_operator: boolean
  readonly deleted_at: string
}

/** The address of a deleted account in logs. The domain is reserved (RFC 2606), so that no mail can be sent to it. */
export const pseudonymOf = (user_id: string): string => `${user_id}@erased.invalid`

/** The name of a personal workspace that had the name of its user. */
export const erasedWorkspaceName = "Personal"

interface Entry {
  readonly workspace_id: WorkspaceId
  /** The last part of its key: an id or a sequence number. */
  readonly place: string
  readonly resource: string
  readonly resource_id: string
  readonly occurred_at: string
  readonly data: Readonly<Record<string, unknown>> | null
}

interface Invited {
  readonly workspace_id: WorkspaceId
  readonly id: string
  readonly email_key: string
  readonly accepted_by: string | null
  readonly created_at: string
}

/** The invitations of all workspaces, and the entries about people in both logs; each query continues after a key. */
const invitationText = `SELECT workspace_id, id, email_key, accepted_by, created_at FROM invitations
  WHERE (workspace_id, id) > ($1, $2) ORDER BY workspace_id, id LIMIT ${batch}`

const aboutPeople = "('member', 'invitation', 'workspace')"

const logs = [
  {
    text: `SELECT workspace_id, id AS place, resource_type AS resource, resource_id, occurred_at, metadata AS data
      FROM audit_entries WHERE resource_type IN ${aboutPeople} AND (workspace_id, id) > ($1, $2)
      ORDER BY workspace_id, id LIMIT ${batch}`,
    change: `UPDATE audit_entries e SET metadata = x.data::json
      FROM unnest($1::text[], $2::text[], $3::text[]) AS x(workspace_id, place, data)
      WHERE e.workspace_id = x.workspace_id AND e.id = x.place`,
    first: ""
  },
  {
    text: `SELECT workspace_id, seq::text AS place, resource, resource_id, occurred_at, data
      FROM changes WHERE resource IN ${aboutPeople} AND (workspace_id, seq) > ($1, $2::bigint)
      ORDER BY workspace_id, seq LIMIT ${batch}`,
    change: `UPDATE changes e SET data = x.data::json
      FROM unnest($1::text[], $2::text[], $3::text[]) AS x(workspace_id, place, data)
      WHERE e.workspace_id = x.workspace_id AND e.seq = x.place::bigint`,
    first: "-1"
  }
] as const

/** Changes of an address or a name by an operator, in the log of the personal workspace. */
const changesText = `UPDATE audit_entries e SET metadata = (metadata::jsonb - 'from' - 'to')::json
  FROM unnest($1::text[], $2::text[]) AS x(workspace_id, user_id)
  WHERE e.workspace_id = x.workspace_id AND e.resource_type = 'user' AND e.resource_id = x.user_id
    AND e.action IN ('auth.email_changed', 'auth.name_changed')`

/** The bodies of webhook deliveries have the record, with address and name. */
const deliveriesText = `UPDATE webhook_deliveries d SET body = erased_body(d.body), response = erased_response(d.response)
  FROM unnest($1::text[], $2::text[]) AS x(workspace_id, resource_id)
  WHERE d.workspace_id = x.workspace_id AND d.resource_id = x.resource_id`

/** An invitation that is pending ends with the address. */
const invitationsText = `UPDATE invitations i SET email = x.email, email_key = x.user_id,
    expires_at = CASE WHEN i.accepted_at IS NULL THEN least(i.expires_at, $5) ELSE i.expires_at END
  FROM unnest($2::text[], $3::text[], $4::text[]) AS x(id, user_id, email)
  WHERE i.workspace_id = $1 AND i.id = x.id`

/** Finds the deleted account that a record is about. */
const finderOf = (people: ReadonlyArray<AccountDeletion>) => {
  const byId = new Map(people.map((each) => [each.user_id, each]))
  const byKey = Map.groupBy(people, ({ email_key }) => email_key)
  return {
    byId: (user_id: string) => byId.get(user_id),
    /** By the address, in records from before the deletion: another account may have the address since. */
    byKey: (key: string, at: string) => byKey.get(key)?.find(({ deleted_at }) => at <= deleted_at)
  }
}

/** Replaces the address of invitations to or of these people. Returns the people by `workspace_id invitation_id`. */
const eraseInvitations = Effect.fnUntraced(function* (
  sql: PgClient,
  writer: Writer["Service"],
  { byId, byKey }: ReturnType<typeof finderOf>
) {
  const known = new Map<string, AccountDeletion>()
  let last: readonly [string, string] = ["", ""]
  while (true) {
    const rows = yield* sql.unsafe<Invited>(invitationText, last)
    const found = rows.flatMap((row) => {
      const person =
        byId(row.accepted_by ?? row.email_key) ??
        (row.accepted_by === null ? byKey(row.email_key, row.created_at) : undefined)
      return person === undefined ? [] : [{ row, person }]
    })
    for (const { person, row } of found) known.set(`${row.workspace_id} ${row.id}`, person)
    const open = found.filter(({ person, row }) => row.email_key !== person.user_id)
    for (const [workspace_id, group] of Map.groupBy(open, ({ row }) => row.workspace_id)) {
      // In the order of writes, or a simultaneous write to the invitation would store the address again.
      yield* (
        writer
          .writeLocked(workspace_id, { actor: systemActor }, (draft: LockedDraft) =>
            draft.execute(invitationsText, [
              workspace_id,
              group.map(({ row }) => row.id),
              group.map(({ person }) => person.user_id),
              group.map(({ person }) => pseudonymOf(person.user_id)),
              draft.now
            ])
          )
          // The workspace was erased meanwhile.
          .pipe(Effect.catchTag("NotFound", () => Effect.void))
      )
    }
    if (rows.length < batch) return known
    const { id, workspace_id } = rows.at(-1)!
    last = [workspace_id, id]
  }
})

/** Reads the entries about people of a log in batches. */
const scan = Effect.fnUntraced(function* <E>(
  sql: PgClient,
  { first, text }: (typeof logs)[number],
  visit: (rows: ReadonlyArray<Entry>) => Effect.Effect<void, E>
) {
  let last: readonly [string, string] = ["", first]
  while (true) {
    const rows = yield* sql.unsafe<Entry>(text, last)
    yield* visit(rows)
    if (rows.length < batch) return
    const { place, workspace_id } = rows.at(-1)!
    last = [workspace_id, place]
  }
})

/** Erases the addresses and names of these people from invitations, both logs, and deliveries of webhooks. */
export const erasePeople = Effect.fnUntraced(function* (
  sql: PgClient,
  writer: Writer["Service"],
  people: ReadonlyArray<AccountDeletion>
) {
  if (people.length === 0) return
  yield* sql.unsafe(changesText, [people.map(({ home_id }) => home_id), people.map(({ user_id }) => user_id)])
  const finder = finderOf(people)
  const invited = yield* eraseInvitations(sql, writer, finder)
  // A personal workspace that other members continue to use keeps its name.
  const kept = yield* sql.unsafe<{ readonly workspace_id: string }>(
    "SELECT workspace_id FROM workspaces WHERE workspace_id = ANY($1) AND deleted_at IS NULL",
    [people.map(({ home_id }) => home_id)]
  )
  const homes = new Map<string, AccountDeletion>(people.map((each) => [each.home_id, each]))
  for (const { workspace_id } of kept) homes.delete(workspace_id)

  const personOf = ({ data, occurred_at, resource, resource_id, workspace_id }: Entry) => {
    if (resource === "workspace") {
      const home = homes.get(workspace_id)
      return data?.["name"] === home?.name ? home : undefined
    }
    // Another user may have the address now: an entry that has an id is about that user.
    if (typeof data?.["user_id"] === "string") return finder.byId(data["user_id"])
    return (
      invited.get(`${workspace_id} ${resource_id}`) ??
      (typeof data?.["email"] === "string" ? finder.byKey(emailKey(data["email"]), occurred_at) : undefined)
    )
  }

  /** Returns the data of an entry about a person without the address or name, or undefined if it has neither. */
  const erased = ({ data, resource }: Entry, person: AccountDeletion) => {
    const [member, text] =
      resource === "workspace" ? ["name", erasedWorkspaceName] : ["email", pseudonymOf(person.user_id)]
    return data === null || typeof data[member] !== "string" || data[member] === text
      ? undefined
      : { ...data, [member]: text }
  }

  // The row of an invitation ends before its entries in the logs, and only the last of these has the id of the user.
  for (const log of logs) {
    yield* scan(sql, log, (rows) =>
      Effect.sync(() => {
        for (const { data, resource, resource_id, workspace_id } of rows) {
          const person = typeof data?.["user_id"] === "string" ? finder.byId(data["user_id"]) : undefined
          if (resource === "invitation" && person !== undefined) invited.set(`${workspace_id} ${resource_id}`, person)
        }
      })
    )
  }

  const erase = (change: string) =>
    Effect.fnUntraced(function* (rows: ReadonlyArray<Entry>) {
      const found = rows.flatMap((entry) => {
        const person = personOf(entry)
        return person === undefined ? [] : [{ entry, data: erased(entry, person) }]
      })
      if (found.length === 0) return
      // First, because an entry with a pseudonym may not be found again after an interruption.
      yield* sql.unsafe(deliveriesText, [
        found.map(({ entry }) => entry.workspace_id),
        found.map(({ entry }) => entry.resource_id)
      ])
      const changed = found.flatMap(({ data, entry }) => (data === undefined ? [] : [{ ...entry, data }]))
      if (changed.length === 0) return
      yield* sql.unsafe(change, [
        changed.map(({ workspace_id }) => workspace_id),
        changed.map(({ place }) => place),
        changed.map(({ data }) => JSON.stringify(data))
      ])
    })
  for (const log of logs) yield* scan(sql, log, erase(log.change))
})
