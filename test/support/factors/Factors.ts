import { generateSync } from "otplib"
import type { Person } from "../people/People.ts"
import { unsigned } from "../people/People.ts"
import type { ApiResponse, TestApp } from "../TestApp.ts"
import type { SoftPasskey } from "./SoftPasskey.ts"

/** The code of an authenticator app at a time, in Unix milliseconds. */
export const codeAt = (secret: string, time: number): string => generateSync({ secret, epoch: Math.floor(time / 1000) })

const offered = async (app: TestApp, { headers }: Pick<Person, "headers">, kind: string, more: object) => {
  const offer = await app.call("POST", "/me/factors/offers", { kind, ...more }, headers)
  if (offer.status !== 200) throw new Error(offer.text)
  return offer.body
}

/** Adds an authenticator app. Returns its secret, and the response. */
export const addTotp = async (app: TestApp, person: Pick<Person, "headers">, now: number, more: object = {}) => {
  const { secret, token } = await offered(app, person, "totp", more)
  const added = await app.call("POST", "/me/factors", { token, code: codeAt(secret, now) }, person.headers)
  return { secret: secret as string, added }
}

/** Adds a passkey. */
export const addPasskey = async (
  app: TestApp,
  person: Pick<Person, "headers">,
  passkey: SoftPasskey
): Promise<ApiResponse> => {
  const { options, token } = await offered(app, person, "passkey", {})
  return app.call("POST", "/me/factors", { token, credential: passkey.create(options) }, person.headers)
}

let made = 0

/** Stores an authenticator app of a user, whose sessions have used it. Its secret is not known. Returns its id. */
export const makeFactor = async (app: TestApp, user_id: string): Promise<string> => {
  const id = `fa_${String(++made).padStart(20, "0")}`
  await app.sql(
    `INSERT INTO factors (workspace_id, id, user_id, kind, name, secret, transports, created_at)
    SELECT workspace_id, $2, id, 'totp', 'App', '', '{}', created_at FROM users WHERE id = $1`,
    [user_id, id]
  )
  await app.sql("UPDATE sessions SET second_factor = 'totp' WHERE user_id = $1", [user_id])
  return id
}

/** Asks for a passkey, and returns its proof. */
export const proofOf = async (app: TestApp, passkey: SoftPasskey) => {
  const { body } = await unsigned(app, "/auth/passkey/options", undefined)
  return { token: body.token as string, credential: passkey.get(body.options) }
}

/** Signs in with a passkey. */
export const enterBy = async (app: TestApp, passkey: SoftPasskey): Promise<ApiResponse> =>
  unsigned(app, "/auth/passkey", await proofOf(app, passkey))
