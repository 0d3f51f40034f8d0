import { PgConnection } from "@effect/sql-pg"
import { type Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { copyOfTemplate, dropDatabase } from "./servers/Databases.ts"
import type { WorkspaceId } from "../../services/Ids.ts"
import { Outgoing } from "../../services/outgoing/Outgoing.ts"
import * as Tokens from "../../services/Tokens.ts"
import type { Blobs } from "../../services/files/Blobs.ts"
import { Database } from "../../services/database/Database.ts"
import { DiskSpace, type Space } from "../../services/files/DiskSpace.ts"
import { NodeBus } from "../../services/database/NodeBus.ts"
import { Secrets } from "../../services/secrets/Secrets.ts"
import { planDefaults, type Policies } from "../../services/workspaces/Plans.ts"
import * as App from "../../src/App.ts"
import type { Settings } from "../../src/Config.ts"
import * as Ports from "../../src/Ports.ts"
import { contract } from "./Contract.ts"
import { LeapClock } from "./LeapClock.ts"

/** A response of the API. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  // `any`, so that tests read it freely, as a client in any language does.
  readonly body: any
  readonly text: string
}

/** An entry of the log. */
export interface LoggedChange {
  readonly seq: number
  readonly type: string
  readonly resource: string
  readonly resource_id: string
  readonly version: number | null
  readonly data: any
}

/** A running Sheaf: the whole App with its own database, listening on a real socket. */
export interface TestApp {
  /** The `{base_url}`, with `/v2`. */
  readonly url: string
  /** The bootstrap API key. */
  readonly key: string
  readonly workspace_id: WorkspaceId
  readonly database: string
  readonly dataDir: string
  /**
   * Sends a request, with a JSON body and the bootstrap key unless `headers` override them. Throws when the response
   * does not match the API description.
   */
  readonly call: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<ApiResponse>
  /** The log entries after a sequence number. */
  readonly changesAfter: (seq: number) => Promise<ReadonlyArray<LoggedChange>>
  /** The sequence number of the newest log entry. */
  readonly seq: () => Promise<number>
  /** Runs a statement on the App's database and returns the rows. */
  readonly sql: (text: string, params?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<any>>
  /** Runs an effect with the services of this App. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, any>) => Promise<A>
  /** Moves the App's clock. Requires the test clock. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /**
   * Waits until the hourly jobs have finished, so that the next move of the clock can start them. Requires the test
   * clock.
   */
  readonly jobsDone: () => Promise<void>
  /** Stops the App, and drops its database unless another TestApp owns it. */
  readonly stop: () => Promise<void>
}

/** Options of an App, all with defaults for tests. */
export interface TestAppOptions {
  /** Uses the database of another TestApp: a second node. */
  readonly databaseOf?: TestApp
  /** `test` (default): a clock that moves only by `advance`. */
  readonly clock?: "test" | "live"
  readonly settings?: Partial<Settings>
  /** Wraps the file store, for example with `FaultyBlobs`. */
  readonly blobs?: (real: Layer.Layer<Blobs>) => Layer.Layer<Blobs>
  /** The directory of the PostgreSQL socket to use, for example that of a proxy. */
  readonly socketDirectory?: string
  /** Replaces the measurement of free disk space. */
  readonly disk?: { readonly measure: Effect.Effect<Space> }
  /** Replaces requests to users' URLs, for a test with its own host names and certificates. */
  readonly outgoing?: Layer.Layer<Outgoing>
}

const noNames = () => Promise.reject(Object.assign(new Error("no names here"), { code: "ENOTFOUND" }))

/** The start of the test clock. */
export const epoch = Date.parse("2026-03-01T12:00:00.000Z")

const untimed = { invitations_per_hour: 0, invitations_per_day: 0 }

/** The limits of plans, without limits per hour and day, because the test clock does not move by itself. */
export const planLimits: Policies["limits"] = {
  free: { ...planDefaults.free, ...untimed },
  plus: { ...planDefaults.plus, ...untimed },
  team: { ...planDefaults.team, ...untimed }
}

const secretKey = Redacted.make(new Uint8Array(32).fill(7))

const connect = (database: string) =>
  PgConnection.make({ ...inject("postgres"), host: inject("postgres").socketDirectory, database })

const onServer = (text: string) =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(connect("postgres"), (connection) => connection.query(text))))

