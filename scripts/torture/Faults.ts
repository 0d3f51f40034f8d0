/** The faults of nodes and of what they use. */
import { execFileSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { childrenOf } from "../bench/processes.ts"
import { postgresOf } from "../bench/Target.ts"
import type { TcpProxy } from "../../test/support/servers/TcpProxy.ts"
import type { Nodes } from "./Nodes.ts"
import type { FaultStep } from "./Plan.ts"

interface Fault {
  readonly kind: string
  readonly weight: number
  /** Whether the nodes have what it needs. */
  readonly isPossible?: (nodes: Nodes) => boolean
  /** Ends when the fault has ended. `draw` is from 0 to 1. */
  readonly run: (nodes: Nodes, fault: { readonly node: number; readonly draw: number }) => Promise<unknown>
}

const hour = 3600_000
/** Maximum hours by which a stage gets ahead: what is in the trash stays for 30 days. */
const mostHours = 20 * 24

/** Milliseconds of a fault that passes. */
const spell = (draw: number): number => 200 + Math.floor(draw * 1500)

const hasProxy = ({ database }: Nodes): boolean => database !== undefined

/** What a store on another machine does for a moment. */
const moments: Readonly<Record<string, (proxy: TcpProxy, draw: number) => unknown>> = {
  "is slow": (proxy, draw) => (proxy.delay = 10 + draw * 300),
  "is silent": (proxy) => proxy.turn("keepsSilent"),
  "is gone": (proxy) => proxy.turn("refuses"),
  "loses responses": (proxy) => proxy.turn("losesResponses"),
  "responds with errors": (proxy) => proxy.turn("replies")
}
const outside = (["S3", "Redis"] as const).flatMap((name) =>
  Object.entries(moments).map(([what, begin]): Fault => ({
    kind: `${name} ${what}`,
    weight: 1.2,
    isPossible: (nodes) => nodes.outside !== undefined,
    run: async (nodes, { draw }) => {
      begin(nodes.outside!.proxies[name], draw)
      await sleep(spell(draw))
      nodes.outside!.heal()
    }
  }))
)

export const faults: ReadonlyArray<Fault> = [
  ...outside,
  {
    kind: "kill Redis",
    weight: 1.2,
    isPossible: (nodes) => nodes.outside !== undefined,
    run: async ({ outside }, { draw }) => {
      await outside!.redis.kill()
      await sleep(spell(draw))
      await outside!.redis.start()
    }
  },
  { kind: "kill", weight: 5, run: (nodes, { node }) => nodes.restart(node) },
  {
    kind: "stop and continue",
    weight: 5,
    run: async ({ all }, { draw, node }) => {
      const { child } = all[node]!.program
      child.kill("SIGSTOP")
      await sleep(spell(draw))
      child.kill("SIGCONT")
    }
  },
  {
    kind: "cut clients",
    weight: 5,
    run: async ({ all }, { draw, node }) => {
      const { proxy } = all[node]!
      proxy.isCutting = true
      await Promise.race([proxy.further(1 + Math.floor(draw * 4)), sleep(spell(draw))])
      proxy.isCutting = false
    }
  },
  {
    kind: "end connections to PostgreSQL",
    weight: 4,
    run: (nodes) =>
      nodes.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'sheaf'"
      )
  },
  {
    kind: "cut a write to PostgreSQL",
    weight: 5,
    isPossible: hasProxy,
    run: async ({ database }, { draw }) => {
      const at = (["before", "during", "after"] as const)[Math.floor(draw * 3)]!
      database!.cuts.push({ at, skip: Math.floor(((draw * 7) % 1) * 2) })
    }
  },
  {
    kind: "freeze PostgreSQL",
    weight: 2,
    isPossible: hasProxy,
    run: async ({ database }, { draw }) => {
      database!.freeze()
      await sleep(spell(draw))
      database!.thaw()
    }
  },
  {
    kind: "kill PostgreSQL",
    weight: 2,
    run: async ({ dataDir }, { draw }) => {
      const { pid } = postgresOf(dataDir)
      const backends = childrenOf(pid)
      // A backend that is killed makes PostgreSQL recover; without its first process it is started again.
      process.kill(draw < 0.5 ? pid : backends[Math.floor(((draw * 2) % 1) * backends.length)]!, "SIGKILL")
    }
  },
  {
    kind: "full disk",
    weight: 1,
    isPossible: ({ hasDisk }) => hasDisk,
    run: async (nodes, { draw }) => {
      execFileSync("fallocate", ["-l", String(nodes.free), nodes.filler], { stdio: "ignore" })
      await sleep(spell(draw))
      execFileSync("rm", ["-f", nodes.filler])
    }
  },
  {
    kind: "leap of the clocks",
    weight: 1,
    // A store outside refuses signatures of another time.
    isPossible: ({ ahead, outside }) => outside === undefined && ahead < mostHours * hour,
    run: (nodes, { draw }) => nodes.leap(Math.floor(draw * 30) * hour)
  }
]

/** The weights of the faults that are possible. */
export const weightsOf = (nodes: Nodes): Readonly<Record<string, number>> =>
  Object.fromEntries(
    faults.flatMap(({ isPossible, kind, weight }) => (isPossible?.(nodes) === false ? [] : [[kind, weight]]))
  )

/** Carries out a fault, if it is possible on the stage, and counts it. */
export const carryOut = async (nodes: Nodes, step: FaultStep, count: (kind: string) => void): Promise<void> => {
  const fault = faults.find(({ kind }) => kind === step.fault)!
  if (fault.isPossible?.(nodes) === false) return
  const node = step.node % nodes.all.length
  // One that is starting again cannot be killed or stopped.
  await nodes.all[node]!.starting
  try {
    await fault.run(nodes, { node, draw: step.draw })
    count(step.fault)
  } catch (error) {
    // PostgreSQL may be down because of an earlier fault.
    count(`${step.fault} (failed: ${String(error).slice(0, 80)})`)
  }
}
