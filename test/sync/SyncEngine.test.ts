import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Schemas } from "../../src/clients/client/SheafClient.ts"
import type { RecordChange } from "../../src/clients/sync/LocalRecord.ts"
import { memoryStore, StoreError } from "../../src/clients/sync/SyncStore.ts"
import { offline, type SyncDevice, SyncDevices } from "../support/devices/SyncDevices.ts"

let at: SyncDevices
beforeAll(async () => {
  at = await SyncDevices.start()
})
afterAll(() => at[Symbol.asyncDispose]())

const pushes = ({ exchanges }: SyncDevice) => exchanges.filter(({ path }) => path === "/sync/push")
const results = (device: SyncDevice) =>
  pushes(device).map(({ received }) => received.results.map(({ revision, status }: any) => [status, revision]))
const notesTitled = ({ engine }: SyncDevice, title: string) =>
  engine.all("note").filter((note) => note["title"] === title)

describe("edits", () => {
  it("are shown at once, and consecutive ones of a record are pushed as one", async () => {
    const device = await at.device()
    const notebook = await device.engine.create("notebook", { name: "Offline" })
    const id = await device.engine.create("note", { notebook_id: notebook, title: "Draft" })
    for (const body of ["a", "ab", "abc"]) await device.engine.edit("note", id, { body })
    expect(device.engine.get(id)).toEqual({
      id,
      notebook_id: notebook,
      title: "Draft",
      body: "abc",
      created_at: expect.any(String)
    })
    expect(device.engine.state).toEqual({
      status: "offline",
      waiting: 2,
      error: undefined,
      isWhole: false,
      recovered: 0
    })
    await device.engine.sync()
    expect(results(device)).toEqual([
      [
        ["applied", 1],
        ["applied", 1]
      ]
    ])
    expect(device.engine.get(id)).toMatchObject({ title: "Draft", body: "abc", version: 1 })
    expect(device.engine.state.waiting).toBe(0)
  })

  it("of a note are pushed after those that create its notebook, whatever their order", async () => {
    const device = await at.device()
    const [notebook, id] = [`nb_${crypto.randomUUID()}`, `nt_${crypto.randomUUID()}`]
    await device.engine.edit("note", id, { notebook_id: notebook, title: "Early" })
    await device.engine.edit("notebook", notebook, { name: "Late" })
    await device.engine.sync()
    expect(results(device)).toEqual([
      [
        ["applied", 1],
        ["applied", 1]
      ]
    ])
    expect(device.engine.get(id)).toMatchObject({ notebook_id: notebook, version: 1 })
  })

  it("that create notes offline send when that was, unless the clock of the device is wrong", async () => {
    const device = await at.device()
    const notebook_id = await device.engine.create("notebook", { name: "Journeys" })
    const made = async (title: string, created_at: string) => {
      const clock = vi.spyOn(Date, "now").mockReturnValue(Date.parse(created_at))
      const id = await device.engine.create("note", { notebook_id, title })
      clock.mockRestore()
      expect(device.engine.get(id)).toMatchObject({ created_at })
      return id
    }
    // The clock of the server says March 2026.
    const [earlier, ahead] = ["2026-02-03T04:05:06.789Z", "2026-06-01T00:00:00.000Z"]
    const [offline, wrong] = [await made("Offline", earlier), await made("Wrong", ahead)]
    const online = await device.engine.create("note", { notebook_id, title: "Online" })
    await device.engine.sync()
    const [first, second] = pushes(device).map(({ sent }) => sent.changes.map(({ data }: any) => data.created_at))
    expect([first, second]).toEqual([[undefined, earlier, ahead, undefined], [undefined]])
    expect(device.engine.get(offline)).toMatchObject({ created_at: earlier, version: 1 })
    for (const id of [wrong, online]) {
      expect(device.engine.get(id)).toMatchObject({ created_at: expect.stringMatching(/^2026-03/), version: 1 })
    }
    expect(device.engine.refused).toEqual([])
  })

  it("survive a crash with their ids, and are not applied twice", async () => {
    const store = memoryStore()
    const device = await at.device({ store })
    const id = await device.engine.create("notebook", { name: "Sent" })
    await device.syncWithLostResponse()
    const again = await at.device({ store })
    await again.engine.edit("notebook", id, { name: "Renamed" })
    await again.engine.sync()
    expect(pushes(again)[0]!.sent.changes).toMatchObject([{ id, revision: 0, data: { name: "Sent" } }])
    expect(results(again)).toEqual([[["duplicate", 1]], [["applied", 2]]])
    expect(again.engine.get(id)).toMatchObject({ name: "Renamed" })
  })

  it("after a lost response keep each word once", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    await one.syncWithLostResponse()
    await one.engine.edit("note", id, { body: "First. Typed. More." })
    await one.engine.sync()
    expect(one.engine.get(id)).toMatchObject({ body: "First. Typed. More.", version: 3 })
  })

  it("from an older state of the record are merged with what has changed since", async () => {
    const { id, one, other } = await at.shared()
    const shown = one.engine.get(id)!
    await other.engine.edit("note", id, { title: "Theirs", body: "First. Theirs." })
    await other.engine.sync()
    await one.engine.sync()
    await one.engine.edit("note", id, { title: "Mine", body: "Mine. First." }, shown)
    expect(one.engine.get(id)).toMatchObject({ title: "Theirs", body: "Mine. First. Theirs." })
    expect(notesTitled(one, "Mine")).toMatchObject([{ body: "Mine. First." }])
    await one.engine.edit("note", id, { body: shown["body"] }, shown)
    expect(one.engine.get(id)).toMatchObject({ body: "Mine. First. Theirs." })
    await one.engine.sync()
    expect(one.engine.state.waiting).toBe(0)
  })

  it("with a text that is too large are refused before they are queued", async () => {
    const { id, one } = await at.shared()
    await expect(one.engine.edit("note", id, { body: "x".repeat(50_000_000) })).rejects.toThrow(
      "The text has 50000000 bytes. A text has at most 1048576: split it"
    )
    expect([one.engine.get(id)?.["body"], one.engine.state.waiting]).toEqual(["First.", 0])
  })

  it("that the server refuses are shown, block no others, and are pushed with their correction", async () => {
    const { id, notebook, one } = await at.shared()
    const bad = await one.engine.create("note", { notebook_id: notebook, title: "x".repeat(201), body: "Typed." })
    await one.engine.edit("note", id, { pinned: true })
    await one.engine.sync()
    await one.engine.sync()
    expect(one.engine.refused).toMatchObject([{ edit: { id: bad }, problem: { code: "validation_failed" } }])
    expect(pushes(one)).toHaveLength(1)
    expect([one.engine.get(id)?.["pinned"], one.engine.get(bad)?.["body"]]).toEqual([true, "Typed."])
    await one.engine.edit("note", bad, { title: "Mended" })
    expect(one.engine.refused).toEqual([])
    await one.engine.sync()
    expect(one.engine.get(bad)).toMatchObject({ title: "Mended", body: "Typed.", version: 1 })
  })

  it("that the server refuses can be pushed again, or dropped", async () => {
    const one = await at.device()
    const id = await one.engine.create("reminder", {
      note_id: "nt_0123456789abcdef",
      remind_at: "2030-01-01T00:00:00Z"
    })
    await one.engine.sync()
    await one.engine.retry(one.engine.refused[0]!)
    expect(one.engine.refused).toEqual([])
    await one.engine.sync()
    expect(one.engine.refused).toMatchObject([{ edit: { id }, problem: { code: "unresolved_reference" } }])
    await one.engine.discard(one.engine.refused[0]!)
    expect([one.engine.refused, one.engine.get(id), one.engine.state.waiting]).toEqual([[], undefined, 0])
  })

  it("are pushed without the one for which the server refuses the whole push", async () => {
    const { engine, ...device } = await at.device()
    const notebook = await engine.create("notebook", { name: "Good" })
    const bad = await engine.create("notebook", { name: "Nested", icon: JSON.parse("[".repeat(200) + "]".repeat(200)) })
    const note = await engine.create("note", { notebook_id: notebook, title: "Good" })
    await engine.sync()
    expect([engine.get(notebook)?.["name"], engine.get(note)?.["version"]]).toEqual(["Good", 1])
    expect(engine.refused).toMatchObject([{ edit: { id: bad }, problem: { status: 400 } }])
    expect(device.exchanges.filter(({ path }) => path === "/sync/push").length).toBeLessThan(6)
  })
})

