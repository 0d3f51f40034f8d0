/** What stands in a mail. */
export interface Letter {
  readonly subject: string
  readonly text: string
}

const longest = 100

/**
 * What people wrote, on one line: line breaks, control characters, and marks that turn the direction of writing become
 * spaces, so that a name can fake neither a header nor a line of the text.
 */
const folded = (text: string): string => {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ").trim()
  const points = [...line]
  return points.length <= longest
    ? line
    : `${points
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`
}

/** To the minute, in UTC: the reader's time zone is not known. */
const moment = (time: string): string => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`

/** To the minute, as clocks on the wall of the reader's zone show it. Put together here: versions of ICU differ in commas. */
const wallTime = (time: string, timezone: string): string => {
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone: timezone })
  const parts = Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]))
  const { day, hour, minute, month, weekday, year } = parts
  return `${weekday}, ${day} ${month} ${year} at ${hour}:${minute} (${timezone})`
}

/** An address as its owner knows it again and nobody else learns it: `j…@example.org`. */
const masked = (email: string): string => {
  const line = folded(email)
  const at = line.lastIndexOf("@")
  const [first = ""] = at > 1 ? line : ""
  return `${first}…${line.slice(Math.max(at, 0))}`
}

const letter = (subject: string, ...paragraphs: ReadonlyArray<string>): Letter => ({
  subject,
  text: `${paragraphs.join("\n\n")}\n`
})

/** To whom a workspace is opened (contract 4, invitations). */
export const invitation = (about: {
  readonly workspace: string
  readonly inviter: string
  readonly role: string
  readonly accept_url: string
  readonly expires_at: string
}): Letter => {
  const [workspace, inviter] = [folded(about.workspace), folded(about.inviter)]
  return letter(
    `${inviter} invites you to "${workspace}"`,
    "Hello,",
    `${inviter} invites you to the workspace "${workspace}", with the role ${folded(about.role)}.`,
    "To accept, open this link:",
    `    ${about.accept_url}`,
    `It is good until ${moment(about.expires_at)}, and only for you: please don't pass it on.`,
    "If you don't know who invites you, ignore this mail. Nothing happens unless you accept."
  )
}

/** To who forgot the password: the one-time token (contract 4, `/auth/forgot`). */
export const passwordReset = (about: { readonly token: string; readonly publicUrl: string }): Letter =>
  letter(
    "Reset your password",
    "Hello,",
    `somebody, hopefully you, asked to reset your password at ${about.publicUrl}. ` +
      "This token lets you choose a new one:",
    `    ${about.token}`,
    `Give it to your app, or send it with the new password to ${about.publicUrl}/v2/auth/reset. ` +
      "It works once, within one hour.",
    "If it was not you, ignore this mail: your password stays as it is. Never give the token to anybody."
  )

/** To the address that an account had before (contract 4, `PATCH /me`). */
export const emailChanged = (about: {
  readonly email: string
  readonly changed_at: string
  readonly publicUrl: string
}): Letter =>
  letter(
    "Your e-mail address was changed",
    "Hello,",
    `your account at ${about.publicUrl} now has the e-mail address ${masked(about.email)}, since ` +
      `${moment(about.changed_at)}. Mail no longer comes to this one.`,
    "If that was you, there is nothing to do.",
    "If it was not you, somebody else knows your password: tell who runs this server at once, and change the " +
      "password wherever else you use it."
  )

/** To who made a reminder (contract 5). */
export const reminder = (about: {
  readonly name: string
  readonly title: string
  readonly workspace: string
  readonly remind_at: string
  readonly timezone: string
  readonly publicUrl: string
}): Letter => {
  const title = folded(about.title)
  return letter(
    `Reminder: ${title}`,
    `Hello${about.name === "" ? "" : ` ${folded(about.name)}`},`,
    "you asked to be reminded of this note:",
    `    ${title}`,
    `    ${wallTime(about.remind_at, about.timezone)}`,
    `It is in the workspace "${folded(about.workspace)}" at ${about.publicUrl}.`,
    "This was the one time that it comes. Set a new time to be reminded again."
  )
}
