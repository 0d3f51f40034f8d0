import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  priorities,
  type TaskChange,
  type TaskFields,
  taskFieldsOf,
  withTaskFields
} from "../../../services/markdown/TaskFields.ts"
import { processorSeconds } from "../../support/processorSeconds.ts"
import { rounds } from "../../support/Slow.ts"

const none: TaskFields = {
  text: "",
  due: null,
  scheduled: null,
  start: null,
  completed: null,
  priority: null,
  tags: []
}

/** What a text states, without what it does not state. */
const stated = (text: string) =>
  Object.fromEntries(Object.entries(taskFieldsOf(text)).filter(([, value]) => value !== null && value.length > 0))

describe("the fields of a task", () => {
  it("are read in the form of Obsidian Tasks", () => {
    expect(
      stated(
        "Pay #home ⏫ 🔁 every week on Monday, Friday ➕ 2026-01-01 🛫 2026-11-01 ⏳ 2026-11-20 📅 2026-12-01 #Home"
      )
    ).toEqual({
      text: "Pay #home #Home",
      start: "2026-11-01",
      scheduled: "2026-11-20",
      due: "2026-12-01",
      priority: "high",
      tags: ["home"]
    })
    for (const sign of ["📅 ", "📆", "🗓️ ", "🗓"]) {
      expect(stated(`买牛奶${sign}2026-12-01`)).toEqual({ text: "买牛奶", due: "2026-12-01" })
    }
    expect(stated("a ⌛ 2026-12-01 ✅ 2026-12-02 ❌ 2026-12-03 b")).toEqual({
      text: "a b",
      scheduled: "2026-12-01",
      completed: "2026-12-02"
    })
    expect(["🔺", "⏫", "🔼", "🔽️", "⏬️"].map((sign) => taskFieldsOf(`a ${sign}`).priority)).toEqual(priorities)
  })

  it("are read in the forms of Dataview and as words, in any case", () => {
    const fields = { text: "a b", due: "2026-12-01", priority: "high" }
    for (const text of [
      "a [due:: 2026-12-01] (priority::high) b",
      "a (Due:: 2026-12-01) b [PRIORITY:: High]",
      "a due:2026-12-01 b priority: HIGH",
      "Due: 2026-12-01 priority:high a b",
      "a ⏫[due:: 2026-12-01]b",
      "a ⏫due:2026-12-01 b"
    ]) {
      expect([text, stated(text)]).toEqual([text, fields])
    }
    expect(
      stated("[scheduled:: 2026-12-01] [start:: 2026-12-02] [completion:: 2026-12-03] (repeat:: every day) a")
    ).toEqual({ text: "a", scheduled: "2026-12-01", start: "2026-12-02", completed: "2026-12-03" })
  })

  it("are only what has a meaning: other words are text", () => {
    for (const text of [
      "due:2026-02-30 📅 2026-13-01 [due:: 2026-00-10]",
      "due:2026-12-01T10:00 due:2026-12-010 overdue:2026-12-01 due::2026-12-01",
      "due: tomorrow priority:urgent priority:high-ish 📅 2026",
      "[due:: 2026-12-01) [due:: 2026-12-01](https://example.com)",
      "(A) p1 🔁 weekly \\[due:: 2026-12-01]"
    ]) {
      expect(taskFieldsOf(text)).toEqual({ ...none, text })
    }
    expect(taskFieldsOf("due:2028-02-29 due:2029-02-28").due).toBe("2028-02-29")
  })

  it("are not read in code and addresses", () => {
    for (const text of [
      "`due:2026-12-01 #a` ``📅 2026-12-01 ` ⏫``",
      "[a](due:2026-12-01 ⏫ #b (⏫) ⏫) ![b](<⏫ a>)",
      "[[📅 2026-12-01]] [[a ⏫|b]] [[[due:: 2026-12-01] ⏫]]",
      "https://example.com/⏫ www.example.com/#a"
    ]) {
      expect(taskFieldsOf(text)).toEqual({ ...none, text })
    }
    expect(taskFieldsOf("\\`due: 2026-12-01` `a `` ⏫ #b [⏬ #c](x)")).toMatchObject({
      text: "\\`due: 2026-12-01` `a `` #b [ #c](x)",
      priority: "high",
      tags: ["b", "c"]
    })
    expect(taskFieldsOf("` due:2026-12-01").due).toBe("2026-12-01")
  })

  it("have the tags of the text, as imports have", () => {
    expect(taskFieldsOf("#a/b-c_1 x#no (#é) #2026 #_ #ÉTÉ #été #Été ##x #字#y").tags).toEqual([
      "a/b-c_1",
      "é",
      "ÉTÉ",
      "字"
    ])
  })

  it("have no name of a block in their words", () => {
    expect(stated("a b ^plan-1 📅 2026-12-01")).toEqual({ text: "a b", due: "2026-12-01" })
    expect(withTaskFields("a b ^plan", { due: "2026-12-01" })).toBe("a b due:2026-12-01 ^plan")
    expect(withTaskFields("a ⏫ b ^plan", { text: "c", start: "2026-12-01" })).toBe("c ⏫ 🛫 2026-12-01 ^plan")
    expect(withTaskFields(" ^plan", { text: "c", priority: "low" })).toBe(" c priority:low ^plan")
  })
})

