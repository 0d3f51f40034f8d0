import { Clock, Context, Effect, Layer, Schema } from "effect"
import { Database, runSql } from "../../database/Database.ts"
import { orConflict } from "../../database/UniqueViolations.ts"
import {
  type BadRequest,
  type Condition,
  Conflict,
  type Forbidden,
  Invalid,
  NotFound,
  type Stale,
  Unauthorized,
  type Unavailable
} from "../../Errors.ts"
import { Lists } from "../../lists/Lists.ts"
import type { Page, PageQuery } from "../../lists/Page.ts"
import * as MailTemplates from "../../mail/MailTemplates.ts"
import { Principal, type PrincipalShape } from "../../Principal.ts"
import { Randomness } from "../../Randomness.ts"
import { Secrets } from "../../secrets/Secrets.ts"
import { traced } from "../../Traced.ts"
import { lockUser, readUser } from "../Users.ts"
import { actorOf } from "../../writer/Actor.ts"
import * as AuditTrail from "../../writer/AuditTrail.ts"
import type { LockedDraft } from "../../writer/LockedDraft.ts"
import { Writer } from "../../writer/Writer.ts"
import { type FactorRow, factors, type UserRow } from "../IdentityTables.ts"
import { SecurityMails } from "../SecurityMails.ts"
import { useOnce } from "./UsedSignIns.ts"
import { needWayIn } from "./WaysIn.ts"
import { PasswordSignIn } from "../PasswordSignIn.ts"
import {
  type AddedFactor,
  type Factor,
  type FactorCreate,
  factorList,
  type Kind,
  type OfferedFactor
} from "./Factor.ts"
import { offerLife, Passkeys } from "./Passkeys.ts"
import * as SecondFactors from "./SecondFactors.ts"
import * as Totp from "./Totp.ts"

/** Maximum number of factors of a user. */
const maxFactors = 20

const missing = NotFound.of("factor")
const ended = new Unauthorized({ code: "invalid_token", detail: "The session has ended" })
const offerEnded = new Conflict({
  code: "invalid_state",
  detail: "The offer has expired or was used: request another one"
})
const tooMany = new Conflict({
  code: "invalid_state",
  detail: `A user has at most ${maxFactors} factors: remove one first`
})
const noFactor = new Conflict({
  code: "invalid_state",
  detail: "Recovery codes replace a factor that is not at hand: add a factor first"
})
const takenPasskey = new Conflict({ code: "already_exists", detail: "This passkey is already added to an account" })

/** What a new factor is made from. The client brings it back, encrypted. */
const Offer = Schema.fromJsonString(
  Schema.Struct({
    user_id: Schema.String,
    kind: Schema.Literals(["passkey", "totp"]),
    /** The secret of an authenticator app, or the challenge for a passkey. */
    secret: Schema.String,
    begun_at: Schema.Int
  })
)
const encode = Schema.encodeSync(Offer)
const decode = Schema.decodeUnknownOption(Offer)

const defaultNames: Readonly<Record<Kind, string>> = { passkey: "Passkey", totp: "Authenticator app" }

const shown = ({ created_at, id, kind, last_used_at, name, rp_id }: FactorRow): Factor => ({
  id,
  kind,
  name,
  rp_id,
  created_at,
  last_used_at
})

/** The factors that users add to their accounts, and their recovery codes (contract 4, Second factors). */
export class Factors extends Context.Service<
  Factors,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    /** Returns what a new factor is made from. Nothing is stored. */
    readonly offer: (kind: Kind) => Effect.Effect<OfferedFactor, Conflict | NotFound | Unavailable, Principal>
    /** Adds an offered factor, once the client has shown that it works. The first one comes with recovery codes. */
    readonly add: (
      input: FactorCreate
    ) => Effect.Effect<AddedFactor, Conflict | Forbidden | Invalid | NotFound | Unauthorized | Unavailable, Principal>
    readonly rename: (
      id: string,
      name: string,
      condition?: Condition<Factor>
    ) => Effect.Effect<Factor, NotFound | Stale | Unavailable, Principal>
    /** Removes a factor, unless it is the last way in. The recovery codes go with the last one. */
    readonly remove: (
      id: string,
      condition?: Condition<Factor>
    ) => Effect.Effect<void, Conflict | Forbidden | NotFound | Stale | Unavailable, Principal>
    /** Returns how many recovery codes are left. */
    readonly codesLeft: Effect.Effect<number, Unavailable, Principal>
    /** Replaces the recovery codes. */
    readonly makeCodes: Effect.Effect<ReadonlyArray<string>, Conflict | Forbidden | NotFound | Unavailable, Principal>
  }
