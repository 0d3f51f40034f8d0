/** Runs histories on a stage at once: a plan in a workspace of its own each, then the checks. */
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

export interface History {
  readonly failures: ReadonlyArray<Failure>
  /** What clients and nodes have exchanged about some words. */
  readonly about: (words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Number of operations by kind and outcome, and of what happened to requests and replicas. */
  readonly done: ReadonlyMap<string, number>
  readonly requests: ReadonlyMap<string, number>
  /** How often the planted fault has happened. */
  readonly happened: number
}

let histories = 0

export const runHistories = async (
  stage: Stage,
  plans: ReadonlyArray<ReadonlyArray<Step>>,
  { fault = async () => {}, planted, replicas }: HistoryOptions
): Promise<ReadonlyArray<History>> => {
  const { happened = () => 0, tamper } = planted === undefined ? {} : plant(planted)
  const open = () => Scene.open(stage, { name: `h${++histories}`, replicas, tamper, forgets: planted?.forgets })
  const scenes = await Promise.all(plans.map(open))
  try {
    await Promise.all(scenes.map((scene, index) => scene.run(plans[index]!, fault)))
    await stage.heal()
    await Promise.all(scenes.filter(({ model }) => model.failures.length === 0).map(check))
    // Its checks read all workspaces.
    for (const found of await stage.inspect()) scenes[0]!.model.fail("the database is consistent", found)
  } finally {
    for (const scene of scenes) await scene.close()
  }
  return scenes.map(({ done, model, wire }) => ({
    failures: model.failures,
    about: (words) => wire.trace.about(words),
    done,
    requests: wire.counts,
    happened: happened()
  }))
}
