import { describe, expect, it } from "vitest"
import { searchOf, valueOf, withOperator } from "../../../src/clients/console/notes/SearchQuery.ts"

const notebooks = [
  { id: "nb_work", name: "Work" },
  { id: "nb_Trips", name: "Trips to come" }
]

describe("a search", () => {
  it.each([
    ["plain words", { query: "plain words", archived: null }],
    ["in:work plan", { query: "plan", archived: null, notebook_id: "nb_work" }],
    ['plan IN:"trips to come"  day', { query: "plan day", archived: null, notebook_id: "nb_Trips" }],
    ["in:nb_Trips plan", { query: "plan", archived: null, notebook_id: "nb_Trips" }],
    [
      "after:2026-01-02 before:2026-02-03",
      { query: "", archived: null, updated_after: "2026-01-02", updated_before: "2026-02-03" }
    ],
    ["is:archived x", { query: "x", archived: true }],
    ["-is:archived x", { query: "x", archived: false }],
    // The server has these.
    ['tag:trip -tag:old "a phrase" -word', { query: 'tag:trip -tag:old "a phrase" -word', archived: null }],
    // Without a sense they are words.
    [
      "in:nowhere after:soon before:2026-13-45 is:good",
      { query: "in:nowhere after:soon before:2026-13-45 is:good", archived: null }
    ],
    ["main:x -in:work begin:in:work", { query: "main:x -in:work begin:in:work", archived: null }]
  ])("%j is asked as it is meant", (typed, asked) => {
    expect(searchOf(typed, notebooks)).toEqual(asked)
  })

  it.each([
    ["plan", "in", "Trips to come", 'plan in:"Trips to come"'],
    ['in:"Trips to come" plan', "in", "Work", "plan in:Work"],
    ["plan after:2026-01-01 day", "after", undefined, "plan day"],
    ["-is:archived plan", "is", "archived", "plan is:archived"],
    ["plan", "is", "-archived", "plan -is:archived"],
    ["", "tag", "trip", "tag:trip"]
  ] as const)("%j gets %s: %s", (typed, operator, value, expected) => {
    expect(withOperator(typed, operator, value)).toBe(expected)
    expect(valueOf(expected, operator)).toBe(value)
  })
})
