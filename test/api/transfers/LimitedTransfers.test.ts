import { afterAll, describe, expect, it } from "vitest"
import { connectApp } from "../../support/oauth/OAuthFlow.ts"
import { ofOperator } from "../../support/OperatorJob.ts"
import { limitedTransfers } from "../../support/reach/LimitedTransfers.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"
import { zipOf } from "../../services/transfers/Zip.ts"

const { app } = useApp()

const start = () => limitedTransfers(app)

const textsOf = (files: ReadonlyMap<string, Buffer>): string =>
  [...files].map(([path, bytes]) => `${path}\n${bytes}`).join("\n")

const note = (title: string, body: string) => ({ name: `${title}.md`, content: `---\ntitle: ${title}\n---\n${body}` })

describe("an export by an API key that reaches some notebooks", () => {
  it.each(["markdown", "json"])("in %s has nothing of other notes", async (format) => {
    const { attach, below, exported, given, home, note, secret } = await start()
    const hidden = await note(secret, "Twice", { body: "---\naliases: [Codename]\n---\nunseen", tags: ["unseen"] })
    await given("POST", `/notes/${hidden}/comments`, { body: "unseen" })
    await attach(hidden, "unseen.txt")
    const plan = await note(home, "Plan", { body: "[[Codename]] [[Twice]]", tags: ["red"] })
    await given("POST", `/notes/${plan}/comments`, { body: "seen" })
    await attach(plan, "seen.txt", Buffer.from("the seen bytes"))
    const twice = await note(below, "Twice")
    const moved = await note(secret, "Moved")
    await given("PATCH", `/notes/${moved}`, { notebook_id: below, title: "Came" })
    const { files } = await exported({ notebook_id: home, format })
    const text = textsOf(files)
    for (const foreign of ["unseen", hidden, secret]) expect(text).not.toContain(foreign)
    if (format === "markdown") {
      expect([...files.keys()].toSorted()).toEqual([
        "Home/Below/Came.md",
        "Home/Below/Twice.md",
        "Home/Plan.md",
        "_attachments/seen.txt"
      ])
      return
    }
    const json = (path: string) => JSON.parse(files.get(path)!.toString())
    expect(json("manifest.json")).not.toHaveProperty("as_of")
    expect(json("manifest.json").workspace).not.toHaveProperty("name")
    expect(json("tags.json").map(({ name }: any) => name)).toEqual(["red"])
    expect(json("notebooks.json").map(({ name, parent_id }: any) => [name, parent_id])).toEqual([
      ["Home", null],
      ["Below", home]
    ])
    expect(json(`notes/${plan}.json`)).toMatchObject({ comments: [{ body: "seen" }] })
    expect(json(`notes/${moved}.json`).versions).toMatchObject([{ title: "Moved", notebook_id: below }])
    expect(files.has(`notes/${twice}.json`)).toBe(true)
  })

  it("is of a notebook that the key reaches, and with a notebook alone without those in it", async () => {
    const { ask, asOf, below, exported, given, home, note, secret } = await start()
    await note(home, "Plan")
    await note(below, "Deep")
    const whole = await ask("POST", "/exports", { scope: "workspace" })
    expect([whole.status, whole.body.code]).toEqual([403, "insufficient_scope"])
    const [foreign, unknown] = [
      await ask("POST", "/exports", { scope: "notebook", notebook_id: secret }),
      await ask("POST", "/exports", { scope: "notebook", notebook_id: "nb_00000000000000000000" })
    ]
    expect([foreign.status, foreign.body.errors]).toEqual([422, unknown.body.errors])
    expect([...(await exported({ notebook_id: below })).files.keys()]).toEqual(["Below/Deep.md"])
    const notebooks = [{ id: home, access: "read", include_subnotebooks: false }]
    const key = await given("POST", "/api-keys", { name: "one", notebooks })
    const one = asOf({ authorization: `Bearer ${key.secret}` })
    expect([...(await one.exported({ notebook_id: home })).files.keys()]).toEqual(["Home/Plan.md"])
  })

  it("is read by the same key while it reaches the same notebooks", async () => {
    const { ask, asOf, closed, exported, files, given, home, key, note, notebooks, owner, team } = await start()
    await note(home, "Plan")
    const foreign = await owner.exported({ notebook_id: closed })
    const { ready } = await exported({ notebook_id: home })
    const listed = async () => (await ask("GET", "/exports")).body.data.map(({ id }: any) => id)
    expect(await listed()).toEqual([ready.id])
    expect((await ask("GET", `/exports/${foreign.ready.id}`)).status).toBe(404)
    const second = await given("POST", "/api-keys", { name: "second", notebooks })
    const other = asOf({ authorization: `Bearer ${second.secret}` })
    expect((await other.ask("GET", "/exports")).body.data).toEqual([])
    expect((await other.ask("GET", `/exports/${ready.id}`)).status).toBe(404)
    expect((await owner.ask("GET", "/exports")).body.data).toHaveLength(2)

    await given("PATCH", `/api-keys/${key.id}`, { notebooks: notebooks.slice(1) })
    expect(await listed()).toEqual([])
    expect((await ask("GET", `/exports/${ready.id}`)).status).toBe(404)
    expect((await files.call("GET", ready.download_url)).status).toBe(200)
    await given("PATCH", `/api-keys/${key.id}`, { notebooks })
    expect(await listed()).toEqual([ready.id])

    // An export that waits while the key changes.
    await app.sql("UPDATE exports SET status = 'failed', blob = NULL WHERE id = $1 RETURNING 1", [ready.id])
    await given("PATCH", `/api-keys/${key.id}`, { notebooks: notebooks.slice(0, 1) })
    await ofOperator(app, team.id).retry(ready.id)
    const failed = await owner.ended(`/exports/${ready.id}`)
    expect(failed).toMatchObject({
      status: "failed",
      error: "Its credential has ended, or its notebooks have changed"
    })
  })

  it("can be imported into the notebook again, which changes nothing, or everything twice", async () => {
    const { attach, below, exported, given, home, imported, note, titles } = await start()
    const plan = await note(home, "Plan", { body: "[[Deep]]", tags: ["red"] })
    await attach(plan, "seen.txt")
    await given("POST", `/notes/${plan}/comments`, { body: "seen" })
    const deep = await note(below, "Deep")
    const { bytes } = await exported({ notebook_id: home, format: "json" })
    const same = await imported(bytes, { notebook_id: home })
    expect(same).toMatchObject({ status: "done", imported: 0, skipped: 2, errors: [] })
    await given("DELETE", `/notes/${deep}`)
    expect(await imported(bytes, { notebook_id: home })).toMatchObject({ imported: 1, skipped: 1, errors: [] })
    expect(await titles(below)).toEqual(["Deep"])
    const twice = await imported(bytes, { notebook_id: home, on_existing: "duplicate" })
    expect(twice).toMatchObject({ status: "done", imported: 2, errors: [] })
    const notebooks = (await given("GET", "/notebooks")).data
    const copy = notebooks.find(({ name, parent_id }: any) => name === "Home" && parent_id === home)
    const [again] = (await given("GET", `/notes?filter=notebook_id = ${copy.id}`)).data
    expect(again.title).toBe("Plan")
    expect((await given("GET", `/notes/${again.id}/comments`)).data).toMatchObject([{ body: "seen" }])
    expect((await given("GET", `/attachments?filter=note_id = ${again.id}`)).data).toMatchObject([{ status: "ready" }])
    expect(await titles(notebooks.find(({ parent_id }: any) => parent_id === copy.id).id)).toEqual(["Deep"])
  })
})

