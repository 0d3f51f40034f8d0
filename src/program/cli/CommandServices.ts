import { Effect, Layer, Logger, References } from "effect"
import * as eventRights from "../../../services/activity/Event.ts"
import { AccountDeletions } from "../../../services/identity/AccountDeletions.ts"
import { Credentials } from "../../../services/identity/Credentials.ts"
import { FactorResets } from "../../../services/identity/operators/FactorResets.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { OperatorKeys } from "../../../services/identity/operators/OperatorKeys.ts"
import { IdentityLinks } from "../../../services/oidc/IdentityLinks.ts"
import { StoredClients } from "../../../services/oauth/StoredClients.ts"
import { OperatorApps } from "../../../services/oauth/OperatorApps.ts"
import { OperatorSessions } from "../../../services/identity/operators/OperatorSessions.ts"
import { Passwords } from "../../../services/identity/Passwords.ts"
import { SecurityMails } from "../../../services/identity/SecurityMails.ts"
import { Users } from "../../../services/identity/Users.ts"
import * as Migrations from "../../../services/database/Migrations.ts"
import { OperatorJobs } from "../../../services/transfers/OperatorJobs.ts"
import { Members } from "../../../services/workspaces/Members.ts"
import { Plans } from "../../../services/workspaces/Plans.ts"
import { Webhooks } from "../../../services/webhooks/Webhooks.ts"
import { Workspaces } from "../../../services/workspaces/Workspaces.ts"
import { ConfigError, load, type Settings } from "../../server/settings/Config.ts"
import * as KeyCheck from "../KeyCheck.ts"
import { loggerOf, toStandardError } from "../LogFormat.ts"
import * as Ports from "../Ports.ts"
import * as AllServices from "../Services.ts"

const unready = {
  none: "Sheaf has not run on this database yet: start the server first",
  older: "The database is from an older Sheaf: start the server of this version once, which migrates the database"
} as const

/** Refuses a database without the current schema. Only a server migrates: one of another version may be running. */
const ready = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const state = yield* Migrations.state
      if (state === "none" || state === "older") return yield* new ConfigError({ message: unready[state] })
      yield* KeyCheck.require(settings)
    })
  )

/** A command prints its result or one line with its error, and logs errors only. */
export const logging = (settings: Settings) =>
  Layer.mergeAll(
    Logger.layer([loggerOf(settings)]),
    toStandardError,
    Layer.succeed(References.MinimumLogLevel, "Error"),
    Layer.succeed(References.TracerEnabled, false)
  )

/** The ports of commands, whatever the state of the database. */
export const ports = Layer.unwrap(
  Effect.map(load, (settings) => Ports.forCommand(settings).pipe(Layer.provideMerge(logging(settings))))
)

/** The ports of commands on a database with the current schema. */
export const readyPorts = Layer.unwrap(Effect.map(load, (settings) => Layer.provideMerge(ready(settings), ports)))

/** The services of commands, on a database that a running server may use at the same time. */
export const layer = Layer.unwrap(
  Effect.map(load, (settings) =>
    Layer.mergeAll(
      FactorResets.layer(settings),
      IdentityLinks.layer,
      OperatorApps.layer,
      OperatorKeys.layer,
      OperatorSessions.layer,
      StoredClients.layer,
      OperatorJobs.layer,
      Workspaces.layer,
      Webhooks.layer(eventRights)
    ).pipe(
      Layer.provideMerge(Operator.layer),
      Layer.provideMerge(Members.layer),
      Layer.provide(AccountDeletions.layer),
      Layer.provide(SecurityMails.layerSilent),
      Layer.provideMerge(Layer.succeed(Plans, settings.policies)),
      Layer.provideMerge(
        Layer.merge(Users.layer, Passwords.layer({ cost: settings.passwordCost, breached: settings.breachedPasswords }))
      ),
      Layer.provideMerge(AllServices.founding),
      // It notifies the running server of changed rights.
      Layer.provideMerge(Credentials.layer(settings)),
      Layer.provideMerge(AllServices.storage),
      Layer.provideMerge(ready(settings)),
      Layer.provideMerge(Ports.forCommand(settings)),
      Layer.provideMerge(logging(settings))
    )
  )
)

/** Runs an effect with the services. */
export const onDatabase = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, layer)
