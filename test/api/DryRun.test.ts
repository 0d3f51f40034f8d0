import { describe, expect, it } from "vitest"
import { Team } from "../support/people/Team.ts"
import { openOperations, operations } from "../support/rights/Operations.ts"
import { invalid } from "../support/Scenario.ts"
import { tableHashes } from "../support/storage/tableHashes.ts"
import { useApp } from "../support/useApp.ts"

const { app, given, refuse } = useApp()

/** Operations that are no GET, and only read: they have no dry run to do. */
const reads = ["pullChanges", "searchNotes", "streamChanges"]

const dry = { prefer: "dry-run" }

/** A text without the ids, times and request ids, which differ each time. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/\b[a-z]{2,3}_[0-9A-Za-z_-]{10,}/g, "ID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/"cursor":"[^"]+"/g, "CURSOR")

describe("Prefer: dry-run", () => {
  it("gets the response of each write that has a dry run, changes nothing, and refuses all other writes", async () => {
    const team = await Team.start(app)
    const operator = await team.operator("session")
    const run: Array<string> = []
    for (const [id, { prepare, scopes }] of Object.entries(operations)) {
      if (reads.includes(id)) continue
      const caller = scopes.some((scope) => scope.startsWith("admin:")) ? operator : team.owner
      const { body, headers = caller.headers, method, path } = await prepare(team, caller, true)
      if (method === "GET") continue
      await app.idle()
      const before = await tableHashes(app)
      const foreseen = await app.call(method, path, body, { ...headers, ...dry })
      await app.idle()
      expect(await tableHashes(app), id).toEqual(before)
      if (foreseen.body?.code === "invalid_header") {
        expect([id, foreseen.status, foreseen.body.detail]).toEqual([id, 400, expect.stringContaining("no dry run")])
        continue
      }
      const real = await app.call(method, path, body, headers)
      expect([id, foreseen.status, withoutIds(foreseen.text)]).toEqual([id, real.status, withoutIds(real.text)])
      expect(foreseen.headers.get("preference-applied"), id).toBe("dry-run")
      run.push(id)
    }
    for (const [id, { prepare }] of Object.entries(openOperations)) {
      const { body, method, path } = await prepare(team)
      if (method === "GET") continue
      const { body: problem, status } = await app.call(method, path, body, { authorization: "", ...dry })
      expect([id, status, problem.code]).toEqual([id, 400, "invalid_header"])
    }
    for (const path of ["/mcp", "/oauth/register", "/files/uploads/x"]) {
      const response = await fetch(new URL(path, app.url), { method: "POST", headers: dry, body: "{}" })
      expect([path, response.status, ((await response.json()) as any).code]).toEqual([path, 400, "invalid_header"])
    }
    expect(run).toMatchInlineSnapshot(`
      [
        "createNotebook",
        "updateNotebook",
        "deleteNotebook",
        "moveNotebook",
        "restoreNotebook",
        "createTag",
        "updateTag",
        "deleteTag",
        "mergeTags",
        "createNote",
        "updateNote",
        "deleteNote",
        "editNote",
        "duplicateNote",
        "archiveNote",
        "restoreNote",
        "deleteNoteVersion",
        "restoreNoteVersion",
        "createTemplate",
        "updateTemplate",
        "deleteTemplate",
        "applyTemplate",
        "updateAttachment",
        "deleteAttachment",
        "createComment",
        "updateComment",
        "deleteComment",
        "createReminder",
        "updateReminder",
        "deleteReminder",
        "updateShare",
        "deleteShare",
        "updateWorkspace",
        "deleteWorkspace",
        "updateMember",
        "deleteMember",
        "deleteInvitation",
        "updateWebhook",
        "deleteWebhook",
        "pushChanges",
      ]
    `)
  })
  it("is the same request later: its key is unused, and earlier entries of a push count for later ones", async () => {
    const [inbox] = (await given("GET", "/notebooks")).data
    const headers = { "idempotency-key": "once", prefer: "handling=strict, dry-run" }
    const note = { notebook_id: inbox.id, title: "Planned" }
    const foreseen = await app.call("POST", "/notes", note, headers)
    expect([foreseen.status, foreseen.headers.get("preference-applied")]).toEqual([201, "handling=strict, dry-run"])
    expect((await app.call("GET", `/notes/${foreseen.body.id}`)).status).toBe(404)
    const made = await app.call("POST", "/notes", note, { "idempotency-key": "once" })
    expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null])

    const notebook = { type: "notebook", op: "upsert", id: "nb_dryrun0000000001", data: { name: "Planned" } }
    const inside = { type: "note", op: "upsert", data: { notebook_id: notebook.id, title: "Inside" } }
    const changes = [notebook, inside, { ...inside, data: { ...inside.data, notebook_id: "nb_dryrun0000000002" } }]
    const outcomes = async (headers: Record<string, string>) =>
      (await app.call("POST", "/sync/push", { changes }, headers)).body.results.map(({ error, status }: any) => [
        status,
        error?.code
      ])
    const expected = [
      ["applied", undefined],
      ["applied", undefined],
      ["rejected", "unresolved_reference"]
    ]
    expect(await outcomes(dry)).toEqual(expected)
    expect((await app.call("GET", `/notebooks/${notebook.id}`)).status).toBe(404)
    expect(await outcomes({})).toEqual(expected)
  })

  it("gets the problem of the write, and leaves the workspace to other writes", async () => {
    const [inbox] = (await given("GET", "/notebooks")).data
    const { id } = await given("POST", "/notes", { notebook_id: inbox.id, title: "Target" })
    await given("POST", "/tags", { name: "taken" })
    await refuse({ status: 412, code: "precondition_failed" }, "PATCH", `/notes/${id}`, { title: "x", version: 9 }, dry)
    await refuse({ status: 409, code: "already_exists" }, "POST", "/tags", { name: "Taken" }, dry)
    await refuse({ status: 404, code: "not_found" }, "DELETE", "/notes/nt_0000000000000000", undefined, dry)

    const rename = { title: "Renamed", links: "update" }
    await refuse(invalid("links", "invalid"), "PATCH", `/notes/${id}`, rename, dry)
    const renames = Array.from({ length: 5 }, () => app.call("PATCH", `/notes/${id}`, { title: "Renamed" }, dry))
    const writes = Array.from({ length: 5 }, (_, index) => given("POST", "/tags", { name: `meanwhile-${index}` }))
    for (const { body, status } of await Promise.all(renames)) expect([status, body.title]).toEqual([200, "Renamed"])
    await Promise.all(writes)
    await app.idle()
    expect(await given("GET", `/notes/${id}`)).toMatchObject({ title: "Target", version: 1 })
    expect((await given("GET", "/tags")).data).toHaveLength(6)
  })
})
