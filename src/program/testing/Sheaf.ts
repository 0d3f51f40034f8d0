import { Clock, type Duration, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { type HttpRouter, HttpServer } from "effect/http"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import { Database } from "../../../services/database/Database.ts"
import type { NodeBus } from "../../../services/database/NodeBus.ts"
import { messageOf } from "../../../services/ErrorCause.ts"
import type { Blobs } from "../../../services/files/Blobs.ts"
import type { DiskSpace } from "../../../services/files/DiskSpace.ts"
import type { RateCounters } from "../../../services/limits/RateCounters.ts"
import type { Mailer } from "../../../services/mail/Mailer.ts"
import type { Outgoing } from "../../../services/outgoing/Outgoing.ts"
import type { Secrets } from "../../../services/secrets/Secrets.ts"
import type { ProviderSignIns } from "../../../services/oidc/ProviderSignIns.ts"
import { createClient, type Session, type SheafClient } from "../../clients/client/SheafClient.ts"
import * as App from "../App.ts"
import type { Settings } from "../../server/settings/Config.ts"
import * as Ports from "../Ports.ts"
import { reachableHost } from "../../server/settings/SettingParsers.ts"
import * as EventLog from "./EventLog.ts"
import { Faults } from "./Faults.ts"
import * as Idle from "./Idle.ts"
import { LeapClock } from "./LeapClock.ts"
import { portsOnDisk } from "./PortsOnDisk.ts"
import { PushDevices, type TestSubscription } from "./PushDevices.ts"
import * as RecordedOutgoing from "./RecordedOutgoing.ts"
import type { SentDelivery, SentMail, SentPush } from "./Recording.ts"
import * as RequestFaults from "./RequestFaults.ts"
import * as TestConsent from "./TestConsent.ts"
import { type ProviderUser, TestProvider } from "./TestProvider.ts"
import * as TestSignIn from "./TestSignIn.ts"
import * as TemporaryPostgres from "./TemporaryPostgres.ts"
import { testSettings } from "./TestSettings.ts"

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
  /** Uses the database of another instance, which must stop later: a second node. */
  readonly databaseOf?: Pick<Sheaf, "database" | "key">
  /** Routes in addition. They get what the instance has sent, and its provider; they need the test clock if they move it. */
  readonly routes?: (
    sent: RecordedOutgoing.Sent,
    provider: TestProvider | undefined
  ) => Layer.Layer<never, never, HttpRouter.HttpRouter | Database | BackgroundWork | LeapClock | ProviderSignIns>
}

/** The start of the test clock. */
export const epoch = Date.parse("2026-03-01T12:00:00.000Z")

/** The settings of an instance. Throws a TypeError for a name that is none, such as one that is misspelt. */
const settingsOf = (
  dataDir: string,
  { databaseOf, settings = {} }: SheafOptions,
  provider: TestProvider | undefined
): Settings => {
  const defaults = testSettings(dataDir)
  if (provider !== undefined && settings.providers !== undefined) {
    throw new TypeError("the option provider and the setting providers exclude each other")
  }
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(defaults, name))
  if (unknown.length > 0) throw new TypeError(`there is no setting ${unknown.join(", ")}`)
  return {
    ...defaults,
    ...(databaseOf === undefined ? {} : { bootstrapApiKey: Redacted.make(databaseOf.key) }),
    ...(provider === undefined ? {} : { providers: [provider.settings()] }),
    ...settings,
    policies: { ...defaults.policies, ...settings.policies }
  }
}

