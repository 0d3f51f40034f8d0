import { Clock, Data, type Duration, Effect, type Fiber, FiberSet, Latch, Metric, Schedule } from "effect"
import { Database } from "./Database.ts"
import { NodeBus } from "./NodeBus.ts"
import { isGone, Presence } from "./Presence.ts"
import type { Table } from "./Table.ts"

/** What the queue keeps in a row; all else in it is its owner's. Ids differ over all workspaces. */
export interface QueueRow {
  readonly id: string
  /** How many tries were begun. */
  readonly attempts: number
  /** When it is due. Of one that is being tried: when the claim lapses. */
  readonly next_at: string
  readonly created_at: string
}

/** A row that this process alone tries. */
export type Claimed<Row extends QueueRow> = Omit<Row, "next_at"> & { readonly workspace_id: string }

/** A try failed; another one may not. */
export class Retry extends Data.TaggedError("Retry")<{ readonly reason: string }> {}

/** A try failed, and so would all others. */
export class Drop extends Data.TaggedError("Drop")<{ readonly reason: string }> {}

export type Failure =
  | { readonly outcome: "retried"; readonly reason: string; readonly next_at: string }
  | { readonly outcome: "dropped" | "given_up"; readonly reason: string }

export type Outcome = "done" | Failure["outcome"]

export interface Options<Row extends QueueRow> {
  /**
   * Has an index on `next_at`, one on `key` and `next_at`, and a column `claimed_by` that is the queue's own, with an index
   * of where it is set.
   */
  readonly table: Table<Row>
  /** A text column. Its values take turns, however many rows each of them has. */
  readonly key: (keyof Row & string) | "workspace_id"
  /** How much is tried at a time on this node. */
  readonly concurrency: number
  /** How much of one key is: on each node, or on all of them together. */
  readonly concurrencyPerKey: { readonly onEach: number } | { readonly onAll: number }
  /** One try. It bounds its own time, and may be repeated: a node can die before it is known to be done. */
  readonly run: (job: Claimed<Row>) => Effect.Effect<void, Retry | Drop>
  /**
   * Milliseconds from a failed try to the next one; undefined gives up. `age`: the milliseconds since the row was made.
   * For an age of 0 it also tells whether a try that nobody saw the end of was the last.
   */
  readonly backoff: (attempt: number, age: number) => number | undefined
  /** Hears of a failed try, before what becomes of it is stored. */
  readonly failed: (job: Claimed<Row>, failure: Failure) => Effect.Effect<void>
  /** What the outcomes are called in the metrics. */
  readonly outcomes: Readonly<Record<Outcome, string>>
  /** What is under way when the service ends may still be ended. */
  readonly drain: Duration.Input
}

/**
 * How long after a failed try the next one comes, in milliseconds: the last delay holds for all further ones. What is so
 * old that it would be older than `patience` by then is given up.
 */
export const backoffBy =
  (delays: readonly [number, ...ReadonlyArray<number>], patience: number): Options<QueueRow>["backoff"] =>
  (attempt, age) => {
    const delay = delays[attempt - 1] ?? delays.at(-1)!
    return age + delay > patience ? undefined : delay
  }

/** A row that is tried here. */
interface Claim<Row extends QueueRow> {
  readonly job: Claimed<Row>
  readonly key: string
  /** When it lapses, as it stands in the row. */
  until: string
  fiber: Fiber.Fiber<void> | undefined
}

/**
 * A claim lapses when its holder has not renewed it for so long: it is frozen, or cannot reach the database. Of one that
 * has died the others see it at once.
 */
const claimLife = 120_000
const renewEvery = 30_000
/** What nobody said that it is there is found after so long. */
const lookEvery = 5_000

/** As the sockets are, also when the program runs on a test's clock. */
const inRealTime = Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())

const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * Work that is stored: rows of a table, each tried until it is done, dropped or given up, at least once and never by two
 * processes at a time. Owners add rows in the commit of the change that they tell of, and then `wake` the queue. A row
 * ends with its work: what is to be remembered of it is kept by its owner, elsewhere.
 */
