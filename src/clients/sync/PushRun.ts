import type { Client } from "../client/Client.ts"
import { type Problem, SheafError, unexpected } from "../client/ClientProblem.ts"
import type { Schemas } from "../client/Types.ts"
import type { EditQueue } from "./EditQueue.ts"
import { batchOf, type Edit, type Known, knownOf, type View } from "./Edit.ts"
import { type Conflict, isRefusedForEntry, type Outcome, settle } from "./Rules.ts"

/** Maximum number of pushes in a row of which the server has accepted nothing. */
const maxFruitless = 20

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
  throw unexpected(`No known result of ${edit.id}`)
}

/** Where a push reads and writes the states of records. */
export interface Replica extends View {
  /** Takes a state of the server. It may be older than the known one. */
  readonly take: (state: Known) => void
  /** Keeps a state until the server sends the record. */
  readonly keep: (state: Known) => void
  /** Drops a record that the server does not have. */
  readonly forget: (id: string) => void
  /** Makes the states and the queue survive a crash. */
  readonly save: () => Promise<void>
}

/** Milliseconds after which a new note that is pushed counts as made offline. */
const offlineAfter = 60_000

/**
 * The entry of a push. A note that was made offline states when. Otherwise it has the time of the server, however wrong the
 * clock of the device is.
 */
const entryOf = ({ isRecovered: _, seen: __, ...change }: Edit): Omit<Edit, "isRecovered" | "seen"> => {
  const { created_at, ...data } = change.data
  const isOnline = typeof created_at === "string" && !(Date.now() - Date.parse(created_at) > offlineAfter)
  return isOnline ? { ...change, data } : change
}

interface PushSettings {
  readonly client: Client
  readonly replica: Replica
  readonly device?: Schemas["DeviceInput"]
  /** The position of the client: the server refuses a push that has a position of a history that a restore has ended. */
  readonly cursor?: () => string | undefined
  /** Those that the replica keeps. */
  readonly notebooks?: ReadonlyArray<string> | undefined
  readonly signal?: AbortSignal
}

/** Pushes edits. If the server refuses them all, each half is pushed; a single edit is refused. */
export const send = async (
  settings: PushSettings,
  edits: ReadonlyArray<Edit>
): Promise<ReadonlyArray<readonly [Edit, Outcome]>> => {
  const { client, device, notebooks, replica, signal } = settings
  const cursor = settings.cursor?.()
  try {
    const changes = edits.map(entryOf)
    const reply = await client.call<Reply>("pushChanges", { cursor, device, notebooks, changes }, { signal })
    if (!isReply(reply)) throw unexpected("The response is of no push")
    const outcomes = edits.map((edit, index) => [edit, outcomeOf(edit, index, reply)] as const)
    for (const change of reply.changes) replica.take(knownOf(change))
    for (const { server } of reply.conflicts) if (server !== null) replica.take(knownOf(server))
    return outcomes
  } catch (error) {
    if (!(error instanceof SheafError)) throw error
    const { problem } = error
    // Without the right to write, edits are shown as refused: they do not wait for ever.
    if (["insufficient_role", "insufficient_scope"].includes(problem.code)) {
      return edits.map((edit) => [edit, { status: "rejected", error: problem }])
    }
    if (!isRefusedForEntry(problem)) throw error
    const [edit] = edits
    if (edits.length === 1 && edit !== undefined) return [[edit, { status: "rejected", error: problem }]]
    const half = edits.length >> 1
    return [...(await send(settings, edits.slice(0, half))), ...(await send(settings, edits.slice(half)))]
  }
}

/** Pushes all edits of a queue, and what follows from their results. Calls `onChange` with the ids of changed records. */
export const pushAll = async (
  settings: PushSettings,
  queue: EditQueue,
  onChange: (ids: ReadonlyArray<string>) => void = () => {}
): Promise<void> => {
  const { replica } = settings
  let fruitless = 0
  while (queue.size > 0) {
    if (fruitless > maxFruitless) throw unexpected(`The server accepted nothing of ${maxFruitless} pushes`)
    const before = queue.size
    if (queue.sent.length === 0) queue.markSent(batchOf(queue.waiting))
    // Sent edits must be stored as sent: after a crash it is sent again unchanged.
    await replica.save()
    const batch = batchOf(queue.sent)
    for (const [edit, outcome] of await send(settings, batch)) {
      // A push reads a limited number of bytes of records: the rest of a large one is valid, and pushed again.
      if (outcome.status === "rejected" && outcome.error.code === "payload_too_large" && batch.length > 1) {
        queue.postpone(edit)
        continue
      }
      const later = queue.waitingOf(edit.id)
      const { gone, known, ...settled } = settle(edit, outcome, later, replica)
      queue.settle(edit, settled)
      if (known !== undefined) replica.keep(known)
      if (gone !== undefined) replica.forget(gone)
      onChange([edit.id, ...settled.again.map(({ id }) => id)])
    }
    fruitless = queue.size < before ? 0 : fruitless + 1
    await replica.save()
  }
}