/** A running Sheaf: the whole server with its own database, on a socket of this machine. */
export class Sheaf implements AsyncDisposable {
  /** The `{base_url}`, with `/v2`. */
  readonly url: string
  /** An API key with all scopes, of the owner of the first workspace. */
  readonly key: string
  /** A client with the key. */
  readonly client: SheafClient
  /** The name of its database. */
  readonly database: string
  readonly dataDir: string
  /** Mails that were sent, oldest first; at most 10 000 of each kind are kept. */
  readonly mails: ReadonlyArray<SentMail>
  /** Web Push messages that were sent. */
  readonly pushes: ReadonlyArray<SentPush>
  /** Webhook requests that were sent. Those to other machines stay in the process, and the response is 204. */
  readonly deliveries: ReadonlyArray<SentDelivery>
  /** Failures on purpose. */
  readonly faults: Faults
  /** The OpenID provider, with the option `provider`. */
  readonly provider: TestProvider | undefined
  readonly #devices: PushDevices
  readonly #isTestClock: boolean
  readonly #runtime: ManagedRuntime.ManagedRuntime<any, unknown>
  readonly #release: () => Promise<void>
  #stopped: Promise<void> | undefined

  private constructor(given: {
    readonly url: string
    readonly key: string
    readonly database: string
    readonly dataDir: string
    readonly sent: RecordedOutgoing.Sent
    readonly provider: TestProvider | undefined
    readonly runtime: ManagedRuntime.ManagedRuntime<any, unknown>
    readonly release: () => Promise<void>
    readonly isTestClock: boolean
  }) {
    const { database, dataDir, key, release, runtime, sent, url } = given
    this.url = url
    this.key = key
    this.client = createClient({ url, key })
    this.database = database
    this.dataDir = dataDir
    this.mails = sent.mails
    this.pushes = sent.pushes
    this.deliveries = sent.deliveries
    this.#devices = sent.devices
    this.faults = sent.faults
    this.provider = given.provider
    this.#runtime = runtime
    this.#release = release
    this.#isTestClock = given.isTestClock
  }

