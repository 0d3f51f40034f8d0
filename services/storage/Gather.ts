import { Context, Deferred, Effect, Exit } from "effect"

interface Options<Key, Item, Result, Error> {
  /** Groups of a key that are under way at a time, */
  readonly underWay: number
  /** and what a group weighs at most, unless it is one item alone. */
  readonly most: number
  readonly weigh?: (item: Item) => number
  /** Carries out several as one: results in the order of the items. A failure must leave nothing behind. */
  readonly carryOut: (key: Key, items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Result>, Error>
}

interface Waiting<Item, Result, Error> {
  readonly item: Item
  readonly deferred: Deferred.Deferred<Result, Error>
}

interface Queue<Item, Result, Error> {
  waiting: Array<Waiting<Item, Result, Error>>
  underWay: number
}

/**
 * Carries out together what is asked for of a key at about the same time: at the price of one where that is a query.
 * What comes alone does not wait; what comes while others are under way goes with the next. Where several fail, each is
 * carried out alone, and only what is at fault fails. Those who ask bound how much waits.
 */
export const make = <Key, Item, Result, Error>({
  carryOut,
  most,
  underWay,
  weigh = () => 1
}: Options<Key, Item, Result, Error>) => {
  type Group = ReadonlyArray<Waiting<Item, Result, Error>>
  const queues = new Map<Key, Queue<Item, Result, Error>>()
  const fork = Effect.runForkWith(Context.empty())

  const take = (queue: Queue<Item, Result, Error>): Group => {
    let weight = 0
    let count = 0
    while (count < queue.waiting.length) {
      weight += weigh(queue.waiting[count]!.item)
      if (count > 0 && weight > most) break
      count++
    }
    return queue.waiting.splice(0, count)
  }

  const settle = (key: Key, group: Group): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.exit(
        carryOut(
          key,
          group.map(({ item }) => item)
        )
      ),
      (exit) => {
        if (Exit.isFailure(exit) && group.length > 1) {
          return Effect.forEach(group, (one) => settle(key, [one]), { discard: true })
        }
        for (const [index, { deferred }] of group.entries()) {
          Deferred.doneUnsafe(
            deferred,
            Exit.map(exit, (results) => results[index]!)
          )
        }
        return Effect.void
      }
    )

  const work = (key: Key, queue: Queue<Item, Result, Error>) => {
    queue.underWay++
    fork(
      Effect.gen(function* () {
        // Those of the same moment go together.
        yield* Effect.yieldNow
        while (queue.waiting.length > 0) yield* settle(key, take(queue))
        // In one step with the look at what waits: what came between the two would wait for ever.
        if (--queue.underWay === 0) queues.delete(key)
      })
    )
  }

  return (key: Key, item: Item): Effect.Effect<Result, Error> =>
    Effect.suspend(() => {
      let queue = queues.get(key)
      if (queue === undefined) queues.set(key, (queue = { waiting: [], underWay: 0 }))
      const deferred = Deferred.makeUnsafe<Result, Error>()
      queue.waiting.push({ item, deferred })
      if (queue.underWay < underWay) work(key, queue)
      return Deferred.await(deferred)
    })
}
