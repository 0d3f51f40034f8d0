import { Context, Effect, Layer } from "effect"
import { Database, runSql } from "../database/Database.ts"
import { emailKey } from "../Email.ts"
import type { SheafError } from "../Errors.ts"
import { identityLinks, type UserIdentityRow, type UserRow, userIdentities } from "../identity/IdentityTables.ts"
import { Registrations } from "../identity/registrations/Registrations.ts"
import { SecurityMails } from "../identity/SecurityMails.ts"
import type { TokenResponse } from "../identity/Session.ts"
import type { Origin } from "../identity/Sessions.ts"
import { makeSignIn } from "../identity/SignIn.ts"
import { SetupLinks } from "../identity/registrations/SetupLinks.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Tokens from "../Tokens.ts"
import { Invitations } from "../workspaces/Invitations.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Writer } from "../writer/Writer.ts"
import * as IdentityEdits from "./IdentityEdits.ts"
import { findIdentity, type Found, orRaced, raced, writeFor } from "./KnownIdentities.ts"
import { type Claims, type Provider, SignInRefused } from "./Provider.ts"
import type { Purpose } from "./SignInState.ts"

type Entering = Extract<Purpose, { readonly kind: "sign-in" }>

/** A session that a provider has begun. `unaccepted`: why the invitation was not accepted, if there is one. */
export interface Entered {
  readonly session: TokenResponse
  readonly unaccepted: SheafError | undefined
}

/** Maximum number of characters of an ID token that is kept for the sign-out at its provider. */
const longestToken = 8_000

/** The ways by which checked claims of a provider lead into an account (contract 4). */
export class ProviderEntries extends Context.Service<
  ProviderEntries,
  {
    readonly signIn: (
      provider: Provider,
      claims: Claims,
      purpose: Entering,
      origin: Origin
    ) => Effect.Effect<Entered, SignInRefused | SheafError>
  }
