import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "../servers/SmtpSink.ts"
import type { TestApp } from "../TestApp.ts"

/** Returns undefined when the file was deleted since it was listed. */
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Whether a mail confirms an address; each new address of an account receives one. */
export const isConfirmation = ({ headers }: { readonly headers: ReadonlyMap<string, string> }): boolean =>
  headers.get("subject") === "Confirm your e-mail address"

/** Waits for `count` mails to an address in the outbox and returns them, oldest first, without confirmation mails. */
export const mailTo = (app: TestApp, address: string, count = 1) =>
  outboxOf(app, address, count, (mail) => !isConfirmation(mail))

/** Like `mailTo`, for confirmation mails. */
export const confirmationsTo = (app: TestApp, address: string, count = 1) =>
  outboxOf(app, address, count, isConfirmation)

const outboxOf = async (
  app: TestApp,
  address: string,
  count: number,
  isWanted: (mail: ReturnType<typeof parse>) => boolean
) => {
  const directory = join(app.dataDir, "outbox")
  if (count === 0) await app.advance("10 seconds")
  const read = () => {
    let files: ReadonlyArray<string> = []
    try {
      files = readdirSync(directory)
        .filter((file) => file.endsWith(".eml"))
        .toSorted()
    } catch {
      // No mail was sent yet.
    }
    return files.flatMap((file) => {
      const text = textOf(join(directory, file))
      const mail = text === undefined ? undefined : parse(text)
      return mail?.headers.get("to") === address && isWanted(mail) ? [mail] : []
    })
  }
  // The mail is sent after the commit, at the latest by the next poll, and then written to disk.
  const deadline = performance.now() + 120_000
  for (let tries = 0; performance.now() < deadline; tries++) {
    const found = read()
    if (found.length >= count) return found
    if (tries < 60) await app.advance("100 millis")
    await app.sql("SELECT 1")
  }
  throw new Error(`no mail to ${address}`)
}
