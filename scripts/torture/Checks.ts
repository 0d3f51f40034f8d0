/** What must be true at the end of a history. */
import { setTimeout as sleep } from "node:timers/promises"
import { seqOfEvent } from "../../services/writer/LogEntry.ts"
import { type Acknowledged, equal, inHistory, type Known, type Model, shown, unset, type Word } from "./Model.ts"
import type { Data } from "./Change.ts"
import { bytesOf, isOwn, poll } from "./Reads.ts"
import type { Scene } from "./Scene.ts"
import { hashOf } from "./Ways.ts"
import { checkCounts, readWorld, type World } from "./World.ts"

/** The versions of a note, by number. */
type Versions = ReadonlyMap<number, Data>

/** A comment with replies stays without its text. */
const isThere = (data: Data | undefined): boolean => data !== undefined && data["deleted"] !== true

/** Members that words and the history of a note are checked for, or that others derive. */
const unchecked = new Set(["title", "body", "tags", "notebook_id", "note_id", "parent_id", "archived"])

/**
 * Whether it was, or may have been, deleted for good with its record: a replica may have made it again, from an older state
 * and without the bytes of a file.
 */
const mayBeOlder = (model: Model, { parents, wasPurged }: Known): boolean =>
  wasPurged || [...parents].some((id) => id.startsWith("nt_") && model.known.get(id)?.wasPurged === true)

/**
 * A record lives or is deleted as was acknowledged, and its members have their last acknowledged value, or one of a writer
 * whose place in the order is not known.
 */
const checkRecord = ({ model }: Scene, { records, trash }: World, known: Known): void => {
  const { id, life, members } = known
  const data = records.get(id)
  const isMissing = life === "live" ? !isThere(data) && !model.mayBeCovered(id) : life === "trash" && !trash.has(id)
  if (!known.isLoose && known.type !== "share") {
    if (isMissing) model.fail("what was made is there", `${id}, ${life}`)
    if (life !== "live" && isThere(data)) model.fail("what was deleted stays deleted", id)
  }
  for (const [member, { others, value }] of data === undefined || mayBeOlder(model, known) ? [] : members) {
    const now = data![member]
    if (
      unchecked.has(member) ||
      now === undefined ||
      value === unset ||
      [value, ...others].some((each) => equal(each, now))
    )
      continue
    model.fail("members have the acknowledged value", `${id}, ${member}: ${shown(now)}, not ${shown(value)}`)
  }
}

/** Each version has what was acknowledged for it, and everything else of the one before. */
const checkVersions = ({ model }: Scene, id: string, versions: Versions): void => {
  const newest = Math.max(...versions.keys())
  for (let version = 1; version <= newest && !model.isRestored; version++)
    if (!versions.has(version)) model.fail("each version is in the history", `${id} ${version} of ${newest}`)
  for (const [version, changes] of Map.groupBy(model.changes.get(id) ?? [], (each) => each.version)) {
    const [content, before] = [versions.get(version), versions.get(version - 1)]
    if (content === undefined) {
      model.fail("each version is in the history", `${id} ${version}, acknowledged for step ${changes[0]!.step}`)
      continue
    }
    const fail = ({ step }: Acknowledged, what: string) =>
      model.fail("a version is as acknowledged", `${id} ${version}, step ${step}: ${what}`)
    /** The members that differ from the former version, or from what a change has set. */
    const differing = (other: Data | undefined, to: Data = content) =>
      inHistory.filter((each) => other?.[each] !== undefined && !equal(other[each], to[each]))
    for (const change of changes) {
      for (const member of differing(change.data))
        fail(change, `${member} is ${shown(content[member])}, not ${shown(change.data[member])}`)
      if (!`${String(content["title"])} ${String(content["body"])}`.includes(change.word ?? ""))
        fail(change, `${change.word} is missing`)
    }
    /** A change that changes nothing has the version that another one made. */
    const isEffective = ({ based, data }: Acknowledged) =>
      based === undefined ? differing(data, before ?? {}).length > 0 : based < version
    if (!changes.some(isEffective)) continue
    const touched = new Set(changes.flatMap(({ touches }) => touches))
    for (const member of differing(before))
      if (!touched.has(member))
        fail(changes[0]!, `it changed ${member} from ${shown(before![member])} to ${shown(content[member])}`)
  }
}

interface Text {
  readonly now: string
  readonly earlier: string
}

const textOf = ({ body, name, title }: Data): string =>
  [title, name, body].filter((each) => typeof each === "string").join("\n")

/** Whether the word may be gone with its record. */
const mayBeGone = ({ model }: Scene, { refused }: World, { id }: Word): boolean => {
  if (id === undefined) return false
  const known = model.known.get(id)
  if (refused.has(id) || known === undefined || known.wasPurged || known.life === "gone") return true
  return known.type !== "note" && (known.endedAt > 0 || known.isLoose || model.mayBeCovered(id))
}

