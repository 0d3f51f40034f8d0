import fc from "fast-check"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { type GuideClient, startGuideClient, syncWithLostResponse, watched } from "../support/GuideClient.ts"
import { Devices, step } from "../support/GuideDevices.ts"
import { guest } from "../support/People.ts"
import { aged } from "../support/SyncCursors.ts"
import { rounds } from "../support/Slow.ts"

const hour = 3600_000
let at: GuideClient

beforeAll(async () => {
  at = await startGuideClient()
})
afterAll(() => at.stop())
afterEach(() => vi.restoreAllMocks())

const titles = (client: any): ReadonlyArray<string> =>
  [...client.records.keys()].flatMap((id: string) => client.get(id)?.title ?? [])

const rest = async (method: string, path: string, body?: object): Promise<any> => {
  const { body: answer, status } = await at.app.call(method, path, body)
  expect(status).toBeLessThan(300)
  return answer
}

describe("words typed offline", () => {
  it("restore a note that another device trashed", async () => {
    const { id, one, other } = await at.shared({ tags: ["kept"] })
    one.edit("note", id, {}, "delete")
    await one.sync()
    other.edit("note", id, { body: "First. And typed." })
    const pushes = watched("/sync/push")
    await other.sync()
    expect(pushes[0].conflicts).toMatchObject([
      { reason: "deleted_on_server", server: { op: "delete", data: null, revision: 2 } }
    ])
    await one.sync()
    for (const client of [one, other])
      expect(client.get(id)).toMatchObject({ title: "Shared", body: "First. And typed.", tags: ["kept"] })
  })

  it("recreate a note that another client purged", async () => {
    const { id, one, other } = await at.shared({ tags: ["kept"] })
    await rest("DELETE", `/notes/${id}?permanent=true`)
    other.edit("note", id, { body: "First. And typed." })
    await other.sync()
    await one.sync()
    for (const client of [one, other])
      expect(client.get(id)).toMatchObject({ title: "Shared", body: "First. And typed.", tags: ["kept"] })
  })

  it("restore a note together with another device's unpulled changes from before the deletion", async () => {
    const deletions = [
      (client: any, note: string) => client.edit("note", note, {}, "delete"),
      (client: any, _: string, folder: string) => client.edit("notebook", folder, {}, "delete")
    ]
    for (const remove of deletions) {
      for (const isPulled of [false, true]) {
        const [one, other, third] = [at.newClient(), at.newClient(), at.newClient()]
        const [folder, id] = [at.guide.newId("nb_"), at.guide.newId("nt_")]
        one.edit("notebook", folder, { name: "Folder" })
        one.edit("note", id, { notebook_id: folder, title: "Shared", body: "First." })
        await one.sync()
        await other.sync()
        other.edit("note", id, { title: "Renamed", body: "First. Other." })
        await other.sync()
        await third.sync()
        remove(third, id, folder)
        await third.sync()
        if (isPulled) await one.sync()
        one.edit("note", id, { pinned: true })
        one.edit("tag", at.guide.newId("tg_"), { name: `between-${id.slice(-8)}` })
        one.edit("note", id, { body: "One. First." })
        for (const client of [one, other]) await client.sync()
        for (const client of [one, other])
          expect(client.get(id)).toMatchObject({ title: "Renamed", body: "One. First. Other.", pinned: true })
        expect([one.queue, one.rejected]).toEqual([[], []])
      }
    }
  })

  it("pushed without a response return with a record that another device deleted", async () => {
    for (const [type, prefix] of [
      ["template", "tp_"],
      ["notebook", "nb_"]
    ]) {
      for (const pullsFirst of [false, true]) {
        const [one, other] = [at.newClient(), at.newClient()]
        const id = at.guide.newId(prefix)
        await one.sync()
        one.edit(type, id, { name: "Typed" })
        await syncWithLostResponse(one)
        await other.sync()
        other.edit(type, id, {}, "delete")
        await other.sync()
        await (pullsFirst ? one.sync() : one.push())
        one.edit(type, id, type === "notebook" ? { color: "#123456" } : { body: "More" })
        await one.sync()
        expect(one.rejected).toEqual([])
        expect(one.get(id)).toMatchObject({ name: "Typed" })
      }
    }
  })

  it("are visible after a duplicate push, before the pull", async () => {
    const { id, one } = await at.shared()
    one.edit("note", id, { body: "Typed." })
    await syncWithLostResponse(one)
    await one.push()
    expect(one.get(id)).toMatchObject({ body: "Typed.", title: "Shared" })
    await one.pull()
    expect(one.records.get(id)).toMatchObject({ revision: 2, data: { version: 2, body: "Typed." } })
  })

  it("return when their record is deleted and restored offline", async () => {
    const { id, one } = await at.shared()
    const [note, folder] = [at.guide.newId("nt_"), at.guide.newId("nb_")]
    one.edit("note", id, { body: "First. Typed." })
    one.edit("note", note, { notebook_id: at.notebook, title: "New" })
    one.edit("notebook", folder, { name: "New folder" })
    for (const [type, each] of [
      ["note", id],
      ["note", note],
      ["notebook", folder]
    ]) {
      one.edit(type, each, {}, "delete")
      one.edit(type, each, {})
    }
    await one.sync()
    expect(one.rejected).toEqual([])
    expect(await at.onServer(id)).toMatchObject({ title: "Shared", body: "First. Typed." })
    expect(await at.onServer(note)).toMatchObject({ title: "New" })
    expect(one.get(folder)).toMatchObject({ name: "New folder" })
  })

  it("are dropped if invalid when their record was deleted before the push", async () => {
    const { id, one } = await at.shared()
    const note = at.guide.newId("nt_")
    one.edit("note", note, { notebook_id: at.notebook, title: "" })
    one.edit("note", id, { title: "" })
    for (const each of [note, id]) one.edit("note", each, {}, "delete")
    await one.sync()
    expect([one.get(note), one.get(id), one.queue, one.rejected]).toEqual([undefined, undefined, [], []])
    expect(one.records.get(id)).toMatchObject({ op: "delete" })
  })

  it("create a conflict copy when both devices have changed the title", async () => {
    const { id, one, other } = await at.shared()
    one.edit("note", id, { title: "Title of one" })
    other.edit("note", id, { title: "Title of other", body: "First. And typed." })
    for (const client of [one, other, one]) await client.sync()
    expect(one.records).toEqual(other.records)
    expect(one.get(id)).toMatchObject({ title: "Title of one", body: "First. And typed." })
    const copy = [...one.records.values()].find(({ data }: any) => data?.title === "Title of other")
    expect(copy).toMatchObject({ data: { notebook_id: at.notebook, body: "First. And typed." } })
  })

  it("in a template are merged with its new name, and words at the same position follow each other", async () => {
    const [one, other] = [at.newClient(), at.newClient()]
    const id = at.guide.newId("tp_")
    one.edit("template", id, { name: "Meeting", body: "" })
    await one.sync()
    await other.sync()
    one.edit("template", id, { name: "Weekly meeting", body: "Who?" })
    other.edit("template", id, { body: "When?" })
    for (const client of [one, other, one]) await client.sync()
    for (const client of [one, other])
      expect(client.get(id)).toMatchObject({ name: "Weekly meeting", body: "Who?\nWhen?" })
  })

  it("are in the trash when the same device trashed their note before a sync", async () => {
    const { id, one, other } = await at.shared()
    const created = at.guide.newId("nt_")
    one.edit("note", id, { body: "First. And typed." })
    one.edit("note", id, {}, "delete")
    one.edit("note", created, { notebook_id: at.notebook, title: "Short-lived" })
    one.edit("note", created, {}, "delete")
    expect([one.get(id), one.get(created)]).toEqual([undefined, undefined])
    await one.sync()
    await other.sync()
    expect([other.get(id), other.get(created)]).toEqual([undefined, undefined])
    for (const trashed of [id, created]) await rest("POST", `/notes/${trashed}/restore`)
    expect(await at.onServer(id)).toMatchObject({ body: "First. And typed." })
    expect(await at.onServer(created)).toMatchObject({ title: "Short-lived" })
  })

  it("after a push without a response are merged with those of the other device, and do not overwrite them", async () => {
    const { id, one, other } = await at.shared()
    other.edit("note", id, { body: "Other. First." })
    await other.sync()
    one.edit("note", id, { body: "First. One." })
    vi.spyOn(globalThis, "fetch").mockRejectedValueOnce(new TypeError("the network is gone"))
    await expect(one.sync()).rejects.toThrow("the network is gone")
    one.edit("note", id, { body: "First. One. Two." })
    for (const client of [one, other]) await client.sync()
    for (const client of [one, other]) expect(client.get(id)).toMatchObject({ body: "Other. First. One. Two." })
  })

  it("do not overwrite another device's change that is partly equal", async () => {
    const { id, one, other } = await at.shared()
    other.edit("note", id, { title: "Same", body: "Other. First." })
    await other.sync()
    one.edit("note", id, { title: "Same" })
    one.edit("tag", at.guide.newId("tg_"), { name: `half-${id.slice(-8)}` })
    one.edit("note", id, { body: "First. One." })
    for (const client of [one, other]) await client.sync()
    for (const client of [one, other]) expect(client.get(id)).toMatchObject({ body: "Other. First. One." })
  })

  it("in a new note move to another notebook when another device deleted theirs", async () => {
    const [one, other] = [at.newClient(), at.newClient()]
    const [folder, id, comment] = [at.guide.newId("nb_"), at.guide.newId("nt_"), at.guide.newId("cm_")]
    one.edit("notebook", folder, { name: "Folder" })
    await one.sync()
    await other.sync()
    one.edit("notebook", folder, {}, "delete")
    await one.sync()
    other.edit("note", id, { notebook_id: folder, title: "Typed" })
    other.edit("comment", comment, { note_id: id, body: "Commented" })
    for (const client of [other, one]) await client.sync()
    expect([other.queue, other.rejected]).toEqual([[], []])
    for (const client of [one, other]) {
      expect(client.get(client.get(id).notebook_id)).toMatchObject({ name: expect.any(String) })
      expect(client.get(comment)).toMatchObject({ note_id: id, body: "Commented" })
    }
  })

  it("in a comment on a purged note become a note; its reminder and file are rejected", async () => {
    const { id, other } = await at.shared()
    await rest("DELETE", `/notes/${id}?permanent=true`)
    const [comment, reminder, file] = [at.guide.newId("cm_"), at.guide.newId("rm_"), at.guide.newId("at_")]
    other.edit("comment", comment, { note_id: id, body: `About ${id}` })
    other.edit("reminder", reminder, { note_id: id, remind_at: "2027-01-01T00:00:00Z" })
    other.edit("attachment", file, { note_id: id, filename: "a.txt" })
    await other.sync()
    expect([...other.records.values()].filter(({ data }: any) => data?.body === `About ${id}`)).toMatchObject([
      { type: "note", data: { title: "Comment" } }
    ])
    expect(other.rejected.map(({ edit, error }: any) => [edit.id, error.code])).toEqual([
      [reminder, "unresolved_reference"],
      [file, "unresolved_reference"]
    ])
  })

  it("get a new notebook when none is left", async () => {
    const { key } = await guest(at.app, { elsewhere: true })
    const [one, other] = [new at.guide.SyncClient(at.app.url, key), new at.guide.SyncClient(at.app.url, key)]
    await one.sync()
    await other.sync()
    const inbox = one.records.keys().next().value
    one.edit("notebook", inbox, {}, "delete")
    await one.sync()
    for (const title of ["Typed", "Typed too"]) other.edit("note", at.guide.newId("nt_"), { notebook_id: inbox, title })
    await other.sync()
    await one.sync()
    expect(titles(one).toSorted()).toEqual(["Typed", "Typed too"])
    expect(
      [...one.records.values()].filter(({ op, type }: any) => op === "upsert" && type === "notebook")
    ).toHaveLength(1)
  })

  it("that the server rejects block no other edit, remain visible, and are sent with the edit that corrects them", async () => {
    const client = at.newClient()
    const [id, other] = [at.guide.newId("nt_"), at.guide.newId("nt_")]
    client.edit("note", id, { notebook_id: at.notebook, title: "x".repeat(201), body: "Typed." })
    client.edit("note", other, { notebook_id: at.notebook, title: "Other" })
    await client.sync()
    expect(client.get(other)).toMatchObject({ version: 1 })
    expect(client.get(id)).toMatchObject({ body: "Typed." })
    client.edit("note", id, { title: "Mended" })
    expect(client.rejected).toEqual([])
    await client.sync()
    expect(await at.onServer(id)).toMatchObject({ title: "Mended", body: "Typed." })
  })

  it("stay queued when the cursor has expired, with and without a resync cursor", async () => {
    for (const days of [2, 91]) {
      const { id, one, other } = await at.shared()
      one.edit("note", id, {}, "delete")
      await one.sync()
      other.edit("note", id, { body: `After ${days} days` })
      other.cursor = await aged(at.app, other.cursor, days * 24 * hour)
      await other.pull()
      expect(other.queue).toHaveLength(1)
      await other.sync()
      expect(await at.onServer(id)).toMatchObject({ title: "Shared", body: `After ${days} days` })
    }
  })

  it("merge the tags that both devices have added, renamed and removed", async () => {
    const { id, one, other } = await at.shared({ tags: ["a", "b"] })
    one.edit("note", id, { tags: ["b", "of-one"] })
    other.edit("note", id, { tags: ["a", "b", "of-other"] })
    for (const client of [one, other, one]) await client.sync()
    for (const client of [one, other]) expect(client.get(id)).toMatchObject({ tags: ["b", "of-one", "of-other"] })
  })
})

