/** Maximum number of lines of one code that are written per second. */
const maxPerSecond = 10

/** Maximum number of codes, more than exist. */
const maxCodes = 100

interface Second {
  readonly began: number
  count: number
}

/** Limits similar log lines: under load, repeating the same line costs more than it is worth. */
export class Sampling {
  readonly #seconds = new Map<string, Second>()

  /** Whether a line is written or omitted. At "first passed", the first omitted one of its second, call `rest` later. */
  sees(code: string, now: number): "written" | "passed" | "first passed" {
    let second = this.#seconds.get(code)
    if (second === undefined || now - second.began >= 1_000) {
      if (second === undefined && this.#seconds.size >= maxCodes) return "passed"
      this.#seconds.set(code, (second = { began: now, count: 0 }))
    }
    second.count++
    return second.count <= maxPerSecond ? "written" : second.count === maxPerSecond + 1 ? "first passed" : "passed"
  }

  /** Ends the last second of a code, and returns the number of its omitted lines. */
  rest(code: string): number {
    const count = this.#seconds.get(code)?.count ?? 0
    this.#seconds.delete(code)
    return Math.max(0, count - maxPerSecond)
  }
}
