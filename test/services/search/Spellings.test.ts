import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atOnce, Budget } from "../../../services/concurrency/Budget.ts"
import { highlight, indexOf, note } from "../../support/IndexedNotes.ts"
import { rounds } from "../../support/Slow.ts"

/** The other notes of each index. */
const others = [
  "a page of something else",
  "1 22 333 4444 55555 12 34 56 78 90 123 456 789 2026-07-24",
  "the wife of a logger"
]

/** Whether a query finds a note and highlights it, without a suggestion. */
const finds = (written: string, query: string): boolean => {
  const index = indexOf(note("n", { body: written }), ...others.map((body, each) => note(`o${each}`, { body })))
  const { matches, suggestion } = atOnce(index.searching({ query }, 0, 10, new Budget()))
  return matches[0]?.id === "n" && suggestion === undefined && highlight({ body: written }, query).highlights.length > 0
}

const expectBoth = (one: string, other: string) => {
  expect([one, other, finds(`see ${one} here`, other)]).toEqual([one, other, true])
  expect([other, one, finds(`see ${other} here`, one)]).toEqual([other, one, true])
}

const runs = { numRuns: 60 }
// Without vowels, no part is a function word.
const part = fc.stringMatching(/^[bcdfghjkmnpqrstvwxz]{2,6}$/)
const digits = (least: number, most: number) => fc.stringMatching(new RegExp(`^[0-9]{${least},${most}}$`))

describe("spellings of one word", () => {
  it("find each other as one word, with signs or markup between the parts, and with spaces", () => {
    const sign = fc.constantFrom("-", "_", ".", "/", "**", "*", "~~", "\u2010", "\u2011", "'", " ")
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), sign, sign, (parts, one, other) => {
        fc.pre(new Set(parts).size === parts.length)
        expectBoth(parts.join(one), parts.join(""))
        expectBoth(parts.join(one), parts.join(other))
      }),
      runs
    )
    expectBoth("Wi-Fi", "wifi")
    expectBoth("wi fi", "WiFi")
    expectBoth("re-entry", "reentry")
    expectBoth("node.js", "nodejs")
    expectBoth("un**believ**able", "unbelievable")
    for (const marked of [
      "un<b>believ</b>able",
      "un[believable](http://u.org/x)",
      "`unbeliev`able",
      "un==believ==able"
    ])
      expect([marked, finds(`see ${marked} here`, "unbelievable")]).toEqual([marked, true])
    expectBoth("USA", "U.S.A.")
    expectBoth("e.g.", "eg")
    expectBoth("vitamin-c", "vitaminc")
    const index = indexOf(note("cats", { body: "cats" }), note("cat", { body: "the cat's fur" }))
    expect(index.search({ query: "cats " }).map(({ id }) => id)[0]).toBe("cats")
  })

  it("find each other within a longer query", () => {
    expect(finds("the wifi password of the guests", "wi fi password for our guests at home")).toBe(true)
    expect(finds("reentry heating at hypersonic speed", "effects of re entry heating on speed")).toBe(true)
  })

  it("find each other in names of code", () => {
    const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1)
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), (parts) => {
        fc.pre(new Set(parts).size === parts.length)
        const [first, ...rest] = parts
        const camel = [first, ...rest.map(capital)].join("")
        const spellings = [camel, parts.map(capital).join(""), parts.join("_"), parts.join("-"), parts.join(" ")]
        for (const one of spellings) for (const other of spellings) expectBoth(one, other)
      }),
      { numRuns: rounds(8, 20) }
    )
    expectBoth("get user by id", "getUserById")
    expectBoth("get_user_by_id", "getUserById")
    expectBoth("get user by id", "get_user_by_id")
  })

  it("find each other in Korean with its spaces and without", () => {
    const syllables = fc.array(fc.constantFrom(..."가나다라마바사아자차카타파하거너더러머버서어저처커터퍼허"), {
      minLength: 2,
      maxLength: 3
    })
    fc.assert(
      fc.property(fc.array(syllables, { minLength: 2, maxLength: 4 }), (words) => {
        const all = words.flat()
        fc.pre(new Set(all).size === all.length)
        expectBoth(words.map((word) => word.join("")).join(" "), all.join(""))
      }),
      runs
    )
  })

  it("find each other with umlauts and with two letters for them, even while they are typed", () => {
    const syllable = fc.tuple(
      fc.stringMatching(/^[bdfghklmnprstw]{1,2}$/),
      fc.constantFrom("ä", "ö", "ü", "i"),
      fc.stringMatching(/^[bdfghklmnprstw]{1,2}$/)
    )
    fc.assert(
      fc.property(fc.array(syllable, { minLength: 2, maxLength: 3 }), (syllables) => {
        const word = syllables.flat().join("")
        const spelt = word.replaceAll("ä", "ae").replaceAll("ö", "oe").replaceAll("ü", "ue")
        fc.pre(spelt !== word)
        expectBoth(word, spelt)
        expect([word, finds(`see ${word} here`, spelt.slice(0, -1))]).toEqual([word, true])
        expect([word, finds(`see ${spelt} here`, word.slice(0, -1))]).toEqual([word, true])
      }),
      runs
    )
    for (const [query, written] of [
      ["muell", "Müller"],
      ["Müll", "Mueller"],
      ["zuerich", "Zürich"],
      ["haeuser", "Häuser"]
    ] as const)
      expect([query, finds(written, query)]).toEqual([query, true])
  })

  it("do not find each other when the word without umlauts is known", () => {
    const english = "of the and that is what it was for with which they have been there"
    const index = indexOf(note("guest", { body: `guest ${english}` }), note("gust", { body: `gust ${english}` }))
    expect(index.search({ query: "guest house" }).map(({ id }) => id)).toEqual(["guest"])
  })

  it("find compounds by their last part when nothing else matches", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[b-z]{3,8}$/),
        fc.stringMatching(/^[bcdfghjkmnpqrstvwxz]{5,9}$/),
        (head, last) => {
          expect([head, last, finds(`see ${head}${last} here`, last)]).toEqual([head, last, true])
        }
      ),
      runs
    )
    const english = "of the and that is what it was for with which they have been there"
    expect(indexOf(note("n", { body: `messaging ${english}` })).search({ query: "saging" })).toEqual([])
    const german = "Das ist nicht das was sie hier mit uns und der Katze von dem Haus haben"
    const mixed = indexOf(note("en", { body: english }), note("de", { body: `Xyrkleistung ${german}` }))
    expect(mixed.search({ query: "leistung" }).map(({ id }) => id)).toEqual(["de"])
    const short = indexOf(note("en", { body: english }), note("short", { body: "Termin Xyrkleistung Montag" }))
    expect(short.search({ query: "leistung" }).map(({ id }) => id)).toEqual(["short"])
    const index = indexOf(note("word", { body: "Leistung" }), note("compound", { body: "Xyrkleistung" }))
    expect(index.search({ query: "leistung" }).map(({ id }) => id)).toEqual(["word"])
  })
})

