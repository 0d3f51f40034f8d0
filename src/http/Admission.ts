import { Context, Effect, Layer, Option } from "effect"
import type { IncomingMessage } from "node:http"
import { Served } from "../../services/budgets/Served.ts"
import { networkOf } from "../../services/limits/Network.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { stateOf } from "./RequestState.ts"

/** What one caller may have of the main loop. */
export interface Limits {
  /** Requests of a caller that are worked on at a time. */
  readonly atOnce: number
  /** A caller of whom fewer are worked on begins several at once: who asks for little does not wait for many turns. */
  readonly few: number
  /** Requests that are begun in a turn of the main loop, of callers who are known and of strangers. */
  readonly perTurn: { readonly known: number; readonly strangers: number }
  /** Requests of a caller that wait; in all there is one for each connection. */
  readonly maxWaiting: number
  /** Milliseconds after which a request that waits is refused. */
  readonly maxWait: number
  /** So many credentials are known; the longest known one goes first. */
  readonly maxKnown: number
}

/** Of strangers few: a crowd of them makes many short turns, and between two of them others are heard. */
export const defaults: Limits = {
  atOnce: 64,
  few: 8,
  perTurn: { known: 16, strangers: 4 },
  maxWaiting: 1_000,
  maxWait: 15_000,
  maxKnown: 20_000
}

/** Those who have waited for too long, and those who have gone, are looked for so often. */
const lookEvery = 1_000

/** Callers who take turns. */
interface Ring {
  /** Those with room for what waits of theirs; the first is next, and then goes to the end. */
  readonly callers: Set<Caller>
  readonly perTurn: number
  /** Requests begun in this turn. */
  begun: number
}

interface Caller {
  readonly name: string
  readonly ring: Ring
  readonly atOnce: number
  running: number
  readonly waiting: Array<Place>
}

/** Where a request stands. */
export interface Place {
  caller: Caller
  state: "waiting" | "running" | "left"
  isRefused: boolean
  readonly since: number
  readonly begin: () => void
}

const secretOf = (authorization: string): string => authorization.slice(authorization.lastIndexOf(" ") + 1)

const isHealth = (url: string | undefined): boolean => url === "/healthz" || url === "/readyz"

const isRead = (method = "GET", url = ""): boolean =>
  method === "GET" || method === "HEAD" || url.startsWith("/v2/sync/pull") || url.startsWith("/v2/search")

/**
 * Shares the main loop between callers, before anything is known of a request but its head: a caller is the user whose
 * credential was good before, else a network. They take turns, and in each turn of the main loop fewer strangers are begun
 * than callers who are known, so that neither a flood nor a crowd of strangers holds up the rest.
 */
export class Admission extends Context.Service<
  Admission,
  {
    /** Begins a request at once, when its caller's turn has come, or so that it is refused. */
    readonly enter: (request: IncomingMessage, begin: () => void) => void
    /** The request waits no longer, or is worked on no longer: it was answered, or waits for something else. */
    readonly leave: (request: object) => void
    /** Whether too many of the same caller wait. */
    readonly isRefused: (request: object) => boolean
    /** A credential was good: from now on its requests are this user's. */
    readonly know: (secret: string, user_id: string) => void
    readonly waiting: () => number
  }
