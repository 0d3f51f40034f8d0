/** The faults of nodes and of what they use. */
import { execFileSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import type { TcpProxy } from "../../test/support/servers/TcpProxy.ts"
import { childrenOf } from "../bench/processes.ts"
import { postgresOf } from "../bench/Target.ts"
import type { Nodes } from "./Nodes.ts"
import { signal, workersOf } from "./NodeWorkers.ts"
import type { FaultStep } from "./Plan.ts"

interface Fault {
  readonly weight: number
  /** Whether the nodes have what it needs. */
  readonly isPossible?: (nodes: Nodes) => boolean
  /** Ends when the fault has ended. `draw` is from 0 to 1. */
  readonly run: (nodes: Nodes, node: number, draw: number) => unknown
}

const hour = 3600_000
/** Maximum hours by which a stage gets ahead: what is in the trash stays for 30 days. */
const maxHours = 20 * 24

/** Waits as long as a fault lasts that passes. */
const spell = (draw: number) => sleep(200 + Math.floor(draw * 1500))

const hasProxy = ({ database }: Nodes): boolean => database !== undefined
const hasWorkers = ({ workers }: Nodes): boolean => workers > 1
const hasOutside = ({ outside }: Nodes): boolean => outside !== undefined

const workerOf = (nodes: Nodes, node: number, draw: number): number => {
  const pids = workersOf(nodes.all[node]!.program)
  return pids[Math.floor(draw * pids.length)]!
}

/** What a store on another machine does for a moment. */
const moments: Readonly<Record<string, (proxy: TcpProxy, draw: number) => unknown>> = {
  "is slow": (proxy, draw) => (proxy.delay = 10 + draw * 300),
  "is silent": (proxy) => proxy.turn("keepsSilent"),
  "is gone": (proxy) => proxy.turn("refuses"),
  "loses responses": (proxy) => proxy.turn("losesResponses"),
  "responds with errors": (proxy) => proxy.turn("replies")
}
const ofOutside = (["S3", "Redis"] as const).flatMap((name) =>
  Object.entries(moments).map(([what, begin]): readonly [string, Fault] => [
    `${name} ${what}`,
    {
      weight: 1.2,
      isPossible: hasOutside,
      run: async ({ outside }, _, draw) => {
        begin(outside!.proxies[name], draw)
        await spell(draw)
        outside!.heal()
      }
    }
  ])
)

const faults: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(ofOutside),
  "kill Redis": {
    weight: 1.2,
    isPossible: hasOutside,
    run: async ({ outside }, _, draw) => {
      await outside!.redis.kill()
      await spell(draw)
      await outside!.redis.start()
    }
  },
  kill: { weight: 5, run: (nodes, node) => nodes.restart(node) },
  "stop and continue": {
    weight: 5,
    run: async ({ all }, node, draw) => {
      const { child } = all[node]!.program
      child.kill("SIGSTOP")
      await spell(draw)
      child.kill("SIGCONT")
    }
  },
  "kill a worker": {
    weight: 5,
    isPossible: hasWorkers,
    run: (nodes, node, draw) => signal(workerOf(nodes, node, draw), "SIGKILL")
  },
  "stop and continue a worker": {
    weight: 5,
    isPossible: hasWorkers,
    run: async (nodes, node, draw) => {
      const pid = workerOf(nodes, node, draw)
      signal(pid, "SIGSTOP")
      await spell((draw * 7) % 1)
      signal(pid, "SIGCONT")
    }
  },
  "replace the workers": { weight: 3, isPossible: hasWorkers, run: (nodes, node) => nodes.replaceWorkers(node) },
  "cut clients": {
    weight: 5,
    run: async ({ all }, node, draw) => {
      const { proxy } = all[node]!
      proxy.isCutting = true
      await Promise.race([proxy.further(1 + Math.floor(draw * 4)), spell(draw)])
      proxy.isCutting = false
    }
  },
  "end connections to PostgreSQL": {
    weight: 4,
    run: (nodes) =>
      nodes.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'sheaf'"
      )
  },
  "cut a write to PostgreSQL": {
    weight: 5,
    isPossible: hasProxy,
    run: ({ database }, _, draw) => {
      const at = (["before", "during", "after"] as const)[Math.floor(draw * 3)]!
      database!.cuts.push({ at, skip: Math.floor(((draw * 7) % 1) * 2) })
    }
  },
  "freeze PostgreSQL": {
    weight: 2,
    isPossible: hasProxy,
    run: async ({ database }, _, draw) => {
      database!.freeze()
      await spell(draw)
      database!.thaw()
    }
  },
  "kill PostgreSQL": {
    weight: 2,
    run: ({ dataDir }, _, draw) => {
      const { pid } = postgresOf(dataDir)
      const backends = childrenOf(pid)
      // A backend that is killed makes PostgreSQL recover; without its first process it is started again.
      const backend = draw < 0.5 ? undefined : backends[Math.floor(((draw * 2) % 1) * backends.length)]
      process.kill(backend ?? pid, "SIGKILL")
    }
  },
  "full disk": {
    weight: 1,
    isPossible: ({ hasDisk }) => hasDisk,
    run: async (nodes, _, draw) => {
      execFileSync("fallocate", ["-l", String(nodes.free), nodes.filler], { stdio: "ignore" })
      await spell(draw)
      execFileSync("rm", ["-f", nodes.filler])
    }
  },
  "leap of the clocks": {
    weight: 1,
    // A store outside refuses signatures of another time.
    isPossible: (nodes) => !hasOutside(nodes) && nodes.ahead < maxHours * hour,
    run: (nodes, _, draw) => nodes.leap(Math.floor(draw * 30) * hour)
  }
}

/** The weights of the faults that are possible. */
export const weightsOf = (nodes: Nodes): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(faults).flatMap(([kind, { isPossible, weight }]) =>
      isPossible?.(nodes) === false ? [] : [[kind, weight]]
    )
  )

/** Carries out a fault, if it is possible, and counts it. */
export const carryOut = async (nodes: Nodes, step: FaultStep, count: (kind: string) => void): Promise<void> => {
  const { isPossible, run } = faults[step.fault]!
  if (isPossible?.(nodes) === false) return
  const node = step.node % nodes.all.length
  // One that is starting again cannot be killed or stopped.
  await nodes.all[node]!.starting
  nodes.faults.begun++
  nodes.faults.running++
  try {
    await run(nodes, node, step.draw)
    count(step.fault)
  } catch (error) {
    // PostgreSQL may be down because of an earlier fault.
    count(`${step.fault} (failed: ${String(error).slice(0, 40)})`)
  } finally {
    nodes.faults.running--
  }
}
