import { Context, Effect, Exit, type Fiber, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { Unavailable } from "../../services/Errors.ts"

/** Bodies up to this are not counted. */
export const small = 64 * 1024

const noRoom = new Unavailable({ code: "overloaded", detail: "Too many large bodies at once", retry_after: 1 })

/** What is held of a body while its request is answered. */
interface Body {
  seen: number
  taken: number
  readonly chunks: Array<Uint8Array>
  whole: ArrayBuffer | undefined
}

/** Gives memory back at once, of which nobody reads any more: the collector would come to it when megabytes more have come. */
const free = (bytes: ArrayBufferLike): void => {
  if (bytes instanceof ArrayBuffer) bytes.transfer(0)
}

/**
 * The bytes of large bodies that this process holds, each from when it came until its request is answered; parsed, they
 * take several times their size. A part of the room is all that one holder may take, so that nobody takes it from all.
 */
export class BodyRoom {
  private readonly total: number
  private readonly share: number
  private readonly taken = new Map<string, number>()
  private all = 0
  private readonly ready: Array<() => void> = []

  constructor(total: number, share: number) {
    this.total = total
    this.share = share
  }

  /** Bytes of all holders. */
  held(): number {
    return this.all
  }

  private take(holder: string, bytes: number): boolean {
    const own = (this.taken.get(holder) ?? 0) + bytes
    if (own > this.share || this.all + bytes > this.total) return false
    this.taken.set(holder, own)
    this.all += bytes
    return true
  }

  private give(holder: string, bytes: number): void {
    if (bytes === 0) return
    const own = this.taken.get(holder)! - bytes
    if (own === 0) this.taken.delete(holder)
    else this.taken.set(holder, own)
    this.all -= bytes
  }

  /** Reads the body of a request, and answers it, while there is room for what has come of it. */
  within<A, E, R>(
    holder: string,
    request: HttpServerRequest.HttpServerRequest,
    answer: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | Unavailable, R> {
    return Effect.acquireUseRelease(
      Effect.sync((): Body => ({ seen: 0, taken: 0, chunks: [], whole: undefined })),
      (body) =>
        this.read(holder, request, body).pipe(
          Effect.andThen(Effect.suspend(() => (body.taken > 0 ? this.turn : Effect.void))),
          Effect.andThen(answer)
        ),
      (body) =>
        Effect.sync(() => {
          if (body.taken > 0 && body.whole !== undefined) free(body.whole)
          this.give(holder, body.taken)
        })
    )
  }

  /** Each takes long to parse: they are begun one after the other, and all sockets are looked at in between. */
  private readonly turn = Effect.callback<void>((resume) => {
    const begin = () => resume(Effect.void)
    if (this.ready.push(begin) === 1) setImmediate(this.next)
    return Effect.sync(() => {
      const at = this.ready.indexOf(begin)
      // The first keeps its place, for those behind it.
      if (at > 0) this.ready.splice(at, 1)
    })
  })

  private readonly next = (): void => {
    this.ready.shift()?.()
    if (this.ready.length > 0) setImmediate(this.next)
  }

  /** The request keeps what was read; what is wrong with it, whoever reads it next is told. */
  private read(
    holder: string,
    request: HttpServerRequest.HttpServerRequest,
    body: Body
  ): Effect.Effect<void, Unavailable> {
    return Effect.withFiber((fiber) =>
      Effect.callback((resume) => {
        const source = request.source as IncomingMessage
        const count = (chunk: Uint8Array) => {
          body.seen += chunk.length
          body.chunks.push(chunk)
          if (body.seen <= small) return
          if (this.take(holder, body.seen - body.taken)) {
            body.taken = body.seen
            return
          }
          source.off("data", count).pause()
          resume(Effect.fail(noRoom))
        }
        source.on("data", count)
        // At once, not when this fiber goes on: with a listener the bytes flow, and none may be missed.
        const reader: Fiber.Fiber<ArrayBuffer, unknown> = Effect.runForkWith(fiber.context)(request.arrayBuffer)
        reader.addObserver((exit) => {
          source.off("data", count)
          const chunks = body.chunks.splice(0)
          if (Exit.isSuccess(exit)) {
            body.whole = exit.value
            // One chunk is the whole; several were copied into it.
            if (chunks.length > 1)
              for (const { buffer, length } of chunks) if (buffer.byteLength === length) free(buffer)
          }
          resume(Effect.void)
        })
        return Effect.sync(() => {
          source.off("data", count)
          reader.interruptUnsafe()
        })
      })
    )
  }
}

/** The room of this server for large bodies: of all together, and of one user. */
export class LargeBodies extends Context.Service<LargeBodies, BodyRoom>()("sheaf/http/LargeBodies") {
  static readonly layer = Layer.sync(LargeBodies, () => new BodyRoom(256 * 1024 * 1024, 32 * 1024 * 1024))
}
