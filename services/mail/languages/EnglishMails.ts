import type { Role } from "../../Principal.ts"

/** A subject and paragraphs. */
export type Words = readonly [subject: string, ...paragraphs: ReadonlyArray<string>]

/** A line that a mail program shows as it is, such as a link. */
const line = (text: string): string => `    ${text}`

/** When and where something happened at an account. */
interface Event {
  readonly url: string
  readonly at: string
  readonly ip: string | null
  /** The page on which the user sets another password. */
  readonly reset: string
}

/** What happened, as the subject, and as the beginning of a sentence. */
type Happened = readonly [subject: string, sentence: string]

const from = (ip: string | null): string => (ip === null ? "" : `, from the address ${ip}`)

/** The texts of mails. User texts in them are on one line, and cannot change the rest. */
export const english = {
  roles: { owner: "owner", admin: "admin", editor: "editor", viewer: "viewer" } satisfies Record<Role, string>,

  invitation: (about: {
    readonly inviter: string
    readonly email: string
    readonly workspace: string
    readonly role: string
    readonly url: string
    readonly until: string
  }): Words => {
    const { email, inviter, role, until, url, workspace } = about
    return [
      `${inviter || "A user"} invites you to ${workspace === "" ? "a workspace" : `"${workspace}"`}`,
      "Hello,",
      `${[inviter, `<${email}>`].join(" ").trim()} invites you to the workspace${workspace === "" ? "" : ` "${workspace}"`}, with the role ${role}.`,
      "To accept, open this link:",
      line(url),
      `It is valid until ${until}, and only for you: please don't pass it on.`,
      "If you don't know who invited you, ignore this mail. Nothing happens unless you accept."
    ]
  },

  passwordReset: ({
    link,
    token,
    url
  }: {
    readonly url: string
    readonly link: string
    readonly token: string
  }): Words => [
    "Reset your password",
    "Hello,",
    `someone, hopefully you, requested a new password at ${url}. To choose a new one, open this link:`,
    line(link),
    "It works once, within one hour. If your app asks for a token instead, give it this one:",
    line(token),
    "If it was not you, ignore this mail: your password stays the same. Do not share the link or the token."
  ],

  confirmation: ({
    email,
    link,
    url
  }: {
    readonly url: string
    readonly email: string
    readonly link: string
  }): Words => [
    "Confirm your e-mail address",
    "Hello,",
    `an account at ${url} uses the e-mail address ${email}. If the account is yours, open this link to confirm the address:`,
    line(link),
    "The link works for seven days.",
    "If you do not know this account, ignore this mail: the address stays unconfirmed."
  ],

  emailChanged: ({ at, email, url }: { readonly url: string; readonly email: string; readonly at: string }): Words => [
    "Your e-mail address was changed",
    "Hello,",
    `your account at ${url} now has the e-mail address ${email}, since ${at}. This address receives no more mail.`,
    "If that was you, there is nothing to do.",
    "If it was not you, someone else knows your password: ask the administrator of this server for help at once, and change the password wherever else you use it."
  ],

  signedIn: (name: string, platform: string): Happened => [
    "Sign-in on a new device",
    `someone signed in to your account on a new device, "${name}" (${platform}),`
  ],
  passwordChanged: ["Your password was changed", "the password of your account was changed"] as Happened,
  appConnected: (name: string, place: string): Happened => [
    "A new connected app",
    `an app that calls itself "${name}", at ${place}, was connected with your account`
  ],
  identityLinked: (name: string): Happened => [
    "A new way to sign in",
    `the sign-in by "${name}" was connected with your account`
  ],
  factorAdded: (name: string): Happened => [
    "A new second factor",
    `the factor "${name}" was added to your account, by which you sign in`
  ],
  factorRemoved: (name: string): Happened => [
    "A second factor was removed",
    `the factor "${name}" was removed from your account`
  ],
  factorsReset: [
    "Your second factors were removed",
    "an operator of the server removed all second factors and recovery codes of your account"
  ] as Happened,
  wrongCodes: [
    "Wrong codes for your account",
    "someone sent the right password of your account, or had a session of it, and three wrong codes of its second factor"
  ] as Happened,
  keyMade: (name: string, prefix: string): Happened => [
    "A new API key",
    `a new API key, "${name}", which begins with ${prefix}, was made with your account`
  ],
  webhookMade: (host: string): Happened => ["A new webhook", `a new webhook to ${host} was made with your account`],
  mailsSwitchedOff: [
    "Mails about your account were switched off",
    "this is the last mail about sign-ins and changes of your account: these mails were switched off"
  ] as Happened,
  security: ([subject, sentence]: Happened, { at, ip, reset, url }: Event): Words => [
    subject,
    "Hello,",
    `${sentence} at ${url}, on ${at}${from(ip)}.`,
    "If that was you, there is nothing to do.",
    "If it was not you, reset your password at once, and end the sessions, connected apps, API keys and webhooks that you do not know:",
    line(reset)
  ],

  accountDeleted: ({ at, ip, url }: Omit<Event, "reset">): Words => [
    "Your account was deleted",
    "Hello,",
    `your account at ${url} was deleted on ${at}${from(ip)}. Its sessions and API keys have ended, and workspaces without other members were deleted with it.`,
    "If that was you, there is nothing to do.",
    "If it was not you, ask the administrator of this server for help within 30 days: until then deleted workspaces can be restored."
  ],

  reminder: (about: {
    readonly name: string
    readonly title: string
    readonly workspace: string
    readonly at: string
    readonly url: string
  }): Words => [
    `Reminder: ${about.title}`,
    `Hello${about.name === "" ? "" : ` ${about.name}`},`,
    "you asked to be reminded of this note:",
    line(about.title),
    line(about.at),
    `It is in the workspace "${about.workspace}" at ${about.url}.`,
    "This reminder is sent only once. Set a new time to be reminded again."
  ],

  /** Around the paragraphs of a mail to operators. */
  alarm: ([subject, ...paragraphs]: Words, pages: ReadonlyArray<string>): Words => [
    subject,
    "Hello,",
    ...paragraphs,
    "Operators find the details in the console:",
    pages.map(line).join("\n"),
    "This mail is sent at most once a day, until the cause is gone."
  ],
  backupsFail: (url: string, error: string | undefined, at: string | undefined): Words => [
    error === undefined ? "A backup is overdue" : "The last backup failed",
    error === undefined
      ? `no scheduled backup of ${url} was made in time.`
      : `the last scheduled backup of ${url} failed:`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "No scheduled backup has succeeded yet." : `The last backup that succeeded is from ${at}.`,
    "The server tries again. Its log has the details, and the command `sheaf backup` makes a backup at once."
  ],
  drillsFail: (url: string, error: string | undefined, at: string | undefined): Words => [
    error === undefined ? "A restore drill is overdue" : "The last restore drill failed",
    error === undefined
      ? `no scheduled drill of ${url} has restored a backup in time.`
      : `the last restore drill of ${url} failed:`,
    ...(error === undefined ? [] : [line(error)]),
    at === undefined ? "No drill has succeeded yet." : `The last drill that succeeded is from ${at}.`,
    "Until a drill succeeds, it is uncertain whether a backup can be restored. The command `sheaf restore FILE --drill` restores one into a scratch database at once."
  ],
  diskIsLow: (about: {
    readonly url: string
    readonly free: string
    readonly size: string
    readonly host: string
  }): Words => [
    "The disk is nearly full",
    `${about.free} of ${about.size} GiB are free on the disk of DATA_DIR of ${about.url}, on the machine ${about.host}.`,
    "Make the disk larger, or erase deleted workspaces. Uploads are refused below 5 %, and all other writes when it is full."
  ],
  diskFills: (about: {
    readonly url: string
    readonly free: string
    readonly size: string
    readonly host: string
    readonly days: number
  }): Words => [
    `The disk is full in ${about.days} days`,
    `if what is stored grows as in the last week, the disk of DATA_DIR of ${about.url}, on the machine ${about.host}, is full in ${about.days} days: ${about.free} of ${about.size} GiB are free.`,
    "Make the disk larger, or erase deleted workspaces."
  ],
  mailsFail: (url: string, count: number): Words => [
    "Mails could not be sent",
    `${count === 1 ? "one mail" : `${count} mails`} of ${url} could not be sent within the last day.`,
    "Look at their codes, remove the cause, and send them again."
  ],
  webhooksEnd: (url: string, count: number): Words => [
    "Webhooks were disabled",
    `${count === 1 ? "one webhook" : `${count} webhooks`} of ${url} ${count === 1 ? "was" : "were"} disabled within the last day: the endpoint refused all deliveries for five days, or responded that it is gone.`,
    "The owners of the workspaces can activate them again. If there are many, look at the network of the server."
  ],
  certificateEnds: (url: string, at: string): Words => [
    "The certificate ends soon",
    `the certificate of ${url} is valid until ${at}.`,
    "Renew it at the proxy in front of the server."
  ],
  versionReleased: (url: string, released: string, running: string): Words => [
    `Version ${released} is available`,
    `${url} runs version ${running}, and version ${released} has been released.`
  ],
  checksFail: (url: string, checks: string): Words => [
    "A check has found faults",
    `the last check of ${url} has found faults: ${checks}.`,
    "Each fault has a remedy."
  ],
  versionsDiffer: (url: string, versions: string): Words => [
    "The nodes have several versions",
    `the nodes of ${url} have had several versions for an hour: ${versions}.`,
    "Complete the upgrade."
  ],
  test: (url: string): Words => ["Test mail", "Hello,", `an operator of ${url} sent this mail. Mail arrives.`]
}

/** The texts of mails in a language. A text that is missing does not compile. */
export type MailTexts = typeof english
