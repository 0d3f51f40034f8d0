import { expect } from "vitest"
import { expectTruth } from "../people/Truth.ts"
import { contentOf, contentsOf, type FollowedWorkspace, type State, textOf } from "./FollowedWorkspace.ts"
import { assistantSet, type RandomChanges } from "./RandomChanges.ts"
import { type Reverted, reverting } from "./Reverting.ts"

/** What must hold for the revert of a change set (contract 9, Change sets). */

const isLive = (state: State, id: unknown): boolean => state.get(id as string)?.data != null

const nameKey = (name: string): string => name.toLowerCase()

/** Whether the workspace does not allow a record to be as it was. */
const isImpossible = (present: State, after: State, id: string, wanted: any): boolean => {
  const all = [...after.values()].filter(({ data }) => data !== null)
  const { type } = after.get(id)!
  const now = contentOf(after, id)
  switch (type) {
    case "note":
      return !isLive(after, wanted?.notebook_id)
    case "notebook":
      return (
        (wanted !== null && wanted.parent_id !== null && !isLive(after, wanted.parent_id)) ||
        all.some((other) => other.data.notebook_id === id || other.data.parent_id === id)
      )
    case "tag":
      // Tags come back before those go that the set has made: one of these may hold the name at that moment.
      return (
        (wanted !== null &&
          [...all, ...present.values()].some(
            (tag) =>
              tag.data !== null &&
              tag.type === "tag" &&
              tag.id !== id &&
              nameKey(tag.data.name) === nameKey(wanted.name)
          )) ||
        all.some((note) => note.type === "note" && note.data.tags.includes(now?.name))
      )
    case "comment":
      // A first comment that has replies stays without its text.
      return wanted === null
        ? isLive(after, now.note_id)
        : !isLive(after, wanted.note_id) || (wanted.parent_id !== null && !isLive(after, wanted.parent_id))
    case "reminder":
      return wanted === null || !isLive(after, wanted.note_id)
    default:
      return false
  }
}

/** The states of a record before the first change of the set, by its id, and the records that others have changed since. */
const changedBy = ({ seen }: FollowedWorkspace, actor: string) => {
  const before = new Map<string, State>()
  const touched = new Set<string>()
  for (const each of seen) {
    if (each.actor === actor) {
      if (!before.has(each.id)) before.set(each.id, new Map(each.before === undefined ? [] : [[each.id, each.before]]))
    } else if (before.has(each.id)) touched.add(each.id)
  }
  return { before, touched }
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[a-z]+\d+x/g) ?? []

/** The words in records, and those in notes of the trash. */
const placesOf = (state: State) => {
  const [live, trash] = [new Map<string, string>(), new Map<string, string>()]
  for (const { data, id, last, type } of state.values()) {
    for (const word of wordsOf(textOf(data))) live.set(word, id)
    if (data === null && type === "note") for (const word of wordsOf(textOf(last))) trash.set(word, id)
  }
  return { live, trash }
}

export interface Laws {
  readonly preview: Reverted
  readonly result: Reverted
}

const without = (records: Reverted["records"]) =>
  Object.fromEntries(
    Object.entries(records).map(([id, [outcome, ...rest]]) => [
      id,
      [outcome === "kept" ? "kept" : "changed", ...rest].join(" ")
    ])
  )

/** The preview says what happens. */
export const expectForeseen = ({ preview, result }: Laws): void => {
  // A preview does not foresee that a notebook would be inside itself, or too deep.
  const [foreseen, happened] = [without(preview.records), without(result.records)]
  for (const [id, outcome] of Object.entries(happened))
    if (id.startsWith("nb_") && outcome.startsWith("kept refused")) foreseen[id] = outcome
  expect(happened, "the outcomes of the preview").toEqual(foreseen)
}

