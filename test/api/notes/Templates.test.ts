import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemRandomness } from "../../../services/Randomness.ts"
import { dateLocales } from "../../../services/notes/templates/DateLocales.ts"
import {
  dateLocale,
  isWithinLimits,
  render,
  type TemplateContext
} from "../../../services/notes/templates/TemplateText.ts"
import { planDefaults, policyDefaults } from "../../../services/workspaces/Plans.ts"
import { invalid, notFound, type Scenario, scenarioOf, stale, unresolved } from "../../support/Scenario.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { rounds } from "../../support/Slow.ts"

const policies = {
  ...policyDefaults,
  limits: { ...planDefaults, team: { ...planDefaults.team, templates: 40 } }
}

let app: TestApp
let { act, given, refuse } = {} as Scenario
let inbox: string

beforeAll(async () => {
  app = await startApp({ settings: { policies } })
  ;({ act, given, refuse } = scenarioOf(app))
  inbox = (await app.call("GET", "/notebooks")).body.data[0].id
})
afterAll(() => app.stop())

const template = (body: string, name = "Daily") => given("POST", "/templates", { name, body })
/** Applies a template at noon on Sunday 2026-03-01 in UTC, and returns the note. */
const made = async (body: string, input: object = {}) => {
  const { id } = await template(body)
  const note = await given("POST", `/templates/${id}/apply`, input)
  await given("DELETE", `/templates/${id}`)
  return note
}

describe("templates", () => {
  it("are created, read, listed, updated and deleted, and each change is logged without the text", async () => {
    const { body, changes, status } = await act("POST", "/templates", { name: "Meeting", body: "# {{title}}" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^tp_[0-9A-Za-z]{22}$/),
      name: "Meeting",
      body: "# {{title}}",
      created_at: "2026-03-01T12:00:00.000Z",
      updated_at: "2026-03-01T12:00:00.000Z"
    })
    expect(changes).toEqual([["template.created", body.id, 1]])
    expect((await app.call("GET", `/templates/${body.id}`)).body).toEqual(body)
    const other = await template("", "Agenda")
    expect((await given("GET", "/templates")).data.map((each: any) => each.name)).toEqual(["Agenda", "Meeting"])
    expect((await given("GET", "/templates?filter=name:meet")).data).toEqual([body])
    const renamed = await act("PATCH", `/templates/${body.id}`, { name: "Standup" })
    expect(renamed.body).toEqual({ ...body, name: "Standup" })
    expect(renamed.changes).toEqual([["template.updated", body.id, 2]])
    expect((await act("PATCH", `/templates/${body.id}`, { name: "Standup" })).changes).toEqual([])
    const events = await given("GET", "/events?filter=resource_type%3Dtemplate&limit=1")
    expect(events.data[0]).toMatchObject({ type: "template.updated", data: null })
    expect((await act("DELETE", `/templates/${body.id}`)).changes).toEqual([["template.deleted", body.id, 3]])
    await refuse(notFound, "GET", `/templates/${body.id}`)
    await given("DELETE", `/templates/${other.id}`)
    await expectTruth(app)
  })

  it("have a name of 1 to 100 characters, which need not be unique, and a body of at most 1 MiB", async () => {
    await refuse(invalid("name", "required"), "POST", "/templates", { body: "x" })
    await refuse(invalid("name", "blank"), "POST", "/templates", { name: " " })
    await refuse(invalid("name", "too_long"), "POST", "/templates", { name: "x".repeat(101) })
    await refuse(invalid("body", "too_long"), "POST", "/templates", { name: "x", body: "é".repeat(524_289) })
    const [one, two] = [await template("", "Twice"), await template("", "Twice")]
    await refuse(invalid("name", "blank"), "PATCH", `/templates/${one.id}`, { name: "" })
    for (const { id } of [one, two]) await given("DELETE", `/templates/${id}`)
  })

  it("have at most 1 000 placeholders, each with at most eight shifts", async () => {
    const { id } = await template("{{x}}".repeat(1_000))
    const many = { body: "{{x}}".repeat(1_001) }
    const shifts = { body: `{{date${"+1m".repeat(9)}}}` }
    for (const body of [many, shifts, { body: `{{date${"+1m".repeat(66_000)}:YYYY}}` }]) {
      await refuse(invalid("body", "too_many"), "POST", "/templates", { name: "x", ...body })
      await refuse(invalid("body", "too_many"), "PATCH", `/templates/${id}`, body)
    }
    await refuse(invalid("name", "too_many"), "POST", "/templates", { name: `{{date${"+1m".repeat(9)}}}` })
    await given("DELETE", `/templates/${id}`)
  })

  it("stored before these limits cannot be applied", async () => {
    const body = "{{x}}".repeat(1_000)
    const { id } = await template(body)
    await app.sql(`UPDATE templates SET body = '${body}{{y}}' WHERE id = '${id}'`)
    await refuse(invalid("body", "too_many"), "POST", `/templates/${id}/apply`, {})
    await app.sql(`UPDATE templates SET body = '${body}' WHERE id = '${id}'`)
    await given("DELETE", `/templates/${id}`)
  })

  it("honour If-Match", async () => {
    const { id } = await template("x")
    const { headers } = await app.call("GET", `/templates/${id}`)
    const match = { "if-match": headers.get("etag")! }
    await given("PATCH", `/templates/${id}`, { body: "y" })
    await refuse(stale, "PATCH", `/templates/${id}`, { body: "z" }, match)
    await refuse(stale, "POST", `/templates/${id}/apply`, {}, match)
    await refuse(stale, "DELETE", `/templates/${id}`, undefined, match)
    await given("DELETE", `/templates/${id}`)
  })

  it("count for the storage of the workspace, and are limited by its plan", async () => {
    const before = (await given("GET", "/usage")).text_bytes
    const { id } = await template("12345")
    expect((await given("GET", "/usage")).text_bytes).toBe(before + 5)
    await given("PATCH", `/templates/${id}`, { body: "12" })
    expect((await given("GET", "/usage")).text_bytes).toBe(before + 2)
    const ids = [id]
    while (ids.length < 40) ids.push((await template("")).id)
    await refuse({ status: 403, code: "quota_exceeded" }, "POST", "/templates", { name: "one more" })
    for (const each of ids) await given("DELETE", `/templates/${each}`)
    expect((await given("GET", "/usage")).text_bytes).toBe(before)
    await expectTruth(app)
  })
})

