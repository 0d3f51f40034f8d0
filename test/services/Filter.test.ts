import { Cause, Effect, Exit } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { BadRequest } from "../../services/Errors.ts"
import type { Filter, FilterFields } from "../../services/lists/Filter.ts"
import { parseFilter } from "../../services/lists/FilterParser.ts"
import { noteList } from "../../services/notes/NoteTable.ts"
import { rounds } from "../support/Slow.ts"

const fields: FilterFields = {
  ...noteList.filters!,
  parent: { type: "text", sql: "parent", nullable: true },
  status: { type: "enum", sql: "status", values: ["open", "done"] }
}

const parse = (text: string) => Effect.runSyncExit(parseFilter(text, fields))

const parsed = (text: string): Filter | undefined => {
  const exit = parse(text)
  if (Exit.isFailure(exit)) throw new Error(`${text}: ${Cause.pretty(exit.cause)}`)
  return exit.value
}

const refused = (text: string): BadRequest => {
  const exit = parse(text)
  if (Exit.isSuccess(exit)) throw new Error(`${text} was read as ${JSON.stringify(exit.value)}`)
  return (exit.cause.reasons[0] as Cause.Fail<BadRequest>).error
}

const text = (text: string, start = false, end = false) => ({ text, start, end })
const compare = (field: string, comparison: string, ...values: ReadonlyArray<unknown>) => ({
  kind: "compare",
  field,
  comparison,
  values
})
const words = (text: string) => ({ kind: "words", text })
const not = (filter: unknown) => ({ kind: "not", filter })
const and = (...filters: ReadonlyArray<unknown>) => ({ kind: "and", filters })
const or = (...filters: ReadonlyArray<unknown>) => ({ kind: "or", filters })
const contains = (field: string, text: string) => ({ kind: "contains", field, text })
const present = (field: string) => ({ kind: "present", field })

