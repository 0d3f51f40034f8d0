import { Redacted } from "effect"
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Provider } from "../../../services/oidc/Provider.ts"
import { record } from "./Recording.ts"

type Claims = Readonly<Record<string, unknown>>

/** The claims of a user at the provider; others are sent too. */
export interface ProviderUser extends Claims {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** How a token is made, instead of the right way. */
export interface Crafted {
  /** Changes the claims. A member that becomes undefined is left out. */
  readonly claims?: (claims: Claims) => Claims
  /** Members of the header, instead of those of an RS256 token. */
  readonly header?: Record<string, unknown>
  /** `none`: no signature. `hs256`: by the public key as a secret. `other`: by a key that is not in the list of keys. */
  readonly signature?: "none" | "hs256" | "other"
  /** Replaces the whole token. */
  readonly token?: (token: string) => string | undefined
  /** The user info, instead of that of the user who has signed in. */
  readonly userInfo?: Claims
}

/** A code that was not exchanged yet. */
interface Granted {
  readonly nonce: string | null
  readonly challenge: string | null
  readonly redirect_uri: string
  readonly auth_time: number
  readonly user: Claims
}

/** Maximum number of codes and access tokens that are kept: browsers may leave a sign-in. */
const most = 1_000

const keep = <A>(entries: Map<string, A>, key: string, value: A): void => {
  entries.set(key, value)
  const [oldest] = entries.keys()
  if (entries.size > most) entries.delete(oldest!)
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const keyPair = () => generateKeyPairSync("rsa", { modulusLength: 2048 })

/**
 * An OpenID provider that signs its one user in without a question: discovery, keys, codes with PKCE, user info and the end of
 * sessions. Its tokens can be crafted.
 */
export class TestProvider {
  readonly client = { id: "notes", secret: "notes-secret" }
  /** The claims of the user who is signed in there, and whom a browser finds. */
  user: Claims = { sub: "alice", email: "alice@example.test", email_verified: true, name: "Alice Example" }
  /** How the next tokens are made. */
  crafted: Crafted = {}
  /** Members of the discovery document, instead of its own. */
  metadata: Record<string, unknown> = {}
  /** Whether the address and the name are only in the user info. */
  isByUserInfo = false
  /** Responds with an error of the given name. */
  refusal: string | undefined
  /** The time at which the user has signed in there; the time of the request by default. */
  authTime: number | undefined
  /** The paths of requests, in their order. */
  readonly requests: Array<string> = []
  readonly #codes = new Map<string, Granted>()
  readonly #users = new Map<string, Claims>()
  readonly #keys = keyPair()
  readonly #now: () => number
  readonly #server: Server
  #count = 0

  private constructor(now: () => number) {
    this.#now = now
    this.#server = createServer((request, response) => {
      // A wrong request must not end the process of a test.
      this.#serve(request, response).catch(() => response.writeHead(400).end())
    })
  }

  /** `now` returns Unix milliseconds. */
  static async start(now: () => number): Promise<TestProvider> {
    const provider = new TestProvider(now)
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve))
    return provider
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The settings of a server with this provider. */
  settings(number = 1): Provider {
    return {
      number,
      issuer: this.issuer,
      client_id: this.client.id,
      client_secret: Redacted.make(this.client.secret),
      name: number === 1 ? "Example ID" : `Provider ${number}`
    }
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  #signature(input: string): string {
    const { signature } = this.crafted
    if (signature === "none") return ""
    if (signature === "hs256")
      return createHmac("sha256", this.#keys.publicKey.export({ type: "spki", format: "pem" }))
        .update(input)
        .digest("base64url")
    const key: KeyObject = signature === "other" ? keyPair().privateKey : this.#keys.privateKey
    return sign("sha256", Buffer.from(input), key).toString("base64url")
  }

  #idToken({ auth_time, nonce, user }: Granted): string | undefined {
    const now = Math.floor(this.#now() / 1000)
    const { sub, ...more } = user
    const claims = {
      iss: this.issuer,
      aud: this.client.id,
      iat: now,
      exp: now + 300,
      ...(sub === undefined ? {} : { sub }),
      ...(nonce === null ? {} : { nonce }),
      auth_time,
      ...(this.isByUserInfo ? {} : more)
    }
    const header = { alg: "RS256", kid: "one", typ: "JWT", ...this.crafted.header }
    const input = `${encoded(header)}.${encoded(this.crafted.claims?.(claims) ?? claims)}`
    const token = `${input}.${this.#signature(input)}`
    return this.crafted.token === undefined ? token : this.crafted.token(token)
  }

  /** Signs a user in at an address of the provider, and returns the address to which the browser goes, with the code. */
  authorize(address: string | URL, user: Claims = this.user): string {
    const query = new URL(address).searchParams
    const redirect_uri = query.get("redirect_uri") ?? ""
    const back = new URL(redirect_uri)
    back.searchParams.set("state", query.get("state") ?? "")
    back.searchParams.set("iss", this.issuer)
    if (this.refusal !== undefined) {
      back.searchParams.set("error", this.refusal)
      return back.href
    }
    const code = `code-${++this.#count}`
    keep(this.#codes, code, {
      nonce: query.get("nonce"),
      challenge: query.get("code_challenge"),
      redirect_uri,
      auth_time: Math.floor((this.authTime ?? this.#now()) / 1000),
      user
    })
    back.searchParams.set("code", code)
    return back.href
  }

  #token(form: URLSearchParams, authorization: string | undefined): [status: number, body: object] {
    const [id, secret] = Buffer.from((authorization ?? "").slice("Basic ".length), "base64")
      .toString()
      .split(":")
      .map(decodeURIComponent)
    if (id !== this.client.id || secret !== this.client.secret) return [401, { error: "invalid_client" }]
    const code = form.get("code") ?? ""
    const granted = this.#codes.get(code)
    this.#codes.delete(code)
    const verifier = form.get("code_verifier") ?? ""
    const isProven = granted?.challenge === createHash("sha256").update(verifier).digest("base64url")
    if (granted === undefined || !isProven || form.get("redirect_uri") !== granted.redirect_uri) {
      return [400, { error: "invalid_grant" }]
    }
    const access_token = `access-${code}`
    keep(this.#users, access_token, granted.user)
    return [200, { access_token, token_type: "Bearer", expires_in: 300, id_token: this.#idToken(granted) }]
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.issuer)
    const { pathname } = url
    record(this.requests, pathname)
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return void json(200, {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          userinfo_endpoint: `${this.issuer}/userinfo`,
          jwks_uri: `${this.issuer}/jwks`,
          end_session_endpoint: `${this.issuer}/end`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata
        })
      case "/jwks":
        return void json(200, {
          keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }]
        })
      case "/authorize":
        return void response.writeHead(303, { location: this.authorize(url) }).end()
      case "/token":
        return void json(
          ...this.#token(new URLSearchParams(Buffer.concat(chunks).toString()), request.headers.authorization)
        )
      case "/userinfo": {
        const user = this.#users.get((request.headers.authorization ?? "").slice("Bearer ".length))
        return void (user === undefined
          ? json(401, { error: "invalid_token" })
          : json(200, this.crafted.userInfo ?? user))
      }
      case "/end":
        return void response.writeHead(200, { "content-type": "text/html" }).end("<p>You are signed out.</p>")
      default:
        return void json(404, {})
    }
  }
}
