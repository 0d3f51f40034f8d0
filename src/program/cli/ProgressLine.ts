import { ByteSize, Console, Context, Effect, Layer } from "effect"
import { CliOutput } from "effect/cli"
import { Progress, type Step } from "../../../services/Progress.ts"
import * as Output from "./Output.ts"

/** Milliseconds between two drawings of the line. */
const interval = 100
const barWidth = 20
/** Used if the terminal does not report its width. */
const usualWidth = 80

const amount = (number: number, unit: string): string =>
  unit === "bytes"
    ? ByteSize.format(ByteSize.bytes(Math.floor(number)), { system: "decimal", precision: 1 })
    : String(Math.floor(number))

/** A step as text, with a percentage if the completed share is known. */
const textOf = ({ done, total = 0, unit, what, ...step }: Step): string => {
  const share = step.share ?? (total > 0 ? done / total : undefined)
  const count = `${amount(done, unit)}${total > 0 ? ` of ${amount(total, unit)}` : ""}${unit === "bytes" ? "" : ` ${unit}`}`
  if (share === undefined) return `${what}: ${count}`
  const full = Math.floor(barWidth * Math.min(1, share))
  const bar = "█".repeat(full) + "░".repeat(barWidth - full)
  return `${what} ${bar} ${Math.floor(100 * Math.min(1, share))} %, ${count}`
}

/** The longest beginning of a text that fits into a number of columns of the terminal. */
const cut = (text: string, columns: number): string => {
  let width = 0
  let fitting = ""
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += CliOutput.displayWidth(segment)
    if (width > columns) return fitting
    fitting += segment
  }
  return text
}

interface Terminal {
  readonly columns: number
  readonly write: (text: string) => unknown
}

/** A line on a terminal that is overwritten, at most ten times a second. */
export class TerminalLine {
  readonly #terminal: Terminal
  #text = ""
  #drawnAt = -Infinity
  #isDrawn = false
  #timer: NodeJS.Timeout | undefined

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  readonly show = (step: Step): void => {
    this.#text = Output.plain(textOf(step))
    const wait = this.#drawnAt + interval - performance.now()
    if (wait <= 0) this.#draw()
    else this.#timer ??= setTimeout(() => this.#draw(), wait)
  }

  #draw(): void {
    this.#cancel()
    this.#drawnAt = performance.now()
    this.#isDrawn = true
    // In the last column some terminals begin a new line.
    this.#terminal.write(`\r\x1b[K${cut(this.#text, (this.#terminal.columns || usualWidth) - 1)}`)
  }

  #cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Removes the line. The next step draws it again. */
  readonly clear = (): void => {
    this.#cancel()
    if (!this.#isDrawn) return
    this.#isDrawn = false
    this.#terminal.write("\r\x1b[K")
  }
}

/** Removes the line before anything is printed, because both are on the same terminal. */
const clearing = (line: TerminalLine, console: Console.Console): Console.Console => {
  const cleared =
    (print: (...args: ReadonlyArray<any>) => void) =>
    (...args: ReadonlyArray<any>): void => {
      line.clear()
      print(...args)
    }
  return Object.assign(Object.create(console) as Console.Console, {
    log: cleared(console.log),
    error: cleared(console.error)
  })
}

/**
 * Shows the progress of a command in one line, if standard error is a terminal and the command has no `--json`. The
 * command prints and logs by the console of Effect.
 */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    if (!process.stderr.isTTY || process.env["TERM"] === "dumb" || (yield* Output.Json)) return Context.empty()
    const line = yield* Effect.acquireRelease(
      Effect.sync(() => new TerminalLine(process.stderr)),
      (line) => Effect.sync(line.clear)
    )
    return Context.make(Progress, line.show).pipe(Context.add(Console.Console, clearing(line, yield* Console.Console)))
  })
)
