import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { serverRecords, type TypedRecord } from "../adapters/AdapterScenario.ts"
import type { Kind } from "./Replica.ts"
import { ReplicaProcess } from "./ReplicaProcess.ts"
import { ServerNodes } from "./ServerNodes.ts"

const kinds: ReadonlyArray<Kind> = ["engine", "tanstack", "rxdb"]

export interface FleetOptions {
  readonly seed: number
  readonly nodes: number
  readonly redis: string | undefined
  readonly processes: number
  /** The number in all processes together. Those of a process are of one kind. */
  readonly replicas: number
}

/** What a user sees, in the order of ids. */
type Content = ReadonlyArray<TypedRecord>

const contentOf = (records: ReadonlyArray<TypedRecord>): Content =>
  records
    .map(({ data, id, type }) => ({ id, type, data: { ...data, id } }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))

/** Replicas of one user in processes, and the server. Processes of both are killed. */
export class Fleet {
  readonly client
  private readonly random: Random
  private readonly folder: string
  private readonly nodes: ServerNodes
  private readonly processes: ReadonlyArray<ReplicaProcess>
  private onTyped = () => {}

  private constructor({ processes, replicas, seed }: FleetOptions, nodes: ServerNodes, folder: string) {
    this.random = new Random(seed)
    this.folder = folder
    this.nodes = nodes
    const server = { url: nodes.urls[0]!, key: nodes.key, nodes: nodes.urls }
    this.client = createClient(server)
    this.processes = Array.from({ length: processes }, (_, index) => {
      const count = Math.ceil((replicas - index) / processes)
      const kind = kinds[index % kinds.length]!
      const place = join(folder, `p${index}`)
      mkdirSync(place)
      const settings = { server, folder: place, name: `p${index}`, seed: seed * 10_000 + index * 100, kind, count }
      return new ReplicaProcess(settings, () => this.onTyped())
    })
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), "sheaf-fleet-"))
    const nodes = await ServerNodes.start(options.nodes, folder, options.redis)
    const fleet = new Fleet(options, nodes, folder)
    await Promise.all(fleet.processes.map((each) => each.start()))
    return fleet
  }

  /** Resolves when the users have typed a number of further words, or `ended` does. */
  private further(words: number, ended: Promise<unknown>): Promise<unknown> {
    let left = words
    const typed = new Promise<void>((resolve) => {
      this.onTyped = () => void (left-- === 0 && resolve())
    })
    return Promise.race([typed, ended])
  }

  /** All users work, while something is killed. */
  async round(event: "client" | "server" | "leap" | "nothing"): Promise<void> {
    const { nodes, processes, random } = this
    const working = Promise.all(processes.map((each) => each.work(random.between(4, 10))))
    const moment = () => this.further(random.between(0, processes.length * 2), working)
    await moment()
    if (event === "client") {
      const victim = random.pick(processes)
      await victim.kill()
      await victim.start()
    } else if (event === "server") {
      const index = random.between(0, nodes.urls.length - 1)
      await nodes.kill(index)
      await moment()
      await nodes.startNode(index)
    } else if (event === "leap") await nodes.leap()
    await working
  }

  /** What the server has, and what each replica shows after an exchange with it, by the name of the replica. */
  async records(): Promise<{ readonly server: Content; readonly replicas: ReadonlyArray<readonly [string, Content]> }> {
    const all = await Promise.all(this.processes.map((each) => each.records()))
    const server = await serverRecords(this)
    return {
      server: contentOf([...server.values()]),
      replicas: this.processes.flatMap(({ name }, index) =>
        all[index]!.map((records) => [name, contentOf(records)] as const)
      )
    }
  }

  get refused(): ReadonlyArray<unknown> {
    return this.processes.flatMap(({ refused }) => refused)
  }

  /** The words that the server does not have in any note, or its history. */
  async lostWords(): Promise<ReadonlyArray<string>> {
    const text = await this.nodes.texts()
    const found = new Set(text.match(/p\d+s\d+[a-z]+\d+/g))
    return this.processes.flatMap(({ words }) => words).filter((word) => !found.has(word))
  }

  async stop(): Promise<void> {
    for (const each of this.processes) await each.kill()
    await this.nodes.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
