/** A history: a workspace of its own, in which a plan runs, and what is known of it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { syncTypes } from "../../services/Resources.ts"
import { Model } from "./Model.ts"
import type { Change, Data, Hand } from "./Change.ts"
import { operations } from "./Operations.ts"
import { type FaultStep, inbox, isFault, type OperationStep, type Step } from "./Plan.ts"
import { reads } from "./Reads.ts"
import { Replica } from "./Replica.ts"
import { describe } from "./Shrink.ts"
import type { Stage } from "./Stage.ts"
import { Turn } from "./Turn.ts"
import { ways, withHash } from "./Ways.ts"
import { bodyOf, type Called, type Calling, type Tamper, Wire } from "./Wire.ts"

const byKind = new Map(operations.map((operation) => [operation.kind, operation]))

/** Seconds after which a batch is printed: one of its requests has waited for a limit of time. */
const slow = 60
/** Milliseconds in which an import ends, also after three failed tries. */
const importTime = 240_000
/** One of 29 deliveries is refused, and comes again. */
const refusedDelivery = 29

/** A record that the sender has not seen. */
class NotSeen extends Error {}

/** An address of a client: the registrations of one are limited. */
const addressOf = (history: number): string => `10.${[16, 8, 0].map((bits) => (history >> bits) & 255).join(".")}`

export interface SceneOptions {
  /** Part of all words and ids: `h` and a number, unique in this process. */
  readonly name: string
  readonly replicas: number
  readonly tamper?: Tamper | undefined
  /** The receiver of webhooks forgets a delivery. */
  readonly forgets?: boolean | undefined
}

export interface Sending extends Partial<Calling> {
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
  /** The ids of the events that the webhook has received. */
  readonly received = new Set<string>()
  /** Number of operations by kind and outcome. */
  readonly done = new Map<string, number>()
  /** Polls follow each other. */
  readonly turn = new Turn()
  private saved: { readonly file: string; readonly moment: number } | undefined
  private key = ""
  private readonly turns = new Map<string, Turn>()
  private readonly folder = mkdtempSync(join(tmpdir(), "sheaf-replicas-"))

  private constructor(stage: Stage, name: string) {
    this.stage = stage
    this.name = name
    this.wire = new Wire(stage)
    this.device = { id: `sy_${name.padEnd(20, "0")}`, name: "torture", platform: "torture" }
  }

  /** Registers a user with a personal workspace, whose records must not appear elsewhere, and a workspace of a team. */
  static async open(stage: Stage, { forgets, name, replicas, tamper }: SceneOptions): Promise<Scene> {
    const scene = new Scene(stage, name)
    const password = "correct horse battery staple"
    const headers = { "x-forwarded-for": addressOf(Number(name.slice(1))) }
    const body = { email: `${name}@sheaf.test`, password }
    const who = await scene.need("POST", "/auth/register", body, undefined, headers)
    const token = who.access_token
    const team = await scene.need("POST", "/workspaces", { name: "Team", plan: "team", slug: name }, token)
    const keyOf = async (id: string): Promise<string> => {
      const sending = { body: { name: "torture" }, headers: { "workspace-id": id }, key: token }
      return bodyOf((await scene.call("POST", "/api-keys", sending)).reply!).secret
    }
    const other = await keyOf(who.workspace_id)
    const [elsewhere] = (await scene.need("GET", "/notebooks", undefined, other)).data
    for (const title of ["one", "two"]) {
      const body = { notebook_id: elsewhere.id, title, body: "foreign", tags: ["label-1"] }
      scene.foreign.push((await scene.need("POST", "/notes", body, other)).id)
    }
    scene.foreign.push(elsewhere.id, "foreign")
    scene.key = await keyOf(team.id)
    const [first] = (await scene.need("GET", "/notebooks")).data
    const change: Change = { type: "notebook", op: "create", data: { name: first.name } }
    scene.model.settle({ step: inbox, change, by: "server", state: "done", id: first.id, began: 0 })
    await scene.listen(forgets === true)
    for (let index = 0; index < replicas; index++)
      scene.replicas.push(await new Replica(join(scene.folder, String(index)), scene.wire, scene.key).open())
    if (tamper !== undefined) scene.wire.tamper = tamper
    return scene
  }

  /** Makes a webhook, and receives its deliveries. */
  private async listen(forgets: boolean): Promise<void> {
    const { sink } = this.stage
    let requests = 0
    let isForgetful = forgets
    sink.responses.set(`/${this.name}`, ({ id }, response) => {
      sink.received.length = 0
      const isRefused = ++requests % refusedDelivery === 0
      const isForgotten = isForgetful && this.received.size > 5
      if (isForgotten) isForgetful = false
      else if (!isRefused) this.received.add(id)
      response.writeHead(isRefused ? 500 : 204).end()
    })
    const body = { url: sink.url(`/${this.name}`), events: ["*"] }
    this.webhook = (await this.need("POST", "/webhooks", body)).id
  }