  /** Starts an instance. Rejects with an Error of one line if it cannot start, and leaves nothing behind. */
  static async start(options: SheafOptions = {}): Promise<Sheaf> {
    /** Steps that undo the start when the instance stops, or does not start; the last one runs first. */
    const undone: Array<() => void | Promise<unknown>> = []
    const release = async () => {
      const ends = undone.splice(0).toReversed()
      const errors: Array<unknown> = []
      for (const undo of ends) {
        try {
          await undo()
        } catch (error) {
          // The remaining steps run all the same.
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    }
    try {
      return await Sheaf.#started(options, undone, release)
    } catch (error) {
      await release()
      throw new Error(`Sheaf cannot start: ${messageOf(error)}`, { cause: error })
    }
  }

  static async #started(
    options: SheafOptions,
    undone: Array<() => void | Promise<unknown>>,
    release: () => Promise<void>
  ): Promise<Sheaf> {
    const postgres = options.postgres ?? (await TemporaryPostgres.ofProcess())
    const database = options.databaseOf?.database ?? (await TemporaryPostgres.createDatabase(postgres))
    if (options.databaseOf === undefined) undone.push(() => TemporaryPostgres.dropDatabase(postgres, database))
    const dataDir = mkdtempSync(join(postgres.directory, "data-"))
    undone.push(() => rmSync(dataDir, { recursive: true, force: true }))
    let now = Date.now
    const provider = options.provider === true ? await TestProvider.start(() => now()) : undefined
    if (provider !== undefined) undone.push(() => provider.close())
    const settings = settingsOf(dataDir, options, provider)
    const sent = { mails: [], pushes: [], deliveries: [], devices: new PushDevices(), faults: new Faults() }
    const disk = Ports.diskSpace(settings, false)
    const onDisk = portsOnDisk(settings, { ...postgres, database }, sent)
    const real = Layer.provideMerge(onDisk, disk)
    const given =
      typeof options.layers === "function" ? options.layers(real, settings) : (options.layers ?? Layer.empty)
    // A replaced DiskSpace and replaced References count for the real ports too.
    const base = Layer.merge(disk, given)
    const ports = Layer.merge(Layer.provide(onDisk, base), base)
    const testClock = LeapClock.layer(epoch)
    const clock = options.clock === "live" ? Layer.empty : testClock
    const routes = options.routes === undefined ? Layer.empty : Layer.provide(options.routes(sent, provider), testClock)
    const further = Layer.merge(RequestFaults.layer(sent.faults), routes)
    const runtime = ManagedRuntime.make(
      App.layer(settings, ports, further).pipe(Layer.provide(given), Layer.provideMerge(clock))
    )
    undone.push(() => runtime.dispose())
    const { address } = await runtime.runPromise(Effect.service(HttpServer.HttpServer))
    now = () => runtime.runSync(Clock.currentTimeMillis)
    if (address._tag === "UnixPathAddress") throw new Error("the server has no port")
    const url = `http://${reachableHost(settings.host)}:${address.port}/v2`
    const key = settings.bootstrapApiKey === undefined ? "" : Redacted.value(settings.bootstrapApiKey)
    const isTestClock = options.clock !== "live"
    return new Sheaf({ url, key, database, dataDir, sent, provider, runtime, release, isTestClock })
  }

  /**
   * Moves the test clock, and waits for everything that becomes due on the way: reminders, retries, deletions. A long
   * move has at most a hundred stops: what is due between two of them is done at the second. A negative duration sets
   * the clock back.
   */
  advance(duration: Duration.Input): Promise<void> {
    return this.#onTestClock(Idle.advance(duration))
  }

  /** Moves the test clock without waiting, for example while a receiver of webhooks does not respond. */
  move(duration: Duration.Input): Promise<void> {
    return this.#onTestClock(Effect.flatMap(LeapClock, (clock) => clock.advance(duration)))
  }

  /**
   * Waits until no background work is running or due: mails, pushes, webhook requests, reminders, imports, exports and
   * scheduled jobs. Rejects, and names the work, if that takes longer than `patience`, by default a minute of real time.
   */
  idle(patience?: Duration.Input): Promise<void> {
    return this.run(Effect.asVoid(Idle.idle(patience)))
  }

  /** The entries of the event log of all workspaces, oldest first; at most 10 000. */
  events(): Promise<ReadonlyArray<EventLog.LoggedEvent>> {
    return this.run(EventLog.read)
  }

  /** A subscription to Web Push, whose messages `pushes` has in plain text. */
  pushDevice(): TestSubscription {
    return this.#devices.subscribe()
  }

  /**
   * Plays the user's part in OAuth: opens an address of `/oauth/authorize`, allows or refuses the app, and returns the
   * address to which the browser goes, with the code. Rejects with what the page shows for a wrong request.
   */
  consent(address: string | URL, decision: TestConsent.Consent = {}): Promise<string> {
    return this.run(
      TestConsent.consent(String(address), decision).pipe(
        Effect.catchTag("OAuthError", ({ code, description }) => Effect.die(new Error(`${code}: ${description}`)))
      )
    )
  }

  /**
   * Plays the user's part in a sign-in by the provider, and returns the session. Rejects with the reason if the server refuses
   * it. Needs the option `provider`.
   */
  signInBy(user: ProviderUser): Promise<Session> {
    return this.provider === undefined
      ? Promise.reject(new Error("this Sheaf has no provider: start it with the option provider"))
      : this.run(
          TestSignIn.signInBy(this.provider, user).pipe(
            Effect.catchTag("SignInRefused", ({ reason }) => Effect.die(new Error(`the sign-in is refused: ${reason}`)))
          )
        )
  }

  #onTestClock<A>(effect: Effect.Effect<A, Idle.NotIdle, LeapClock | BackgroundWork>): Promise<A> {
    return this.#isTestClock
      ? this.run(effect)
      : Promise.reject(new Error("the clock of this instance is not the test clock"))
  }

  /** Runs an effect with the services of the instance. */
  run<A, E, R>(effect: Effect.Effect<A, E, R>): Promise<A> {
    return this.#stopped === undefined
      ? this.#runtime.runPromise(effect)
      : Promise.reject(new Error("this Sheaf has stopped"))
  }

  /** Stops the instance, and deletes its database and files. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#release())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
