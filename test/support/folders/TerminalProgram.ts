import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"

/** Why no program runs on a terminal here; empty if it does. */
export const missingTerminal = spawnSync("script", ["--version"]).status === 0 ? "" : " (needs script of util-linux)"

/** A program that runs on a pseudo terminal, and the person there. */
export class TerminalProgram {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #exit: Promise<ReadonlyArray<unknown>>
  #output = ""
  #read = 0

  constructor(command: string, options: { readonly cwd: string; readonly env: Record<string, string | undefined> }) {
    this.#child = spawn("script", ["--quiet", "--return", "--command", `exec ${command}`, "/dev/null"], options)
    this.#exit = once(this.#child, "close")
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (this.#output += text.replaceAll("\r", "")))
  }

  /** Waits for a text, and returns what the program has written since the last one. */
  async until(text: string): Promise<string> {
    for (;;) {
      const at = this.#output.indexOf(text, this.#read)
      if (at >= 0) {
        const written = this.#output.slice(this.#read, at + text.length)
        this.#read = at + text.length
        return written
      }
      if (this.#child.exitCode !== null) throw new Error(`It has ended without ${text}: ${this.#output}`)
      await Promise.race([once(this.#child.stdout, "data"), this.#exit])
    }
  }

  type(keys: string): void {
    this.#child.stdin.write(keys)
  }

  /** Waits for the end of the program. Returns its exit code and what it has written since the last text. */
  async ended(): Promise<readonly [code: number, written: string]> {
    await this.#exit
    return [this.#child.exitCode!, this.#output.slice(this.#read)]
  }
}