describe("conflicts", () => {
  it("are merged, and both devices have the words of both", async () => {
    const { id, one, other } = await at.shared({ tags: ["a", "b"] })
    await one.engine.edit("note", id, { title: "Of one", body: "First. One.", tags: ["b", "c"] })
    await other.engine.edit("note", id, { pinned: true, body: "First. Other.", tags: ["a", "b", "d"] })
    for (const { engine } of [one, other, one]) await engine.sync()
    expect(other.engine.get(id)).toMatchObject({
      title: "Of one",
      pinned: true,
      body: "First. One. Other.",
      tags: ["b", "c", "d"]
    })
    expect(one.engine.get(id)).toEqual(other.engine.get(id))
  })

  it("of words next to removed ones keep each word once, and bring none back, also if one conflict follows another", async () => {
    const { id, one, other } = await at.shared({ body: "First. Removed. " })
    await one.engine.edit("note", id, { body: "First. One. Removed. " })
    await other.engine.edit("note", id, { body: "First. Other. Removed. " })
    await at.client.updateNote({ id, body: "First." })
    let pushed = 0
    other.network = async (url, send) => {
      // Its second push conflicts with what the first device has pushed meanwhile.
      if (url.endsWith("/sync/push") && ++pushed === 2) await one.engine.sync()
      return send()
    }
    await other.engine.sync()
    await one.engine.sync()
    expect(String(other.engine.get(id)?.["body"]).match(/\S+/g)).toEqual(["First.", "One.", "Other."])
    expect(one.engine.get(id)).toEqual(other.engine.get(id))
  })

  it("of a title keep the one of the server, and the other one in a copy", async () => {
    const { id, notebook, one, other } = await at.shared()
    await one.engine.edit("note", id, { title: "Title of one" })
    await other.engine.edit("note", id, { title: "Title of other", body: "First. Typed." })
    for (const { engine } of [one, other, one]) await engine.sync()
    expect(one.engine.get(id)).toMatchObject({ title: "Title of one", body: "First. Typed." })
    expect(notesTitled(one, "Title of other")).toMatchObject([{ notebook_id: notebook, body: "First. Typed." }])
  })

  it("with a deletion restore the note as it was, and merge the edit with it", async () => {
    const { id, one, other } = await at.shared()
    await one.engine.edit("note", id, { body: "One. First." })
    await one.engine.sync()
    await one.engine.remove("note", id)
    await one.engine.sync()
    await other.engine.edit("note", id, { body: "First. Other." })
    await other.engine.sync()
    expect(pushes(other).map(({ sent }) => sent.changes.map(({ data, revision }: any) => [revision, data]))).toEqual([
      [[1, { body: "First. Other." }]],
      [[3, {}]],
      [[2, { body: "First. Other." }]],
      [[4, { body: "One. First. Other." }]]
    ])
    await one.engine.sync()
    expect(one.engine.get(id)).toMatchObject({ body: "One. First. Other.", title: "Shared" })
  })

  it("of a note whose notebook was deleted move it to another notebook", async () => {
    const { notebook, one, other } = await at.shared()
    await one.engine.remove("notebook", notebook)
    await one.engine.sync()
    const id = await other.engine.create("note", { notebook_id: notebook, title: "Typed" })
    await other.engine.sync()
    expect(other.engine.refused).toEqual([])
    expect(other.engine.get(String(other.engine.get(id)?.["notebook_id"]))).toMatchObject({ name: expect.any(String) })
  })

  it("do not lose words to a deletion made without seeing them", async () => {
    const { id, one, other } = await at.shared()
    await one.engine.edit("note", id, { body: "First. Typed." })
    await other.engine.remove("note", id)
    for (const { engine } of [one, other]) await engine.sync()
    expect(other.engine.get(id)).toMatchObject({ body: "First. Typed." })
  })

  it("do not occur with a note that was deleted and restored offline", async () => {
    const { id, one } = await at.shared()
    await one.engine.remove("note", id)
    expect(one.engine.get(id)).toBe(undefined)
    await one.engine.sync()
    await one.engine.restore("note", id)
    await one.engine.sync()
    expect(one.engine.get(id)).toMatchObject({ title: "Shared", body: "First." })
    expect(one.engine.refused).toEqual([])
  })
})

