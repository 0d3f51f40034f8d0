/** Differences, counts and durations. */

export class Report {
  readonly differences: string[] = []
  readonly #rows: [what: string, count: string, time: string, note: string][] = []

  /** Records a difference unless `good`; returns `good`. */
  check(good: boolean, difference: string): boolean {
    if (!good) this.differences.push(difference)
    return good
  }

  row(what: string, count: string | number, milliseconds?: number, note: string = ""): void {
    this.#rows.push([what, String(count), milliseconds === undefined ? "" : seconds(milliseconds), note])
  }

  table(): string {
    const widths = [0, 1, 2].map((column) => Math.max(...this.#rows.map((row) => row[column]?.length ?? 0)))
    return this.#rows
      .map(([what, count, time, note]) =>
        `  ${what.padEnd(widths[0] ?? 0)}  ${count.padStart(widths[1] ?? 0)}  ${time.padStart(widths[2] ?? 0)}  ${note}`.trimEnd()
      )
      .join("\n")
  }

  verdict(): string {
    if (this.differences.length === 0) return "OK"
    const shown = this.differences.slice(0, 30).map((difference) => `  - ${difference}`)
    const more = this.differences.length - shown.length
    return [`${this.differences.length} DIFFERENT`, ...shown, ...(more > 0 ? [`  … and ${more} more`] : [])].join("\n")
  }
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(3)} s`

export const plural = (count: number, one: string, many: string = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

export async function timed<A>(work: () => Promise<A>): Promise<[result: A, milliseconds: number]> {
  const start = performance.now()
  const result = await work()
  return [result, performance.now() - start]
}

/** Titles and snippets are foreign text: shows one line without control characters, shortened. */
export function oneLine(text: string, length: number = 60): string {
  const characters = Array.from(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "))
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`
}
