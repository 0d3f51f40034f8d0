import { type Letter, letter, moment, oneLine } from "./MailTemplates.ts"

/** A mail to operators of the server (docs/operating.md). `page`: the page of the console with the details. */
const alarm = (
  subject: string,
  { page, publicUrl }: { readonly page: string; readonly publicUrl: string },
  ...paragraphs: ReadonlyArray<string>
): Letter =>
  letter(
    subject,
    "Hello,",
    ...paragraphs,
    "Operators find the details in the console:",
    `    ${publicUrl}/console/server/${page}`,
    "This mail is sent at most once a day, until the cause is gone."
  )

/** Scheduled backups do not succeed. */
export const backupsFail = (about: {
  readonly error: string | undefined
  readonly succeeded_at: string | undefined
  readonly publicUrl: string
}): Letter =>
  alarm(
    about.error === undefined ? "A backup is overdue" : "The last backup failed",
    { page: "backups", publicUrl: about.publicUrl },
    about.error === undefined
      ? `no scheduled backup of ${about.publicUrl} was made in time.`
      : `the last scheduled backup of ${about.publicUrl} failed:`,
    ...(about.error === undefined ? [] : [`    ${oneLine(about.error)}`]),
    about.succeeded_at === undefined
      ? "No scheduled backup has succeeded yet."
      : `The last backup that succeeded is from ${moment(about.succeeded_at)}.`,
    "The server tries again. Its log has the details, and the command `sheaf backup` makes a backup at once."
  )

const gibibytes = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1)

/** The disk of DATA_DIR is nearly full. */
export const diskIsLow = (about: {
  readonly free: number
  readonly size: number
  readonly host: string
  readonly publicUrl: string
}): Letter =>
  alarm(
    "The disk is nearly full",
    { page: "overview", publicUrl: about.publicUrl },
    `${gibibytes(about.free)} of ${gibibytes(about.size)} GiB are free on the disk of DATA_DIR of ${about.publicUrl}, on the ` +
      `machine ${oneLine(about.host)}.`,
    "Make the disk larger, or erase deleted workspaces. Uploads are refused below 5 %, and all other writes when it is full."
  )

/** Mails were given up. */
export const mailsFail = (about: { readonly count: number; readonly publicUrl: string }): Letter =>
  alarm(
    "Mails could not be sent",
    { page: "mails", publicUrl: about.publicUrl },
    `${about.count === 1 ? "one mail" : `${about.count} mails`} of ${about.publicUrl} could not be sent within the last day.`,
    "Look at their codes, remove the cause, and send them again."
  )

/** The last check of the server has found faults. */
export const checksFail = (about: { readonly checks: ReadonlyArray<string>; readonly publicUrl: string }): Letter =>
  alarm(
    "A check has found faults",
    { page: "checks", publicUrl: about.publicUrl },
    `the last check of ${about.publicUrl} has found faults: ${about.checks.join(", ")}.`,
    "Each fault has a remedy."
  )

/** The nodes have had several versions for longer than an upgrade takes. */
export const versionsDiffer = (about: {
  readonly versions: ReadonlyArray<string>
  readonly publicUrl: string
}): Letter =>
  alarm(
    "The nodes have several versions",
    { page: "system", publicUrl: about.publicUrl },
    `the nodes of ${about.publicUrl} have had several versions for an hour: ${about.versions.join(", ")}.`,
    "Complete the upgrade."
  )

/** A mail that an operator sends to see whether mail arrives. */
export const test = (about: { readonly publicUrl: string }): Letter =>
  letter("Test mail", "Hello,", `an operator of ${about.publicUrl} sent this mail. Mail arrives.`)
