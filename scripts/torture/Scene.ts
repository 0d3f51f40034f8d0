/** A history: a workspace of its own, in which a plan runs, and what is known of it. */
import { setTimeout as sleep } from "node:timers/promises"
import { Model } from "./Model.ts"
import { type Change, type Data, type Hand, synced } from "./Change.ts"
import { operations } from "./Operations.ts"
import { type FaultStep, inbox, isFault, type OperationStep, type Step } from "./Plan.ts"
import { reads } from "./Reads.ts"
import { Replica } from "./Replica.ts"
import { describe } from "./Shrink.ts"
import type { Stage } from "./Stage.ts"
import { Turn } from "./Turn.ts"
import { ways, withHash } from "./Ways.ts"
import { bodyOf, type Called, type Calling, type Reply, type Tamper, Wire } from "./Wire.ts"

const byKind = new Map(operations.map((operation) => [operation.kind, operation]))

/** Seconds after which a batch is printed: one of its requests has waited for a limit of time. */
const slow = 60

/** A record that the sender has not seen. */
class NotSeen extends Error {}

export interface SceneOptions {
  /** Part of all words and ids: unique on a stage. */
  readonly name: string
  readonly replicas: number
  readonly tamper?: Tamper
}

interface Sending extends Partial<Calling> {
  readonly body?: unknown
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string
}

export class Scene {
  readonly model = new Model()
  readonly stage: Stage
  readonly name: string
  readonly wire: Wire
  readonly replicas: Array<Replica> = []
  readonly device
  /** The last ETags of records that are not notes. */
  readonly etags = new Map<string, string>()
  /** The events that were polled, and the position. */
  readonly polled: Array<any> = []
  pollCursor = ""
  pullCursor: string | undefined
  /** Ids and words of the other workspace. */
  readonly foreign: Array<string> = []
  webhook = ""
  private saved: { readonly file: string; readonly moment: number } | undefined
  key = ""
  private readonly turns = new Map<string, Turn>()
  readonly done = new Map<string, number>()
  /** Polls follow each other. */
  readonly turn = new Turn()

  private constructor(stage: Stage, { name }: SceneOptions) {
    this.stage = stage
    this.name = name
    this.wire = new Wire(() => stage.origins)
    this.device = { id: `sy_${name.padEnd(20, "0")}`, name: "torture", platform: "torture" }
  }

  /** Registers a user with a personal workspace, whose records must not appear elsewhere, and a workspace of a team. */
  static async open(stage: Stage, options: SceneOptions): Promise<Scene> {
    const scene = new Scene(stage, options)
    const email = `${options.name}@sheaf.test`
    const who = await scene.need("POST", "/auth/register", { email, password: "correct horse battery staple" })
    const token = who.access_token
    const team = await scene.need("POST", "/workspaces", { name: "Team", plan: "team", slug: options.name }, token)
    const made: Array<string> = []
    for (const id of [team.id, who.workspace_id]) {
      const headers = { "workspace-id": id }
      const { reply } = await scene.call("POST", "/api-keys", { body: { name: "torture" }, headers, key: token })
      made.push(bodyOf(reply!).secret)
    }
    const [key, other] = made
    const [elsewhere] = (await scene.need("GET", "/notebooks", undefined, other)).data
    for (const title of ["one", "two"]) {
      const body = { notebook_id: elsewhere.id, title, body: "foreign", tags: ["label-1"] }
      scene.foreign.push((await scene.need("POST", "/notes", body, other)).id)
    }
    scene.foreign.push(elsewhere.id)
    scene.key = key!
    const [first] = (await scene.need("GET", "/notebooks")).data
    scene.model.ids.set(inbox, first.id)
    const change: Change = { type: "notebook", op: "create", data: { name: first.name } }
    scene.model.settle({ step: inbox, change, by: "server", state: "done", id: first.id, began: 0 })
    if (stage.sink !== undefined) {
      const hook = await scene.need("POST", "/webhooks", { url: stage.sink.url(options.name), events: ["*"] })
      scene.webhook = hook.id
    }
    for (let index = 0; index < options.replicas; index++) {
      scene.replicas.push(await new Replica(`replica ${index}`, scene.wire, scene.key).open())
    }
    if (options.tamper !== undefined) scene.wire.tamper = options.tamper
    return scene
  }

