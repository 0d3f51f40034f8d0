/**
 * The cost of work on the main loop, counted in steps. One step takes about a tenth of a microsecond on a small
 * machine. Work is counted in steps and not in time, so that it is cut and ended at the same places on every machine,
 * however busy.
 */
export const stepsPerMillisecond = 10_000

/** Maximum number of steps in one slice, before other work gets its turn: about 3 ms. */
export const sliceSteps = 3 * stepsPerMillisecond

/** The budget of one operation. It reports when the operation should yield, and when it has spent its limit. */
export class Budget {
  /** Maximum number of steps in all. */
  readonly limit: number
  spent = 0
  /** The largest number of steps in one slice: for tests. */
  longestSlice = 0
  #slice = 0

  constructor(limit = Infinity) {
    this.limit = limit
  }

  /** Counts work. Returns true when it is time to yield. */
  spend(steps: number): boolean {
    this.spent += steps
    this.#slice += steps
    return this.#slice >= sliceSteps
  }

  /** Whether the limit is spent: then no more work begins, and the result is what was found so far. */
  get isSpent(): boolean {
    return this.spent >= this.limit
  }

  /** Begins a new slice. */
  resume(): void {
    if (this.#slice > this.longestSlice) this.longestSlice = this.#slice
    this.#slice = 0
  }
}

/** Work in slices: it yields whenever its budget requires it, in a state in which it can be abandoned. */
export type Sliced<A> = Generator<void, A, void>

/** Does all slices in one go, where no other work waits. */
export const atOnce = <A>(work: Sliced<A>): A => {
  while (true) {
    const { done, value } = work.next()
    if (done === true) return value
  }
}
