import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { atOnce, Budget, type Sliced } from "../../../services/concurrency/Budget.ts"
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"
import { IndexStore } from "../../../services/search/engine/index/IndexStore.ts"
import { SavedIndex } from "../../../services/search/engine/index/SavedIndex.ts"
import { SearchIndex } from "../../../services/search/engine/query/SearchIndex.ts"
import {
  day,
  finds,
  highlight,
  ids,
  indexDirectory,
  indexOf,
  newIndex,
  note,
  pages
} from "../../support/IndexedNotes.ts"

describe("search for words", () => {
  it("finds a note by its title, its body and its tags", () => {
    const index = indexOf(
      note("t", { title: "Garden" }),
      note("b", { body: "the garden" }),
      note("g", { tags: ["garden"] })
    )
    expect(ids(index, "garden").sort()).toEqual(["b", "g", "t"])
  })

  it("shows notes with all words first, then notes with rarer words, and ignores a word that no note has", () => {
    const index = indexOf(
      note("both", { title: "red", body: "blue" }),
      note("weighty", { body: "blue" }),
      note("light", { body: "red" }),
      note("lighter", { body: "red" })
    )
    expect(ids(index, "blue red")).toEqual(["both", "weighty"])
    expect(ids(index, "blue red absent")).toEqual(["both", "weighty"])
  })

  it("requires all words when many notes have them", () => {
    const index = indexOf(
      ...Array.from({ length: 25 }, (_, each) => note(`both${each}`, { body: "red blue" })),
      note("one", { title: "red" })
    )
    expect(ids(index, "red blue")).toHaveLength(25)
    expect(ids(index, "how do I find the red blue")).toHaveLength(25)
  })

  it("searches for function words when the query has no others", () => {
    const index = indexOf(note("band", { title: "The Who" }), note("other", { body: "who is the one" }))
    expect(ids(index, "the who")).toEqual(["band", "other"])
  })

  it("treats question words as function words", () => {
    for (const [question, says] of [
      ["welches ist das Werkzeug?", "Werkzeug"],
      ["womit wird und wurde gebohrt?", "gebohrt"],
      ["combien sont les lignes?", "lignes"],
      ["cuantos son los usuarios?", "usuarios"],
      ["quanti sono gli utenti?", "utenti"],
      ["hoeveel zijn er van de gebruikers?", "gebruikers"],
      ["сколько же было строк?", "строк"]
    ]) {
      const asking = question!.split(" ")[0]!
      const index = indexOf(note("asks", { title: asking, body: asking }), note("says", { body: says! }))
      expect([question, ids(index, question!)]).toEqual([question, ["says"]])
    }
  })

  it("matches the last word, and only the last, as a prefix", () => {
    const index = indexOf(note("n", { body: "database configuration" }))
    expect(ids(index, "database conf")).toEqual(["n"])
    expect(ids(index, "data zebra")).toEqual([])
  })

  it("allows one typing error from four letters and two from eight, also in the first letter", () => {
    for (const typo of ["hause", "huose", "ouse", "houuse", "mouse"])
      expect([typo, finds("house", typo)]).toEqual([typo, true])
    for (const typo of ["hse", "cat"]) expect([typo, finds("house", typo)]).toEqual([typo, false])
    for (const typo of ["cinfigurtaion", "onfigurationn", "konfigurasion"]) {
      expect([typo, finds("configuration", typo)]).toEqual([typo, true])
    }
    expect(finds("cat", "cet")).toBe(false)
  })

  it("allows typing errors in an unknown word, however many notes have the other words", () => {
    const others = "git chapter interactive commands toolchain settings"
    const filler = "a page that says much more than this in other words ".repeat(4)
    const index = indexOf(
      ...Array.from({ length: 40 }, (_, each) => note(`other${each}`, { body: others })),
      note("gopath", { body: `toolchain gopath ${filler}` }),
      note("rebase", { body: `git rebase interactive: commands, settings and a chapter ${filler}` })
    )
    for (const [query, meant] of [
      ["toolchain goapth", "gopath"],
      ["goapth toolchain ", "gopath"],
      ["git rebsae interactive", "rebase"],
      ["git interactive rbase ", "rebase"],
      ["git chapter settings interactive commands rebsae", "rebase"],
      ["git rebsae xyzzyqqq settings interactive commands", "rebase"]
    ]) {
      expect([query, ids(index, query!)[0]]).toEqual([query, meant])
    }
    expect(ids(index, "toolchain xyzzyqqq")).toHaveLength(41)
  })

  it("does not correct a word that a few notes have to a more common one", () => {
    const index = indexOf(
      ...Array.from({ length: 40 }, (_, each) => note(`common${each}`, { body: "the toolchain and a configuration" })),
      note("rare", { body: "toolchain configurator" })
    )
    expect(ids(index, "toolchain configurator ")[0]).toBe("rare")
    expect(ids(index, "configurator ")[0]).toBe("rare")
  })

  it("shows notes of several corrections among the first ten when the meant word is not clear", () => {
    const plenty = Array.from({ length: 30 }, (_, each) => note(`m${each}`, { body: "manage" }))
    const index = indexOf(...plenty, note("page", { body: "manpage" }), note("far", { body: "manger" }))
    const found = ids(index, "manpge")
    expect(found.slice(0, 10)).toContain("page")
    expect(found[0]).toMatch(/^m/)
  })

  it("shows the note whose whole title was typed first", () => {
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
  })

  it("shows the note first whose title has the typed signs, or is the beginning of the query", () => {
    const operators = ["operator +", "operator OR", "Left and right shift operators: << and >>", "operator ->"]
    const shift = indexOf(...operators.map((title, each) => note(`n${each}`, { title, body: "operator ".repeat(9) })))
    expect(ids(shift, "operator<<")[0]).toBe("n2")
    const warnings = Array.from({ length: 5 }, (_, each) =>
      note(`other${each}`, { title: `Warning 505${each}`, body: "with /std:c++20 and /std:c++20" })
    )
    const options = indexOf(
      ...warnings,
      note("option", { title: "/std (Version)", body: `${"word ".repeat(300)} c++20` })
    )
    expect(ids(options, "/std:c++20")[0]).toBe("option")
    expect(ids(options, "/stdlib:c++20")[0]).not.toBe("option")
  })

  it("shows the note whose title is the query, including signs, before notes that repeat the query", () => {
    for (const [query, title, others] of [
      ["C#", "C#", ["C", "C++", "C# and C", "C# in C# with C#"]],
      ["push_back", "push_back", ["push back", "Back, push and pushes back", "vector push_back and push_back"]],
      ["/std:c++20", "/std:c++20", ["C++20 std", "std c++20 /std:c++20", "The C++20 std"]],
      ["operator<<", "operator<<", ["operator", "operator>>", "operator + and operator -"]],
      ["how do I renew a certificate?", "How do I renew a certificate", ["Renew a certificate", "Certificate renewal"]],
      ["weekly plan tag:work", "Weekly plan", ["Weekly plan and weekly plan", "Plan weekly"]]
    ] as const) {
      const tags = ["work"]
      const repeated = `${query} `.repeat(20)
      const index = indexOf(
        ...others.map((other, each) => note(`other${each}`, { title: other, body: repeated, tags })),
        note("named", { title, body: "something else ".repeat(100), tags })
      )
      expect([query, ids(index, query)[0]]).toEqual([query, "named"])
    }
  })

  it("shows the note whose title is the query with other hyphens or spaces before notes that repeat the words", () => {
    const index = indexOf(
      note("more", { title: "pre-compiled header files and more pre-compiled header files", body: "pre-compiled" }),
      note("named", { title: "Precompiled Header Files", body: "something else ".repeat(100) })
    )
    expect(ids(index, "pre-compiled header files")).toEqual(["named", "more"])
  })

  it("finds a word in a short title before the same word in a long one", () => {
    const index = indexOf(
      note("long", { title: "Notes about the podman container engine and its machine in general" }),
      note("short", { title: "podman machine init" })
    )
    expect(ids(index, "podman machine")).toEqual(["short", "long"])
  })

  it("shows the page that a sentence describes before a long changelog with all its words", () => {
    const words = ["rotate", "signing", "keys", "webhook", "endpoint", "receivers"]
    const lines = Array.from({ length: 900 }, (_, each) =>
      each % 9 === 0 ? `fixed ${words[(each / 9) % words.length]}` : `release ${each} improved module${each} speed`
    )
    const index = indexOf(
      note("changelog", { title: "Changelog", body: lines.join("\n") }),
      note("page", {
        title: "Signing keys",
        body: "To rotate the signing keys of a webhook, add a second key. Each endpoint signs with both keys for a day."
      }),
      ...Array.from({ length: 30 }, (_, each) => note(`other${each}`, { body: `release ${each} of the endpoint` }))
    )
    expect(ids(index, "how do I rotate the signing keys of a webhook endpoint without breaking receivers")[0]).toBe(
      "page"
    )
    expect(ids(index, "rotate signing keys webhook endpoint receivers")[0]).toBe("page")
  })

  it("finds the page that a sentence describes even when many notes have all its words", () => {
    const index = indexOf(
      ...Array.from({ length: 30 }, (_, each) => {
        const filler = "entry about something else entirely ".repeat(40)
        return note(`log${each}`, { body: `backup ${filler} restore ${filler} database ${filler} snapshot` })
      }),
      ...Array.from({ length: 200 }, (_, each) => note(`other${each}`, { body: "about something else" })),
      note("page", {
        title: "Restore a database",
        body: "Restore a database from its snapshot. The database restarts."
      })
    )
    expect(ids(index, "restore database snapshot backup ")[0]).toBe("page")
  })

  it("finds the likeliest correction, by sound too, when nothing matches", () => {
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

  it("shows equally likely corrections of a single word among the first hits", () => {
    const likeliest = Array.from({ length: 12 }, (_, each) => note(`clarion${each}`, { body: "a clarion" }))
    const other = [note("one", { body: "a collision" }), note("two", { body: "the collision" })]
    const index = indexOf(...likeliest, ...other, note("far", { body: "something else" }))
    const { matches, suggestion, total } = atOnce(index.searching({ query: "clliion" }, 0, 10, new Budget()))
    expect([suggestion, total]).toEqual(["clarion", 14])
    expect(matches.slice(0, 4).every(({ id }) => id.startsWith("clarion"))).toBe(true)
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

  it("finds parts of names and numbers, words with signs, and adjacent words that were typed without spaces", () => {
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

  it("does not split a misspelt word into words of languages without compounds", () => {
    const english = "and the utility of it is not what you have been told by those who were there for the ides of March"
    const german = "Das ist nicht das was sie hier mit uns und der Katze von dem Haus haben"
    const notes = [note("parts", { body: english }), note("meant", { body: `${english} utilizes` })]
    expect(ids(indexOf(...notes, note("german", { body: german })), "utilityides ")).toEqual([])
    expect(ids(indexOf(...notes, note("german", { body: `${german} utility ides` })), "utilityides ")).not.toEqual([])
  })

  it("finds a word by its beginning, whatever the languages of other notes and earlier queries", () => {
    const french =
      "Mélangez la farine et le lait, que nous avons dans les plats de cette école, et qui ne sont pas sucrés"
    const english = "and the rest of it is what they have been told by those who were there for the birthday"
    const index = indexOf(
      note("en", { body: `cake ${english}` }),
      note("short", { body: "cake for tomorrow" }),
      ...["fr1", "fr2", "fr3"].map((id) => note(id, { body: french }))
    )
    for (const before of ["", "je", "la farine", "der die das"]) {
      index.search({ query: before })
      expect(ids(index, "cak").sort()).toEqual(["en", "short"])
    }
  })

  it("does not treat another number as a typing error", () => {
    expect(finds("invoice 20241", "20251")).toBe(false)
  })

  it("ranks the exact word before continuations, and these before typing errors", () => {
    const index = indexOf(
      note("typo", { title: "firm", body: "firm firm firm" }),
      note("prefix", { title: "formation" }),
      note("exact", { body: `form ${"padding ".repeat(300)}` })
    )
    expect(ids(index, "form")).toEqual(["exact", "prefix", "typo"])
  })

  it("ranks titles and tags before bodies, however often these repeat the word", () => {
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

  it("orders equal hits by their last change, latest first, then by id", () => {
    const same = { body: "equal" }
    const index = indexOf(note("b", same), note("c", { ...same, updated_at: day(1) }), note("a", same))
    expect(ids(index, "equal")).toEqual(["c", "a", "b"])
  })

  it("returns the same page and total of very many notes as a search for all of them", () => {
    const bodies = fc.array(
      fc.constantFrom("walk", "walk walk", "walks", "walking fast", "sidewalk", "run", "walkman"),
      {
        minLength: 1,
        maxLength: 4
      }
    )
    fc.assert(
      fc.property(fc.array(bodies, { minLength: 30, maxLength: 60 }), fc.nat(80), (kinds, offset) => {
        const index = newIndex()
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

  it("lists all notes, latest first, for a blank query, and none for a query without words", () => {
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

  it("finds a quoted phrase when its words are adjacent within a field", () => {
    expect(ids(index, '"quick brown"')).toEqual(["row"])
    expect(ids(index, "“Quick, brown”")).toEqual(["row"])
    expect(ids(index, 'quick "brown fox" -draft')).toEqual(["row"])
  })

  it("ranks notes with a phrase by its relevance: in title or tags first, then by its frequency", () => {
    const filler = "filler ".repeat(20)
    const index = indexOf(
      note("once", { body: `switch ${filler} the dark mode ${filler}`, updated_at: day(3) }),
      note("often", { body: "dark mode and dark mode again, then dark mode", updated_at: day(2) }),
      note("title", { title: "Dark mode", body: filler })
    )
    expect(ids(index, '"dark mode"')).toEqual(["title", "often", "once"])
    expect(ids(index, '"dark mode" toggle')).toEqual(["title", "often", "once"])
  })

  it("finds a phrase after an overlapping partial match", () => {
    expect(finds("so so so good", '"so so good"')).toBe(true)
  })

  it("excludes words, phrases and tags after a minus", () => {
    expect(ids(index, "quick -fox")).toEqual(["title"])
    expect(ids(index, 'quick -"quick brown"').sort()).toEqual(["apart", "title"])
    expect(ids(index, "fox -tag:draft")).toEqual(["row"])
    expect(ids(index, 'brown -"quick brown"').sort()).toEqual(["apart", "title"])
  })

  it("treats options of commands as words: a minus excludes nothing if it is the whole query, before one letter, or before =", () => {
    const commands = indexOf(note("amend", { body: "git commit --amend" }), note("x", { body: "tar -x file" }))
    expect(ids(commands, "-amend")).toEqual(["amend"])
    expect(ids(commands, "git --amend")).toEqual(["amend"])
    expect(ids(commands, "tar -x")).toEqual(["x"])
    expect(ids(commands, "git -tar=file commit")).toContain("amend")
  })

  it("treats a word after a minus as an option when a note that the rest of the query finds has it with a hyphen", () => {
    const commands = indexOf(
      note("ls", { title: "ls", body: "List all files:\n`ls -la`" }),
      note("other", { body: "ls and la" }),
      note("tar", { body: "tar (-xzf|-czf) archive.tar.gz" }),
      note("gcc", { body: "gcc -fno-exceptions main.cpp" }),
      note("rtti", { body: "gcc without rtti, fno rtti" })
    )
    expect(ids(commands, "ls -la")[0]).toBe("ls")
    expect(ids(commands, "tar -xzf archive.tar.gz")).toEqual(["tar"])
    expect(ids(commands, "files -LA")[0]).toBe("ls")
    // The option raises the notes that have it with a hyphen, and is highlighted there.
    for (const [id, body] of [
      ["run", "docker run -it"],
      ["it", "docker run: how it works, and what it is for"]
    ] as const)
      commands.add(note(id, { body }))
    expect(ids(commands, "docker run -it")).toEqual(["run", "it"])
    commands.add(note("la", { title: "la", body: "la ls la ls la" }))
    expect(ids(commands, "ls -la")).toEqual(["ls", "la", "other"])
    const { snippet } = highlight({ title: "ls", body: "List all files:\n`ls -la`" }, "ls -la")
    expect(snippet).toContain("<mark>ls</mark> -<mark>la</mark>")
    // The rest of the query does not find the note with the option, or no note has the whole option.
    expect(ids(commands, "exceptions -la")).toEqual(["gcc"])
    expect(ids(commands, "gcc -fno-rtti")).toEqual(["gcc"])
  })

  it("finds any options after a minus, whatever precedes the hyphen", () => {
    const letters = fc.stringMatching(/^[b-z]{2,8}$/)
    const before = fc.constantFrom("", " ", "`", "(", "[", "|", "\n", "**")
    fc.assert(
      fc.property(letters, before, fc.constantFrom("", "-long", ".x"), (option, sign, rest) => {
        const command = `aaaa${sign === "" ? " " : sign}-${option}${rest}`
        const other = note("other", { body: `aaaa ${option}${rest}` })
        expect(ids(indexOf(note("has", { body: command }), other), `aaaa -${option}${rest}`).sort()).toEqual([
          "has",
          "other"
        ])
        // A hyphen within a word, before a space, or after another hyphen makes no option.
        for (const written of [`aaaa-${option}${rest}`, `aaaa - ${option}${rest}`, `aaaa --${option}${rest}`]) {
          const kept = note("kept", { body: "aaaa" })
          expect(ids(indexOf(note("has", { body: written }), kept), `aaaa -${option}${rest}`)).toEqual(["kept"])
        }
      }),
      { numRuns: 50 }
    )
  })

  it("searches for the words of phrases when nothing matches, and suggests that query", () => {
    const asked = (query: string, ...notes: ReadonlyArray<string>) => {
      const all = indexOf(...notes.map((body, position) => note(String(position), { body })))
      const { matches, suggestion } = atOnce(all.searching({ query }, 0, 10, new Budget()))
      return [matches.map(({ id }) => id).sort(), suggestion]
    }
    for (const [open, close] of ['""', "“”", "„“", "«»", "»«", "‹›", "「」", "『』"]) {
      const query = `how to ${open}plant trees${close} in spring`
      expect(asked(query, "plant trees in spring", "trees and a plant in spring")).toEqual([["0"], undefined])
      expect(asked(query, "trees and a plant in spring")).toEqual([["0"], "how to plant trees in spring"])
    }
    expect(asked('"pie apple" -crust -"a cake" -tag:other', "apple pie")).toEqual([
      ["0"],
      'pie apple -crust -"a cake" -tag:other'
    ])
    expect(asked('"aple -core tag:pie"', "an apple with core and pie")).toEqual([["0"], "aple core tag pie"])
    // A correction that keeps the required parts comes first.
    expect(asked("fonetik -draft", "a phonetic draft", "the phonetic text")).toEqual([["1"], "phonetic -draft"])
    expect(asked('5" or 3" disks', "the disks of 5 and of 3 inches")).toEqual([["0"], undefined])
  })

  it("keeps tags and exclusions, whatever the rest of the query finds or needs to be corrected", () => {
    const index = indexOf(
      note("0", { body: "an apple pie in the kitchen", tags: ["kitchen"] }),
      note("1", { body: "phonetic words" })
    )
    for (const query of [
      "apple -pie",
      'apple -"apple pie"',
      "apple tag:absent",
      "apple -tag:kitchen",
      "tag:kichen kichen",
      "tag:absent unknown words",
      '"pie apple" tag:absent',
      '"pie apple" -an',
      "fonetik -words"
    ]) {
      const { matches, suggestion } = atOnce(index.searching({ query }, 0, 10, new Budget()))
      expect([query, matches, suggestion]).toEqual([query, [], undefined])
    }
    const { suggestion } = atOnce(index.searching({ query: "-fonetik fonetik tag:absent -x1" }, 0, 10, new Budget()))
    expect(suggestion).toBeUndefined()
    const corrected = atOnce(index.searching({ query: 'fonetik -"fonetik" -tag:fonetik' }, 0, 10, new Budget()))
    expect(corrected.suggestion).toBe('phonetic -"fonetik" -tag:fonetik')
  })

  it("keeps a hyphen inside a word", () => {
    expect(finds("a well-known fact", "well-known")).toBe(true)
  })

  it("restricts to tags, ignoring case", () => {
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
    expect(ids(index, "", { tags: ["x", "unused"], tags_match: "any" })).toEqual(ids(index, "", { tags: ["x"] }))
    expect(ids(index, "", { tags: ["x", "unused"] })).toEqual([])
    expect(ids(index, "", { tags: ["unused"], tags_match: "any" })).toEqual([])
    expect(ids(index, "", { notebook_ids: new Set() })).toEqual([])
    expect(ids(index, "", { archived: true })).toEqual(["c"])
    const time = (n: number) => Date.parse(day(n))
    expect(ids(index, "", { created_after: time(2) })).toEqual(["b"])
    expect(ids(index, "", { created_before: time(2) })).toEqual(["a"])
    expect(ids(index, "", { updated_after: time(2), updated_before: time(3) })).toEqual(["b"])
  })
})

/** A budget that yields whenever possible. */
class AlwaysYielding extends Budget {
  override spend(steps: number): boolean {
    super.spend(steps)
    return true
  }
}

describe("changes of the index", () => {
  it("removes the old text of a replaced note, and all of a removed note", () => {
    const index = indexOf(note("n", { body: "before", tags: ["old"] }))
    index.add(note("n", { body: "after" }))
    expect([ids(index, "before"), ids(index, "tag:old"), ids(index, "after"), index.size]).toEqual([[], [], ["n"], 1])
    index.remove("n")
    index.remove("n")
    expect([ids(index, "after"), ids(index, ""), index.suggest("old", 10), index.size]).toEqual([[], [], [], 0])
  })

  it("suggests the same note of equal titles and times, whatever the order in which they were added", () => {
    const same = ["a", "b"].map((id) => note(id, { title: "Garden", updated_at: day(1) }))
    for (const notes of [same, same.toReversed()]) {
      expect(indexOf(...notes).suggest("gard", 10)).toEqual([{ type: "title", text: "Garden", id: "a" }])
    }
  })

  it("frees the memory of removed notes", () => {
    const index = newIndex()
    const empty = index.bytes
    for (let i = 0; i < 2000; i++)
      index.add(note(`n${i}`, { body: Array.from({ length: 50 }, (_, w) => `word${i}x${w}`).join(" ") }))
    const full = index.bytes
    for (let i = 0; i < 2000; i++) index.remove(`n${i}`)
    index.store.tidy()
    expect(index.bytes - empty).toBeLessThan((full - empty) / 3)
  })

  it("finds the same after any changes as an index that is built from the same notes", () => {
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
      { weight: 6, arbitrary: fc.record({ note: anyNote, isLoaded: fc.boolean() }) },
      { weight: 2, arbitrary: anyNote.map(({ id }) => id) },
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          "packed" as const,
          "job begun" as const,
          "job goes on" as const,
          "merged" as const,
          "tidied" as const,
          "read again" as const
        )
      },
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
        const directory = indexDirectory()
        const options = { cache: pages, maxBytes: 500_000_000 }
        let saved = new SavedIndex(directory, "ws")
        let changed = new SearchIndex(new IndexStore({ ...options, directory }))
        const held = new Map<string, IndexedNote>()
        /** The running job, and the place of the files after it. */
        let job: Sliced<void> | undefined
        let place = 0
        let savedPlace = 0
        const packed = () => {
          if (changed.store.freeze()) place = done.length
          atOnce(changed.store.packing(new Budget()))
          savedPlace = place
          saved.save(changed.store, { epoch: "e", seq: savedPlace, floor: 0 })
        }
        const done: Array<IndexedNote | string> = []
        const make = (each: IndexedNote | string, isLoaded: boolean) => {
          if (typeof each === "string") changed.remove(each)
          else if (isLoaded) atOnce(changed.store.loading(each, new Budget()))
          else atOnce(changed.adding(each, new Budget()))
        }
        const endJob = () => {
          if (job !== undefined) atOnce(job)
          job = undefined
        }
        for (const each of changes) {
          if (each === "searched") for (const query of queries) changed.search({ query })
          else if (each === "packed") {
            endJob()
            packed()
          } else if (each === "job begun") {
            if (job !== undefined) continue
            if (changed.store.freeze()) place = done.length
            job = changed.store.packing(new AlwaysYielding())
            job.next()
          } else if (each === "job goes on") for (let step = 0; step < 8; step++) job?.next()
          else if (each === "merged") {
            endJob()
            const segments = changed.store.segments.filter((segment) => segment !== undefined)
            if (segments.length > 0) job = changed.store.merging(segments, new AlwaysYielding())
            job?.next()
          } else if (each === "tidied") changed.store.tidy(0)
          else if (each === "read again") {
            endJob()
            if (done.length % 2 === 0) packed()
            changed.store.close()
            saved = new SavedIndex(directory, "ws")
            const found = atOnce(saved.load(options, new Budget()))
            if (savedPlace > 0) expect(found).toBeDefined()
            savedPlace = found?.place.seq ?? 0
            changed = new SearchIndex(found?.store ?? new IndexStore({ ...options, directory }))
            for (const change of done.slice(savedPlace)) make(change, false)
          } else {
            const note = typeof each === "string" ? each : each.note
            make(note, typeof each === "string" ? false : each.isLoaded)
            done.push(note)
            typeof note === "string" ? held.delete(note) : held.set(note.id, note)
          }
        }
        endJob()
        packed()
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
