import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { hash } from "node:crypto"
import type { Configuration, ServerMetadata } from "openid-client"
import { isEmail } from "../Email.ts"
import { messageOf, rootOf } from "../ErrorCause.ts"
import * as Text from "../Text.ts"
import { traced } from "../Traced.ts"
import { type Claims, type Provider, type Reason, SignInRefused } from "./Provider.ts"
import { ProviderAway, providerFetch } from "./ProviderFetch.ts"

/** The values that bind the response of a provider to its request. */
interface Binding {
  readonly state: string
  readonly nonce: string
  /** The verifier of PKCE. */
  readonly verifier: string
}

type Library = typeof import("openid-client")

/** Milliseconds for which the description of a provider is used: an hour. */
const knownFor = 3600_000
/** Seconds by which the clocks of a provider and of this server may differ. */
const tolerance = 300

interface Known {
  readonly metadata: ServerMetadata
  readonly read_at: number
}

/** Providers reject some names of scopes, but not these (OpenID Connect Core, section 5.4). */
const scope = "openid email profile"

const nameIn = (claim: unknown): string | undefined => {
  if (typeof claim !== "string" || !claim.isWellFormed() || claim.includes("\0")) return undefined
  const name = [...Text.trimmed(Text.oneLine(claim))].slice(0, 100).join("")
  return name === "" ? undefined : name
}

/** Some providers send the text "true" (Amazon Cognito). */
const isTrue = (claim: unknown): boolean => claim === true || claim === "true"

/** Up to 255 ASCII characters (OpenID Connect Core, section 2). */
const isSubject = (subject: string): boolean => /^[\x21-\x7e][\x20-\x7e]{0,254}$/.test(subject)

const claimsOf = (
  subject: string,
  issuer: string,
  id_token: string,
  given: Readonly<Record<string, unknown>>
): Claims => {
  const { email, email_verified, name, preferred_username } = given
  const address = typeof email === "string" && isEmail(email.trim()) ? email.trim() : undefined
  return {
    issuer,
    subject,
    email: address,
    email_verified: address !== undefined && isTrue(email_verified),
    name: nameIn(name) ?? nameIn(preferred_username),
    id_token
  }
}

/**
 * The OpenID providers of the operator. The library and the description of a provider are loaded with the first sign-in,
 * so that a server without providers has no cost, and starts while a provider is away.
 */
export class Providers extends Context.Service<
  Providers,
  {
    readonly all: ReadonlyArray<Provider>
    readonly find: (number: number) => Effect.Effect<Provider, SignInRefused>
    /** Returns the address of a provider at which a user signs in. `isAgain`: also if they are signed in there. */
    readonly authorize: (provider: Provider, binding: Binding, isAgain: boolean) => Effect.Effect<string, SignInRefused>
    /**
     * Checks the query with which a browser comes back, exchanges its code, and checks the ID token. `since`: the user must
     * have signed in at the provider after this time (Unix milliseconds).
     */
    readonly redeem: (
      provider: Provider,
      query: URLSearchParams,
      binding: Binding,
      since: number | undefined
    ) => Effect.Effect<Claims, SignInRefused>
    /** Returns the address at which a user signs out at the provider; undefined if it has none, or is away. */
    readonly signOut: (id_token: string) => Effect.Effect<string | undefined>
  }
