import { randomId } from "../../client/RandomId.ts"

/** The idempotency key of a request that a user repeats when its response was lost. */
export class RequestKey {
  #last: { readonly input: string; readonly key: string } | undefined

  /** The key of the attempt before, if that had the same input and has not succeeded. */
  of(input: object): string {
    const text = JSON.stringify(input)
    if (this.#last?.input !== text) this.#last = { input: text, key: randomId() }
    return this.#last.key
  }

  succeeded(): void {
    this.#last = undefined
  }
}
