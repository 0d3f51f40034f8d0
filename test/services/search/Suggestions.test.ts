import { describe, expect, it } from "vitest"
import { day, indexOf, note } from "../../support/IndexedNotes.ts"

describe("suggestions", () => {
  const index = indexOf(
    note("1", { title: "Recipe for bread", tags: ["recipes", "food"], updated_at: day(1) }),
    note("2", { title: "Bread recipe", tags: ["recipes"], updated_at: day(2) }),
    note("3", { title: "Recent", archived: true, tags: ["c++"] }),
    note("4", { title: "機械学習", tags: ["Récolte"] })
  )

  it("completes tags by use, then titles, those that begin with the prefix first", () => {
    expect(index.suggest("rec", 10)).toEqual([
      { type: "tag", text: "recipes", id: "" },
      { type: "tag", text: "Récolte", id: "" },
      { type: "title", text: "Recipe for bread", id: "1" },
      { type: "title", text: "Bread recipe", id: "2" }
    ])
    expect(index.suggest("bread rec", 10).map(({ id }) => id)).toEqual(["2", "1"])
  })

  it("takes words in any order, shows exact and shorter titles first and equal ones once", () => {
    const titles = indexOf(
      note("1", { title: "Plan of the garden", updated_at: day(3) }),
      note("2", { title: "Plan" }),
      note("3", { title: "Planning" }),
      note("4", { title: "Plan", updated_at: day(1) })
    )
    expect(titles.suggest("plan", 10).map(({ id }) => id)).toEqual(["4", "3", "1"])
    expect(titles.suggest("garden pl", 10).map(({ id }) => id)).toEqual(["1"])
    expect(titles.suggest("gardne", 10).map(({ id }) => id)).toEqual(["1"])
  })

  it("completes in any script, and tags by their signs", () => {
    expect(index.suggest("学", 10).map(({ text }) => text)).toEqual(["機械学習"])
    expect(index.suggest("c+", 10).map(({ text }) => text)).toEqual(["c++"])
  })

  it("keeps to the limit, with places for both, and has nothing for a blank prefix", () => {
    expect(index.suggest("rec", 3).map(({ type }) => type)).toEqual(["tag", "tag", "title"])
    expect(index.suggest(" ", 10)).toEqual([])
  })
})
