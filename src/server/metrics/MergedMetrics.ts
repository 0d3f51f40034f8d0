/**
 * The metrics of all workers of a server as one text (Prometheus, text format 0.0.4). Counters and histograms are sums over the
 * workers, also over those that have ended. A gauge has a value of each worker, by the label `worker`.
 */

interface Family {
  /** The lines `# HELP` and `# TYPE`. */
  readonly head: ReadonlyArray<string>
  readonly isGauge: boolean
  /** Values by names with labels. */
  readonly values: Map<string, number>
}

const parsed = (text: string): Map<string, Family> => {
  const families = new Map<string, Family>()
  let head: Array<string> = []
  let family: Family | undefined
  for (const line of text.split("\n")) {
    if (line.startsWith("# HELP")) head = [line]
    else if (line.startsWith("# TYPE")) {
      const [, , name, type] = line.split(" ")
      families.set(name!, (family = { head: [...head, line], isGauge: type === "gauge", values: new Map() }))
    } else if (line !== "" && family !== undefined) {
      const space = line.lastIndexOf(" ")
      family.values.set(line.slice(0, space), Number(line.slice(space + 1)))
    }
  }
  return families
}

const labelled = (series: string, worker: number): string =>
  series.endsWith("}") ? `${series.slice(0, -1)},worker="${worker}"}` : `${series}{worker="${worker}"}`

export class MergedMetrics {
  /** The last counters of each worker. */
  readonly #last = new Map<number, Map<string, Family>>()
  /** The sums of the workers that have ended. */
  readonly #past = new Map<string, Family>()

  /** Takes the text of a worker. */
  take(worker: number, text: string): void {
    this.#last.set(worker, parsed(text))
  }

  /** Keeps the counters of a worker that has ended, as of its last text. */
  end(worker: number): void {
    const last = this.#last.get(worker)
    this.#last.delete(worker)
    if (last !== undefined) this.#add(this.#past, last, undefined)
  }

  get text(): string {
    const all = new Map<string, Family>()
    this.#add(all, this.#past, undefined)
    for (const [worker, families] of this.#last) this.#add(all, families, worker)
    const lines: Array<string> = []
    for (const { head, values } of all.values()) {
      lines.push(...head)
      for (const [series, value] of values) lines.push(`${series} ${value}`)
    }
    return `${lines.join("\n")}\n`
  }

  /** `worker`: undefined leaves gauges out. */
  #add(sums: Map<string, Family>, families: ReadonlyMap<string, Family>, worker: number | undefined): void {
    for (const [name, { head, isGauge, values }] of families) {
      if (isGauge && worker === undefined) continue
      let family = sums.get(name)
      if (family === undefined) sums.set(name, (family = { head, isGauge, values: new Map() }))
      for (const [series, value] of values) {
        const key = isGauge ? labelled(series, worker!) : series
        family.values.set(key, isGauge ? value : (family.values.get(key) ?? 0) + value)
      }
    }
  }
}
