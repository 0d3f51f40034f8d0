import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startApp, type TestApp } from "../support/TestApp.ts"
import { rounds } from "../support/Slow.ts"

/** A value as the front matter has it: a date has its place in milliseconds, before the times of its day. */
type Value = { readonly type: "text"; readonly at: string } | { readonly type: Ordered; readonly at: number }
type Ordered = "number" | "date" | "boolean"
type Properties = Readonly<Record<string, ReadonlyArray<Value>>>

const midnight = (day: string) => Date.parse(`${day}T00:00:00Z`) - 0.5
const fold = (text: string) => text.normalize("NFC").toLowerCase()

const names = ["status", "due date", "x.y", "Größe"]
/** Written values, each with its meaning. */
const scalars: Readonly<Record<string, Value>> = Object.fromEntries([
  ...["open", "Open", "done", "a%b", "a_b", "aXb", "É", "e\u0301", "4", "true", "ß*", 'q"\\', "日本"].map((text) => [
    JSON.stringify(text),
    { type: "text", at: text }
  ]),
  ...["4", "-2.5", "1e3", "0", "10"].map((text) => [text, { type: "number", at: Number(text) }]),
  ...["2026-03-01", "2026-03-02", "2024-02-29"].map((day) => [day, { type: "date", at: midnight(day) }]),
  ...["2026-03-01T23:30:00Z", "2026-03-02T00:30:00+01:00", "2026-03-02T00:00:00Z"].map((text) => [
    text,
    { type: "date", at: Date.parse(text) }
  ]),
  ...["true", "false"].map((text) => [text, { type: "boolean", at: text === "true" ? 1 : 0 }])
])

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))
const escaped = (text: string) => text.replaceAll(/[\\"*]/g, "\\$&")

interface Written {
  readonly text: string
  readonly holds: (properties: Properties) => boolean
}

const any =
  (name: string, test: (value: Value) => boolean): Written["holds"] =>
  (properties) =>
    (properties[fold(name)] ?? []).some(test)

const field = (name: string) =>
  fc.constantFrom(
    ...(/^[\w.]+$/.test(name) ? [name, name.toUpperCase()] : []),
    `"${name}"`,
    `'${name.toUpperCase().replaceAll("SS", "ß")}'`
  )

/** A text with its stars as wildcards. */
const pattern = fc.record({
  text: fc.constantFrom("open", "OP", "en", "a%b", "a_b", "é", "É", "4", "q", "日", "", "d"),
  start: fc.boolean(),
  end: fc.boolean()
})
const matches = ({ end, start, text }: { text: string; start: boolean; end: boolean }, value: Value): boolean => {
  if (value.type !== "text") return false
  const [wanted, own] = [fold(text), fold(value.at)]
  return start && end
    ? own.includes(wanted)
    : start
      ? own.endsWith(wanted)
      : end
        ? own.startsWith(wanted)
        : own === wanted
}
const quoted = ({ end, start, text }: { text: string; start: boolean; end: boolean }) =>
  `"${start ? "*" : ""}${escaped(text)}${end ? "*" : ""}"`

/** From where to before where a bare value reaches. */
const spanOf = (text: string): { readonly type: Ordered; readonly from: number; readonly until: number } => {
  const { at, type } = scalars[text] as Value & { readonly at: number; readonly type: Ordered }
  return { type, from: at, until: type === "date" && text.length === 10 ? at + 86_400_000 : at + 0.25 }
}
const bare = fc.constantFrom(...Object.keys(scalars).filter((text) => !text.startsWith('"')))

const compares: Readonly<Record<string, (at: number, span: { from: number; until: number }) => boolean>> = {
  "=": (at, { from, until }) => at >= from && at < until,
  "<": (at, { from }) => at < from,
  "<=": (at, { until }) => at < until,
  ">": (at, { until }) => at >= until,
  ">=": (at, { from }) => at >= from
}
const ofText: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0
}

const leaf: fc.Arbitrary<Written> = fc.constantFrom(...names).chain((name) =>
  field(name).chain((shown): fc.Arbitrary<Written> => {
    const of = (rest: string, test: (value: Value) => boolean): Written => ({
      text: `properties.${shown}${rest}`,
      holds: any(name, test)
    })
    const equal = (text: string) => {
      const span = spanOf(text)
      return (value: Value) => value.type === span.type && compares["="]!(value.at as number, span)
    }
    return fc.oneof(
      fc.tuple(bare, fc.constantFrom("=", "<", "<=", ">", ">=")).map(([text, operator]) => {
        const span = spanOf(text)
        const comparison = span.type === "boolean" ? "=" : operator
        return of(
          ` ${comparison} ${text}`,
          (value) => value.type === span.type && compares[comparison]!(value.at as number, span)
        )
      }),
      bare.map((text) => of(`:${text}`, equal(text))),
      pattern.map((each) => of(` = ${quoted(each)}`, (value) => matches(each, value))),
      pattern.map(({ text }) => of(`:"${escaped(text)}"`, (value) => matches({ text, start: true, end: true }, value))),
      fc
        .tuple(pattern, fc.constantFrom("<", "<=", ">", ">="))
        .map(([{ text }, comparison]) =>
          of(
            ` ${comparison} "${escaped(text)}"`,
            (value) => value.type === "text" && ofText[comparison]!(byBytes(fold(value.at), fold(text)))
          )
        ),
      fc
        .tuple(pattern, bare)
        .map(([each, text]) =>
          of(` IN (${quoted(each)}, ${text})`, (value) => matches(each, value) || equal(text)(value))
        ),
      fc.constant(of(":*", () => true)),
      fc.constant({ text: `properties.${shown} = null`, holds: (row: Properties) => !any(name, () => true)(row) }),
      pattern.map((each) => ({
        text: `properties.${shown} != ${quoted(each)}`,
        holds: (row: Properties) => !any(name, (value) => matches(each, value))(row)
      }))
    )
  })
)

const term: fc.Arbitrary<Written> = fc.oneof(
  leaf,
  leaf.map(({ holds, text }) => ({ text: `NOT ${text}`, holds: (row: Properties) => !holds(row) })),
  fc.tuple(leaf, leaf).map(([one, other]) => ({
    text: `(${one.text} OR ${other.text})`,
    holds: (row: Properties) => one.holds(row) || other.holds(row)
  }))
)
const filter: fc.Arbitrary<Written> = fc.array(term, { minLength: 1, maxLength: 3 }).map((all) => ({
  text: all.map(({ text }) => text).join(" AND "),
  holds: (row) => all.every((each) => each.holds(row))
}))

const typeOrder = ["boolean", "number", "date", "text"]
const inOrder = (one: Value, other: Value): number =>
  typeOrder.indexOf(one.type) - typeOrder.indexOf(other.type) ||
  (one.type === "text" && other.type === "text"
    ? byBytes(fold(one.at), fold(other.at))
    : (one.at as number) - (other.at as number))

describe("a filter on properties", () => {
  let app: TestApp
  let shown: ReadonlyArray<{ readonly id: string; readonly properties: Properties }>

  beforeAll(async () => {
    app = await startApp()
    const [inbox] = (await app.call("GET", "/notebooks")).body.data
    // A pseudorandom sequence that is the same in each run.
    let state = 11
    const next = (below: number) => (state = (state * 48271) % 2147483647) % below
    const written = Object.keys(scalars)
    const made = Array.from({ length: 60 }, () => {
      const own = names.flatMap((name) => {
        const values = Array.from({ length: 1 + next(3) }, () => written[next(written.length)]!)
        const [value] = values
        const kinds = [[], [name, [], `${name}:`], [name, values, `${name}: [${values.join(", ")}]`]]
        const kind = kinds[next(5)] ?? [name, [value], `${name}: ${value}`]
        return kind.length === 0 ? [] : [kind as [string, ReadonlyArray<string>, string]]
      })
      return {
        body: ["---", ...own.map(([, , line]) => line), "---"].join("\n"),
        properties: Object.fromEntries(own.map(([name, values]) => [fold(name), values.map((each) => scalars[each]!)]))
      }
    })
    const changes = made.map(({ body }) => ({
      type: "note",
      op: "upsert",
      data: { notebook_id: inbox.id, title: "x", body }
    }))
    const { results } = (await app.call("POST", "/sync/push", { changes })).body
    shown = results.map(({ id }: { id: string }, index: number) => ({ id, properties: made[index]!.properties }))
  })
  afterAll(() => app.stop())

  it("finds the notes that it describes, in lists and in searches, for random front matter", async () => {
    let some = 0
    await fc.assert(
      fc.asyncProperty(filter, async ({ holds, text }) => {
        const expected = shown.filter(({ properties }) => holds(properties)).map(({ id }) => id)
        if (expected.length > 0 && expected.length < shown.length) some++
        const query = `limit=100&filter=${encodeURIComponent(text)}`
        const { body, status } = await app.call("GET", `/notes/summaries?${query}`)
        expect(status, `${text}: ${JSON.stringify(body)}`).toBe(200)
        expect(body.data.map((note: any) => note.id).toSorted(), text).toEqual(expected.toSorted())
        const found = await app.call("POST", "/search", { query: "", filter: text, limit: 100 })
        expect(found.body.hits.map((note: any) => note.id).toSorted(), text).toEqual(expected.toSorted())
      }),
      { numRuns: rounds(150, 600) }
    )
    expect(some).toBeGreaterThan(60)
  })

  it("and a sort have the order of the first values, in lists and in searches", async () => {
    for (const name of names) {
      for (const sign of ["", "-"]) {
        const first = ({ properties }: (typeof shown)[number]) => properties[fold(name)]?.[0]
        const direction = sign === "-" ? -1 : 1
        const valued = shown.filter((note) => first(note) !== undefined)
        const expected = valued.toSorted((one, other) => direction * inOrder(first(one)!, first(other)!))
        const sort = `${sign}properties."${name}"`
        const listed: Array<string> = []
        for (let cursor = ""; ;) {
          const { body } = await app.call("GET", `/notes?limit=7&sort=${encodeURIComponent(sort)}${cursor}`)
          listed.push(...body.data.map((note: any) => note.id))
          if (!body.has_more) break
          cursor = `&cursor=${body.next_cursor}`
        }
        const { hits } = (await app.call("POST", "/search", { query: "", sort, limit: 100 })).body
        const keyed = new Map(valued.map((note) => [note.id, first(note)!]))
        for (const ids of [listed, hits.map((note: any) => note.id)]) {
          expect(new Set(ids).size).toBe(shown.length)
          // Equal values may be in any order.
          const places = ids.slice(0, valued.length).map((id: string) => keyed.get(id))
          expect(places.map((value: Value | undefined) => value && fold(String(value.at)))).toEqual(
            expected.map((note) => fold(String(first(note)!.at)))
          )
        }
      }
    }
  })
})
