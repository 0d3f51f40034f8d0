import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { frontMatterBlockOf } from "../../../services/markdown/FrontMatterBlock.ts"
import { folded } from "../../../services/markdown/LinkText.ts"
import { propertiesOf, type Property } from "../../../services/markdown/Properties.ts"
import { keyOfBoolean, keyOfDate, keyOfNumber, keyOfText } from "../../../services/markdown/PropertyKeys.ts"
import { processorSeconds } from "../../support/processorSeconds.ts"
import { rounds } from "../../support/Slow.ts"

const inYaml = (content: string) => propertiesOf({ language: "yaml", content, end: 0 })
const inToml = (content: string) => propertiesOf({ language: "toml", content, end: 0 })

/** Properties as `type text`, in a list for those that are lists. */
const shown = (properties: ReadonlyArray<Property>) =>
  Object.fromEntries(
    properties.map(({ isList, name, values }) => {
      const texts = values.map(({ text, type }) => `${type} ${text}`)
      return [name, isList ? texts : (texts[0] ?? "none")]
    })
  )

const byBytes = (one: string, other: string): number => Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)))

describe("the properties of a note", () => {
  it("have types, as written in YAML", () => {
    const body = [
      "---",
      "text: Some words # a comment",
      'quoted: "5"',
      "block: |",
      "  one",
      "  two",
      "number: 1.50",
      "hex: 0x1F",
      "isbn: 9783161484100000000",
      "infinite: .inf",
      "done: True",
      "yes: yes",
      "day: 2026-12-01",
      "moment: 2026-12-01T10:00",
      "zoned: 2026-12-01 10:00:00Z",
      "no day: 2026-02-30",
      "2026: year",
      "---",
      "text"
    ].join("\r\n")
    expect(shown(propertiesOf(frontMatterBlockOf(body)!))).toEqual({
      text: "text Some words",
      quoted: "text 5",
      block: "text one\ntwo\n",
      number: "number 1.50",
      hex: "number 0x1F",
      isbn: "text 9783161484100000000",
      infinite: "text .inf",
      done: "boolean True",
      yes: "text yes",
      day: "date 2026-12-01",
      moment: "date 2026-12-01T10:00",
      zoned: "date 2026-12-01 10:00:00Z",
      "no day": "text 2026-02-30",
      "2026": "text year"
    })
  })

  it("are lists, have dotted names in a map, and may have no value", () => {
    const content =
      'tags: [a, 2, ~, "", [b], {c: d}]\nempty: []\nnothing:\nblank: " "\nmap: {}\nauthor: {name: x, born: 1900, of: {a: b}, aka: [y]}\n'
    expect(shown(inYaml(content))).toEqual({
      tags: ["text a", "number 2"],
      empty: [],
      nothing: "none",
      blank: "none",
      map: "none",
      "author.name": "text x",
      "author.born": "number 1900",
      "author.aka": ["text y"]
    })
    expect(shown(inYaml("a: 1\nb: &x [c]\na: 2\nd: *x\ne: &y {f: g}\nh: *y\ni: *x"))).toEqual({
      a: "number 2",
      b: ["text c"],
      d: ["text c"],
      "e.f": "text g",
      i: ["text c"]
    })
  })

  it("are read in TOML", () => {
    const content =
      'a = "x"\nb = 1.5\nc = 2026-12-01\nd = 2026-12-01T10:00:00+02:00\ne = [1, 2]\nf = true\nid = 9007199254740993\ng = 10:00:00\n[h]\ni = "5"\n[h.j]\nk = 1'
    expect(shown(inToml(content))).toEqual({
      a: "text x",
      b: "number 1.5",
      c: "date 2026-12-01",
      d: "date 2026-12-01T10:00:00.000+02:00",
      e: ["number 1", "number 2"],
      f: "boolean true",
      id: "text 9007199254740993",
      g: "text 10:00:00.000",
      "h.i": "text 5"
    })
    expect(inToml("")).toEqual([])
  })

  it("are none in front matter that is damaged or no map", () => {
    for (const content of ["a: [", "a: b: c", "- a", "words", "", "{", 'a: "', "? [a]\n: b", "[".repeat(20_000)]) {
      expect([content.slice(0, 9), inYaml(content)]).toEqual([content.slice(0, 9), []])
    }
    for (const content of ["a = ", "a: b", "a = 1\na = 2", `a = ${"[".repeat(20_000)}`]) {
      expect([content.slice(0, 9), inToml(content)]).toEqual([content.slice(0, 9), []])
    }
  })

  it("have limits", () => {
    const many = Array.from({ length: 150 }, (_, index) => `p${index}: [${"x, ".repeat(150)}x]`).join("\n")
    const properties = inYaml(many)
    expect([properties.length, properties[99]!.name, properties[99]!.values.length]).toEqual([100, "p99", 100])
    expect(inYaml(`${"🌱".repeat(100)}: a\n${"b".repeat(101)}: c`).map(({ name }) => name)).toEqual(["🌱".repeat(100)])
    const [long] = inYaml(`a: ${"🌱".repeat(600)}`)[0]!.values
    expect([[...long!.text].length, [...long!.key].length]).toEqual([500, 201])
    expect(inYaml('"\\0": "\\0\\ud800"')).toEqual([
      { name: "\uFFFD", values: [{ type: "text", text: "\uFFFD\uFFFD", key: keyOfText("\0\ud800") }], isList: false }
    ])
  })

  const text = fc.string({ unit: "binary", maxLength: 30 })
  const scalar = fc.oneof(
    text,
    fc.double(),
    fc.integer(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") }).map((date) => date.toISOString()),
    fc.constantFrom(
      "2026-12-01",
      "true",
      "1e3",
      "0x1F",
      "~",
      "null",
      "---",
      "a: b",
      "# a",
      "- a",
      "*a",
      "&a",
      "!a",
      ".inf"
    )
  )

  it("are the values that YAML is written from", () => {
    const typeOf = (value: unknown) =>
      typeof value === "boolean"
        ? "boolean"
        : typeof value === "number"
          ? Math.abs(value) <= Number.MAX_SAFE_INTEGER
            ? "number"
            : "text"
          : keyOfDate(String(value)) === undefined
            ? "text"
            : "date"
    const isEmpty = (value: unknown) => value === null || (typeof value === "string" && value.trim() === "")
    const name = text.map((name) => name.trim().replaceAll("\0", "")).filter((name) => name !== "")
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 5 }))), {
          maxLength: 5,
          selector: ([name]) => name
        }),
        (pairs) => {
          const found = inYaml(stringify(new Map(pairs)))
          expect(found.map(({ isList, name }) => [name, isList])).toEqual(
            pairs.map(([name, value]) => [name, Array.isArray(value)])
          )
          for (const [index, [, value]] of pairs.entries()) {
            const values = [value].flat().filter((value) => !isEmpty(value))
            const read = found[index]!.values
            expect(read.map(({ type }) => type)).toEqual(values.map(typeOf))
            for (const [place, { key, text, type }] of read.entries()) {
              const value = values[place]!
              if (typeof value === "string") expect(text).toBe(value.replaceAll("\0", "\uFFFD"))
              if (type === "number") expect([Number(text), key]).toEqual([value, keyOfNumber(value as number)])
              if (type === "boolean") expect(key).toBe(keyOfBoolean(value as boolean))
              if (type === "date") expect(key).toBe(keyOfDate(value as string))
              if (typeof value === "string" && type === "text") expect(key).toBe(keyOfText(value))
            }
          }
        }
      ),
      { numRuns: rounds(500, 20_000) }
    )
  })

  it("are read from any text without an error", () => {
    const piece = fc.constantFrom(
      ...[
        "a",
        "b: ",
        ": ",
        "\n",
        "\n  ",
        "- ",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ",",
        '"',
        "'",
        "|",
        ">",
        "#",
        "&x ",
        "*x",
        "!!map ",
        "!!binary "
      ],
      ...[
        "<<: ",
        "%",
        "@",
        "\t",
        "\0",
        "\ud800",
        "---",
        "...",
        "= ",
        "a = ",
        "[a]\n",
        "[[a]]\n",
        "1",
        "-",
        "2026-12-01",
        "null",
        "\\u0000"
      ]
    )
    const any = fc.oneof(
      fc.array(piece, { maxLength: 20 }).map((parts) => parts.join("")),
      fc.string({ unit: "binary" })
    )
    fc.assert(
      fc.property(any, (content) => {
        for (const { key, name, text } of [...inYaml(content), ...inToml(content)].flatMap(({ name, values }) =>
          values.map((value) => ({ name, ...value }))
        )) {
          for (const each of [key, name, text]) expect(each.isWellFormed() && !each.includes("\0")).toBe(true)
        }
      }),
      { numRuns: rounds(2_000, 100_000) }
    )
  })

  it("with many aliases of long lists are read with little work", async () => {
    const list = `l: &l [${`${"x".repeat(290)}, `.repeat(100)}]\n`
    const map = `m: &m {${"x: 1, ".repeat(1_000)}}\n`
    const { seconds } = await processorSeconds(() => {
      expect(inYaml(list + "a: *l\n".repeat(5_000))).toHaveLength(2)
      expect(inYaml(map + "a: *m\n".repeat(5_000))).toHaveLength(1)
      expect(inYaml("a:\n".repeat(20_000))).toHaveLength(1)
    })
    expect(seconds).toBeLessThan(20)
  })
})

