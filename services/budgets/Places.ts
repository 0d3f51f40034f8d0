/** What waits of one key for a place, in its order. */
export class Line<A> {
  readonly waiting: Array<A> = []
  running = 0
  isInRing = false
}

/**
 * Places that lines share: they take turns, however much waits in each. Nothing begins by itself, as it does in a
 * `FairQueue`: whoever can begin something asks for the next. Those who wait bound how much does.
 */
export class Places<A> {
  private readonly places: number
  private readonly placesPerLine: number
  private readonly ring: Array<Line<A>> = []
  private running = 0

  constructor(places: number, placesPerLine: number) {
    this.places = places
    this.placesPerLine = placesPerLine
  }

  wait(line: Line<A>, item: A): void {
    line.waiting.push(item)
    this.enter(line)
  }

  /**
   * Takes a place for what is next: of a line, the first item that is preferred, or the first one. Undefined where there
   * is no place, or nothing waits.
   */
  next(isPreferred: (item: A) => boolean): A | undefined {
    if (this.running >= this.places) return undefined
    const line = this.ring.shift()
    if (line === undefined) return undefined
    line.isInRing = false
    line.running++
    this.running++
    const index = line.waiting.findIndex(isPreferred)
    const [item] = line.waiting.splice(Math.max(index, 0), 1)
    this.enter(line)
    return item
  }

  /** Takes one more place for what was next in a line, where there is one. */
  more(line: Line<A>): boolean {
    if (this.running >= this.places || line.running >= this.placesPerLine) return false
    line.running++
    this.running++
    return true
  }

  /** Gives the place back of what was next in a line. */
  leave(line: Line<A>): void {
    line.running--
    this.running--
    this.enter(line)
  }

  private enter(line: Line<A>): void {
    if (line.isInRing || line.waiting.length === 0 || line.running >= this.placesPerLine) return
    line.isInRing = true
    this.ring.push(line)
  }
}
