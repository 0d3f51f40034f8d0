import { type Duration, Effect, Layer } from "effect"
import { inject } from "vitest"
import { Database } from "../../services/database/Database.ts"
import type { WorkspaceId } from "../../services/Ids.ts"
import { Outgoing } from "../../services/outgoing/Outgoing.ts"
import type { Settings } from "../../src/server/settings/Config.ts"
import * as Ports from "../../src/program/Ports.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import type { SheafOptions } from "../../src/program/testing/TestRun.ts"
import { contract } from "./Contract.ts"

export { epoch } from "../../src/program/testing/Sheaf.ts"
export { planLimits } from "../../src/program/testing/TestSettings.ts"

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
  /** Moves the App's clock, and waits for the work that becomes due. Requires the test clock. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** Moves the App's clock while work is running. Requires the test clock. */
  readonly move: (duration: Duration.Input) => Promise<void>
  /** Waits until no background work is running or due. */
  readonly idle: () => Promise<void>
  /** Stops the App, and drops its database unless another TestApp owns it. */
  readonly stop: () => Promise<void>
}

/** Options of an App, all with defaults for tests. */
export interface TestAppOptions extends Omit<SheafOptions, "postgres" | "databaseOf" | "routes"> {
  /** Uses the database of another TestApp: a second node. */
  readonly databaseOf?: Pick<TestApp, "database" | "key"> & { readonly workspace_id?: WorkspaceId }
  /** The directory of the PostgreSQL socket to use, for example that of a proxy. */
  readonly socketDirectory?: string
}

const noNames = () => Promise.reject(Object.assign(new Error("no names here"), { code: "ENOTFOUND" }))

/** The real senders of mail and requests, unless the test replaces them. Tests send no DNS queries. */
const realSenders = (settings: Settings) =>
  Layer.merge(Ports.mailer(settings), Outgoing.layer({ allow: settings.webhookAllow, resolve: noNames }))

/** Starts an App on a new copy of the template database. Prefer `useApp`, which also stops it. */
export const startApp = async (options: TestAppOptions = {}): Promise<TestApp> => {
  const { databaseOf, layers = Layer.empty, socketDirectory, ...rest } = options
  const postgres = { ...inject("postgres"), ...(socketDirectory && { socketDirectory }) }
  const sheaf = await Sheaf.start({
    ...rest,
    ...(databaseOf && { databaseOf }),
    postgres,
    settings: { publicUrl: "http://sheaf.test", ...options.settings },
    layers: (real, settings) =>
      Layer.merge(realSenders(settings), typeof layers === "function" ? layers(real, settings) : layers)
  })
  const { database, dataDir, key, url } = sheaf
  const run = <A, E>(effect: Effect.Effect<A, E, any>): Promise<A> => sheaf.run(effect)
  const sql = (text: string, params: ReadonlyArray<unknown> = []) =>
    run(Effect.flatMap(Effect.service(Database), ({ read }) => read.unsafe<any>(text, params)))
  // So far it is the only workspace.
  const workspace_id: WorkspaceId =
    databaseOf?.workspace_id ?? (await sql("SELECT workspace_id AS id FROM workspaces"))[0].id

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
    advance: (duration) => sheaf.advance(duration),
    move: (duration) => sheaf.move(duration),
    idle: () => sheaf.idle(),
    stop: () => sheaf.stop()
  }
}
