import { Effect, Layer, Logger, References } from "effect"
import * as eventRights from "../../services/activity/EventRights.ts"
import { Credentials } from "../../services/identity/Credentials.ts"
import { Operator } from "../../services/identity/Operator.ts"
import { OperatorKeys } from "../../services/identity/OperatorKeys.ts"
import { Passwords } from "../../services/identity/Passwords.ts"
import { SecurityMails } from "../../services/identity/SecurityMails.ts"
import { Users } from "../../services/identity/Users.ts"
import * as Migrations from "../../services/database/Migrations.ts"
import { Plans } from "../../services/workspaces/Plans.ts"
import { Webhooks } from "../../services/webhooks/Webhooks.ts"
import { Workspaces } from "../../services/workspaces/Workspaces.ts"
import { ConfigError, load, type Settings } from "../Config.ts"
import * as KeyCheck from "../KeyCheck.ts"
import { loggerOf, toStandardError } from "../LogFormat.ts"
import * as Ports from "../Ports.ts"
import * as AllServices from "../Services.ts"

const unready = {
  none: "No Sheaf has run on this database yet: start it first",
  older: "The database is of an older Sheaf: start the server of this version once, which brings it up to date"
} as const

/** The server alone changes the schema: one of another version may be running on it. */
const ready = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const state = yield* Migrations.state
      if (state === "none" || state === "older") return yield* new ConfigError({ message: unready[state] })
      yield* KeyCheck.require(settings)
    })
  )

/** The result of a command, or the one line of its error, is its own: it logs errors alone. */
const logging = (settings: Settings) =>
  Layer.mergeAll(
    Logger.layer([loggerOf(settings)]),
    toStandardError,
    Layer.succeed(References.MinimumLogLevel, "Error"),
    Layer.succeed(References.TracerEnabled, false)
  )

/** The database and the keys alone, whatever is in the database. */
export const ports = Layer.unwrap(
  Effect.map(load, (settings) => Ports.forCommand(settings).pipe(Layer.provideMerge(logging(settings))))
)

/** What commands are made of: on the database of the server that runs, or else on it alone. */
export const layer = Layer.unwrap(
  Effect.map(load, (settings) =>
    Layer.mergeAll(OperatorKeys.layer, Workspaces.layer, Webhooks.layer(eventRights)).pipe(
      Layer.provide(SecurityMails.layerSilent),
      Layer.provideMerge(Operator.layer),
      Layer.provideMerge(Layer.succeed(Plans, settings.policies)),
      Layer.provideMerge(Layer.merge(Users.layer, Passwords.layer({ cost: settings.passwordCost }))),
      Layer.provideMerge(AllServices.founding),
      // It tells the server who may do what.
      Layer.provideMerge(Credentials.layer),
      Layer.provideMerge(AllServices.storage),
      Layer.provideMerge(ready(settings)),
      Layer.provideMerge(Ports.forCommand(settings)),
      Layer.provideMerge(logging(settings))
    )
  )
)

/** Runs what needs the services. */
export const onDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, layer)
