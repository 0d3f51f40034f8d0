import { Context } from "effect"
import type { PrincipalShape } from "../Principal.ts"

/** The author of a change, as the log records it. */
export interface Actor {
  readonly user_id: string | null
  readonly device_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
  /** Whether the change is one of the operator of the server: the log and the audit log say so. */
  readonly by?: "operator"
}

/** The actor of changes that the server makes by itself. */
export const systemActor: Actor = { user_id: null, device_id: null, ip: null, user_agent: null }

/** The operator at the command line, who is not a user. */
export const operatorActor: Actor = { ...systemActor, by: "operator" }

/** The actor of operations on the whole server: the operator at the command line, or the caller of an admin operation. */
export const OperatorActor = Context.Reference<Actor>("sheaf/writer/OperatorActor", {
  defaultValue: () => operatorActor
})

/** The actor of changes that a principal makes. */
export const actorOf = (principal: PrincipalShape): Actor => ({
  user_id: principal.user_id,
  device_id: principal.device_id,
  ip: principal.ip,
  user_agent: principal.user_agent
})
