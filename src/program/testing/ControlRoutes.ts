import { Clock, Context, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { BackgroundWork } from "../../../services/concurrency/BackgroundWork.ts"
import { Database } from "../../../services/database/Database.ts"
import { messageOf } from "../../../services/ErrorCause.ts"
import { Forbidden, Invalid, type SheafError, Unavailable } from "../../../services/Errors.ts"
import { ProviderSignIns } from "../../../services/oidc/ProviderSignIns.ts"
import { checked } from "../../../services/Text.ts"
import { reader } from "../../server/http/pipeline/Payload.ts"
import { problem, problemOf } from "../../server/http/responses/Problem.ts"
import * as Respond from "../../server/http/responses/Respond.ts"
import { isLocal, isPage } from "../../server/http/server/LocalRequests.ts"
import * as EventLog from "./EventLog.ts"
import type { Faults } from "./Faults.ts"
import * as Idle from "./Idle.ts"
import { LeapClock } from "./LeapClock.ts"
import type { Sent } from "./RecordedOutgoing.ts"
import type { TestProvider } from "./TestProvider.ts"
import { signInBy } from "./TestSignIn.ts"

/** The path of all these routes, outside the API. */
export const controlPath = "/test"

const refused = problem({
  status: 403,
  code: "forbidden",
  detail: "Only programs on this machine can use these routes, and no pages in browsers"
})

const isDuration = (text: string): boolean => Option.isSome(Schema.decodeOption(Schema.DurationFromString)(text))

/** A duration by which the clock moves; a negative one sets it back. */
const Move = Schema.String.check(
  checked("invalid", "must be a number and a unit, such as 31 days, 90 minutes or -1 hour", isDuration)
).pipe(Schema.decodeTo(Schema.DurationFromString))

const tooFar = Invalid.field("duration", "out_of_range", "must keep the clock between 1970 and a hundred years on")

const now = Effect.map(Clock.currentTimeMillis, (millis) => Respond.value({ now: new Date(millis).toISOString() }))

const orBusy = Effect.mapError(
  ({ message }: Idle.NotIdle) => new Unavailable({ code: "service_unavailable", detail: message, retry_after: 1 })
)

const idle = orBusy(Idle.idle())

const readMove = reader(Schema.Struct({ duration: Move }))
const readPlan = reader(Schema.Record(Schema.String, Schema.Finite))

const readUser = reader(
  Schema.Struct({
    sub: Schema.NonEmptyString,
    email: Schema.optionalKey(Schema.String),
    email_verified: Schema.optionalKey(Schema.Boolean),
    name: Schema.optionalKey(Schema.String)
  })
)

const setFaults = (faults: Faults, plan: Readonly<Record<string, number>>) =>
  Effect.try({
    try: () => faults.set(plan),
    // The message names the fault.
    catch: (error) => new Invalid({ code: "validation_failed", detail: messageOf(error) })
  })

const empty = (entries: Array<unknown>) => {
  entries.length = 0
  return HttpServerResponse.empty({ status: 204 })
}

/** The messages that an instance sent, as a list that can be emptied. */
const recordings = ["mails", "pushes", "deliveries"] as const

/**
 * Routes by which tests in any language move the clock, read what the server sent, and set faults. They need no
 * credential. Lists are read when no background work is running or due any more, so that a client need not wait.
 */
export const layer = (sent: Sent, provider: TestProvider | undefined) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const { devices, faults } = sent
      const context = Context.make(BackgroundWork, yield* BackgroundWork).pipe(
        Context.add(Database, yield* Database),
        Context.add(LeapClock, yield* LeapClock)
      )

      const signIns = yield* ProviderSignIns

      const add = <E extends SheafError>(
        method: "GET" | "POST" | "PUT" | "DELETE",
        path: `/${string}`,
        handler: Effect.Effect<
          HttpServerResponse.HttpServerResponse,
          E,
          HttpServerRequest.HttpServerRequest | BackgroundWork | Database | LeapClock
        >
      ) =>
        router.add(
          method,
          `${controlPath}${path}`,
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            isPage(request) || !isLocal(request)
              ? refused
              : Effect.catch(Effect.provideContext(handler, context), problemOf)
          )
        )

      const body = <A, E>(read: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<A, E>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, read)

      yield* add(
        "POST",
        "/advance",
        Effect.gen(function* () {
          const { duration } = yield* body(readMove)
          if (!(yield* LeapClock).isPossible(duration)) return yield* tooFar
          yield* orBusy(Idle.advance(duration))
          return yield* now
        })
      )
      yield* add("POST", "/idle", Effect.andThen(idle, now))
      for (const name of recordings) {
        yield* add(
          "GET",
          `/${name}`,
          Effect.map(idle, () => Respond.value({ data: sent[name] }))
        )
        yield* add(
          "DELETE",
          `/${name}`,
          Effect.sync(() => empty(sent[name]))
        )
      }
      yield* add(
        "GET",
        "/events",
        Effect.map(Effect.andThen(idle, Effect.orDie(EventLog.read)), (data) => Respond.value({ data }))
      )
      const shown = Effect.sync(() => Respond.value({ faults: faults.current, happened: faults.happened }))
      yield* add("GET", "/faults", shown)
      yield* add(
        "PUT",
        "/faults",
        Effect.andThen(
          Effect.flatMap(body(readPlan), (plan) => setFaults(faults, plan)),
          shown
        )
      )
      if (provider !== undefined) {
        yield* add(
          "POST",
          "/sign-in",
          Effect.flatMap(body(readUser), (user) => signInBy(provider, user)).pipe(
            Effect.provideService(ProviderSignIns, signIns),
            Effect.catchTag("SignInRefused", ({ reason }) =>
              Effect.fail(new Forbidden({ code: "forbidden", detail: `The sign-in is refused: ${reason}` }))
            ),
            Effect.map((session) => Respond.value(session))
          )
        )
      }
      yield* add(
        "POST",
        "/push-devices",
        Effect.sync(() => Respond.value(devices.subscribe(), 201))
      )
    })
  )
