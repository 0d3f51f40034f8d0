import type { MailTexts } from "./languages/EnglishMails.ts"
import { mailTexts } from "./MailLanguages.ts"
import { type Letter, letter, moment, oneLine } from "./MailTemplates.ts"

/** A mail to an operator of the server (docs/operating.md) with a locale. `page`: that of the console with the details. */
const alarm =
  (page: string, publicUrl: string, made: (texts: MailTexts) => Parameters<MailTexts["alarm"]>[0]) =>
  (locale: string): Letter => {
    const texts = mailTexts(locale)
    return letter(texts.alarm(made(texts), `${publicUrl}/console/server/${page}`))
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
}) =>
  alarm("backups", publicUrl, (texts) =>
    texts[`${kind}Fail`](publicUrl, error && oneLine(error), succeeded_at && moment(succeeded_at))
  )

const gibibytes = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1)

/** The disk of DATA_DIR is nearly full. */
export const diskIsLow = ({
  free,
  host,
  publicUrl,
  size
}: {
  readonly free: number
  readonly size: number
  readonly host: string
  readonly publicUrl: string
}) =>
  alarm("overview", publicUrl, (texts) =>
    texts.diskIsLow({ url: publicUrl, free: gibibytes(free), size: gibibytes(size), host: oneLine(host) })
  )

/** Mails were given up. */
export const mailsFail = ({ count, publicUrl }: { readonly count: number; readonly publicUrl: string }) =>
  alarm("mails", publicUrl, (texts) => texts.mailsFail(publicUrl, count))

/** The last check of the server has found faults. */
export const checksFail = ({
  checks,
  publicUrl
}: {
  readonly checks: ReadonlyArray<string>
  readonly publicUrl: string
}) => alarm("checks", publicUrl, (texts) => texts.checksFail(publicUrl, checks.join(", ")))

/** The nodes have had several versions for longer than an upgrade takes. */
export const versionsDiffer = ({
  publicUrl,
  versions
}: {
  readonly versions: ReadonlyArray<string>
  readonly publicUrl: string
}) => alarm("system", publicUrl, (texts) => texts.versionsDiffer(publicUrl, versions.join(", ")))

/** A mail that an operator with a locale sends to see whether mail arrives. */
export const test = ({ locale, publicUrl }: { readonly publicUrl: string; readonly locale: string }): Letter =>
  letter(mailTexts(locale).test(publicUrl))
