import { afterAll, beforeAll, expect, it } from "vitest"
import { offline, type SyncDevice, SyncDevices } from "../support/devices/SyncDevices.ts"

let at: SyncDevices
beforeAll(async () => {
  at = await SyncDevices.start()
})
afterAll(() => at[Symbol.asyncDispose]())

const pushed = ({ exchanges }: SyncDevice) =>
  exchanges.flatMap(({ path, received }) => (path === "/sync/push" ? [received.results ?? received.code] : []))

it("edits of alternating records are joined, but not before the notebook of a move", async () => {
  const { notebook, one } = await at.shared()
  const first = await one.engine.create("note", { notebook_id: notebook, title: "One" })
  const second = await one.engine.create("note", { notebook_id: notebook, title: "Other" })
  await one.engine.edit("note", first, { body: "More" })
  await one.engine.edit("note", second, { body: "More too" })
  await one.engine.edit("note", first, { pinned: true })
  const notebook_id = await one.engine.create("notebook", { name: "Folder" })
  await one.engine.edit("note", first, { notebook_id })
  await one.engine.sync()
  expect(pushed(one).map((results) => results.map(({ revision, status }: any) => `${status} ${revision}`))).toEqual([
    ["applied 1", "applied 1", "applied 1"],
    ["applied 2"]
  ])
  expect(one.engine.get(first)).toMatchObject({ notebook_id, title: "One", body: "More", pinned: true, version: 2 })
})

it("more than 500 edits are in several pushes", async () => {
  const { engine, ...device } = await at.device()
  for (let each = 0; each <= 500; each++) await engine.create("tag", { name: `tag-${each}` })
  await engine.sync()
  expect(pushed({ engine, ...device }).map(({ length }) => length)).toEqual([500, 1])
  expect([engine.refused, engine.state.waiting]).toEqual([[], 0])
})

it("entries for which the server refuses the whole push are refused alone", async () => {
  const { engine } = await at.device()
  const notebook = await engine.create("notebook", { name: "Good" })
  const large = await engine.create("notebook", { name: "Large", icon: "x".repeat(17e6) })
  const tags = Array.from({ length: 9000 }, (_, index) => `t${index}`)
  const tagged = await engine.create("note", { notebook_id: notebook, title: "Tagged", tags })
  const note = await engine.create("note", { notebook_id: notebook, title: "Good" })
  const nested = await engine.create("notebook", {
    name: "Nested",
    icon: JSON.parse("[".repeat(200) + "]".repeat(200))
  })
  await engine.sync()
  expect([engine.get(notebook)?.["name"], engine.get(note)?.["version"]]).toEqual(["Good", 1])
  const refused = new Map(engine.refused.map(({ edit, problem }) => [edit.id, problem.status]))
  expect(refused).toEqual(
    new Map([
      [large, 413],
      [tagged, 422],
      [nested, 400]
    ])
  )
  await engine.edit("notebook", large, { icon: null })
  await engine.sync()
  expect(engine.get(large)).toMatchObject({ name: "Large", icon: null })
})

it("the entries after the limit of bytes that a push reads are pushed again", async () => {
  const { notebook, one } = await at.shared()
  for (const title of ["One", "Other"]) await one.engine.create("note", { notebook_id: notebook, title })
  one.network = async (_, send) => {
    one.network = undefined
    const reply: any = await (await send()).json()
    const error = { code: "payload_too_large", status: 413, detail: "The push concerns too many bytes of records." }
    reply.results[1] = { ...reply.results[1], status: "rejected", revision: null, error }
    return Response.json(reply, { status: 201 })
  }
  await one.engine.sync()
  expect(pushed(one).map((results) => results.map(({ status }: any) => status))).toEqual([
    ["applied", "rejected"],
    ["duplicate"]
  ])
  expect([one.engine.refused, one.engine.state.waiting]).toEqual([[], 0])
})

it("a failed sync is reported to its callers, and the next one succeeds", async () => {
  const { id, one } = await at.shared()
  await one.engine.edit("note", id, { body: "Typed." })
  let next: Promise<void> | undefined
  one.network = () => {
    one.network = undefined
    next = one.engine.sync()
    return offline()
  }
  await expect(one.engine.sync()).rejects.toThrow("No response")
  await next
  expect(await at.client.getNote({ id })).toMatchObject({ body: "Typed." })
})