describe("POST /templates/{id}/apply", () => {
  it("creates a note in the Inbox, with the template's name and the variables replaced", async () => {
    const { id } = await template("On {{date}} at {{time}}: {{title}}", "Journal {{date:YYYY}}")
    const { body, changes, headers, status } = await act("POST", `/templates/${id}/apply`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      notebook_id: inbox,
      title: "Journal 2026",
      body: "On 2026-03-01 at 12:00: Journal 2026",
      version: 1,
      unresolved_variables: []
    })
    expect(changes).toEqual([
      ["note.created", body.id, 1],
      ["template.applied", id, null]
    ])
    const { headers: read } = await app.call("GET", `/notes/${body.id}`)
    expect(headers.get("etag")).toBe(read.get("etag"))
  })

  it("supports dates with shifts and formats, in the user's time zone", async () => {
    await given("PATCH", "/me", { timezone: "Pacific/Auckland" })
    expect((await made("{{date}} {{time}} {{weekday}} {{year}}/{{month}}/{{day}}")).body).toBe(
      "2026-03-02 01:00 Monday 2026/03/02"
    )
    expect((await made("{{datetime+1d-2h:DD.MM.YYYY HH:mm}} {{date-1m}} {{ date+1y }}")).body).toBe(
      "02.03.2026 23:00 2026-02-02 2027-03-02"
    )
    await given("PATCH", "/me", { timezone: "UTC" })
  })

  it("supports user, notebook and workspace, and creates a new value for each uuid", async () => {
    const { email, name } = await given("GET", "/me")
    const { body } = await made("{{user.name}}|{{user.email}}|{{notebook.name}}|{{workspace.name}}")
    expect(body).toBe(`${name}|${email}|Inbox|Personal`)
    const [one, two] = (await made("{{uuid}} {{uuid}}")).body.split(" ")
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(two).not.toBe(one)
  })

  it("accepts title, notebook, tags and variables, which take precedence over the built-in ones", async () => {
    const { id: notebook_id } = await given("POST", "/notebooks", { name: "Clients" })
    const note = await made("{{client}} {{date}} {{title}} {{notebook.name}}", {
      name: "Call",
      notebook_id,
      tags: ["call"],
      variables: { client: "ACME {{date}}", date: "today" },
      body: "ignored"
    })
    expect(note).toMatchObject({
      notebook_id,
      title: "Call",
      tags: ["call"],
      body: "ACME {{date}} today Call Clients",
      unresolved_variables: []
    })
  })

  it("leaves unknown variables unchanged, and returns each once", async () => {
    const body = "{{what}} {{ what }} {{date:}} {{title:x}} {{constructor}} {{date+1M}} {{date+12345d}} {{}} {{a b}}"
    const note = await made(body)
    expect(note.body).toBe(body)
    expect(note.unresolved_variables).toEqual(["what", "date", "title", "constructor", "date+1M", "date+12345d"])
  })

  it("supports all tokens of Day.js, including those of weeks, in body and name", async () => {
    expect((await made("{{date:gggg-[W]ww}} {{date:GGGG-[W]WW}} {{date:w wo W}} {{date:Q Do k X}}")).body).toBe(
      "2026-W10 2026-W09 10 10th 9 1 1st 12 1772366400"
    )
    expect((await made("{{date:L LT LLLL BBBB}}")).body).toBe("03/01/2026 12:00 PM Sunday, March 1, 2026 12:00 PM 2569")
    const { id } = await template("x", "Weekly {{date:gggg-[W]ww}}")
    expect((await given("POST", `/templates/${id}/apply`, {})).title).toBe("Weekly 2026-W10")
    await given("DELETE", `/templates/${id}`)
  })

  it("names months and weekdays in the user's locale", async () => {
    const dates = "{{date:dddd, D. MMMM YYYY}} | {{weekday}} | {{date:LL}} | {{date:w}}"
    const inLocale = async (locale: string) => {
      await given("PATCH", "/me", { locale })
      return (await made(dates)).body
    }
    expect(await inLocale("de-AT")).toBe("Sonntag, 1. März 2026 | Sonntag | 1. März 2026 | 9")
    expect(await inLocale("fr")).toBe("dimanche, 1. mars 2026 | dimanche | 1 mars 2026 | 9")
    expect(await inLocale("zh-Hant")).toBe("星期日, 1. 三月 2026 | 星期日 | 2026年3月1日 | 10")
    expect(await inLocale("qaa")).toBe("Sunday, 1. March 2026 | Sunday | March 1, 2026 | 10")
    await given("PATCH", "/me", { locale: "en" })
  })

  it("shifts days by the calendar and hours by elapsed time, when clocks change", async () => {
    await given("PATCH", "/me", { timezone: "Europe/Berlin" })
    // Clocks change from 02:00 to 03:00 on 2026-03-29.
    expect((await made("{{datetime+27d}} {{datetime+28d}} {{datetime+28d:Z}}")).body).toBe(
      "2026-03-28 13:00 2026-03-29 13:00 +02:00"
    )
    expect((await made("{{datetime+660h:YYYY-MM-DD HH:mm Z}} {{datetime+661h:HH:mm Z [Z]}}")).body).toBe(
      "2026-03-29 01:00 +01:00 03:00 +02:00 Z"
    )
    await given("PATCH", "/me", { timezone: "UTC" })
  })

  it("creates the Inbox if there is none", async () => {
    await given(
      "DELETE",
      `/notebooks/${inbox}?move_notes_to=${(await given("POST", "/notebooks", { name: "Old" })).id}`
    )
    const { notebook_id } = await made("x")
    expect(await given("GET", `/notebooks/${notebook_id}`)).toMatchObject({ name: "Inbox", note_count: 1 })
    inbox = notebook_id
  })

  it("rejects an invalid note, and creates nothing", async () => {
    const { id } = await template("{{long}}{{long}}")
    const path = `/templates/${id}/apply`
    await refuse(unresolved("notebook_id"), "POST", path, { notebook_id: "nb_none" })
    await refuse(invalid("title", "too_long"), "POST", path, { title: "x".repeat(201) })
    await refuse(invalid("body", "too_long"), "POST", path, { variables: { long: "x".repeat(524_289) } })
    await refuse(invalid("variables.long", "invalid_type"), "POST", path, { variables: { long: 7 } })
    await refuse(notFound, "POST", "/templates/tp_none/apply")
    await given("DELETE", `/templates/${id}`)
    await expectTruth(app)
  })

  it("runs once per Idempotency-Key, even if the clock has moved", async () => {
    const { id } = await template("{{datetime}} {{uuid}}")
    const key = { "idempotency-key": "once" }
    const first = await app.call("POST", `/templates/${id}/apply`, {}, key)
    await app.advance("1 minute")
    const second = await app.call("POST", `/templates/${id}/apply`, {}, key)
    expect(second.body).toEqual(first.body)
    expect(second.headers.get("idempotent-replayed")).toBe("true")
    await given("DELETE", `/templates/${id}`)
  })
})

