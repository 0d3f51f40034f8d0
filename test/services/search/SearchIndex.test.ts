import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atOnce, Budget, type Sliced } from "../../../services/concurrency/Budget.ts"
import type { IndexedNote } from "../../../services/search/Entries.ts"
import { SearchIndex } from "../../../services/search/SearchIndex.ts"
import { day, finds, ids, indexOf, note } from "../../support/IndexedNotes.ts"

describe("finding words", () => {
  it("finds a note by its title, its body and its tags", () => {
    const index = indexOf(
      note("t", { title: "Garden" }),
      note("b", { body: "the garden" }),
      note("g", { tags: ["garden"] })
    )
    expect(ids(index, "garden").sort()).toEqual(["b", "g", "t"])
  })

  it("shows notes with all words first, then those with the weightier ones; a word found nowhere empties nothing", () => {
    const index = indexOf(
      note("both", { title: "red", body: "blue" }),
      note("weighty", { body: "blue" }),
      note("light", { body: "red" }),
      note("lighter", { body: "red" })
    )
    expect(ids(index, "blue red")).toEqual(["both", "weighty"])
    expect(ids(index, "blue red absent")).toEqual(["both", "weighty"])
  })

  it("requires all words where many notes have them", () => {
    const index = indexOf(
      ...Array.from({ length: 25 }, (_, each) => note(`both${each}`, { body: "red blue" })),
      note("one", { title: "red" })
    )
    expect(ids(index, "red blue")).toHaveLength(25)
    expect(ids(index, "how do I find the red blue")).toHaveLength(25)
  })

  it("takes words that say little for what is meant where there are no others", () => {
    const index = indexOf(note("band", { title: "The Who" }), note("other", { body: "who is the one" }))
    expect(ids(index, "the who")).toEqual(["band", "other"])
  })

  it("matches the last word, and only the last, as a prefix", () => {
    const index = indexOf(note("n", { body: "database configuration" }))
    expect(ids(index, "database conf")).toEqual(["n"])
    expect(ids(index, "data zebra")).toEqual([])
  })

  it("forgives one typing error from four letters and two from eight, the first letter included", () => {
    for (const typo of ["hause", "huose", "ouse", "houuse", "mouse"])
      expect([typo, finds("house", typo)]).toEqual([typo, true])
    for (const typo of ["hse", "cat"]) expect([typo, finds("house", typo)]).toEqual([typo, false])
    for (const typo of ["cinfigurtaion", "onfigurationn", "konfigurasion"]) {
      expect([typo, finds("configuration", typo)]).toEqual([typo, true])
    }
    expect(finds("cat", "cet")).toBe(false)
  })

  it("shows notes of several words among the first ten where it is not clear which one was meant", () => {
    const plenty = Array.from({ length: 30 }, (_, each) => note(`m${each}`, { body: "manage" }))
    const index = indexOf(...plenty, note("page", { body: "manpage" }), note("far", { body: "manger" }))
    const found = ids(index, "manpge")
    expect(found.slice(0, 10)).toContain("page")
    expect(found[0]).toMatch(/^m/)
  })

  it("shows the note first whose whole title was typed", () => {
    const index = indexOf(
      note("longer", {
        title: "Weekday class class weekday",
        body: "weekday class ".repeat(9),
        tags: ["weekday", "class"]
      }),
      note("more", { title: "Month weekday class", body: "weekday class ".repeat(9), tags: ["weekday", "class"] }),
      note("whole", { title: "The weekday class", body: "filler ".repeat(500) })
    )
    expect(ids(index, "month weekday class")[0]).toBe("more")
    expect(
      ids(
        indexOf(note("one", { title: "Write letters", tags: ["write"] }), note("whole", { title: "Write" })),
        "write"
      )[0]
    ).toBe("whole")
    expect(ids(index, "class weekday").indexOf("whole")).toBeLessThan(ids(index, "class weekday").indexOf("more"))
  })

  it("raises notes in which the words of a sentence stand near each other", () => {
    const filler = "lorem ipsum dolor sit amet consectetur ".repeat(6)
    const index = indexOf(
      note("apart", { body: `river ${filler} valley ${filler} harbour ${filler} glacier` }),
      note("near", { body: `${filler} river valley harbour glacier ${filler} ${filler}` })
    )
    expect(ids(index, "glacier river valley harbour")).toEqual(["near", "apart"])
  })

  it("answers the likeliest correction, also by its sound, where nothing is found", () => {
    const index = indexOf(note("n", { title: "House configuration", body: "phonetic spelling" }))
    for (const [typed, meant] of [
      ["haise", "house"],
      ["konfikurasion", "configuration"],
      ["fonetik", "phonetic"],
      ["hause konfikurasion", undefined]
    ]) {
      const { suggestion, total } = atOnce(index.searching({ query: typed! }, 0, 10, new Budget()))
      expect([typed, suggestion, total]).toEqual([typed, meant, 1])
    }
    expect(ids(index, "zzzzzz")).toEqual([])
  })

  it("shows among the first hits also words that were meant as likely, where a word alone is a guess", () => {
    const likeliest = Array.from({ length: 12 }, (_, each) => note(`colon${each}`, { body: "a colon" }))
    const other = [note("one", { body: "a collision" }), note("two", { body: "the collision" })]
    const index = indexOf(...likeliest, ...other, note("far", { body: "something else" }))
    const { matches, suggestion, total } = atOnce(index.searching({ query: "clliion" }, 0, 10, new Budget()))
    expect([suggestion, total]).toEqual(["colon", 14])
    expect(matches.slice(0, 4).every(({ id }) => id.startsWith("colon"))).toBe(true)
    expect(matches.slice(4, 6).map(({ id }) => id)).toEqual(["one", "two"])
  })

  it("finds the inflected forms of a word, by the language of the note, after the word itself", () => {
    const index = indexOf(
      note("many", { body: "The ponies were running in the fields and they had been there before" }),
      note("one", { body: "A pony runs over the field when it is with the others" }),
      note("de", { body: "Die Häuser sind nicht weit von hier, und das ist auch gut so" })
    )
    expect(ids(index, "pony ")).toEqual(["one", "many"])
    expect(ids(index, "field")).toEqual(["one", "many"])
    expect(ids(index, "haus")).toEqual(["de"])
    expect(ids(index, "how do ponies run")).toEqual(["many", "one"])
  })

  it("finds parts of names and numbers, words with signs, and what was typed as one side by side", () => {
    const index = indexOf(
      note("code", { body: "getUserName fails with C2065" }),
      note("signs", { body: "learn c++ and .net" }),
      note("plain", { body: "the c language, a net" }),
      note("date", { body: "on 2026-08-23 we met" }),
      note("scattered", { body: "23 of 2026, but 08 not" })
    )
    expect(ids(index, "user name")).toEqual(["code"])
    expect(ids(index, "2065")).toEqual(["code"])
    expect(ids(index, "getusername")).toEqual(["code"])
    expect(ids(index, "c++")).toEqual(["signs", "plain"])
    expect(ids(index, ".net")).toEqual(["signs", "plain"])
    expect(ids(index, "2026-08-23")).toEqual(["date", "scattered"])
  })

  it("finds compounds by their parts, and parts by compounds", () => {
    const index = indexOf(
      note("one", {
        body: "Die Dampfschifffahrt ist nicht das was sie hier war, und auch nicht die Fahrt oder der Dampf"
      }),
      note("two", { body: "Das Kinderbuch und der Autor sind nicht von hier, das Buch ist für die Kinder" })
    )
    expect(ids(index, "buch ").at(0)).toBe("two")
    expect(ids(index, "kinderbuchautor ")).toEqual(["two"])
    expect(ids(index, "schifffahrt ")).toEqual(["one"])
  })

  it("cuts no misspelt word into words of languages that write no compounds", () => {
    const english = "and the utility of it is not what you have been told by those who were there for the ides of March"
    const german = "Das ist nicht das was sie hier mit uns und der Katze von dem Haus haben"
    const notes = [note("parts", { body: english }), note("meant", { body: `${english} utilizes` })]
    expect(ids(indexOf(...notes, note("german", { body: german })), "utilityides ")).toEqual([])
    expect(ids(indexOf(...notes, note("german", { body: `${german} utility ides` })), "utilityides ")).not.toEqual([])
  })

  it("takes another number for another number, not for a typing error", () => {
    expect(finds("invoice 20241", "20251")).toBe(false)
  })

  it("finds the exact word before its continuations before typing errors", () => {
    const index = indexOf(
      note("typo", { title: "firm", body: "firm firm firm" }),
      note("prefix", { title: "formation" }),
      note("exact", { body: `form ${"padding ".repeat(300)}` })
    )
    expect(ids(index, "form")).toEqual(["exact", "prefix", "typo"])
  })

  it("finds titles and tags before bodies, however often these say it", () => {
    const index = indexOf(
      note("body", { body: "plan ".repeat(50) }),
      note("title", { title: "a plan", body: "other ".repeat(500) }),
      note("tag", { tags: ["plan"], body: "other ".repeat(500) })
    )
    expect(ids(index, "plan").at(-1)).toBe("body")
  })

  it("scores between 0 and 1, best first", () => {
    const index = indexOf(note("a", { title: "form" }), note("b", { body: "forms" }), note("c", { body: "from" }))
    const scores = index.search({ query: "form" }).map(({ score }) => score)
    expect(scores).toHaveLength(3)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true)
  })

  it("puts equals in the order of their last change, latest first, then by id", () => {
    const same = { body: "equal" }
    const index = indexOf(note("b", same), note("c", { ...same, updated_at: day(1) }), note("a", same))
    expect(ids(index, "equal")).toEqual(["c", "a", "b"])
  })

  it("shows of very many notes with a word the same first ones, and counts as many, as if all were shown", () => {
    const bodies = fc.array(
      fc.constantFrom("walk", "walk walk", "walks", "walking fast", "sidewalk", "run", "walkman"),
      {
        minLength: 1,
        maxLength: 4
      }
    )
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 30, maxLength: 60 }), fc.nat(80), (kinds, offset) => {
        const index = new SearchIndex()
        for (let each = 0; each < 900; each++) {
          const words = kinds[each % kinds.length]!
          const place = each % 7 === 0 ? { title: words[0]! } : { tags: each % 11 === 0 ? [words[0]!] : [] }
          const archived = each % 13 === 0
          index.add(
            note(`n${each}`, {
              ...place,
              archived,
              body: `${"zinc ".repeat(1 + (each % 9))} ${words.join(" ")}`,
              updated_at: day(each % 5)
            })
          )
        }
        for (let each = 0; each < 900; each += 17) index.remove(`n${each}`)
        for (const query of ["walk", "walks", "walki", "zinc"]) {
          const all = atOnce(index.searching({ query }, 0, Infinity, new Budget()))
          const some = atOnce(index.searching({ query }, offset, 5, new Budget()))
          expect(some.matches).toEqual(all.matches.slice(offset, offset + 5))
          expect(some.total).toBe(all.total)
        }
      }),
      { numRuns: 20 }
    )
  })

  it("lists everything, latest first, for a blank query, and nothing for one without words", () => {
    const index = indexOf(note("old"), note("new", { updated_at: day(2) }), note("mid", { updated_at: day(1) }))
    expect(ids(index, "  ")).toEqual(["new", "mid", "old"])
    expect(ids(index, "!?")).toEqual([])
  })
})

