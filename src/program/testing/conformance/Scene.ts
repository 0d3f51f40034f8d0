import type { SheafOptions } from "../Sheaf.ts"
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

/** Does something to the first requests of a kind, and nothing to the others. */
export const first =
  (count: number, isWanted: (path: string) => boolean, network: Network): Network =>
  (request, send) =>
    isWanted(request.path) && count-- > 0 ? network(request, send) : send()

/** The requests are processed, and the responses are lost. */
export const lost: Network = async (_, send) => {
  await send()
  return undefined
}

/** Lets a client sync once with a network, and then without faults. */
export const syncedThrough = async (player: Player, network: Network): Promise<void> => {
  player.wire.network = network
  await player.sync()
  player.wire.network = undefined
}
