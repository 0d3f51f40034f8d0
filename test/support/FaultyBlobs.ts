import { Effect, Layer } from "effect"
import { Blobs, FileStoreUnreachable, SourceFailed, unavailable } from "../../services/files/Blobs.ts"

type Call = "stage" | "keep" | "discard" | "read" | "stat" | "remove" | "sweep" | "ready"

/** A fault of one call: it fails before it does anything, fails after it is done, or waits for `released`. */
type Fault = "before" | "after" | { readonly reached: () => void; readonly released: Promise<void> }

/** Thrown into the stream that the real store reads when the disk is full. */
class DiskFull extends Error {}

/** The faults of the file store. Each fault applies to one call, in the order in which they were added. */
export class BlobFaults {
  /** Bytes of each file that fit on the disk. */
  room = Infinity
  /** All calls so far, in order. */
  readonly called: Array<Call> = []
  private readonly waiting = new Map<Call, Array<Fault>>()

  /** The next call fails as if files were unreachable: before it does anything, or after it is done. */
  fail(call: Call, when: "before" | "after" = "before"): void {
    this.add(call, when)
  }

  /** The next call waits: `reached` resolves when the call arrives, and `release` continues it. */
  stall(call: Call): { readonly reached: Promise<void>; readonly release: () => void } {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    this.add(call, { reached: reached.resolve, released: released.promise })
    return { reached: reached.promise, release: released.resolve }
  }

  /** Records a call and returns its fault, if there is one. */
  take(call: Call): Fault | undefined {
    this.called.push(call)
    return this.waiting.get(call)?.shift()
  }

  private add(call: Call, fault: Fault): void {
    this.waiting.set(call, [...(this.waiting.get(call) ?? []), fault])
  }
}

async function* upTo(room: number, source: AsyncIterable<Uint8Array>) {
  let taken = 0
  for await (const chunk of source) {
    if (taken + chunk.length > room) {
      yield chunk.subarray(0, room - taken)
      throw new DiskFull()
    }
    taken += chunk.length
    yield chunk
  }
}

/** The real file store with faults in front of it: `startApp({ layers: FaultyBlobs.layer(faults) })`. */
export const layer =
  (faults: BlobFaults) =>
  <E>(real: Layer.Layer<Blobs, E>): Layer.Layer<Blobs, E> =>
    Layer.effect(
      Blobs,
      Effect.map(Effect.service(Blobs), (blobs) => {
        const faulty = <A, E>(call: Call, effect: Effect.Effect<A, E>) =>
          Effect.suspend(() => {
            const fault = faults.take(call)
            if (fault === undefined) return effect
            if (fault === "before") return Effect.fail(unavailable)
            if (fault === "after") return Effect.andThen(effect, Effect.fail(unavailable))
            fault.reached()
            return Effect.andThen(
              Effect.promise(() => fault.released),
              effect
            )
          })
        return Blobs.of({
          stage: (source, name, most, room) =>
            faulty(
              "stage",
              Effect.catchTag(
                blobs.stage(faults.room === Infinity ? source : upTo(faults.room, source), name, most, room),
                "SourceFailed",
                ({ cause }) => Effect.fail(cause instanceof DiskFull ? unavailable : new SourceFailed({ cause }))
              )
            ),
          keep: (name, key) => faulty("keep", blobs.keep(name, key)),
          discard: (name) => faulty("discard", blobs.discard(name)),
          read: (key, range) => faulty("read", blobs.read(key, range)),
          stat: (key) => faulty("stat", blobs.stat(key)),
          remove: (key) => faulty("remove", blobs.remove(key)),
          sweep: (olderThanMs) => faulty("sweep", blobs.sweep(olderThanMs)),
          ready: Effect.catchTag(faulty("ready", blobs.ready), "Unavailable", () =>
            Effect.fail(new FileStoreUnreachable({ reason: "the bucket cannot be reached" }))
          ),
          direct: blobs.direct
        })
      })
    ).pipe(Layer.provide(real))
