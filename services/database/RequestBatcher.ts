import { Context, Deferred, Effect, Exit } from "effect"

interface Options<Key, Item, Result, Error> {
  /** Maximum number of batches of a key that run at a time. */
  readonly concurrency: number
  /** Maximum weight of a batch that has more than one item. */
  readonly maxWeight: number
  /** The weight of an item; 1 by default. */
  readonly weigh?: (item: Item) => number
  /** Runs a batch: one result for each item, in their order. When it fails, it must have changed nothing. */
  readonly run: (key: Key, items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Result>, Error>
}

interface Request<Item, Result, Error> {
  readonly item: Item
  readonly deferred: Deferred.Deferred<Result, Error>
}

interface Queue<Item, Result, Error> {
  readonly waiting: Array<Request<Item, Result, Error>>
  running: number
}

/**
 * Batches requests of a key that arrive at about the same time, such as look-ups as one query. A request that arrives
 * alone does not wait; a request that arrives while `concurrency` batches run joins the next batch. When a batch fails,
 * each of its requests runs alone, so that no request fails because of another. The callers limit how many requests
 * wait.
 *
 * Effect's `RequestResolver` does not collect requests while a batch runs, fails all of a batch, and runs it in the
 * context of the first request, its transaction included.
 */
export const make = <Key, Item, Result, Error>(options: Options<Key, Item, Result, Error>) => {
  type Batch = ReadonlyArray<Request<Item, Result, Error>>
  const { concurrency, maxWeight, run, weigh = () => 1 } = options
  const queues = new Map<Key, Queue<Item, Result, Error>>()
  const fork = Effect.runForkWith(Context.empty())

  const take = ({ waiting }: Queue<Item, Result, Error>): Batch => {
    let weight = 0
    let count = 0
    for (const { item } of waiting) {
      weight += weigh(item)
      if (count > 0 && weight > maxWeight) break
      count++
    }
    return waiting.splice(0, count)
  }

  const runBatch = Effect.fnUntraced(function* (key: Key, batch: Batch): Effect.fn.Return<void> {
    const items = batch.map(({ item }) => item)
    const exit = yield* Effect.exit(run(key, items))
    if (Exit.isFailure(exit) && batch.length > 1) {
      for (const request of batch) yield* runBatch(key, [request])
      return
    }
    for (const [index, { deferred }] of batch.entries()) {
      Deferred.doneUnsafe(
        deferred,
        Exit.map(exit, (results) => results[index]!)
      )
    }
  })

  const work = Effect.fnUntraced(function* (key: Key, queue: Queue<Item, Result, Error>) {
    // Requests of the same turn of the event loop run together.
    yield* Effect.yieldNow
    while (queue.waiting.length > 0) yield* runBatch(key, take(queue))
    // In the same step as the last check of the queue: a request added in between would wait for ever.
    if (--queue.running === 0) queues.delete(key)
  })

  return (key: Key, item: Item): Effect.Effect<Result, Error> =>
    Effect.suspend(() => {
      const queue = queues.get(key) ?? { waiting: [], running: 0 }
      queues.set(key, queue)
      const deferred = Deferred.makeUnsafe<Result, Error>()
      queue.waiting.push({ item, deferred })
      if (queue.running < concurrency) {
        queue.running++
        fork(work(key, queue))
      }
      return Deferred.await(deferred)
    })
}
