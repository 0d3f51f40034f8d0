/** The content of a mail. */
export interface Letter {
  readonly subject: string
  readonly text: string
}

const longest = 100

const cut = (line: string, length: number): string => {
  const points = [...line]
  return points.length <= length
    ? line
    : `${points
        .slice(0, length - 1)
        .join("")
        .trimEnd()}…`
}

/**
 * A user's text on one line. Line breaks, control characters, and characters that change the direction of writing
 * become spaces, so that a name can fake neither a header nor a line of the text.
 */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\s\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ").trim()

const folded = (text: string): string => cut(oneLine(text), longest)

/**
 * A user's text in a mail to a recipient who may not know this user: at most 40 characters, without URLs and e-mail
 * addresses, so that the mail links only to this service. It can be empty.
 */
const plain = (text: string): string => {
  const words = oneLine(text.slice(0, 1000).normalize("NFKC"))
    .split(" ")
    .filter((word) => !/@|:\/\/|www\./i.test(word))
    // Without these characters, mail clients do not turn the rest into links.
    .map((word) => word.replaceAll(/[/\\]|(?<=[\p{L}\p{N}])[.\u3002](?=[\p{L}\p{N}])/gu, " "))
  return cut(oneLine(words.join(" ")), 40)
}

/** To the minute, in UTC, because the reader's time zone is not known. */
export const moment = (time: string): string => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`

/** To the minute, in the reader's time zone. Assembled from parts, because versions of ICU use different commas. */
const wallTime = (time: string, timezone: string): string => {
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone: timezone })
  const parts = Object.fromEntries(format.formatToParts(new Date(time)).map(({ type, value }) => [type, value]))
  const { day, hour, minute, month, weekday, year } = parts
  return `${weekday}, ${day} ${month} ${year} at ${hour}:${minute} (${timezone})`
}

/** An address that its owner recognises and other readers do not learn: `j…@example.org`. */
const masked = (email: string): string => {
  const line = folded(email)
  const at = line.lastIndexOf("@")
  const [first = ""] = at > 1 ? line : ""
  return `${first}…${line.slice(Math.max(at, 0))}`
}

export const letter = (subject: string, ...paragraphs: ReadonlyArray<string>): Letter => ({
  subject,
  text: `${paragraphs.join("\n\n")}\n`
})

/** An invitation to a workspace (contract 4, invitations). */
export const invitation = (about: {
  readonly workspace: string
  readonly inviter: string
  readonly inviter_email: string
  readonly role: string
  readonly accept_url: string
  readonly expires_at: string
}): Letter => {
  const [workspace, inviter] = [plain(about.workspace), plain(about.inviter)]
  const quoted = workspace === "" ? "" : ` "${workspace}"`
  return letter(
    `${inviter || "A user"} invites you to ${workspace === "" ? "a workspace" : `"${workspace}"`}`,
    "Hello,",
    `${[inviter, `<${folded(about.inviter_email)}>`].join(" ").trim()} invites you to the workspace${quoted}, with the role ${folded(about.role)}.`,
    "To accept, open this link:",
    `    ${about.accept_url}`,
    `It is valid until ${moment(about.expires_at)}, and only for you: please don't pass it on.`,
    "If you don't know who invited you, ignore this mail. Nothing happens unless you accept."
  )
}

/** The URL of a page, with its token (contract 4). */
const linked = (publicUrl: string, path: string, token: string): string => `    ${publicUrl}${path}?token=${token}`

/** The page on which a user sets another password. */
export const resetLink = (publicUrl: string, token: string): string =>
  linked(publicUrl, "/password/reset", token).trimStart()

/** The one-time token for an account whose password was forgotten (contract 4, `/auth/forgot`). */
export const passwordReset = (about: { readonly token: string; readonly publicUrl: string }): Letter =>
  letter(
    "Reset your password",
    "Hello,",
    `someone, hopefully you, requested a new password at ${about.publicUrl}. To choose a new one, open this link:`,
    linked(about.publicUrl, "/password/reset", about.token),
    "It works once, within one hour. If your app asks for a token instead, give it this one:",
    `    ${about.token}`,
    "If it was not you, ignore this mail: your password stays the same. Do not share the link or the token."
  )

