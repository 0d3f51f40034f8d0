import { type Context, Metric } from "effect"

const nothing = () => {}

export interface Named {
  readonly name: string
  readonly description: string
  readonly attributes?: Readonly<Record<string, string>>
}

const optionsOf = ({ attributes, description }: Named) =>
  attributes === undefined ? { description } : { description, attributes }

/** Metrics that are read when they are requested, so that counting only costs the update of a number. */
export class Registry {
  readonly #context: Context.Context<never>
  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  gauge(named: Named, read: () => number): void {
    Metric.registerUnsafe(Metric.gauge(named.name, optionsOf(named)), this.#context, {
      get: () => ({ value: read() }),
      update: nothing,
      modify: nothing
    })
  }

  /** A number that only grows. */
  counter(named: Named, read: () => number): void {
    Metric.registerUnsafe(Metric.counter(named.name, { ...optionsOf(named), incremental: true }), this.#context, {
      get: () => ({ count: read(), incremental: true }),
      update: nothing,
      modify: nothing
    })
  }

  histogram(named: Named, histogram: Buckets): void {
    const metric = Metric.histogram(named.name, { ...optionsOf(named), boundaries: histogram.boundaries })
    Metric.registerUnsafe(metric, this.#context, { get: () => histogram.state(), update: nothing, modify: nothing })
  }
}

/** The counts behind a histogram. */
export class Buckets {
  readonly boundaries: ReadonlyArray<number>
  readonly #counts: Float64Array
  #count = 0
  #sum = 0
  #min = Number.MAX_VALUE
  #max = -Number.MAX_VALUE

  constructor(boundaries: ReadonlyArray<number>) {
    this.boundaries = boundaries
    this.#counts = new Float64Array(boundaries.length + 1)
  }

  add(value: number): void {
    let index = 0
    while (index < this.boundaries.length && value > this.boundaries[index]!) index++
    this.#counts[index]!++
    this.#count++
    this.#sum += value
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  state(): Metric.HistogramState {
    let before = 0
    const buckets = this.boundaries.map((bound, index): [number, number] => [bound, (before += this.#counts[index]!)])
    return { buckets, count: this.#count, min: this.#min, max: this.#max, sum: this.#sum }
  }
}