describe("templates in sync", () => {
  it("are pushed and pulled like other records", async () => {
    const { cursor } = await given("GET", "/sync/cursor")
    const push = (...changes: ReadonlyArray<object>) => given("POST", "/sync/push", { changes })
    const data = { name: "Pushed", body: "{{date}}" }
    const { results } = await push({ type: "template", op: "upsert", data })
    const { id } = results[0]
    expect(results[0]).toMatchObject({ status: "applied", revision: 1 })
    expect((await push({ type: "template", op: "upsert", id, revision: 1, data })).results[0].status).toBe("duplicate")
    await push({ type: "template", op: "upsert", id, revision: 1, data: { body: "other" } })
    const stale = await push({ type: "template", op: "upsert", id, revision: 1, data: { body: "third" } })
    expect(stale.conflicts[0]).toMatchObject({
      type: "template",
      id,
      reason: "stale_revision",
      server: { revision: 2, data: { id, name: "Pushed", body: "other" } }
    })
    const { changes } = await given("POST", "/sync/pull", { cursor, types: undefined })
    expect(changes).toMatchObject([{ type: "template", id, op: "upsert", revision: 2, data: { body: "other" } }])
    await push({ type: "template", op: "delete", id, revision: 2 })
    await refuse(notFound, "GET", `/templates/${id}`)
    expect((await push({ type: "template", op: "upsert", id, revision: 3, data })).results[0]).toMatchObject({
      status: "applied",
      revision: 4
    })
    await given("DELETE", `/templates/${id}`)
    await expectTruth(app)
  })
})

