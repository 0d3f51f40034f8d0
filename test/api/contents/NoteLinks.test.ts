import { describe, expect, it as test } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const notebook = async (name: string, parent_id?: string): Promise<string> =>
  (await app.call("POST", "/notebooks", { name, ...(parent_id === undefined ? {} : { parent_id }) })).body.id
const note = async (notebook_id: string, title: string, body = ""): Promise<string> =>
  (await app.call("POST", "/notes", { notebook_id, title, body })).body.id
const links = async (id: string, direction: string) =>
  (await app.call("GET", `/notes/${id}/links?direction=${direction}`)).body.data

describe("links of notes", () => {
  test("lists the links to a note that were written before, by id, title, path and alias", async () => {
    const home = await notebook("Trips")
    const vienna = await note(home, "Vienna", "---\naliases: [Wien]\n---\n# Packing list\n\nsocks ^socks\n")
    const diary = await notebook("Diary")
    const source = await note(
      diary,
      "Monday",
      [
        "We saw [[Vienna]] and `[[Vienna]]`.",
        `Read [the plan](note:${vienna}#packing-list), ![[Wien#^socks]] or [it](../Trips/Vienna.md).`,
        "[[Trips/Vienna#Nothing|there]] but %% [[Vienna]] %% not [[Nowhere]]",
        "![[photo.png]] [[plan.PDF]]",
        "",
        "```",
        "[[Vienna]]",
        "```"
      ].join("\n")
    )
    const found = await links(vienna, "in")
    expect(found.map((each: any) => [each.target, each.kind, each.line, each.resolved_by, each.place_found])).toEqual([
      ["Vienna", "link", 1, "title", true],
      [`${vienna}#packing-list`, "link", 2, "id", true],
      ["Wien#^socks", "embed", 2, "alias", true],
      ["../Trips/Vienna.md", "link", 2, "title", true],
      ["Trips/Vienna#Nothing", "link", 3, "title", false]
    ])
    expect(found[0]).toMatchObject({
      note_id: source,
      note_title: "Monday",
      notebook_id: diary,
      text: "Vienna",
      target_title: "Vienna",
      context:
        "We saw Vienna and [[Vienna]]. Read the plan, Wien#^socks or it. there but not Nowhere photo.png plan.PDF"
    })
    expect((await links(source, "broken")).map((each: any) => [each.target, each.status])).toEqual([
      ["Nowhere", "missing"]
    ])
    expect(await links(source, "out")).toHaveLength(6)
    const nowhere = await note(diary, "Nowhere")
    expect((await links(nowhere, "in")).map((each: any) => each.note_id)).toEqual([source])
    expect(await links(source, "broken")).toEqual([])
  })

  test("reports a link that may mean several notes, and resolves it when only one is left", async () => {
    const [one, other, elsewhere] = [await notebook("One"), await notebook("Other"), await notebook("Elsewhere")]
    const [first, second] = [await note(one, "Twice"), await note(other, "Twice")]
    const source = await note(elsewhere, "Source", "[[Twice]], [[One/Twice]]")
    const inOne = await note(one, "Near", "[[Twice]]")
    const out = await links(source, "out")
    expect(out.map((each: any) => [each.status, each.target_id])).toEqual([
      ["ambiguous", null],
      ["resolved", first]
    ])
    expect(out[0].candidates.toSorted()).toEqual([first, second].toSorted())
    expect((await links(inOne, "out"))[0]).toMatchObject({ status: "ambiguous" })
    expect((await app.call("GET", `/notes/linked?target=Twice&notebook_id=${elsewhere}`)).status).toBe(404)
    expect((await app.call("GET", `/notes/${source}/rendered`)).body.html).toContain("#ambiguous:Twice")
    await app.call("DELETE", `/notes/${first}?permanent=true`)
    expect((await links(source, "out")).map((each: any) => [each.status, each.target_id])).toEqual([
      ["resolved", second],
      ["missing", null]
    ])
    await app.call("DELETE", `/notes/${second}`)
    expect((await links(source, "broken")).map((each: any) => each.status)).toEqual(["missing", "missing"])
    await app.call("POST", `/notes/${second}/restore`)
    expect((await links(source, "out"))[0]).toMatchObject({ status: "resolved", target_id: second })
  })

  test("follows a title that the note had, until another note has it", async () => {
    const home = await notebook("Names")
    const away = await notebook("Away")
    const target = await note(home, "Old name")
    const source = await note(away, "Referrer", "[[Old name]] [[Names/Old name]]")
    await app.call("PATCH", `/notes/${target}`, { title: "New name" })
    await app.call("PATCH", `/notes/${target}`, { notebook_id: away })
    expect((await links(source, "out")).map((each: any) => [each.target_id, each.resolved_by])).toEqual([
      [target, "former"],
      [target, "former"]
    ])
    const html = (await app.call("GET", `/notes/${source}/rendered`)).body.html
    expect(html.match(new RegExp(`#note:${target}`, "g"))).toHaveLength(2)
    const successor = await note(home, "Old name")
    expect((await links(source, "out")).map((each: any) => [each.target_id, each.resolved_by])).toEqual([
      [successor, "title"],
      [successor, "title"]
    ])
  })

  test("lists notes that mention a note without a link to it", async () => {
    const home = await notebook("Mentions")
    const target = await note(home, "Blue Danube", "---\naliases: [Donau]\n---\n")
    const body = "`Blue Danube` [Blue Danube](https://example.com)\n\nAt the **blue danube** and the Donau."
    const mentioning = await note(home, "Walk", body)
    await note(home, "Linked", "[[Blue Danube]] and Blue Danube")
    await note(home, "Words", "The Danube is blue, and Donaudampfer float.")
    await note(home, "Images", "Oh!Donau, Blue %%x%%Danube")
    const [found, ...others] = await links(target, "unlinked")
    expect(others).toEqual([])
    expect(found).toMatchObject({
      note_id: mentioning,
      kind: "mention",
      status: "unlinked",
      text: "blue danube",
      line: 3,
      version: 1,
      context: "At the blue danube and the Donau."
    })
    expect(body.slice(found.starts, found.ends)).toBe("blue danube")
  })

  test("lists broken links of a workspace by a filter, and the neighbours of a note", async () => {
    const home = await notebook("Graph")
    const a = await note(home, "Node A", "[[Node B]] [[Gone]]")
    const b = await note(home, "Node B", "[[Node C]]")
    const c = await note(home, "Node C")
    const broken = await app.call("GET", `/links?filter=${encodeURIComponent(`broken = true AND note_id = ${a}`)}`)
    expect(broken.body.data.map((each: any) => each.target)).toEqual(["Gone"])
    const near = await app.call("GET", `/notes/${c}/neighbours?depth=2&limit=1`)
    expect(near.body).toMatchObject({ data: [{ id: b, title: "Node B", distance: 1 }], has_more: true })
    const next = await app.call("GET", `/notes/${c}/neighbours?depth=2&limit=1&cursor=${near.body.next_cursor}`)
    expect(next.body).toMatchObject({ data: [{ id: a, distance: 2 }], has_more: false })
    expect((await app.call("GET", `/notes/${c}/neighbours?depth=4`)).status).toBe(400)
    expect((await app.call("GET", `/notes/${c}/links?direction=up`)).status).toBe(400)
    expect((await app.call("GET", "/notes/nt_01kq3mZ8vT4sWx7Yb2Nc5E/links")).status).toBe(404)
  })
})
