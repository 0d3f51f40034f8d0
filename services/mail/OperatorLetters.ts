import type { MailTexts, Words } from "./languages/EnglishMails.ts"
import { mailTexts } from "./MailLanguages.ts"
import { type Letter, letter, moment, oneLine } from "./MailTemplates.ts"

/** What a mail says about one alarm, and the page of the console with its details. */
export interface Notice {
  readonly page: "backups" | "checks" | "mails" | "overview" | "system"
  readonly words: (texts: MailTexts) => Words
}

/** A mail to an operator with a locale (docs/operating.md) about all alarms. The first one gives the subject. */
export const alarms =
  (publicUrl: string, notices: readonly [Notice, ...ReadonlyArray<Notice>]) =>
  (locale: string): Letter => {
    const texts = mailTexts(locale)
    const all = notices.map(({ words }) => words(texts))
    const pages = [...new Set(notices.map(({ page }) => `${publicUrl}/console/server/${page}`))]
    const [[subject, ...paragraphs]] = all as [Words, ...ReadonlyArray<Words>]
    if (all.length === 1) return letter(texts.alarm([subject, ...paragraphs], pages))
    const joined = all.flatMap(([subject, first, ...rest]) => [`${subject}: ${first}`, ...rest])
    return letter(texts.alarm([`${subject} (+${all.length - 1})`, ...joined], pages))
  }

/** Scheduled backups, or drills of their restore, do not succeed. */
export const backupsFail = ({
  error,
  kind,
  publicUrl,
  succeeded_at
}: {
  readonly kind: "backups" | "drills"
  readonly error: string | undefined
  readonly succeeded_at: string | undefined
  readonly publicUrl: string
}): Notice => ({
  page: "backups",
  words: (texts) => texts[`${kind}Fail`](publicUrl, error && oneLine(error), succeeded_at && moment(succeeded_at))
})

const gibibytes = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1)

interface Disk {
  readonly free: number
  readonly size: number
  readonly host: string
  readonly publicUrl: string
}

/** The disk of DATA_DIR is nearly full. */
export const diskIsLow = ({ free, host, publicUrl, size }: Disk): Notice => ({
  page: "overview",
  words: (texts) =>
    texts.diskIsLow({ url: publicUrl, free: gibibytes(free), size: gibibytes(size), host: oneLine(host) })
})

/** The disk of DATA_DIR is full in some days, if what is stored grows as in the last week. */
export const diskFills = ({ days, free, host, publicUrl, size }: Disk & { readonly days: number }): Notice => ({
  page: "overview",
  words: (texts) =>
    texts.diskFills({ url: publicUrl, free: gibibytes(free), size: gibibytes(size), host: oneLine(host), days })
})

/** Mails were given up. */
export const mailsFail = ({ count, publicUrl }: { readonly count: number; readonly publicUrl: string }): Notice => ({
  page: "mails",
  words: (texts) => texts.mailsFail(publicUrl, count)
})

/** Webhooks were disabled, since their endpoints do not accept deliveries. */
export const webhooksEnd = ({ count, publicUrl }: { readonly count: number; readonly publicUrl: string }): Notice => ({
  page: "overview",
  words: (texts) => texts.webhooksEnd(publicUrl, count)
})

/** The certificate of PUBLIC_URL ends. */
export const certificateEnds = ({ at, publicUrl }: { readonly at: string; readonly publicUrl: string }): Notice => ({
  page: "system",
  words: (texts) => texts.certificateEnds(publicUrl, moment(at))
})

/** A later version has been released. */
export const versionReleased = (about: {
  readonly released: string
  readonly running: string
  readonly publicUrl: string
}): Notice => ({
  page: "system",
  words: (texts) => texts.versionReleased(about.publicUrl, oneLine(about.released), about.running)
})

/** The last check of the server has found faults. */
export const checksFail = ({
  checks,
  publicUrl
}: {
  readonly checks: ReadonlyArray<string>
  readonly publicUrl: string
}): Notice => ({ page: "checks", words: (texts) => texts.checksFail(publicUrl, checks.join(", ")) })

/** The nodes have had several versions for longer than an upgrade takes. */
export const versionsDiffer = ({
  publicUrl,
  versions
}: {
  readonly versions: ReadonlyArray<string>
  readonly publicUrl: string
}): Notice => ({ page: "system", words: (texts) => texts.versionsDiffer(publicUrl, versions.join(", ")) })

/** A mail that an operator with a locale sends to see whether mail arrives. */
export const test = ({ locale, publicUrl }: { readonly publicUrl: string; readonly locale: string }): Letter =>
  letter(mailTexts(locale).test(publicUrl))
