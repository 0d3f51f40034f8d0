import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newId } from "../../src/clients/sync/Edit.ts"
import { offline, type SyncDevice, SyncDevices } from "../support/devices/SyncDevices.ts"

let at: SyncDevices
beforeAll(async () => {
  at = await SyncDevices.start()
})
afterAll(() => at[Symbol.asyncDispose]())

const synced = async (...devices: ReadonlyArray<SyncDevice>) => {
  for (const { engine } of devices) await engine.sync()
}
const expectDone = ({ engine }: SyncDevice) => expect([engine.state.waiting, engine.refused]).toEqual([0, []])

describe("words typed offline", () => {
  it("create a note again that was purged meanwhile", async () => {
    const { id, one, other } = await at.shared({ tags: ["kept"] })
    await at.client.deleteNote({ id, permanent: true })
    await other.engine.edit("note", id, { body: "First. Typed." })
    await synced(other, one)
    for (const { engine } of [one, other])
      expect(engine.get(id)).toMatchObject({ title: "Shared", body: "First. Typed.", tags: ["kept"] })
  })

  it.each([
    ["note", "knows", true],
    ["note", "does not know", false],
    ["notebook", "knows", true],
    ["notebook", "does not know", false]
  ] as const)("restore a note whose %s was deleted, with changes that the device %s", async (deleted, _, isPulled) => {
    const { id, notebook, one, other } = await at.shared()
    await other.engine.edit("note", id, { title: "Renamed", body: "First. Other." })
    await other.engine.sync()
    await other.engine.remove(deleted, deleted === "note" ? id : notebook)
    await other.engine.sync()
    if (isPulled) await one.engine.sync()
    await one.engine.edit("note", id, { pinned: true })
    await one.engine.create("tag", { name: `between-${id.slice(-8)}` })
    await one.engine.edit("note", id, { body: "One. First." })
    await synced(one, other)
    for (const { engine } of [one, other])
      expect(engine.get(id)).toMatchObject({ title: "Renamed", body: "One. First. Other.", pinned: true })
    expectDone(one)
  })

  it.each([
    ["template", { body: "More" }],
    ["notebook", { color: "#123456" }]
  ])("and pushed without a response return with a %s that was deleted meanwhile", async (type, more) => {
    const [one, other] = [await at.device(), await at.device()]
    await one.engine.sync()
    const id = await one.engine.create(type, { name: "Typed" })
    await one.syncWithLostResponse()
    await other.engine.sync()
    await other.engine.remove(type, id)
    await synced(other, one)
    await one.engine.edit(type, id, more)
    await one.engine.sync()
    expect(one.engine.get(id)).toMatchObject({ name: "Typed", ...more })
    expectDone(one)
  })

  it("and pushed with a duplicate are shown before the next pull", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "Typed." })
    await one.syncWithLostResponse()
    one.network = async (url, send) => (url.endsWith("/sync/pull") ? offline() : send())
    await expect(one.engine.sync()).rejects.toThrow("No response")
    expect(one.engine.get(id)).toMatchObject({ title: "Shared", body: "Typed.", version: 2 })
  })

  it("return when their record is deleted and restored before a sync", async () => {
    const { id, notebook, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    const note = await one.engine.create("note", { notebook_id: notebook, title: "New" })
    const folder = await one.engine.create("notebook", { name: "New folder" })
    for (const [type, each] of [
      ["note", id],
      ["note", note],
      ["notebook", folder]
    ] as const) {
      await one.engine.remove(type, each)
      await one.engine.restore(type, each)
    }
    await one.engine.sync()
    expectDone(one)
    expect(await at.client.getNote({ id })).toMatchObject({ title: "Shared", body: "First. Typed." })
    expect(await at.client.getNote({ id: note })).toMatchObject({ title: "New" })
    expect(one.engine.get(folder)).toMatchObject({ name: "New folder" })
  })

  it("are in the trash when their note was deleted before a sync", async () => {
    const { id, notebook, one, other } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    const created = await one.engine.create("note", { notebook_id: notebook, title: "Short-lived" })
    for (const each of [id, created]) await one.engine.remove("note", each)
    await synced(one, other)
    expectDone(one)
    expect([id, created].map((each) => other.engine.get(each))).toEqual([undefined, undefined])
    expect(await at.client.restoreNote({ id })).toMatchObject({ body: "First. Typed." })
    expect(await at.client.restoreNote({ id: created })).toMatchObject({ title: "Short-lived" })
  })

  it("are dropped if they are invalid and their record was deleted before a sync", async () => {
    const { id, notebook, one, other } = await at.shared()
    const created = await one.engine.create("note", { notebook_id: notebook, title: "" })
    await one.engine.edit("note", id, { title: "" })
    for (const each of [created, id]) await one.engine.remove("note", each)
    await synced(one, other)
    expectDone(one)
    expect([one, other].map(({ engine }) => engine.get(id))).toEqual([undefined, undefined])
  })

  it("in a template are merged with its new name", async () => {
    const [one, other] = [await at.device(), await at.device()]
    const id = await one.engine.create("template", { name: "Meeting", body: "" })
    await synced(one, other)
    await one.engine.edit("template", id, { name: "Weekly meeting", body: "Who?" })
    await other.engine.edit("template", id, { body: "When?" })
    await synced(one, other, one)
    for (const { engine } of [one, other])
      expect(engine.get(id)).toMatchObject({ name: "Weekly meeting", body: "Who?\nWhen?" })
  })

  it("after a push that did not arrive are merged with those of the other device", async () => {
    const { id, one, other } = await at.shared()
    await other.engine.edit("note", id, { body: "Other. First." })
    await other.engine.sync()
    await one.engine.edit("note", id, { body: "First. One." })
    one.network = offline
    await expect(one.engine.sync()).rejects.toThrow("No response")
    one.network = undefined
    await one.engine.edit("note", id, { body: "First. One. Two." })
    await synced(one, other)
    for (const { engine } of [one, other]) expect(engine.get(id)).toMatchObject({ body: "Other. First. One. Two." })
  })

  it("do not replace a change of another device that is partly equal", async () => {
    const { id, one, other } = await at.shared()
    await other.engine.edit("note", id, { title: "Same", body: "Other. First." })
    await other.engine.sync()
    await one.engine.edit("note", id, { title: "Same" })
    await one.engine.create("tag", { name: `half-${id.slice(-8)}` })
    await one.engine.edit("note", id, { body: "First. One." })
    await synced(one, other)
    for (const { engine } of [one, other]) expect(engine.get(id)).toMatchObject({ body: "Other. First. One." })
  })

  it("are merged again when another client is faster a second time", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "One." })
    await at.client.updateNote({ id, body: "Two." })
    one.network = async (url, send) => {
      const response = await send()
      if (url.endsWith("/sync/push")) {
        one.network = undefined
        await at.client.updateNote({ id, body: "Three." })
      }
      return response
    }
    await one.engine.sync()
    expect(await at.client.getNote({ id })).toMatchObject({ body: "Three.\nOne.", version: 4 })
  })
})

