import { Effect } from "effect"
import { Unavailable } from "../../../services/Errors.ts"
import type { ParentLink, Question } from "../../../services/concurrency/ParentLink.ts"
import { type Response, startVariable, type ToParent, type ToWorker, type WorkerStart } from "./WorkerMessages.ts"

/** The link of a worker to its parent, and the data with which it was started. */
export interface Started {
  readonly link: ParentLink
  readonly start: WorkerStart
}

/** Undefined if this process is no worker. */
export const link = (): Started | undefined => {
  const given = process.env[startVariable]
  if (given === undefined || process.send === undefined) return undefined
  const start: WorkerStart = JSON.parse(given)
  const waiting = new Map<number, (response: Response) => void>()
  const responses = new Map<Question, Effect.Effect<unknown>>()
  let lastId = 0
  const send = (message: ToParent) => process.send!(message)
  process.on("message", (message: ToWorker) => {
    if ("asked" in message) {
      const { asked, question } = message
      const response = Effect.map(responses.get(question) ?? Effect.void, (value) => send({ responded: asked, value }))
      return void Effect.runFork(response)
    }
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  // Killed without a signal to its workers: PostgreSQL and the counts are gone with it.
  process.once("disconnect", () => process.exit(1))

  const ask = <A>(kind: string, input: unknown) =>
    Effect.callback<A, Unavailable>((resume) => {
      const id = ++lastId
      waiting.set(id, (response) => {
        if ("value" in response) resume(Effect.succeed(response.value as A))
        else if ("unavailable" in response) resume(Effect.fail(new Unavailable(response.unavailable)))
        else resume(Effect.die(new Error(response.defect)))
      })
      send({ id, kind, input })
      return Effect.sync(() => {
        waiting.delete(id)
        send({ cancel: id })
      })
    })

  const respond = (kind: Question, response: Effect.Effect<unknown>) =>
    Effect.sync(() => void responses.set(kind, response))
  const { isFirst, node } = start
  return { start, link: { node, isFirst, ask, respond, ready: Effect.sync(() => void send({ ready: true })) } }
}
