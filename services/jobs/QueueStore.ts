import { Effect, type Fiber } from "effect"
import { Database } from "../database/Database.ts"
import { type GroupTurns, isFurther, type Waiting } from "./GroupTurns.ts"
import { isGone, ProcessLock } from "../database/ProcessLock.ts"
import type { Table } from "../tables/Table.ts"

/** The columns of the queue; all others belong to its owner. Ids are unique over all workspaces. */
export interface QueueRow {
  readonly id: string
  /** Number of tries that were begun. */
  readonly attempts: number
  /** When the row is due; while it is being tried, when the claim lapses. */
  readonly next_at: string
  readonly created_at: string
}

/** A row that only this process tries. */
export type Claimed<Row extends QueueRow> = Omit<Row, "next_at"> & { readonly workspace_id: string }

/** The table of a queue, and how many of its rows can be claimed at a time. */
export interface Claimable<Row extends QueueRow> {
  /**
   * It has an index on `next_at`, one on `key` and `next_at`, and a column `claimed_by` for the queue alone, with a
   * partial index where it is not null.
   */
  readonly table: Table<Row>
  /** A text column. Its values take turns, however many rows each has. */
  readonly key: (keyof Row & string) | "workspace_id"
  /**
   * Maximum number of concurrent tries of one key: on each node, or on all nodes together if groups of keys take turns.
   */
  readonly concurrencyPerKey: { readonly onEach: number } | { readonly onAll: number; readonly turns: GroupTurns }
}

/** A row that is tried here. */
export interface Claim<Row extends QueueRow> {
  readonly job: Claimed<Row>
  readonly key: string
  /** The group of the key, if groups take turns. */
  readonly group: string
  /** When the try began, in milliseconds. */
  readonly begun: number
  /** Whether it is being cancelled to free its slot; `over`: because its time is over. */
  isCut: false | "surplus" | "over"
  /** When it lapses, as stored in the row. */
  until: string
  fiber: Fiber.Fiber<void> | undefined
}

/**
 * Milliseconds after which a claim lapses that its holder has not renewed: the holder is frozen, or cannot reach the
 * database. The claims of a dead process are detected earlier, by its lock (`ProcessLock`).
 */
export const claimLife = 120_000

const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * The table of a queue: which rows are due, and which process has claimed them. A claim is taken together with its row,
 * is renewed while the row is tried, and ends with the try, or lapses. `Queue` decides what is tried and what follows.
 */
