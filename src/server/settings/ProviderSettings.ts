import { Effect } from "effect"
import type { Provider } from "../../../services/oidc/Provider.ts"
import { isLoopback } from "../../../services/oauth/RedirectUris.ts"
import { baseUrl, oneOf, secret, text } from "./SettingParsers.ts"
import { ConfigError, secretVariable, variable } from "./Variables.ts"

/** How users sign in. */
export interface SignInSettings {
  readonly providers: ReadonlyArray<Provider>
  /** Whether an account is connected with a provider at a sign-in by an address that both have verified. */
  readonly linkByEmail: boolean
  /** Whether passwords sign in. */
  readonly passwordSignIn: boolean
  /** From when operators need a sign-in with two factors, in Unix milliseconds; Infinity if they do not. */
  readonly operatorSecondFactorFrom: number
}

/** Maximum number of providers. */
const most = 9

/** A provider is reached over TLS, unless it runs on this machine. */
const issuerOf = (text: string): string | undefined => {
  const url = baseUrl(text)
  if (url === undefined) return undefined
  return new URL(url).protocol === "https:" || isLoopback(new URL(url)) ? url : undefined
}

const onOff = oneOf(["on", "off"])

/** `required` is from the start on, and a date from its first moment in UTC. */
const requiredFrom = (text: string): number | undefined => {
  if (text === "off") return Infinity
  if (text === "required") return 0
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse accepts 31 February.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? undefined : time
}

/** The settings of a provider; undefined if there is none with the number. */
const provider = Effect.fnUntraced(function* (number: number) {
  const prefix = number === 1 ? "OIDC_" : `OIDC_${number}_`
  const issuer = yield* variable(
    `${prefix}ISSUER`,
    "an https URL without user, password, query and fragment; http is allowed for this machine",
    issuerOf
  )
  const client_id = yield* variable(`${prefix}CLIENT_ID`, "visible ASCII characters", text(/^[\x21-\x7e]{1,500}$/))
  const client_secret = yield* secretVariable(
    `${prefix}CLIENT_SECRET`,
    "visible ASCII characters",
    secret(/^[\x21-\x7e]{1,1000}$/)
  )
  const name = yield* variable(`${prefix}NAME`, "a name of 1 to 40 characters", text(/^(?=.*\S)[^\p{Cc}]{1,40}$/u))
  if (issuer === undefined) {
    if (client_id === undefined && client_secret === undefined && name === undefined) return undefined
    return yield* new ConfigError({ message: `${prefix}ISSUER is required with the other ${prefix} variables` })
  }
  if (client_id === undefined) {
    return yield* new ConfigError({ message: `${prefix}CLIENT_ID is required with ${prefix}ISSUER` })
  }
  return { number, issuer, client_id, client_secret, name: name ?? new URL(issuer).host } satisfies Provider
})

/** The providers, in the order of their numbers, and how users sign in. A number without its predecessor is not read. */
export const loadProviders = Effect.gen(function* () {
  const providers: Array<Provider> = []
  while (providers.length < most) {
    const next = yield* provider(providers.length + 1)
    if (next === undefined) break
    const same = providers.find(({ issuer }) => issuer === next.issuer)
    if (same !== undefined) {
      return yield* new ConfigError({ message: `OIDC_${next.number}_ISSUER is already the issuer of another provider` })
    }
    providers.push(next)
  }
  const linkByEmail = (yield* variable("OIDC_LINK_BY_EMAIL", "on or off", onOff)) === "on"
  const passwordSignIn = (yield* variable("PASSWORD_SIGN_IN", "on or off", onOff)) !== "off"
  if (!passwordSignIn && providers.length === 0) {
    return yield* new ConfigError({ message: "OIDC_ISSUER is required with PASSWORD_SIGN_IN=off" })
  }
  const operatorSecondFactorFrom =
    (yield* variable("OPERATOR_SECOND_FACTOR", "off, required, or a date such as 2026-12-15", requiredFrom)) ?? Infinity
  return { providers, linkByEmail, passwordSignIn, operatorSecondFactorFrom }
})