describe("keys of values", () => {
  it("have the order of numbers", () => {
    const number = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constantFrom(0, -0, 1, -1))
    fc.assert(
      fc.property(number, number, (one, other) => {
        expect(byBytes(keyOfNumber(one), keyOfNumber(other))).toBe(one < other ? -1 : one > other ? 1 : 0)
        expect(keyOfNumber(one)).toMatch(/^2[0-9a-f]{16}$/)
      }),
      { numRuns: rounds(1_000, 100_000) }
    )
  })

  it("have the order of moments, and a date is before the times of its day", () => {
    const moment = fc.date({ noInvalidDate: true, min: new Date("0000-01-01"), max: new Date("9999-12-31") })
    fc.assert(
      fc.property(moment, fc.oneof(moment, fc.constant(undefined)), (one, other) => {
        const second = other ?? one
        const [a, b] = [one.toISOString(), second.toISOString()]
        expect(byBytes(keyOfDate(a)!, keyOfDate(b)!)).toBe(Math.sign(one.getTime() - second.getTime()))
        expect(byBytes(keyOfDate(a.slice(0, 10))!, keyOfDate(b)!)).toBe(a.slice(0, 10) <= b.slice(0, 10) ? -1 : 1)
      }),
      { numRuns: rounds(1_000, 100_000) }
    )
    for (const text of [
      "2026-12-01T12:00",
      "2026-12-01 12:00:00",
      "2026-12-01t12:00:00.000z",
      "2026-12-01T12:00:00.000000Z",
      "2026-12-01 14:00:00 +02:00",
      "2026-12-01T06:30-0530",
      "2026-12-01T10:00-02"
    ]) {
      expect([text, keyOfDate(text)]).toEqual([text, "32026-12-01T12:00:00.000Z"])
    }
    for (const text of [
      "2026-2-1",
      "2026-02-30",
      "2026-12-01T24:00",
      "2026-12-01T10",
      "2026-12-01T10:00+99:00",
      "0000-01-01T00:00+01"
    ]) {
      expect([text, keyOfDate(text)]).toEqual([text, undefined])
    }
  })

  it("have the order of folded texts, and are equal in another case or Unicode form", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "B", "b", "é", "É", "e\u0301", "ß", "字", "🌱", "\uFFFD", " ", "1"),
      maxLength: 8
    })
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(byBytes(keyOfText(one), keyOfText(other))).toBe(byBytes(folded(one), folded(other)))
        expect(keyOfText(one)).toBe(keyOfText(one.toLowerCase().normalize("NFD")))
      }),
      { numRuns: rounds(1_000, 100_000) }
    )
  })

  it("have the order of types: booleans, numbers, dates, texts", () => {
    const keys = [
      keyOfBoolean(false),
      keyOfBoolean(true),
      keyOfNumber(-Infinity),
      keyOfNumber(Infinity),
      keyOfDate("0000-01-01")!,
      keyOfDate("9999-12-31T23:59:59.999Z")!,
      keyOfText(""),
      keyOfText("\u{10FFFF}")
    ]
    expect(keys.toSorted(byBytes)).toEqual(keys)
  })
})
