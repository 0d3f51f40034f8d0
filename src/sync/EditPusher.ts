import type { Client } from "../client/Client.ts"
import { SheafError } from "../client/ClientProblem.ts"
import type { Refused } from "./EditQueue.ts"
import { send } from "./PushRun.ts"
import {
  batchOf,
  type Edit,
  editsOf,
  isKnown,
  joinedWith,
  type Known,
  mostEntries,
  newId,
  type Outcome,
  settle,
  type Shown,
  shownWith,
  type View
} from "./Rules.ts"

/** Where an adapter keeps the records that a queue changes. */
export interface Records {
  readonly known: (id: string) => Known | undefined
  /** The notebooks that the server has. */
  readonly notebooks: () => Promise<ReadonlyArray<Known>>
  /** Takes a state of the server. It may be older than the known one. */
  readonly take: (state: Known) => void
  /** Drops a record that the server does not have. */
  readonly forget: (id: string) => void
  /** Called for an edit that the queue has dropped. The next push waits for it. */
  readonly onRefused: (refused: Refused) => void | Promise<void>
}

const ofRecord =
  (id: string) =>
  (edit: Edit): boolean =>
    edit.id === id

/** Whether the same push may succeed later. */
const isTemporary = ({ problem: { code, status } }: SheafError): boolean =>
  code === "unexpected_response" || ![400, 403, 404, 422].includes(status)

/** The edits of one client in memory: pushes them in their order, and what follows from their results. */
export class EditPusher {
  private readonly client: Client
  private readonly records: Records
  private waiting: ReadonlyArray<Edit> = []
  /** Edits that were pushed and have no result yet: they are pushed again unchanged. */
  private sent: ReadonlyArray<Edit> = []

  constructor(client: Client, records: Records) {
    this.client = client
    this.records = records
  }

  get isEmpty(): boolean {
    return this.sent.length + this.waiting.length === 0
  }

  /** The types of the records with edits, by id. */
  get types(): ReadonlyMap<string, string> {
    return new Map([...this.sent, ...this.waiting].map(({ id, type }) => [id, type]))
  }

  private own(id: string): ReadonlyArray<Edit> {
    return [...this.sent, ...this.waiting].filter(ofRecord(id))
  }

  /** The state of a record with all edits of the queue. */
  shown(id: string): Shown {
    return shownWith(this.records.known(id), this.own(id))
  }

  /** Adds a change of the user, which is based on what the view shows. */
  add(change: Pick<Edit, "data" | "id" | "op" | "type">, view: Pick<View, "known" | "shown">): void {
    for (const edit of editsOf(change, view)) {
      const joined = joinedWith(this.waiting.at(-1), edit)
      this.waiting = joined === undefined ? [...this.waiting, edit] : [...this.waiting.slice(0, -1), joined]
    }
  }

  /**
   * Pushes the next edits: at most 500, and each record once. Rejects with a SheafError if the same push may succeed
   * later; the edits then stay in the queue. Rejects with the reason of the signal.
   */
  async push(signal?: AbortSignal): Promise<void> {
    if (this.sent.length === 0) {
      this.sent = batchOf(this.waiting)
      const batch = new Set(this.sent)
      this.waiting = this.waiting.filter((edit) => !batch.has(edit))
    }
    const results = await this.send(this.sent, signal)
    const isSimple = results.every(([, { status }]) => status === "applied" || status === "duplicate")
    const notebooks = isSimple ? [] : await this.records.notebooks()
    const isPart = this.sent.length > 1
    this.sent = []
    const again: Array<Edit> = []
    const refused = results.flatMap(([edit, outcome]) => this.end(edit, outcome, again, { isPart, notebooks }) ?? [])
    this.waiting = [...again, ...this.waiting]
    for (const each of refused) await this.records.onRefused(each)
  }

  /**
   * Takes the current state of records that the server has. It returns them for changes without members, which change
   * nothing. Rejects like `push`.
   */
  async refresh(states: ReadonlyArray<Known>, signal?: AbortSignal): Promise<void> {
    const edits = states.map((state): Edit => ({
      ...state,
      mutation_id: newId(),
      op: "upsert",
      data: {},
      seen: state.data ?? {}
    }))
    for (let start = 0; start < edits.length; start += mostEntries) {
      await this.send(edits.slice(start, start + mostEntries), signal)
    }
  }

  /** Ends an edit. Adds to `again` what is pushed before all that waits. Returns the edit if it was refused. */
  private end(
    edit: Edit,
    outcome: Outcome,
    again: Array<Edit>,
    { isPart, notebooks }: { readonly isPart: boolean; readonly notebooks: ReadonlyArray<Known> }
  ): Refused | undefined {
    // A push reads a limited number of bytes of records: the rest of a large one is valid, and pushed again.
    if (isPart && outcome.status === "rejected" && outcome.error.code === "payload_too_large") {
      again.push(edit)
      return undefined
    }
    const next = () => [...again, ...this.waiting]
    const states = new Map(notebooks.map((notebook) => [notebook.id, notebook]))
    const known = (id: string) => this.records.known(id) ?? states.get(id)
    const shown = (id: string) => shownWith(known(id), next().filter(ofRecord(id)))
    const later = this.waiting.filter(ofRecord(edit.id))
    const settled = settle(edit, outcome, later, {
      known,
      shown,
      notebooks: () => [...states.keys()].filter((id) => shown(id).op === "upsert"),
      isWaiting: (id) => next().some(ofRecord(id))
    })
    const kept = new Map(settled.later.map((each) => [each.mutation_id, each]))
    this.waiting = this.waiting.flatMap((each) => (each.id === edit.id ? (kept.get(each.mutation_id) ?? []) : [each]))
    again.push(...settled.again)
    if (settled.known !== undefined) this.records.take(settled.known)
    if (settled.gone !== undefined) this.records.forget(settled.gone)
    return settled.refused
  }

  /** Pushes edits. Those of a push that the server does not accept at all are refused. */
  private async send(edits: ReadonlyArray<Edit>, signal: AbortSignal | undefined) {
    try {
      const state = { take: (change: unknown) => this.take(change) }
      const results = await send({ client: this.client, state, signal }, edits)
      for (const [, outcome] of results) if (outcome.status === "conflict") this.take(outcome.conflict.server)
      return results
    } catch (error) {
      if (!(error instanceof SheafError) || isTemporary(error)) throw error
      return edits.map((edit) => [edit, { status: "rejected", error: error.problem }] as const)
    }
  }

  private take(state: unknown): void {
    if (isKnown(state)) this.records.take(state)
  }
}