describe("a state", () => {
  it("with a lower revision never overwrites one with a higher revision", async () => {
    const { id, one } = await at.shared()
    one.engine.start()
    await expect.poll(() => one.engine.state.status).toBe("synced")
    const shown = Promise.withResolvers<void>()
    one.engine.subscribe((ids) => ids.includes(id) && one.engine.get(id)?.["version"] === 3 && shown.resolve())
    // The stream brings the change of another client before the response to the push.
    one.network = async (url, send) => {
      const response = await send()
      if (url.endsWith("/sync/push")) {
        await at.client.updateNote({ id, version: 2, title: "Newer" })
        await shown.promise
      }
      return response
    }
    await one.engine.edit("note", id, { pinned: true })
    await expect.poll(() => one.engine.state.waiting).toBe(0)
    await one.engine.stop()
    expect(one.engine.get(id)).toMatchObject({ title: "Newer", pinned: true, version: 3 })
  })

  it("of a type that the engine does not keep is left out, also if the engine kept it before", async () => {
    const { id, notebook, one } = await at.shared()
    await one.engine.close()
    const device = await at.device({ store: one.store, types: ["notebook"] })
    expect(device.engine.get(id)).toMatchObject({ title: "Shared" })
    await device.engine.sync()
    expect([device.engine.get(id), device.engine.get(notebook)?.["name"]]).toEqual([undefined, "Folder"])
    device.engine.start()
    await expect.poll(() => device.engine.state.status).toBe("synced")
    await device.engine.stop()
  })
})

