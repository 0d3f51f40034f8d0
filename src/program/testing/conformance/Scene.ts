import type { SheafOptions } from "../TestRun.ts"
import { ClientFault } from "./ClientProcess.ts"
import type { Player } from "./Player.ts"
import type { Stage } from "./Stage.ts"
import type { Network } from "./Wire.ts"

/** A situation in which a client must lose nothing, and end with what the server has. */
export interface Scene {
  readonly name: string
  /** One line. */
  readonly proves: string
  /** Where the rule is. */
  readonly source: string
  readonly settings?: SheafOptions["settings"]
  readonly play: (stage: Stage) => Promise<unknown>
}

export const expect = (isTrue: boolean, otherwise: string): void => {
  if (!isTrue) throw new ClientFault(otherwise)
}

export const isPull = (path: string): boolean => path.startsWith("/sync/pull")
export const isPush = (path: string): boolean => path.startsWith("/sync/push")

/** Does something to the first request of a kind, and nothing to the others. */
export const toFirst = (isWanted: (path: string) => boolean, network: Network): Network => {
  let isDone = false
  return (request, send) => {
    if (isDone || !isWanted(request.path)) return send()
    isDone = true
    return network(request, send)
  }
}

/** Pushes are processed, and their responses are lost. */
export const lostPushes: Network = async ({ path }, send) => {
  const answer = await send()
  return isPush(path) ? undefined : answer
}

/** Lets a client sync once with a network, and then without faults. */
export const syncedThrough = async (player: Player, network: Network): Promise<void> => {
  player.wire.network = network
  await player.sync()
  player.wire.network = undefined
}
