import type { PrincipalShape } from "../Principal.ts"

/** Who makes a change, as the log notes it. */
export interface Actor {
  readonly user_id: string | null
  readonly device_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
}

/** What the server does by itself. */
export const systemActor: Actor = { user_id: null, device_id: null, ip: null, user_agent: null }

/** The actor that the log notes for what a principal does. */
export const actorOf = (principal: PrincipalShape): Actor => ({
  user_id: principal.user_id,
  device_id: principal.device_id,
  ip: principal.ip,
  user_agent: principal.user_agent
})
