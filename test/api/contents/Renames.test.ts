import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { beforeStatement } from "../../support/Statements.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given } = useApp()

const notebook = async (name: string): Promise<string> => (await given("POST", "/notebooks", { name })).id
const note = async (notebook_id: string, title: string, body = ""): Promise<string> =>
  (await given("POST", "/notes", { notebook_id, title, body })).id
const bodyOf = async (id: string): Promise<string> => (await given("GET", `/notes/${id}`)).body
const targetsOf = async (id: string) =>
  (await given("GET", `/notes/${id}/links?direction=out`)).data.map((each: any) => [each.target_id, each.resolved_by])

describe("a new title of a note", () => {
  it("rewrites the links that led to it in their forms, as one change set that can be undone", async () => {
    const [trips, diary] = [await notebook("Trips"), await notebook("Diary")]
    const vienna = await note(trips, "Vienna", "# Hotels\n\n[[Vienna#Hotels|above]]")
    const body = [
      "[[Vienna]] [[vienna|the city]] [[Trips/Vienna#Hotels]] ![[Vienna]] `[[Vienna]]`",
      `[Vienna](Vienna.md) [it](../Trips/Vienna.md#Hotels "Vienna") [x](<Vienna>) [id](note:${vienna})`,
      "| a [[Vienna\\|b]] |",
      "|---|",
      "[ref][v]",
      "",
      "[v]: Vienna.md 'Vienna'",
      "[[Vienna Airport]] [[Viennas]]"
    ].join("\n")
    const source = await note(diary, "Monday", `---\nplace: "[[Vienna]]"\n---\n${body}`)
    const kept = await given("PATCH", `/notes/${vienna}`, { links: "keep", pinned: true })
    expect(kept.links).toEqual({ notes: 0, change_set_id: null })
    const { links, title, version } = await given("PATCH", `/notes/${vienna}`, { title: "Wien (A)", links: "update" })
    expect([title, version, links.notes]).toEqual(["Wien (A)", 4, 2])
    expect(await bodyOf(source)).toBe(
      [
        '---\nplace: "[[Wien (A)]]"\n---',
        "[[Wien (A)]] [[Wien (A)|the city]] [[Trips/Wien (A)#Hotels]] ![[Wien (A)]] `[[Vienna]]`",
        `[Wien (A)](Wien%20%28A%29.md) [it](../Trips/Wien%20%28A%29.md#Hotels "Vienna") [x](<Wien (A)>) [id](note:${vienna})`,
        "| a [[Wien (A)\\|b]] |",
        "|---|",
        "[ref][v]",
        "",
        "[v]: Wien%20%28A%29.md 'Vienna'",
        "[[Vienna Airport]] [[Viennas]]"
      ].join("\n")
    )
    expect(await bodyOf(vienna)).toBe("# Hotels\n\n[[Wien (A)#Hotels|above]]")
    expect((await targetsOf(source)).filter(([target]: any) => target === vienna)).toHaveLength(11)
    await given("POST", `/change-sets/${links.change_set_id}/revert`, {})
    await app.idle()
    expect((await given("GET", `/notes/${vienna}`)).title).toBe("Vienna")
    expect(await bodyOf(source)).toBe(`---\nplace: "[[Vienna]]"\n---\n${body}`)
  })

  it("keeps the alias in a link whose path is rewritten", async () => {
    const [coast, north] = [await notebook("Coast"), await notebook("North")]
    const id = await note(coast, "Gdynia", "---\naliases: [Gdingen, Harbour]\n---\n")
    const source = await note(north, "Ports", "[[Coast/Gdingen#Quay]] [Harbour](../Coast/Harbour.md) [[Gdingen]]")
    const change = { notebook_id: north, title: "Gdynia (PL)", links: "update" }
    expect((await given("PATCH", `/notes/${id}`, change)).links.notes).toBe(1)
    expect(await bodyOf(source)).toBe("[[North/Gdingen#Quay]] [Harbour](Harbour.md) [[Gdingen]]")
    const without = { body: "---\naliases: [Harbour]\n---\n", links: "update" }
    expect((await given("PATCH", `/notes/${id}`, without)).links.notes).toBe(1)
    expect(await bodyOf(source)).toBe("[[North/Gdynia (PL)#Quay]] [Harbour](Harbour.md) [[Gdynia (PL)]]")
  })

  it("keeps the links that lead to another note with the new title", async () => {
    const [work, rest] = [await notebook("Work"), await notebook("Rest")]
    const other = await note(work, "Beta")
    const id = await note(rest, "Gamma")
    const source = await note(rest, "Both", "[[Beta]] [[beta|it]] [[Work/Beta]] [[Gamma]]")
    expect((await given("PATCH", `/notes/${id}`, { title: "Delta", links: "keep" })).links.notes).toBe(1)
    const { links } = await given("PATCH", `/notes/${id}`, { title: "Beta", links: "update" })
    expect(links.notes).toBe(1)
    expect(await bodyOf(source)).toBe("[[Work/Beta]] [[Work/Beta|it]] [[Work/Beta]] [[Rest/Beta]]")
    const leads = (await targetsOf(source)).map(([target]: any) => target)
    expect(leads).toEqual([other, other, other, id])
    // A move into its notebook leaves no path that leads to one of them only.
    const moved = await given("PATCH", `/notes/${id}`, { notebook_id: work, links: "update" })
    expect(moved.links.notes).toBe(1)
    expect((await targetsOf(source)).map(([target]: any) => target)).toEqual(leads)
    expect(await bodyOf(source)).toContain(`[Beta](note:${other})`)
  })

  it("rewrites links by a former title without another version of the note", async () => {
    const home = await notebook("Later")
    const id = await note(home, "Lisbon")
    const source = await note(home, "Itinerary", "[[Lisbon]] [[later/lisbon|there]]")
    await given("PATCH", `/notes/${id}`, { title: "Lis" })
    const renamed = await given("PATCH", `/notes/${id}`, { title: "Lisboa" })
    const kept = await given("PATCH", `/notes/${id}`, { links: "keep" })
    expect([kept.version, kept.updated_at, kept.links]).toEqual([
      renamed.version,
      renamed.updated_at,
      { notes: 1, change_set_id: null }
    ])
    const { links, version } = await given("PATCH", `/notes/${id}`, { links: "update" })
    expect([version, links.notes]).toEqual([renamed.version, 1])
    expect(await bodyOf(source)).toBe("[[Lisboa]] [[Later/Lisboa|there]]")
    await given("POST", `/change-sets/${links.change_set_id}/revert`, {})
    await app.idle()
    expect(await bodyOf(source)).toBe("[[Lisbon]] [[later/lisbon|there]]")
    expect((await given("GET", `/notes/${id}`)).title).toBe("Lisboa")
  })

  it("leaves links that led to another note, and takes a form that leads to this one", async () => {
    const [one, two, three] = [await notebook("One"), await notebook("Two"), await notebook("Three")]
    const first = await note(one, "Plan")
    const second = await note(two, "Plan")
    const [inOne, inTwo] = [await note(one, "a", "[[../One/Plan]]"), await note(two, "b", "[[Plan]]")]
    const elsewhere = await note(three, "c", "[[Plan]] [[One/Plan]]")
    await note(three, "Goal")
    const { links } = await given("PATCH", `/notes/${first}`, { title: "Goal", links: "update" })
    expect(links.notes).toBe(2)
    expect(await bodyOf(inOne)).toBe("[[One/Goal]]")
    expect(await bodyOf(inTwo)).toBe("[[Plan]]")
    expect(await bodyOf(elsewhere)).toBe("[[Plan]] [[One/Goal]]")
    expect(await targetsOf(elsewhere)).toEqual([
      [second, "title"],
      [first, "title"]
    ])
    const moved = await given("PATCH", `/notes/${first}`, { notebook_id: two, title: "C# [x]", links: "update" })
    expect(moved.links.notes).toBe(2)
    expect(await bodyOf(inOne)).toBe(`[C# \\[x\\]](note:${first})`)
    expect(await bodyOf(elsewhere)).toBe(`[[Plan]] [C# \\[x\\]](note:${first})`)
  })

  it("rewrites links to the title that another client gives the note meanwhile", async () => {
    const home = await notebook("Meanwhile")
    const id = await note(home, "Draft")
    const sources = await Promise.all(["x", "y"].map((title) => note(home, title, "[[Draft]]")))
    const other = Effect.promise(() => given("PATCH", `/notes/${id}`, { title: "Last" }))
    // The texts with links are read once the title of the note is known.
    await beforeStatement(app, "whole", /json_agg[^]*FROM notes n JOIN note_contents/, other)
    const { links } = await given("PATCH", `/notes/${id}`, { title: "Next", links: "update" })
    expect([links.notes, ...(await Promise.all(sources.map(bodyOf)))]).toEqual([2, "[[Last]]", "[[Last]]"])
  })

  it("is written as the front matter needs it, by the id where no name fits, and in a table", async () => {
    const home = await notebook("Home of links")
    const old = await note(home, "Old name")
    const body = [
      "---",
      'double: "[[Old name]]"',
      "single: '[[Old name|x]]'",
      "plain: [[Old name#Part]]",
      "---",
      "![[Old name]]",
      "",
      "| [[Old name]] | [Old name](<Old name.md>) |",
      "|---|---|"
    ].join("\n")
    const source = await note(home, "Source", body)
    const leads = async (count: number) =>
      expect((await targetsOf(source)).filter(([target]: any) => target === old)).toHaveLength(count)
    await given("PATCH", `/notes/${old}`, { title: `It's "new"`, links: "update" })
    expect((await bodyOf(source)).split("\n").slice(1, 4)).toEqual([
      `double: "[[It's \\"new\\"]]"`,
      `single: '[[It''s "new"|x]]'`,
      `plain: [[${old}#Part]]`
    ])
    await leads(6)
    await given("PATCH", `/notes/${old}`, { title: "a | b [c]", links: "update" })
    expect((await bodyOf(source)).split("\n")).toEqual([
      "---",
      `double: "[[${old}]]"`,
      `single: '[[${old}|x]]'`,
      `plain: [[${old}#Part]]`,
      "---",
      `![a \\| b \\[c\\]](note:${old})`,
      "",
      `| [a \\| b \\[c\\]](note:${old}) | [a \\| b \\[c\\]](a%20%7C%20b%20%5Bc%5D.md) |`,
      "|---|---|"
    ])
    await leads(6)
  })
})