>()("sheaf/Admission") {
  static readonly layer = (limits: Limits) =>
    Layer.effect(
      Admission,
      Effect.gen(function* () {
        const addressOf = yield* ClientAddress
        const served = yield* Served.ofProcess
        const users = new Map<string, string>()
        const callers = new Map<string, Caller>()
        const ringOf = (perTurn: number): Ring => ({ callers: new Set(), perTurn, begun: 0 })
        const known = ringOf(limits.perTurn.known)
        const strangers = ringOf(limits.perTurn.strangers)
        // To be told no takes a turn as well: the refused are a caller among the others.
        const refused: Caller = { name: "refused", ring: strangers, atOnce: Infinity, running: 0, waiting: [] }
        let waitingCount = 0
        let isDue = false

        // Not with each request that ends: a map that is filled and emptied all the time is as often copied.
        const forgetIdle = (): void => {
          for (const { name, running, waiting } of callers.values()) {
            if (running === 0 && waiting.length === 0) callers.delete(name)
          }
        }

        const callerNamed = (name: string, ring: Ring): Caller => {
          let caller = callers.get(name)
          if (caller === undefined) {
            if (callers.size >= limits.maxKnown) forgetIdle()
            callers.set(name, (caller = { name, ring, atOnce: limits.atOnce, running: 0, waiting: [] }))
          }
          return caller
        }

        const callerOf = ({ headers, method, socket, url }: IncomingMessage): Caller => {
          const user = headers.authorization === undefined ? undefined : users.get(secretOf(headers.authorization))
          // A bulk write may hold up its user's other writes, not their reads.
          if (user !== undefined) return callerNamed(isRead(method, url) ? user : `${user} writes`, known)
          const network = networkOf(addressOf({ headers, remoteAddress: Option.fromUndefinedOr(socket.remoteAddress) }))
          // Who looks whether the server is well asks from where others ask for more.
          return isHealth(url) ? callerNamed(`health ${network}`, known) : callerNamed(network, strangers)
        }

        const arrange = (): void => {
          if (isDue) return
          isDue = true
          setImmediate(turn)
        }

        const begin = (place: Place): void => {
          place.caller.ring.begun++
          place.caller.running++
          place.state = "running"
          served.begin()
          arrange()
          place.begin()
        }

        /** Whether somebody was next: one of theirs is begun, or as many as make a few with those that are worked on. */
        const beginNext = (ring: Ring): boolean => {
          const [caller] = ring.callers
          if (caller === undefined) return false
          const { atOnce, waiting } = caller
          const few = Math.min(limits.few, atOnce)
          for (let room = Math.max(1, few - caller.running); room > 0 && waiting.length > 0; room--) {
            waitingCount--
            begin(waiting.shift()!)
            if (ring.begun >= ring.perTurn) break
          }
          ring.callers.delete(caller)
          if (waiting.length > 0 && caller.running < atOnce) ring.callers.add(caller)
          return true
        }

        const turn = (): void => {
          isDue = false
          for (const ring of [known, strangers]) {
            ring.begun = 0
            while (ring.begun < ring.perTurn && beginNext(ring)) continue
          }
        }

        const wait = (caller: Caller, place: Place): void => {
          place.caller = caller
          waitingCount++
          caller.waiting.push(place)
          if (caller.running >= caller.atOnce) return
          caller.ring.callers.add(caller)
          arrange()
        }

        const refuse = (place: Place): void => {
          place.isRefused = true
          wait(refused, place)
        }

        const stopWaiting = ({ caller }: Place, index: number): void => {
          caller.waiting.splice(index, 1)
          waitingCount--
          if (caller.waiting.length === 0) caller.ring.callers.delete(caller)
        }

        const refuseLate = (): void => {
          if (waitingCount === 0) return
          const latest = performance.now() - limits.maxWait
          for (const { waiting } of [...callers.values()]) {
            for (let place = waiting[0]; place !== undefined && place.since <= latest; place = waiting[0]) {
              stopWaiting(place, 0)
              refuse(place)
            }
          }
        }
        const look = (): void => {
          refuseLate()
          forgetIdle()
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => setInterval(look, Math.min(lookEvery, limits.maxWait)).unref()),
          (looking) => Effect.sync(() => clearInterval(looking))
        )

        return Admission.of({
          enter: (request, serve) => {
            const caller = callerOf(request)
            const place: Place = {
              caller,
              state: "waiting",
              isRefused: false,
              since: performance.now(),
              begin: serve
            }
            stateOf(request).place = place
            const { ring } = caller
            const hasRoom = caller.running < caller.atOnce && ring.begun < ring.perTurn
            if (hasRoom && known.callers.size + strangers.callers.size === 0) begin(place)
            else if (caller.waiting.length >= limits.maxWaiting) refuse(place)
            else wait(caller, place)
          },
          leave: (request) => {
            const { place } = stateOf(request)
            if (place === undefined || place.state === "left") return
            const { caller, state } = place
            place.state = "left"
            if (state === "waiting") return stopWaiting(place, caller.waiting.indexOf(place))
            served.end()
            caller.running--
            if (caller.waiting.length === 0) return
            caller.ring.callers.add(caller)
            arrange()
          },
          isRefused: (request) => stateOf(request).place?.isRefused === true,
          know: (secret, user_id) => {
            if (users.get(secret) === user_id) return
            if (users.size >= limits.maxKnown) users.delete(users.keys().next().value!)
            users.set(secret, user_id)
          },
          waiting: () => waitingCount
        })
      })
    )
}