/** Each acknowledged word is in its record or the history, and once. */
const checkWords = (scene: Scene, world: World, texts: ReadonlyMap<string, Text>): void => {
  const { model, name } = scene
  const wordsOf = (text: string): ReadonlyArray<string> => text.match(new RegExp(`w${name}x\\d+[a-d]?y`, "g")) ?? []
  const there = new Set([...texts.values()].flatMap(({ earlier, now }) => wordsOf(`${now}\n${earlier}`)))
  for (const word of model.words.values())
    if (word.isCertain && !there.has(word.word) && !mayBeGone(scene, world, word))
      model.fail("no acknowledged word is lost", `${word.word} of ${word.id ?? "an import"}`)
  /** Notes that are made from others. */
  const isCopy = (id: string): boolean => {
    const title = String(world.records.get(id)?.["title"])
    if (model.known.get(id)?.isCopy === true || id.startsWith("nt_copy-") || /\(copy|^Applied /.test(title)) return true
    return !model.known.has(id) && (title === "Comment" || model.replicaTitles.has(title))
  }
  const births = new Map<string, string>()
  for (const [id, { now }] of texts) {
    const words = wordsOf(now)
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
  for (const [id, data] of records) texts.set(id, { now: textOf(data), earlier: "" })
  for (const id of [...trash.keys(), ...records.keys()].filter((each) => each.startsWith("nt_"))) {
    if (trash.has(id)) await scene.need("POST", `/notes/${id}/restore`, {})
    const list = await scene.list(`/notes/${id}/versions`)
    isOwn(scene, list, "a history")
    for (const { body, note_id, notebook_id, title, version } of list)
      scene.model.saw(note_id, version, { title, body, notebook_id }, "the history")
    take(id, new Map(list.map((each) => [each.version, each])))
    texts.set(id, { now: textOf(list[0] ?? {}), earlier: list.map(textOf).join("\n") })
  }
  return texts
}

/** The log has each change, in order and without a hole, and pollers have received it. */
const checkEvents = async (scene: Scene, { records, refused }: World, newest: ReadonlyMap<string, number>) => {
  const { model } = scene
  await poll(scene)
  const polled = scene.polled.splice(0)
  scene.pollCursor = ""
  await poll(scene)
  const events: ReadonlyArray<any> = scene.polled.splice(0)
  isOwn(scene, events, "the events")
  events.forEach(({ id }, index) => {
    if (polled[index]?.id !== id)
      model.fail("a poller receives each event in order", `${polled[index]?.id} instead of ${id}`)
    if (seqOfEvent(id) !== index + 1 && !model.isRestored) model.fail("the log has no hole", `${id} at ${index + 1}`)
  })
  const byRecord = Map.groupBy(events, ({ resource_id }) => resource_id as string)
  const expect = (id: string, what: RegExp, isRight: (count: number) => boolean) => {
    const types: ReadonlyArray<string> = (byRecord.get(id) ?? []).map(({ type }) => type)
    if (!isRight(types.filter((type) => what.test(type)).length))
      model.fail("each change has its event", `${id}, ${what.source}: ${types.join()}`)
  }
  for (const { id, isLoose, isReplicas, life, type } of model.known.values()) {
    if (isLoose || refused.has(id) || (isReplicas && !records.has(id) && model.mayBeCovered(id))) continue
    expect(id, new RegExp(`^${type}\\.created$`), (count) => count > 0)
    // A comment with replies is only emptied.
    if (life === "gone" && records.get(id)?.["deleted"] !== true)
      expect(id, /deleted|purged|merged/, (count) => count > 0)
  }
  for (const [id, version] of model.isRestored ? [] : newest)
    expect(id, /^note\.(created|updated|archived|restored|deleted)$/, (count) => count === version)
  return events
}

/** Milliseconds for deliveries, and for the first of them, after which one that waits for a later time is asked for. */
const deliveryTime = 60_000
const firstTime = 2_000

/** Each event after the webhook was made is delivered. */
const checkDeliveries = async (scene: Scene, events: ReadonlyArray<any>): Promise<void> => {
  const first = events.findIndex(({ resource_id, type }) => type === "webhook.created" && resource_id === scene.webhook)
  const missing = () => events.slice(first + 1).filter(({ id }) => !scene.received.has(id))
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
    isLost = isSent && !scene.received.has(first.id)
  }
  for (const { id, type } of missing()) scene.model.fail("each event is delivered", `${id} ${type}`)
}

/** Runs all checks. What they find is in `failures` of the model. */
export const check = async (scene: Scene): Promise<void> => {
  const { model } = scene
  const world = await readWorld(scene)
  for (const [id, data] of world.trash) model.contained(id, data)
  for (const known of model.known.values()) if (!world.refused.has(known.id)) checkRecord(scene, world, known)
  await checkCounts(scene, world)
  for (const [id, { sha256, status }] of world.records) {
    if (world.types.get(id) !== "attachment" || status !== "ready") continue
    const bytes = await bytesOf(scene, id)
    if (bytes === undefined || hashOf(bytes) !== sha256) model.fail("bytes match their hash", id)
  }
  const newest = new Map<string, number>()
  const texts = await readTexts(scene, world, (id, versions) => {
    if (model.known.get(id)?.wasPurged === true) return
    newest.set(id, Math.max(...versions.keys()))
    checkVersions(scene, id, versions)
  })
  checkWords(scene, world, texts)
  await checkDeliveries(scene, await checkEvents(scene, world, newest))
}
