import { expect, it } from "vitest"
import type { IndexedNote } from "../../../services/search/engine/index/IndexedNote.ts"
import { ids, indexOf, note } from "../../support/IndexedNotes.ts"

/** The queries, each with the greatest place of the note that it means, this note, and notes with some of its words. */

const several = (count: number, make: (each: number) => Partial<IndexedNote>): ReadonlyArray<IndexedNote> =>
  Array.from({ length: count }, (_, each) => note(`other${each}`, make(each)))
const filler = (each: number, count = 60): string =>
  Array.from({ length: count }, (_, word) => `filler${(each * 31 + word * 7) % 997}`).join(" ")

const unrelated = Array.from({ length: 200 }, (_, each) => note(`unrelated${each}`, { body: filler(each) }))

const firstOf = (query: string, meant: Partial<IndexedNote>, others: ReadonlyArray<IndexedNote> = []): number =>
  ids(indexOf(note("meant", meant), ...others), query).indexOf("meant")

const rows: ReadonlyArray<
  readonly [query: string, most: number, meant: Partial<IndexedNote>, others: ReadonlyArray<IndexedNote>]
> = [
  ...(["always keep launch", "always gutter launch"] as const).flatMap((query) =>
    [1, 8, 40].map(
      (count) =>
        [
          query,
          2,
          { title: "Always Keep The Gutter Open", body: "leaves " },
          [
            ...unrelated,
            ...several(count, (each) => ({
              title: `Log ${each}`,
              body: `${filler(each, 900)} always ${filler(each, 300)} keep the gutter and ${filler(each)} launch`
            }))
          ]
        ] as const
    )
  ),
  ["제주도에서", 0, { body: "제주도 여행" }, []],
  [
    "shared_buffers",
    0,
    { body: "set shared_buffers to a quarter" },
    several(110, (each) => ({
      title: each % 3 === 0 ? "Shared notes" : each % 3 === 1 ? "Buffer" : "",
      body: `a shared ${filler(each)} buffer and a buffer that is shared`
    }))
  ],
  [
    "get user by id",
    9,
    { body: `the function getUserById ${filler(1)}` },
    several(900, (each) => ({
      title: each % 5 === 0 ? "user" : "",
      body: `get ${filler(each)} user by name ${filler(each)} id`
    }))
  ],
  ["Geschenk", 0, { body: "Liste der Geburtstagsgeschenke" }, [note("d", { title: "descent" })]],
  ["båt motor", 0, { body: "en båtmotor" }, []],
  ["ジャガイモ", 0, { body: "じゃがいもを買う" }, []],
  ["高鐵", 0, { body: "坐高铁去" }, []],
  ["joerg", 0, { title: "Jörg", body: "" }, several(9, () => ({ title: "Jorge" }))],
  ["joerg", 0, { body: "Anruf von Jörg" }, several(9, () => ({ title: "Jorge" }))],
  ["07112345678", 0, { body: "+49 711 2345678" }, []],
  [
    "database is being accessed by other users",
    0,
    { body: `${filler(3, 300)} ERROR: database "x" is being accessed by other users` },
    []
  ],
  [
    "database is being accessed by other users",
    0,
    { body: `${filler(3, 300)} DETAIL: database is being accessed by other users ${filler(3, 300)}` },
    several(60, (each) => ({
      title: each % 2 ? "database users" : "accessed database",
      body: `users of the database database is accessed by ${filler(each)} other users database accessed users`
    }))
  ],
  ["USA", 0, { body: "in the U.S.A. today" }, []],
  ["U.S.A.", 0, { body: "in the USA today" }, []],
  ["e.g.", 0, { body: "eg this" }, []],
  ["eg", 0, { body: "tools, e.g. this" }, []],
  ["zB", 0, { body: "z. B. hier" }, []],
  ["z. B.", 0, { body: "zB hier" }, []],
  ["كتاب", 0, { body: "قرأت الكتاب" }, []],
  ["الكتاب", 0, { body: "كتاب جديد" }, []],
  ["الكتاب", 0, { body: "وبالكتاب" }, []],
  [
    "documentation",
    0,
    { body: "read doc**umen**tation here" },
    several(50, (each) => ({
      body: `doc ${each} document ation umentation do cumentation tation docu men mentation d ocumentation`
    }))
  ],
  ["unbelievable", 0, { body: "un[believable](https://x.org/a) news" }, []],
  ["documents", 0, { body: "see [document](https://x.org/a)s" }, []]
]

it.each(rows.map(([query, most, meant, others]) => ({ query, most, meant, others, count: others.length })))(
  "$query finds its note among $count others",
  ({ meant, most, others, query }) => {
    const place = firstOf(query, meant, others)
    expect(place).toBeGreaterThanOrEqual(0)
    expect(place).toBeLessThanOrEqual(most)
  }
)
