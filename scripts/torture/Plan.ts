/** A plan: operations and faults in batches, all of which follow from a seed. */
import { Random } from "../../src/program/testing/Random.ts"
import type { Type, Way } from "./Change.ts"
import { operations } from "./Operations.ts"

/** What happens to the first request of an operation. */
export const fates = { well: 82, lostResponse: 8, doubled: 7, hungUp: 3 } as const
export type Fate = keyof typeof fates

export interface OperationStep {
  /** The number in the plan, by which later steps name the record that this one makes. */
  readonly at: number
  /** Steps of a batch run at once. */
  readonly batch: number
  readonly kind: string
  readonly way: Way
  /** The steps that made the records it needs; the notebook that every workspace has is `inbox`. */
  readonly refs: ReadonlyArray<number>
  readonly fate: Fate
  /** Whether the request names the version that it is based on. */
  readonly isGuarded: boolean
  /** Whether the request has an idempotency key, or a mutation id. */
  readonly isKeyed: boolean
  readonly replica: number
  readonly node: number
  /** A number from 0 to 1, from which the operation takes places and values. */
  readonly draw: number
}

export interface FaultStep {
  readonly at: number
  readonly batch: number
  readonly fault: string
  readonly node: number
  readonly draw: number
}

export type Step = OperationStep | FaultStep
export const isFault = (step: Step): step is FaultStep => "fault" in step

/** The reference to the first notebook of a workspace. */
export const inbox = -1

export interface PlanSettings {
  readonly seed: number
  readonly operations: number
  readonly nodes: number
  readonly replicas: number
  /** The faults of nodes and their weights, and after how many batches one happens on average. */
  readonly faults: Readonly<Record<string, number>>
  readonly batchesPerFault: number
  /** The chance of a backup and its restore later in the history. */
  readonly restores?: number
  /** The kinds of operations, and the ways; by default all. */
  readonly kinds?: ReadonlyArray<string>
  readonly ways?: ReadonlyArray<Way>
}

/** Maximum number of steps that run at once. */
const maxAtOnce = 10
/** Mostly recent records are used, so that operations meet at the same ones. */
const recent = 8

/** A backup and its restore, between two batches each. */
const withRestore = (steps: ReadonlyArray<Step>, random: Random): ReadonlyArray<Step> => {
  const last = steps.at(-1)!.batch
  const backup = random.between(0, last)
  const places = { backup: backup + 0.5, restore: random.between(backup, last) + 0.75 }
  const added = Object.entries(places).map(([fault, batch], index) => ({
    at: steps.length + index,
    batch,
    fault,
    node: 0,
    draw: 0
  }))
  return [...steps, ...added].toSorted((one, other) => one.batch - other.batch)
}

export const planOf = ({ kinds, ways, ...settings }: PlanSettings): ReadonlyArray<Step> => {
  const random = new Random(settings.seed)
  const steps: Array<Step> = []
  const all = operations
    .filter(({ kind }) => kinds?.includes(kind) ?? true)
    .map((each) => ({ ...each, ways: each.ways.filter((way) => ways?.includes(way) ?? true) }))
    .filter((each) => each.ways.length > 0)
  /** The records that earlier batches make, as the plan sees them: whether they exist is known when it runs. */
  const made = new Map<Type, ReadonlyArray<number>>([["notebook", [inbox]]])
  const ofType = (type: Type) => made.get(type) ?? []
  const pick = (type: Type) => random.pick(random.chance(0.7) ? ofType(type).slice(-recent) : ofType(type))
  let left = settings.operations
  for (let batch = 0; left > 0; batch++) {
    const afterwards: Array<() => void> = []
    if (Object.keys(settings.faults).length > 0 && random.chance(1 / settings.batchesPerFault)) {
      const fault = random.weighted(settings.faults)
      steps.push({ at: steps.length, batch, fault, node: random.between(0, 7), draw: random.next() })
    }
    for (let size = Math.min(left, random.between(1, maxAtOnce)); size > 0; size--, left--) {
      const possible = all.filter(({ needs }) =>
        needs.every((type, index) => ofType(type).length > needs.indexOf(type, index + 1) + 1)
      )
      const kind = random.weighted(Object.fromEntries(possible.map(({ kind, weight }) => [kind, weight])))
      const { isEnd, makes, needs, ways } = all.find((each) => each.kind === kind)!
      const at = steps.length
      const refs = needs.map(pick)
      if (makes !== undefined) afterwards.push(() => made.set(makes, [...ofType(makes), at]))
      // Later steps seldom use a record that was deleted.
      const without = (type: Type) => ofType(type).filter((each) => each !== refs[0])
      if (isEnd === true) afterwards.push(() => random.chance(0.8) && made.set(needs[0]!, without(needs[0]!)))
      steps.push({
        at,
        batch,
        kind,
        way: random.pick(ways),
        refs,
        fate: random.weighted(fates),
        isGuarded: random.chance(0.6),
        isKeyed: random.chance(0.8),
        replica: random.between(0, settings.replicas - 1),
        node: random.between(0, settings.nodes - 1),
        draw: random.next()
      })
    }
    for (const each of afterwards) each()
  }
  return random.chance(settings.restores ?? 0) ? withRestore(steps, random) : steps
}