describe("records without a container", () => {
  it("of a deleted notebook move to one notebook, which is made if none is left", async () => {
    await using empty = await SyncDevices.start()
    const { notebook, one, other } = await empty.shared()
    await one.engine.sync()
    for (const { id } of one.engine.all("notebook")) await one.engine.remove("notebook", String(id))
    await one.engine.sync()
    const notes = []
    for (const title of ["Typed", "Typed too"])
      notes.push(await other.engine.create("note", { notebook_id: notebook, title }))
    const comment = await other.engine.create("comment", { note_id: notes[0]!, body: "Commented" })
    await synced(other, one)
    expectDone(other)
    for (const { engine } of [one, other]) {
      const [made, ...more] = engine.all("notebook")
      expect([made?.["name"], more]).toEqual(["Conflicts", []])
      expect(notes.map((id) => engine.get(id)?.["notebook_id"])).toEqual([made?.["id"], made?.["id"]])
      expect(engine.get(comment)).toMatchObject({ note_id: notes[0], body: "Commented" })
    }
  })

  it("of a purged note: a comment becomes a note, a reminder and a file are refused", async () => {
    const { id, other } = await at.shared()
    await at.client.deleteNote({ id, permanent: true })
    await other.engine.create("comment", { note_id: id, body: `About ${id}` })
    const reminder = await other.engine.create("reminder", { note_id: id, remind_at: "2030-01-01T00:00:00Z" })
    const file = await other.engine.create("attachment", { note_id: id, filename: "a.txt" })
    await other.engine.sync()
    expect(other.engine.all("note").filter(({ body }) => body === `About ${id}`)).toMatchObject([{ title: "Comment" }])
    expect(other.engine.refused.map(({ edit, problem }) => [edit.id, problem.code])).toEqual([
      [reminder, "unresolved_reference"],
      [file, "unresolved_reference"]
    ])
  })
})

describe("a deletion", () => {
  it("is repeated when only other members have changed", async () => {
    const { id, one, other } = await at.shared()
    await one.engine.edit("note", id, { pinned: true })
    await other.engine.remove("note", id)
    await synced(one, other, one)
    expect([one, other].map(({ engine }) => engine.get(id))).toEqual([undefined, undefined])
  })

  it("of a record that is gone needs no response but its own", async () => {
    const { id, one, other } = await at.shared()
    for (const { engine } of [one, other]) await engine.remove("note", id)
    await synced(one, other)
    expectDone(other)
    const removed = newId("nt_")
    await one.engine.edit("note", removed, { title: "" })
    await one.engine.remove("note", removed)
    await one.engine.sync()
    expectDone(one)
  })

  it("of a notebook is undone with all its data", async () => {
    const device = await at.device()
    const id = await device.engine.create("notebook", { name: "Folder" })
    await device.engine.sync()
    await device.engine.remove("notebook", id)
    await device.engine.sync()
    await device.engine.edit("notebook", id, { color: "#123456" })
    await device.engine.sync()
    expect(device.engine.get(id)).toMatchObject({ name: "Folder", color: "#123456" })
  })
})
