import { Effect, Layer } from "effect"
import { type Handler, ParentLink } from "../concurrency/ParentLink.ts"
import { type Held, SearchThread, type Task } from "./SearchThread.ts"

/** The response of the parent to a search. */
interface Response {
  readonly result: any
  readonly held: Held
  readonly lag: number
}

const nothing: Held = { workspaces: 0, bytes: 0, files: 0, fileBytes: 0, loads: 0 }

/** The search thread of the parent process, for a worker: the index of a workspace exists once for all of them. */
const linked = (link: ParentLink) =>
  Layer.sync(SearchThread, () => {
    let last: Pick<Response, "held" | "lag"> = { held: nothing, lag: 0 }
    return SearchThread.of({
      run: (task) =>
        Effect.map(link.ask<Response>("search", task), ({ result, ...state }) => {
          last = state
          return result
        }),
      held: () => last.held,
      lag: () => last.lag,
      kill: Effect.orDie(link.ask("endSearch", null))
    })
  })

/** The search thread of this process, or that of its parent. */
export const layer = (options: Parameters<typeof SearchThread.layer>[0]) =>
  Layer.unwrap(Effect.map(ParentLink, (link) => (link === undefined ? SearchThread.layer(options) : linked(link))))

/** Searches for workers. */
export const handlers = (thread: SearchThread["Service"]): Readonly<Record<"search" | "endSearch", Handler>> => ({
  search: (task: Task) =>
    Effect.map(thread.run(task), (result): Response => ({ result, held: thread.held(), lag: thread.lag() })),
  endSearch: () => thread.kill
})
