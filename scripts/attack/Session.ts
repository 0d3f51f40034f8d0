/** Attackers have machines of their own. Here they share one with the server, which goes first. */
import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"

/** Says that this process has been begun as the attackers. */
const mark = "SHEAF_ATTACKERS"

/** By so much their session steps back behind those of the server, its PostgreSQL and the probe (sched(7), "autogroup"). */
const behind = 10

/**
 * Has this program be run once more, in a session that lets others go first, and ends with it. True where it is that one.
 * Where Linux does not share processors by sessions, all have as much as each other.
 */
export const isAttackers = async (): Promise<boolean> => {
  if (process.env[mark] !== undefined) {
    try {
      writeFileSync("/proc/self/autogroup", `${behind}`)
    } catch (error) {
      console.error(`the attackers do not step back: ${error instanceof Error ? error.message : String(error)}`)
    }
    return true
  }
  const child = spawn(process.execPath, process.argv.slice(1), {
    env: { ...process.env, [mark]: "" },
    detached: true,
    stdio: "inherit"
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
  process.exitCode = await new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 130)))
  return false
}
