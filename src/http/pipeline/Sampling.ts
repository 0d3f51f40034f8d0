/** Lines of one code that are written in a second. */
const mostPerSecond = 10

/** More codes than there are. */
const maxCodes = 100

interface Second {
  readonly began: number
  count: number
}

/** Which of many like lines are written: under load the same line again and again costs more than it tells. */
export class Sampling {
  private readonly seconds = new Map<string, Second>()

  /** Whether a line is written, passed over, or passed over as the first of its second: then `rest` is to be asked later. */
  sees(code: string, now: number): "written" | "passed" | "first passed" {
    let second = this.seconds.get(code)
    if (second === undefined || now - second.began >= 1_000) {
      if (second === undefined && this.seconds.size >= maxCodes) return "passed"
      this.seconds.set(code, (second = { began: now, count: 0 }))
    }
    second.count++
    return second.count <= mostPerSecond ? "written" : second.count === mostPerSecond + 1 ? "first passed" : "passed"
  }

  /** How many lines of a code were passed over in its last second, which ends with this. */
  rest(code: string): number {
    const count = this.seconds.get(code)?.count ?? 0
    this.seconds.delete(code)
    return Math.max(0, count - mostPerSecond)
  }
}
