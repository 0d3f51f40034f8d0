import { Clock, type Duration, Effect, Redacted } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { cp, rm } from "node:fs/promises"
import { join } from "node:path"
import type { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import { messageOf } from "../../../services/ErrorCause.ts"
import { createClient, type Session, type SheafClient } from "../../clients/client/SheafClient.ts"
import type { Settings } from "../../server/settings/Config.ts"
import { reachableHost } from "../../server/settings/SettingParsers.ts"
import * as EventLog from "./EventLog.ts"
import { Faults } from "./Faults.ts"
import * as Idle from "./Idle.ts"
import { copyFiles, fixtureOf } from "./fixtures/Fixtures.ts"
import { LeapClock } from "./LeapClock.ts"
import { PushDevices, type TestSubscription } from "./PushDevices.ts"
import { save, type SentDelivery, type SentMail, type SentPush } from "./Recording.ts"
import * as TestConsent from "./TestConsent.ts"
import { type ProviderUser, TestProvider } from "./TestProvider.ts"
import * as TestSignIn from "./TestSignIn.ts"
import * as TemporaryPostgres from "./TemporaryPostgres.ts"
import { launch, type Kept, type SheafOptions, type TestRun } from "./TestRun.ts"
import { settingsOf } from "./TestSettings.ts"

/** The start of the test clock. */
export const epoch = Date.parse("2026-03-01T12:00:00.000Z")

/** Steps that undo the start of an instance when it stops, or does not start; the last one runs first. */
type Undone = Array<() => unknown>

const undo = async (steps: Undone): Promise<void> => {
  const errors: Array<unknown> = []
  for (const step of steps.splice(0).toReversed()) {
    try {
      await step()
    } catch (error) {
      // The remaining steps run all the same.
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** A running Sheaf: the whole server with its own database, on a socket of this machine. */
export class Sheaf implements AsyncDisposable {
  /** The `{base_url}`, with `/v2`. */
  readonly url: string
  /** An API key with all scopes, of the owner of the first workspace. */
  readonly key: string
  /** A client with the key. */
  readonly client: SheafClient
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
  readonly #kept: Kept
  readonly #settings: Settings
  readonly #undone: Undone
  #database: string
  #server: TestRun
  /** Ends with the last start of the server. */
  #turns: Promise<unknown> = Promise.resolve()
  #stopped: Promise<void> | undefined

  private constructor(kept: Kept, settings: Settings, database: string, server: TestRun, undone: Undone) {
    this.#kept = kept
    // It keeps its port when it starts again.
    this.#settings = { ...settings, port: server.port }
    this.#database = database
    this.#server = server
    this.#undone = undone
    this.url = `http://${reachableHost(settings.host)}:${server.port}/v2`
    this.key = settings.bootstrapApiKey === undefined ? "" : Redacted.value(settings.bootstrapApiKey)
    this.client = createClient({ url: this.url, key: this.key })
    this.dataDir = settings.dataDir
    this.mails = kept.sent.mails
    this.pushes = kept.sent.pushes
    this.deliveries = kept.sent.deliveries
    this.faults = kept.sent.faults
    this.provider = kept.provider
  }

  /** The name of its database, which is another one after a snapshot. */
  get database(): string {
    return this.#database
  }

  /** Starts an instance. Rejects with an Error of one line if it cannot start, and leaves nothing behind. */
  static async start(options: SheafOptions = {}): Promise<Sheaf> {
    const undone: Undone = []
    try {
      return await Sheaf.#make(options, undone)
    } catch (error) {
      await undo(undone)
      throw new Error(`Sheaf cannot start: ${messageOf(error)}`, { cause: error })
    }
  }

  static async #make(options: SheafOptions, undone: Undone): Promise<Sheaf> {
    const postgres = options.postgres ?? (await TemporaryPostgres.ofProcess())
    const fixture =
      options.fixture === undefined
        ? undefined
        : await fixtureOf(postgres, options.fixture, () => Sheaf.start({ postgres }))
    const database =
      options.databaseOf?.database ?? (await TemporaryPostgres.createDatabase(postgres, fixture?.database))
    let sheaf: Sheaf | undefined
    if (options.databaseOf === undefined) {
      undone.push(() => TemporaryPostgres.dropDatabase(postgres, sheaf?.database ?? database))
    }
    const dataDir = mkdtempSync(join(postgres.directory, "data-"))
    undone.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const clock = () => (sheaf === undefined ? Date.now() : sheaf.#server.runtime.runSync(Clock.currentTimeMillis))
    const provider = options.provider === true ? await TestProvider.start(clock) : undefined
    if (provider !== undefined) undone.push(() => provider.close())
    if (fixture !== undefined) await copyFiles(fixture, dataDir)
    const settings = settingsOf(dataDir, options, { provider, key: (fixture ?? options.databaseOf)?.key })
    const sent = { mails: [], pushes: [], deliveries: [], devices: new PushDevices(), faults: new Faults() }
    const kept = { options, postgres, provider, sent }
    const server = await launch(kept, settings, { database, now: epoch })
    const made = (sheaf = new Sheaf(kept, settings, database, server, undone))
    undone.push(() => made.#server.runtime.dispose())
    return made
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
    return this.#kept.sent.devices.subscribe()
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

  get #isTestClock(): boolean {
    return this.#kept.options.clock !== "live"
  }

  #onTestClock<A>(effect: Effect.Effect<A, Idle.NotIdle, LeapClock | BackgroundWork>): Promise<A> {
    return this.#isTestClock
      ? this.run(effect)
      : Promise.reject(new Error("the clock of this instance is not the test clock"))
  }

  /** Runs an effect with the services of the instance. */
  async run<A, E, R>(effect: Effect.Effect<A, E, R>): Promise<A> {
    await this.#turns
    if (this.#stopped !== undefined) throw new Error("this Sheaf has stopped")
    return this.#server.runtime.runPromise(effect)
  }

  /**
   * Keeps the state of the instance, and returns a function that goes back to it: records, files, the test clock, faults
   * and what was sent. It can be called several times. Both start the server again on its port, so open streams end.
   * Rejects for an instance whose database another one uses.
   */
  snapshot(): Promise<() => Promise<void>> {
    return this.#turn(async () => {
      const { options, postgres, sent } = this.#kept
      if (options.databaseOf !== undefined) throw new Error("this Sheaf uses the database of another one")
      const { runtime } = this.#server
      if (this.#isTestClock) await runtime.runPromise(Idle.idle())
      const now = await runtime.runPromise(Clock.currentTimeMillis)
      const [recordings, faults] = [save(sent), sent.faults.save()]
      const files = mkdtempSync(join(postgres.directory, "snapshot-"))
      this.#undone.unshift(() => rm(files, { recursive: true, force: true }))
      // The database stays as it is, and the server continues with a copy.
      const kept = this.#database
      const copy = () => TemporaryPostgres.createDatabase(postgres, kept)
      await this.#restart(now, copy, () => cp(this.dataDir, files, { recursive: true }))
      let next = copy()
      this.#undone.unshift(
        () => TemporaryPostgres.dropDatabase(postgres, kept),
        async () => TemporaryPostgres.dropDatabase(postgres, await next)
      )
      const take = () => {
        const taken = next
        next = copy()
        return taken
      }
      const move = async () => {
        await rm(this.dataDir, { recursive: true, force: true })
        await cp(files, this.dataDir, { recursive: true })
        recordings()
        faults()
      }
      return () =>
        this.#turn(() => this.#restart(now, take, move, (left) => TemporaryPostgres.dropDatabase(postgres, left)))
    })
  }

  /** Stops the server, and copies its files to a folder, and its database, whose name is returned. */
  keep(files: string): Promise<string> {
    return this.#turn(async () => {
      await this.#server.runtime.dispose()
      await cp(this.dataDir, files, { recursive: true })
      return TemporaryPostgres.createDatabase(this.#kept.postgres, this.#database)
    })
  }

  /** Runs one change of the server after the other. */
  #turn<A>(change: () => Promise<A>): Promise<A> {
    const turn = this.#turns.then(() => {
      if (this.#stopped !== undefined) throw new Error("this Sheaf has stopped")
      return change()
    })
    this.#turns = turn.catch(() => {})
    return turn
  }

  /** Stops the server, takes another database and other files, and starts it again; as it was, if there is no database. */
  async #restart(
    now: number,
    take: () => Promise<string>,
    move: () => Promise<void>,
    leave?: (database: string) => Promise<unknown>
  ): Promise<void> {
    await this.#server.runtime.dispose()
    const left = this.#database
    const [taken] = await Promise.allSettled([take()])
    const isTaken = taken.status === "fulfilled"
    if (isTaken) {
      this.#database = taken.value
      await move()
    }
    const started = launch(this.#kept, this.#settings, { database: this.#database, now })
    ;[this.#server] = await Promise.all([started, isTaken ? leave?.(left) : undefined])
    if (!isTaken) throw taken.reason
  }

  /** Stops the instance, and deletes its database and files. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#turns.then(() => undo(this.#undone)))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}
