import { Clock, Console, Data, Effect, Redacted } from "effect"
import { messageOf } from "../../../../services/ErrorCause.ts"
import { Randomness } from "../../../../services/Randomness.ts"
import { Outgoing } from "../../../../services/outgoing/Outgoing.ts"
import * as Attempts from "../../../../services/webhooks/Attempts.ts"
import { makeSecret, signerOf } from "../../../../services/webhooks/Signature.ts"
import { typesOf } from "../../../../services/webhooks/Webhook.ts"
import { silence } from "../../../clients/client/ResponseText.ts"
import { createClient, isProblem, type SheafClient } from "../../../clients/client/SheafClient.ts"
import * as Output from "../Output.ts"
import { Refused } from "../Refused.ts"
import { type Event, eventBody } from "./EventBody.ts"

/** Maximum number of past events among which those to send again are found. */
export const maxReplayed = 10_000
/** Milliseconds between two reads of the log when nothing has happened. */
const pollEvery = 1_000
/** Events of a read of the log. The next one is read when these are sent. */
const pageSize = 100
/** Milliseconds by which the clocks of nodes may differ: the log is not in the order of its times. */
const clockDifference = 60_000

interface Options {
  /** The base URL of the API. */
  readonly url: string
  readonly key: Redacted.Redacted
  readonly forwardTo: string
  /** Patterns of event types. */
  readonly events: ReadonlyArray<string>
  readonly secret: string | undefined
  /** The id of an event. */
  readonly since: string | undefined
  readonly replay: number
}

/** Where reading of the log begins: at the times of `filter`, and after the event `after`. */
interface Start {
  readonly filter?: string
  readonly after?: string
}

/** A request to the server has failed. */
class CallFailed extends Data.TaggedError("CallFailed")<{ readonly message: string; readonly cause: unknown }> {}

const ask = <A>(call: (options: { readonly signal: AbortSignal; readonly patience: number }) => Promise<A>) =>
  Effect.tryPromise({
    try: (signal) => call({ signal, patience: silence }),
    catch: (cause) => new CallFailed({ message: messageOf(cause), cause })
  })

const startAfter = ({ id, occurred_at }: Event): Start => ({
  filter: `occurred_at >= "${new Date(Date.parse(occurred_at) - clockDifference).toISOString()}"`,
  after: id
})

/** The start before the last `count` of the wanted events. */
const startBefore = (client: SheafClient, count: number, isWanted: (event: Event) => boolean) =>
  ask(async (options): Promise<Start> => {
    let [found, passed] = [0, 0]
    for await (const event of client.listEvents({ limit: pageSize }, options)) {
      if (found === count || passed++ === maxReplayed) return startAfter(event)
      if (isWanted(event)) found++
    }
    return {}
  })

/** Calls `take` with each event after the start, in the order of the log, and waits for it before it reads on. */
const reading = Effect.fnUntraced(function* <R>(
  client: SheafClient,
  start: Start,
  take: (event: Event) => Effect.Effect<void, Error, R>
) {
  let { after } = start
  const { filter } = start
  let cursor: string | undefined
  while (true) {
    const query = {
      sort: ["occurred_at" as const],
      limit: pageSize,
      ...(filter && { filter }),
      ...(cursor && { cursor })
    }
    const page = yield* ask((options) => client.listEvents(query, options))
    for (const event of page.data) {
      if (after === undefined) yield* take(event)
      else if (event.id === after) after = undefined
    }
    cursor = page.next_cursor ?? undefined
    if (page.has_more) continue
    if (after !== undefined) return yield* new Refused({ message: `The log no longer has the event ${after}` })
    yield* Effect.sleep(pollEvery)
  }
})

/** The same, also after a restore of the server: then what has happened since follows. */
const following = <R>(
  client: SheafClient,
  start: Start,
  take: (event: Event) => Effect.Effect<void, Error, R>
): Effect.Effect<never, Error, R> =>
  Effect.catch(reading(client, start, take), (error) =>
    isProblem(error.cause, "cursor_expired") && error.cause.problem.restored !== undefined
      ? following(client, { filter: `occurred_at >= "${error.cause.problem.restored.restored_at}"` }, take)
      : Effect.fail(error)
  )

/** Prints when the server is lost and found again. */
const watch = (client: SheafClient, url: string): void => {
  let isLost = false
  client.watchers.add((isReached) => {
    if (isLost === !isReached) return
    isLost = !isReached
    console.error(isLost ? `No response from ${url}: trying again` : `${url} responds again`)
  })
}

/** Sends each event as a webhook does, one at a time and once, and prints the result. */
const forwarder = Effect.fnUntraced(function* (client: SheafClient, forwardTo: string, secret: string) {
  const attempt = yield* Attempts.make
  const target = (yield* Outgoing).target(forwardTo)
  if (target.refusal !== undefined) return yield* new Refused({ message: target.refusal })
  const endpoint = { url: forwardTo, target, signers: [signerOf(secret)] }
  const isJson = yield* Output.Json
  return Effect.fnUntraced(function* (event: Event) {
    const { id: event_id, resource_id, type: event_type } = event
    const body = yield* ask((options) => eventBody(client, event, options))
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const due = { id: event_id, event_id, event_type, resource_id, created_at: at, attempt: 1, body, readAt: 0 }
    const tried = yield* Effect.callback<Attempts.Tried>((resume) => {
      const cancel = attempt(endpoint, due, true, (exit) => resume(exit))
      return Effect.sync(cancel)
    })
    const { error, latency_ms, status_code } = tried
    yield* isJson
      ? Console.log(JSON.stringify({ at, status_code, latency_ms, error, event: JSON.parse(body) }))
      : Console.log(
          [at, status_code ?? error, `${latency_ms} ms`, event_id, event_type, resource_id].map(Output.plain).join("  ")
        )
  })
})

/** Sends the events of a workspace to a URL, by its log. It needs an API key, and neither a database nor a webhook. */
export const forwarding = ({ events, forwardTo, key, replay, secret: given, since, url }: Options) =>
  Effect.gen(function* () {
    const secret = given ?? makeSecret(yield* Randomness)
    const client = createClient({ url, key: Redacted.value(key), retries: Infinity })
    watch(client, url)
    const types = new Set<string>(["workspace.restored", ...typesOf(events)])
    // A ping goes to the webhook that is tested.
    const isWanted = ({ type }: Event) => types.has(type) && type !== "ping"
    const send = yield* forwarder(client, forwardTo, secret)
    const start =
      since === undefined
        ? yield* startBefore(client, replay, isWanted)
        : startAfter(yield* ask((options) => client.getEvent({ id: since }, options)))
    if (yield* Output.Json) yield* Console.log(JSON.stringify({ url, forward_to: forwardTo, events, secret }))
    else {
      if (given === undefined) yield* Console.log(`The signing secret is ${secret}`)
      yield* Console.log(`${url} forwards ${events.join(", ")} to ${forwardTo}; Ctrl-C ends it.`)
    }
    return yield* following(client, start, (event) => (isWanted(event) ? send(event) : Effect.void))
  }).pipe(Effect.provide(Outgoing.layer({ allow: [new URL(forwardTo).hostname] })))
