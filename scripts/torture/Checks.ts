/** What must be true at the end of a history. */
import { setTimeout as sleep } from "node:timers/promises"
import { seqOfEvent } from "../../services/writer/LogEntry.ts"
import { type Acknowledged, equal, inHistory, type Word } from "./Model.ts"
import type { Data } from "./Change.ts"
import { bytesOf, isOwn, poll } from "./Reads.ts"
import type { Scene } from "./Scene.ts"
import { hashOf } from "./Ways.ts"
import { checkCounts, readWorld, type World } from "./World.ts"

/** The versions of a note, by number. */
type Versions = ReadonlyMap<number, Data>

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 200) ?? "undefined"

/** Records live and are deleted as was acknowledged. */
const checkLives = ({ model }: Scene, { records, refused, trash }: World): void => {
  for (const { id, isLoose, life, type } of model.known.values()) {
    if (isLoose || type === "share" || refused.has(id)) continue
    const record = records.get(id)
    // A comment with replies stays without its text.
    const isThere = record !== undefined && record.data["deleted"] !== true
    if (life === "live" && !isThere && !model.mayBeCovered(id)) model.fail("what was made is there", id)
    if (life !== "live" && isThere) model.fail("what was deleted stays deleted", id)
    if (life === "trash" && !isThere && !trash.has(id)) model.fail("what was made is there", `${id} in the trash`)
  }
}

/** Members that others derive, or that words and the history of a note are checked for. */
const unchecked = new Set(["title", "body", "tags", "notebook_id", "note_id", "parent_id", "archived"])

/** Members have their last acknowledged value, or one of a writer whose place in the order is not known. */
const checkMembers = ({ model }: Scene, { records, refused }: World): void => {
  for (const { id, members } of model.known.values()) {
    const data = records.get(id)?.data
    if (data === undefined || refused.has(id)) continue
    for (const [member, { others, value }] of members) {
      if (unchecked.has(member) || data[member] === undefined) continue
      if (![value, ...others].some((each) => equal(each, data[member])))
        model.fail(
          "members have the acknowledged value",
          `${id}, ${member}: ${shown(data[member])}, not ${shown(value)}`
        )
    }
  }
}

/** Each version has what was acknowledged for it, and everything else of the one before. */
const checkVersions = ({ model }: Scene, id: string, versions: Versions): void => {
  const newest = Math.max(...versions.keys())
  for (let version = 1; version <= newest && !model.isRestored; version++)
    if (!versions.has(version)) model.fail("each version is in the history", `${id} ${version} of ${newest}`)
  const byVersion = Map.groupBy(model.changes.get(id) ?? [], ({ version }) => version)
  for (const [version, changes] of byVersion) {
    const [content, before] = [versions.get(version), versions.get(version - 1)]
    if (content === undefined) {
      model.fail("each version is in the history", `${id} ${version}, acknowledged for step ${changes[0]!.step}`)
      continue
    }
    const fail = ({ step }: Acknowledged, what: string) =>
      model.fail("a version is as acknowledged", `${id} ${version}, step ${step}: ${what}`)
    for (const change of changes) {
      for (const member of inHistory)
        if (change.data[member] !== undefined && !equal(change.data[member], content[member]))
          fail(change, `${member} is ${shown(content[member])}, not ${shown(change.data[member])}`)
      const { word } = change
      if (word !== undefined && !`${String(content["title"])} ${String(content["body"])}`.includes(word))
        fail(change, `${word} is missing`)
    }
    /** A change that changes nothing has the version that another one made. */
    const isEffective = ({ based, data }: Acknowledged) =>
      based === undefined
        ? inHistory.some((each) => data[each] !== undefined && !equal(data[each], before?.[each]))
        : based < version
    if (!changes.some(isEffective)) continue
    const touched = new Set(changes.flatMap(({ touches }) => touches))
    for (const member of inHistory)
      if (before !== undefined && !touched.has(member) && !equal(before[member], content[member]))
        fail(changes[0]!, `it changed ${member} from ${shown(before[member])} to ${shown(content[member])}`)
  }
}