>()("sheaf/oidc/Providers") {
  static readonly layer = (options: { readonly publicUrl: string; readonly providers: ReadonlyArray<Provider> }) =>
    Layer.effect(
      Providers,
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const known = new Map<number, Known>()
        /** Descriptions that are being read: callers at the same time share one request. */
        const reading = new Map<number, Promise<Known>>()

        const redirectUri = ({ number }: Provider) => `${options.publicUrl}/sign-in/${number}/callback`

        const isPlain = ({ issuer }: Provider): boolean => issuer.startsWith("http:")

        const discover = async (library: Library, provider: Provider): Promise<Known> => {
          const found = await library.discovery(
            new URL(provider.issuer),
            provider.client_id,
            undefined,
            library.None(),
            {
              [library.customFetch]: providerFetch,
              execute: isPlain(provider) ? [library.allowInsecureRequests] : []
            }
          )
          const metadata = found.serverMetadata()
          const read = { metadata, read_at: clock.currentTimeMillisUnsafe() }
          known.set(provider.number, read)
          return read
        }

        const describe = async (library: Library, provider: Provider): Promise<ServerMetadata> => {
          const kept = known.get(provider.number)
          if (kept !== undefined && clock.currentTimeMillisUnsafe() - kept.read_at < knownFor) return kept.metadata
          let under = reading.get(provider.number)
          if (under === undefined) {
            under = discover(library, provider).finally(() => reading.delete(provider.number))
            reading.set(provider.number, under)
          }
          try {
            return (await under).metadata
          } catch (error) {
            if (kept === undefined) throw error
            // What was known serves until the provider is back.
            return kept.metadata
          }
        }

        const authenticationOf = (library: Library, provider: Provider, metadata: ServerMetadata) => {
          if (provider.client_secret === undefined) return library.None()
          const secret = Redacted.value(provider.client_secret)
          const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
          return methods.includes("client_secret_basic")
            ? library.ClientSecretBasic(secret)
            : library.ClientSecretPost(secret)
        }

        /** A configuration for one use, since it has the difference between the clock of the service and the machine's. */
        const configure = async (library: Library, provider: Provider): Promise<Configuration> => {
          const metadata = await describe(library, provider)
          const skew = Math.round((clock.currentTimeMillisUnsafe() - Date.now()) / 1000)
          const configuration = new library.Configuration(
            metadata,
            provider.client_id,
            { [library.clockSkew]: skew, [library.clockTolerance]: tolerance },
            authenticationOf(library, provider, metadata)
          )
          configuration[library.customFetch] = providerFetch
          if (isPlain(provider)) library.allowInsecureRequests(configuration)
          // The signature is checked too, although the token comes from the provider itself.
          library.enableNonRepudiationChecks(configuration)
          return configuration
        }

        /** Runs a step with a provider. Its failure is logged: it is for the operator, and the user sees the reason only. */
        const step = <A>(
          provider: Provider,
          run: (library: Library) => Promise<A>,
          reasonOf: (error: unknown) => Reason
        ): Effect.Effect<A, SignInRefused> =>
          Effect.tryPromise({
            try: async () => run(await import("openid-client")),
            catch: (error) => ({
              message: [messageOf(error), ...saidBy(error)].join(": "),
              refused: new SignInRefused({ reason: reasonOf(error), provider: provider.name })
            })
          }).pipe(
            Effect.tapError(({ message }) =>
              Effect.logWarning(`a sign-in by ${provider.issuer} has failed: ${message}`)
            ),
            Effect.mapError(({ refused }) => refused)
          )

        const unreachable = (): Reason => "unreachable"

        return Providers.of({
          all: options.providers,
          find: (number) => {
            const provider = options.providers.find((each) => each.number === number)
            return provider === undefined
              ? Effect.fail(new SignInRefused({ reason: "unknownProvider" }))
              : Effect.succeed(provider)
          },
          authorize: traced("Providers.authorize")((provider: Provider, binding: Binding, isAgain: boolean) =>
            step(
              provider,
              async (library) =>
                library.buildAuthorizationUrl(await configure(library, provider), {
                  redirect_uri: redirectUri(provider),
                  scope,
                  state: binding.state,
                  nonce: binding.nonce,
                  code_challenge: hash("sha256", binding.verifier, "base64url"),
                  code_challenge_method: "S256",
                  ...(isAgain ? { prompt: "login", max_age: "0" } : {})
                }).href,
              unreachable
            )
          ),
          redeem: traced("Providers.redeem")(function* (
            provider: Provider,
            query: URLSearchParams,
            binding: Binding,
            since: number | undefined
          ) {
            const configuration = yield* step(provider, (library) => configure(library, provider), unreachable)
            const url = new URL(redirectUri(provider))
            url.search = query.toString()
            const elapsed = since === undefined ? undefined : (clock.currentTimeMillisUnsafe() - since) / 1000
            return yield* step(
              provider,
              async (library) => {
                const tokens = await library.authorizationCodeGrant(configuration, url, {
                  expectedState: binding.state,
                  expectedNonce: binding.nonce,
                  pkceCodeVerifier: binding.verifier,
                  idTokenExpected: true,
                  ...(elapsed === undefined ? {} : { maxAge: Math.max(0, Math.ceil(elapsed)) })
                })
                const claims = tokens.claims()
                if (claims === undefined || !isSubject(claims.sub))
                  throw new Error("the subject of the ID token is not valid")
                const hasAddress = claims["email"] !== undefined
                const { userinfo_endpoint } = configuration.serverMetadata()
                const more =
                  hasAddress || userinfo_endpoint === undefined
                    ? {}
                    : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
                return claimsOf(claims.sub, provider.issuer, tokens.id_token!, { ...more, ...claims })
              },
              (error) => (isDeclined(error) ? "declined" : isAway(error) ? "unreachable" : "invalid")
            )
          }),
          signOut: traced("Providers.signOut")(function* (id_token: string) {
            const provider = options.providers.find(({ issuer }) => issuer === issuerIn(id_token))
            if (provider === undefined) return undefined
            const ended = step(
              provider,
              async (library) => {
                const configuration = await configure(library, provider)
                if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
                return library.buildEndSessionUrl(configuration, {
                  id_token_hint: id_token,
                  post_logout_redirect_uri: `${options.publicUrl}/console/`
                }).href
              },
              unreachable
            )
            return yield* Effect.orElseSucceed(ended, () => undefined)
          })
        })
      })
    )
}

/** What the provider says about a failure, for the operator (RFC 6749, section 5.2). */
const saidBy = (error: unknown): ReadonlyArray<string> => {
  const said = error as { readonly error?: unknown; readonly error_description?: unknown } | null
  return [said?.error, said?.error_description]
    .filter((text) => typeof text === "string")
    .map((text) => text.slice(0, 200))
}

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code

/** Whether the provider itself, or the user there, has refused the sign-in. */
const isDeclined = (error: unknown): boolean => codeOf(error) === "OAUTH_AUTHORIZATION_RESPONSE_ERROR"

/** Whether a request has got no response. */
const isAway = (error: unknown): boolean => error instanceof Error && rootOf(error) instanceof ProviderAway

/** The issuer of a stored ID token, which was checked before it was stored. */
const issuerIn = (id_token: string): unknown =>
  (JSON.parse(Buffer.from(id_token.split(".")[1] ?? "", "base64url").toString()) as { readonly iss?: unknown }).iss
