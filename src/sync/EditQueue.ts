import type { Problem } from "../client/ClientProblem.ts"
import { corrected, type Edit, editsOf, joinedWith, newId, type Settled, type View } from "./Rules.ts"

/** An edit that the server refused, and why. */
export interface Refused {
  readonly edit: Edit
  readonly problem: Problem
}

/** An own edit as it is stored. */
export interface Pending {
  readonly edit: Edit
  /** The order of edits. */
  readonly position: number
  /** Whether it was pushed, and has no result yet: then it is pushed again unchanged. */
  readonly isSent: boolean
  /** Why the server refused it. */
  readonly problem?: Problem
}

type Lists = Record<"refused" | "sent" | "waiting", ReadonlyArray<Pending>>

/** The own edits: those that wait to be pushed, those that were pushed without a response, and those that were refused. */
export class EditQueue {
  /** Stores an edit; `undefined` removes it. */
  private readonly put: (mutation_id: string, pending: Pending | undefined) => void
  private lists: Lists = { refused: [], sent: [], waiting: [] }
  /** The edits of each record, made when they are read. */
  private own: Map<string, Array<Edit>> | undefined
  /** Where edits are put that are pushed again: before those that wait. */
  private front = { index: 0, position: 0 }

  constructor(put: (mutation_id: string, pending: Pending | undefined) => void) {
    this.put = put
  }

  load(pending: ReadonlyArray<Pending>): void {
    const all = pending.toSorted((one, other) => one.position - other.position)
    this.lists = {
      sent: all.filter(({ isSent }) => isSent),
      refused: all.filter(({ problem }) => problem !== undefined),
      waiting: all.filter(({ isSent, problem }) => !isSent && problem === undefined)
    }
  }

  get sent(): ReadonlyArray<Edit> {
    return this.lists.sent.map(({ edit }) => edit)
  }

  get waiting(): ReadonlyArray<Edit> {
    return this.lists.waiting.map(({ edit }) => edit)
  }

  get refused(): ReadonlyArray<Refused> {
    return this.lists.refused.flatMap(({ edit, problem }) => (problem === undefined ? [] : [{ edit, problem }]))
  }

  /** The number of edits that the server does not have, without refused ones. */
  get size(): number {
    return this.lists.sent.length + this.lists.waiting.length
  }

  /** The edits of each record, in the order in which they apply. */
  byRecord(): ReadonlyMap<string, ReadonlyArray<Edit>> {
    if (this.own === undefined) {
      this.own = new Map()
      for (const { edit } of [...this.lists.refused, ...this.lists.sent, ...this.lists.waiting]) {
        const edits = this.own.get(edit.id)
        if (edits === undefined) this.own.set(edit.id, [edit])
        else edits.push(edit)
      }
    }
    return this.own
  }

  isRefused(id: string): boolean {
    return this.lists.refused.some(({ edit }) => edit.id === id)
  }

  /** Replaces lists, and stores what has changed. */
  private set(changed: Partial<Lists>): void {
    const before = new Set(Object.values(this.lists).flat())
    this.lists = { ...this.lists, ...changed }
    const after = new Set(Object.values(this.lists).flat())
    for (const each of before) if (!after.has(each)) this.put(each.edit.mutation_id, undefined)
    for (const each of after) if (!before.has(each)) this.put(each.edit.mutation_id, each)
    this.own = undefined
  }

  /** Adds a change of the user. It is joined with the last edit, or with a refused one that it corrects. */
  change(change: Pick<Edit, "data" | "id" | "op" | "type">, view: View): void {
    const [edit, ...more] = editsOf(change, view)
    const refused = more.length > 0 ? undefined : this.lists.refused.find((each) => each.edit.id === change.id)
    this.append(refused === undefined ? edit : corrected(refused.edit, edit))
    for (const each of more) this.append(each)
    if (refused !== undefined) this.drop(refused.edit)
  }

  private append(edit: Edit): void {
    const { waiting } = this.lists
    const last = waiting.at(-1)
    const joined = joinedWith(last?.edit, edit)
    const before = joined === undefined ? waiting : waiting.slice(0, -1)
    const position = joined === undefined ? (last?.position ?? 0) + 1 : last!.position
    this.set({ waiting: [...before, { edit: joined ?? edit, position, isSent: false }] })
  }

  /** Marks edits as sent. */
  markSent(edits: ReadonlyArray<Edit>): void {
    const batch = new Set(edits)
    const { sent, waiting } = this.lists
    const first = Math.min(0, ...[...sent, ...waiting].map(({ position }) => position))
    // Each edit has at most four others instead of it, which come between the sent ones and those that wait.
    const start = first - 5 * edits.length
    this.front = { index: 0, position: start + edits.length }
    this.set({
      sent: edits.map((edit, index) => ({ edit, position: start + index, isSent: true })),
      waiting: waiting.filter(({ edit }) => !batch.has(edit))
    })
  }

  /** Ends a sent edit: what follows is pushed before all that waits. */
  settle(edit: Edit, { again, later, refused }: Settled): void {
    const kept = new Map(later.map((each) => [each.mutation_id, each]))
    const { index, position } = this.front
    const waiting = this.lists.waiting.flatMap((each) => {
      const now = each.edit.id === edit.id ? kept.get(each.edit.mutation_id) : each.edit
      return now === undefined ? [] : [now === each.edit ? each : { ...each, edit: now }]
    })
    const first = again.map((edit, index) => ({ edit, position: position + index, isSent: false }))
    this.front = { index: index + again.length, position: position + again.length }
    this.set({
      sent: this.lists.sent.filter((each) => each.edit.mutation_id !== edit.mutation_id),
      waiting: waiting.toSpliced(index, 0, ...first),
      refused: [...this.lists.refused, ...(refused === undefined ? [] : [{ ...refused, position, isSent: false }])]
    })
  }

  /** Adds an edit that was refused after its push. */
  refuse(refusal: Refused): void {
    this.set({ refused: [...this.lists.refused, { ...refusal, position: 0, isSent: false }] })
  }

  /** Ends the refusal of an edit, which is pushed again. */
  retry(edit: Edit): void {
    this.drop(edit)
    this.append({ ...edit, mutation_id: newId() })
  }

  /** Ends the refusal of an edit. */
  drop({ mutation_id }: Edit): void {
    this.set({ refused: this.lists.refused.filter(({ edit }) => edit.mutation_id !== mutation_id) })
  }
}
