import type { Key } from "../concurrency/RoundRobinQueue.ts"
import type { Priority } from "../concurrency/RoundRobinSemaphore.ts"

/**
 * The client that a password is hashed for. Users go first on networks where they have signed in before; networks with
 * many recent failures go last.
 */
export interface PasswordClient {
  readonly key: Key
  readonly priority: Priority
  /** Recent wrong passwords of the wider network. Networks with the fewest go first; undefined for known users. */
  readonly guesses?: number
}

/** The operator at the machine itself. */
export const operator: PasswordClient = { key: "operator", priority: "first" }