describe("the query language", () => {
  const index = indexOf(
    note("row", { body: "the quick brown fox", tags: ["Animals"] }),
    note("apart", { body: "the brown quick fox", tags: ["animals", "draft"] }),
    note("title", { title: "quick", body: "brown" })
  )

  it("finds a quoted phrase where its words follow each other within a field", () => {
    expect(ids(index, '"quick brown"')).toEqual(["row"])
    expect(ids(index, "“Quick, brown”")).toEqual(["row"])
    expect(ids(index, '"quick brwn"')).toEqual([])
  })

  it("finds a phrase that begins again within itself", () => {
    expect(finds("so so so good", '"so so good"')).toBe(true)
  })

  it("excludes words, phrases and tags behind a minus", () => {
    expect(ids(index, "quick -fox")).toEqual(["title"])
    expect(ids(index, 'quick -"quick brown"').sort()).toEqual(["apart", "title"])
    expect(ids(index, "fox -tag:draft")).toEqual(["row"])
    expect(ids(index, 'brown -"quick brown"').sort()).toEqual(["apart", "title"])
  })

  it("takes options of commands for words: a minus excludes nothing alone, before one letter, or before =", () => {
    const commands = indexOf(note("amend", { body: "git commit --amend" }), note("x", { body: "tar -x file" }))
    expect(ids(commands, "-amend")).toEqual(["amend"])
    expect(ids(commands, "git --amend")).toEqual(["amend"])
    expect(ids(commands, "tar -x")).toEqual(["x"])
    expect(ids(commands, "git -tar=file commit")).toContain("amend")
  })

  it("keeps a hyphen inside a word", () => {
    expect(finds("a well-known fact", "well-known")).toBe(true)
  })

  it("restricts to tags whatever their case", () => {
    expect(ids(index, "tag:ANIMALS").sort()).toEqual(["apart", "row"])
    expect(ids(index, "quick tag:animals TAG:#draft")).toEqual(["apart"])
    expect(ids(index, "tag:anim")).toEqual([])
  })
})

