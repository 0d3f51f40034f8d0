export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
/** One label; backslash, quote and line feed are escaped in its value. */
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/

const numberOf = (text: string): number => {
  if (text === "+Inf") return Infinity
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`not a number: ${text}`)
  return Number(text)
}

const labelsOf = (text: string): Record<string, string> => {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== "";) {
    const match = label.exec(rest)
    if (match === null) throw new Error(`labels cannot be read: ${rest}`)
    const name = match[1]!
    if (Object.hasOwn(labels, name)) throw new Error(`duplicate label: ${text}`)
    labels[name] = match[2]!.replaceAll(/\\(.)/g, (_, letter: string) => (letter === "n" ? "\n" : letter))
    rest = rest.slice(match[0].length)
  }
  return labels
}

/** Checks a histogram: its buckets do not decrease, and the last one contains every observation. */
const checkHistogram = (name: string, samples: ReadonlyArray<Sample>): void => {
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map((sample) => numberOf(sample.labels["le"]!))
    const isGrowing = (values: ReadonlyArray<number>, least: number) =>
      values.every((value, index) => index === 0 || value - values[index - 1]! >= least)
    const count = group.find((sample) => sample.name === `${name}_count`)
    const isWhole =
      bounds.at(-1) === Infinity &&
      isGrowing(bounds, Number.MIN_VALUE) &&
      isGrowing(
        buckets.map((sample) => sample.value),
        0
      ) &&
      buckets.at(-1)!.value === count?.value &&
      group.some((sample) => sample.name === `${name}_sum`)
    if (!isWhole) throw new Error(`${name} ${key} is not a valid histogram`)
  }
}

/**
 * Parses the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). Throws on a
 * sample outside its family, a duplicate family or series, and an invalid name or label.
 */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const families = new Map<string, { type: string; help: string; samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help: readonly [name: string, text: string] | undefined
  let current = ""
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === "HELP") help = [name!, rest!]
    else if (kind === "TYPE") {
      if (!metricName.test(name!) || families.has(name!) || help?.[0] !== name) throw new Error(`bad family: ${line}`)
      if (!/^(counter|gauge|histogram)$/.test(rest!)) throw new Error(`bad type: ${line}`)
      families.set((current = name!), { type: rest!, help: help![1], samples: [] })
    } else {
      const match = sampleLine.exec(line)
      if (match === null) throw new Error(`cannot be read: ${line}`)
      const family = families.get(current)
      const base = family?.type === "histogram" ? match[1]!.replace(/_(bucket|sum|count)$/, "") : match[1]
      if (family === undefined || base !== current) throw new Error(`outside its family: ${line}`)
      const sample = { name: match[1]!, labels: labelsOf(match[2] ?? ""), value: numberOf(match[3]!) }
      const series = JSON.stringify([sample.name, Object.entries(sample.labels).toSorted()])
      if (seen.has(series)) throw new Error(`duplicate series: ${line}`)
      seen.add(series)
      family.samples.push(sample)
    }
  }
  for (const [name, { samples, type }] of families) {
    if (type === "histogram") checkHistogram(name, samples)
    if (type === "counter" && samples.some((sample) => sample.value < 0)) throw new Error(`${name} is below 0`)
  }
  return families
}
