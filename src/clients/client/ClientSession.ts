import { SheafError } from "./ClientProblem.ts"
import type { components } from "./generated/Schema.ts"

/** The tokens of a session, as the server returned them last. */
export type Session = components["schemas"]["TokenResponse"]

/**
 * Where an app keeps its session. Several tabs or processes may share one store: each reads it again before it refreshes
 * the tokens. `write(undefined)` forgets the session.
 */
export interface SessionStore {
  readonly read: () => Session | undefined | Promise<Session | undefined>
  readonly write: (session: Session | undefined) => void | Promise<void>
}

/** Keeps the session in memory: it ends with the process. */
export const memorySession = (session?: Session): SessionStore => {
  let kept = session
  return {
    read: () => kept,
    write: (session) => {
      kept = session
    }
  }
}

/** Runs one task of a session at a time, in all tabs of a browser or else in this process. */
const exclusively = <A>(session_id: string, task: () => Promise<A>): Promise<A> =>
  typeof navigator === "object" && navigator.locks !== undefined
    ? (navigator.locks.request(`sheaf ${session_id}`, task) as Promise<A>)
    : task()

/** The tokens of a client. Concurrent calls share one refresh, because a refresh token works only once. */
export class Tokens {
  readonly store: SessionStore
  readonly #refresh: (refresh_token: string) => Promise<Session>
  #refreshing: Promise<string> | undefined

  constructor(store: SessionStore, refresh: (refresh_token: string) => Promise<Session>) {
    this.store = store
    this.#refresh = refresh
  }

  /** Returns an access token that replaces an expired one. */
  renewed(expired: string): Promise<string> {
    return (this.#refreshing ??= this.#next(expired).finally(() => {
      this.#refreshing = undefined
    }))
  }

  async #next(expired: string): Promise<string> {
    const session = await this.store.read()
    if (session === undefined) {
      throw new SheafError({ code: "authentication_required", status: 401, detail: "The session was ended" })
    }
    return exclusively(session.session_id, async () => {
      const { access_token, refresh_token } = (await this.store.read()) ?? session
      // Another tab was faster.
      if (access_token !== expired) return access_token
      try {
        const next = await this.#refresh(refresh_token)
        await this.store.write(next)
        return next.access_token
      } catch (error) {
        // The session is over: the user must sign in again.
        if (error instanceof SheafError && error.problem.status === 401) await this.store.write(undefined)
        throw error
      }
    })
  }
}
