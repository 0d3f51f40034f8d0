import type { Client } from "../client/Client.ts"
import { type Problem, SheafError, unexpected } from "../client/ClientProblem.ts"
import type { Schemas } from "../client/Types.ts"
import { batchOf, type Conflict, type Edit, isRefusedForEntry, type Outcome, settle } from "./Rules.ts"
import type { SyncState } from "./SyncState.ts"

/** Maximum number of pushes in a row of which the server has accepted nothing. */
const mostFruitless = 20

type Result = { readonly index: number; readonly status: string; readonly revision: number | null }
/** The response to a push. A server of another version may have other results. */
interface Reply {
  readonly changes: ReadonlyArray<unknown>
  readonly conflicts: ReadonlyArray<Conflict>
  readonly results: ReadonlyArray<Result & { readonly error?: Problem }>
}

const isReply = (reply: Partial<Reply>): boolean =>
  Array.isArray(reply?.changes) && Array.isArray(reply.conflicts) && Array.isArray(reply.results)

const outcomeOf = (edit: Edit, index: number, { conflicts, results }: Reply): Outcome => {
  const result = results.find((each) => each.index === index)
  const { error, revision, status } = result ?? {}
  if ((status === "applied" || status === "duplicate") && typeof revision === "number") return { status, revision }
  if (status === "rejected" && error !== undefined) return { status, error }
  const conflict = conflicts.find(({ mutation_id }) => mutation_id === edit.mutation_id)
  if (status === "conflict" && conflict !== undefined) return { status, conflict }
  throw unexpected(`The response to a push has no known result for the ${edit.type} ${edit.id}`)
}

interface SendSettings {
  readonly client: Client
  /** Takes the states of records in the response. */
  readonly state: { readonly take: (change: unknown) => void }
  readonly device?: Schemas["DeviceInput"]
  readonly signal?: AbortSignal | undefined
}

interface PushSettings extends SendSettings {
  readonly state: SyncState
  /** Called with the ids of changed records. */
  readonly onChange: (ids: ReadonlyArray<string>) => void
}

/** Pushes edits. If the server refuses them all, each half is pushed; a single edit is refused. */
export const send = async (
  settings: SendSettings,
  edits: ReadonlyArray<Edit>
): Promise<ReadonlyArray<readonly [Edit, Outcome]>> => {
  const { client, device, signal, state } = settings
  try {
    const changes = edits.map(({ seen: _, ...change }) => change)
    const reply = await client.call<Reply>("pushChanges", { device, changes }, signal && { signal })
    if (!isReply(reply)) throw unexpected("The response is not one to a push")
    const outcomes = edits.map((edit, index) => [edit, outcomeOf(edit, index, reply)] as const)
    for (const change of reply.changes) state.take(change)
    return outcomes
  } catch (error) {
    if (!(error instanceof SheafError) || !isRefusedForEntry(error.problem)) throw error
    const { problem } = error
    const [edit] = edits
    if (edits.length === 1 && edit !== undefined) return [[edit, { status: "rejected", error: problem }]]
    const half = edits.length >> 1
    return [...(await send(settings, edits.slice(0, half))), ...(await send(settings, edits.slice(half)))]
  }
}

/** Pushes all edits, and what follows from their results. */
export const pushAll = async (settings: PushSettings): Promise<void> => {
  const { onChange, state } = settings
  const { edits } = state
  let fruitless = 0
  while (edits.size > 0) {
    if (fruitless > mostFruitless) throw unexpected(`The server has accepted nothing of ${mostFruitless} pushes`)
    edits.markSent(edits.sent.length > 0 ? edits.sent : batchOf(edits.waiting))
    // What was sent must be stored as sent: after a crash it is sent again unchanged.
    await state.save()
    const batch = edits.sent
    const before = batch.length + edits.waiting.length
    for (const [edit, outcome] of await send(settings, batch)) {
      const later = edits.waiting.filter(({ id }) => id === edit.id)
      if (outcome.status === "conflict" && outcome.conflict.server !== null) state.take(outcome.conflict.server)
      // A push reads a limited number of bytes of records: the rest of a large one is valid, and pushed again.
      const isRest = outcome.status === "rejected" && outcome.error.code === "payload_too_large" && batch.length > 1
      const settled = isRest ? { again: [edit], later } : settle(edit, outcome, later, state)
      edits.settle(edit, settled)
      if (settled.known !== undefined) state.keep(settled.known)
      if (settled.gone !== undefined) state.forget(settled.gone)
      onChange([edit.id, ...settled.again.map(({ id }) => id)])
    }
    fruitless = edits.size < before ? 0 : fruitless + 1
    await state.save()
  }
}
