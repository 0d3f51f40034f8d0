import { createHash, randomBytes } from "node:crypto"
import { contract } from "../Contract.ts"
import type { Person } from "../people/People.ts"
import type { TestApp } from "../TestApp.ts"

/** A verifier of PKCE and its challenge. */
export const pkce = () => {
  const verifier = randomBytes(32).toString("base64url")
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") }
}

const rootOf = (app: TestApp): string => app.url.replace(/\/v2$/, "")

/** A form that a program sends. */
export const sendForm = async (app: TestApp, path: string, form: Record<string, string>) => {
  const response = await fetch(rootOf(app) + path, { method: "POST", body: new URLSearchParams(form) })
  const text = await response.text()
  // `any`, so that tests read it freely.
  const body: any = text === "" ? undefined : JSON.parse(text)
  const { headers, status } = response
  contract.check({ method: "POST", path }, { status, headers, body, text })
  return { status, headers, body }
}

export const callback = "https://host.example/callback"

/** Registers a client and returns its id. */
export const registerClient = async (app: TestApp, metadata: object = {}): Promise<string> => {
  const answer = await app.call(
    "POST",
    `${rootOf(app)}/oauth/register`,
    { client_name: "Assistant", redirect_uris: [callback], ...metadata },
    { authorization: "" }
  )
  contract.check({ method: "POST", path: "/oauth/register" }, answer)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.client_id
}

/** The query of a request for access. */
export const requestOf = (client_id: string, challenge: string, more: Record<string, string> = {}): string =>
  String(
    new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "a state",
      ...more
    })
  )

/** A request of a new client. */
export const someRequest = async (app: TestApp): Promise<string> =>
  requestOf(await registerClient(app), pkce().challenge)

/** Allows a request as a person, and returns the parameters that the browser brings back. */
export const consent = async (app: TestApp, person: Person, request: string, more: object = {}) => {
  const answer = await app.call("POST", "/me/connected-apps", { request, ...more }, person.headers)
  if (answer.status !== 200) throw new Error(answer.text)
  return new URL(answer.body.redirect_url).searchParams
}

/** A connected app. */
export interface AppTokens {
  readonly client_id: string
  readonly access: string
  readonly refresh: string
  readonly headers: Record<string, string>
  readonly body: any
}

export const appOf = (client_id: string, body: any): AppTokens => ({
  client_id,
  access: body.access_token,
  refresh: body.refresh_token,
  headers: { authorization: `Bearer ${body.access_token}` },
  body
})

/** Exchanges a code. */
export const exchange = (app: TestApp, client_id: string, code: string, verifier: string, more = {}) =>
  sendForm(app, "/oauth/token", {
    grant_type: "authorization_code",
    client_id,
    code,
    code_verifier: verifier,
    redirect_uri: callback,
    ...more
  })

export const refreshApp = (app: TestApp, { client_id, refresh }: Pick<AppTokens, "client_id" | "refresh">) =>
  sendForm(app, "/oauth/token", { grant_type: "refresh_token", client_id, refresh_token: refresh })

interface Connecting {
  readonly client_id?: string
  /** Parameters of the request for access. */
  readonly request?: Record<string, string>
  readonly scopes?: ReadonlyArray<string>
  readonly workspace_id?: string
  readonly notebooks?: ReadonlyArray<object>
}

/** Connects an app as a person, from the registration to the tokens. */
export const connectApp = async (
  app: TestApp,
  person: Person,
  { client_id, request = {}, ...allowed }: Connecting = {}
): Promise<AppTokens> => {
  const id = client_id ?? (await registerClient(app))
  const { challenge, verifier } = pkce()
  const returned = await consent(app, person, requestOf(id, challenge, request), allowed)
  const answer = await exchange(app, id, returned.get("code")!, verifier)
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return appOf(id, answer.body)
}

/** Reads a path of OAuth. */
export const readPath = async (app: TestApp, path: string) => {
  const response = await fetch(rootOf(app) + path, { redirect: "manual" })
  const text = await response.text()
  const body: any = text === "" ? undefined : JSON.parse(text)
  const { headers, status } = response
  contract.check({ method: "GET", path }, { status, headers, body, text })
  return { status, headers, body }
}
