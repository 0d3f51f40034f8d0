import type { RxCollection } from "rxdb"
import type { Client } from "../client/Client.ts"
import type { Restored } from "../client/ClientProblem.ts"
import { follow, type FollowOptions } from "../client/Follow.ts"
import { EditQueue, type Refused } from "../sync/EditQueue.ts"
import { pushAll, type Replica } from "../sync/PushRun.ts"
import { inOrder, isLost, type Lost, recovering } from "../sync/LostStates.ts"
import { type Known, knownOf, shownWith } from "../sync/Edit.ts"
import type { SheafRecord } from "./RecordSchema.ts"

interface Settings extends Pick<FollowOptions, "notebooks" | "types"> {
  readonly client: Client
  readonly collection: RxCollection<SheafRecord>
  readonly onRefused: (refused: Refused) => void | Promise<void>
}

const stateOf = ({ data, id, type, version }: SheafRecord): Known => {
  const changed_at = data["updated_at"] ?? data["created_at"]
  return { type, id, op: "upsert", revision: version, data, ...(typeof changed_at === "string" ? { changed_at } : {}) }
}

/** The records of a collection that a restored server lacks or has in an earlier state; and the notebooks of the server. */
const compare = async (settings: Settings, restored: Restored) => {
  const { client, collection, types } = settings
  const named = new Set<string>()
  const notebooks = new Map<string, Known>()
  const lost: Array<Lost> = []
  let last: string | undefined
  for await (const { changes, cursor } of follow(client, { notebooks: settings.notebooks, types, isOnce: true })) {
    last = cursor
    const states = changes.map(knownOf)
    const docs = await collection.findByIds(states.map(({ id }) => id)).exec()
    for (const now of states) {
      named.add(now.id)
      if (now.type === "notebook" && now.op === "upsert") notebooks.set(now.id, now)
      const doc = docs.get(now.id)?.toJSON()
      if (doc === undefined || doc.version === 0) continue
      const found = { known: stateOf(doc), now }
      if (isLost(found, restored)) lost.push(found)
    }
  }
  for (const doc of await collection.find().exec()) {
    const known = stateOf(doc.toJSON())
    const found = { known, now: undefined }
    if (known.revision > 0 && !named.has(known.id) && isLost(found, restored)) lost.push(found)
  }
  return { lost, notebooks, cursor: last }
}

/**
 * Pushes what a restore of the server has taken away, before a pull replaces it. A repetition after a crash pushes nothing
 * twice, because the collection is not changed. Rejects with a SheafError.
 */
export const pushLost = async (settings: Settings, restored: Restored): Promise<void> => {
  const { client, onRefused } = settings
  const { cursor, lost, notebooks } = await compare(settings, restored)
  const queue = new EditQueue()
  const states = new Map<string, Known>(notebooks)
  for (const { now } of lost) if (now !== undefined) states.set(now.id, now)
  const known = (id: string) => states.get(id)
  const keep = (state: Known) => void states.set(state.id, state)
  const shown = (id: string) => shownWith(known(id), queue.of(id))
  const replica: Replica = {
    known,
    shown,
    notebooks: () => [...notebooks.keys()].filter((id) => states.has(id) && shown(id).op === "upsert"),
    isWaiting: (id) => queue.isWaiting(id),
    take: keep,
    keep,
    forget: (id) => void states.delete(id),
    save: async () => {}
  }
  for (const each of inOrder(lost)) queue.replace(each.known.id, recovering(each, restored, [], replica).edits)
  await pushAll({ client, replica, cursor: () => cursor }, queue)
  for (const each of queue.refused) await onRefused(each)
}
