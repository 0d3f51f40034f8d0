interface Limits {
  /** Maximum number of items that are taken and not released, in all and of one key. */
  readonly permits: number
  readonly permitsPerKey: number
}

interface Partition<A> {
  readonly key: string
  readonly waiting: Set<A>
  taken: number
}

/**
 * A queue whose keys take turns (round-robin), however many items wait of each. Taking an item takes a permit of its key
 * until `release`. The caller limits how many items wait.
 */
export class RoundRobinQueue<A> {
  private readonly limits: Limits
  private readonly partitions = new Map<string, Partition<A>>()
  /** The partitions from which an item may be taken, as far as there are permits: the first one is next. */
  private readonly turns = new Set<Partition<A>>()
  private taken = 0
  private waitingCount = 0

  constructor(limits: Limits) {
    this.limits = limits
  }

  get waiting(): number {
    return this.waitingCount
  }

  waitingOf(key: string): number {
    return this.partitions.get(key)?.waiting.size ?? 0
  }

  takenOf(key: string): number {
    return this.partitions.get(key)?.taken ?? 0
  }

  /** The newest waiting item of the key with the most; of this key, which has one, when no other has more. */
  newestOfLongest(key: string): A {
    let longest = this.partitions.get(key)!.waiting
    for (const { waiting } of this.partitions.values()) if (waiting.size > longest.size) longest = waiting
    return [...longest].at(-1)!
  }

  add(key: string, item: A): void {
    const partition = this.partitions.get(key) ?? { key, waiting: new Set<A>(), taken: 0 }
    this.partitions.set(key, partition)
    partition.waiting.add(item)
    this.waitingCount++
    this.arrange(partition)
  }

  /** Removes a waiting item. */
  remove(key: string, item: A): void {
    const partition = this.partitions.get(key)
    if (partition?.waiting.delete(item) !== true) return
    this.waitingCount--
    this.arrange(partition)
  }

  /**
   * Takes the next item with a permit: of the next key, the first preferred item, or else the first one. Undefined when
   * there is no permit, or no item.
   */
  take(isPreferred: (item: A) => boolean = () => true): A | undefined {
    const [partition] = this.turns
    if (partition === undefined || this.taken >= this.limits.permits) return undefined
    let [item] = partition.waiting
    for (const each of partition.waiting) {
      if (!isPreferred(each)) continue
      item = each
      break
    }
    partition.waiting.delete(item!)
    this.waitingCount--
    partition.taken++
    this.taken++
    this.turns.delete(partition)
    this.arrange(partition)
    return item
  }

  /** Takes one more permit of a key that has one, out of turn; false when there is none. */
  takeMore(key: string): boolean {
    const partition = this.partitions.get(key)
    const { permits, permitsPerKey } = this.limits
    if (partition === undefined || this.taken >= permits || partition.taken >= permitsPerKey) return false
    partition.taken++
    this.taken++
    this.arrange(partition)
    return true
  }

  /** Gives back a permit that was taken. */
  release(key: string): void {
    const partition = this.partitions.get(key)!
    partition.taken--
    this.taken--
    this.arrange(partition)
  }

  /** A partition that is there already keeps its place among the turns; another one comes last. */
  private arrange(partition: Partition<A>): void {
    const { key, taken, waiting } = partition
    if (waiting.size > 0 && taken < this.limits.permitsPerKey) this.turns.add(partition)
    else this.turns.delete(partition)
    if (waiting.size === 0 && taken === 0) this.partitions.delete(key)
  }
}