export const make = Effect.fnUntraced(function* <Row extends QueueRow>(options: Options<Row>) {
  const { write: sql } = yield* Database
  const bus = yield* NodeBus
  const presence = yield* Presence
  const { concurrency, concurrencyPerKey: perKey, key, table } = options
  const { name } = table

  const awake = Latch.makeUnsafe()
  const claims = new Map<string, Claim<Row>>()
  /** The key that had the last turn. */
  let served = ""
  /** When it was last looked for claims of those that have died: so soon also at the start. */
  let tookOverAt = Number.NEGATIVE_INFINITY
  /** There is work that other nodes do not know of. */
  let isNew = false

  const tries = Metric.counter(`sheaf_${name}_total`, {
    description: `Tries of ${name}, by what came of them: ${Object.values(options.outcomes).join(", ")}`,
    incremental: true
  })
  const waiting = Metric.gauge(`sheaf_${name}_waiting`, {
    description: `Rows of ${name} that are not ended, of all nodes`
  })
  const running = Metric.gauge(`sheaf_${name}_running`, {
    description: `Tries of ${name} that are under way on this node`
  })
  const counted = (outcome: Outcome) =>
    Metric.update(Metric.withAttributes(tries, { outcome: options.outcomes[outcome] }), 1)
  const countRunning = Effect.suspend(() => Metric.update(running, claims.size))

  // One row of each key, in the order of the keys from the last served on. Keys are stepped through by their index, not
  // by their rows: one with many rows is no farther from the next key than one with few. (Of an equal key the index on
  // next_at alone would be taken, through the rows of all others.)
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

  const keyOf = (job: Claimed<Row>) => (job as Readonly<Record<string, unknown>>)[key] as string

  /** Keys of which this node has no room for more. */
  const fullHere = (most: number): ReadonlyArray<string> => {
    const counts = new Map<string, number>()
    for (const claim of claims.values()) counts.set(claim.key, (counts.get(claim.key) ?? 0) + 1)
    return [...counts].flatMap(([key, count]) => (count >= most ? [key] : []))
  }

  /** Keys of which as much is claimed as may be. */
  const fullAnywhere = (most: number, now: number) =>
    Effect.map(
      sql.unsafe<{ readonly key: string }>(
        `SELECT ${key} AS key FROM ${name} WHERE claimed_by IS NOT NULL AND next_at > $1
        GROUP BY ${key} HAVING count(*) >= $2::int`,
        [iso(now), String(most)]
      ),
      (rows) => rows.map(({ key }) => key)
    )

  const claimed = Effect.fnUntraced(function* (now: number, room: number, full: ReadonlyArray<string>) {
    const until = iso(now + claimLife)
    // What runs here is not taken again, also when this process slept through the end of its claim.
    const params = [served, iso(now), full, [...claims.keys()], String(room), until, presence.holder()]
    const jobs = yield* sql.unsafe<Claimed<Row>>(claimText, params)
    return jobs.map((job): Claim<Row> => ({ job, key: keyOf(job), until, fiber: undefined }))
  })

  /** Claims what there is room for: one of each key at most. */
  const claimSome = (now: number, room: number) =>
    "onEach" in perKey
      ? claimed(now, room, fullHere(perKey.onEach))
      : // One node after the other, each of which sees what the one before has claimed.
        Effect.gen(function* () {
          yield* sql.unsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`claims of ${name}`])
          return yield* claimed(now, room, yield* fullAnywhere(perKey.onAll, now))
        }).pipe(sql.withTransaction)

  /** Unless the claim is no longer ours. */
  const settle = (job: Claimed<Row>, statement: string, ...params: ReadonlyArray<string>) =>
    sql.unsafe(`${statement} WHERE workspace_id = $1 AND id = $2 AND attempts = $3::int`, [
      job.workspace_id,
      job.id,
      String(job.attempts),
      ...params
    ])
  const end = (job: Claimed<Row>) => settle(job, `DELETE FROM ${name}`)

  const giveUp = (job: Claimed<Row>, outcome: "dropped" | "given_up", reason: string) =>
    options.failed(job, { outcome, reason }).pipe(Effect.andThen(end(job)), Effect.andThen(counted(outcome)))

  const failed = Effect.fnUntraced(function* (job: Claimed<Row>, error: Retry | Drop) {
    const { reason } = error
    if (error._tag === "Drop") return yield* giveUp(job, "dropped", reason)
    const now = yield* Clock.currentTimeMillis
    const delay = options.backoff(job.attempts, now - Date.parse(job.created_at))
    if (delay === undefined) return yield* giveUp(job, "given_up", reason)
    const next_at = iso(now + delay)
    yield* options.failed(job, { outcome: "retried", reason, next_at })
    yield* settle(job, `UPDATE ${name} SET next_at = $4, claimed_by = NULL`, next_at)
    yield* counted("retried")
  })

  const done = (job: Claimed<Row>) => Effect.andThen(end(job), counted("done"))

  /** A try that was cut short counts for nothing: the next start, or another node, begins it anew. */
  const release = Effect.fnUntraced(function* (job: Claimed<Row>) {
    const now = iso(yield* Clock.currentTimeMillis)
    yield* settle(job, `UPDATE ${name} SET attempts = attempts - 1, next_at = $4, claimed_by = NULL`, now).pipe(
      Effect.interruptible,
      Effect.timeout("2 seconds"),
      inRealTime,
      // The claim lapses.
      Effect.catchCause((cause) => Effect.logWarning(`${name} ${job.id} could not be released`, cause))
    )
  })

  const attempt = (job: Claimed<Row>) =>
    Effect.catchDefect(options.run(job), (defect) =>
      Effect.andThen(
        Effect.logWarning(`a try of ${name} ${job.id} broke`, defect),
        new Retry({ reason: "a defect of the service" })
      )
    )

  const deal = (job: Claimed<Row>) =>
    Effect.uninterruptibleMask((restore) =>
      // The process may have died of it each time.
      job.attempts > 1 && options.backoff(job.attempts - 1, 0) === undefined
        ? giveUp(job, "given_up", "the last try was not seen to end")
        : Effect.matchEffect(
            Effect.onInterrupt(restore(attempt(job)), () => release(job)),
            {
              onSuccess: () => done(job),
              onFailure: (error) => failed(job, error)
            }
          )
    ).pipe(
      // The claim lapses, and it is tried again.
      Effect.catchCause((cause) => Effect.logWarning(`${name} ${job.id} could not be dealt with`, cause)),
      Effect.ensuring(
        Effect.suspend(() => {
          claims.delete(job.id)
          awake.openUnsafe()
          return countRunning
        })
      )
    )

  const underWay = yield* FiberSet.make<void>()

  /** Begins what is due and there is room for. Answers with the time by which nothing more was; undefined without room. */
  const begin = Effect.fnUntraced(function* () {
    while (claims.size < concurrency) {
      const now = yield* Clock.currentTimeMillis
      const room = concurrency - claims.size
      const isFromStart = served === ""
      const next = yield* claimSome(now, room)
      // All others came after it, or their turn is when the keys have been gone through.
      served = next.length < room ? "" : next.reduce((last, { key }) => (key > last ? key : last), "")
      for (const claim of next) claims.set(claim.job.id, claim)
      yield* countRunning
      for (const claim of next) claim.fiber = yield* FiberSet.run(underWay, Effect.interruptible(deal(claim.job)))
      if (next.length === 0 && isFromStart) return now
    }
    return undefined
  })

  /** What those held that have died is due. */
  const takeOver = (now: number) =>
    sql.unsafe(
      `UPDATE ${name} SET next_at = $1, claimed_by = NULL
      WHERE claimed_by IS NOT NULL AND next_at > $1 AND ${isGone("claimed_by")}`,
      [iso(now)]
    )

  /** Answers with the milliseconds until the next look: each try that ends leads to one as well. */
  const look = Effect.fnUntraced(function* () {
    const wasNew = isNew
    isNew = false
    const begun = yield* Clock.currentTimeMillis
    // A clock that is set back does not keep it waiting.
    if (Math.abs(begun - tookOverAt) >= lookEvery) {
      tookOverAt = begun
      yield* takeOver(begun)
    }
    const now = yield* begin()
    if (now === undefined) {
      if (wasNew) bus.tellWork(name)
      return lookEvery
    }
    const [row] = yield* sql.unsafe<{ readonly next_at: string }>(
      `SELECT next_at FROM ${name} WHERE next_at > $1 ORDER BY next_at LIMIT 1`,
      [iso(now)]
    )
    if (row === undefined) return lookEvery
    return Math.max(0, Math.min(lookEvery, Date.parse(row.next_at) - (yield* Clock.currentTimeMillis)))
  })

  const kept = <A, E>(what: string, work: Effect.Effect<A, E>, otherwise: A) =>
    Effect.catchCause(work, (cause) => Effect.as(Effect.logWarning(what, cause), otherwise))

  /** Renews all claims, and ends the tries whose claim is lost, or would be before it can be renewed again. */
  const renew = Effect.fnUntraced(function* () {
    const held = [...claims.values()]
    if (held.length === 0) return
    const until = iso((yield* Clock.currentTimeMillis) + claimLife)
    const renewed = sql
      .unsafe<{ readonly id: string }>(
        `UPDATE ${name} t SET next_at = $1, claimed_by = $6
        FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS held (workspace_id, id, attempts, until)
        WHERE t.workspace_id = held.workspace_id AND t.id = held.id AND t.attempts = held.attempts::int
          AND t.next_at = held.until RETURNING t.id`,
        [
          until,
          held.map(({ job }) => job.workspace_id),
          held.map(({ job }) => job.id),
          held.map(({ job }) => String(job.attempts)),
          held.map((claim) => claim.until),
          presence.holder()
        ]
      )
      .pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id))),
        Effect.timeout(renewEvery / 2),
        inRealTime
      )
    const ids = yield* kept(`claims of ${name} were not renewed`, renewed, undefined)
    const beforeNext = iso((yield* Clock.currentTimeMillis) + 2 * renewEvery)
    for (const claim of held) {
      if (ids?.has(claim.job.id) === true) claim.until = until
      else if (ids !== undefined || claim.until <= beforeNext) claim.fiber?.interruptUnsafe()
    }
  })
  yield* Effect.forkScoped(Effect.repeat(renew(), Schedule.spaced(renewEvery)))

  // Claims are renewed meanwhile.
  yield* Effect.addFinalizer(() =>
    inRealTime(Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(underWay)), options.drain))
  )

  yield* bus.hear({ work: (queue) => void (queue === name && awake.openUnsafe()) })

  // What is claimed is begun: an end in between would leave it to lie until the claim lapses.
  const lookOn = Effect.gen(function* () {
    let pause = lookEvery
    while (true) {
      yield* Effect.timeoutOption(awake.await, pause)
      awake.closeUnsafe()
      pause = yield* Effect.uninterruptible(kept(`${name} that are due were not looked for`, look(), lookEvery))
    }
  })
  yield* Effect.forkScoped(lookOn)

  const count = Effect.flatMap(
    sql.unsafe<{ readonly count: number }>(`SELECT count(*)::int AS count FROM ${name}`),
    ([row]) => Metric.update(waiting, row!.count)
  )
  const counts = Effect.repeat(kept(`${name} were not counted`, count, undefined), Schedule.spaced("15 seconds"))
  yield* Effect.forkScoped(Effect.delay(counts, "5 seconds"))

  return {
    /** There is new work: said after its commit. Unsaid, it is found within five seconds. */
    wake: Effect.sync(() => {
      isNew = true
      awake.openUnsafe()
    })
  }
})
