import { describe, expect, it } from "vitest"
import { localInput, presets } from "../../src/clients/console/reminders/ReminderTimes.ts"
import { isSlow } from "../support/Slow.ts"
import { missing } from "../support/browser/Chromium.ts"
import { useConsole } from "../support/browser/useConsole.ts"

describe("times that are offered for a reminder", () => {
  const offered = (now: Date) => presets(now).map(([name, time]) => [name, localInput(time)])

  it("are this evening, tomorrow and Monday, without what has passed", () => {
    // A Wednesday.
    expect(offered(new Date(2026, 11, 30, 8, 15))).toEqual([
      ["evening", "2026-12-30T19:00"],
      ["tomorrow", "2026-12-31T09:00"],
      ["week", "2027-01-04T09:00"]
    ])
    expect(offered(new Date(2026, 11, 30, 19)).map(([name]) => name)).toEqual(["tomorrow", "week"])
    // A Monday and a Sunday.
    expect(offered(new Date(2027, 0, 4, 20)).at(-1)).toEqual(["week", "2027-01-11T09:00"])
    expect(offered(new Date(2027, 0, 10, 20)).at(-1)).toEqual(["week", "2027-01-11T09:00"])
  })
})

/** What a browser returns that has a push service. */
const stubbedPush = `
  const made = { endpoint: "https://push.example.com/send/1", keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg" } }
  let own = null
  PushManager.prototype.getSubscription = async () => own
  PushManager.prototype.subscribe = async () => (own = { endpoint: made.endpoint, toJSON: () => made })
  Notification.requestPermission = async () => "granted"
`

describe.skipIf(!isSlow || missing !== "")(`reminders in the console${missing}`, () => {
  const given = useConsole()

  it("say what does not work on this server, offer this device, and are shown when they fire", async () => {
    const { client, notebook_id, ...who } = await given.account()
    const { id } = await client.createNote({ notebook_id, title: "Call Ada", body: "At last." })
    const pages = await given.signedIn(who)
    const { page } = pages
    await pages.read("Call Ada")
    await page.evaluate(stubbedPush)
    // The instance keeps its mails for the test, as if it sent them.
    await page.route("**/v2/reminders/channels", async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), email: false } })
    })
    await pages.openDialog("Reminders")
    const dialog = pages.dialog("Reminders")
    await dialog.getByText("This server sends no mail. No device of yours gets notifications.").waitFor()
    const channel = dialog.getByLabel("By")
    expect(await channel.inputValue()).toBe("push")
    expect(await channel.locator("option[disabled]").allTextContents()).toEqual([
      "Mail",
      "Webhook (none receives reminders)"
    ])
    await dialog.getByRole("button", { name: "Notify me on this device" }).click()
    await dialog.getByText("This server sends no mail.", { exact: true }).waitFor()
    expect(await client.getReminderChannels()).toMatchObject({ push: true, webhook: false })
    await dialog.getByRole("button", { name: "Tomorrow" }).click()
    await dialog.getByRole("button", { name: "Add a reminder" }).click()
    await dialog.locator("li", { hasText: "Notification" }).waitFor()
    const [made] = (await client.listReminders()).data
    expect(made).toMatchObject({ note_id: id, channel: "push", done: false })
    await dialog.getByRole("button", { name: /^Remove / }).click()
    await dialog.getByText("No reminders.").waitFor()
    await pages.closeDialog("Reminders")
    await pages.follow("trash")
    await client.createReminder({ note_id: id, remind_at: "2026-01-01T00:00:00Z" })
    await page.getByText("Reminder: Call Ada").waitFor()
    await page.getByRole("button", { name: "Open the note" }).click()
    await pages.rendered.getByText("At last.").waitFor()
    expect(pages.seen()).toEqual([])
  })
})
