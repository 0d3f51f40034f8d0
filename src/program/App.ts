// Compiles the decoder of each schema at its first use.
import "effect/schema/SchemaJITCompiler/enable"
import { Console, Effect, Layer, Logger, Redacted, References } from "effect"
import { HttpServer } from "effect/http"
import type { RateCounters } from "../../services/limits/RateCounters.ts"
import type { Mailer } from "../../services/mail/Mailer.ts"
import type { Outgoing } from "../../services/outgoing/Outgoing.ts"
import type { Blobs } from "../../services/files/Blobs.ts"
import type { Database } from "../../services/database/Database.ts"
import { problemOf } from "../../services/backup/BackupPlaces.ts"
import { DatabaseOutage } from "../../services/database/DatabaseOutage.ts"
import type { DiskSpace } from "../../services/files/DiskSpace.ts"
import { PasswordSignIn } from "../../services/identity/PasswordSignIn.ts"
import type { NodeBus } from "../../services/database/NodeBus.ts"
import { ParentLink } from "../../services/concurrency/ParentLink.ts"
import type { Secrets } from "../../services/secrets/Secrets.ts"
import * as Bootstrap from "./Bootstrap.ts"
import type { Settings } from "../server/settings/Config.ts"
import { Readiness } from "../server/http/server/Readiness.ts"
import * as Server from "../server/Server.ts"
import { ServedSettings, StartWarnings } from "../server/settings/ServedSettings.ts"
import { isWildcard } from "../server/settings/SettingParsers.ts"
import * as Services from "./Services.ts"
import { loggerOf } from "./LogFormat.ts"
import * as Telemetry from "./Telemetry.ts"
import * as UpgradeBackups from "./UpgradeBackups.ts"
import { version } from "../server/Version.ts"

/** Prints the link for the first account at any log level. It is a secret, so it is not sent to a collector. */
const printSetup = (settings: Settings, link: string) =>
  Effect.annotateLogs(Effect.logInfo("open the link within an hour to create the first account"), { link }).pipe(
    Effect.provide(Logger.layer([loggerOf(settings)])),
    Effect.provideService(References.MinimumLogLevel, "Info")
  )

/** Logs that Sheaf has started. With pretty logs it also prints how to use it. */
const greeting = (settings: Settings, { made, setup }: Bootstrap.Started) =>
  Effect.gen(function* () {
    const link = setup === undefined ? undefined : Redacted.value(setup)
    if (link !== undefined && !settings.quiet && settings.logFormat === "json") yield* printSetup(settings, link)
    const url = `${settings.publicUrl}/v2`
    const file = made === undefined ? yield* Bootstrap.validKeyFile(settings) : made.file
    const isUrlGuessed = (yield* ServedSettings).some((each) => each.name === "PUBLIC_URL" && each.source === "default")
    if (isUrlGuessed && isWildcard(settings.host)) {
      yield* Effect.logWarning(
        `PUBLIC_URL is not set: links lead to ${settings.publicUrl}, which only this machine reaches. Set it to the address that clients use`
      )
    }
    yield* Effect.orDie((yield* PasswordSignIn).warn)
    const backups = settings.backupTo === undefined ? undefined : problemOf(settings.backupTo)
    if (backups !== undefined) yield* Effect.logWarning(backups)
    yield* Effect.annotateLogs(Effect.logInfo("started"), {
      url,
      version,
      ...(file === undefined ? {} : { key_file: file })
    })
    if (settings.quiet || settings.logFormat === "json") return
    const key =
      file === undefined
        ? "use one of your API keys"
        : made?.file !== undefined && process.stderr.isTTY
          ? `your API key, shown only once, is ${Redacted.value(made.secret)} (also in ${file})`
          : `your API key is in ${file}`
    // To standard error, as the logs: standard output stays empty.
    yield* Console.error(
      [
        `Sheaf serves ${url}`,
        `  ${key}`,
        ...(link === undefined ? [] : [`  create your account within an hour: ${link}`]),
        `  try: curl -H "Authorization: Bearer $KEY" ${url}/notebooks`,
        `  stop it with Ctrl-C`
      ].join("\n")
    )
  })

/** Creates what an empty database needs, then serves. */
const serving = (settings: Settings, further: Server.Further) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const link = yield* ParentLink
      if (link?.isFirst === false)
        return Layer.provideMerge(Layer.effectDiscard(link.ready), Server.layer(settings, further))
      const started = yield* Bootstrap.run(settings)
      return Layer.effectDiscard(Effect.andThen(greeting(settings, started), link?.ready ?? Effect.void)).pipe(
        Layer.provideMerge(Server.layer(settings, further))
      )
    })
  )

/** Logs the end of a server that had started, after everything else has stopped. */
const stopped = Layer.effectDiscard(
  Effect.gen(function* () {
    const readiness = yield* Readiness
    yield* Effect.addFinalizer(() => (readiness.state === "draining" ? Effect.logInfo("stopped") : Effect.void))
  })
)

/** Warns before anything can fail because of a misspelt variable. */
const warned = Layer.effectDiscard(
  Effect.flatMap(StartWarnings, (warnings) => Effect.forEach(warnings, (line) => Effect.logWarning(line)))
)

/** The parent of a worker has migrated the database. */
const prepared = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.flatMap(ParentLink, (link) =>
      link === undefined ? Bootstrap.prepare(settings, UpgradeBackups.make(settings)) : Effect.void
    )
  )

/** Reports database outages in one place. It starts before all background loops and ends after them. */
const outages = Layer.effectDiscard(Effect.flatMap(DatabaseOutage, ({ watch }) => Effect.forkScoped(watch)))

/** The settings with the port that the system chose for PORT=0, also in the public URL. */
const withPort = (settings: Settings): Effect.Effect<Settings, never, HttpServer.HttpServer> =>
  Effect.map(HttpServer.HttpServer, ({ address }) =>
    address._tag === "UnixPathAddress"
      ? settings
      : { ...settings, port: address.port, publicUrl: settings.publicUrl.replace(/:0$/, `:${address.port}`) }
  )

/**
 * The whole application: Server on Services on Ports. The socket opens first, so that a second Sheaf stops at once.
 * `further`: routes and middleware in addition to those of the API.
 */
export const layer = <E>(
  settings: Settings,
  ports: Layer.Layer<Database | NodeBus | Secrets | Mailer | RateCounters | Blobs | DiskSpace | Outgoing, E>,
  further: Server.Further = Layer.empty
) =>
  Layer.unwrap(
    Effect.map(withPort(settings), (listening) =>
      serving(listening, further).pipe(
        Layer.provideMerge(Services.layer(listening)),
        Layer.provideMerge(outages),
        Layer.provideMerge(prepared(listening)),
        Layer.provideMerge(ports)
      )
    )
  ).pipe(
    Layer.provideMerge(Server.listener(settings)),
    Layer.provideMerge(stopped),
    Layer.provideMerge(Readiness.layer),
    Layer.provideMerge(warned),
    Layer.provide(Telemetry.layer(settings))
  )
