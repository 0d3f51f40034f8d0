/** The state of a workspace when nothing runs, read in several ways that must agree. */
import { syncTypes } from "../../services/Resources.ts"
import { equal, shown } from "./Model.ts"
import type { Data } from "./Change.ts"
import { isOwn, pullFrom } from "./Reads.ts"
import type { Scene } from "./Scene.ts"

type Records = ReadonlyMap<string, Data>

export interface World {
  /** The records that exist, by a pull without a cursor, and their types. */
  readonly records: Records
  readonly types: ReadonlyMap<string, string>
  /** The notes in the trash. */
  readonly trash: Records
  /** The records with an edit that the server has refused: the user was notified. */
  readonly refused: ReadonlySet<string>
}

/** Maximum number of rounds in which replicas exchange their last edits. */
const maxRounds = 30

const everyNote = encodeURIComponent("archived = true OR archived = false")

/** Replicas exchange edits until none of them has any. */
const settleReplicas = async ({ model, replicas }: Scene): Promise<void> => {
  for (let round = 0, quiet = 0; quiet < 2; round++) {
    const isQuiet = await Promise.all(replicas.map((replica) => replica.sync()))
    quiet = isQuiet.every(Boolean) ? quiet + 1 : 0
    if (round < maxRounds) continue
    const left = replicas.map(({ engine: { state } }) => `${state.waiting} ${String(state.error)}`)
    return model.fail("replicas become quiet", left.join("; "))
  }
}

const compare = (scene: Scene, where: string, expected: Records, found: Records, except: ReadonlySet<string>): void => {
  for (const id of new Set([...expected.keys(), ...found.keys()])) {
    const [one, other] = [expected.get(id), found.get(id)]
    const differs = (member: string) =>
      member !== "url" && other?.[member] !== undefined && !equal(one?.[member], other[member])
    const different = Object.keys(one ?? {}).filter(differs)
    if (except.has(id) || (one !== undefined && other !== undefined && different.length === 0)) continue
    const values = different.map((member) => [member, one?.[member], other?.[member]])
    const what = one === undefined ? "is additional" : other === undefined ? "is missing" : shown(values)
    scene.model.fail(`${where} is as the server has it`, `${id} ${what}`)
  }
}

const byId = (items: ReadonlyArray<any>): Records => new Map(items.map((item) => [item.id, item]))

/** Reads the world by pull, lists and replicas, which must agree. */
export const readWorld = async (scene: Scene): Promise<World> => {
  await settleReplicas(scene)
  const records = new Map<string, Data>()
  const types = new Map<string, string>()
  await pullFrom(scene, undefined, (change) => {
    isOwn(scene, change, "a pull")
    if (change.op !== "upsert") return
    records.set(change.id, change.data)
    types.set(change.id, change.type)
  })
  const of = (type: string) => new Map([...records].filter(([id]) => types.get(id) === type))
  const refused = new Set<string>()
  for (const type of syncTypes) {
    // Comments are listed by note.
    const items =
      type === "comment" ? undefined : await scene.list(`/${type}s${type === "note" ? `?filter=${everyNote}` : ""}`)
    isOwn(scene, items ?? [], `the list of ${type}s`)
    if (items !== undefined) compare(scene, `the list of ${type}s`, of(type), byId(items), new Set())
    for (const [index, { engine }] of scene.replicas.entries()) {
      const own = new Set(engine.refused.map(({ edit }) => edit.id))
      compare(scene, `replica ${index} with its ${type}s`, of(type), byId(engine.all(type)), own)
      for (const id of own) refused.add(id)
    }
  }
  const trash = await scene.list(`/notes?filter=${encodeURIComponent("deleted_at:*")}`)
  isOwn(scene, trash, "the trash")
  const found = await scene.need("POST", "/search", { query: "foreign" })
  isOwn(scene, found.hits, "a search")
  return { records, types, trash: byId(trash), refused }
}

/** Counters of notebooks, tags and the workspace are those of its notes. */
export const checkCounts = async (scene: Scene, { records, types }: World): Promise<void> => {
  const notes = [...records].filter(([id]) => types.get(id) === "note").map(([, data]) => data)
  const expect = (what: string, count: number, isCounted: (note: Data) => boolean) => {
    const there = notes.filter(isCounted).length
    if (count !== there) scene.model.fail("counters count", `${what}: ${count} instead of ${there}`)
  }
  for (const { id, note_count } of await scene.list("/notebooks"))
    expect(id, note_count, ({ notebook_id }) => notebook_id === id)
  for (const { id, name, note_count } of await scene.list("/tags"))
    expect(id, note_count, ({ tags }) => (tags as ReadonlyArray<string>).includes(name))
  expect("usage", (await scene.need("GET", "/usage")).notes, () => true)
}
