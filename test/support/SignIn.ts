import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "./servers/SmtpSink.ts"
import type { Answer, TestApp } from "./TestApp.ts"

export const password = "correct horse battery"

let made = 0

/** A person who has signed in. */
export interface SignedIn {
  readonly email: string
  readonly access: string
  readonly refresh: string
  /** As `call` takes them. */
  readonly headers: Record<string, string>
  readonly user_id: string
  readonly session_id: string
  readonly device_id: string
  /** Their personal workspace. */
  readonly workspace_id: string
}

export const signedIn = (answer: Answer): SignedIn => {
  const { access_token, device_id, refresh_token, session_id, user, workspace_id } = answer.body
  return {
    email: user.email,
    access: access_token,
    refresh: refresh_token,
    headers: { authorization: `Bearer ${access_token}` },
    user_id: user.id,
    session_id,
    device_id,
    workspace_id
  }
}

/** A call that nobody has signed. */
export const unsigned = (app: TestApp, path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call("POST", path, body, { authorization: "", ...headers })

export const register = async (app: TestApp, input: object = {}): Promise<SignedIn> => {
  const answer = await unsigned(app, "/auth/register", { email: `person-${++made}@sheaf.test`, password, ...input })
  if (answer.status !== 201) throw new Error(answer.text)
  return signedIn(answer)
}

export const logIn = async (app: TestApp, email: string, input: object = {}): Promise<SignedIn> => {
  const answer = await unsigned(app, "/auth/login", { email, password, ...input })
  if (answer.status !== 200) throw new Error(answer.text)
  return signedIn(answer)
}

/** What lies in the outbox for an address, the oldest first, once there are so many. */
export const mailTo = async (app: TestApp, address: string, count = 1) => {
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
    return files
      .map((file) => parse(readFileSync(join(directory, file), "utf8")))
      .filter(({ headers }) => headers.get("to") === address)
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
