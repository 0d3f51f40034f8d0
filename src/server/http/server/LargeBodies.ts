import { ByteSize, Context, Effect, Layer, Semaphore } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { KeyedLimit } from "../../../../services/concurrency/KeyedLimit.ts"
import { Unavailable } from "../../../../services/Errors.ts"

/** Bodies up to this size, in bytes, are not counted. */
export const small = 64 * 1024

interface Limits {
  /** Maximum bytes of large bodies in memory, of all users together and of one user. */
  readonly total: number
  readonly perUser: number
}

const defaults: Limits = { total: 128 * 1024 * 1024, perUser: 32 * 1024 * 1024 }

const noRoom = new Unavailable({
  code: "overloaded",
  detail: "Too many large bodies are being processed",
  retry_after: 1
})

/**
 * Limits the memory of large JSON bodies. Each counts by its Content-Length, or else by the maximum that is allowed, from
 * before it is read until its response is complete.
 */
export class LargeBodies extends Context.Service<
  LargeBodies,
  {
    /** Processes a request whose body may be large; fails with 503 if there is no memory for the body. */
    readonly within: <A, E, R>(
      user_id: string,
      request: HttpServerRequest.HttpServerRequest,
      processing: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
    /** Yields to the event loop before a large body is parsed, which takes long, so that sockets are served in between. */
    readonly turn: Effect.Effect<void>
    /** Bytes that are counted now. */
    readonly held: () => number
  }
>()("sheaf/http/server/LargeBodies") {
  static readonly layerWith = ({ perUser, total }: Limits) =>
    Layer.sync(LargeBodies, () => {
      const memory = new KeyedLimit({ perKey: perUser, total })
      const gate = Semaphore.makeUnsafe(1)

      return LargeBodies.of({
        within: (user_id, request, processing) =>
          Effect.flatMap(HttpIncomingMessage.MaxBodySize, (most) => {
            const { "content-length": length, "transfer-encoding": encoding } = request.headers
            // Without both headers a request has no body (RFC 9112, section 6.3).
            const bytes =
              encoding === undefined ? Number(length ?? 0) : ByteSize.toNumberUnsafe(most ?? ByteSize.bytes(perUser))
            if (bytes <= small) return processing
            return Effect.acquireUseRelease(
              Effect.suspend(() => (memory.tryAcquire(user_id, bytes) ? Effect.void : Effect.fail(noRoom))),
              () => processing,
              () => Effect.sync(() => memory.release(user_id, bytes))
            )
          }),
        turn: gate.withPermit(
          Effect.callback((resume) => {
            const immediate = setImmediate(() => resume(Effect.void))
            return Effect.sync(() => clearImmediate(immediate))
          })
        ),
        held: () => memory.held
      })
    })

  static readonly layer = LargeBodies.layerWith(defaults)
}
