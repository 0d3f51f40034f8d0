/** What clients and nodes of a history have exchanged, to explain a failure. */
import type { Reply, Request } from "./Wire.ts"

/** Maximum number of lines, and of characters on each side of a place. */
const mostLines = 20_000
const around = 400

const decoder = new TextDecoder()
const textOf = (body: Request["body"]): string =>
  body === undefined ? "" : typeof body === "string" ? body : body instanceof FormData ? "a form" : "bytes"

export class Trace {
  private readonly lines: Array<string> = []
  private readonly began = performance.now()

  private add(line: string): void {
    if (this.lines.push(`${((performance.now() - this.began) / 1000).toFixed(3)} ${line}`) > mostLines)
      this.lines.shift()
  }

  /** Marks the begin of a batch, or a fault. */
  mark(what: string): void {
    this.add(`-- ${what}`)
  }

  /** Takes a request, and its reply or the failure without one. */
  took({ body, headers, method, path }: Request, node: number, outcome: Reply | string): void {
    const guard = headers["if-match"] === undefined ? "" : ` if-match ${headers["if-match"]}`
    const reply = typeof outcome === "string" ? outcome : `${outcome.status} ${decoder.decode(outcome.bytes)}`
    this.add(`node ${node}: ${method} ${path}${guard} ${textOf(body)} => ${reply}`)
  }

  /** The last lines, each without what is in its middle. */
  last(): ReadonlyArray<string> {
    return this.lines
      .slice(-5)
      .map((line) => (line.length > 2 * around ? `${line.slice(0, around)} … ${line.slice(-around)}` : line))
  }

  /** The marks, and the lines with one of the words, cut down to what is around them. */
  about(words: ReadonlyArray<string>): ReadonlyArray<string> {
    return this.lines.flatMap((line) => {
      if (/^[\d.]+ -- /.test(line)) return [line]
      const places = words.flatMap((word) => [...line.matchAll(new RegExp(word, "g"))].map(({ index }) => index))
      if (places.length === 0) return []
      const parts: Array<string> = [line.slice(0, 160)]
      let end = 160
      for (const place of places.toSorted((one, other) => one - other)) {
        const start = Math.max(end, place - around)
        if (place + around <= end) continue
        parts.push(`${start > end ? " … " : ""}${line.slice(start, place + around)}`)
        end = place + around
      }
      return [parts.join("")]
    })
  }
}
