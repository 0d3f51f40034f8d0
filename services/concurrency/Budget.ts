/**
 * What work on the main loop costs, counted in steps: one is about a tenth of a microsecond on a small machine. Steps and
 * not time, so that the same work is cut and ended at the same places on every machine, however busy.
 */
export const stepsPerMillisecond = 10_000

/** So much is done at a stretch before others have their turn: about 3 ms. */
export const sliceSteps = 3 * stepsPerMillisecond

/** What one operation may cost. It says when to let others have their turn, and when there is no more to spend. */
export class Budget {
  /** Steps that may be spent in all. */
  readonly limit: number
  spent = 0
  /** The most steps that were done at a stretch: for tests. */
  longestSlice = 0
  #slice = 0

  constructor(limit = Infinity) {
    this.limit = limit
  }

  /** Counts work. True: it is time to yield. */
  spend(steps: number): boolean {
    this.spent += steps
    this.#slice += steps
    return this.#slice >= sliceSteps
  }

  /** Whether nothing more is to be begun: what was found so far is the answer. */
  get isSpent(): boolean {
    return this.spent >= this.limit
  }

  /** A new slice begins. */
  resume(): void {
    if (this.#slice > this.longestSlice) this.longestSlice = this.#slice
    this.#slice = 0
  }
}

/** Work in slices: it yields whenever its budget says so, in a state in which it can be left. */
export type Sliced<A> = Generator<void, A, void>

/** All slices at one stretch: where nobody waits. */
export const atOnce = <A>(work: Sliced<A>): A => {
  while (true) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}
