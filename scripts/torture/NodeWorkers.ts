/** The workers of nodes: processes that serve for a parent. */
import { eventually } from "../../test/support/flows/eventually.ts"
import { type Program, runs, sheaf } from "../../test/support/servers/Program.ts"
import { childrenOf, commandOf } from "../bench/processes.ts"

/** Seconds in which a node replaces its workers. */
const replacementTime = 60

/** The processes of the workers of a node, which run the same program as it does; none if it serves alone. */
export const workersOf = ({ child }: Program): ReadonlyArray<number> =>
  childrenOf(child.pid!).filter((pid) => commandOf(pid).some((word) => word.endsWith(sheaf[1])))

/** Sends a signal to a process, unless it has ended. */
export const signal = (pid: number, kind: NodeJS.Signals): void => void (runs(pid) && process.kill(pid, kind))

/** Kills a node, and waits until its workers have ended too. */
export const killWithWorkers = async (program: Program): Promise<void> => {
  const workers = workersOf(program)
  program.child.kill("SIGKILL")
  // A stopped worker ends when it continues.
  for (const pid of workers) signal(pid, "SIGCONT")
  await eventually("the workers of a killed node end", () => !workers.some(runs))
  await program.ended
}

/** Has a node replace its workers in turn. Returns how it refused requests meanwhile. */
export const replaceWorkers = async (program: Program, port: number): Promise<ReadonlySet<string>> => {
  const workers = workersOf(program)
  const refused = new Set<string>()
  program.child.kill("SIGHUP")
  await eventually(
    "a node has other workers",
    async () => {
      await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: "close" } }).then(
        ({ ok, status }) => ok || refused.add(String(status)),
        (error) => refused.add(String(error.cause ?? error))
      )
      return !workers.some(runs)
    },
    replacementTime
  )
  return refused
}