describe("an import by an API key that reaches some notebooks", () => {
  const vault = zipOf([note("Top", "[[Plan]] #blue"), { ...note("Plan", "first"), name: "Work/Plan.md" }])

  it("needs a notebook to which the key may write", async () => {
    const { ask, closed, secret } = await start()
    const refused = async (notebook_id?: string) => {
      const { body, status } = await ask("POST", "/imports", { source: "json", notebook_id })
      return [status, body.code, body.errors?.[0].code]
    }
    expect(await refused()).toEqual([422, "validation_failed", "required"])
    expect(await refused(secret)).toEqual([422, "unresolved_reference", "unknown"])
    expect(await refused("nb_00000000000000000000")).toEqual([422, "unresolved_reference", "unknown"])
    expect(await refused(closed)).toEqual([404, "not_found", undefined])
  })

  it("makes notebooks in it, and none outside", async () => {
    const { ask, asOf, given, home, imported, titles } = await start()
    await given("POST", "/notebooks", { name: "Work" })
    const before = (await given("GET", "/notebooks")).data.length
    expect(await imported(vault, { notebook_id: home })).toMatchObject({ status: "done", imported: 2, errors: [] })
    const notebooks = (await given("GET", "/notebooks")).data
    expect(notebooks).toHaveLength(before + 1)
    const made = notebooks.find(({ name, parent_id }: any) => name === "Work" && parent_id === home)
    expect([await titles(home), await titles(made.id)]).toEqual([["Top"], ["Plan"]])
    expect((await ask("GET", "/notes")).body.data).toHaveLength(2)

    const only = [{ id: home, access: "write", include_subnotebooks: false }]
    const key = await given("POST", "/api-keys", { name: "one", notebooks: only })
    const one = asOf({ authorization: `Bearer ${key.secret}` })
    const flat = await one.imported(zipOf([{ ...note("Flat", ""), name: "Work/Other/Flat.md" }]), { notebook_id: home })
    expect(flat).toMatchObject({ status: "done", imported: 1, errors: [] })
    expect(await titles(home)).toEqual(["Flat", "Top"])
  })

  it("knows no earlier import of other notebooks, and no file of theirs", async () => {
    const { attach, given, home, imported, note: add, owner, secret, titles } = await start()
    expect(await owner.imported(vault, { notebook_id: secret })).toMatchObject({ imported: 2 })
    const [before] = (await given("GET", `/notes?filter=notebook_id = ${secret}`)).data
    const changed = zipOf([note("Top", "[[Plan]] second"), { ...note("Plan", "first"), name: "Work/Plan.md" }])
    expect(await imported(changed, { notebook_id: home, on_existing: "update" })).toMatchObject({
      imported: 2,
      skipped: 0,
      updated: 0,
      errors: []
    })
    expect((await given("GET", `/notes/${before.id}`)).version).toBe(1)
    expect(await imported(changed, { notebook_id: home, on_existing: "skip" })).toMatchObject({ skipped: 2 })
    // A JSON export names notes and files of the workspace by their ids and hashes.
    const hidden = await add(secret, "Hidden")
    await attach(hidden, "hidden.txt")
    const { bytes } = await owner.exported({ notebook_id: secret, format: "json", include_attachments: false })
    const foreign = await imported(bytes, { notebook_id: home, on_existing: "update" })
    expect(foreign).toMatchObject({ status: "done", imported: 3, updated: 0, errors: [{ code: "missing_file" }] })
    expect((await given("GET", `/notes/${hidden}`)).version).toBe(1)
    const copy = (await given("GET", "/notebooks")).data.find(({ parent_id, name }: any) => {
      return parent_id === home && name === "Secret"
    })
    expect(await titles(copy.id)).toContain("Hidden")
  })

  it("imports a changed note as a new one if its earlier one may only be read", async () => {
    const { closed, home, imported, owner, titles } = await start()
    const of = (body: string) => zipOf([note("Plan", body), note("Same", "same")])
    await owner.imported(of("first"), { notebook_id: closed })
    await app.advance("1 second")
    const again = await imported(of("second"), { notebook_id: home, on_existing: "update" })
    expect(again).toMatchObject({ status: "done", imported: 1, skipped: 1, updated: 0, errors: [] })
    expect(await titles(home)).toEqual(["Plan"])
    // The newest of two earlier notes counts.
    await app.advance("1 second")
    const third = await imported(of("third"), { notebook_id: home, on_existing: "update" })
    expect(third).toMatchObject({ imported: 0, skipped: 1, updated: 1 })
  })

  it("has any number of batches, in one change set of the key", async () => {
    const { ask, home, imported } = await start()
    const many = zipOf(Array.from({ length: 40 }, (_, number) => note(`Note ${number}`, "words")))
    expect(await imported(many, { notebook_id: home })).toMatchObject({ status: "done", imported: 40, errors: [] })
    expect((await ask("GET", "/change-sets")).body.data).toMatchObject([{ origin: "import", records: 40 }])
  })

  it("stays in its notebook, also if the export has ids of others that the key may write to", async () => {
    const { asOf, given, home, note: add, owner, secret, titles } = await start()
    const id = await add(secret, "Plan")
    const { bytes } = await owner.exported({ notebook_id: secret, format: "json" })
    await given("DELETE", `/notes/${id}?permanent=true`)
    const notebooks = [home, secret].map((each) => ({ id: each, access: "write", include_subnotebooks: true }))
    const key = await given("POST", "/api-keys", { name: "both", notebooks })
    const both = asOf({ authorization: `Bearer ${key.secret}` })
    expect(await both.imported(bytes, { notebook_id: home })).toMatchObject({ status: "done", imported: 1 })
    expect(await titles(secret)).toEqual([])
    const [made] = (await given("GET", `/notebooks?filter=parent_id = ${home} AND name = Secret`)).data
    expect(await titles(made.id)).toEqual(["Plan"])
  })

  it("imports no templates, and no tags without notes", async () => {
    const { given, home, imported, note: add, owner } = await start()
    await given("POST", "/templates", { name: "Daily", body: "today" })
    const [free] = [await given("POST", "/tags", { name: "free" }), await add(home, "Plan", { tags: ["red"] })]
    const { bytes } = await owner.exported({ scope: "workspace", format: "json" })
    const made = await imported(bytes, { notebook_id: home, on_existing: "duplicate" })
    expect(made).toMatchObject({ status: "done", errors: [{ code: "skipped", file: /^templates\// }] })
    expect((await given("GET", "/templates")).data).toHaveLength(1)
    await given("DELETE", `/tags/${free.id}`)
    await imported(bytes, { notebook_id: home, on_existing: "duplicate" })
    expect((await given("GET", "/tags")).data.map(({ name }: any) => name)).toEqual(["red"])
  })

  it("is seen by its key only, and fails if the key has ended or may no longer write", async () => {
    const { ask, asOf, ended, files, given, home, key, note: add, notebooks, owner, titles } = await start()
    const begin = async () => (await ask("POST", "/imports", { source: "auto", notebook_id: home })).body
    const [first, second, third] = [await begin(), await begin(), await begin()]
    const foreign = await owner.imported(vault, { notebook_id: home })
    const listed = async () => (await ask("GET", "/imports?sort=created_at")).body.data.map(({ id }: any) => id)
    expect((await listed()).toSorted()).toEqual([first.id, second.id, third.id].toSorted())
    expect((await ask("GET", `/imports/${foreign.id}`)).status).toBe(404)
    const other = await given("POST", "/api-keys", { name: "second", notebooks })
    expect((await asOf({ authorization: `Bearer ${other.secret}` }).ask("GET", "/imports")).body.data).toEqual([])

    await given("PATCH", `/api-keys/${key.id}`, { notebooks: [{ ...notebooks[0], include_subnotebooks: false }] })
    await files.put(first, zipOf([{ ...note("Narrow", ""), name: "New/Narrow.md" }]))
    expect(await ended(`/imports/${first.id}`)).toMatchObject({ status: "done", imported: 1 })
    expect(await titles(home)).toContain("Narrow")
    const late = "The credential that started the import has ended, or may no longer write to the notebook"
    await given("PATCH", `/api-keys/${key.id}`, { notebooks: [{ ...notebooks[0], access: "read" }] })
    await files.put(second, zipOf([note("Late", "")]))
    expect(await ended(`/imports/${second.id}`)).toMatchObject({
      status: "failed",
      imported: 0,
      errors: [{ code: "insufficient_role", message: late }]
    })
    await given("PATCH", `/api-keys/${key.id}`, { notebooks })
    await add(home, "Before")
    await given("DELETE", `/api-keys/${key.id}`)
    await files.put(third, zipOf([note("Late", "")]))
    expect(await owner.ended(`/imports/${third.id}`)).toMatchObject({ status: "failed", errors: [{ message: late }] })
    expect(await titles(home)).not.toContain("Late")
  })
})

it("an import by an app that reaches some notebooks is into these", async () => {
  const { asOf, home, notebooks, owner, secret, team, titles } = await start()
  const file = zipOf([note("Plan", "")])
  await owner.imported(file, { notebook_id: secret })
  const assistant = await connectApp(app, team.owner, { workspace_id: team.id, notebooks })
  const { ask, imported } = asOf(assistant.headers)
  const made = await imported(file, { notebook_id: home })
  expect(made).toMatchObject({ status: "done", imported: 1, skipped: 0, errors: [] })
  expect(await titles(home)).toEqual(["Plan"])
  expect((await ask("GET", "/imports")).body.data).toMatchObject([{ id: made.id }])
})

describe("exports and imports of a limited key on two nodes", () => {
  let other: TestApp | undefined
  afterAll(() => other?.stop())

  it("run on either node within its notebooks", async () => {
    const { asOf, headers, home, note: add, secret, titles } = await start()
    other = await startApp({ databaseOf: app })
    await add(secret, "Hidden")
    await add(home, "Plan")
    const there = asOf(headers, other)
    for (const caller of [asOf(headers), there]) {
      const { files } = await caller.exported({ notebook_id: home })
      expect([...files.keys()]).toEqual(["Home/Plan.md"])
    }
    const made = await there.imported(zipOf([note("Other", "")]), { notebook_id: home })
    expect(made).toMatchObject({ status: "done", imported: 1 })
    expect(await titles(home)).toEqual(["Other", "Plan"])
  })
})
