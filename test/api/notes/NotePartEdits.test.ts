import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { guest, register } from "../../support/people/People.ts"
import { invalid, notFound, stale } from "../../support/Scenario.ts"
import { rounds } from "../../support/Slow.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const { act, app, given, refuse } = useApp({ settings: { rateLimit: 0 } })
let notebook: string
/** A second node on the same database. */
let second: TestApp

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  second = await startApp({ databaseOf: app, settings: { rateLimit: 0 } })
})
afterAll(() => second.stop())

const note = async (body: string): Promise<string> =>
  (await given("POST", "/notes", { notebook_id: notebook, title: "A note", body })).id
const bodyOf = async (id: string): Promise<string> => (await given("GET", `/notes/${id}`)).body
const edits = (id: string): string => `/notes/${id}/edits`

/** Makes a note, edits it, and returns its text. */
const edited = async (body: string, edit: object): Promise<string> => {
  const id = await note(body)
  const { body: made, changes, headers, status, text } = await act("POST", edits(id), edit)
  expect(status, text).toBe(200)
  expect(changes).toEqual([["note.updated", id, 2]])
  expect(headers.get("etag")).toBe(`"${id}:2"`)
  expect(made).toEqual(await given("GET", `/notes/${id}`))
  return made.body
}

describe("POST /notes/{id}/edits", () => {
  it.each([
    ["one\n\ntwo\n", { append: "three" }, "one\n\ntwo\n\nthree"],
    ["---\na: 1\n---\none\n", { prepend: "zero" }, "---\na: 1\n---\nzero\n\none\n"],
    ["# A\n\na\n\n# B\n\nb\n", { under_heading: { heading: "A", text: "more" } }, "# A\n\na\n\nmore\n\n# B\n\nb\n"],
    ["# A\n\na\n", { under_heading: { heading: "# A", text: "first", position: "start" } }, "# A\nfirst\n\na\n"],
    ["one two\n", { version: 1, replacements: [{ old_text: "one", new_text: "1" }] }, "1 two\n"],
    ["- [ ] a\n- [x] b\n", { version: 1, tasks: [{ line: 1, text: "a", done: true }] }, "- [x] a\n- [x] b\n"],
    ["- [ ] a\n- [x] b", { version: 1, tasks: [{ line: 2, text: "- [x] b", done: false }] }, "- [ ] a\n- [ ] b"],
    ["one\n", { properties: { set: { status: "done" } } }, "---\nstatus: done\n---\none\n"]
  ])("of %j applies %j", async (before, edit, after) => {
    expect(await edited(before, edit)).toBe(after)
  })

  it("applies all parts in one version: tasks by their lines in the text that was read, properties last", async () => {
    const made = await edited("---\na: 1\n---\n# A\n\n- [ ] b\n", {
      version: 1,
      append: "end",
      prepend: "start",
      properties: { set: { a: 2 }, remove: ["none"] },
      replacements: [{ old_text: "# A\n", new_text: "# A\n\nnew\n" }],
      tasks: [{ line: 6, done: true }],
      under_heading: { heading: "A", text: "under" }
    })
    expect(made).toBe("---\na: 2\n---\nstart\n\n# A\n\nnew\n\n- [x] b\n\nunder\n\nend")
  })

  it("keeps CRLF, and writes it", async () => {
    const made = await edited("---\r\na: 1\r\n---\r\none\r\n- [ ] t\r\n", {
      version: 1,
      append: "two\nthree",
      properties: { set: { b: ["x"] } },
      replacements: [{ old_text: "one\n", new_text: "1\n" }],
      tasks: [{ line: 5, text: "t", done: true }]
    })
    expect(made).toBe("---\r\na: 1\r\nb:\r\n  - x\r\n---\r\n1\r\n- [x] t\r\n\r\ntwo\r\nthree")
  })

  it("without an effect creates no version", async () => {
    const id = await note("- [x] a\n")
    const edit = { version: 1, tasks: [{ line: 1, done: true }], properties: { remove: ["none"] } }
    const { body, changes, status } = await act("POST", edits(id), edit)
    expect([status, body.version, changes]).toEqual([200, 1, []])
  })

  it("needs the version for tasks and replacements, in the body or in If-Match", async () => {
    const id = await note("- [ ] one\n")
    const replacements = [{ old_text: "one", new_text: "two" }]
    await refuse(invalid("version", "required"), "POST", edits(id), { replacements })
    await refuse(invalid("version", "required"), "POST", edits(id), { tasks: [{ line: 1, done: true }] })
    await refuse(invalid("version", "required"), "POST", edits(id), { replacements }, { "if-match": "*" })
    const { status } = await act("POST", edits(id), { replacements }, { "if-match": `"${id}:1"` })
    expect(status).toBe(200)
    await refuse(stale, "POST", edits(id), { append: "x" }, { "if-match": `"${id}:1"` })
    await refuse(stale, "POST", edits(id), { append: "x", version: 1 })
    expect(await bodyOf(id)).toBe("- [ ] two\n")
  })

  it.each([
    [{}, undefined],
    [{ version: 1 }, undefined],
    [{ properties: {} }, ["properties", "required"]],
    [{ properties: { set: { a: null } } }, ["properties.set.a", "invalid_type"]],
    [{ properties: { set: { "a\nb": 1 } } }, undefined],
    [{ append: "" }, ["append", "blank"]],
    [{ version: 1, replacements: [] }, ["replacements", "required"]],
    [{ version: 1, replacements: [{ old_text: "a", new_text: "a" }] }, ["replacements.0.new_text", "invalid"]],
    [
      { version: 1, replacements: Array.from({ length: 21 }, () => ({ old_text: "a", new_text: "b" })) },
      ["replacements", "too_many"]
    ],
    [{ version: 1, tasks: Array.from({ length: 101 }, () => ({ line: 1, done: true })) }, ["tasks", "too_many"]],
    [{ under_heading: { heading: "A" } }, ["under_heading.text", "required"]],
    [{ append: "x".repeat(200_001) }, ["append", "too_long"]]
  ])("refuses %j", async (edit, field) => {
    const id = await note("text")
    const { body } = await refuse({ status: 422, code: "validation_failed" }, "POST", edits(id), edit)
    if (field !== undefined) expect([body.errors[0].field, body.errors[0].code]).toEqual(field)
  })

  it("refuses a text that would be too large, and names it", async () => {
    const id = await note("x".repeat(1_000_000))
    await refuse(invalid("append", "too_long"), "POST", edits(id), { append: "x".repeat(100_000) })
  })

  it("is for editors, and 404 in the trash and in other workspaces", async () => {
    const id = await note("text")
    const viewer = await guest(app, { role: "viewer" })
    const refused = await app.call("POST", edits(id), { append: "x" }, viewer.headers)
    expect([refused.status, refused.body.code]).toEqual([403, "insufficient_role"])
    const stranger = await register(app)
    const other = await app.call("POST", edits(id), { append: "x" }, stranger.headers)
    expect([other.status, other.body.code]).toEqual([404, "not_found"])
    await given("DELETE", `/notes/${id}`)
    await refuse(notFound, "POST", edits(id), { append: "x" })
    await refuse(notFound, "POST", edits("nt_none"), { append: "x" })
  })
})

