import { Effect } from "effect"
import { KeyedLimit } from "./KeyedLimit.ts"
import { type Handler, ParentLink } from "./ParentLink.ts"

/** A limit on what each key holds at a time in all processes of a server, such as open streams. */
export interface HeldLimit {
  /** Returns false, and counts nothing, if the key holds the maximum. */
  readonly acquire: (key: string) => Effect.Effect<boolean>
  readonly release: (key: string) => Effect.Effect<void>
}

interface Hold {
  readonly name: string
  readonly key: string
  readonly perKey: number
  readonly isReleased: boolean
}

/** Makes a limit with a name, which all workers of a server share. */
export const heldLimit = (name: string, perKey: number): Effect.Effect<HeldLimit> =>
  Effect.map(ParentLink, (link) => {
    if (link === undefined) {
      const limit = new KeyedLimit({ perKey })
      return {
        acquire: (key) => Effect.sync(() => limit.tryAcquire(key)),
        release: (key) => Effect.sync(() => limit.release(key))
      }
    }
    const ask = (key: string, isReleased: boolean) =>
      Effect.orDie(link.ask<boolean>("hold", { name, key, perKey, isReleased } satisfies Hold))
    return { acquire: (key) => ask(key, false), release: (key) => Effect.asVoid(ask(key, true)) }
  })

/** The limits of all workers. */
export class HeldLimits {
  readonly #limits = new Map<string, KeyedLimit>()
  /** What each worker holds. */
  readonly #held = new Map<number, Array<readonly [limit: KeyedLimit, key: string]>>()

  readonly handler: Handler = ({ isReleased, key, name, perKey }: Hold, worker) =>
    Effect.sync(() => {
      let limit = this.#limits.get(name)
      if (limit === undefined) this.#limits.set(name, (limit = new KeyedLimit({ perKey })))
      const held = this.#held.get(worker) ?? []
      this.#held.set(worker, held)
      if (!isReleased) {
        const isHeld = limit.tryAcquire(key)
        if (isHeld) held.push([limit, key])
        return isHeld
      }
      const at = held.findIndex(([of, own]) => of === limit && own === key)
      if (at >= 0) held.splice(at, 1)
      if (at >= 0) limit.release(key)
      return true
    })

  /** Releases what a worker has held that has ended. */
  end(worker: number): void {
    for (const [limit, key] of this.#held.get(worker) ?? []) limit.release(key)
    this.#held.delete(worker)
  }
}
