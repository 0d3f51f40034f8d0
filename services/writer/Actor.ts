import { Context } from "effect"
import type { PrincipalShape } from "../Principal.ts"
import type { Reach } from "../Reach.ts"
import type { InChangeSet } from "./ChangeSetLog.ts"

/** By which way a change came. The log records it; members that do not apply are absent. */
export interface Via {
  readonly by?: "api" | "sync" | "import" | "mcp" | "revert"
  /** The API key of the request. */
  readonly api_key_id?: string
  /** The name of the connected app. */
  readonly app?: string
  /** The MCP tool. */
  readonly tool?: string
  /** The import that wrote it. */
  readonly import_id?: string
  /** The change set that the change belongs to. */
  readonly change_set_id?: string
  /** The `mutation_id` of the pushed entry. */
  readonly mutation_id?: string
  /** The note in whose conflict the pushed entry began: the note itself for a merge, another one for a conflict copy. */
  readonly conflict_of?: string
  /** The record follows its note into the trash, or out of it. */
  readonly with_note?: true
}

/** The author of a change, as the log records it. */
export interface Actor {
  readonly user_id: string | null
  readonly device_id: string | null
  readonly ip: string | null
  readonly user_agent: string | null
  /** Whether the change is one of the operator of the server: the log and the audit log say so. */
  readonly by?: "operator"
  /** Absent for changes that the server makes by itself, and for requests without a credential. */
  readonly via?: Via
  readonly credential_id?: string
  /** `via` has its id. */
  readonly change_set?: InChangeSet
  /** What the caller reaches; absent for everything. */
  readonly reach?: Reach
}

/** The actor of changes that the server makes by itself. */
export const systemActor: Actor = { user_id: null, device_id: null, ip: null, user_agent: null }

/** The operator at the command line, who is not a user. */
export const operatorActor: Actor = { ...systemActor, by: "operator" }

/** The actor of operations on the whole server: the operator at the command line, or the caller of an admin operation. */
export const OperatorActor = Context.Reference<Actor>("sheaf/writer/OperatorActor", {
  defaultValue: () => operatorActor
})

const viaOf = ({ app, change_set, credential_id, kind, tool }: PrincipalShape): Via => ({
  by: tool === undefined ? "api" : "mcp",
  ...(kind === "api_key" ? { api_key_id: credential_id } : {}),
  ...(app === undefined ? {} : { app }),
  ...(tool === undefined ? {} : { tool }),
  ...(change_set === undefined ? {} : { change_set_id: change_set.id })
})

/** The actor of changes that a principal makes. */
export const actorOf = (principal: PrincipalShape): Actor => ({
  user_id: principal.user_id,
  device_id: principal.device_id,
  ip: principal.ip,
  user_agent: principal.user_agent,
  via: viaOf(principal),
  credential_id: principal.credential_id,
  ...(principal.reach === undefined ? {} : { reach: principal.reach }),
  ...(principal.change_set === undefined ? {} : { change_set: principal.change_set })
})

/** The credential of an actor that reaches some notebooks only; null for other actors. */
export const limitedCredential = ({ credential_id = "", reach }: Actor): string | null =>
  reach === undefined ? null : credential_id

/** The actor, whose changes belong to a set. */
export const withChangeSet = (actor: Actor, change_set: InChangeSet): Actor => ({
  ...withVia(actor, { change_set_id: change_set.id }),
  change_set
})

/** The actor, with more about the way by which its changes come. */
export const withVia = (actor: Actor, more: Via): Actor => ({ ...actor, via: { ...actor.via, ...more } })
