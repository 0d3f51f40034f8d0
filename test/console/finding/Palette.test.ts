import { describe, expect, it } from "vitest"
import { distance, markedParts, matching } from "../../../src/clients/console/finding/Matching.ts"
import { headingsOf } from "../../../src/clients/console/finding/Headings.ts"

describe("the palette", () => {
  it.each([
    ["Lisbon", "lisbon", 0],
    ["Café in Lisbon", "cafe", 1],
    ["A week in Lisbon", "lis wee", 2],
    ["re-read", "read", 2],
    ["Preread", "read", 3],
    ["Lisbon", "lisbon trip", undefined],
    ["Lisbon", "lsibon", undefined],
    ["東京の地図", "地図", 3]
  ])("finds %j by %j: %s", (title, query, far) => {
    expect(distance(title, query)).toBe(far)
  })

  it("puts the nearest first, then notes before other kinds, then what was changed last, and other words behind", () => {
    const entries = [
      { title: "Trip plan", kind: "command" },
      { title: "A trip", kind: "note" },
      { title: "Trip to Rome", kind: "note" },
      { title: "Trips", kind: "notebook" },
      { title: "Trip to Vienna", kind: "note" },
      { title: "Print", kind: "command", aliases: "trip paper" },
      { title: "Bread", kind: "note" }
    ] as const
    expect(matching(entries, "trip", 10).map(({ title }) => title)).toEqual([
      "Trip to Rome",
      "Trip to Vienna",
      "Trips",
      "Trip plan",
      "A trip",
      "Print"
    ])
    expect(matching(entries, "trip", 2)).toHaveLength(2)
  })

  it("marks what was typed, whatever its case and accents", () => {
    const marked = (title: string, query: string) =>
      markedParts(title, query)
        .map(({ isMatch, text }) => (isMatch ? `[${text}]` : text))
        .join("")
    expect(marked("Café in Lisbon", "lis cafe")).toBe("[Café] in [Lis]bon")
    expect(marked("Lisbon", "")).toBe("Lisbon")
    expect(marked("", "x")).toBe("")
  })

  it("finds a note among 5 000 within 30 ms", () => {
    const entries = Array.from({ length: 5_000 }, (_, at) => ({ title: `Notes of day ${at}`, kind: "note" as const }))
    matching(entries, "day", 20)
    const before = performance.now()
    const [found] = matching(entries, "day 4999", 20)
    // Ten times the goal: other work on the machine takes time too.
    expect(performance.now() - before).toBeLessThan(300)
    expect(found!.title).toBe("Notes of day 4999")
  })
})

describe("the outline", () => {
  it("has the headings of a text, by their lines, without signs of Markdown", () => {
    const body = [
      "---",
      "# no heading",
      "---",
      "# Route #",
      "text",
      "## The **first** [day](https://sheaf.test) in [[Lisbon|the city]]",
      "```md",
      "# code",
      "~~~",
      "```",
      "    # code",
      "#tag",
      "Second day",
      "==========",
      "- item",
      "---",
      "Third day",
      "---",
      "",
      "---",
      "###",
      "# #",
      "## C#",
      "###### snake_case \\# `x`"
    ]
    expect(headingsOf(body.join("\r\n"))).toEqual([
      { text: "Route", level: 1, line: 4 },
      { text: "The first day in the city", level: 2, line: 6 },
      { text: "Second day", level: 1, line: 13 },
      { text: "Third day", level: 2, line: 17 },
      { text: "C#", level: 2, line: 23 },
      { text: "snake_case # x", level: 6, line: 24 }
    ])
  })

  it.each([
    ["blanks", `# x${" ".repeat(1_000_000)}y`],
    ["signs", `# x${" #".repeat(500_000)} y`],
    ["brackets", `# x${"[".repeat(1_000_000)}`]
  ])("reads a long heading of %s once", (_, body) => {
    expect(headingsOf(body)).toHaveLength(1)
  })
})
