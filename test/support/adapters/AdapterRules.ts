import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest"
import type { Refused } from "../../../src/clients/sync/EditQueue.ts"
import { newId } from "../../../src/clients/sync/Edit.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import { eventually } from "../flows/eventually.ts"
import { type AdapterDevice, serverRecords, type StartDevice, untilEqual } from "./AdapterScenario.ts"
import { Network } from "./Network.ts"

/** The rules of sync that each adapter keeps. */
export const testAdapter = (start: StartDevice): void => {
  let sheaf: Sheaf
  let notebook_id: string
  const devices: Array<AdapterDevice> = []
  beforeAll(async () => {
    sheaf = await Sheaf.start({ postgres: inject("postgres") })
    notebook_id = (await sheaf.client.listNotebooks()).data[0]!.id
  })
  afterEach(async () => {
    for (const device of devices.splice(0)) await device.stop()
  })
  afterAll(() => sheaf.stop())

  const startOn = async (options?: Parameters<StartDevice>[1]) => {
    const network = new Network(sheaf, new Random(7))
    const device = await start(network, options)
    devices.push(device)
    return { device, network }
  }
  const createNote = (body: string) => sheaf.client.createNote({ notebook_id, title: "Shared", body })
  const conflicts = async () => (await sheaf.events()).filter(({ type }) => type === "sync.conflict").length

  it("continues from the revision of a change whose response was lost", async () => {
    const { id } = await createNote("one\n")
    const { device, network } = await startOn()
    await untilEqual(sheaf, device)
    const before = await conflicts()
    network.lostPushes = 1
    await device.change(id, { body: "one\ntwo\n" })
    await eventually("two pushes", () => network.pushes >= 2)
    network.lostPushes = 0
    await eventually("the change", async () => (await sheaf.client.getNote({ id })).body === "one\ntwo\n")
    await untilEqual(sheaf, device)
    await device.change(id, { body: "one\ntwo\nthree\n" })
    await eventually("the next one", async () => (await sheaf.client.getNote({ id })).body === "one\ntwo\nthree\n")
    await untilEqual(sheaf, device)
    expect(await conflicts()).toBe(before)
  })

  it("restores a note that others have changed and deleted, with the words of both", async () => {
    const { id } = await createNote("one two\n")
    const { device, network } = await startOn()
    await untilEqual(sheaf, device)
    network.goOffline()
    await device.change(id, { body: "one mine two\n" })
    await sheaf.client.updateNote({ id, version: 1, body: "one two\ntheirs\n" })
    await sheaf.client.deleteNote({ id })
    network.goOnline()
    await eventually("the restored note", async () => (await serverRecords(sheaf)).has(id))
    await untilEqual(sheaf, device)
    expect((await sheaf.client.getNote({ id })).body).toBe("one mine two\ntheirs\n")
  })

  it("moves a note to the trash that was written and deleted without a network", async () => {
    const first = await createNote("")
    const { device, network } = await startOn()
    await untilEqual(sheaf, device)
    network.goOffline()
    // The push of it waits for the network; that of the others has not begun.
    await device.change(first.id, { body: "first" })
    const id = newId("nt_")
    await device.insert({ id, type: "note", data: { notebook_id, title: "Short", body: "written\n" } })
    await device.change(id, { body: "written twice\n" })
    await device.remove(id)
    network.goOnline()
    const trash = async () => (await sheaf.client.listNotes({ filter: "deleted_at:*" })).data
    await eventually("the note in the trash", async () =>
      (await trash()).some((note) => note.id === id && note.body === "written twice\n")
    )
    await untilEqual(sheaf, device)
  })

  it("shows no version of a record after a later one", async () => {
    const { id } = await createNote("")
    const { device } = await startOn()
    await untilEqual(sheaf, device)
    const versions: Array<number> = []
    device.watch((changed, version) => {
      if (changed === id) versions.push(version)
    })
    for (let round = 0; round < 10; round++) {
      const note = (await device.records()).find((record) => record.id === id)!
      await device.change(id, { body: `${String(note.data["body"])}mine${round}\n` })
      await sheaf.client.updateNote({ id, pinned: round % 2 === 0 })
    }
    await untilEqual(sheaf, device)
    expect(versions).toEqual(versions.toSorted((one, other) => one - other))
    expect(versions.at(-1)).toBe((await sheaf.client.getNote({ id })).version)
  })

  it("pushes notebooks before the notes and notebooks in them", async () => {
    const refused: Array<Refused> = []
    const { device, network } = await startOn({ onRefused: (each) => void refused.push(each) })
    await untilEqual(sheaf, device)
    network.goOffline()
    const [outer, inner, note] = [newId("nb_"), newId("nb_"), newId("nt_")]
    await device.insert({ id: outer, type: "notebook", data: { name: "Outer" } })
    await device.insert({ id: inner, type: "notebook", data: { name: "Inner", parent_id: outer } })
    await device.insert({ id: note, type: "note", data: { notebook_id: inner, title: "In both" } })
    await device.change(inner, { name: "Inner one" })
    await device.change(outer, { name: "Outer one" })
    network.goOnline()
    await eventually("the note", async () => (await serverRecords(sheaf)).has(note))
    await untilEqual(sheaf, device)
    const records = await serverRecords(sheaf)
    expect([records.get(note)!.data["notebook_id"], records.get(inner)!.data["parent_id"]]).toEqual([inner, outer])
    expect(refused).toEqual([])
  })

  it("hands over what the server refuses, and shows the state of the server", async () => {
    const refused: Array<Refused> = []
    const { id } = await createNote("one\n")
    const { device, network } = await startOn({ onRefused: (each) => void refused.push(each) })
    await untilEqual(sheaf, device)
    network.goOffline()
    const title = "x".repeat(201)
    await device.change(id, { title })
    const other = newId("nt_")
    await device.insert({ id: other, type: "note", data: { notebook_id, title, body: "kept" } })
    await sheaf.client.updateNote({ id, version: 1, body: "two\n" })
    network.goOnline()
    await eventually("both refusals", () => refused.length >= 2)
    await untilEqual(sheaf, device)
    const named = refused.map(({ edit, problem }) => [edit.id, edit.data["title"], problem.code])
    expect(named.toSorted()).toEqual([id, other].map((id) => [id, title, "validation_failed"]).toSorted())
    expect(refused.find(({ edit }) => edit.id === other)!.edit.data["body"]).toBe("kept")
  })

  it("drops records whose deletions the server has forgotten", async () => {
    const { id } = await createNote("one\n")
    const { device, network } = await startOn()
    await untilEqual(sheaf, device)
    network.goOffline()
    await sheaf.client.deleteNote({ id, permanent: true })
    await sheaf.advance("100 days")
    network.goOnline()
    await eventually("the deletion", async () => !(await device.records()).some((record) => record.id === id))
    await untilEqual(sheaf, device)
  })

  it("has only records of its types, and notebooks", async () => {
    await sheaf.client.createTag({ name: "tagged" })
    const { device } = await startOn({ types: ["tag"] })
    await eventually("a tag", async () => (await device.records()).some(({ type }) => type === "tag"))
    expect(new Set((await device.records()).map(({ type }) => type))).toEqual(new Set(["notebook", "tag"]))
  })
}