/** Starts an App on a new copy of the template database. Prefer `useApp`, which also stops it. */
export const startApp = async (options: TestAppOptions = {}): Promise<TestApp> => {
  const database = options.databaseOf?.database ?? `test_${randomBytes(8).toString("hex")}`
  if (options.databaseOf === undefined) await onServer(copyOfTemplate(database))
  const key = options.databaseOf?.key ?? Redacted.value(Tokens.make("sfk"))
  const dataDir = mkdtempSync(join(tmpdir(), "sheaf-app-"))
  const settings: Settings = {
    port: 0,
    host: "127.0.0.1",
    publicUrl: "http://sheaf.test",
    dataDir,
    databaseUrl: undefined,
    secretKey,
    secretKeyPrevious: undefined,
    streamsPerCredential: 10,
    searchMemory: 256 * 1024 * 1024,
    bootstrapEmail: "owner@sheaf.test",
    bootstrapApiKey: Redacted.make(key),
    bootstrapPassword: undefined,
    redisUrl: undefined,
    s3Access: undefined,
    s3: undefined,
    backupTo: undefined,
    backupRecipients: [],
    backupEvery: undefined,
    backupKeep: 7,
    smtpUrl: undefined,
    mailFrom: undefined,
    policies: { signUp: "open", planChanges: "owner", limits: planLimits, ownedWorkspaces: 10 },
    trustedProxies: [],
    webhookAllow: [],
    // Off, because the test clock does not move by itself and the window would never end.
    rateLimit: 0,
    // The lowest cost: tests do not need expensive password hashes.
    passwordCost: 4,
    shutdownDelay: 0,
    metricsToken: undefined,
    otlp: undefined,
    logLevel: "error",
    logFormat: "json",
    quiet: true,
    ...options.settings
  }
  const postgres = {
    ...inject("postgres"),
    ...(options.socketDirectory && { socketDirectory: options.socketDirectory })
  }
  const disk = DiskSpace.layer({ directory: dataDir, reserve: false, ...options.disk })
  const ports = Layer.mergeAll(
    NodeBus.layer({ alone: false }).pipe(Layer.provideMerge(Database.layer({ ...postgres, database }))),
    Secrets.layer({ current: settings.secretKey!, previous: settings.secretKeyPrevious }),
    Ports.mailer(settings),
    (options.blobs ?? ((real) => real))(Layer.provide(Ports.blobs(settings), disk)),
    disk,
    Ports.counters(settings),
    // Tests send no DNS queries.
    options.outgoing ?? Outgoing.layer({ allow: settings.webhookAllow, resolve: noNames })
  )
  const clock = options.clock === "live" ? Layer.empty : LeapClock.layer(epoch)
  const runtime = ManagedRuntime.make(App.layer(settings, ports).pipe(Layer.provideMerge(clock)))
  const run = <A, E>(effect: Effect.Effect<A, E, any>): Promise<A> => runtime.runPromise(effect as Effect.Effect<A, E>)
  const { address } = await run(Effect.service(HttpServer.HttpServer))
  if (address._tag === "UnixPathAddress") throw new Error("the server has no port")
  const url = `http://127.0.0.1:${address.port}/v2`
  const sql = (text: string, params: ReadonlyArray<unknown> = []) =>
    run(Effect.flatMap(Effect.service(Database), ({ read }) => read.unsafe<any>(text, params)))
  // So far it is the only workspace.
  const workspace_id: WorkspaceId =
    options.databaseOf?.workspace_id ?? (await sql("SELECT workspace_id AS id FROM workspaces"))[0].id

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(path.startsWith("http") ? path : url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== ""
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined
    }
    if (!path.startsWith("http")) contract.check({ method, path }, answer)
    return answer
  }

  return {
    url,
    key,
    workspace_id,
    database,
    dataDir,
    call,
    sql,
    run,
    changesAfter: (seq) =>
      sql(
        `SELECT seq::float8 AS seq, type, resource, resource_id, version, data FROM changes
        WHERE workspace_id = $1 AND seq > $2::bigint ORDER BY seq`,
        [workspace_id, String(seq)]
      ),
    seq: async () => (await sql("SELECT seq::float8 AS seq FROM heads WHERE workspace_id = $1", [workspace_id]))[0].seq,
    advance: (duration) => run(Effect.flatMap(LeapClock, (clock) => clock.advance(duration))),
    jobsDone: () => run(Effect.flatMap(LeapClock, (clock) => clock.asleep("1 hour"))),
    stop: async () => {
      await runtime.dispose()
      rmSync(dataDir, { recursive: true, force: true })
      if (options.databaseOf === undefined) await dropDatabase(database)
    }
  }
}
