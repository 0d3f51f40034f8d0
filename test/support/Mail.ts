import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "./servers/SmtpSink.ts"
import type { TestApp } from "./TestApp.ts"

/** Undefined: it has ended since it was listed, with its time. */
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Each address that an account gets is sent one. */
export const isConfirmation = ({ headers }: { readonly headers: ReadonlyMap<string, string> }): boolean =>
  headers.get("subject") === "Confirm your e-mail address"

/** What lies in the outbox for an address, the oldest first, once there are so many; without mails that confirm it. */
export const mailTo = (app: TestApp, address: string, count = 1) =>
  outboxOf(app, address, count, (mail) => !isConfirmation(mail))

/** The mails that confirm an address. */
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
      // Nothing was ever sent.
    }
    return files.flatMap((file) => {
      const text = textOf(join(directory, file))
      const mail = text === undefined ? undefined : parse(text)
      return mail?.headers.get("to") === address && isWanted(mail) ? [mail] : []
    })
  }
  // The mail leaves after the commit, at the latest when it is looked for; the disk takes its own time.
  const deadline = performance.now() + 120_000
  for (let tries = 0; performance.now() < deadline; tries++) {
    const found = read()
    if (found.length >= count) return found
    if (tries < 60) await app.advance("100 millis")
    await app.sql("SELECT 1")
  }
  throw new Error(`no mail to ${address}`)
}
