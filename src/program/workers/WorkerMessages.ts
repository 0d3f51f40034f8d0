import type { Address } from "../../../services/database/Database.ts"
import type { Question } from "../../../services/concurrency/ParentLink.ts"
import type { Unavailable } from "../../../services/Errors.ts"

/** Messages between a parent and its workers, by the channel of `node:cluster`. */

/** The environment variable in which a worker gets its `WorkerStart` as JSON. */
export const startVariable = "SHEAF_WORKER"

/** What a worker gets when it starts. */
export interface WorkerStart {
  /** The id of the node, which all its workers have. */
  readonly node: string
  /** Whether it is the first process of the server, which shows how to use it. */
  readonly isFirst: boolean
  /** The version of the parent. */
  readonly version: string
  /** The embedded database of the parent; absent with DATABASE_URL. */
  readonly database?: Exclude<Address, { readonly url: unknown }>
}

export type ToParent =
  | { readonly ready: true }
  | { readonly id: number; readonly kind: string; readonly input: unknown }
  | { readonly cancel: number }
  | { readonly responded: number; readonly value: unknown }

export type ToWorker = { readonly asked: number; readonly question: Question } | Response

export type Response =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly unavailable: Pick<Unavailable, "code" | "detail" | "retry_after"> }
  | { readonly id: number; readonly defect: string }
