import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemActor } from "../../../services/writer/Actor.ts"
import { Writer } from "../../../services/writer/Writer.ts"
import { planDefaults } from "../../../services/workspaces/Plans.ts"
import { workspaces } from "../../../services/workspaces/WorkspaceTables.ts"
import { parse } from "../../support/PrometheusText.ts"
import type { Refusal } from "../../support/Scenario.ts"
import { rounds } from "../../support/Slow.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const limit = 5
const policies = {
  signUp: "open",
  planChanges: "owner",
  ownedWorkspaces: 0,
  limits: {
    ...planDefaults,
    free: { ...planDefaults.free, notes: 2 },
    plus: { ...planDefaults.plus, notes: 0 },
    team: { ...planDefaults.team, notes: limit }
  }
} as const

const { act, app, given, refuse } = useApp({ settings: { policies } })
let other: TestApp
let inbox: string

beforeAll(async () => {
  other = await startApp({ settings: { policies }, databaseOf: app })
  inbox = (await given("GET", "/notebooks")).data[0].id
})
afterAll(async () => {
  await other.stop()
})

const full: Refusal = { status: 403, code: "quota_exceeded" }

const notesOf = async (): Promise<number> =>
  (
    await app.sql("SELECT count(*)::int AS notes FROM notes WHERE workspace_id = $1 AND deleted_at IS NULL", [
      app.workspace_id
    ])
  )[0].notes

const create = (title = "one") => given("POST", "/notes", { notebook_id: inbox, title })
const trash = (id: string) => given("DELETE", `/notes/${id}`)

/** Purges all notes, then creates this number of notes. Returns their ids. */
const begin = async (notes: number): Promise<ReadonlyArray<string>> => {
  for (const { id } of await app.sql("SELECT id FROM notes WHERE workspace_id = $1", [app.workspace_id])) {
    await given("DELETE", `/notes/${id}?permanent=true`)
  }
  const ids: Array<string> = []
  while (ids.length < notes) ids.push((await create()).id)
  return ids
}

const setPlan = (plan: "free" | "plus" | "team") =>
  app.run(
    Effect.gen(function* () {
      yield* (yield* Writer).writeLocked(app.workspace_id, { actor: systemActor }, (draft) =>
        Effect.map(draft.get(workspaces), (row) => {
          draft.put(workspaces, { ...row!, plan })
          draft.append({ type: "workspace.updated", resource: "workspace", resource_id: app.workspace_id })
        })
      )
    })
  )

describe("workspace at its limit of notes", () => {
  it("rejects another note, and returns limit and usage", async () => {
    await begin(limit)
    const { body } = await refuse(full, "POST", "/notes", { notebook_id: inbox, title: "too many" })
    expect(body).toMatchObject({ quota: "notes", limit, used: limit })
    expect(await notesOf()).toBe(limit)
  })

  it("rejects a copy and a restore, and stores nothing", async () => {
    const [, , , gone] = await begin(limit)
    await trash(gone!)
    const last = await create("in its place")
    await refuse(full, "POST", `/notes/${last.id}/duplicate`)
    await refuse(full, "POST", `/notes/${gone}/restore`)
    await refuse({ status: 404, code: "not_found" }, "POST", "/notes/nt_none/duplicate")
    await expectTruth(app)
  })

  it("still allows reading, editing, archiving, deleting, and restoring archived notes", async () => {
    const [id] = await begin(limit)
    for (const [method, path, body] of [
      ["GET", `/notes/${id}`],
      ["PATCH", `/notes/${id}`, { title: "edited", body: "longer than before" }],
      ["POST", `/notes/${id}/archive`],
      ["POST", `/notes/${id}/restore`],
      ["POST", `/notes/${id}/versions/1/restore`],
      ["POST", "/notebooks", { name: "another notebook" }],
      ["DELETE", `/notes/${id}`]
    ] as const)
      await given(method, path, body)
    await create("where one has left")
    await refuse(full, "POST", "/notes", { notebook_id: inbox, title: "too many" })
  })

  it("has room again after a notebook is deleted with its notes", async () => {
    await begin(limit - 2)
    const { id } = await given("POST", "/notebooks", { name: "With notes" })
    for (const title of ["a", "b"]) await given("POST", "/notes", { notebook_id: id, title })
    await refuse(full, "POST", "/notes", { notebook_id: inbox, title: "too many" })
    await given("DELETE", `/notebooks/${id}`)
    await create("a")
    await create("b")
    await refuse(full, "POST", "/notes", { notebook_id: inbox, title: "too many" })
  })

  it("rejects pushed notes one by one, and applies the other entries", async () => {
    const [first, second] = await begin(limit)
    const { version } = await given("GET", `/notes/${second}`)
    const upsert = (mutation_id: string, title: string) => ({
      type: "note",
      op: "upsert",
      mutation_id,
      data: { notebook_id: inbox, title }
    })
    const changes = [
      upsert("m-1", "too many"),
      { type: "note", op: "upsert", id: second, revision: version, data: { title: "edited" } },
      { type: "note", op: "delete", id: first, revision: 1 },
      upsert("m-2", "takes the place of the first"),
      upsert("m-3", "too many again"),
      { type: "note", op: "upsert", id: first, revision: 2, data: { title: "not back from the trash" } },
      { type: "notebook", op: "upsert", data: { name: "a notebook" } }
    ]
    const { body, changes: appended } = await act("POST", "/sync/push", { changes })
    expect(body.results.map((each: any) => each.status)).toEqual([
      "rejected",
      "applied",
      "applied",
      "applied",
      "rejected",
      "rejected",
      "applied"
    ])
    for (const index of [0, 4, 5]) {
      expect(body.results[index].error).toMatchObject({
        status: 403,
        code: "quota_exceeded",
        quota: "notes",
        limit,
        used: limit
      })
    }
    expect(appended.map(([type]) => type)).toEqual(["note.updated", "note.deleted", "note.created", "notebook.created"])
    expect(await notesOf()).toBe(limit)
    // A rejected entry is not stored as seen, so it succeeds once there is room.
    await trash(second!)
    const again = (await given("POST", "/sync/push", { changes: changes.slice(0, 1) })).results
    expect(again).toMatchObject([{ mutation_id: "m-1", status: "applied" }])
    await expectTruth(app)
  })

  it("returns the stored response for an Idempotency-Key, and does not store a refusal", async () => {
    await begin(limit - 1)
    const note = { notebook_id: inbox, title: "by a key" }
    const made = await app.call("POST", "/notes", note, { "idempotency-key": "fits" })
    const again = await app.call("POST", "/notes", note, { "idempotency-key": "fits" })
    expect([again.status, again.headers.get("idempotent-replayed"), again.body]).toEqual([201, "true", made.body])
    await refuse(full, "POST", "/notes", note, { "idempotency-key": "does-not" })
    await trash(made.body.id)
    expect((await app.call("POST", "/notes", note, { "idempotency-key": "does-not" })).status).toBe(201)
  })
})