  call(
    method: string,
    path: string,
    { body, fate, form, headers, isRepeatable = true, key = this.key, node = 0 }: Sending = {}
  ): Promise<Called> {
    const sent = form ?? (body === undefined ? undefined : JSON.stringify(body))
    const request = {
      method,
      path: path.startsWith("/mcp") || path.startsWith("/files") ? path : `/v2${path}`,
      headers: {
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
        accept: "application/json, text/event-stream",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(sent === undefined ? {} : { body: sent })
    }
    return this.wire.call(request, { node, isRepeatable, ...(fate === undefined ? {} : { fate }) })
  }

  /** The body of a request that must succeed. */
  async need(method: string, path: string, body?: unknown, key = this.key): Promise<any> {
    const { reply } = await this.call(method, path, { body, key })
    if (reply === undefined || reply.status >= 300)
      throw new Error(
        `${method} ${path}: ${reply?.status} ${reply === undefined ? "" : new TextDecoder().decode(reply.bytes).slice(0, 300)}`
      )
    return bodyOf(reply)
  }

  /** All items of a list. */
  async list(path: string): Promise<Array<any>> {
    const items: Array<any> = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const page = await this.need(
        "GET",
        `${path}${path.includes("?") ? "&" : "?"}limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
      )
      items.push(...page.data)
      cursor = page.has_more === true ? page.next_cursor : null
    }
    return items
  }

  /** Waits for the end of an import. Returns whether it was carried out. */
  async importEnds(id: string): Promise<boolean> {
    for (let wait = 10; wait < 20_000; wait *= 1.5) {
      const { status } = await this.need("GET", `/imports/${id}`)
      if (status === "done" || status === "failed") return status === "done"
      await sleep(wait)
    }
    this.model.fail("imports end", id)
    return false
  }

  /** Operations on one record follow each other, except for edits of notes, which have versions. */
  private async exclusively(change: Change | undefined, work: () => Promise<void>): Promise<void> {
    const id = change?.id
    if (id === undefined || (change!.type === "note" && ["update", "create"].includes(change!.op))) return work()
    const turn = this.turns.get(id) ?? new Turn()
    this.turns.set(id, turn)
    return turn.run(work)
  }

  private hand(step: OperationStep): Hand {
    return {
      step,
      word: `w${this.name}x${step.at}y`,
      id: (index) => {
        const id = this.model.ids.get(step.refs[index]!)
        if (id === undefined) throw new NotSeen()
        return id
      },
      seen: (id) => {
        const found =
          step.way === "replica" ? this.replicas[step.replica]!.engine.get(id) : this.model.latest.get(id)?.data
        if (found === undefined) throw new NotSeen()
        return found as Data
      }
    }
  }

  private async operate(step: OperationStep): Promise<void> {
    const { changes: changesOf, kind, needs } = byKind.get(step.kind)!
    const hand = this.hand(step)
    const { way } = step
    if (changesOf === undefined) {
      this.count(`${kind} done`)
      return reads[kind]!(this, hand)
    }
    if (way === "api" && needs[0] !== "note" && needs[0] !== undefined) await reads["record"]!(this, hand)
    if (way === "push") await reads["pull"]!(this, hand)
    const send = async () => {
      const changes = changesOf(hand)
      const began = this.model.now
      const isPending = () =>
        changes.some(({ id }) => id !== undefined && this.replicas.some(({ pending }) => pending.has(id)))
      const wasPending = isPending()
      const outcomes = await ways[way](this, hand, changes)
      for (const [index, outcome] of outcomes.entries()) {
        const change = { ...changes[index]!, data: withHash(changes[index]!.data) }
        this.count(`${kind} ${outcome.state}`)
        this.model.settle({
          step: step.at,
          change: way === "mcp" ? byMcp(change) : way === "import" ? { ...change, data: {} } : change,
          by: way === "replica" ? "replica" : "server",
          began,
          isContested: wasPending || isPending(),
          ...outcome
        })
      }
    }
    // The content that the change is made from is read in the same turn.
    const first = needs[0] === undefined ? undefined : this.model.ids.get(step.refs[0]!)
    const op = kind.split(".")[1]!
    const isEdit = needs[0] === "note" && !["delete", "purge", "restore"].includes(op)
    await this.exclusively(
      first === undefined || isEdit ? undefined : { type: needs[0]!, id: first, op: "delete", data: {} },
      send
    )
  }

  private async step(step: OperationStep): Promise<void> {
    const inTurn = (work: () => Promise<void>) =>
      step.way === "replica" ? this.replicas[step.replica]!.turn.run(work) : work()
    try {
      await inTurn(() => this.operate(step))
    } catch (error) {
      if (!(error instanceof NotSeen)) throw error
      this.count(`${step.kind} skipped`)
      // The sender looks for what is new.
      await inTurn(() => reads[step.way === "replica" ? "sync" : "pull"]!(this, this.hand(step)))
    }
  }

  private async backUp(): Promise<void> {
    await this.stage.heal()
    const file = await this.stage.backup?.()
    this.saved = file === undefined ? undefined : { file, moment: this.model.now }
  }

  private async restore(): Promise<void> {
    await this.stage.heal()
    if (this.saved === undefined || !(await this.stage.restore!(this.saved.file))) return
    const text = JSON.stringify(this.replicas.map(({ engine }) => synced.map((type) => engine.all(type))))
    this.model.restore(this.saved.moment, new Set(text.match(/w\w+x\d+[a-d]?y/g)))
    for (const { pending } of this.replicas) for (const id of this.model.known.keys()) pending.add(id)
    // The position of a poller is refused, and it begins again.
    this.polled.length = 0
    this.pollCursor = ""
    this.count("restore done")
  }

  count(name: string): void {
    this.done.set(name, (this.done.get(name) ?? 0) + 1)
  }

  /** Runs the steps, those of a batch at once, and the fault of a batch at the same time. */
  async run(steps: ReadonlyArray<Step>, fault: (step: FaultStep) => Promise<void>): Promise<void> {
    for (const batch of Map.groupBy(steps, (step) => step.batch).values()) {
      const began = performance.now()
      const [first] = batch
      if (first !== undefined && isFault(first) && first.fault === "backup") await this.backUp()
      else if (first !== undefined && isFault(first) && first.fault === "restore") await this.restore()
      else await Promise.all(batch.map((step) => (isFault(step) ? fault(step) : this.step(step))))
      const seconds = Math.round((performance.now() - began) / 1000)
      if (seconds > slow) console.log(`batch ${first!.batch} took ${seconds} s:\n${describe(batch)}`)
      if (this.model.failures.length > 0) return
    }
  }

  async close(): Promise<void> {
    for (const { engine } of this.replicas) await engine.close()
  }
}

/** A tool changes a part of the text: what it is then is in the history. */
const byMcp = ({ data: { body, ...data }, ...change }: Change): Change => ({
  ...change,
  data,
  touches: body === undefined ? [] : ["body"]
})

export type { Reply }
