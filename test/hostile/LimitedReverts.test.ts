import fc from "fast-check"
import { expect, it } from "vitest"
import { contentOf, FollowedWorkspace, type State } from "../support/changesets/FollowedWorkspace.ts"
import { assistantSet, RandomChanges, type Step, stepOf } from "../support/changesets/RandomChanges.ts"
import { expectForeseen } from "../support/changesets/RevertLaws.ts"
import { reverting } from "../support/changesets/Reverting.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { isSlow, rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

/** `SEED` and `RUNS` run a failure again, or more seeds. The fast form always has the same steps. */
const seed = process.env["SEED"] ?? (isSlow ? undefined : "1")

const ofAssistant = stepOf(
  { assistant: 1 },
  {
    createNote: 3,
    editText: 5,
    setTags: 2,
    moveNote: 3,
    trashNote: 2,
    createNotebook: 3,
    renameNotebook: 2,
    moveNotebook: 3,
    createComment: 3,
    reply: 1,
    editComment: 2,
    deleteComment: 2,
    createReminder: 2
  }
)
/** Records leave the notebooks, and come into them. */
const ofPerson = stepOf(
  { person: 1 },
  {
    createNote: 1,
    editText: 2,
    moveNote: 5,
    trashNote: 1,
    restoreNote: 1,
    moveNotebook: 2,
    deleteNotebook: 1,
    createNotebook: 1,
    deleteComment: 1
  }
)

interface Grant {
  readonly id: string
  readonly access: "read" | "write"
  readonly include_subnotebooks: boolean
}

/** A workspace with notebooks that an assistant writes with those below them, writes alone, reads, and does not reach. */
const start = async () => {
  const workspace = await FollowedWorkspace.start(app)
  const notebook = async (name: string, parent_id: string | null = null): Promise<string> =>
    (await workspace.given("POST", "/notebooks", { name, parent_id })).id
  const [tree, alone, closed] = [await notebook("tree"), await notebook("alone"), await notebook("closed")]
  const below = await notebook("below", tree)
  const places = [tree, below, await notebook("deeper", below), alone, await notebook("hidden", alone), closed]
  for (const notebook_id of [...places, ...places]) {
    const note = await workspace.given("POST", "/notes", { notebook_id, title: "n", body: "a\n\nb\n", tags: ["red"] })
    await workspace.given("POST", `/notes/${note.id}/comments`, { body: "c" })
  }
  const notebooks: ReadonlyArray<Grant> = [
    { id: tree, access: "write", include_subnotebooks: true },
    { id: alone, access: "write", include_subnotebooks: false },
    { id: closed, access: "read", include_subnotebooks: false }
  ]
  const { secret } = await workspace.given("POST", "/api-keys", { name: "limited", notebooks })
  await workspace.pull("server")
  return { workspace, notebooks, headers: { authorization: `Bearer ${secret}` } }
}

/** Whether the assistant may write to a record. */
const isWritable = (state: State, notebooks: ReadonlyArray<Grant>, id: string): boolean => {
  const { data, last, type } = state.get(id)!
  const held = data ?? last
  if (type === "tag" || type === "template") return false
  if (type !== "note" && type !== "notebook") return isWritable(state, notebooks, held.note_id)
  const around: Array<string> = []
  for (let at = type === "note" ? held.notebook_id : id; at != null;) {
    around.push(at)
    const notebook = state.get(at)
    at = (notebook?.data ?? notebook?.last)?.parent_id
  }
  return notebooks.some(
    ({ access, id, include_subnotebooks }) =>
      access === "write" && (around[0] === id || (include_subnotebooks && around.includes(id)))
  )
}

const check = async (steps: ReadonlyArray<Step>) => {
  const { headers, notebooks, workspace } = await start()
  const changes = new RandomChanges(workspace, headers)
  for (const step of steps) await changes.run(step)
  const asked = async (method: string, path: string, body?: unknown) => {
    const response = await workspace.call(method, path, body, headers)
    if (response.status >= 300) throw new Error(response.text)
    return response.body
  }
  if ((await workspace.call("GET", `/change-sets/${assistantSet}`, undefined, headers)).status === 404) return
  const revert = reverting(asked)
  const present = workspace.state
  const preview = await revert(assistantSet, { preview: true })
  const result = await revert(assistantSet)
  await workspace.pull("revert")
  try {
    expectForeseen({ preview, result })
    for (const id of Object.keys(result.records)) expect([id, isWritable(present, notebooks, id)]).toEqual([id, true])
    for (const id of present.keys()) {
      const [was, now] = [present, workspace.state].map((state) => contentOf(state, id, true))
      // A part goes to the trash with its note, or comes back with it.
      const of = was?.note_id ?? now?.note_id
      if (result.records[id] === undefined && result.records[of] === undefined)
        expect({ id, now }).toEqual({ id, now: was })
    }
    expect(
      workspace.seen.filter(({ actor, after }) => actor === "revert" && after.type === "tag" && after.data === null)
    ).toEqual([])
    if (result.reverted_by !== null) await revert(result.reverted_by)
    await expectTruth(app, workspace.team.id)
  } catch (error) {
    throw new Error([(error as Error).message, ...changes.log].join("\n"), { cause: error })
  }
}

it("a revert of a limited credential changes what that may write to, as its preview says", async () => {
  const steps = fc.array(fc.oneof(ofAssistant, ofPerson), { minLength: 20, maxLength: 50, size: "max" })
  await fc.assert(fc.asyncProperty(steps, check), {
    numRuns: Number(process.env["RUNS"] ?? rounds(8, 400)),
    endOnFailure: process.env["SHRINK"] !== "1",
    ...(seed === undefined ? {} : { seed: Number(seed) })
  })
})