describe("spellings of one number", () => {
  const separator = fc.constantFrom(" ", "-", ".", "/", " / ", "\u00a0", "\u2011")
  const group = digits(2, 5)

  it("find each other as one number and in any groups, whatever separates the groups", () => {
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 2, maxLength: 5 }),
        fc.array(separator, { minLength: 4, maxLength: 4 }),
        fc.constantFrom("", "+"),
        fc.integer({ min: 2, max: 5 }),
        (groups, separators, plus, cut) => {
          const number = groups.join("")
          fc.pre(number.length >= 7 && new Set(groups).size === groups.length)
          const grouped = groups.map((each, place) => (place === 0 ? "" : separators[place - 1]) + each).join("")
          expectBoth(plus + grouped, plus + number)
          expectBoth(grouped, `${number.slice(0, cut)} ${number.slice(cut)}`)
        }
      ),
      runs
    )
  })

  it("find each other in common notations of phone, card and account numbers, and dates", () => {
    for (const [grouped, number] of [
      ["+49 (30) 123-4567", "+49301234567"],
      ["(030) 123 45 67", "0301234567"],
      ["030/1234567", "0301234567"],
      ["+1 (555) 010-9999", "+1 555 0109999"],
      ["4111 1111 1111 1111", "4111111111111111"],
      ["4111-1111-1111-1111", "4111 1111 1111 1111"],
      ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
      ["GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819"],
      ["NL91-ABNA-0417-1643-00", "NL91ABNA0417164300"],
      ["FR14 2004 1010 0505 0001 3M02 606", "FR1420041010050500013M02606"],
      ["2026-08-23", "20260823"],
      ["1 000 000", "1000000"],
      ["1,234,567", "1234567"]
    ] as const)
      expectBoth(grouped, number)
  })

  it("find each other next to other numbers, and never another number", () => {
    expect(finds("card 4111 1111 1111 1112 12/27 123", "4111111111111112")).toBe(true)
    expect(finds("call +49 30 1234567", "301234567")).toBe(true)
    expect(finds("call 030 1234567", "0301234568")).toBe(false)
    expect(finds("call 030\n1234567", "0301234567")).toBe(false)
  })

  it("are limited per note: a table of numbers adds few terms", () => {
    const table = Array.from({ length: 3_000 }, (_, row) => `${row} ${row + 7} ${row * 3} ${row * 11}`).join("\n")
    const before = indexOf(note("n", { body: table.replaceAll(" ", "; ") })).store.vocabulary.size
    expect(indexOf(note("n", { body: table })).store.vocabulary.size - before).toBeLessThanOrEqual(256)
  })
})
