import { Console, Effect, Layer, Redacted } from "effect"
import { HttpServer } from "effect/http"
import type { Counters } from "../services/limits/Counters.ts"
import type { Mailer } from "../services/mail/Mailer.ts"
import type { Outgoing } from "../services/outgoing/Outgoing.ts"
import type { Blobs } from "../services/storage/Blobs.ts"
import type { Database } from "../services/storage/Database.ts"
import type { DiskSpace } from "../services/storage/DiskSpace.ts"
import type { NodeBus } from "../services/storage/NodeBus.ts"
import type { Secrets } from "../services/storage/Secrets.ts"
import * as Bootstrap from "./Bootstrap.ts"
import type { Settings } from "./Config.ts"
import { Readiness } from "./Readiness.ts"
import * as Server from "./Server.ts"
import * as Services from "./Services.ts"
import * as Telemetry from "./Telemetry.ts"

/** What a person who starts Sheaf wants to know. */
const greeting = (settings: Settings, made: Bootstrap.Made | undefined) =>
  Effect.gen(function* () {
    const { address } = yield* HttpServer.HttpServer
    const base = `${settings.publicUrl.replace(/:0$/, address._tag === "UnixPathAddress" ? "" : `:${address.port}`)}/v2`
    const file = `${settings.dataDir}/bootstrap.json`
    const key =
      made === undefined || made.file === undefined
        ? settings.databaseUrl === undefined
          ? `the key is in ${file}`
          : "use a key of yours"
        : process.stdout.isTTY
          ? `your API key, shown once, is ${Redacted.value(made.secret)} (also in ${made.file})`
          : `the key is in ${made.file}`
    yield* Console.log(
      [
        `Sheaf serves ${base}`,
        `  ${key}`,
        `  try: curl -H "Authorization: Bearer $KEY" ${base}/notebooks`,
        `  stop it with Ctrl-C`
      ].join("\n")
    )
  })

/** Bootstraps, then serves. */
const serving = (settings: Settings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const made = yield* Bootstrap.run(settings)
      const greet = Layer.effectDiscard(settings.quiet ? Effect.void : greeting(settings, made))
      return greet.pipe(Layer.provideMerge(Server.layer(settings)))
    })
  )

/** The last that is heard of what had started. */
const stopped = Layer.effectDiscard(
  Effect.gen(function* () {
    const readiness = yield* Readiness
    yield* Effect.addFinalizer(() => (readiness.state === "draining" ? Effect.logInfo("stopped") : Effect.void))
  })
)

/** The running thing: Server on Services on Ports. The socket opens first, so that a second Sheaf stops at once. */
export const layer = <E>(
  settings: Settings,
  ports: Layer.Layer<Database | NodeBus | Secrets | Mailer | Counters | Blobs | DiskSpace | Outgoing, E>
) =>
  serving(settings).pipe(
    Layer.provideMerge(Services.layer(settings)),
    Layer.provideMerge(Layer.effectDiscard(Bootstrap.prepare(settings))),
    Layer.provideMerge(ports),
    Layer.provideMerge(Server.listener(settings)),
    Layer.provideMerge(stopped),
    Layer.provideMerge(Readiness.layer),
    Layer.provide(Telemetry.layer(settings))
  )