describe("an engine that keeps some notebooks", () => {
  it("has what is in them, also when it comes or goes, and what is written elsewhere leaves it", async () => {
    const { id, notebook, one } = await at.shared()
    await one.engine.close()
    const further = await at.client.createNotebook({ name: "Further" })
    const far = await at.client.createNote({ notebook_id: further.id, title: "Far" })
    const device = await at.device({ store: one.store, notebooks: [further.id] })
    const titles = () => device.engine.all("note").map((note) => note["title"])
    await device.engine.sync()
    expect(titles()).toEqual(["Far"])
    expect(device.engine.all("notebook").map(({ id }) => id)).toEqual([further.id])
    await at.client.updateNote({ id, notebook_id: further.id })
    await device.engine.sync()
    expect(titles().toSorted()).toEqual(["Far", "Shared"])
    await device.engine.edit("note", id, { title: "Edited" })
    device.engine.start()
    await expect.poll(async () => (await at.client.getNote({ id })).title).toBe("Edited")
    await at.client.updateNote({ id: far.id, notebook_id: notebook })
    await expect.poll(titles).toEqual(["Edited"])
    await at.client.moveNotebook({ id: notebook, parent_id: further.id })
    await expect.poll(() => titles().toSorted()).toEqual(["Edited", "Far"])
    await device.engine.stop()
    // An edit of a note that has left meanwhile is stored, and the note leaves this device.
    const other = await at.client.createNotebook({ name: "Other" })
    await device.engine.edit("note", id, { body: "On the train." })
    await at.client.updateNote({ id, notebook_id: other.id })
    await device.engine.sync()
    expect((await at.client.getNote({ id })).body).toBe("On the train.")
    await device.engine.create("note", { notebook_id: other.id, title: "Elsewhere" })
    await device.engine.sync()
    expect(titles()).toEqual(["Far"])
    expect(device.engine.refused).toEqual([])
  })
})

