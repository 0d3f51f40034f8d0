import { availableParallelism } from "node:os"
import { messageOf } from "../../../../services/ErrorCause.ts"
import * as TemporaryPostgres from "../TemporaryPostgres.ts"
import { ClientFault, CommandError } from "./ClientProcess.ts"
import { conflictScenes } from "./ConflictScenes.ts"
import { crashScenes } from "./CrashScenes.ts"
import { pullScenes } from "./PullScenes.ts"
import { pushScenes } from "./PushScenes.ts"
import { responseScenes } from "./ResponseScenes.ts"
import type { Scene } from "./Scene.ts"
import { Stage, type StageOptions } from "./Stage.ts"

export const scenes: ReadonlyArray<Scene> = [
  ...pullScenes,
  ...responseScenes,
  ...pushScenes,
  ...conflictScenes,
  ...crashScenes
]

/** The result of a scene. `reason` is what the client did wrong; undefined if it did nothing wrong. */
export interface SceneResult extends Pick<Scene, "name" | "proves" | "source"> {
  readonly reason: string | undefined
  readonly seconds: number
}

export interface ConformanceOptions {
  /** The program of a client and its arguments. */
  readonly command: ReadonlyArray<string>
  /** The names of the scenes; by default all. */
  readonly names?: ReadonlyArray<string>
  /** Milliseconds for each reply of the client. */
  readonly deadline?: number
  readonly postgres?: TemporaryPostgres.TestPostgres
  /** Called with each result as it is known. */
  readonly onResult?: (result: SceneResult) => void
}

const play = async (scene: Scene, options: Omit<StageOptions, "settings">): Promise<string | undefined> => {
  const stage = await Stage.start({ ...options, settings: scene.settings })
  try {
    await scene.play(stage)
    stage.checkRules()
    return undefined
  } catch (error) {
    if (error instanceof CommandError) throw error
    // Anything else is reported too, because only the client differs from one run to the next.
    return error instanceof ClientFault ? error.message : `the scene cannot be played: ${messageOf(error)}`
  } finally {
    await stage.stop()
  }
}

/**
 * Plays scenes with a client, each on a server of its own, and returns the results in the order of the scenes. Rejects with
 * a CommandError for an unknown scene, or a command that cannot be run.
 */
export const conform = async (options: ConformanceOptions): Promise<ReadonlyArray<SceneResult>> => {
  const { command, deadline = 20_000, names = scenes.map(({ name }) => name), onResult = () => {} } = options
  const unknown = names.find((each) => !scenes.some(({ name }) => name === each))
  if (unknown !== undefined) {
    throw new CommandError(`there is no scene ${unknown}: use ${scenes.map(({ name }) => name).join(", ")}`)
  }
  const postgres = options.postgres ?? (await TemporaryPostgres.ofProcess())
  const waiting = scenes.filter(({ name }) => names.includes(name))
  const results = new Map<Scene, SceneResult>()
  const wanted = [...waiting]
  const work = async () => {
    for (let scene = waiting.shift(); scene !== undefined; scene = waiting.shift()) {
      const { name, proves, source } = scene
      const began = performance.now()
      const reason = await play(scene, { command, deadline, postgres })
      const result = { name, proves, source, reason, seconds: (performance.now() - began) / 1000 }
      results.set(scene, result)
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))
  return wanted.map((scene) => results.get(scene)!)
}