describe("parsing a filter", () => {
  it.each<[string, unknown]>([
    ["", undefined],
    [" \t\n", undefined],
    ["tea", words("tea")],
    ['"green tea"', words("green tea")],
    ["'green tea'", words("green tea")],
    ["don't", words("don't")],
    ["a b c", and(words("a"), words("b"), words("c"))],
    ["a AND b", and(words("a"), words("b"))],
    ["a and b", and(words("a"), words("b"))],
    ["a or b Or c", or(words("a"), words("b"), words("c"))],
    ["(a or b) aNd not c", and(or(words("a"), words("b")), not(words("c")))],
    ["not(a)", not(words("a"))],
    ["title in (a, b)", compare("title", "=", text("a"), text("b"))],
    ['a "and" b', and(words("a"), words("and"), words("b"))],
    ["andrew order note inn", and(words("andrew"), words("order"), words("note"), words("inn"))],
    ["ın", words("ın")],
    ["title not b", and(words("title"), not(words("b")))],
    ["a OR b OR c", or(words("a"), words("b"), words("c"))],
    ["ANDREW ORDER NOTE INN", and(words("ANDREW"), words("ORDER"), words("NOTE"), words("INN"))],
    ["NOT a", not(words("a"))],
    ["NOT (a)", not(words("a"))],
    ["NOT(a)", not(words("a"))],
    ["-a", not(words("a"))],
    ['-"a b"', not(words("a b"))],
    ["-(a OR b)", not(or(words("a"), words("b")))],
    ["--a", words("a")],
    ["NOT -NOT a", not(words("a"))],
    ["a-b", words("a-b")],
    ["a -b", and(words("a"), not(words("b")))],
    ["NOT a AND b", and(not(words("a")), words("b"))],
    ["(a OR b) AND c", and(or(words("a"), words("b")), words("c"))],
    ["a OR (b c)", or(words("a"), and(words("b"), words("c")))],
    ["a AND(b OR c)", and(words("a"), or(words("b"), words("c")))],
    ["title = x", compare("title", "=", text("x"))],
    ["title=x", compare("title", "=", text("x"))],
    ["title =x", compare("title", "=", text("x"))],
    ["title != x", not(compare("title", "=", text("x")))],
    ['title >= "a b"', compare("title", ">=", text("a b"))],
    ["title<b", compare("title", "<", text("b"))],
    ["title=a=b", compare("title", "=", text("a=b"))],
    ['title = ""', compare("title", "=", text(""))],
    ["title = ab*", compare("title", "=", text("ab", false, true))],
    ["title = *ab", compare("title", "=", text("ab", true, false))],
    ['title = "*a b*"', compare("title", "=", text("a b", true, true))],
    ["title = *", compare("title", "=", text("", true, true))],
    ["title = **", compare("title", "=", text("", true, true))],
    ["title = a*b", compare("title", "=", text("a*b"))],
    ['title = "\\*a\\*"', compare("title", "=", text("*a*"))],
    ["title = \\*a", compare("title", "=", text("*a"))],
    ["title > a*", compare("title", ">", text("a*"))],
    ['title = "\\"\\\\\\n\\t\\\'"', compare("title", "=", text("\"\\\n\t'"))],
    ["title:x", contains("title", "x")],
    ["title : x", contains("title", "x")],
    ["title:a:b", contains("title", "a:b")],
    ["title:a*", contains("title", "a*")],
    ["title:*", present("title")],
    ['title:"*"', contains("title", "*")],
    ["title:\\*", contains("title", "*")],
    ["NOT title:*", not(present("title"))],
    ['title IN (a, "b c",d*)', compare("title", "=", text("a"), text("b c"), text("d", false, true))],
    ["title IN(a)", compare("title", "=", text("a"))],
    ["green is good", and(words("green"), words("is"), words("good"))],
    ["things like title", and(words("things"), words("like"), words("title"))],
    ["title like", and(words("title"), words("like"))],
    ['"title" like b', and(words("title"), words("like"), words("b"))],
    ['title "like" b', and(words("title"), words("like"), words("b"))],
    ["title likes b", and(words("title"), words("likes"), words("b"))],
    ["R&D ~5 |x a~b", and(words("R&D"), words("~5"), words("|x"), words("a~b"))],
    ['"a && b" title:"||"', and(words("a && b"), contains("title", "||"))],
    ["title = is", compare("title", "=", text("is"))],
    ["title:eq", contains("title", "eq")],
    ["tags:work", compare("tags", "=", text("work"))],
    ["tags = w*", compare("tags", "=", text("w", false, true))],
    ["tags:*", present("tags")],
    ["pinned = true", compare("pinned", "=", true)],
    ["pinned:false", compare("pinned", "=", false)],
    ["pinned != true", not(compare("pinned", "=", true))],
    ["version > 3", compare("version", ">", 3)],
    ["version >-3", compare("version", ">", -3)],
    ["version:3", compare("version", "=", 3)],
    ["version IN (1, 2)", compare("version", "=", 1, 2)],
    ["status = open", compare("status", "=", text("open"))],
    ["parent = null", not(present("parent"))],
    ["parent != null", present("parent")],
    ['parent = "null"', compare("parent", "=", text("null"))],
    ["properties.status = open", compare("properties.status", "=", text("open"))],
    ["-properties.Due-Date:*", not(present("properties.Due-Date"))],
    ['properties."due, \\"date\\"" = *x', compare('properties.due, "date"', "=", text("x", true))],
    ["properties.'a b' IN (yes)", compare("properties.a b", "=", text("yes"))],
    ["properties.x:y", contains("properties.x", "y")],
    ["properties.x:true", compare("properties.x", "=", { from: "11", until: "11~" })],
    ['properties.x < "true"', compare("properties.x", "<", text("true"))],
    ["properties.x >= 2026-03-01", compare("properties.x", ">=", { from: "32026-03-01", until: "32026-03-01~" })],
    ["properties.x = 9007199254740993", compare("properties.x", "=", text("9007199254740993"))],
    ["properties.x = 2026-02-30", compare("properties.x", "=", text("2026-02-30"))],
    ["properties.x", words("properties.x")],
    ['"properties.x"', words("properties.x")],
    ["properties.", words("properties.")],
    ["title = null", compare("title", "=", text("null"))]
  ])("parses %j", (written, meant) => {
    expect(parsed(written)).toEqual(meant)
  })

  it.each<[string, string, string]>([
    ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.001Z"],
    ["2026-03-01t12:00:00z", "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.001Z"],
    ["2026-03-01T12:00:00.5Z", "2026-03-01T12:00:00.500Z", "2026-03-01T12:00:00.501Z"],
    ["2026-03-01T12:00:00.1239999Z", "2026-03-01T12:00:00.123Z", "2026-03-01T12:00:00.124Z"],
    ["2026-03-01T01:00:00+02:30", "2026-02-28T22:30:00.000Z", "2026-02-28T22:30:00.001Z"],
    ["2026-03-01T23:00:00-02:00", "2026-03-02T01:00:00.000Z", "2026-03-02T01:00:00.001Z"],
    ['"2026-03-01 12:00:00Z"', "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:00.001Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z", "0001-01-02T00:00:00.000Z"],
    ["9999-12-31", "9999-12-31T00:00:00.000Z", "~"]
  ])("parses a time: %s", (written, from, until) => {
    for (const comparison of ["=", "<", "<=", ">", ">="]) {
      expect(parsed(`created_at ${comparison} ${written}`)).toEqual(compare("created_at", comparison, { from, until }))
    }
  })

  it("accepts at most 50 terms, 10 levels and 4 KB", () => {
    const terms = (count: number) => Array.from({ length: count }, () => "a").join(" ")
    expect(parsed(terms(50))).toMatchObject({ kind: "and" })
    expect(refused(terms(51)).extra).toMatchObject({ position: 100 })
    expect(parsed(`title IN (${terms(50).replaceAll(" ", ",")})`)).toMatchObject({ kind: "compare" })
    expect(refused(`title IN (${terms(51).replaceAll(" ", ",")})`).extra).toMatchObject({ position: 110 })
    const nested = (depth: number) => `${"(".repeat(depth)}a${")".repeat(depth)}`
    expect(parsed(nested(10))).toEqual(words("a"))
    expect(refused(nested(11)).extra).toMatchObject({ position: 10 })
    expect(refused(`${"-(".repeat(11)}a`).extra).toMatchObject({ position: 21 })
    expect(parsed(`${"NOT ".repeat(999)}a`)).toEqual(not(words("a")))
    expect(parsed(`"${"x".repeat(4094)}"`)).toEqual(words("x".repeat(4094)))
    expect(refused(`"${"x".repeat(4095)}"`).extra).toMatchObject({ position: 4096 })
    expect(refused(`"${"é".repeat(2048)}"`).extra).toMatchObject({ position: 2050 })
  })
})

