import { Console, Effect, Layer, Logger, Redacted, References } from "effect"
import { HttpServer } from "effect/http"
import type { Database } from "../services/storage/Database.ts"
import type { Nudge } from "../services/storage/Nudge.ts"
import type { Secrets } from "../services/storage/Secrets.ts"
import * as Bootstrap from "./Bootstrap.ts"
import type { Settings } from "./Config.ts"
import { Readiness } from "./Readiness.ts"
import * as Server from "./Server.ts"
import * as Services from "./Services.ts"

const logging = (settings: Settings) =>
  Layer.mergeAll(
    Logger.layer([settings.logFormat === "json" ? Logger.consoleJson : Logger.consolePretty()]),
    Layer.succeed(References.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, levels[settings.logLevel]),
    // Nobody collects spans: none are made.
    Layer.succeed(References.TracerEnabled, false)
  )

const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** What a person who starts Sheaf wants to know. */
const greeting = (settings: Settings, made: Bootstrap.Made | undefined) =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    const base = `${settings.publicUrl.replace(/:0$/, address._tag === "UnixPathAddress" ? "" : `:${address.port}`)}/v2`
    const file = `${settings.dataDir}/bootstrap.json`
    const key = made === undefined || made.file === undefined
      ? settings.databaseUrl === undefined ? `the key is in ${file}` : "use a key of yours"
      : process.stdout.isTTY
      ? `your API key, shown once, is ${Redacted.value(made.secret)} (also in ${made.file})`
      : `the key is in ${made.file}`
    yield* Console.log([
      `Sheaf serves ${base}`,
      `  ${key}`,
      `  try: curl -H "Authorization: Bearer $KEY" ${base}/notebooks`,
      `  stop it with Ctrl-C`
    ].join("\n"))
  })

/** Bootstraps, then serves. */
const serving = (settings: Settings) =>
  Layer.unwrap(Effect.gen(function*() {
    const made = yield* Bootstrap.run(settings)
    const greet = Layer.effectDiscard(settings.quiet ? Effect.void : greeting(settings, made))
    return greet.pipe(Layer.provideMerge(Server.layer({ publicUrl: settings.publicUrl })))
  }))

/** The running thing: Server on Services on Ports. The socket opens first, so that a second Sheaf stops at once. */
export const layer = <E>(settings: Settings, ports: Layer.Layer<Database | Nudge | Secrets, E>) =>
  serving(settings).pipe(
    Layer.provideMerge(Services.layer({ streamsPerCredential: settings.streamsPerCredential })),
    Layer.provideMerge(ports),
    Layer.provideMerge(Server.listener({ port: settings.port, host: settings.host })),
    Layer.provideMerge(Readiness.layer),
    Layer.provide(logging(settings))
  )