describe("calls of sync", () => {
  it("during a sync share the next one, which pushes the edits before them", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "One." })
    const first = one.engine.sync()
    await one.engine.edit("note", id, { body: "One. Two." })
    await Promise.all([first, one.engine.sync(), one.engine.sync()])
    expect(one.engine.get(id)).toMatchObject({ body: "One. Two." })
    expect(one.engine.state).toEqual({ status: "synced", waiting: 0, error: undefined, isWhole: true, recovered: 0 })
  })

  it("fail without a network, and the next one succeeds", async () => {
    const { id, one } = await at.shared()
    await one.engine.edit("note", id, { body: "Typed." })
    one.network = offline
    await expect(one.engine.sync()).rejects.toMatchObject({ problem: { code: "no_response" } })
    expect(one.engine.state).toMatchObject({
      status: "offline",
      waiting: 1,
      error: { problem: { code: "no_response" } }
    })
    one.network = undefined
    await one.engine.sync()
    expect(one.engine.state).toEqual({ status: "synced", waiting: 0, error: undefined, isWhole: true, recovered: 0 })
  })
})

describe("a started engine", () => {
  it("pushes edits as they are made, and shows those of others as they happen", async () => {
    const { id, one, other } = await at.shared()
    for (const { engine } of [one, other]) engine.start()
    await expect.poll(() => one.engine.state.status).toBe("synced")
    await other.engine.edit("note", id, { body: "First. Live." })
    await expect.poll(() => one.engine.get(id)?.["body"]).toBe("First. Live.")
    for (const { engine } of [one, other]) await engine.stop()
    expect(one.engine.state).toEqual({ status: "offline", waiting: 0, error: undefined, isWhole: true, recovered: 0 })
  })

  it("that found no network is live after a sync that does", async () => {
    const { id, one } = await at.shared()
    one.network = offline
    one.engine.start()
    await one.engine.edit("note", id, { body: "First. Later." })
    await expect.poll(() => one.engine.state.error).toMatchObject({ problem: { code: "no_response" } })
    one.network = undefined
    await one.engine.sync()
    await expect
      .poll(() => one.engine.state)
      .toEqual({ status: "synced", waiting: 0, error: undefined, isWhole: true, recovered: 0 })
    await one.engine.stop()
    expect((await at.client.getNote({ id })).body).toBe("First. Later.")
  })
})

