import { Effect, Layer, ManagedRuntime } from "effect"
import { type HttpRouter, HttpServer } from "effect/http"
import type { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import type { Database } from "../../../services/database/Database.ts"
import type { NodeBus } from "../../../services/database/NodeBus.ts"
import type { Blobs } from "../../../services/files/Blobs.ts"
import type { DiskSpace } from "../../../services/files/DiskSpace.ts"
import type { RateCounters } from "../../../services/limits/RateCounters.ts"
import type { Mailer } from "../../../services/mail/Mailer.ts"
import type { ProviderSignIns } from "../../../services/oidc/ProviderSignIns.ts"
import type { Outgoing } from "../../../services/outgoing/Outgoing.ts"
import type { Secrets } from "../../../services/secrets/Secrets.ts"
import type { Settings } from "../../server/settings/Config.ts"
import * as App from "../App.ts"
import * as Ports from "../Ports.ts"
import { LeapClock } from "./LeapClock.ts"
import { portsOnDisk } from "./PortsOnDisk.ts"
import type * as RecordedOutgoing from "./RecordedOutgoing.ts"
import * as RequestFaults from "./RequestFaults.ts"
import type * as TemporaryPostgres from "./TemporaryPostgres.ts"
import type { TestProvider } from "./TestProvider.ts"

/** The external systems of an instance, each of which a layer can replace. */
export type Port = Database | NodeBus | Secrets | Mailer | RateCounters | Blobs | DiskSpace | Outgoing

/** Options of an instance, all with defaults. */
export interface SheafOptions {
  /** `test` (default): a clock that only `advance` moves. It starts at `epoch`. `live`: the machine's clock. */
  readonly clock?: "test" | "live"
  /**
   * Replaces ports, and References such as Clock and Randomness. A function gets the layer of the real ports, to wrap
   * one of them, and all settings.
   */
  readonly layers?:
    | Layer.Layer<never, unknown>
    | ((real: Layer.Layer<Port, unknown>, settings: Settings) => Layer.Layer<never, unknown>)
  /** Settings that differ from those of tests, such as `policies` or `rateLimit`. Mail is recorded, not sent to `smtpUrl`. */
  readonly settings?: Partial<Omit<Settings, "databaseUrl" | "policies">> & {
    readonly policies?: Partial<Settings["policies"]>
  }
  /** Adds an OpenID provider on this machine, by which `signInBy` and browsers sign in. */
  readonly provider?: boolean
  /** The PostgreSQL to use; by default that of the process, which starts with the first instance. */
  readonly postgres?: TemporaryPostgres.TestPostgres
  /**
   * A file that the instance begins with, in any format that imports read, such as one of `sheaf fixture`. It is imported
   * once for each PostgreSQL, and copied for each instance.
   */
  readonly fixture?: string
  /** Uses the database of another instance, which must stop later: a second node. */
  readonly databaseOf?: { readonly database: string; readonly key: string }
  /** Routes in addition. They get what the instance has sent, and its provider; they need the test clock if they move it. */
  readonly routes?: (
    sent: RecordedOutgoing.Sent,
    provider: TestProvider | undefined
  ) => Layer.Layer<never, never, HttpRouter.HttpRouter | Database | BackgroundWork | LeapClock | ProviderSignIns>
}

/** What an instance keeps when its server starts again. */
export interface Kept {
  readonly options: SheafOptions
  readonly postgres: TemporaryPostgres.TestPostgres
  readonly provider: TestProvider | undefined
  readonly sent: RecordedOutgoing.Sent
}

/** A running server of an instance. */
export interface TestRun {
  readonly runtime: ManagedRuntime.ManagedRuntime<any, unknown>
  readonly port: number
}

/** Starts the server on a database. The test clock starts at `now`. */
export const launch = async (
  { options, postgres, provider, sent }: Kept,
  settings: Settings,
  { database, now }: { readonly database: string; readonly now: number }
): Promise<TestRun> => {
  const disk = Ports.diskSpace(settings, false)
  const onDisk = portsOnDisk(settings, { ...postgres, database }, sent)
  const real = Layer.provideMerge(onDisk, disk)
  const given = typeof options.layers === "function" ? options.layers(real, settings) : (options.layers ?? Layer.empty)
  // A replaced DiskSpace and replaced References count for the real ports too.
  const base = Layer.merge(disk, given)
  const ports = Layer.merge(Layer.provide(onDisk, base), base)
  const testClock = LeapClock.layer(now)
  const clock = options.clock === "live" ? Layer.empty : testClock
  const routes = options.routes === undefined ? Layer.empty : Layer.provide(options.routes(sent, provider), testClock)
  const further = Layer.merge(RequestFaults.layer(sent.faults), routes)
  const runtime = ManagedRuntime.make(
    App.layer(settings, ports, further).pipe(Layer.provide(given), Layer.provideMerge(clock))
  )
  try {
    const { address } = await runtime.runPromise(Effect.service(HttpServer.HttpServer))
    if (address._tag === "UnixPathAddress") throw new Error("the server has no port")
    return { runtime, port: address.port }
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}
