/** Runs one history on a stage: a plan in a workspace of its own, then the checks. */
import { check } from "./Checks.ts"
import type { Failure } from "./Model.ts"
import type { FaultStep, Step } from "./Plan.ts"
import { plant, type Planted } from "./Planted.ts"
import { Scene } from "./Scene.ts"
import type { Stage } from "./Stage.ts"

export interface HistoryOptions {
  readonly replicas: number
  readonly planted?: Planted
  readonly fault?: (step: FaultStep) => Promise<void>
}

export interface HistoryResult {
  readonly failures: ReadonlyArray<Failure>
  /** Number of operations by kind and outcome, and of what happened to requests and replicas. */
  readonly done: ReadonlyMap<string, number>
  readonly requests: ReadonlyMap<string, number>
  /** How often the planted fault has happened. */
  readonly happened: number
}

let histories = 0

export const runHistory = async (
  stage: Stage,
  steps: ReadonlyArray<Step>,
  { fault = async () => {}, planted, replicas }: HistoryOptions
): Promise<HistoryResult> => {
  const name = `h${++histories}`
  const { happened = () => 0, tamper } = planted === undefined ? {} : plant(planted)
  const scene = await Scene.open(stage, { name, replicas, tamper, forgets: planted?.forgets })
  try {
    await scene.run(steps, fault)
    if (scene.model.failures.length === 0) await check(scene)
  } finally {
    await scene.close()
  }
  const { done, model, wire } = scene
  return { failures: model.failures, done, requests: wire.counts, happened: happened() }
}