describe("files", () => {
  it("are attached offline, uploaded after their note, and downloaded with a check of their hash", async () => {
    const store = memoryStore()
    const device = await at.device({ store })
    const notebook = await device.engine.create("notebook", { name: "Files" })
    const note = await device.engine.create("note", { notebook_id: notebook, title: "With a file" })
    const bytes = new TextEncoder().encode(`bytes of ${note}`)
    const id = await device.engine.attach(note, { filename: "a.txt", bytes })
    expect(await device.engine.bytes(id)).toEqual(bytes)
    const again = await at.device({ store })
    expect(again.engine.state.waiting).toBe(4)
    await again.engine.sync()
    expect([again.engine.state.waiting, await store.files()]).toEqual([0, []])
    const other = await at.device()
    await other.engine.sync()
    expect(other.engine.get(id)).toMatchObject({
      note_id: note,
      filename: "a.txt",
      status: "ready",
      size: bytes.length
    })
    expect(await other.engine.bytes(id)).toEqual(bytes)
    other.network = async (url, send) => (url.includes("/files/") ? new Response("other bytes") : send())
    await expect(other.engine.bytes(id)).rejects.toThrow("have another hash")
  })

  it("that cannot be stored are not attached", async () => {
    const full = () => Promise.reject(new StoreError("The disk is full"))
    const { engine } = await at.device({ store: { ...memoryStore(), writeFile: full } })
    const attached = engine.attach("nt_1", { filename: "a.txt", bytes: new Blob(["a"]) })
    await expect(attached).rejects.toThrow("The disk is full")
    expect([engine.state.waiting, engine.all("attachment")]).toEqual([0, []])
  })

  it("of an attachment that was deleted meanwhile are kept until the user discards them", async () => {
    const { id: note, one } = await at.shared()
    const id = await one.engine.attach(note, { filename: "a.txt", bytes: new Blob(["gone soon"]) })
    one.network = async (url, send) => (url.includes("/attachments/") ? offline() : send())
    await expect(one.engine.sync()).rejects.toThrow("No response")
    await at.client.deleteAttachment({ id })
    one.network = undefined
    await one.engine.sync()
    const [refused] = one.engine.refused
    expect(refused).toMatchObject({ edit: { id }, problem: { code: "not_found" }, isUpload: true })
    expect(one.engine.state.waiting).toBe(0)
    expect(new TextDecoder().decode(await one.engine.bytes(id))).toBe("gone soon")
    await one.engine.discard(refused!)
    expect([one.engine.get(id), one.engine.refused, await one.store.files()]).toEqual([undefined, [], []])
  })

  it("of a note in the trash wait until it is restored, and are kept if it is erased", async () => {
    const { id: note, one } = await at.shared()
    const id = await one.engine.attach(note, { filename: "a.txt", bytes: new Blob([`bytes of ${note}`]) })
    one.network = async (url, send) => (url.includes("/attachments/") ? offline() : send())
    await expect(one.engine.sync()).rejects.toThrow("No response")
    await at.client.deleteNote({ id: note })
    one.network = undefined
    for (let round = 0; round < 2; round++) {
      await one.engine.sync()
      expect([one.engine.state.waiting, one.engine.refused]).toEqual([1, []])
    }
    await at.client.restoreNote({ id: note })
    await one.engine.sync()
    expect([one.engine.state.waiting, await one.store.files()]).toEqual([0, []])
    expect((await at.client.getAttachment({ id })).status).toBe("ready")

    const other = await one.engine.attach(note, { filename: "b.txt", bytes: new Blob(["only here"]) })
    one.network = async (url, send) => (url.includes("/attachments/") ? offline() : send())
    await expect(one.engine.sync()).rejects.toThrow("No response")
    await at.client.deleteNote({ id: note, permanent: true })
    one.network = undefined
    await one.engine.sync()
    expect(one.engine.refused).toMatchObject([{ edit: { id: other }, problem: { code: "not_found" } }])
    expect([one.engine.state.waiting, new TextDecoder().decode(await one.engine.bytes(other))]).toEqual([
      0,
      "only here"
    ])
  })
})

describe("records of a type", () => {
  it("are read and followed with the members of the API", async () => {
    const { id, notebook, one, other } = await at.shared()
    const changes: Array<RecordChange<"note">> = []
    const stop = other.engine.subscribe("note", (each) => changes.push(...each))
    await one.engine.edit("note", id, { body: "First. Typed." })
    await one.engine.edit("notebook", notebook, { name: "Renamed" })
    await one.engine.sync()
    await other.engine.sync()
    const note: Schemas["Note"] | undefined = other.engine.get("note", id)
    expect([note?.body, other.engine.get("notebook", id), other.engine.get("notebook", notebook)?.name]).toEqual([
      "First. Typed.",
      undefined,
      "Renamed"
    ])
    expect(changes).toMatchObject([{ id, record: { body: "First. Typed." } }])
    expect(other.engine.all("note").filter(({ title }) => title === "Shared")).not.toEqual([])
    await other.engine.remove("note", id)
    expect(changes.at(-1)).toEqual({ id, record: undefined })
    stop()
  })
})

it("the status says that the network is gone after one failed attempt, and that all is synced after the next", async () => {
  const { id, one } = await at.shared()
  expect(one.engine.state.status).toBe("synced")
  one.network = offline
  const statuses: Array<string> = []
  one.engine.subscribe(() => statuses.push(one.engine.state.status))
  await one.engine.edit("note", id, { body: "First. Typed." })
  expect(one.engine.state.status).toBe("syncing")
  await expect(one.engine.sync()).rejects.toThrow("No response")
  expect([one.engine.state.status, statuses.at(-1)]).toEqual(["offline", "offline"])
  one.network = undefined
  await one.engine.sync()
  expect(one.engine.state.status).toBe("synced")
})
