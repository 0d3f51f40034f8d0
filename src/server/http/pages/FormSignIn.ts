import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { SheafError } from "../../../../services/Errors.ts"
import { LogIn } from "../../../../services/identity/Session.ts"
import { Sessions } from "../../../../services/identity/Sessions.ts"
import * as Payload from "../pipeline/Payload.ts"
import { origin } from "../server/ClientAddress.ts"
import { isOwnForm } from "./Form.ts"

/** The names of what the script of a page adds to a form, by the members of the device of a sign-in. */
const deviceFields = { name: "device_name", locale: "device_locale", timezone: "device_timezone" } as const

const logIn = Payload.decoder(LogIn)

interface Account {
  readonly email: string
  readonly password: string
  readonly code?: string
}

/**
 * Signs in who has sent a form with their password. The response has the tokens of a new session, as the response to
 * `/auth/login` has them, and the script of the page keeps them where the console keeps its own. No token is in an
 * address, and none waits for its use. Only a form of these pages gets a session: else another site could sign a browser
 * in to an account of its own. Without the script, nothing could keep the session, and none is started.
 */
export const make = Effect.fnUntraced(function* (publicUrl: string) {
  const sessions = yield* Sessions

  /** Fails if the account cannot be signed in. Undefined if the browser could not keep a session. */
  const start = Effect.fnUntraced(function* (
    form: URLSearchParams,
    account: Account,
    /** Whether a sign-in on a new device is mailed to the user. */
    isAnnounced: boolean
  ) {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!form.has(deviceFields.name) || !isOwnForm(request, publicUrl)) return undefined
    const known = Object.entries(deviceFields).flatMap(([member, name]) => {
      const value = form.get(name)
      return value === null ? [] : [[member, value] as const]
    })
    const device = { ...Object.fromEntries(known), platform: "web" }
    return yield* sessions.logIn(yield* logIn({ ...account, device }), yield* origin, isAnnounced)
  })

  /** The same after what the form is for is done. The console shows its own form if it fails. */
  const afterwards = (form: URLSearchParams, account: Account, isAnnounced: boolean) =>
    Effect.catch(start(form, account, isAnnounced), (error: SheafError) =>
      Effect.as(Effect.logInfo(`a page did not sign its user in: ${error.code}`), undefined)
    )
  return { start, afterwards }
})
