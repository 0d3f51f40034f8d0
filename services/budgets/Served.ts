import { Context } from "effect"

/** After a request others often follow: so many milliseconds count as one time. */
const together = 50

/** Whether requests are being worked on in this process: what can wait gives way to them. */
export class Served {
  private running = 0
  private last = -Infinity

  begin(): void {
    this.running++
  }

  end(): void {
    this.running--
    this.last = performance.now()
  }

  get isBusy(): boolean {
    return this.running > 0 || performance.now() - this.last < together
  }

  /** Of the process, as its main loop is. */
  static readonly ofProcess = Context.Reference<Served>("sheaf/budgets/Served", { defaultValue: () => new Served() })
}