describe("errors in a filter", () => {
  it.each<[string, number]>([
    ["a AND b OR c", 8],
    ["a OR b AND c", 7],
    ["a OR b c", 7],
    ["a b OR c", 4],
    ["(a OR b c)", 8],
    ["AND", 0],
    ["a AND", 5],
    ["a AND AND b", 6],
    ["OR a", 0],
    ["NOT", 3],
    ["NOT AND", 4],
    ["a NOT IN (b)", 6],
    ["-", 0],
    ["- a", 0],
    ["(a", 0],
    ["a)", 1],
    ["()", 1],
    ["(a)(b)", 3],
    ["a(b)", 1],
    ['"a"b', 3],
    ["a,b", 1],
    [",", 0],
    ["= a", 0],
    ['"title" = a', 0],
    ["colour = red", 0],
    ["pinned = true AND colour:red", 18],
    ["__proto__ = 1", 0],
    ["constructor:*", 0],
    ["https://sheaf.test", 0],
    ["title =", 7],
    ["title == x", 6],
    ["title =! x", 7],
    ["title = (a)", 8],
    ["title = AND", 8],
    ["title:(a OR b)", 6],
    ['title = "a', 8],
    ['"a', 0],
    ["'a\"", 0],
    ['""', 0],
    ['"a\\x"', 2],
    ["a\\", 1],
    ["title IN", 8],
    ["title IN ()", 10],
    ["title IN (a", 11],
    ["title IN (a,)", 12],
    ["title IN (a b)", 12],
    ["title IN a", 9],
    ["pinned = yes", 9],
    ["pinned = True", 9],
    ["pinned > true", 7],
    ["status = shut", 9],
    ["status < open", 7],
    ["tags > a", 5],
    ["version = x", 10],
    ["version = 1.5", 10],
    ["version = 1e3", 10],
    ["version = 1234567890123456", 10],
    ["version = 1*", 10],
    ["created_at > yesterday", 13],
    ["created_at > 2026", 13],
    ["created_at > 2026-02-30", 13],
    ["created_at > 2026-13-01", 13],
    ["created_at > 2026-03-01T25:00:00Z", 13],
    ["created_at > 2026-03-01T12:00:00", 13],
    ["created_at > 2026-03-01T12:00:60Z", 13],
    ["created_at > 0000-01-01T00:00:00+01:00", 13],
    ["created_at > 2026-03-01*", 13],
    ["a\0b", 1],
    ["ab\ud800", 2]
  ])("rejects %j at position %d", (written, position) => {
    const error = refused(written)
    expect(error.code).toBe("invalid_filter")
    expect(error.extra).toEqual({ position, allowed_fields: Object.keys(fields) })
    expect(error.detail).toContain(`at ${position}: `)
  })

  it.each<[string, number, string]>([
    ["and", 0, "AND; quote it"],
    ["a or", 4, "a term is expected"],
    ["not in", 4, "IN; quote it"],
    ["title in", 8, "parentheses"],
    ["title = and", 8, "quote it"],
    ["tags:or", 5, "quote it"],
    ["a and b or c", 8, "parentheses"],
    ["interested in tea", 0, "IN is an operator"],
    ["title:a && pinned=false", 8, "&& is written AND"],
    ["title:a & pinned=false", 8, "& is written AND"],
    ["title:a || title:b", 8, "|| is written OR"],
    ["title:a&&title:b", 7, "&& is written AND"],
    ["a&&b", 1, "&& is written AND"],
    ["(a||b)", 2, "|| is written OR"],
    ["title eq Zebra", 6, "eq is written = here"],
    ["TITLE EQ Zebra title EQ Zebra", 21, "EQ is written = here"],
    ["pinned = true and title ne Zebra", 24, "ne is written !="],
    ["title gt a", 6, "gt is written >"],
    ["title LIKE '%a%'", 6, "LIKE is written :"],
    ["title contains a", 6, "contains is written :"],
    ["tags has work", 5, "has is written :"],
    ["parent is null", 7, "is is written ="],
    ["properties.x eq 1", 13, "eq is written ="],
    ["properties.x > false", 13, "false has no order"],
    ["properties. = 1", 0, 'no field "properties."'],
    ['properties."x" 1 = 2', 15, 'no field "1"'],
    ['properties."x', 11, "not closed"],
    ["parent IS NOT NULL", 7, "IS is written !="],
    ["title startswith a", 6, "= with * at the end"],
    ["version between 1 and 2", 8, ">= and <="],
    ["title not in (a, b)", 6, "NOT title IN,"],
    ["title not like a", 6, "NOT before the field"],
    ["contains(title, a)", 0, "field : value"],
    ["title ~ Zebra", 6, "~ is written :"],
    ["title ~Zebra", 6, "~ is written :"],
    ["title=~Zebra", 5, "=~ is written :"],
    ["title == Zebra", 6, "== is written ="],
    ["title === Zebra", 6, "=== is written ="],
    ["title <> Zebra", 6, "<> is written !="],
    ["title !== Zebra", 6, "!== is written !="],
    ["version => 2", 8, "=> is written >="],
    ["version ≤ 2", 8, "≤ is written <="],
    ["title !~ a", 6, "!~ is written NOT before the field"],
    ["title::a", 5, ":: is written :"],
    ["a ~ b", 2, "~ is written :"],
    ["!title:a", 0, "! is written NOT"],
    ["!(a)", 0, "! is written NOT"],
    ["! a", 0, "! is written NOT"]
  ])("rejects an operator in lower case or of another language: %j at position %d", (written, position, hint) => {
    const error = refused(written)
    expect([error.code, error.extra!["position"]]).toEqual(["invalid_filter", position])
    expect(error.detail).toContain(hint)
  })

  it("rejects any malformed text with a position inside it", () => {
    const pieces = fc.constantFrom(
      ..."()\"'\\,*:=<>!- \t\0".split(""),
      "AND",
      "OR",
      "NOT",
      "IN",
      "and",
      "In",
      "eq",
      "&&",
      "|",
      "~",
      "title",
      "pinned",
      "created_at",
      "tags",
      "null",
      "true",
      "2026-03-01",
      "é",
      "😀",
      "\ud83d",
      "1",
      "!=",
      "<=",
      "x"
    )
    const garbage = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.array(pieces, { maxLength: 25 }).map((all) => all.join("")),
      fc.array(pieces, { maxLength: 25 }).map((all) => all.join(" "))
    )
    let readable = 0
    fc.assert(
      fc.property(garbage, (written) => {
        const exit = parse(written)
        if (Exit.isSuccess(exit)) {
          readable++
          return
        }
        const error = refused(written)
        const position = error.extra!["position"] as number
        expect([error._tag, error.code]).toEqual(["BadRequest", "invalid_filter"])
        expect(position).toBeGreaterThanOrEqual(0)
        expect(position).toBeLessThanOrEqual(written.length)
      }),
      { numRuns: rounds(200, 5000) }
    )
    expect(readable).toBeGreaterThan(50)
  })
})