it("merged texts contain every word that either of them added", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", " ", "\n", ". "), { maxLength: 12 }).map((each) => each.join(""))
  const wordsOf = (each: string) => each.match(/\S+/g) ?? []
  fc.assert(
    fc.property(text, text, text, (base, theirs, mine) => {
      const merged: string = at.guide.mergeTexts(base, theirs, mine)
      const old = new Set(wordsOf(base))
      for (const word of [...wordsOf(theirs), ...wordsOf(mine)])
        if (!old.has(word)) expect(wordsOf(merged)).toContain(word)
      expect(at.guide.mergeTexts(base, base, mine)).toBe(mine)
      expect(at.guide.mergeTexts(base, theirs, base)).toBe(theirs)
    }),
    { numRuns: rounds(200, 2_000) }
  )
})

it("devices that edit, delete and crash at any step converge, and no typed word is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: "max" }), async (steps) => {
      const devices = new Devices(at, await guest(at.app, { elsewhere: true }))
      for (const index of devices.clients.keys()) await devices.sync(index)
      for (const each of steps) await devices.take(each)
      for (const index of [0, 1, 2, 0, 1, 2]) await devices.sync(index)

      const server = await devices.onServer()
      expect([...devices.words].filter((word) => !server.includes(word))).toEqual([])
      for (const client of devices.clients) {
        expect([client.queue, client.sent, client.rejected]).toEqual([[], [], []])
      }
      const [first, ...others] = devices.clients.map((client) => devices.view(client))
      for (const other of others) expect(other).toEqual(first)
    }),
    { numRuns: Number(process.env["WORDS_RUNS"] ?? rounds(5, 15)), endOnFailure: true }
  )
})