describe("a change of a task", () => {
  it("keeps the form of each field, and gives a new field the form of the last", () => {
    const change = { due: "2026-12-24", priority: "low", start: "2026-12-01" } as const
    for (const [text, made] of [
      ["a", "a due:2026-12-24 start:2026-12-01 priority:low"],
      ["a Due: 2026-12-01", "a Due: 2026-12-24 start:2026-12-01 priority:low"],
      ["⏫️ a 🗓️ 2026-12-01 b", "🔽️ a 🗓️ 2026-12-24 b 🛫 2026-12-01"],
      ["a [due::2026-12-01] b", "a [due::2026-12-24] b [start:: 2026-12-01] [priority:: low]"],
      ["a (priority:: High) ", "a (priority:: low) (due:: 2026-12-24) (start:: 2026-12-01) "],
      ["a 🔁 every day", "a 🔁 every day 📅 2026-12-24 🛫 2026-12-01 🔽"],
      ["", "due:2026-12-24 start:2026-12-01 priority:low"]
    ]) {
      expect(withTaskFields(text!, change)).toBe(made)
    }
  })

  it("removes a field with one blank, each time that it is there", () => {
    for (const [text, made] of [
      ["a due:2026-12-01 b", "a b"],
      ["a  due:2026-12-01  b", "a   b"],
      ["a due:2026-12-01", "a"],
      [" due:2026-12-01 a", " a"],
      ["a📅 2026-12-01 b", "a b"],
      ["a[due:: 2026-12-01]b", "a b"],
      ["📅 2026-12-01 a due:2026-12-02 (due:: 2026-12-03) ⏫", "a ⏫"]
    ]) {
      expect(withTaskFields(text!, { due: null })).toBe(made)
    }
  })

  it("keeps words and signs apart that would become one sign", () => {
    expect(withTaskFields("due: 📅 2026-12-01 2026-12-24", { due: null })).toBe("due:  2026-12-24")
    expect(withTaskFields("a 🔁 every day ⏫ b", { priority: null })).toBe("a 🔁 every day  b")
    expect(withTaskFields("🔁 every day #a", { text: "b" })).toBe("🔁 every day  b")
  })

  it("writes new words where the words began", () => {
    expect(withTaskFields("⏫ a #b 📅 2026-12-01 c", { text: "new\n words #d" })).toBe("⏫ new words #d 📅 2026-12-01")
    expect(withTaskFields(" 📅 2026-12-01", { text: "a" })).toBe(" a 📅 2026-12-01")
    expect(withTaskFields("a due:2026-12-01 ⏫", { text: "" })).toBe("due:2026-12-01 ⏫")
    expect(withTaskFields("a due:2026-12-01 ⏫", { text: "b 📅 2026-12-24" })).toBe("b 📅 2026-12-24 ⏫")
  })

  const text = fc
    .array(
      fc.constantFrom(
        ...[
          "a",
          "due:",
          "due: ",
          "Due:: ",
          "priority:",
          "📅",
          "📅 ",
          "🗓️",
          "⏳ ",
          "🛫",
          "✅ ",
          "⏫",
          "🔽",
          "\uFE0F",
          "🔁 "
        ],
        ...["2026-12-01", "2026-12-24", "2026-02-30", "high", "low", "every ", "every day", ", ", "week", "!", "."],
        ...["due:2026-12-01", "[due:: 2026-12-01]", "(start:: 2026-11-01)", "[priority:: low]", "🔁 every week"],
        ...[
          "[",
          "]",
          "(",
          ")",
          "[[",
          "]]",
          "](",
          "`",
          "``",
          "\\",
          "#",
          "#tag",
          "#TAG ",
          " ^plan",
          "^",
          "www.",
          "https://a"
        ],
        ...[" ", " ", " ", " ", "  ", "\t", "\u00a0", "é", "字", "-", "\0", "\ud800"]
      ),
      { maxLength: 14 }
    )
    .map((parts) => parts.join(""))
  const date = fc.constantFrom(null, "2026-12-01", "2026-12-24", "2028-02-29")
  const change: fc.Arbitrary<TaskChange> = fc.record(
    { due: date, scheduled: date, start: date, priority: fc.constantFrom(null, ...priorities) },
    { requiredKeys: [] }
  )
  const runs = { numRuns: rounds(1_000, 100_000) }

  it("changes its fields and no other, in any text", () => {
    fc.assert(
      fc.property(text, change, (text, change) => {
        const before = taskFieldsOf(text)
        const made = withTaskFields(text, change)
        expect(taskFieldsOf(made)).toEqual({ ...before, ...change })
        expect(withTaskFields(made, change)).toBe(made)
      }),
      runs
    )
  })

  it("changes the words and no field, in any text", () => {
    const words = text.map((text) => taskFieldsOf(text).text).filter((text) => taskFieldsOf(text).text === text)
    fc.assert(
      fc.property(text, words, change, (text, words, change) => {
        const made = withTaskFields(text, { ...change, text: words })
        const { tags } = taskFieldsOf(taskFieldsOf(text).text === words ? text : words)
        expect(taskFieldsOf(made)).toEqual({ ...taskFieldsOf(text), ...change, text: words, tags })
      }),
      runs
    )
  })

  it("to the fields that a text has returns the text", () => {
    fc.assert(
      fc.property(text, (text) => {
        const { completed: _, tags: __, ...same } = taskFieldsOf(text)
        expect(withTaskFields(text, same)).toBe(text)
      }),
      runs
    )
  })
})