describe("a refused edit has what the next request needs:", () => {
  it("a stale one the current version, and the section as it is now", async () => {
    const id = await note("# One\n\na\n\n# Two\n\nb\n")
    await given("PATCH", `/notes/${id}`, { body: "# Zero\n\n# One\n\na\n\n# Two\n\nb\nby a person\n" })
    const edit = { version: 1, append: "x", replacements: [{ old_text: "b\n", new_text: "c\n" }] }
    const { body } = await refuse(stale, "POST", edits(id), edit)
    expect(body).toMatchObject({
      current_version: 2,
      section: { from_line: 7, to_line: 10, text: "# Two\n\nb\nby a person\n" }
    })
    await given("POST", edits(id), { ...edit, version: body.current_version })
  })

  it("of a long section, 4 000 characters around the line", async () => {
    const id = await note(`${"line\n".repeat(4_000)}here\n${"line\n".repeat(4_000)}`)
    await given("PATCH", `/notes/${id}`, { title: "Two" })
    const edit = { version: 1, replacements: [{ old_text: "here", new_text: "there" }] }
    const { section } = (await refuse(stale, "POST", edits(id), edit)).body
    expect(section.text).toHaveLength(4_000)
    expect(section.text).toContain("here\n")
    expect(section.from_line).toBeLessThan(4_001)
  })

  it("a stale task the section in which it is now", async () => {
    const id = await note("# A\n\n- [ ] tickets\n")
    await given("PATCH", `/notes/${id}`, { body: "# B\n\n# A\n\n- [ ] hotel\n- [x] tickets\n" })
    const { section } = (await refuse(stale, "POST", edits(id), { version: 1, tasks: [{ line: 3, done: true }] })).body
    expect(section).toEqual({ from_line: 3, to_line: 6, text: "# A\n\n- [ ] hotel\n- [x] tickets\n" })
  })

  const replace = (old_text: string) => ({ version: 1, replacements: [{ old_text, new_text: "" }] })
  const under = (heading: string) => ({ under_heading: { heading, text: "x" } })

  it.each([
    ["one\ntwo\none 1\n", replace("one"), "replacements.0.old_text", [1, 3], "one\none 1"],
    ["one\n", replace("two"), "replacements.0.old_text", [], undefined],
    ["one\n“two”\n", replace('"two"'), "replacements.0.old_text", [2], "“two”"],
    ["# A\n\n## B\n", under("C"), "under_heading.heading", [], "# A\n## B"],
    ["# A\n\n## B\n\n# C\n\n## B\n", under("B"), "under_heading.heading", [3, 7], "## B\n## B"],
    ["text\n- [ ] a\n", { version: 1, tasks: [{ line: 1, done: true }] }, "tasks.0.line", [], "text"],
    ["text\n- [ ] a\n", { version: 1, tasks: [{ line: 9, text: "a", done: true }] }, "tasks.0.line", [2], undefined],
    ["- [ ] a\n- [ ] b\n", { version: 1, tasks: [{ line: 1, text: "b", done: true }] }, "tasks.0.text", [2], "- [ ] a"],
    ["+++\na = 1\n+++\n", { properties: { set: { a: 2 } } }, "properties", [1], undefined]
  ])("of %j: %j", async (before, edit, field, found_in_lines, text) => {
    const id = await note(before)
    const refusal = { status: 422, code: "validation_failed" }
    const { body } = await refuse(refusal, "POST", edits(id), { append: "not added", ...edit })
    expect(body).toMatchObject({ current_version: 1, found_in_lines, errors: [{ field }] })
    expect(body.text).toBe(text)
  })

  it("at most 4 000 characters of lines", async () => {
    const id = await note(`${"a".repeat(3_900)} here\n${"b".repeat(3_900)} here\n`)
    const { body } = await refuse({ status: 422, code: "validation_failed" }, "POST", edits(id), replace("here"))
    expect(body.found_in_lines).toEqual([1, 2])
    expect(body.text).toBe(`${"a".repeat(3_900)} here`)
  })
})

