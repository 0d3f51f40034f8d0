import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventStream } from "../../support/EventStream.ts"
import { mailTo } from "../../support/people/Mail.ts"
import { type Person, register } from "../../support/people/People.ts"
import { SmtpSink } from "../../support/servers/SmtpSink.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const noteOf = async (app: TestApp, { headers }: Person): Promise<string> => {
  const [{ id: notebook_id }] = (await app.call("GET", "/notebooks", undefined, headers)).body.data
  return (await app.call("POST", "/notes", { notebook_id, title: "Call Ada" }, headers)).body.id
}

const channelsOf = async (app: TestApp, { headers }: Person) =>
  (await app.call("GET", "/reminders/channels", undefined, headers)).body

/** Makes a reminder by mail, and reads the stream of its user until it is done. */
const remindByMail = async (app: TestApp, person: Person) => {
  const stream = await EventStream.open(app, { headers: person.headers })
  const input = { note_id: await noteOf(app, person), remind_at: "2026-01-01T00:00:00Z", channel: "email" }
  const { body } = await app.call("POST", "/reminders", input, person.headers)
  await stream.until(() =>
    stream.events.some(({ data, event }) => event === "change" && data.id === body.id && data.data?.done === true)
  )
  const later = await noteOf(app, person)
  await stream.until(() => stream.events.some(({ data }) => data.id === later))
  stream.close()
  const pushes = await app.sql("SELECT reminder_id FROM reminder_pushes WHERE reminder_id = $1", [body.id])
  const events = stream.events.filter(({ event }) => event === "reminder").map(({ data }) => data.id)
  return { id: body.id as string, events, pushes }
}

describe("the channels of reminders on a server without mail", () => {
  const { app } = useApp({ settings: { webhookAllow: ["127.0.0.1"] } })

  it("are those that reach the caller now", async () => {
    const person = await register(app)
    const other = await register(app)
    expect(await channelsOf(app, person)).toEqual({ push: false, email: false, webhook: false })
    const hook = async (input: object) =>
      (await app.call("POST", "/webhooks", { url: "http://127.0.0.1:4000/hook", ...input }, person.headers)).body
    await hook({ events: ["note.*"] })
    expect((await channelsOf(app, person)).webhook).toBe(false)
    const { id } = await hook({ events: ["reminder.fired"] })
    expect((await channelsOf(app, person)).webhook).toBe(true)
    await app.call("PATCH", `/webhooks/${id}`, { active: false }, person.headers)
    expect((await channelsOf(app, person)).webhook).toBe(false)
    await app.sql(
      `INSERT INTO push_subscriptions (workspace_id, device_id, user_id, home_id, session_id, endpoint, p256dh, auth, created_at)
      SELECT workspace_id, id, user_id, workspace_id, $2, 'https://push.example/1', '', '', created_at FROM devices WHERE user_id = $1`,
      [person.user_id, person.session_id]
    )
    expect(await channelsOf(app, person)).toEqual({ push: true, email: false, webhook: false })
    expect(await channelsOf(app, other)).toEqual({ push: false, email: false, webhook: false })
  })

  it("announce a reminder by mail as a notification, because its mail reaches no one", async () => {
    const person = await register(app)
    const { events, id } = await remindByMail(app, person)
    expect(events).toEqual([id])
    // The operator finds the mail on the server.
    expect((await mailTo(app, person.email)).map(({ headers }) => headers.get("subject"))).toContain(
      "Reminder: Call Ada"
    )
  })
})

describe("the channels of reminders on a server with mail", () => {
  let sink: SmtpSink
  let app: TestApp

  beforeAll(async () => {
    sink = await SmtpSink.start()
    app = await startApp({
      settings: { smtpUrl: Redacted.make(`smtp://127.0.0.1:${sink.port}`), mailFrom: "sheaf@sheaf.test" }
    })
  })
  afterAll(async () => {
    await app.stop()
    await sink.stop()
  })

  it("include mail, which is then the only message", async () => {
    const person = await register(app)
    expect(await channelsOf(app, person)).toEqual({ push: false, email: true, webhook: false })
    const { events, pushes } = await remindByMail(app, person)
    expect([events, pushes]).toEqual([[], []])
    await sink.until("the reminder", () => sink.received.some(({ text }) => text.includes("Call Ada")))
  })
})
