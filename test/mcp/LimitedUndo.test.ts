import { expect, it } from "vitest"
import { whileRevertsWait } from "../support/changesets/WaitingReverts.ts"
import { callTool } from "../support/mcp/McpWire.ts"
import { appOf, connectApp, refreshApp } from "../support/oauth/OAuthFlow.ts"
import { limitedKey } from "../support/reach/LimitedKey.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

type Headers = Readonly<Record<string, string>>

/** A workspace with an assistant that reaches some notebooks. */
const start = async () => {
  const made = await limitedKey(app)
  const { notebooks, team } = made
  const assistant = await connectApp(app, team.owner, { workspace_id: team.id, notebooks })
  const call = async (name: string, args: object = {}, headers: Headers = assistant.headers): Promise<any> =>
    (await callTool({ url: app.url, headers }, name, { ...args }))?.value
  return { ...made, assistant, call, read: (id: string) => made.given("GET", `/notes/${id}`) }
}

it("an assistant that reaches some notebooks takes its run of calls back", async () => {
  const { assistant, below, call, given, home, note, read, secret, team } = await start()
  const notes = [
    await note(home, "One", { body: "one\n" }),
    await note(home, "Two"),
    await note(below, "Three")
  ] as const
  const [one, two, three] = notes
  expect(await call("undo_my_changes")).toMatchObject({ code: "not_found" })
  await call("edit_note", { note_id: one, version: 1, append: "machine" })
  await call("move_note", { note_id: two, notebook_id: below })
  await call("trash_note", { note_id: three, version: 1 })
  const refreshed = appOf(assistant.client_id, (await refreshApp(app, assistant)).body)
  const again = (name: string, args: object = {}) => call(name, args, refreshed.headers)
  const made = (await again("create_note", { notebook_id: home, title: "Made", text: "machine" })).id
  const left = (await again("create_note", { notebook_id: home, title: "Left", text: "machine" })).id
  await again("edit_tags", { note_id: one, add: ["fresh"] })
  await given("PATCH", `/notes/${left}`, { notebook_id: secret })
  await given("PATCH", `/notes/${one}`, { body: `person\n\n${(await read(one)).body}` })
  const result = { status: "done", reverted: 3, merged: 1, kept: 0, stays: [`merged: note ${one} "One"`] }
  const preview = await again("undo_my_changes", { preview: true })
  expect(preview).toMatchObject({ ...result, reverted_by: null })
  const undone = await again("undo_my_changes")
  expect(undone).toMatchObject({ ...result, change_set: preview.change_set })
  expect(await read(one)).toMatchObject({ body: "person\n\none\n", tags: [] })
  expect([(await read(two)).notebook_id, (await read(three)).notebook_id]).toEqual([home, below])
  expect((await app.call("GET", `/notes/${made}`, undefined, team.owner.headers)).status).toBe(404)
  expect(await read(left)).toMatchObject({ title: "Left", version: 2 })
  expect(await again("undo_my_changes", { change_set: undone.reverted_by })).toMatchObject({ status: "done", kept: 0 })
  expect((await read(made)).body).toBe("machine")
})

it("an assistant cannot take back the changes of other credentials", async () => {
  const { call, headers, home, note, read, team } = await start()
  const one = await note(home, "One")
  const change_set = "cs_0123456789abcdefghij"
  const sent = { ...team.owner.headers, "change-set": change_set }
  expect((await app.call("PATCH", `/notes/${one}`, { body: "person" }, sent)).status).toBe(200)
  await call("edit_note", { note_id: one, version: 2, append: "key" }, headers)
  const sets = (await app.call("GET", "/change-sets", undefined, team.owner.headers)).body.data
  expect(sets).toHaveLength(2)
  for (const { id } of sets)
    expect(await call("undo_my_changes", { change_set: id })).toMatchObject({ code: "not_found" })
  expect(await call("undo_my_changes")).toMatchObject({ code: "not_found" })
  expect(
    await call("edit_note", { note_id: one, version: 3, append: "x" }, { ...headers, "change-set": change_set })
  ).toMatchObject({ code: "not_found" })
  expect((await read(one)).version).toBe(3)
})

it("the revert of an app that is disconnected fails", async () => {
  const { assistant, call, given, home, note, read, team } = await start()
  const one = await note(home, "One")
  await call("edit_note", { note_id: one, version: 1, append: "machine" })
  const [{ id: set }] = (await app.call("GET", "/change-sets", undefined, assistant.headers)).body.data
  let id = ""
  await whileRevertsWait(app, async () => {
    id = (await app.call("POST", `/change-sets/${set}/revert`, {}, assistant.headers)).body.id
    const connected = (await given("GET", "/me/connected-apps")).data
    await app.call("DELETE", `/me/connected-apps/${connected[0].id}`, undefined, team.owner.headers)
  })
  expect(await given("GET", `/reverts/${id}`)).toMatchObject({ status: "failed", reverted: 0 })
  expect((await read(one)).version).toBe(2)
})
