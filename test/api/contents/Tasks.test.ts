import { describe, expect, it as test } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()

const notebook = async (name: string): Promise<string> => (await app.call("POST", "/notebooks", { name })).body.id
const note = async (notebook_id: string, title: string, body: string): Promise<string> =>
  (await app.call("POST", "/notes", { notebook_id, title, body })).body.id
const tasks = async (filter: string, sort = "due") =>
  (await app.call("GET", `/tasks?filter=${encodeURIComponent(filter)}&sort=${sort}`)).body.data
const bodyOf = async (id: string): Promise<string> => (await app.call("GET", `/notes/${id}`)).body.body

describe("tasks", () => {
  test("lists tasks by date, state, notebook, tag and priority", async () => {
    const home = await notebook("Home")
    const id = await note(
      home,
      "Trip",
      [
        "- [ ] tickets #travel 📅 2026-12-01 ⏫",
        "- [x] hotel due:2026-11-20",
        "> 1. [ ] socks [due:: 2026-11-30]",
        "- [ ] someday",
        "```",
        "- [ ] no task",
        "```"
      ].join("\n")
    )
    const open = await tasks(`done = false AND notebook_id = ${home}`)
    expect(open.map((each: any) => [each.text, each.due, each.priority, each.line, each.version])).toEqual([
      ["socks", "2026-11-30", null, 3, 1],
      ["tickets #travel", "2026-12-01", "high", 1, 1],
      ["someday", null, null, 4, 1]
    ])
    expect(
      (await tasks(`done = false AND due < 2026-12-01 AND note_id = ${id}`)).map((each: any) => each.text)
    ).toEqual(["socks"])
    expect((await tasks(`due > 2026-01-01 AND note_id = ${id}`)).map((each: any) => each.text)).toEqual([
      "socks",
      "tickets #travel",
      "hotel"
    ])
    expect((await tasks(`due = null AND note_id = ${id}`)).map((each: any) => each.text)).toEqual(["someday"])
    expect(await tasks(`tags = #Travel AND note_id = ${id}`)).toHaveLength(1)
    expect(await tasks(`priority = high AND note_id = ${id}`)).toHaveLength(1)
    for (const filter of ["priority >= high", "priority = urgent"]) {
      const refused = await app.call("GET", `/tasks?filter=${encodeURIComponent(filter)}`)
      expect([refused.status, refused.body.code]).toEqual([400, "invalid_filter"])
    }
    await app.call("POST", `/notes/${id}/archive`)
    expect(await tasks(`notebook_id = ${home}`)).toEqual([])
    expect(await tasks(`notebook_id = ${home} AND archived = true`)).toHaveLength(4)
  })

  test("changes one line, in the form that it has, at the version that was read", async () => {
    const home = await notebook("Lines")
    const text = "intro\r\n* [ ] pay  rent 📅 2026-12-01 \r\n* [ ] pay  rent 📅 2026-12-01\r\nend"
    const id = await note(home, "Bills", text)
    const [first, second] = await tasks(`note_id = ${id}`, "line")
    expect(first.id).not.toBe(second.id)
    const ticked = await app.call("PATCH", `/tasks/${second.id}`, { done: true, version: second.version })
    expect(ticked.body).toMatchObject({ id: second.id, done: true, line: 3, version: 2 })
    expect(await bodyOf(id)).toBe("intro\r\n* [ ] pay  rent 📅 2026-12-01 \r\n* [x] pay  rent 📅 2026-12-01\r\nend")
    expect((await app.call("PATCH", `/tasks/${first.id}`, { done: true, version: 1 })).status).toBe(412)
    const later = await app.call("PATCH", `/tasks/${first.id}`, { due: "2027-01-01", priority: "high" })
    expect(later.body).toMatchObject({ due: "2027-01-01", priority: "high", line: 2, done: false, version: 3 })
    expect((await bodyOf(id)).split("\r\n")[1]).toContain("📅 2027-01-01")
    expect((await app.call("PATCH", `/tasks/${later.body.id}`, { due: "2027-02-30" })).status).toBe(422)
    // The line would be no task any more.
    const plain = await note(home, "Rent", "- [ ] pay rent")
    const [rent] = await tasks(`note_id = ${plain}`)
    for (const text of ["", " ", "%% note", "<!-- hidden", "a\nb"]) {
      const refused = await app.call("PATCH", `/tasks/${rent.id}`, { text })
      expect([text, refused.status]).toEqual([text, 422])
    }
    expect((await given("GET", `/notes/${plain}`)).version).toBe(1)
    for (const { id } of [first, second])
      expect((await app.call("PATCH", `/tasks/${id}`, { done: true })).status).toBe(404)
    const moved = `new first line\n${await bodyOf(id)}`
    await app.call("PATCH", `/notes/${id}`, { body: moved })
    const [, last] = await tasks(`note_id = ${id}`, "line")
    const after = await app.call("PATCH", `/tasks/${last.id}`, { done: false })
    expect(after.body).toMatchObject({ line: 4, done: false })
    expect(await bodyOf(id)).toBe(moved.replace("[x]", "[ ]"))
  })
})
