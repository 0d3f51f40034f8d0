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

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests look into answers freely, as a client in any language would.
  readonly body: any
  readonly text: string
}

export interface LoggedChange {
  readonly seq: number
  readonly type: string
  readonly resource: string
  readonly resource_id: string
  readonly version: number | null
  readonly data: any
}

/** One running Sheaf: the whole App on a database of its own, on a real socket. */
export interface TestApp {
  /** `{base_url}`. */
  readonly url: string
  readonly key: string
  readonly workspace_id: WorkspaceId
  readonly database: string
  readonly dataDir: string
  /** Sends JSON with the bootstrap key; headers may override all of it. The answer must be as the contract describes it. */
  readonly call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** The log from a seq on. */
  readonly changesAfter: (seq: number) => Promise<ReadonlyArray<LoggedChange>>
  readonly seq: () => Promise<number>
  readonly sql: (text: string, params?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<any>>
  /** Runs an effect with the services of this App. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, any>) => Promise<A>
  /** Moves the App's clock; only with `clock: "test"`. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** Waits until the hourly round of jobs is over, so that it hears the next move of the clock; only with `clock: "test"`. */
  readonly jobsDone: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface TestAppOptions {
  /** An existing database of another TestApp: a second process on it. */
  readonly beside?: TestApp
  /** `test` (default): time stands until it is moved. */
  readonly clock?: "test" | "live"
  readonly settings?: Partial<Settings>
  /** What stands in front of the real files, such as `FaultyBlobs`. */
  readonly blobs?: (real: Layer.Layer<Blobs>) => Layer.Layer<Blobs>
  /** The directory of the socket by which PostgreSQL is reached: that of a proxy. */
  readonly socketDirectory?: string
  /** What is measured of the disk. */
  readonly disk?: { readonly measure: Effect.Effect<Space> }
  /** The way to URLs of users, with names and certificates of a test's own. */
  readonly outgoing?: Layer.Layer<Outgoing>
}

const noNames = () => Promise.reject(Object.assign(new Error("no names here"), { code: "ENOTFOUND" }))

/** When the test clock begins. */
export const epoch = Date.parse("2026-03-01T12:00:00.000Z")

const untimed = { invitations_per_hour: 0, invitations_per_day: 0 }

/** What plans allow, without windows of hours and days: time stands still here. */
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

export const startApp = async (options: TestAppOptions = {}): Promise<TestApp> => {
  const database = options.beside?.database ?? `test_${randomBytes(8).toString("hex")}`
  if (options.beside === undefined) await onServer(copyOfTemplate(database))
  const key = options.beside?.key ?? Redacted.value(Tokens.make("sfk"))
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
    s3: undefined,
    smtpUrl: undefined,
    mailFrom: undefined,
    policies: { signUp: "open", planChanges: "owner", limits: planLimits, ownedWorkspaces: 10 },
    trustedProxies: [],
    webhookAllow: [],
    // Time stands still here, and so would the window.
    rateLimit: 0,
    // Cheap: what is dear about a password is not what is tested.
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
    // No test asks the servers of names.
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
  // The only one there is so far.
  const workspace_id: WorkspaceId =
    options.beside?.workspace_id ?? (await sql("SELECT workspace_id AS id FROM workspaces"))[0].id

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
      if (options.beside === undefined) await dropDatabase(database)
    }
  }
}