describe("change of plan", () => {
  it("applies to the next write on each node; a lower limit keeps existing notes", async () => {
    const [first] = await begin(limit)
    await setPlan("free")
    for (const node of [app, other]) {
      expect((await node.call("POST", "/notes", { notebook_id: inbox, title: "over" })).body).toMatchObject({
        code: "quota_exceeded",
        limit: 2,
        used: limit
      })
    }
    await given("PATCH", `/notes/${first}`, { title: "edited over the quota" })
    await setPlan("plus")
    for (const node of [other, app]) {
      for (let more = 0; more < 3; more++) {
        expect((await node.call("POST", "/notes", { notebook_id: inbox, title: "unlimited" })).status).toBe(201)
      }
    }
    await setPlan("team")
    await refuse(full, "POST", "/notes", { notebook_id: inbox, title: "too many" })
    expect(await notesOf()).toBe(limit + 6)
  })
})

describe("concurrent writes on two nodes", () => {
  it("reach the limit but do not exceed it", async () => {
    for (const free of [limit, 3, 1, 0]) {
      await begin(limit - free)
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) =>
          (index % 2 === 0 ? app : other).call("POST", "/notes", { notebook_id: inbox, title: `racer ${index}` })
        )
      )
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(free)
      for (const { body, status } of answers) {
        if (status !== 201) expect(body).toMatchObject({ code: "quota_exceeded", limit, used: limit })
      }
      expect(await notesOf()).toBe(limit)
    }
  })

  it("never exceed it with any mix of operations, and are rejected for no other reason", async () => {
    const ways = fc.constantFrom("create", "duplicate", "restore", "push", "trash")
    const step = fc.record({ way: ways, pick: fc.nat(20), node: fc.nat(1) })
    const waves = fc.array(fc.array(step, { minLength: 2, maxLength: 12 }), { minLength: 2, maxLength: 6 })
    let refused = 0
    await fc.assert(
      fc.asyncProperty(waves, async (all) => {
        const ids = [...(await begin(limit - 1))]
        for (const wave of all) {
          const answers = await Promise.all(
            wave.map(async ({ node, pick, way }) => {
              const at = node === 0 ? app : other
              const id = ids[pick % ids.length]!
              if (way === "trash") return at.call("DELETE", `/notes/${id}`)
              if (way === "create") return at.call("POST", "/notes", { notebook_id: inbox, title: "made" })
              if (way !== "push") return at.call("POST", `/notes/${id}/${way}`)
              const change = { type: "note", op: "upsert", data: { notebook_id: inbox, title: "pushed" } }
              const { body } = await at.call("POST", "/sync/push", { changes: [change] })
              const [{ error, id: made, status }] = body.results
              return status === "applied" ? { status: 201, body: { id: made } } : { status: error.status, body: error }
            })
          )
          for (const { body, status } of answers) {
            if (status === 403) refused++
            expect(["quota_exceeded", 200, 201, 404]).toContain(status === 403 ? body.code : status)
            if (status < 300 && !ids.includes(body.id)) ids.push(body.id)
          }
          expect(await notesOf()).toBeLessThanOrEqual(limit)
        }
        await expectTruth(app)
      }),
      { numRuns: rounds(4, 12), endOnFailure: true }
    )
    expect(refused).toBeGreaterThan(0)
  })
})

describe("refusals by a quota", () => {
  it("are counted in the metrics by quota", async () => {
    await begin(limit)
    const counted = async () => {
      const families = parse(await (await fetch(`${new URL(app.url).origin}/metrics`)).text())
      const samples = families.get("sheaf_quota_refusals_total")?.samples ?? []
      return samples.find(({ labels }) => labels["quota"] === "notes")?.value ?? 0
    }
    const before = await counted()
    await refuse(full, "POST", "/notes", { notebook_id: inbox, title: "too many" })
    expect(await counted()).toBe(before + 1)
  })
})
