import { ByteSize, Context, Effect, Exit, Layer } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { finished, Readable } from "node:stream"
import { largeBytes } from "../../services/budgets/LargeBytes.ts"
import { Unavailable } from "../../services/Errors.ts"

/** Bodies up to this are not counted. */
export const small = 64 * 1024

/** Bodies above this are put together as they come. Of a smaller one the copy is short, and bytes that may grow are read slower. */
const long = 1024 * 1024

/**
 * So many bytes of large bodies are read in a turn of the main loop. A socket may have 2 MB for one, and memory has to be made
 * for each of them.
 */
const perTurn = 1024 * 1024

const noRoom = new Unavailable({ code: "overloaded", detail: "Too many large bodies at once", retry_after: 1 })

/** Gives memory back at once, of which nobody reads any more: the collector would come to it when megabytes more have come. */
const free = (bytes: ArrayBufferLike): void => {
  if (bytes instanceof ArrayBuffer) bytes.transferToFixedLength(0)
}

/**
 * The body of a request, as who reads it gets it: a long one in one chunk, which is put together as its bytes come. At its
 * end the copy would hold up everybody, and its bytes be in memory twice. No memory is taken before it is written: what is
 * announced, and does not come, takes none.
 */
class Body extends Readable {
  /** Bytes that have come. */
  seen = 0
  /** Bytes that there is room for. */
  taken = 0
  /** What was made of its chunks. */
  whole: ArrayBuffer | undefined
  readonly #source: IncomingMessage
  readonly #most: number
  readonly #isAnnounced: boolean
  readonly #chunks: Array<Uint8Array> = []
  #long: Uint8Array<ArrayBuffer> | undefined
  #isGiven = false

  /** `length`: what was announced, if anything was. */
  constructor(source: IncomingMessage, most: number, length: number | undefined) {
    super({ read: () => {} })
    this.#source = source
    this.#most = Math.min(length ?? most, most)
    this.#isAnnounced = length !== undefined
    // Who reads it is told, and nobody may read it.
    this.on("error", () => {})
    finished(source, { writable: false }, (error) => {
      if (error) {
        this.destroy(error)
        return
      }
      this.#give(this.seen)
      this.push(null)
    })
  }

  /** Whether more may come: who reads a body that is too long is given it, and refuses it. */
  add(chunk: Uint8Array): boolean {
    const at = this.seen
    this.seen += chunk.length
    if (this.seen > this.#most) {
      this.#give(at)
      this.push(chunk)
      return false
    }
    if (this.seen <= long) {
      this.#chunks.push(chunk)
      return true
    }
    this.#makeRoom()
    this.#long!.set(chunk, at)
    if (chunk.buffer.byteLength === chunk.length) free(chunk.buffer)
    return true
  }

  /** Its memory, which nobody may read any more. */
  free(): void {
    this.#isGiven = true
    if (this.#long !== undefined) free(this.#long.buffer)
    if (this.taken > 0 && this.whole?.detached === false) free(this.whole)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#source.readableEnded) this.#source.destroy()
    done(error)
  }

  /** For what has come, and mostly for more. */
  #makeRoom(): void {
    const before = this.#long
    if (before !== undefined && before.length >= this.seen) return
    if (before?.buffer.resizable) {
      before.buffer.resize(this.seen)
      return
    }
    const bytes = this.#room()
    let at = 0
    for (const chunk of before === undefined ? this.#chunks.splice(0) : [before]) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    this.#long = bytes
    if (before !== undefined) free(before.buffer)
  }

  /**
   * For four times what has come, and for no more than was announced: who reads it wants a buffer of just its bytes. Where
   * nothing was announced that buffer grows with them, in small pages, as the last copy would be the longest.
   */
  #room(): Uint8Array<ArrayBuffer> {
    const most = this.#most
    if (this.#isAnnounced) return 4 * this.seen < most ? largeBytes(4 * this.seen) : Buffer.allocUnsafeSlow(most)
    return new Uint8Array(new ArrayBuffer(this.seen, { maxByteLength: most }))
  }

  #give(bytes: number): void {
    if (this.#isGiven) return
    this.#isGiven = true
    for (const chunk of this.#chunks.splice(0)) this.push(chunk)
    if (this.#long !== undefined) this.push(this.#long.subarray(0, bytes))
  }
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
  /** Bytes that were read in this turn, and whoever reads on in the next. */
  private inTurn = 0
  private readonly paused = new Set<IncomingMessage>()

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
      Effect.map(HttpIncomingMessage.MaxBodySize, (limit): Body => {
        const most = limit === undefined ? this.share : ByteSize.toNumberUnsafe(limit)
        const length = request.headers["content-length"]
        const body = new Body(
          request.source as IncomingMessage,
          most,
          length === undefined ? undefined : Number(length)
        )
        // Effect reads the body from there.
        Object.defineProperty(request, "bodySource", { value: body })
        return body
      }),
      (body) =>
        this.read(holder, request, body).pipe(
          Effect.andThen(Effect.suspend(() => (body.taken > 0 ? this.turn : Effect.void))),
          Effect.andThen(answer)
        ),
      (body) =>
        Effect.sync(() => {
          body.free()
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

  /** Counts what was read, and has others go on before more is. */
  private pace(source: IncomingMessage, bytes: number): void {
    if (this.inTurn === 0) setImmediate(this.goOn)
    this.inTurn += bytes
    if (this.inTurn <= perTurn) return
    this.paused.add(source)
    source.pause()
  }

  private readonly goOn = (): void => {
    this.inTurn = 0
    const paused = [...this.paused]
    this.paused.clear()
    for (const source of paused) source.resume()
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
        const refuse = () => {
          this.paused.delete(source)
          source.off("data", count).pause()
          resume(Effect.fail(noRoom))
        }
        const count = (chunk: Uint8Array) => {
          try {
            if (!body.add(chunk)) {
              source.off("data", count).resume()
              return
            }
          } catch (error) {
            // The system gives no memory for it.
            if (!(error instanceof RangeError)) throw error
            refuse()
            return
          }
          if (body.seen <= small) return
          const more = body.seen - body.taken
          if (this.take(holder, more)) {
            body.taken = body.seen
            this.pace(source, more)
          } else refuse()
        }
        source.on("data", count)
        // At once, not when this fiber goes on: with a listener the bytes flow, and none may be missed.
        const reader = Effect.runForkWith(fiber.context)(request.arrayBuffer)
        reader.addObserver((exit) => {
          source.off("data", count)
          if (Exit.isSuccess(exit)) body.whole = exit.value
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