/** The token that confirms the address of an account (contract 4). The mail has no other text of the account's user. */
export const confirmation = (about: {
  readonly token: string
  readonly email: string
  readonly publicUrl: string
}): Letter =>
  letter(
    "Confirm your e-mail address",
    "Hello,",
    `an account at ${about.publicUrl} uses the e-mail address ${folded(about.email)}. ` +
      "If the account is yours, open this link to confirm the address:",
    linked(about.publicUrl, "/email/confirm", about.token),
    "The link works for seven days.",
    "If you do not know this account, ignore this mail: the address stays unconfirmed."
  )

/** A notice to the previous address of an account (contract 4, `PATCH /me`). */
export const emailChanged = (about: {
  readonly email: string
  readonly changed_at: string
  readonly publicUrl: string
}): Letter =>
  letter(
    "Your e-mail address was changed",
    "Hello,",
    `your account at ${about.publicUrl} now has the e-mail address ${masked(about.email)}, since ` +
      `${moment(about.changed_at)}. This address receives no more mail.`,
    "If that was you, there is nothing to do.",
    "If it was not you, someone else knows your password: ask the administrator of this server for help at once, and " +
      "change the password wherever else you use it."
  )

/** When an account was used or changed, and where the request came from. */
export interface Occurrence {
  readonly at: string
  readonly ip: string | null
  readonly publicUrl: string
}

/** A notice to a user about their account (contract 4, security mails). `what` begins the sentence. */
const security = (subject: string, what: string, { at, ip, publicUrl }: Occurrence): Letter =>
  letter(
    subject,
    "Hello,",
    `${what} at ${publicUrl}, on ${moment(at)}${ip === null ? "" : `, from the address ${ip}`}.`,
    "If that was you, there is nothing to do.",
    "If it was not you, reset your password at once, and end the sessions, API keys and webhooks that you do not know:",
    `    ${publicUrl}/password/reset`
  )

export const signedIn = (device: { readonly name: string; readonly platform: string }) => (occurrence: Occurrence) =>
  security(
    "Sign-in on a new device",
    `someone signed in to your account on a new device, "${plain(device.name)}" (${plain(device.platform)}),`,
    occurrence
  )

export const passwordChanged = (occurrence: Occurrence): Letter =>
  security("Your password was changed", "the password of your account was changed", occurrence)

export const keyMade = (key: { readonly name: string; readonly prefix: string }) => (occurrence: Occurrence) =>
  security(
    "A new API key",
    `a new API key, "${plain(key.name)}", which begins with ${key.prefix}, was made with your account`,
    occurrence
  )

export const webhookMade = (url: string) => (occurrence: Occurrence) =>
  security("A new webhook", `a new webhook to ${folded(new URL(url).host)} was made with your account`, occurrence)

export const mailsSwitchedOff = (occurrence: Occurrence): Letter =>
  security(
    "Mails about your account were switched off",
    "this is the last mail about sign-ins and changes of your account: these mails were switched off",
    occurrence
  )

/** The last mail to a user, whose account was deleted (contract 4). */
export const accountDeleted = ({ at, ip, publicUrl }: Occurrence): Letter =>
  letter(
    "Your account was deleted",
    "Hello,",
    `your account at ${publicUrl} was deleted on ${moment(at)}${ip === null ? "" : `, from the address ${ip}`}. ` +
      "Its sessions and API keys have ended, and workspaces without other members were deleted with it.",
    "If that was you, there is nothing to do.",
    "If it was not you, ask the administrator of this server for help within 30 days: until then deleted workspaces can " +
      "be restored."
  )

/** A reminder to the user who made it (contract 5). An unconfirmed address may belong to another person. */
export const reminder = (about: {
  readonly email_proven: boolean
  readonly name: string
  readonly title: string
  readonly workspace: string
  readonly remind_at: string
  readonly timezone: string
  readonly publicUrl: string
}): Letter => {
  const shown = about.email_proven ? folded : plain
  const [title, name, workspace] = [shown(about.title), shown(about.name), shown(about.workspace)]
  return letter(
    `Reminder: ${title}`,
    `Hello${name === "" ? "" : ` ${name}`},`,
    "you asked to be reminded of this note:",
    `    ${title}`,
    `    ${wallTime(about.remind_at, about.timezone)}`,
    `It is in the workspace "${workspace}" at ${about.publicUrl}.`,
    "This reminder is sent only once. Set a new time to be reminded again."
  )
}
