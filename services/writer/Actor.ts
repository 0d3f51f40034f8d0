import type { PrincipalShape } from "../Principal.ts"

/** The author of a change, as the log records it. */
export interface Actor {
  readonly user_id: string | null
  readonly device_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
}

/** The actor of changes that the server makes by itself. */
export const systemActor: Actor = { user_id: null, device_id: null, ip: null, user_agent: null }

/** The actor of changes that a principal makes. */
export const actorOf = (principal: PrincipalShape): Actor => ({
  user_id: principal.user_id,
  device_id: principal.device_id,
  ip: principal.ip,
  user_agent: principal.user_agent
})
