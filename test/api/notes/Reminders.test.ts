import { Effect, Layer } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { backoff } from "../../../services/notes/reminders/ReminderPushes.ts"
import { Outgoing } from "../../../services/outgoing/Outgoing.ts"
import { planDefaults, policyDefaults } from "../../../services/workspaces/Plans.ts"
import { EventStream } from "../../support/EventStream.ts"
import { eventually } from "../../support/flows/eventually.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { logIn, register } from "../../support/people/People.ts"
import { invalid, notFound, stale, unresolved } from "../../support/Scenario.ts"
import { certificateFor } from "../../support/servers/Certificate.ts"
import { PushSink } from "../../support/servers/PushSink.ts"
import { Team } from "../../support/people/Team.ts"
import { epoch, startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const certificate = certificateFor(["push.example"])
/** Requests time out only after ten minutes, so that no request ends during a test. */
const outgoing = () =>
  Layer.effect(
    Outgoing,
    Effect.map(Outgoing, ({ request, ...rest }) =>
      Outgoing.of({ ...rest, request: (each) => request({ ...each, timeout: 600_000 }) })
    )
  ).pipe(
    Layer.provide(
      Outgoing.layer({ allow: ["127.0.0.0/8"], ca: [certificate.cert], resolve: async () => ["127.0.0.1"] })
    )
  )

/** Returns helpers for the time and the reminders of an App. */
const timeOf = (app: TestApp) => {
  const now = async (): Promise<number> =>
    Date.parse((await app.call("POST", "/notebooks", { name: "Clock" })).body.updated_at)
  const firings = async (id: string): Promise<ReadonlyArray<any>> =>
    app.sql("SELECT * FROM changes WHERE resource_id = $1 AND type = 'reminder.fired' ORDER BY seq", [id])
  /** Waits without moving the clock, one round trip to the database at a time. */
  const until = async (condition: () => Promise<boolean> | boolean) => {
    while (!(await condition())) await app.sql("SELECT 1")
  }
  return {
    now,
    firings,
    until,
    /** Returns a time this long from now. */
    inTime: async (millis: number) => new Date((await now()) + millis).toISOString(),
    /** Waits while the clocks advance, because nodes look for unannounced reminders every few seconds. */
    inSeconds: async (condition: () => Promise<boolean> | boolean, ...others: ReadonlyArray<TestApp>) => {
      while (!(await condition())) {
        for (const each of [app, ...others]) await each.advance("100 millis")
        await app.sql("SELECT 1")
      }
    },
    fired: (id: string, times = 1) => until(async () => (await firings(id)).length >= times)
  }
}

const { act, app, given, refuse } = useApp()
const { fired, firings, inSeconds, inTime, now } = timeOf(app)

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

let note: string
const makeNote = async (title = "Call Ümit & sign <b>"): Promise<string> => {
  const [{ id: notebook_id }] = (await given("GET", "/notebooks")).data
  return (await given("POST", "/notes", { notebook_id, title })).id
}
beforeEach(async () => {
  note = await makeNote()
})

const remind = (remind_at: string, more: object = {}) =>
  given("POST", "/reminders", { note_id: note, remind_at, ...more })
const get = (id: string) => given("GET", `/reminders/${id}`)
/** Waits until every reminder due now has fired, by firing another one after them. */
const allFired = async () => {
  const { id } = await remind("2026-01-01T00:00:00Z", { channel: "webhook" })
  await fired(id)
}

describe("reminders", () => {
  it("are created, read, listed, updated and deleted, and each change is logged", async () => {
    const remind_at = await inTime(day)
    const { body, changes, status } = await act("POST", "/reminders", {
      note_id: note,
      remind_at: remind_at.replace("Z", "+00:00")
    })
    expect(status).toBe(201)
    const { id: user_id } = await given("GET", "/me")
    expect(body).toEqual({
      id: expect.stringMatching(/^rm_[0-9A-Za-z]{22}$/),
      note_id: note,
      remind_at,
      channel: "push",
      done: false,
      user_id,
      created_at: expect.any(String),
      updated_at: expect.any(String)
    })
    expect(changes).toEqual([["reminder.created", body.id, 1]])
    expect(await get(body.id)).toEqual(body)
    const earlier = await remind(await inTime(hour), { channel: "email" })
    const listed = await given("GET", `/reminders?filter=${encodeURIComponent(`note_id=${note} AND done=false`)}`)
    expect(listed.data).toEqual([earlier, body])
    expect((await given("GET", `/reminders?filter=channel=email`)).data).toEqual([earlier])
    const changed = await act("PATCH", `/reminders/${body.id}`, { channel: "webhook", user_id: "us_other" })
    expect(changed.body).toMatchObject({ channel: "webhook", user_id, remind_at })
    expect(changed.changes).toEqual([["reminder.updated", body.id, 2]])
    expect((await act("PATCH", `/reminders/${body.id}`, { remind_at: remind_at.toLowerCase() })).changes).toEqual([])
    expect((await act("DELETE", `/reminders/${body.id}`)).changes).toEqual([["reminder.deleted", body.id, 3]])
    await refuse(notFound, "GET", `/reminders/${body.id}`)
    await refuse(notFound, "DELETE", `/reminders/${body.id}`)
    await given("DELETE", `/reminders/${earlier.id}`)
    await expectTruth(app)
  })

  it("require an existing note", async () => {
    const remind_at = await inTime(day)
    await refuse(invalid("note_id", "required"), "POST", "/reminders", { remind_at })
    await refuse(unresolved("note_id"), "POST", "/reminders", { note_id: "nt_0000000000000000", remind_at })
    const { id } = await remind(remind_at)
    const other = await makeNote("Other")
    expect((await given("PATCH", `/reminders/${id}`, { note_id: other })).note_id).toBe(other)
    await given("DELETE", `/notes/${note}`)
    await refuse(unresolved("note_id"), "POST", "/reminders", { note_id: note, remind_at })
    await refuse(unresolved("note_id"), "PATCH", `/reminders/${id}`, { note_id: note })
  })

  it.each([
    ["without a zone", "2031-05-01T08:00:00"],
    ["a date alone", "2031-05-01"],
    ["a day that the month does not have", "2031-02-29T08:00:00Z"],
    ["in month 13", "2031-13-01T08:00:00Z"],
    ["at hour 24", "2031-05-01T24:00:00Z"],
    ["in an invalid zone", "2031-05-01T08:00:00+25:99"],
    ["in a year of five digits", "10000-01-01T00:00:00Z"],
    ["in the year 10000, by its offset", "9999-12-31T23:59:59-12:00"],
    ["a number", 1_900_000_000],
    ["null", null],
    ["text", "tomorrow at nine"]
  ])("reject a time that is %s", async (_, remind_at) => {
    const code = typeof remind_at === "string" ? "invalid_timestamp" : "invalid_type"
    await refuse(invalid("remind_at", code), "POST", "/reminders", { note_id: note, remind_at })
  })

  it("accept any time from the year 0 to 9999", async () => {
    const moments = fc.date({
      min: new Date("0000-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true
    })
    await fc.assert(
      fc.asyncProperty(moments, async (moment) => {
        const { id, remind_at } = await remind(moment.toISOString(), { done: true })
        expect(remind_at).toBe(moment.toISOString())
        await given("DELETE", `/reminders/${id}`)
      }),
      { numRuns: 20, examples: [[new Date("9999-12-31T23:59:59.999Z")], [new Date("0000-02-29T00:00:00Z")]] }
    )
  })

  it("reject other invalid values", async () => {
    const remind_at = await inTime(day)
    await refuse(invalid("channel", "invalid"), "POST", "/reminders", { note_id: note, remind_at, channel: "sms" })
    await refuse(invalid("done", "invalid_type"), "POST", "/reminders", { note_id: note, remind_at, done: "no" })
    const { id } = await remind(remind_at)
    await refuse(invalid("remind_at", "invalid_type"), "PATCH", `/reminders/${id}`, { remind_at: null })
  })

  it("honour If-Match", async () => {
    const { id } = await remind(await inTime(day))
    const { headers } = await app.call("GET", `/reminders/${id}`)
    const match = { "if-match": headers.get("etag")! }
    await given("PATCH", `/reminders/${id}`, { done: true })
    await refuse(stale, "PATCH", `/reminders/${id}`, { done: false }, match)
    await refuse(stale, "DELETE", `/reminders/${id}`, undefined, match)
  })
})

describe("firing of a reminder", () => {
  it("happens once, at its time, and sets done", async () => {
    const { id, remind_at } = await remind(await inTime(hour), { channel: "webhook" })
    await app.advance(Date.parse(remind_at) - (await now()) - 1)
    await allFired()
    expect(await firings(id)).toEqual([])
    await app.advance(1)
    await fired(id)
    const [firing] = await firings(id)
    expect(firing).toMatchObject({ version: 2, actor_id: null, data: { id, channel: "webhook", done: true } })
    expect(firing.occurred_at).toBe(remind_at)
    expect((await get(id)).done).toBe(true)
    const [event] = (await given("GET", `/events?filter=type=reminder.fired`)).data.filter(
      ({ resource_id }: any) => resource_id === id
    )
    expect(event).toMatchObject({ resource_type: "reminder", actor_id: null, data: { channel: "webhook" } })
    await app.advance(day)
    await allFired()
    expect(await firings(id)).toHaveLength(1)
    await expectTruth(app)
  })

  it("happens at once when its time is in the past", async () => {
    const { id } = await remind("2020-01-01T00:00:00Z", { channel: "webhook" })
    await fired(id)
    expect((await get(id)).done).toBe(true)
  })

  it("is repeated after the time is moved to the future or done is cleared", async () => {
    const { id } = await remind("2020-01-01T00:00:00Z", { channel: "webhook" })
    await fired(id)
    // With another time in the past, the reminder stays done.
    expect((await given("PATCH", `/reminders/${id}`, { remind_at: "2021-01-01T00:00:00Z" })).done).toBe(true)
    const ahead = await given("PATCH", `/reminders/${id}`, { remind_at: await inTime(hour) })
    expect(ahead.done).toBe(false)
    await app.advance(hour)
    await fired(id, 2)
    expect((await given("PATCH", `/reminders/${id}`, { done: false })).done).toBe(false)
    await fired(id, 3)
    // A future time together with done dismisses the reminder.
    expect((await given("PATCH", `/reminders/${id}`, { remind_at: await inTime(hour), done: true })).done).toBe(true)
  })

  it("does not happen after it was dismissed, deleted or postponed", async () => {
    const remind_at = await inTime(hour)
    const [dismissed, deleted, later] = [await remind(remind_at), await remind(remind_at), await remind(remind_at)]
    await given("PATCH", `/reminders/${dismissed.id}`, { done: true })
    await given("DELETE", `/reminders/${deleted.id}`)
    await given("PATCH", `/reminders/${later.id}`, { remind_at: await inTime(day) })
    await app.advance(2 * hour)
    await allFired()
    for (const { id } of [dismissed, deleted, later]) expect(await firings(id)).toEqual([])
  })

  it("does not happen in the trash, and happens late when its note is restored late", async () => {
    const remind_at = await inTime(hour)
    const { id } = await remind(remind_at, { channel: "webhook" })
    const done = await remind(remind_at, { done: true })
    const { changes } = await act("DELETE", `/notes/${note}`)
    expect(changes.map(([type]) => type)).toEqual(["reminder.deleted", "reminder.deleted", "note.deleted"])
    await refuse(notFound, "GET", `/reminders/${id}`)
    await app.advance(day)
    const elsewhere = await makeNote("Elsewhere")
    const witness = await given("POST", "/reminders", { note_id: elsewhere, remind_at: "2026-01-01T00:00:00Z" })
    await fired(witness.id)
    expect(await firings(id)).toEqual([])
    await given("POST", `/notes/${note}/restore`)
    await inSeconds(async () => (await firings(id)).length > 0)
    expect(await firings(done.id)).toEqual([])
    await given("DELETE", `/notes/${note}?permanent=true`)
    expect(await app.sql("SELECT id FROM reminders WHERE note_id = $1", [note])).toEqual([])
    await expectTruth(app)
  })

  it("happens after the process that claimed it died, and after the clock was set back", async () => {
    const remind_at = await inTime(hour)
    const [claimed, far] = [await remind(remind_at), await remind(remind_at)]
    await app.sql("UPDATE reminders SET claimed_until = $2 WHERE id = $1", [
      claimed.id,
      new Date(Date.parse(remind_at) + 10 * second).toISOString()
    ])
    await app.sql("UPDATE reminders SET claimed_until = '2031-01-01T00:00:00.000Z' WHERE id = $1", [far.id])
    await app.advance(Date.parse(remind_at) - (await now()))
    await fired(far.id)
    await allFired()
    expect(await firings(claimed.id)).toEqual([])
    await app.advance(10 * second)
    await inSeconds(async () => (await firings(claimed.id)).length > 0)
    expect(await firings(claimed.id)).toHaveLength(1)
  })

  it("happens within seconds when another node changed the reminder, also after the clock was set back", async () => {
    await app.advance("-10 minutes")
    const remind_at = await inTime(0)
    const { id } = await remind(remind_at, { done: true })
    await app.sql("UPDATE reminders SET done = false WHERE id = $1", [id])
    await inSeconds(async () => (await firings(id)).length > 0)
    const [{ occurred_at }] = (await firings(id)) as [any]
    expect(Date.parse(occurred_at) - Date.parse(remind_at)).toBeLessThan(minute)
  })

  it("happens once on two nodes, however many reminders are due", async () => {
    const other = await startApp({ databaseOf: app })
    try {
      const changes = Array.from({ length: 450 }, () => ({
        type: "reminder",
        op: "upsert",
        data: { note_id: note, remind_at: "2026-02-01T00:00:00Z", channel: "webhook" }
      }))
      const { results } = await given("POST", "/sync/push", { changes })
      const ids = results.map(({ id }: any) => id)
      const left = async () =>
        (await app.sql("SELECT count(*)::int AS n FROM reminders WHERE NOT done AND id = ANY($1)", [ids]))[0].n
      await inSeconds(async () => (await left()) === 0, other)
      const [{ most, n }] = (await app.sql(
        `SELECT count(*)::int AS n, max(times)::int AS most FROM (
          SELECT count(*) AS times FROM changes WHERE type = 'reminder.fired' AND resource_id = ANY($1) GROUP BY resource_id
        ) each`,
        [ids]
      )) as [any]
      expect({ n, most }).toEqual({ n: 450, most: 1 })
      await expectTruth(app)
    } finally {
      await other.stop()
    }
  })
})

describe("delivery of a reminder", () => {
  // A separate App at the start of its clock, because push services reject tokens of another day.
  const { app } = useApp({ layers: outgoing() })
  const { fired, firings, inSeconds, inTime, until } = timeOf(app)
  let sink: PushSink
  beforeAll(async () => {
    sink = await PushSink.start(certificate, () => epoch)
  })
  afterAll(() => sink.stop())

  /** Logs in on a new device, and subscribes it to push messages. */
  const device = async (email: string, name: string, workspace?: string) => {
    const person = await logIn(app, email, { device: { name, platform: "web" } })
    const headers = { ...person.headers, ...(workspace === undefined ? {} : { "workspace-id": workspace }) }
    const { body } = await app.call("POST", "/sync/pull", {}, headers)
    const path = `/sync/devices/${body.device_id}/push`
    const { public_key } = (await app.call("GET", path, undefined, headers)).body
    const { id, subscription } = sink.subscribe(public_key)
    await app.call("PUT", path, subscription, headers)
    return { id, device_id: body.device_id as string }
  }
  const reach = (id: string) => sink.received.filter((each) => each.id === id)

  it("sends Web Push to each device of the user and an event to their streams, and nothing to other users", async () => {
    const team = await Team.start(app)
    const [maker, other] = [await team.member("editor"), await team.member("editor")]
    const devices = [await device(maker.email, "Phone", team.id), await device(maker.email, "Laptop", team.id)]
    const others = await device(other.email, "Other", team.id)
    const streams = [
      await EventStream.open(app, { headers: maker.headers }),
      await EventStream.open(app, { headers: other.headers })
    ]
    const [{ id: notebook_id }] = (await team.get("/notebooks")).data
    const { id: note_id } = await team.post("/notes", { notebook_id, title: "Pushed" })
    const make = { note_id, remind_at: "2026-01-01T00:00:00Z" }
    const { body: reminder } = await app.call("POST", "/reminders", make, maker.headers)
    await until(() => devices.every(({ id }) => reach(id).length > 0))
    for (const { id } of devices) {
      expect(reach(id).map(({ payload }) => payload)).toEqual([
        {
          type: "reminder",
          id: reminder.id,
          workspace_id: team.id,
          note_id,
          title: "Pushed",
          remind_at: reminder.remind_at
        }
      ])
    }
    expect(sink.wrong).toEqual([])
    const isDone = ({ data, event }: { event: string; data: any }) => event === "change" && data.data?.done === true
    await Promise.all(streams.map((stream) => stream.until(() => stream.events.some(isDone))))
    const [own, foreign] = streams as [EventStream, EventStream]
    await own.until(() => own.events.some(({ event }) => event === "reminder"))
    const sent = own.events.find(({ event }) => event === "reminder")!
    // The event has no id, because a client resumes at the change before it.
    expect(sent).toMatchObject({ id: undefined, data: { id: reminder.id, done: true, channel: "push" } })
    await team.post("/notebooks", { name: "Later" })
    await foreign.until(() => foreign.events.some(({ data }) => data.data?.name === "Later"))
    expect(foreign.events.filter(({ event }) => event === "reminder")).toEqual([])
    expect(reach(others.id)).toEqual([])
    for (const stream of streams) stream.close()
  })

  it("is repeated for a device that was not reached, but not for one that was, or is gone", async () => {
    const { email, headers } = await register(app)
    const [good, slow, gone] = [await device(email, "Good"), await device(email, "Slow"), await device(email, "Gone")]
    sink.faults.set(slow.id, 503)
    sink.faults.set(gone.id, 410)
    const [{ id: notebook_id }] = (await app.call("GET", "/notebooks", undefined, headers)).body.data
    const { body } = await app.call("POST", "/notes", { notebook_id, title: "x" }, headers)
    await app.call("POST", "/reminders", { note_id: body.id, remind_at: "2026-01-01T00:00:00Z" }, headers)
    const waiting = async () => (await app.sql("SELECT devices, attempts FROM reminder_pushes"))[0]
    await until(async () => (await waiting())?.devices.length === 1)
    expect((await waiting()).devices).toEqual([slow.device_id])
    sink.faults.delete(slow.id)
    await inSeconds(() => reach(slow.id).length === 2)
    await until(async () => (await waiting()) === undefined)
    expect([reach(good.id).length, reach(gone.id).length]).toEqual([1, 1])
    const known = await app.sql("SELECT device_id FROM push_subscriptions ORDER BY device_id")
    expect(known.map(({ device_id }) => device_id)).not.toContain(gone.device_id)
  })

  it("is immediate, even while push services of other users hang", async () => {
    const due = async (headers: Record<string, string>, count: number) => {
      const [{ id: notebook_id }] = (await app.call("GET", "/notebooks", undefined, headers)).body.data
      const { body } = await app.call("POST", "/notes", { notebook_id, title: "x" }, headers)
      const reminder = { note_id: body.id, remind_at: "2026-01-01T00:00:00Z" }
      for (let at = 0; at < count; at++) await app.call("POST", "/reminders", reminder, headers)
    }
    const crowd = await Promise.all([1, 2, 3, 4].map(() => register(app)))
    for (const { email } of crowd) {
      const { id } = await device(email, "Hangs")
      sink.faults.set(id, "hang")
    }
    const { email, headers } = await register(app)
    const good = await device(email, "Good")
    await Promise.all(crowd.map((each) => due(each.headers, 6)))
    // The maximum number of concurrent messages per user, to all four users.
    await until(() => sink.hung.length === 16)
    await due(headers, 1)
    await until(() => reach(good.id).length === 1)
    // None of these requests has ended, and no further one has started.
    expect(sink.hung.map(({ response }) => response.writable)).toEqual(Array(16).fill(true))
    sink.release()
  })

  it("is retried for a day, then abandoned", () => {
    expect([1, 2, 3, 4, 5, 9].map((attempt) => backoff(attempt, 0))).toEqual([
      5 * second,
      30 * second,
      2 * minute,
      10 * minute,
      hour,
      hour
    ])
    expect(backoff(5, day - hour)).toBe(hour)
    expect(backoff(5, day - hour + 1)).toBeUndefined()
  })

  it("does not reach a former member, but the firing is logged", async () => {
    const team = await Team.start(app)
    const maker = await team.member("editor")
    const phone = await device(maker.email, "Phone", team.id)
    const [{ id: notebook_id }] = (await team.get("/notebooks")).data
    const { id: note_id } = await team.post("/notes", { notebook_id, title: "Secret" })
    const remind_at = await inTime(hour)
    const made = await Promise.all(
      ["push", "email"].map(
        async (channel) =>
          (await app.call("POST", "/reminders", { note_id, remind_at, channel }, maker.headers)).body.id
      )
    )
    await app.call("DELETE", `/workspaces/${team.id}/members/${maker.member_id}`, undefined, team.owner.headers)
    await app.advance(hour)
    for (const id of made) await fired(id)
    await app.advance(minute)
    expect(reach(phone.id)).toEqual([])
    expect(await mailTo(app, maker.email, 0)).toEqual([])
  })

  it("sends at most 20 mails a day to an unproven address", async () => {
    const { email, headers } = await register(app)
    const [{ id: notebook_id }] = (await app.call("GET", "/notebooks", undefined, headers)).body.data
    const { body } = await app.call("POST", "/notes", { notebook_id, title: "x" }, headers)
    const data = { note_id: body.id, remind_at: "2026-01-01T00:00:00Z", channel: "email" }
    const changes = Array.from({ length: 25 }, () => ({ type: "reminder", op: "upsert", data }))
    const pushed = await app.call("POST", "/sync/push", { changes }, headers)
    for (const { id } of pushed.body.results) await inSeconds(async () => (await firings(id)).length > 0)
    expect(await mailTo(app, email, 20)).toHaveLength(20)
    await app.advance(minute)
    expect(await mailTo(app, email, 0)).toHaveLength(20)
  })
})

describe("quota of reminders", () => {
  const limits = { ...planDefaults, team: { ...planDefaults.team, reminders: 2 } }
  const small = useApp({ settings: { policies: { ...policyDefaults, limits } } })

  it("includes reminders that are done", async () => {
    const [{ id: notebook_id }] = (await small.given("GET", "/notebooks")).data
    const { id: note_id } = await small.given("POST", "/notes", { notebook_id, title: "x" })
    const input = { note_id, remind_at: "2031-01-01T00:00:00Z" }
    const { id } = await small.given("POST", "/reminders", { ...input, done: true })
    await small.given("POST", "/reminders", input)
    await small.refuse({ status: 403, code: "quota_exceeded" }, "POST", "/reminders", input)
    await small.given("DELETE", `/reminders/${id}`)
    await small.given("POST", "/reminders", input)
  })
})

describe("reminder by mail", () => {
  const { app, given } = useApp()

  it("shows the time in the user's time zone, also across daylight saving changes", async () => {
    await given("PATCH", "/me", { timezone: "Europe/Vienna", name: "Anna" })
    const [{ id: notebook_id }] = (await given("GET", "/notebooks")).data
    const { id: note_id } = await given("POST", "/notes", { notebook_id, title: "Call Ümit & sign <b>" })
    // In Vienna, clocks go forward on 2026-03-29 and back on 2026-10-25.
    const moments = [
      ["2026-03-28T06:30:00Z", "Saturday, 28 March 2026 at 07:30 (Europe/Vienna)"],
      ["2026-03-29T06:30:00Z", "Sunday, 29 March 2026 at 08:30 (Europe/Vienna)"],
      ["2026-10-25T00:30:00Z", "Sunday, 25 October 2026 at 02:30 (Europe/Vienna)"],
      ["2026-10-25T23:30:00Z", "Monday, 26 October 2026 at 00:30 (Europe/Vienna)"]
    ] as const
    let clock = epoch
    for (const [remind_at, shown] of moments) {
      await given("POST", "/reminders", { note_id, remind_at, channel: "email" })
      await app.advance(Date.parse(remind_at) - clock)
      clock = Date.parse(remind_at)
      // Mails of months ago have been deleted meanwhile.
      const { headers, text } = await eventually(shown, async () => {
        const mail = (await mailTo(app, "owner@sheaf.test")).at(-1)!
        return mail.text.includes(shown) && mail
      })
      expect(headers.get("subject")).toBe("Reminder: Call Ümit & sign <b>")
      expect(text).toBe(
        [
          "Hello Anna,",
          "you asked to be reminded of this note:",
          "    Call Ümit & sign <b>",
          `    ${shown}`,
          'It is in the workspace "Personal" at http://sheaf.test.',
          "This reminder is sent only once. Set a new time to be reminded again.\n"
        ].join("\n\n")
      )
    }
  })
})
