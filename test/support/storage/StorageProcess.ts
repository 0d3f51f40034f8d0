import { PgConnection } from "@effect/sql-pg"
import { Cause, type Context, Effect, Exit, Layer, ManagedRuntime, Redacted } from "effect"
import { Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { expect, inject } from "vitest"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { dropDatabase } from "../servers/Databases.ts"
import { ChangeLog } from "../../../services/writer/ChangeLog.ts"
import { Committer } from "../../../services/writer/Committer.ts"
import { Database } from "../../../services/database/Database.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import { IdempotencyKeys } from "../../../services/writer/IdempotencyKeys.ts"
import { NodeBus } from "../../../services/database/NodeBus.ts"
import { ProcessLock } from "../../../services/database/ProcessLock.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { Writer } from "../../../services/writer/Writer.ts"

type Services = Writer | Committer | ChangeLog | Database

/** The storage layers of one node, on a database that other nodes may share. */
export interface StorageProcess {
  readonly writer: Context.Service.Shape<typeof Writer>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<Exit.Exit<A, E>>
  readonly stop: () => Promise<void>
}

/** A migrated database with workspaces and two additional tables. */
export interface TestDatabase {
  readonly name: string
  /** Runs a statement on a separate connection, without Sheaf. */
  readonly sql: (text: string, params?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<any>>
  readonly workspace: () => Promise<WorkspaceId>
  /** Ends the connections of every Sheaf process on this database. */
  readonly terminate: () => Promise<void>
  readonly drop: () => Promise<void>
}

const query = (database: string, text: string, params: ReadonlyArray<unknown> = []) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        PgConnection.make({ ...inject("postgres"), host: inject("postgres").socketDirectory, database }),
        (connection) => Effect.map(connection.query(text, params), (result) => result.rows as ReadonlyArray<any>)
      )
    )
  )

const layerOf = (socketDirectory: string, database: string) =>
  Writer.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Committer.layer, ChangeLog.layer)),
    Layer.provide(Layer.provide(IdempotencyKeys.layer, ProcessLock.layer)),
    Layer.provide(Secrets.layer({ current: Redacted.make(new Uint8Array(32)), previous: undefined })),
    Layer.provideMerge(NodeBus.layer({ alone: false })),
    Layer.provideMerge(Database.layer({ ...inject("postgres"), socketDirectory, database }))
  )

/** Creates an empty database with the schema and the two tables. */
export const createDatabase = async (): Promise<TestDatabase> => {
  const name = `writer_${randomBytes(8).toString("hex")}`
  await query("postgres", `CREATE DATABASE ${name}`)
  const sql = (text: string, params?: ReadonlyArray<unknown>) => query(name, text, params)
  await Effect.runPromise(
    Migrations.run(Effect.void).pipe(
      Effect.provide(Database.layer({ ...inject("postgres"), database: name })),
      Effect.orDie
    )
  )
  await sql(`CREATE TABLE items (
    workspace_id text, id text, value int CHECK (value >= 0), revision int, body text, PRIMARY KEY (workspace_id, id)
  )`)
  await sql(`CREATE TABLE labels (
    workspace_id text, id text, name text, uses int, PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, name) DEFERRABLE INITIALLY DEFERRED
  )`)
  return {
    name,
    sql,
    workspace: async () => {
      const id: WorkspaceId = `ws_${randomBytes(8).toString("hex")}`
      await sql("INSERT INTO workspaces VALUES ($1, $1, $1, 'team', 1, '2026-01-01', NULL)", [id])
      await sql("INSERT INTO heads VALUES ($1, 0, 'epoch', 0)", [id])
      return id
    },
    terminate: async () => {
      await sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sheaf' AND datname = $1",
        [name]
      )
    },
    drop: async () => void (await dropDatabase(name))
  }
}

/** Starts the storage layers on a database. */
export const startProcess = async (
  database: TestDatabase,
  options: {
    readonly socketDirectory?: string
    /** Operations that a fiber runs before it yields; small numbers expose dependencies on the order of fibers. */
    readonly steps?: number
    readonly clock?: "test" | "live"
  } = {}
): Promise<StorageProcess> => {
  const storage = layerOf(options.socketDirectory ?? inject("postgres").socketDirectory, database.name)
  const base = Layer.mergeAll(
    Layer.succeed(Scheduler.MaxOpsBeforeYield, options.steps ?? 2048),
    options.clock === "test" ? TestClock.layer({ warningDelay: "1 hour" }) : Layer.empty
  )
  const runtime = ManagedRuntime.make(storage.pipe(Layer.provideMerge(base)))
  const writer = await runtime.runPromise(Effect.service(Writer))
  return { writer, run: (effect) => runtime.runPromiseExit(effect) as Promise<any>, stop: () => runtime.dispose() }
}

/** Locks a workspace's head in another transaction until the returned function is called. */
export const holdHead = async (at: StorageProcess, workspace: string): Promise<() => Promise<void>> => {
  const isTaken = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<void>()
  const holding = at.run(
    Effect.flatMap(Effect.service(Database), ({ write: sql }) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe("SET LOCAL idle_in_transaction_session_timeout = 0")
          yield* sql.unsafe("SELECT 1 FROM heads WHERE workspace_id = $1 FOR UPDATE", [workspace])
          isTaken.resolve()
          yield* Effect.promise(() => isOver.promise)
        })
      )
    )
  )
  await Promise.race([isTaken.promise, holding])
  return async () => {
    isOver.resolve()
    const exit = await holding
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  }
}

/** Waits until a statement on the database waits for a lock. */
export const untilHeld = (database: TestDatabase) =>
  expect
    .poll(() =>
      database.sql("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    )
    .not.toEqual([])