>()("sheaf/identity/factors/Factors") {
  static readonly layer = Layer.effect(
    Factors,
    Effect.gen(function* () {
      const { read, write: sql } = yield* Database
      const writer = yield* Writer
      const lists = yield* Lists
      const secrets = yield* Secrets
      const randomness = yield* Randomness
      const passkeys = yield* Passkeys
      const passwordSignIn = yield* PasswordSignIn
      const securityMails = yield* SecurityMails

      /** Writes to the caller's account. One write at a time: two at once would leave no way in, or too many factors. */
      const write = <A, E>(
        principal: PrincipalShape,
        method: (draft: LockedDraft, user: UserRow) => Effect.Effect<A, E>
      ) =>
        writer.writeLocked(
          principal.home_id,
          { actor: actorOf(principal) },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const user = yield* lockUser(draft, principal.user_id)
            return yield* user === undefined ? NotFound.of("user") : method(draft, user)
          })
        )

      const own = Effect.fnUntraced(function* (
        draft: LockedDraft,
        user: UserRow,
        id: string,
        condition?: Condition<Factor>
      ) {
        const row = yield* draft.get(factors, id)
        if (row?.user_id !== user.id) return yield* missing
        if (condition !== undefined) yield* condition(shown(row))
        return row
      })

      const offer = traced("Factors.offer")(function* (kind: Kind) {
        const { user_id } = yield* Principal
        const user = yield* readUser(read, user_id)
        const begun_at = yield* Clock.currentTimeMillis
        const token = (secret: string) => secrets.seal("factor-offer", encode({ user_id, kind, secret, begun_at }))
        if (kind === "totp") {
          const secret = yield* Totp.makeSecret(randomness)
          return { token: token(secret), kind, secret, uri: yield* Totp.uriOf(secret, "Sheaf", user.email) }
        }
        const known = yield* runSql<Pick<FactorRow, "credential_id" | "transports">>(
          read,
          "SELECT credential_id, transports FROM factors WHERE user_id = $1 AND kind = 'passkey'",
          [user_id]
        )
        const { challenge, options } = yield* passkeys.creation(user, known)
        return { token: token(challenge), kind, options }
      })

      /** Returns the columns of an offered factor, whose secret works in the hands of the client. */
      const proven = Effect.fnUntraced(function* (input: FactorCreate, kind: Kind, secret: string, now: number) {
        const none = { secret: null, last_step: null, credential_id: null, public_key: null, counter: null }
        if (kind === "totp") {
          if (input.code === undefined) return yield* Invalid.field("code", "required", "is required")
          const last_step = yield* Totp.stepOf(secret, input.code.replaceAll(/[\s-]/g, ""), now, null)
          if (last_step === undefined) {
            return yield* Invalid.field("code", "invalid", "is not the present code of the authenticator app")
          }
          return { ...none, rp_id: null, transports: [], secret: secrets.seal("totp", secret), last_step }
        }
        if (input.credential === undefined) return yield* Invalid.field("credential", "required", "is required")
        return { ...none, ...(yield* passkeys.created(secret, input.credential)) }
      })

      const add = traced("Factors.add")(function* (input: FactorCreate) {
        const principal = yield* Principal
        const text = secrets.open("factor-offer", input.token)
        const offered = text === undefined ? undefined : decode(text)
        if (offered === undefined || offered._tag === "None") return yield* offerEnded
        const { begun_at, kind, secret, user_id } = offered.value
        const now = yield* Clock.currentTimeMillis
        if (user_id !== principal.user_id || Math.abs(now - begun_at) > offerLife) return yield* offerEnded
        const columns = yield* proven(input, kind, secret, now)
        if (!(yield* useOnce(sql, input.token, now + 2 * offerLife))) return yield* offerEnded
        return yield* write(
          principal,
          Effect.fnUntraced(function* (draft: LockedDraft) {
            yield* SecondFactors.needTwo(draft, user_id, principal.credential_id)
            const counted = yield* SecondFactors.countOf(draft, user_id)
            if (counted.factors >= maxFactors) return yield* tooMany
            const row: FactorRow = {
              ...columns,
              id: draft.newId("fa"),
              user_id: principal.user_id,
              kind,
              name: input.name ?? defaultNames[kind],
              created_at: draft.now,
              last_used_at: null
            }
            draft.add(factors, row)
            // The user has just used it. A session that ended meanwhile must add nothing.
            if (!(yield* SecondFactors.confirm(draft, principal.credential_id, kind))) return yield* ended
            draft.changesAccess = true
            const data = { id: row.id, kind }
            AuditTrail.audit(draft, { action: "auth.factor_added", resource: "user", resource_id: user_id, data })
            yield* securityMails.put(draft, user_id, MailTemplates.factorAdded(row.name))
            const first = counted.factors === 0 && counted.codes === 0
            return {
              ...shown(row),
              ...(first ? { recovery_codes: yield* SecondFactors.makeCodes(draft, user_id) } : {})
            }
          })
        ).pipe(orConflict("factors_credential_id_key", takenPasskey))
      })

      const remove = traced("Factors.remove")(function* (id: string, condition?: Condition<Factor>) {
        const principal = yield* Principal
        const isPasswordOff = yield* passwordSignIn.isOff
        yield* write(
          principal,
          Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
            const row = yield* own(draft, user, id, condition)
            yield* SecondFactors.needTwo(draft, user.id, principal.credential_id)
            draft.remove(factors, id)
            yield* needWayIn(draft, user, { isPasswordOff, issuers: passwordSignIn.issuers, rp_id: passkeys.rp_id })
            if ((yield* SecondFactors.countOf(draft, user.id)).factors === 0)
              yield* SecondFactors.endAll(draft, user.id)
            const data = { id, kind: row.kind }
            AuditTrail.audit(draft, { action: "auth.factor_removed", resource: "user", resource_id: user.id, data })
            yield* securityMails.put(draft, user.id, MailTemplates.factorRemoved(row.name))
          })
        )
      })

      return Factors.of({
        list: traced("Factors.list")(function* (query: PageQuery) {
          const { home_id, user_id } = yield* Principal
          return yield* lists.page({
            spec: factorList,
            query,
            workspace_id: home_id,
            where: "user_id = $2",
            params: [user_id]
          })
        }),
        offer,
        add,
        rename: traced("Factors.rename")(function* (id: string, name: string, condition?: Condition<Factor>) {
          const principal = yield* Principal
          return yield* write(principal, (draft, user) =>
            Effect.map(own(draft, user, id, condition), (row) => {
              draft.put(factors, { ...row, name })
              return shown({ ...row, name })
            })
          )
        }),
        remove,
        codesLeft: Effect.flatMap(Principal, ({ home_id, user_id }) =>
          Effect.map(
            runSql<{ readonly left: number }>(
              read,
              "SELECT count(*)::int AS left FROM recovery_codes WHERE workspace_id = $1 AND user_id = $2",
              [home_id, user_id]
            ),
            ([counted]) => counted!.left
          )
        ),
        makeCodes: Effect.flatMap(Principal, (principal) =>
          write(
            principal,
            Effect.fnUntraced(function* (draft: LockedDraft, user: UserRow) {
              if ((yield* SecondFactors.countOf(draft, user.id)).factors === 0) return yield* noFactor
              yield* SecondFactors.needTwo(draft, user.id, principal.credential_id)
              AuditTrail.audit(draft, { action: "auth.recovery_codes_made", resource: "user", resource_id: user.id })
              return yield* SecondFactors.makeCodes(draft, user.id)
            })
          )
        )
      })
    })
  )
}