interface Text {
  readonly now: string
  readonly earlier: string
}

const textOf = ({ body, name, title }: Data): string =>
  [title, name, body].filter((each) => typeof each === "string").join("\n")

/** Whether the word may be gone with its record. */
const mayBeGone = ({ model }: Scene, { refused }: World, word: Word): boolean => {
  if (word.id === undefined) return false
  const known = model.known.get(word.id)
  if (refused.has(word.id) || known === undefined || known.wasPurged || known.life === "gone") return true
  return known.type !== "note" && (known.endedAt > 0 || known.isLoose || model.mayBeCovered(word.id))
}

/** Each acknowledged word is in its record or the history, and once. */
const checkWords = (scene: Scene, world: World, texts: ReadonlyMap<string, Text>): void => {
  const { model, name } = scene
  const everything = [...texts.values()].map(({ earlier, now }) => `${now}\n${earlier}`).join("\n")
  const pattern = new RegExp(`w${name}x\\d+[a-d]?y`, "g")
  const there = new Set(everything.match(pattern))
  for (const word of model.words.values())
    if (word.isCertain && !there.has(word.word) && !mayBeGone(scene, world, word))
      model.fail("no acknowledged word is lost", `${word.word} of ${word.id ?? "an import"}`)
  /** Notes that are made from others. */
  const isCopy = (id: string): boolean => {
    const title = String(world.records.get(id)?.data["title"])
    return (
      model.known.get(id)?.isCopy === true ||
      id.startsWith("nt_copy-") ||
      /\(copy|^Applied /.test(title) ||
      (!model.known.has(id) && (title === "Comment" || model.replicaTitles.has(title)))
    )
  }
  const births = new Map<string, string>()
  for (const [id, { now }] of texts) {
    const words: ReadonlyArray<string> = now.match(pattern) ?? []
    const twice = words.find((word, index) => words.indexOf(word) !== index)
    if (twice !== undefined) model.fail("a word is in a text once", `${twice} in ${id}: ${shown(now)}`)
    if (!id.startsWith("nt_") || isCopy(id)) continue
    const own = words.filter((word) => model.words.get(word)?.isBirth === true)
    if (own.length === 0 && !model.known.has(id)) model.fail("each note has a cause", `${id}: ${shown(now)}`)
    for (const word of own) {
      if (births.has(word)) model.fail("a record is made once", `${word} in ${births.get(word)} and ${id}`)
      births.set(word, id)
    }
  }
}

/** All versions of all notes; those in the trash are restored for it. */
const readTexts = async (scene: Scene, { records, trash }: World, take: (id: string, versions: Versions) => void) => {
  const texts = new Map<string, Text>()
  for (const { data, id, type } of records.values())
    if (type !== "note") texts.set(id, { now: textOf(data), earlier: "" })
  for (const id of [...trash.keys(), ...[...records.keys()].filter((each) => each.startsWith("nt_"))]) {
    if (trash.has(id)) await scene.need("POST", `/notes/${id}/restore`, {})
    const list = await scene.list(`/notes/${id}/versions`)
    for (const { body, note_id, notebook_id, title, version } of list) {
      isOwn(scene, body, "a history")
      scene.model.saw(note_id, version, { title, body, notebook_id }, "the history")
    }
    take(id, new Map(list.map((each) => [each.version, each])))
    texts.set(id, { now: textOf(list[0] ?? {}), earlier: list.map(textOf).join("\n") })
  }
  return texts
}

const ofVersion = new Set(["note.created", "note.updated", "note.archived", "note.restored", "note.deleted"])

/** The log has each change, in order and without a hole, and pollers have received it. */
const checkEvents = async (
  scene: Scene,
  { records, refused }: World,
  newest: ReadonlyMap<string, number>
): Promise<ReadonlyArray<any>> => {
  const { model } = scene
  await poll(scene)
  const polled = scene.polled.splice(0)
  scene.pollCursor = ""
  await poll(scene)
  const events = scene.polled.splice(0)
  isOwn(scene, events, "the events")
  events.forEach(({ id }, index) => {
    if (polled[index]?.id !== id)
      model.fail("a poller receives each event in order", `${polled[index]?.id} instead of ${id}`)
    if (seqOfEvent(id) !== index + 1 && !model.isRestored) model.fail("the log has no hole", `${id} at ${index + 1}`)
  })
  const types = Map.groupBy(events, ({ resource_id }) => resource_id as string)
  const count = (id: string, wanted: (type: string) => boolean) =>
    (types.get(id) ?? []).filter(({ type }) => wanted(type)).length
  for (const { id, isLoose, isReplicas, life, type } of model.known.values()) {
    if (refused.has(id) || (isReplicas && !records.has(id) && model.mayBeCovered(id))) continue
    if (!isLoose && count(id, (each) => each === `${type}.created`) < 1)
      model.fail("each change has its event", `${id} was created`)
    // A comment with replies is only emptied.
    const isGone = life === "gone" && records.get(id)?.data["deleted"] !== true
    if (!isLoose && isGone && count(id, (each) => /deleted|purged|merged/.test(each)) < 1)
      model.fail("each change has its event", `${id} was deleted`)
  }
  for (const [id, version] of newest) {
    const found = count(id, (type) => ofVersion.has(type))
    if (found !== version && !model.isRestored)
      model.fail("each change has its event", `${id}: ${found} events for ${version} versions`)
  }
  return events
}

/** Milliseconds for deliveries, and for the first of them, after which one that waits for a later time is asked for. */
const deliveryTime = 60_000
const firstTime = 2_000

/** Each event after the webhook was made is delivered. */
const checkDeliveries = async (scene: Scene, events: ReadonlyArray<any>): Promise<void> => {
  const first = events.findIndex(({ resource_id, type }) => type === "webhook.created" && resource_id === scene.webhook)
  const { received } = scene
  const missing = () => events.slice(first + 1).filter(({ id }) => !received.has(id))
  const path = `/webhooks/${scene.webhook}/deliveries`
  const listed = (filter: string) => scene.list(`${path}?filter=${encodeURIComponent(filter)}`)
  const began = performance.now()
  /** What was sent already is lost; other events may still wait for the reader of the log. */
  let isLost = false
  while (missing().length > 0 && !isLost && performance.now() - began < deliveryTime) {
    await sleep(100)
    if (performance.now() - began < firstTime) continue
    for (const { id } of await listed("status = pending")) await scene.call("POST", `${path}/${id}/retry`, { body: {} })
    const [first] = missing()
    const isSent = first !== undefined && (await listed(`event_id = ${first.id} AND status = succeeded`)).length > 0
    isLost = isSent && !received.has(first.id)
  }
  for (const { id, type } of missing()) scene.model.fail("each event is delivered", `${id} ${type}`)
}

/** Runs all checks. What they find is in `failures` of the model. */
export const check = async (scene: Scene): Promise<void> => {
  const { model } = scene
  const world = await readWorld(scene)
  checkLives(scene, world)
  checkMembers(scene, world)
  await checkCounts(scene, world)
  for (const { data, id, type } of world.records.values()) {
    if (type !== "attachment" || data["status"] !== "ready") continue
    const bytes = await bytesOf(scene, id)
    if (bytes === undefined || hashOf(bytes) !== data["sha256"]) model.fail("bytes match their hash", id)
  }
  const newest = new Map<string, number>()
  const texts = await readTexts(scene, world, (id, versions) => {
    if (model.known.get(id)?.wasPurged === true) return
    newest.set(id, Math.max(...versions.keys()))
    checkVersions(scene, id, versions)
  })
  checkWords(scene, world, texts)
  const events = await checkEvents(scene, world, newest)
  await checkDeliveries(scene, events)
}