it("hostile texts are read and changed with little work", async () => {
  const size = rounds(50_000, 1_000_000)
  /** Some hundredths of a second for each text; a search that returns to its start takes minutes. */
  const expectLittle = async (text: string) => {
    const { seconds } = await processorSeconds(() => {
      const made = withTaskFields(text, { text: "a", due: "2026-12-24", priority: null })
      expect(taskFieldsOf(made)).toMatchObject({ text: "a", due: "2026-12-24", priority: null })
    })
    expect([text.slice(0, 50), seconds < size / 50_000]).toEqual([text.slice(0, 50), true])
  }
  for (const piece of [
    ...[
      "a",
      " ",
      "`",
      "` ``",
      "`a``b",
      "[",
      "[[",
      "[[a",
      "](",
      "](a)",
      "(",
      ")",
      "\\",
      "#",
      "#1",
      "# ",
      "^a ",
      "www.",
      "https://"
    ],
    ...[
      "due:",
      "due: ",
      " due:",
      "due:2026-12-0",
      "due:2026-12-01",
      " due:2026-12-01",
      "[due:: ",
      "[due:: every a",
      "(due::"
    ],
    ...[
      "📅",
      "📅 ",
      "⏫",
      "⏫ ",
      "priority:a",
      "🔁 every",
      "🔁 every day,",
      "🔁 every day é",
      "every a ",
      "\ud800",
      "\u0301"
    ]
  ]) {
    for (const end of ["", "x`"]) await expectLittle(`🔁 every ${piece.repeat(size / piece.length)}${end}`)
  }
  const runs = Array.from({ length: Math.sqrt(size) }, (_, index) => `${"`".repeat(index + 1)} `)
  await expectLittle(runs.join("") + "`a``".repeat(size / 8))
})
