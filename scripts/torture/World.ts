/** The state of a workspace when nothing runs, read in several ways that must agree. */
import { equal } from "./Model.ts"
import { type Data, synced } from "./Change.ts"
import { isOwn, pullFrom } from "./Reads.ts"
import type { Scene } from "./Scene.ts"

export interface Record {
  readonly id: string
  readonly type: string
  readonly revision: number
  readonly data: Data
}

export interface World {
  /** The records that exist, by a pull without a cursor. */
  readonly records: ReadonlyMap<string, Record>
  /** The notes in the trash. */
  readonly trash: ReadonlyMap<string, Data>
  /** The records with an edit that the server has refused: the user was notified. */
  readonly refused: ReadonlySet<string>
}

/** Maximum number of rounds in which replicas exchange their last edits. */
const mostRounds = 30

const everyNote = encodeURIComponent("archived = true OR archived = false")
const lists: ReadonlyArray<readonly [type: string, path: string]> = [
  ["note", `/notes?filter=${everyNote}`],
  ["notebook", "/notebooks"],
  ["tag", "/tags"],
  ["template", "/templates"],
  ["reminder", "/reminders"],
  ["attachment", "/attachments"]
]

/** Replicas exchange edits until none of them has any. */
const settleReplicas = async ({ model, replicas }: Scene): Promise<void> => {
  for (let round = 0, quiet = 0; quiet < 2; round++) {
    const isQuiet = await Promise.all(replicas.map((replica) => replica.sync()))
    quiet = isQuiet.every(Boolean) ? quiet + 1 : 0
    if (round < mostRounds) continue
    const left = replicas.map(({ engine: { state } }) => `${state.waiting} ${String(state.error)}`)
    return model.fail("replicas become quiet", left.join("; "))
  }
}

/** The members of one record that another one has with other values. */
const differences = (one: Data, other: Data): ReadonlyArray<string> =>
  Object.keys(one).filter(
    (member) => member !== "url" && other[member] !== undefined && !equal(one[member], other[member])
  )

const compare = (
  scene: Scene,
  where: string,
  expected: ReadonlyMap<string, Data>,
  found: ReadonlyMap<string, Data>,
  except: ReadonlySet<string> = new Set()
): void => {
  const check = `${where} is as the server has it`
  for (const [id, data] of expected) {
    if (except.has(id)) continue
    const other = found.get(id)
    if (other === undefined) scene.model.fail(check, `${id} is missing`)
    else
      for (const member of differences(data, other))
        scene.model.fail(check, `${id}, ${member}: ${JSON.stringify([data[member], other[member]])?.slice(0, 300)}`)
  }
  for (const id of found.keys())
    if (!expected.has(id) && !except.has(id)) scene.model.fail(check, `${id} is additional`)
}

const byId = (items: ReadonlyArray<any>): ReadonlyMap<string, Data> => new Map(items.map((item) => [item.id, item]))

/** Reads the world by pull, lists and replicas, which must agree. */
export const readWorld = async (scene: Scene): Promise<World> => {
  await settleReplicas(scene)
  const records = new Map<string, Record>()
  await pullFrom(scene, undefined, (change) => {
    isOwn(scene, change, "a pull")
    if (change.op === "upsert") records.set(change.id, change)
  })
  const of = (type: string) =>
    new Map([...records.values()].filter((each) => each.type === type).map(({ data, id }) => [id, data]))
  for (const [type, path] of lists) {
    const items = await scene.list(path)
    isOwn(scene, items, path)
    compare(scene, `the list of ${type}s`, of(type), byId(items))
  }
  const refused = new Set<string>()
  for (const [index, { engine }] of scene.replicas.entries()) {
    const own = new Set(engine.refused.map(({ edit }) => edit.id))
    for (const type of synced)
      compare(scene, `replica ${index} with its ${type}s`, of(type), byId(engine.all(type)), own)
    for (const id of own) refused.add(id)
  }
  const trash = await scene.list(`/notes?filter=${encodeURIComponent("deleted_at:*")}`)
  isOwn(scene, trash, "the trash")
  const found = await scene.need("POST", "/search", { query: "foreign" })
  isOwn(scene, found.hits, "a search")
  return { records, trash: byId(trash), refused }
}

/** Counters of notebooks, tags and the workspace are those of its notes. */
export const checkCounts = async (scene: Scene, { records }: World): Promise<void> => {
  const notes = [...records.values()].filter(({ type }) => type === "note")
  const expect = (what: string, shown: number, count: number) => {
    if (shown !== count) scene.model.fail("counters count", `${what}: ${shown} instead of ${count}`)
  }
  for (const { id, note_count } of await scene.list("/notebooks"))
    expect(id, note_count, notes.filter(({ data }) => data["notebook_id"] === id).length)
  for (const { id, name, note_count } of await scene.list("/tags"))
    expect(id, note_count, notes.filter(({ data }) => (data["tags"] as ReadonlyArray<string>).includes(name)).length)
  expect("usage", (await scene.need("GET", "/usage")).notes, notes.length)
}
