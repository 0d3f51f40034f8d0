import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { EventType } from "../EventTypes.ts"
import type { Head } from "./WriterCache.ts"
import { setChanges } from "./ChangeSetLog.ts"
import { type Change, eventId } from "./LogEntry.ts"
import { Draft, type DraftOptions } from "./Draft.ts"
import { logged } from "./Statement.ts"

/** One change to each of many records of a type, as one set-based statement. */
interface Bulk {
  readonly type: EventType
  readonly resource: string
  /** The records, in the order in which they change. */
  readonly ids: ReadonlyArray<string>
  /**
   * Common table expressions after `given (id, seq, event_id, least_revision)`, the last of which is `changed (id,
   * note_id, revision, deleted, bytes)`: each note, or record that follows its note, after its change. Parameters: $1 to $6 are given, $2 the workspace, $3 now
   * and $4 the user.
   */
  readonly change: string
  readonly params: ReadonlyArray<unknown>
  /** The data of the log entries. */
  readonly data?: object
}

/** Adds changes of notes to a change set. The statement sees the notes as they were. */
const grouped = (place: number): string => `INSERT INTO ${setChanges.name} (workspace_id, ${setChanges.columnList})
  SELECT l.workspace_id, $${place}::text, l.resource, l.resource_id, l.seq, l.version, l.deleted, l.bytes,
    CASE WHEN n.deleted_at IS NULL THEN n.version END, NULL::json, l.note_id
  FROM log l JOIN notes n ON n.workspace_id = l.workspace_id AND n.id = l.resource_id`

/** Maximum number of records that one statement changes, in about 20 ms. */
const atOnce = 256

/**
 * The draft as a locked draft. Throws if the head was not locked when the write began: that is a mistake in the code.
 */
export const lockedDraft = (draft: Draft): LockedDraft => {
  if (!(draft instanceof LockedDraft))
    throw new Error("a write that needs the head locked runs inside a write that has not locked it")
  return draft
}

/** A draft in a transaction that locks the head (pessimistic lock): it may use SQL, and no other node can write. */
export class LockedDraft extends Draft {
  #settledWitness: Change | undefined
  readonly #store: (draft: LockedDraft) => Effect.Effect<void, SqlError.SqlError>

  /** `store` writes the contents of the draft to the transaction. */
  constructor(options: DraftOptions, store: (draft: LockedDraft) => Effect.Effect<void, SqlError.SqlError>) {
    super(options)
    this.#store = store
  }

  /** The transaction. Its SQL does not see the contents of the draft: call `settle` first. */
  get sql(): PgClient {
    return this.client
  }

  /** Executes SQL that neither needs nor changes what the draft contains, and returns its rows. */
  runSql<Row extends object = Record<string, unknown>>(
    text: string,
    params?: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<Row>> {
    return Effect.orDie(this.sql.unsafe<Row>(text, params))
  }

  /** Changes rows by an SQL statement. Settles the draft first, and drops cached reads afterwards. */
  execute<Row extends object = Record<string, unknown>>(
    text: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<Row>> {
    return this.settle().pipe(
      Effect.flatMap(() => this.runSql<Row>(text, params)),
      Effect.tap(() => Effect.sync(() => this.clearRead()))
    )
  }

  /** Runs the method in a savepoint of the transaction, since it may use SQL. */
  override attempt<A, E, R>(method: (draft: this) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(this.settle(), () => {
      const head = { ...this.head }
      const inner = Effect.tap(
        Effect.suspend(() => method(this)),
        () => this.settle()
      )
      return this.sql.withTransaction(inner).pipe(
        Effect.catchTag("SqlError", Effect.die),
        Effect.onError(() => Effect.sync(() => this.rewind(head)))
      ) as Effect.Effect<A, E, R>
    })
  }

  /** Writes the contents of the draft to the transaction, which stays open: a later failure still undoes everything. */
  settle(): Effect.Effect<void> {
    return Effect.orDie(
      Effect.suspend(() =>
        this.isEmpty
          ? Effect.void
          : Effect.map(this.#store(this), () => {
              this.#settledWitness = this.witness
              this.expected = this.head.seq
              this.appended = []
              this.clear()
            })
      )
    )
  }

  /**
   * Changes many records, each with its own seq and log entry. Each statement changes at most `atOnce` of them, and the
   * next is sent when this process gets to it: while the process is busy, PostgreSQL is not kept busy for long.
   */
  readonly appendMany = Effect.fnUntraced({ self: this as LockedDraft }, function* (bulk: Bulk) {
    if (bulk.ids.length === 0) return
    yield* this.settle()
    const { device_id, ip, user_id, via = null } = this.actor
    const { least_revision } = this.head
    const isGrouped = via?.change_set_id !== undefined && bulk.resource === "note"
    if (isGrouped) this.isGrouped = true
    /** The parameter after those of the change. */
    const place = 7 + bulk.params.length
    const last = [bulk.data, via].map((value) => (value == null ? null : JSON.stringify(value)))
    const text = `WITH given AS (SELECT * FROM json_to_recordset($1::json) AS a(id text, seq bigint, event_id text, least_revision int)),
      ${bulk.change},
      log AS (
        SELECT $2::text AS workspace_id, given.seq, given.event_id AS id, '${bulk.type}' AS type,
          '${bulk.resource}' AS resource, id AS resource_id, revision AS version, $4::text AS actor_id,
          $5::text AS device_id, $6::text AS ip, $${place}::json AS data, note_id,
          ${bulk.resource !== "note"} AS with_note, $${place + 1}::json AS via, NULL::text AS conflict_of,
          $3::text AS occurred_at, deleted, bytes, false AS is_new
        FROM given JOIN changed USING (id)
      ), ${[...logged, ...(isGrouped ? [`grouped AS (${grouped(place + 2)})`] : [])].join(", ")} SELECT count(*) FROM log`
    for (let from = 0; from < bulk.ids.length; from += atOnce) {
      const first = this.head.seq + 1
      const given = bulk.ids.slice(from, from + atOnce).map((id, index) => {
        const seq = first + index
        return { id, seq, event_id: eventId(this.randomness, seq), least_revision }
      })
      const params = [
        JSON.stringify(given),
        this.workspace_id,
        this.now,
        user_id,
        device_id,
        ip,
        ...bulk.params,
        ...last,
        ...(isGrouped ? [via.change_set_id] : [])
      ]
      yield* this.runSql(text, params)
      this.head.seq += given.length
    }
    this.clearRead()
  })

  /** Resets the draft after a rollback to a savepoint, with the head as it was then. */
  rewind(head: Head): void {
    Object.assign(this.head, head)
    this.expected = head.seq
    this.appended = []
    this.clear()
  }

  override get witness(): Change | undefined {
    return super.witness ?? this.#settledWitness
  }
}