>()("sheaf/oidc/ProviderEntries") {
  static readonly layer = (options: { readonly linkByEmail: boolean }) =>
    Layer.effect(
      ProviderEntries,
      Effect.gen(function* () {
        const { read } = yield* Database
        const writer = yield* Writer
        const registrations = yield* Registrations
        const setupLinks = yield* SetupLinks
        const invitations = yield* Invitations
        const startSession = yield* makeSignIn
        const secrets = yield* Secrets
        const securityMails = yield* SecurityMails

        /** Starts a session in a draft. The address that the provider names now is kept, to be shown. */
        const enter = Effect.fnUntraced(function* (
          draft: LockedDraft,
          user: UserRow,
          identity: UserIdentityRow,
          { email, id_token, issuer }: Claims,
          { device }: Entering,
          isAnnounced: boolean
        ) {
          draft.put(userIdentities, { ...identity, email: email ?? null, last_sign_in_at: draft.now })
          const kept = id_token.length > longestToken ? null : secrets.seal("id-token", id_token)
          return yield* startSession(draft, user, {
            device: { ...device, platform: "web" },
            by: { signed_in_by: "provider", second_factor: null, id_token: kept },
            data: { issuer },
            isAnnounced
          })
        })

        /** Signs in the user of an identity, which exists. */
        const enterKnown = (
          found: Found & Pick<UserIdentityRow, "id">,
          claims: Claims,
          purpose: Entering,
          origin: Origin
        ) =>
          writeFor(
            writer,
            found,
            origin,
            Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
              const identity = yield* draft.get(userIdentities, found.id)
              if (identity === undefined) return yield* new SignInRefused({ reason: "ended" })
              return yield* enter(draft, user, identity, claims, purpose, true)
            })
          )

        /** Connects the provider with an account by an operator's link, and signs the user in. */
        const enterByLink = Effect.fnUntraced(function* (
          token: string,
          provider: Provider,
          claims: Claims,
          purpose: Entering,
          origin: Origin
        ) {
          const ended = new SignInRefused({ reason: "notLinked", provider: provider.name })
          if (!Tokens.isWellFormed("sfl", token)) return yield* ended
          const hash = Tokens.digestOf(token)
          const [found] = yield* runSql<Found>(
            read,
            "SELECT workspace_id, user_id FROM identity_links WHERE hash = $1",
            [hash]
          )
          if (found === undefined) return yield* ended
          const known = yield* findIdentity(read, claims)
          if (known !== undefined && known.user_id !== found.user_id)
            return yield* IdentityEdits.linkedElsewhere(provider)
          return yield* writeFor(
            writer,
            found,
            origin,
            Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
              const link = yield* draft.get(identityLinks, hash)
              if (link === undefined || link.expires_at <= draft.now) return yield* ended
              draft.remove(identityLinks, hash)
              const present = known === undefined ? undefined : yield* draft.get(userIdentities, known.id)
              const identity =
                present ?? (yield* IdentityEdits.link(draft, user, provider, claims, "link", securityMails))
              return yield* enter(draft, user, identity, claims, purpose, false)
            })
          )
        })

        /** Gives the first user the address and the name at the provider, by the link that the first start prints. */
        const enterFirst = Effect.fnUntraced(function* (
          token: string,
          provider: Provider,
          claims: Claims,
          purpose: Entering,
          origin: Origin
        ) {
          const { email, name } = claims
          if (email === undefined) return yield* new SignInRefused({ reason: "noAddress", provider: provider.name })
          return yield* setupLinks.useByProvider(token, { email, name }, origin, (draft, user) =>
            enter(draft, user, IdentityEdits.add(draft, user, claims, "setup_link"), claims, purpose, false)
          )
        })

        /** Connects the provider with the account of an address that both sides have verified, if the operator allows it. */
        const enterByAddress = (
          found: Found & { readonly is_proven: boolean },
          provider: Provider,
          claims: Claims,
          purpose: Entering,
          origin: Origin
        ) => {
          const known = new SignInRefused({ reason: "knownAddress", provider: provider.name })
          if (!options.linkByEmail || !claims.email_verified || !found.is_proven) return Effect.fail(known)
          return writeFor(
            writer,
            found,
            origin,
            Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
              // The address was changed meanwhile.
              if (!user.email_proven || user.email_key !== emailKey(claims.email!)) return yield* known
              const identity = yield* IdentityEdits.link(draft, user, provider, claims, "email", securityMails)
              return yield* enter(draft, user, identity, claims, purpose, false)
            })
          )
        }

        /** Creates an account. */
        const enroll = Effect.fnUntraced(function* (
          provider: Provider,
          claims: Claims & { readonly email: string },
          purpose: Entering,
          origin: Origin
        ) {
          const refused = (reason: "closed" | "otherAddress") => new SignInRefused({ reason, provider: provider.name })
          const { device, invitation } = purpose
          if (invitation !== undefined) {
            const { email_key } = yield* invitations.find(invitation)
            if (!claims.email_verified || email_key !== emailKey(claims.email)) return yield* refused("otherAddress")
          }
          return yield* registrations
            .enrollByProvider(
              {
                email: claims.email,
                is_verified: claims.email_verified,
                device,
                ...(claims.name === undefined ? {} : { name: claims.name }),
                ...(invitation === undefined ? {} : { invitation_token: invitation })
              },
              origin,
              (draft, user) =>
                enter(draft, user, IdentityEdits.add(draft, user, claims, "registration"), claims, purpose, false)
            )
            .pipe(
              Effect.catchTags({
                Forbidden: (error) => Effect.fail(error.code === "sign_up_closed" ? refused("closed") : error),
                // Its address or its identity is taken since the look-up.
                Conflict: () => Effect.fail(raced)
              }),
              orRaced
            )
        })

        const signIn = Effect.fnUntraced(function* (
          provider: Provider,
          claims: Claims,
          purpose: Entering,
          origin: Origin
        ): Effect.fn.Return<Entered, SignInRefused | SheafError> {
          const entered = (session: TokenResponse, unaccepted?: SheafError): Entered => ({ session, unaccepted })
          if (purpose.link !== undefined) {
            const enterBy = purpose.link.startsWith("sfs_") ? enterFirst : enterByLink
            return entered(yield* enterBy(purpose.link, provider, claims, purpose, origin))
          }
          const known = yield* findIdentity(read, claims)
          const { email } = claims
          const [taken] =
            known !== undefined || email === undefined
              ? []
              : yield* runSql<Found & { readonly is_proven: boolean }>(
                  read,
                  "SELECT workspace_id, id AS user_id, email_proven AS is_proven FROM users WHERE email_key = $1",
                  [emailKey(email)]
                )
          if (known === undefined && taken === undefined) {
            if (email === undefined) return yield* new SignInRefused({ reason: "noAddress", provider: provider.name })
            const { made, unaccepted } = yield* enroll(provider, { ...claims, email }, purpose, origin)
            return entered(made, unaccepted)
          }
          const session =
            known === undefined
              ? yield* enterByAddress(taken!, provider, claims, purpose, origin)
              : yield* enterKnown(known, claims, purpose, origin)
          if (purpose.invitation === undefined) return entered(session)
          const user = { id: session.user.id }
          const actor = { ...origin, user_id: user.id, device_id: session.device_id }
          const unaccepted = yield* Effect.match(invitations.accept(purpose.invitation, user, actor), {
            onSuccess: () => undefined,
            onFailure: (error) => error
          })
          return entered(session, unaccepted)
        })

        return ProviderEntries.of({ signIn })
      })
    )
}