export const make = Effect.fnUntraced(function* <Row extends QueueRow>(options: Claimable<Row>) {
  const { write: sql } = yield* Database
  const processLock = yield* ProcessLock
  const { concurrencyPerKey: perKey, key, table } = options
  const { name } = table

  type Held = ReadonlyMap<string, Claim<Row>>

  // One row of each key, in the order of keys after the one that was served last. The query steps from key to key by
  // index (a loose index scan), so that a key with many rows costs no more than a key with few. (With an equality on
  // the key instead of row comparisons, the planner would use the index on next_at alone, and read the rows of all
  // other keys.)
  const claimText = `WITH RECURSIVE keys AS (
      (SELECT ${key} AS key FROM ${name} WHERE ${key} > $1 AND EXISTS (SELECT FROM ${name} WHERE next_at <= $2)
        ORDER BY ${key} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${key} FROM ${name} WHERE ${key} > keys.key ORDER BY ${key} LIMIT 1)
      FROM keys WHERE keys.key IS NOT NULL
    ), due AS MATERIALIZED (
      SELECT oldest.workspace_id, oldest.id FROM keys CROSS JOIN LATERAL (
        SELECT workspace_id, id FROM ${name}
        WHERE (${key}, next_at) >= (keys.key, '') AND (${key}, next_at) <= (keys.key, $2) AND id <> ALL($4::text[])
        ORDER BY ${key}, next_at LIMIT 1 FOR UPDATE SKIP LOCKED
      ) oldest WHERE keys.key <> ALL($3::text[]) LIMIT $5::int
    )
    UPDATE ${name} t SET attempts = attempts + 1, next_at = $6, claimed_by = $7 FROM due
    WHERE t.workspace_id = due.workspace_id AND t.id = due.id
    RETURNING t.workspace_id, ${table.columnList.replace(/\w+/g, "t.$&")}`

  // The oldest row of a key. A group without a slot on this node comes first; a further try comes last while another
  // one runs. Then groups take turns, and within a group each key has the same chance.
  const nextText = (groupOf: GroupTurns["groupOf"]) => `WITH RECURSIVE keys AS (
      (SELECT ${key} AS key FROM ${name} ORDER BY ${key} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${key} FROM ${name} WHERE ${key} > keys.key ORDER BY ${key} LIMIT 1)
      FROM keys WHERE keys.key IS NOT NULL
    ), due AS (
      SELECT oldest.*, ${groupOf("keys.key")} AS "group" FROM keys CROSS JOIN LATERAL (
        SELECT workspace_id, id, attempts, next_at FROM ${name}
        WHERE (${key}, next_at) >= (keys.key, '') AND (${key}, next_at) <= (keys.key, $2) AND id <> ALL($4::text[])
        ORDER BY ${key}, next_at LIMIT 1
      ) oldest WHERE keys.key <> ALL($3::text[])
    ), next AS (
      SELECT * FROM due
      ORDER BY "group" = ANY($5::text[]), attempts > 0 AND $6::boolean, "group" <= $1, "group", random() LIMIT 1
    )`

  const keyOf = (job: Claimed<Row>) => (job as Readonly<Record<string, unknown>>)[key] as string

  /** Keys that have no free slot on this node. */
  const fullHere = (most: number, held: Held): ReadonlyArray<string> => {
    const counts = new Map<string, number>()
    for (const claim of held.values()) counts.set(claim.key, (counts.get(claim.key) ?? 0) + 1)
    return [...counts].flatMap(([key, count]) => (count >= most ? [key] : []))
  }

  /** Keys that have no free slot on any node. */
  const fullAnywhere = (most: number, now: number) =>
    Effect.map(
      sql.unsafe<{ readonly key: string }>(
        `SELECT ${key} AS key FROM ${name} WHERE claimed_by IS NOT NULL AND next_at > $1
        GROUP BY ${key} HAVING count(*) >= $2::int`,
        [iso(now), String(most)]
      ),
      (rows) => rows.map(({ key }) => key)
    )

  const claimOf = (job: Claimed<Row>, now: number, until: string, group: string): Claim<Row> => ({
    job,
    key: keyOf(job),
    group,
    begun: now,
    isCut: false,
    until,
    fiber: undefined
  })

  const takeEach = Effect.fnUntraced(function* (now: number, capacity: number, last: string, held: Held, most: number) {
    const until = iso(now + claimLife)
    // A row that runs here is not taken again, even if this process was suspended until after the end of its claim.
    const params = [
      last,
      iso(now),
      fullHere(most, held),
      [...held.keys()],
      String(capacity),
      until,
      processLock.holder()
    ]
    const jobs = yield* sql.unsafe<Claimed<Row>>(claimText, params)
    const claims = jobs.map((job) => claimOf(job, now, until, keyOf(job)))
    // The next look continues after the last key; fewer rows than slots mean that all keys had their turn.
    const served = jobs.length < capacity ? "" : claims.reduce((last, { key }) => (key > last ? key : last), "")
    return { claims, served }
  })

  const nextParams = (now: number, last: string, held: Held, full: ReadonlyArray<string>) => {
    const claims = [...held.values()]
    const hasFurther = claims.some(({ job }) => isFurther(job.attempts))
    return [last, iso(now), full, [...held.keys()], claims.map(({ group }) => group), String(hasFurther)]
  }

  /** Claims the next row under a lock, so that each node sees the claims of the others. */
  const takeNext = (now: number, last: string, held: Held, most: number, { groupOf }: GroupTurns) =>
    Effect.gen(function* () {
      yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`claims of ${name}`])
      const until = iso(now + claimLife)
      const params = nextParams(now, last, held, yield* fullAnywhere(most, now))
      const jobs = yield* sql.unsafe<Claimed<Row> & { readonly group: string }>(
        `${nextText(groupOf)} UPDATE ${name} t SET attempts = t.attempts + 1, next_at = $7, claimed_by = $8 FROM next
        WHERE t.workspace_id = next.workspace_id AND t.id = next.id AND t.next_at <= $2
        RETURNING t.workspace_id, ${table.columnList.replace(/\w+/g, "t.$&")}, next."group"`,
        [...params, until, processLock.holder()]
      )
      return { claims: jobs.map((job) => claimOf(job, now, until, job.group)), served: jobs[0]?.group ?? "" }
    }).pipe(sql.withTransaction)

  /**
   * Claims due rows that have a free slot, and returns the key or group that was `served` last; "" when all had their
   * turn. The keys or groups after `last` come first. `held`: the claims of this node, by id.
   */
  const take = (now: number, capacity: number, last: string, held: Held) =>
    "onEach" in perKey
      ? takeEach(now, capacity, last, held, perKey.onEach)
      : takeNext(now, last, held, perKey.onAll, perKey.turns)

  /** The row that would be claimed next if a slot were free; undefined when none is due. */
  const waiting = (now: number, last: string, held: Held, most: number, { groupOf }: GroupTurns) =>
    Effect.gen(function* () {
      const params = nextParams(now, last, held, yield* fullAnywhere(most, now))
      const [row] = yield* sql.unsafe<Waiting>(
        `${nextText(groupOf)} SELECT "group", attempts, next_at FROM next`,
        params
      )
      return row
    })

  /** Makes rows due that dead processes have claimed. */
  const takeOver = (now: number) =>
    sql.unsafe(
      `UPDATE ${name} SET next_at = $1, claimed_by = NULL
      WHERE claimed_by IS NOT NULL AND next_at > $1 AND ${isGone("claimed_by")}`,
      [iso(now)]
    )

  /** Renews those claims that this process still holds, and returns their ids. */
  const renew = (claims: ReadonlyArray<Claim<Row>>, until: string) =>
    Effect.map(
      sql.unsafe<{ readonly id: string }>(
        `UPDATE ${name} t SET next_at = $1, claimed_by = $6
        FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS held (workspace_id, id, attempts, until)
        WHERE t.workspace_id = held.workspace_id AND t.id = held.id AND t.attempts = held.attempts::int
          AND t.next_at = held.until RETURNING t.id`,
        [
          until,
          claims.map(({ job }) => job.workspace_id),
          claims.map(({ job }) => job.id),
          claims.map(({ job }) => String(job.attempts)),
          claims.map((claim) => claim.until),
          processLock.holder()
        ]
      ),
      (rows) => new Set(rows.map(({ id }) => id))
    )

  /** Changes a row if this process still holds its claim. */
  const settle = (job: Claimed<Row>, statement: string, ...params: ReadonlyArray<string>) =>
    // A row that was deleted and added again has another time.
    sql.unsafe(`${statement} WHERE workspace_id = $1 AND id = $2 AND attempts = $3::int AND created_at = $4`, [
      job.workspace_id,
      job.id,
      String(job.attempts),
      job.created_at,
      ...params
    ])
  const end = (job: Claimed<Row>) => settle(job, `DELETE FROM ${name}`)
  const postpone = (job: Claimed<Row>, next_at: string) =>
    settle(job, `UPDATE ${name} SET next_at = $5, claimed_by = NULL`, next_at)
  /** Undoes the claim: the try does not count. */
  const release = (job: Claimed<Row>, now: string) =>
    settle(job, `UPDATE ${name} SET attempts = attempts - 1, next_at = $5, claimed_by = NULL`, now)

  /** When, after a time, the next row is due or the next claim lapses; undefined if there is no row. */
  const nextAfter = (now: number) =>
    Effect.map(
      sql.unsafe<{ readonly next_at: string }>(
        `SELECT next_at FROM ${name} WHERE next_at > $1 ORDER BY next_at LIMIT 1`,
        [iso(now)]
      ),
      ([row]) => row?.next_at
    )

  /** When the oldest due row became due; undefined when none is due. */
  const overdue = (now: number) =>
    Effect.map(
      sql.unsafe<{ readonly next_at: string }>(
        `SELECT next_at FROM ${name} WHERE next_at <= $1 ORDER BY next_at LIMIT 1`,
        [iso(now)]
      ),
      ([row]) => row?.next_at
    )

  /** When the next row without a claim is or was due, in Unix milliseconds; Infinity if there is none. */
  const nextDue = Effect.map(
    sql.unsafe<{ readonly next_at: string }>(
      `SELECT next_at FROM ${name} WHERE claimed_by IS NULL ORDER BY next_at LIMIT 1`
    ),
    ([row]) => (row === undefined ? Infinity : Date.parse(row.next_at))
  )

  const count = Effect.map(
    sql.unsafe<{ readonly count: number }>(`SELECT count(*)::int AS count FROM ${name}`),
    ([row]) => row!.count
  )

  return { take, waiting, takeOver, renew, end, postpone, release, nextAfter, nextDue, overdue, count }
})