  call(
    method: string,
    path: string,
    { body, fate = "well", form, headers, isRepeatable = true, key = this.key, node = 0 }: Sending = {}
  ): Promise<Called> {
    const sent = form ?? (body === undefined ? undefined : JSON.stringify(body))
    const request = {
      method,
      path: path.startsWith("/mcp") ? path : `/v2${path}`,
      headers: {
        ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
        accept: "application/json, text/event-stream",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(sent === undefined ? {} : { body: sent })
    }
    return this.wire.call(request, { node, isRepeatable, fate })
  }

  /** The body of a request that must succeed. */
  async need(method: string, path: string, body?: unknown, key = this.key, headers = {}): Promise<any> {
    const { reply } = await this.call(method, path, { body, key, headers })
    if (reply !== undefined && reply.status < 300) return bodyOf(reply)
    throw new Error(`${method} ${path}: ${reply?.status} ${new TextDecoder().decode(reply?.bytes).slice(0, 300)}`)
  }

  /** All items of a list. */
  async list(path: string): Promise<Array<any>> {
    const items: Array<any> = []
    const first = `${path}${path.includes("?") ? "&" : "?"}limit=100`
    for (let next: string | undefined = first; next !== undefined;) {
      const { data, has_more, next_cursor } = await this.need("GET", next)
      items.push(...data)
      next = has_more === true ? `${first}&cursor=${encodeURIComponent(next_cursor)}` : undefined
    }
    return items
  }

  /** Waits until an import ends, also after three failed tries. Returns whether it was carried out. */
  async importEnds(id: string): Promise<boolean> {
    const until = performance.now() + importTime
    for (let wait = 10; performance.now() < until; wait = Math.min(wait * 1.5, 2_000)) {
      const { status } = await this.need("GET", `/imports/${id}`)
      if (status === "done" || status === "failed") return status === "done"
      await sleep(wait)
    }
    this.model.fail("imports end", id)
    return false
  }

  private hand(step: OperationStep): Hand {
    const found = <A>(value: A | undefined): A => {
      if (value === undefined) throw new NotSeen()
      return value
    }
    return {
      step,
      word: `w${this.name}x${step.at}y`,
      id: (index) => found(this.model.ids.get(step.refs[index]!)),
      seen: (id) =>
        found<Data>(
          step.way === "replica" ? this.replicas[step.replica]!.engine.get(id) : this.model.latest.get(id)?.data
        )
    }
  }

  private async send(step: OperationStep, changes: ReadonlyArray<Change>, hand: Hand): Promise<void> {
    const { way } = step
    const began = this.model.now
    const isPending = () =>
      changes.some(({ id }) => id !== undefined && this.replicas.some(({ pending }) => pending.has(id)))
    const wasPending = isPending()
    const outcomes = await ways[way](this, hand, changes)
    for (const [index, { isReady, ...outcome }] of outcomes.entries()) {
      const given = changes[index]!
      const data = { ...withHash(given.data), ...(isReady === true ? { status: "ready" } : {}) }
      this.count(`${step.kind} ${outcome.state}`)
      this.model.settle({
        step: step.at,
        change: way === "mcp" ? byMcp(given) : { ...given, data: way === "import" ? {} : data },
        by: way === "replica" ? "replica" : "server",
        began,
        isContested: wasPending || isPending(),
        ...outcome
      })
    }
  }

  private async operate(step: OperationStep): Promise<void> {
    const { changes, kind, needs } = byKind.get(step.kind)!
    const hand = this.hand(step)
    const [type] = needs
    if (changes === undefined) {
      this.count(`${kind} done`)
      return reads[kind]!(this, hand)
    }
    if (step.way === "api" && type !== "note" && type !== undefined) await reads["record"]!(this, hand)
    if (step.way === "push") await reads["pull"]!(this, hand)
    const send = () => this.send(step, changes(hand), hand)
    const id = type === undefined ? undefined : this.model.ids.get(step.refs[0]!)
    // Operations on one record follow each other, except for edits of notes, which have versions.
    if (id === undefined || (type === "note" && !/\.(delete|purge|restore|pin)$/.test(kind))) return send()
    const turn = this.turns.get(id) ?? new Turn()
    this.turns.set(id, turn)
    return turn.run(send)
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
    const text = JSON.stringify(this.replicas.map(({ engine }) => syncTypes.map((type) => engine.all(type))))
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

  /** Runs the steps, those of a batch at once, and the fault of a batch at the same time. Then no replica is killed any more. */
  async run(steps: ReadonlyArray<Step>, fault: (step: FaultStep) => Promise<void>): Promise<void> {
    for (const batch of Map.groupBy(steps, (step) => step.batch).values()) {
      const began = performance.now()
      const first = batch[0]!
      this.wire.trace.mark(`batch ${first.batch}\n${describe(batch)}`)
      if (isFault(first) && first.fault === "backup") await this.backUp()
      else if (isFault(first) && first.fault === "restore") await this.restore()
      else await Promise.all(batch.map((step) => (isFault(step) ? fault(step) : this.step(step))))
      const seconds = Math.round((performance.now() - began) / 1000)
      if (seconds > slow)
        console.log([`batch ${first.batch} took ${seconds} s:`, describe(batch), ...this.wire.trace.last()].join("\n"))
      if (this.model.failures.length > 0) break
    }
    for (const replica of this.replicas) replica.heal()
  }

  async close(): Promise<void> {
    for (const { engine } of this.replicas) await engine.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A tool changes a part of the text: what it is then is in the history. */
const byMcp = ({ data: { body, ...data }, ...change }: Change): Change => ({
  ...change,
  data,
  touches: body === undefined ? [] : ["body"]
})