/** Previews and reverts the set of the assistant, and its revert, and checks all laws. */
export const checkLaws = async (workspace: FollowedWorkspace, changes: RandomChanges): Promise<Laws | undefined> => {
  const { app, team } = workspace
  const revert = reverting(workspace.given)
  if ((await workspace.call("GET", `/change-sets/${assistantSet}`)).status === 404) return undefined
  const { before, touched } = changedBy(workspace, "assistant")
  const present = workspace.state
  const preview = await revert(assistantSet, { preview: true })
  const result = await revert(assistantSet)
  await workspace.pull("revert")
  const after = workspace.state

  expectForeseen({ preview, result })

  // A record without later changes of others is as it was.
  const returned = new Set<string>()
  for (const id of before.keys()) {
    if (touched.has(id)) continue
    const was = changes.before.get(id)!
    const wanted = contentOf(was, id)
    const now = contentOf(after, id)
    if (wanted === null && now === null) returned.add(id)
    // Others have deleted or merged a tag.
    const isTagGone = contentOf(was, id, true)?.tags?.some((tag: string) => !isLive(after, tag)) === true
    if (isTagGone && now !== null) now.tags = wanted.tags
    const isEqual =
      JSON.stringify(now) === JSON.stringify(wanted) ||
      JSON.stringify(contentOf(after, id, true)) === JSON.stringify(contentOf(was, id, true))
    if (!isEqual && !isImpossible(present, after, id, wanted))
      expect({ id, now, outcome: result.records[id] }, "a record that only the set has changed").toEqual({
        id,
        now: wanted
      })
  }
  // A record that the set has not changed stays.
  for (const id of present.keys()) {
    if (before.has(id)) continue
    const [was, now] = [present, after].map((state) => contentOf(state, id, true))
    if (JSON.stringify(contentOf(present, id)) !== JSON.stringify(contentOf(after, id)))
      expect({ id, now }, "a record that the set has not changed").toEqual({ id, now: was })
  }

  // No word of others is lost.
  const [old, next] = [placesOf(present), placesOf(after)]
  for (const [word, actor] of changes.words) {
    if (actor === "assistant" || next.live.has(word)) continue
    const id = old.live.get(word)
    // It is in the trash again with its note.
    if (id !== undefined && returned.has(present.get(id)?.data?.note_id)) continue
    if (id !== undefined && !returned.has(id) && !(next.trash.has(word) && returned.has(next.trash.get(word)!)))
      expect.fail(
        `The revert has lost ${word} of ${id}: ${JSON.stringify(present.get(id)!.data)} became ${JSON.stringify(after.get(id))}, ${JSON.stringify(result.records[id])}`
      )
    if (old.trash.has(word)) expect(next.trash.has(word), `${word} in the trash`).toBe(true)
  }
  await expectTruth(app, team.id)

  // The revert of the revert.
  if (
    result.reverted_by !== null &&
    (await workspace.call("GET", `/change-sets/${result.reverted_by}`)).status === 200
  ) {
    const again = await revert(result.reverted_by)
    await workspace.pull("again")
    // A tag keeps its name while another tag, which goes later, still has the other name.
    // A reply does not come back without the first comment, which was removed with its last reply.
    const isLost = (id: string) => id.startsWith("cm_") && again.records[id]?.[1] === "refused"
    const isRefused = Object.entries(again.records).some(([id, [, why]]) => id.startsWith("tg_") && why === "refused")
    const comparable = (state: State) =>
      Object.fromEntries(
        Object.entries(contentsOf(state)).flatMap(([id, { tags, ...rest }]) =>
          isLost(id) || (isRefused && id.startsWith("tg_")) ? [] : [[id, isRefused ? rest : { ...rest, tags }]]
        )
      )
    expect(comparable(workspace.state), "the revert of the revert").toEqual(comparable(present))
    await expectTruth(app, team.id)
  }
  expect(contentsOf(await workspace.received()), "what a new device receives").toEqual(contentsOf(workspace.state))
  return { preview, result }
}