describe("filters", () => {
  const index = indexOf(
    note("a", { notebook_id: "one", tags: ["x", "Y"], created_at: day(1), updated_at: day(3) }),
    note("b", { notebook_id: "two", tags: ["x"], created_at: day(2), updated_at: day(2) }),
    note("c", { notebook_id: "two", tags: ["y"], created_at: day(3), updated_at: day(1), archived: true })
  )

  it("restricts by notebook, tags, times and archive", () => {
    expect(ids(index, "", { notebook_ids: new Set(["two"]) })).toEqual(["b"])
    expect(ids(index, "", { tags: ["X", "y"] })).toEqual(["a"])
    expect(ids(index, "", { tags: ["x", "y"], tags_match: "any", archived: null })).toEqual(["a", "b", "c"])
    expect(ids(index, "", { archived: true })).toEqual(["c"])
    expect(ids(index, "", { created_after: day(2) })).toEqual(["b"])
    expect(ids(index, "", { created_before: day(1) })).toEqual(["a"])
    expect(ids(index, "", { updated_after: day(2), updated_before: day(2) })).toEqual(["b"])
  })
})

/** It yields whenever it can. */
class Restless extends Budget {
  override spend(steps: number): boolean {
    super.spend(steps)
    return true
  }
}

describe("changes", () => {
  it("forgets the old text of a replaced note, and a removed note altogether", () => {
    const index = indexOf(note("n", { body: "before", tags: ["old"] }))
    index.add(note("n", { body: "after" }))
    expect([ids(index, "before"), ids(index, "tag:old"), ids(index, "after"), index.size]).toEqual([[], [], ["n"], 1])
    index.remove("n")
    index.remove("n")
    expect([ids(index, "after"), ids(index, ""), index.suggest("old", 10), index.size]).toEqual([[], [], [], 0])
  })

  it("suggests of equal titles of one time always the same note, whichever came first", () => {
    const same = ["a", "b"].map((id) => note(id, { title: "Garden", updated_at: day(1) }))
    for (const notes of [same, same.toReversed()]) {
      expect(indexOf(...notes).suggest("gard", 10)).toEqual([{ type: "title", text: "Garden", id: "a" }])
    }
  })

  it("gives back the memory of what was removed", () => {
    const index = new SearchIndex()
    const empty = index.bytes
    for (let i = 0; i < 2000; i++)
      index.add(note(`n${i}`, { body: Array.from({ length: 50 }, (_, w) => `word${i}x${w}`).join(" ") }))
    const full = index.bytes
    for (let i = 0; i < 2000; i++) index.remove(`n${i}`)
    index.tidy()
    expect(index.bytes - empty).toBeLessThan((full - empty) / 3)
  })

  it("answers after any changes as an index built anew from the same notes", () => {
    const words = [
      "alpha",
      "alphabet",
      "alpah",
      "beta",
      "betas",
      "gamma",
      "検索",
      "検",
      "索引",
      "__proto__",
      "constructor",
      "Straße"
    ]
    const text = fc.array(fc.constantFrom(...words), { maxLength: 8 }).map((chosen) => chosen.join(" "))
    const anyNote = fc.record({
      id: fc.constantFrom("a", "b", "c", "d", "__proto__", "constructor"),
      title: text,
      body: text,
      tags: fc.subarray(["red", "Red", "blue", "検索"]),
      notebook_id: fc.constantFrom("one", "two"),
      archived: fc.boolean(),
      word_count: fc.integer({ min: 0, max: 9 }),
      created_at: fc.integer({ min: 0, max: 3 }).map(day),
      updated_at: fc.integer({ min: 0, max: 3 }).map(day)
    })
    const change = fc.oneof(
      { weight: 6, arbitrary: fc.record({ note: anyNote, isOneOfMany: fc.boolean() }) },
      { weight: 2, arbitrary: anyNote.map(({ id }) => id) },
      { weight: 4, arbitrary: fc.constantFrom("sealed" as const, "sealing" as const, "sealing on" as const) },
      { weight: 2, arbitrary: fc.constant("searched" as const) }
    )
    const queries = [
      "",
      "alpha",
      "alpha bet",
      "alhpa",
      '"alpha beta"',
      "gamma -beta",
      "検索",
      "索",
      "tag:red",
      "constructor",
      "__proto__",
      "strasse"
    ]
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const changed = new SearchIndex()
        const held = new Map<string, IndexedNote>()
        /** What goes on beside the changes, some of it to no end. */
        const sealing: Array<Sliced<void>> = []
        for (const each of changes) {
          if (each === "searched") for (const query of queries) changed.search({ query })
          else if (each === "sealed") atOnce(changed.store.settling(new Budget()))
          else if (each === "sealing") {
            const work = changed.store.sealing(new Restless())
            work.next()
            sealing.push(work)
          } else if (each === "sealing on") for (const work of sealing) for (let step = 0; step < 8; step++) work.next()
          else if (typeof each === "string") {
            changed.remove(each)
            held.delete(each)
          } else {
            atOnce(changed.adding(each.note, new Budget(), each.isOneOfMany))
            held.set(each.note.id, each.note)
          }
        }
        const fresh = indexOf(...held.values())
        expect(changed.size).toBe(held.size)
        for (const query of queries) {
          for (const archived of [false, null])
            expect(changed.search({ query, archived })).toEqual(fresh.search({ query, archived }))
        }
        for (const prefix of ["al", "re", "検"]) expect(changed.suggest(prefix, 10)).toEqual(fresh.suggest(prefix, 10))
      }),
      { numRuns: 200 }
    )
  })
})
