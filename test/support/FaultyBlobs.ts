import { Effect, Layer } from "effect"
import { Blobs, FilesAway, SourceFailed, unavailable } from "../../services/files/Blobs.ts"

type Call = "stage" | "keep" | "discard" | "read" | "stat" | "remove" | "sweep" | "ready"

/** What a call meets: it fails before it does anything, fails once it is done, or waits until it is let go. */
type Fault = "before" | "after" | { readonly reached: () => void; readonly goesOn: Promise<void> }

/** The end of the disk, thrown into the stream that the real store takes in. */
class DiskFull extends Error {}

/** What is to go wrong with files. Each fault is met by one call, in the order they were asked for. */
export class BlobFaults {
  /** So many bytes of each file fit on the disk. */
  room = Infinity
  readonly called: Array<Call> = []
  private readonly waiting = new Map<Call, Array<Fault>>()

  /** The next call fails as if files could not be reached: before it does anything, or when it has done everything. */
  fail(call: Call, when: "before" | "after" = "before"): void {
    this.add(call, when)
  }

  /** The next call waits: `reached` is kept when it comes, and `release` lets it go on. */
  stall(call: Call): { readonly reached: Promise<void>; readonly release: () => void } {
    const reached = Promise.withResolvers<void>()
    const goesOn = Promise.withResolvers<void>()
    this.add(call, { reached: reached.resolve, goesOn: goesOn.promise })
    return { reached: reached.promise, release: goesOn.resolve }
  }

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

/** The real files, with faults in front of them: `startApp({ blobs: FaultyBlobs.layer(faults) })`. */
export const layer =
  (faults: BlobFaults) =>
  (real: Layer.Layer<Blobs>): Layer.Layer<Blobs> =>
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
              Effect.promise(() => fault.goesOn),
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
            Effect.fail(new FilesAway({ reason: "the bucket cannot be reached" }))
          ),
          direct: blobs.direct
        })
      })
    ).pipe(Layer.provide(real))