describe("a heading", () => {
  const text = "# Trips\n\n### Vienna\n\n# Food\n\n## Vienna\n\n## To / Do\n"

  it.each([
    ["Trips / Vienna", "# Trips\n\n### Vienna\nx\n\n# Food\n\n## Vienna\n\n## To / Do\n"],
    ["Food / ## Vienna", "# Trips\n\n### Vienna\n\n# Food\n\n## Vienna\nx\n\n## To / Do\n"],
    ["To / Do", "# Trips\n\n### Vienna\n\n# Food\n\n## Vienna\n\n## To / Do\nx\n"]
  ])("is found by its path or name: %s", async (heading, after) => {
    expect((await edited(text, { under_heading: { heading, text: "x" } })).trimEnd()).toBe(after.trimEnd())
  })

  it("is found by a part of its path, if no whole path has these names", async () => {
    const deep = "# A\n\n## B\n\n### C\n\n## C\n"
    expect(await edited(deep, { under_heading: { heading: "A / C", text: "x" } })).toMatch(/## C\nx$/)
    expect(await edited("# A\n\n## B\n\n### C\n", { under_heading: { heading: "A / C", text: "x" } })).toMatch(/C\nx$/)
    const id = await note(text)
    const under_heading = { heading: "Vienna / Trips", text: "x" }
    await refuse(invalid("under_heading.heading", "unknown"), "POST", edits(id), { under_heading })
  })
})

describe("properties", () => {
  const front = `---
# about
title: "One" # a title
tags:
  - a
  - b
aliases: [x, 'y']

desc: |
  two
  lines
last: 2026-01-01
---
text
`

  it.each<{ properties: object; cuts: ReadonlyArray<readonly [before: string, after: string]> }>([
    { properties: { set: { title: "Two" } }, cuts: [['"One"', "Two"]] },
    { properties: { set: { title: "One" } }, cuts: [] },
    { properties: { set: { tags: ["c"] } }, cuts: [["  - a\n  - b\n", "  - c\n"]] },
    { properties: { set: { aliases: ["z", 1, true] } }, cuts: [["[x, 'y']", "[z, 1, true]"]] },
    { properties: { set: { desc: "one line" } }, cuts: [["desc: |\n  two\n  lines\n", "desc: one line\n"]] },
    { properties: { set: { last: 5 } }, cuts: [["2026-01-01", "5"]] },
    {
      properties: { set: { "new one": "yes: no", more: [] } },
      cuts: [["---\ntext", 'new one: "yes: no"\nmore: []\n---\ntext']]
    },
    { properties: { remove: ["tags"] }, cuts: [["tags:\n  - a\n  - b\n", ""]] },
    {
      properties: { remove: ["last", "title"] },
      cuts: [
        ["last: 2026-01-01\n", ""],
        ['title: "One" # a title\n', ""]
      ]
    },
    {
      properties: { set: { title: true }, remove: ["aliases"] },
      cuts: [
        ['"One"', "true"],
        ["aliases: [x, 'y']\n", ""]
      ]
    }
  ])("$properties keep all other bytes", async ({ cuts, properties }) => {
    const id = await note(front)
    const { body } = await given("POST", edits(id), { properties })
    expect(body).toBe(cuts.reduce((text, [before, after]) => text.replace(before, after), front))
  })

  it.each<readonly [before: string, properties: object, after: string]>([
    ["a:\nb: 1\n", { set: { a: "v" } }, "a: v\nb: 1\n"],
    ["a: # c\nb: 1\n", { set: { a: ["v", 2] } }, "a: [v, 2] # c\nb: 1\n"],
    ["b: 1\na:\n  # c\n", { set: { a: true } }, "b: 1\na: true\n  # c\n"],
    ["a:\nb: 1\n", { remove: ["a"] }, "b: 1\n"]
  ])("without a value are set and removed in their line: %j, %j", async (before, properties, after) => {
    expect(await edited(`---\n${before}---\n`, { properties })).toBe(`---\n${after}---\n`)
  })

  it("removed to the last take their front matter with them", async () => {
    expect(await edited("---\na: 1\n---\ntext", { properties: { remove: ["a"] } })).toBe("text")
    expect(await edited("---\na: 1\n# b\n---\n", { properties: { remove: ["a"] } })).toBe("---\n# b\n---\n")
  })

  it.each([
    "---\n- a\n---\n",
    "---\na: 1\na: 2\n---\n",
    "---\na: &x 1\nb: *x\n---\n",
    `---\na: ${"[".repeat(5_000)}\n---\n`
  ])("are refused where they would change others: %#", async (before) => {
    const id = await note(before)
    await refuse(invalid("properties", "unknown"), "POST", edits(id), { properties: { remove: ["a"] } })
  })
})

describe("two clients at once", () => {
  it.each([
    ["a short note", "# A\n\nstart\n"],
    ["a long one, whose text is made in a thread", `# A\n\n${"line\n".repeat(30_000)}`]
  ])("both append to %s, also on two nodes", async (_, start) => {
    const id = await note(start)
    const texts = Array.from({ length: rounds(6, 30) }, (_, index) => `text ${index}!`)
    const answers = await Promise.all(
      texts.map((text, index) => {
        const edit = index % 3 === 0 ? { under_heading: { heading: "A", text } } : { append: text }
        return (index % 2 === 0 ? app : second).call("POST", edits(id), edit)
      })
    )
    expect(answers.map(({ status }) => status)).toEqual(texts.map(() => 200))
    const made = await given("GET", `/notes/${id}`)
    expect(made.version).toBe(1 + texts.length)
    for (const text of texts) expect(made.body.split(text)).toHaveLength(2)
    await expectTruth(app)
  })

  it("append, while another replaces", async () => {
    const id = await note("one\n")
    const replacements = [{ old_text: "one", new_text: "two" }]
    const [added, replaced] = await Promise.all([
      app.call("POST", edits(id), { append: "end" }),
      second.call("POST", edits(id), { version: 1, replacements })
    ])
    expect(added.status).toBe(200)
    if (replaced.status === 412) {
      expect(replaced.body).toMatchObject({ current_version: 2, section: { text: "one\n\nend" } })
      await given("POST", edits(id), { version: 2, replacements })
    } else expect(replaced.status).toBe(200)
    expect(await bodyOf(id)).toBe("two\n\nend")
  })
})

describe("a repetition with the same Idempotency-Key", () => {
  it("adds nothing twice, and gets the first response", async () => {
    const id = await note(`one\n${"line\n".repeat(20_000)}`)
    const key = { "idempotency-key": "edit-1" }
    const edit = { append: "once" }
    const answers = await Promise.all([1, 2].map(() => app.call("POST", edits(id), edit, key)))
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toContain(200)
    await given("POST", edits(id), { append: "later" })
    const { body, changes, headers, status } = await act("POST", edits(id), edit, key)
    expect([status, body.version, changes, headers.get("idempotent-replayed")]).toEqual([200, 2, [], "true"])
    expect(body.body).toMatch(/once$/)
    expect((await bodyOf(id)).split("once")).toHaveLength(2)
  })

  it("gets the first response also of a replacement that the text has no more", async () => {
    const id = await note("one")
    const edit = { version: 1, replacements: [{ old_text: "one", new_text: "two" }] }
    const key = { "idempotency-key": "edit-2" }
    await act("POST", edits(id), edit, key)
    const { body, changes, status } = await act("POST", edits(id), edit, key)
    expect([status, body.version, body.body, changes]).toEqual([200, 2, "two", []])
  })
})

describe("edits of any text", () => {
  const line = fc.oneof(
    fc.constantFrom("# A", "## B", "- [ ] t", "- [x] t", "> - [ ] q", "```", "---", "", "a: 1", "\ttab", "😀"),
    fc.string({ maxLength: 8, unit: "grapheme" }).filter((text) => text.isWellFormed() && !/[\0\r\n\uFEFF]/.test(text))
  )
  const body = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
    .map(([lines, end, isEnded]) => lines.join(end) + (isEnded ? end : ""))

  it("keep every character that they do not name", async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.nat(), fc.boolean(), async (before, at, done) => {
        const id = await note(before)
        const lines = before.split("\n")
        const number = at % lines.length
        const edit = { version: 1, tasks: [{ line: number + 1, done }] }
        const ticked = await app.call("POST", edits(id), edit)
        const after = await given("GET", `/notes/${id}`)
        if (ticked.status === 200) {
          const others = (text: string) => text.split("\n").toSpliced(number, 1)
          expect(others(after.body)).toEqual(others(before))
          expect(after.body.split("\n")[number].replace(/\[[ xX]\]/, "[ ]")).toBe(
            lines[number]!.replace(/\[[ xX]\]/, "[ ]")
          )
        } else expect(after.body).toBe(before)
        const set = await app.call("POST", edits(id), { properties: { set: { "an own one": "v" } } })
        if (set.status === 200) {
          const removed = await given("POST", edits(id), { properties: { remove: ["an own one"] } })
          // Front matter goes with its last property.
          expect(removed.body).toBe(after.body.replace(/^---[ \t]*\r?\n\s*?---[ \t]*(?:\r?\n|$)/, ""))
        }
        const { body: left } = await given("GET", `/notes/${id}`)
        const added = (await given("POST", edits(id), { append: "LAST", prepend: "FIRST" })).body
        const kept = left.replaceAll(/\r?\n/g, "")
        let found = 0
        for (const unit of added) if (kept.startsWith(unit, found)) found += unit.length
        expect(found).toBe(kept.length)
      }),
      { numRuns: rounds(25, 500) }
    )
  })
})
