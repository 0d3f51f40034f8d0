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
  /**
   * The same for the reads of a user. They go to few connections of the database, each of which answers in the order in which
   * it was asked: more of one user would only be a longer way for everybody.
   */
  readonly readsAtOnce: number
  /**
   * Whoever has the fewest requests under way goes first: who asks for little does not wait for many turns of those who ask
   * for much. Callers with so many and more take turns with each other.
   */
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
  readsAtOnce: 16,
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
  /**
   * Those with room for what waits of theirs, by how many of their requests are under way, up to `few`. Among those with as
   * many the first is next, and then goes to the end.
   */
  readonly levels: ReadonlyArray<Set<Caller>>
  readonly perTurn: number
  /** Requests begun in this turn. */
  begun: number
}

interface Caller {
  readonly name: string
  readonly ring: Ring
  readonly atOnce: number
  /** Requests that are worked on, */
  running: number
  /** and those as well that wait in a queue for it. */
  underWay: number
  readonly waiting: Array<Place>
  /** Where it stands in its ring. */
  level: Set<Caller> | undefined
}

/** Where a request stands. */
export interface Place {
  caller: Caller
  state: "waiting" | "running" | "queued" | "left"
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
 * credential was good before, else a network. Whoever has the fewest requests under way goes first, and in each turn of the
 * main loop fewer strangers are begun than callers who are known: neither a flood nor a crowd of strangers holds up the rest.
 */
export class Admission extends Context.Service<
  Admission,
  {
    /** Begins a request at once, when its caller's turn has come, or so that it is refused. */
    readonly enter: (request: IncomingMessage, begin: () => void) => void
    /** The request waits in a queue for those who work on it: others of its caller may be worked on meanwhile. */
    readonly giveWay: (request: object) => void
    /** The request waits no longer, or is worked on no longer: it was answered, or waits for news. */
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
        const ringOf = (perTurn: number): Ring => ({
          levels: Array.from({ length: limits.few + 1 }, () => new Set<Caller>()),
          perTurn,
          begun: 0
        })
        const callerOn = (name: string, ring: Ring, atOnce: number): Caller => ({
          name,
          ring,
          atOnce,
          running: 0,
          underWay: 0,
          waiting: [],
          level: undefined
        })
        const known = ringOf(limits.perTurn.known)
        const strangers = ringOf(limits.perTurn.strangers)
        // To be told no takes a turn as well: the refused are a caller among the others.
        const refused = callerOn("refused", strangers, Infinity)
        let waitingCount = 0
        /** Callers who stand on a level. */
        let standing = 0
        let isDue = false

        // Not with each request that ends: a map that is filled and emptied all the time is as often copied.
        const forgetIdle = (): void => {
          for (const { name, underWay, waiting } of callers.values()) {
            if (underWay === 0 && waiting.length === 0) callers.delete(name)
          }
        }

        const callerNamed = (name: string, ring: Ring, atOnce = limits.atOnce): Caller => {
          let caller = callers.get(name)
          if (caller === undefined) {
            if (callers.size >= limits.maxKnown) forgetIdle()
            callers.set(name, (caller = callerOn(name, ring, atOnce)))
          }
          return caller
        }

        const callerOf = ({ headers, method, socket, url }: IncomingMessage): Caller => {
          const user = headers.authorization === undefined ? undefined : users.get(secretOf(headers.authorization))
          // A bulk write may hold up its user's other writes, not their reads.
          if (user !== undefined)
            return isRead(method, url)
              ? callerNamed(user, known, limits.readsAtOnce)
              : callerNamed(`${user} writes`, known)
          const network = networkOf(addressOf({ headers, remoteAddress: Option.fromUndefinedOr(socket.remoteAddress) }))
          // Who looks whether the server is well asks from where others ask for more.
          return isHealth(url) ? callerNamed(`health ${network}`, known) : callerNamed(network, strangers)
        }

        const arrange = (): void => {
          if (isDue) return
          isDue = true
          setImmediate(turn)
        }

        const move = (caller: Caller, level: Set<Caller> | undefined): void => {
          if (caller.level === undefined) standing++
          if (level === undefined) standing--
          caller.level?.delete(caller)
          level?.add(caller)
          caller.level = level
        }

        /** Puts a caller on the level where it belongs: at its end, unless it stands there already. */
        const stand = (caller: Caller): void => {
          const { atOnce, ring, running, underWay, waiting } = caller
          const isNext = waiting.length > 0 && running < atOnce
          const level = isNext ? ring.levels[Math.min(underWay, limits.few)] : undefined
          if (level !== caller.level) move(caller, level)
          if (isNext) arrange()
        }

        const begin = (place: Place): void => {
          place.caller.ring.begun++
          place.caller.running++
          place.caller.underWay++
          place.state = "running"
          served.begin()
          arrange()
          place.begin()
        }

        const beginOneOf = (level: Set<Caller> | undefined): void => {
          const [caller] = level ?? []
          if (caller === undefined) return
          // Taken off first: where it stays on its level, it goes to the end.
          move(caller, undefined)
          waitingCount--
          begin(caller.waiting.shift()!)
          stand(caller)
        }

        const turn = (): void => {
          isDue = false
          const isAnybody = (level: Set<Caller>): boolean => level.size > 0
          for (const ring of [known, strangers]) {
            const { levels, perTurn } = ring
            ring.begun = 0
            // Also of those who ask for much, one: they would wait for ever for many who ask for little.
            beginOneOf(levels.findLast(isAnybody))
            while (ring.begun < perTurn) {
              const level = levels.find(isAnybody)
              if (level === undefined) break
              beginOneOf(level)
            }
          }
        }

        const wait = (caller: Caller, place: Place): void => {
          place.caller = caller
          waitingCount++
          caller.waiting.push(place)
          stand(caller)
        }

        const refuse = (place: Place): void => {
          place.isRefused = true
          wait(refused, place)
        }

        const stopWaiting = ({ caller }: Place, index: number): void => {
          caller.waiting.splice(index, 1)
          waitingCount--
          stand(caller)
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
            if (hasRoom && standing === 0) begin(place)
            else if (caller.waiting.length >= limits.maxWaiting) refuse(place)
            else wait(caller, place)
          },
          giveWay: (request) => {
            const { place } = stateOf(request)
            if (place?.state !== "running") return
            place.state = "queued"
            served.end()
            place.caller.running--
            stand(place.caller)
          },
          leave: (request) => {
            const { place } = stateOf(request)
            if (place === undefined || place.state === "left") return
            const { caller, state } = place
            place.state = "left"
            if (state === "waiting") return stopWaiting(place, caller.waiting.indexOf(place))
            caller.underWay--
            if (state === "running") {
              served.end()
              caller.running--
            }
            stand(caller)
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
