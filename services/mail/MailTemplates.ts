import { languageIn } from "../languages/Language.ts"
import { type Role, roles } from "../Principal.ts"
import type { MailTexts } from "./languages/EnglishMails.ts"
import { mailTexts } from "./MailLanguages.ts"

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

/**
 * To the minute, in the reader's time zone. In English it is assembled from parts, because versions of ICU use different
 * commas.
 */
const wallTime = (
  time: string,
  { locale, timezone }: { readonly locale: string; readonly timezone: string }
): string => {
  const style = { dateStyle: "full", timeStyle: "short", timeZone: timezone } as const
  if (languageIn([locale]) !== "en") {
    return `${new Intl.DateTimeFormat(locale, style).format(new Date(time))} (${timezone})`
  }
  const format = new Intl.DateTimeFormat("en-GB", style)
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

export const letter = ([subject, ...paragraphs]: readonly [
  subject: string,
  ...paragraphs: ReadonlyArray<string>
]): Letter => ({
  subject,
  text: `${paragraphs.join("\n\n")}\n`
})

/** The reader's locale, which chooses the language. */
interface Reader {
  readonly locale: string
}

const isRole = (role: string): role is Role => (roles as ReadonlyArray<string>).includes(role)

/** An invitation to a workspace (contract 4, invitations). */
export const invitation = (
  about: Reader & {
    readonly workspace: string
    readonly inviter: string
    readonly inviter_email: string
    readonly role: string
    readonly accept_url: string
    readonly expires_at: string
  }
): Letter => {
  const texts = mailTexts(about.locale)
  return letter(
    texts.invitation({
      workspace: plain(about.workspace),
      inviter: plain(about.inviter),
      email: folded(about.inviter_email),
      role: isRole(about.role) ? texts.roles[about.role] : folded(about.role),
      url: about.accept_url,
      until: moment(about.expires_at)
    })
  )
}

/** The URL of a page, with its token (contract 4). */
const linked = (publicUrl: string, path: string, token: string): string => `${publicUrl}${path}?token=${token}`

/** The page on which a user sets another password. */
export const resetLink = (publicUrl: string, token: string): string => linked(publicUrl, "/password/reset", token)

/** The one-time token for an account whose password was forgotten (contract 4, `/auth/forgot`). */
export const passwordReset = ({
  locale,
  publicUrl,
  token
}: Reader & { readonly token: string; readonly publicUrl: string }): Letter =>
  letter(mailTexts(locale).passwordReset({ url: publicUrl, link: resetLink(publicUrl, token), token }))

/** The token that confirms the address of an account (contract 4). The mail has no other text of the account's user. */
export const confirmation = ({
  email,
  locale,
  publicUrl,
  token
}: Reader & { readonly token: string; readonly email: string; readonly publicUrl: string }): Letter =>
  letter(
    mailTexts(locale).confirmation({
      url: publicUrl,
      email: folded(email),
      link: linked(publicUrl, "/email/confirm", token)
    })
  )

/** A notice to the previous address of an account (contract 4, `PATCH /me`). */
export const emailChanged = ({
  changed_at,
  email,
  locale,
  publicUrl
}: Reader & { readonly email: string; readonly changed_at: string; readonly publicUrl: string }): Letter =>
  letter(mailTexts(locale).emailChanged({ url: publicUrl, email: masked(email), at: moment(changed_at) }))

/** When an account was used or changed, and where the request came from. */
export interface Occurrence extends Reader {
  readonly at: string
  readonly ip: string | null
  readonly publicUrl: string
}

/** A notice to a user about their account (contract 4, security mails). */
const security =
  (happened: (texts: MailTexts) => Parameters<MailTexts["security"]>[0]) =>
  ({ at, ip, locale, publicUrl }: Occurrence): Letter => {
    const texts = mailTexts(locale)
    const event = { url: publicUrl, at: moment(at), ip, reset: `${publicUrl}/password/reset` }
    return letter(texts.security(happened(texts), event))
  }

export const signedIn = ({ name, platform }: { readonly name: string; readonly platform: string }) =>
  security((texts) => texts.signedIn(plain(name), plain(platform)))

export const passwordChanged = security((texts) => texts.passwordChanged)

/** An app was connected with an account. */
export const appConnected = (name: string, place: string) =>
  security((texts) => texts.appConnected(plain(name), folded(place)))

/** A provider was connected with an account, by which its user signs in. */
export const identityLinked = (name: string) => security((texts) => texts.identityLinked(plain(name)))

/** A factor was added to an account, or removed. */
export const factorAdded = (name: string) => security((texts) => texts.factorAdded(plain(name)))
export const factorRemoved = (name: string) => security((texts) => texts.factorRemoved(plain(name)))

/** An operator has removed all factors of an account. */
export const factorsReset = security((texts) => texts.factorsReset)

/** A client has the password of an account, but no valid code. */
export const wrongCodes = security((texts) => texts.wrongCodes)

export const keyMade = ({ name, prefix }: { readonly name: string; readonly prefix: string }) =>
  security((texts) => texts.keyMade(plain(name), prefix))

export const webhookMade = (url: string) => security((texts) => texts.webhookMade(folded(new URL(url).host)))

export const mailsSwitchedOff = security((texts) => texts.mailsSwitchedOff)

/** The last mail to a user, whose account was deleted (contract 4). */
export const accountDeleted = ({ at, ip, locale, publicUrl }: Occurrence): Letter =>
  letter(mailTexts(locale).accountDeleted({ url: publicUrl, at: moment(at), ip }))

/** A reminder to the user who made it (contract 5). An unconfirmed address may belong to another person. */
export const reminder = (
  about: Reader & {
    readonly email_proven: boolean
    readonly name: string
    readonly title: string
    readonly workspace: string
    readonly remind_at: string
    readonly timezone: string
    readonly publicUrl: string
  }
): Letter => {
  const shown = about.email_proven ? folded : plain
  return letter(
    mailTexts(about.locale).reminder({
      title: shown(about.title),
      name: shown(about.name),
      workspace: shown(about.workspace),
      at: wallTime(about.remind_at, about),
      url: about.publicUrl
    })
  )
}
