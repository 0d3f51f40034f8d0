import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atOnce, Budget, stepsPerMillisecond } from "../../../services/concurrency/Budget.ts"
import { day, indexOf, newIndex, note } from "../../support/IndexedNotes.ts"

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

  it("matches words in any order, shows exact and shorter titles first, and equal titles once", () => {
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

  it("matches each word as a prefix", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(words, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), fc.boolean(), (title, lengths, back) => {
        const typed = title.map((word) => word.slice(0, lengths.next().value))
        const one = indexOf(note("one", { title: title.join(" ") }), note("other", { title: "12 34" }))
        expect(one.suggest((back ? typed.toReversed() : typed).join(" "), 10).map(({ id }) => id)).toEqual(["one"])
      }),
      { numRuns: 50 }
    )
    expect(indexOf(note("1", { title: "Meeting notes" })).suggest("mee no", 10)).toHaveLength(1)
    expect(indexOf(note("1", { tags: ["Meeting notes"] })).suggest("no mee", 10)).toHaveLength(1)
    expect(indexOf(note("1", { title: "Müller & Söhne" })).suggest("muell soeh", 10)).toHaveLength(1)
  })

  it("shows words that contain the text after words that begin with it", () => {
    const titles = indexOf(
      note("1", { title: "Dampfschifffahrt" }),
      note("2", { title: "Schifffahrt auf der Donau", tags: ["Luftschiff"] }),
      note("3", { title: "getUserName" })
    )
    expect(titles.suggest("schiff", 10).map(({ id, text }) => id || text)).toEqual(["Luftschiff", "2", "1"])
    expect(titles.suggest("fahrt", 10).map(({ id }) => id)).toEqual(["1", "2"])
    expect(titles.suggest("user", 10).map(({ id }) => id)).toEqual(["3"])
    expect(titles.suggest("ch", 10)).toEqual([])
  })

  it("completes only tags after tag:, and lists all of them when nothing follows it", () => {
    const tagged = indexOf(
      note("1", { title: "Finland", tags: ["finance", "Final draft"] }),
      note("2", { tags: ["finance", "travel"] })
    )
    const texts = (typed: string) => tagged.suggest(typed, 10).map(({ text, type }) => `${type} ${text}`)
    expect(texts("tag:fin")).toEqual(["tag finance", "tag Final draft"])
    for (const typed of ["TAG:#fina", "report -tag:fina", 'tag:"fina'])
      expect(texts(typed)).toEqual(["tag finance", "tag Final draft"])
    expect(texts('tag:"final d')).toEqual(["tag Final draft"])
    expect(texts("tag:")).toEqual(["tag finance", "tag Final draft", "tag travel"])
    expect(texts("fin")).toEqual(["tag finance", "tag Final draft", "title Finland"])
  })

  it("allows a typing error before the last typed letter when nothing matches", () => {
    // Without an "e", no two letters mean an umlaut.
    const word = fc.stringMatching(/^[a-df-z]{8,12}$/)
    fc.assert(
      fc.property(word, fc.nat(5), fc.constantFrom("swap", "drop", "double", "other"), (title, at, error) => {
        const typed = title.slice(0, 7)
        const letters = [...typed]
        if (error === "swap") letters.splice(at, 2, letters[at + 1]!, letters[at]!)
        if (error === "drop") letters.splice(at, 1)
        if (error === "double") letters.splice(at, 0, letters[at]!)
        if (error === "other") letters[at] = "0"
        // A digit is typed on purpose.
        const found = indexOf(note("one", { title }), note("other", { tags: [title] })).suggest(letters.join(""), 10)
        expect(found.map(({ text }) => text)).toEqual(error === "other" ? [] : [title, title])
      }),
      { numRuns: 60 }
    )
    const meeting = indexOf(note("1", { title: "Meeting notes" }))
    for (const typed of ["meetni", "mteing no", "meetijg", "meeting ntoe"])
      expect([typed, meeting.suggest(typed, 10).length]).toEqual([typed, 1])
  })

  it("finds the typed title among very many, and reads few of them", () => {
    const many = newIndex()
    for (let each = 0; each < 60_000; each++) {
      const title = `note ${each % 2 === 0 ? "of" : "about"} ${each}`
      atOnce(many.adding(note(`n${each}`, { title, updated_at: day(each) }), new Budget()))
    }
    many.add(note("exact", { title: "Note" }))
    const work = (typed: string) => {
      const budget = new Budget()
      const found = atOnce(many.suggesting(typed, 10, budget))
      return { found, spent: budget.spent }
    }
    const { found, spent } = work("note")
    expect(found[0]).toMatchObject({ id: "exact" })
    expect(found).toHaveLength(10)
    expect(spent).toBeLessThan(10 * stepsPerMillisecond)
    expect(work("note 59999").found.map(({ id }) => id)).toEqual(["n59999"])
  })

  it("completes in any script, and tags by their signs", () => {
    expect(index.suggest("学", 10).map(({ text }) => text)).toEqual(["機械学習"])
    expect(index.suggest("c+", 10).map(({ text }) => text)).toEqual(["c++"])
  })

  it("keeps to the limit, with places for tags and titles, and suggests nothing for a blank prefix", () => {
    expect(index.suggest("rec", 3).map(({ type }) => type)).toEqual(["tag", "tag", "title"])
    expect(index.suggest(" ", 10)).toEqual([])
  })
})