describe("rendering of a template", () => {
  const context: TemplateContext = {
    millis: Date.UTC(2026, 2, 1, 12),
    timezone: "UTC",
    locale: "en",
    uuid: systemRandomness.uuid,
    texts: { title: "T", "user.name": "", "user.email": "", "notebook.name": "", "workspace.name": "" }
  }
  const rendered = (template: string, variables = {}, changed: Partial<TemplateContext> = {}, maxBytes = 1e9) =>
    Effect.runPromise(render(template, variables, { ...context, ...changed }, maxBytes))

  it("keeps text outside placeholders, and does not expand values", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string(), fc.string())), fc.string(), async (parts, end) => {
        const plain = (text: string) => text.replaceAll(/[{}]/g, "")
        const template = parts.map(([before]) => `${plain(before)}{{v}}`).join("") + plain(end)
        const value = parts.map(([, text]) => text).join("{{v}}")
        expect((await rendered(template, { v: value }))?.text).toBe(
          parts.map(([before]) => plain(before) + value).join("") + plain(end)
        )
      })
    ))

  it("has a value for any format in any locale and time zone, and never fails", async () => {
    const tokens =
      "YY YYYY Q Do M MM MMM MMMM D DD d dd ddd dddd H HH h hh k kk m mm s ss SSS A a Z ZZ z zzz X x w wo ww W WW"
    const more = "gg gggg GG GGGG L LT LTS LL LLL LLLL l ll lll llll BB BBBB e E N [ ] [W] \\ ' \u0000 Wochentag 週"
    const format = fc.array(fc.oneof(fc.constantFrom(...`${tokens} ${more}`.split(" ")), fc.string()), { minLength: 1 })
    const shifts = fc.array(fc.tuple(fc.constantFrom("+", "-"), fc.nat(9_999), fc.constantFrom(..."hdwmy")), {
      maxLength: 8
    })
    const names = [...dateLocales]
    expect(names.length).toBeGreaterThan(140)
    await fc.assert(
      fc.asyncProperty(
        format,
        shifts,
        fc.constantFrom(...names),
        fc.constantFrom("UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia"),
        fc.integer({ min: 0, max: 253_402_300_799_999 }),
        async (parts, shifts, locale, timezone, millis) => {
          const format = parts
            .join(" ")
            .replaceAll(/[{}\n]/g, "")
            .slice(0, 100)
          const template = `{{date${shifts.map((each) => each.join("")).join("")}:${format}}}`
          const result = await rendered(template, {}, { locale, timezone, millis })
          expect(result!.text).not.toContain("Invalid")
          expect(result!.unresolved).toEqual(result!.text === template ? [expect.any(String)] : [])
        }
      ),
      { numRuns: rounds(100, 500) }
    )
  })

  it("stops when the text is too long", async () => {
    const template = "{{v}}".repeat(1_000)
    expect(isWithinLimits(template)).toBe(true)
    expect(await rendered(template, { v: "x".repeat(2_000) }, {}, 1_048_576)).toBeUndefined()
  })

  it("scans any text in one pass", () => {
    for (const part of ["{{", "{{a", "{{date+1d", "{{a-1d", "}}", "{{ "]) {
      expect(isWithinLimits(part.repeat(Math.floor(1_048_576 / part.length)))).toBe(true)
    }
    expect(isWithinLimits(`{{a${"-1d".repeat(340_000)}`)).toBe(true)
    expect(isWithinLimits(`{{date${"-1d".repeat(340_000)}}}`)).toBe(false)
  })

  it("uses the Day.js locale that is nearest to a language tag", async () => {
    const tags = [
      "en",
      "en-US",
      "en-GB",
      "de-CH",
      "pt-BR",
      "pt",
      "zh",
      "zh-Hans-SG",
      "zh-TW",
      "sr",
      "sr-Latn",
      "no",
      "qaa"
    ]
    const found = await Promise.all(tags.map((tag) => Effect.runPromise(dateLocale(tag))))
    expect(found).toEqual("en en en-gb de-ch pt-br pt zh-cn zh zh-tw sr-cyrl sr nb en".split(" "))
  })
})
