import { columnsOf } from "../tables/Column.ts"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { emailKey } from "../Email.ts"
import {
  type BadRequest,
  type Condition,
  Conflict,
  type Expired,
  type Forbidden,
  type Invalid,
  type NotFound,
  type RateLimited,
  type Stale,
  type Unauthorized,
  type Unavailable
} from "../Errors.ts"
import type { SecurityEvent } from "../EventTypes.ts"
import { Throttles } from "../limits/Throttles.ts"
import { invitation as letter } from "../mail/MailTemplates.ts"
import { Outbox } from "../mail/Outbox.ts"
import { Mailer } from "../mail/Mailer.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import { type Actor, actorOf } from "../writer/Actor.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { CurrentAttempt } from "../writer/IdempotencyKeys.ts"
import { Lists } from "../lists/Lists.ts"
import { ago, deleteInBatches as pruneRows } from "../database/DeleteInBatches.ts"
import { Writer } from "../writer/Writer.ts"
import * as Tokens from "../Tokens.ts"
import { traced } from "../Traced.ts"
import {
  type Invitation,
  type InvitationCreate,
  invitationList,
  type InvitationResend,
  type InvitationSent,
  rolesToInvite
} from "./Invitation.ts"
import * as Edits from "./InvitationEdits.ts"
import { presentTermOf } from "./CredentialTerm.ts"
import { endOf, makeWay, mayHaveAnother, needProven } from "./InvitationTerms.ts"
import { Plans } from "./Plans.ts"
import { type InvitationRow, invitations } from "./WorkspaceTables.ts"
import { byToken, held, type OpenInvitation } from "./OpenInvitation.ts"
import { needRole } from "./RoleChecks.ts"

type Names = Pick<Parameters<typeof letter>[0], "workspace" | "inviter" | "inviter_email" | "locale">

/** Milliseconds for which invitations are kept after they expire: 90 days. */
const invitationLife = 90 * 24 * 3600_000

const isAccepted = new Conflict({ code: "invalid_state", detail: "The invitation was accepted" })

/** Invitations: the only way to join a workspace of another user (contract 4). */
export class Invitations extends Context.Service<
  Invitations,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly get: (id: string) => Effect.Effect<Invitation, NotFound | Unavailable, Principal>
    readonly create: (
      input: InvitationCreate
    ) => Effect.Effect<
      InvitationSent,
      Conflict | Forbidden | Invalid | NotFound | RateLimited | Unauthorized | Unavailable,
      Principal
    >
    readonly delete: (
      id: string,
      condition?: Condition<Invitation>
    ) => Effect.Effect<void, Forbidden | NotFound | Stale | Unavailable, Principal>
    /** Sends a new link with a new expiry; the previous link ends. */
    readonly resend: (
      id: string,
      input: InvitationResend,
      condition?: Condition<Invitation>
    ) => Effect.Effect<
      InvitationSent,
      Conflict | Forbidden | Invalid | NotFound | RateLimited | Stale | Unauthorized | Unavailable,
      Principal
    >
    /** Returns the invitation of a valid token. */
    readonly find: (token: string) => Effect.Effect<OpenInvitation, Expired | NotFound | Unavailable>
    /** The same, also for an accepted invitation. Counts a token that does not exist as an invalid credential. */
    readonly show: (
      token: string,
      ip: string | null
    ) => Effect.Effect<
      OpenInvitation & { readonly is_accepted: boolean },
      Expired | NotFound | RateLimited | Unavailable
    >
    /** Makes the user a member. The invitation must be for their address. A second acceptance returns the same. */
    readonly accept: (
      token: string,
      user: { readonly id: string },
      actor: Actor
    ) => Effect.Effect<Invitation, Conflict | Expired | Forbidden | NotFound | Unavailable>
    /** Deletes invitations 90 days after they expire, also accepted ones: the limit of 30 days applies to all. */
    readonly prune: Effect.Effect<void, Unavailable>
  }
>()("sheaf/workspaces/Invitations") {
  static readonly layer = (options: { readonly publicUrl: string }) =>
    Layer.effect(
      Invitations,
      Effect.gen(function* () {
        const { read, write: sql } = yield* Database
        const writer = yield* Writer
        const lists = yield* Lists
        const throttles = yield* Throttles
        const mails = yield* Outbox
        const randomness = yield* Randomness
        const { hasSmtp } = yield* Mailer
        const { limits, ownedWorkspaces, signUp } = yield* Plans
        /** With open sign-up any person can register. Confirmed addresses are required where the server sends mail. */
        const needsProof = signUp === "open" && hasSmtp

        const list = traced("Invitations.list")(function* (query: PageQuery) {
          const { workspace_id } = yield* Principal
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          return yield* lists.page({ spec: invitationList, query, workspace_id, params: [now] })
        })

        const get = traced("Invitations.get")(function* (id: string) {
          const { workspace_id } = yield* Principal
          const now = new Date(yield* Clock.currentTimeMillis).toISOString()
          const [found] = yield* runSql<Invitation>(
            read,
            `SELECT ${columnsOf(invitationList.shape)} FROM ${invitationList.from} WHERE workspace_id = $1 AND id = $3`,
            [workspace_id, now, id]
          )
          return found ?? (yield* Edits.missing)
        })

        /** Stores an invitation and its mail, and returns the response. */
        const send = Effect.fnUntraced(function* (
          draft: LockedDraft,
          sent: Omit<InvitationRow, "is_mailed">,
          token: Redacted.Redacted,
          type: SecurityEvent
        ) {
          const row: InvitationRow = { ...sent, is_mailed: hasSmtp }
          const [names] = yield* draft.runSql<Names>(
            `SELECT w.name AS workspace, u.name AS inviter, u.email AS inviter_email,
              coalesce((SELECT r.locale FROM users r WHERE r.email_key = $3), u.locale) AS locale
            FROM workspaces w, users u WHERE w.workspace_id = $1 AND u.id = $2`,
            [draft.workspace_id, row.invited_by, emailKey(row.email)]
          )
          const accept_url = `${options.publicUrl}/invitations/accept?token=${Redacted.value(token)}`
          const { email, expires_at, role } = row
          draft.put(invitations, row)
          Edits.log(draft, row, type)
          mails.put(draft, email, letter({ ...names!, role, accept_url, expires_at }))
          const response: InvitationSent = Edits.shown(row, draft.now)
          return hasSmtp ? response : { ...response, accept_url }
        })

        const write = <A, E>(principal: PrincipalShape, method: (draft: LockedDraft) => Effect.Effect<A, E>) =>
          writer.writeLocked(principal.workspace_id, { actor: actorOf(principal) }, method)

        /** A write that sends an invitation to an address. */
        const sending = <A, E>(
          principal: PrincipalShape,
          email: string,
          method: (draft: LockedDraft) => Effect.Effect<A, E>
        ) => {
          const { invitations_per_day: perDay, invitations_per_hour: perHour } = limits[principal.plan]
          const { ip, user_id } = principal
          const mailed = hasSmtp ? { email_key: emailKey(email), ip } : undefined
          return Effect.tap(
            throttles.invitation({ user_id, mailed, perHour, perDay }, write(principal, method)),
            mails.wake
          )
        }

        const create = traced("Invitations.create")(function* (input: InvitationCreate) {
          const principal = yield* Principal
          const token = Tokens.make(randomness, "sfi")
          const role = input.role ?? "editor"
          return yield* sending(
            principal,
            input.email,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const term = yield* presentTermOf(draft, principal)
              yield* needRole(draft, principal.user_id, rolesToInvite(role))
              if (needsProof) yield* needProven(draft, principal.user_id)
              const expires_at = yield* endOf(draft, term, input.expires_at)
              const id = draft.newId("iv")
              const email_key = emailKey(input.email)
              yield* makeWay(draft, email_key, id)
              yield* mayHaveAnother(draft, id, limits)
              return yield* send(
                draft,
                {
                  id,
                  email: input.email,
                  email_key,
                  role,
                  token_hash: Tokens.digest(token),
                  open: true,
                  expires_at,
                  accepted_at: null,
                  accepted_by: null,
                  invited_by: principal.user_id,
                  ends_with: term.ends_with,
                  created_at: draft.now
                },
                token,
                "invitation.created"
              )
            })
          )
        })

        const remove = traced("Invitations.delete")(function* (id: string, condition?: Condition<Invitation>) {
          const principal = yield* Principal
          yield* write(
            principal,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const row = yield* Edits.expected(draft, id, condition)
              yield* needRole(draft, principal.user_id, rolesToInvite(row.role))
              draft.remove(invitations, id)
              Edits.log(draft, row, "invitation.deleted")
            })
          )
        })

        const resend = traced("Invitations.resend")(function* (
          id: string,
          input: InvitationResend,
          condition?: Condition<Invitation>
        ) {
          const principal = yield* Principal
          const token = Tokens.make(randomness, "sfi")
          return yield* sending(
            principal,
            (yield* get(id)).email,
            Effect.fnUntraced(function* (draft: LockedDraft) {
              const term = yield* presentTermOf(draft, principal)
              const row = yield* Edits.expected(draft, id, condition)
              yield* needRole(draft, principal.user_id, rolesToInvite(row.role))
              if (needsProof) yield* needProven(draft, principal.user_id)
              if (row.accepted_at !== null) return yield* isAccepted
              const expires_at = yield* endOf(draft, term, input.expires_at)
              yield* makeWay(draft, row.email_key, id)
              yield* mayHaveAnother(draft, id, limits)
              const next = {
                ...row,
                token_hash: Tokens.digest(token),
                open: true,
                expires_at,
                ends_with: term.ends_with
              }
              return yield* send(draft, next, token, "invitation.resent")
            })
          )
        })

        const show = traced("Invitations.show")((token: string, ip: string | null) =>
          throttles.credential(ip, held(read, token), ({ _tag }) => _tag === "NotFound")
        )

        const find = traced("Invitations.find")(function* (token: string) {
          const found = yield* held(read, token)
          return found.is_accepted ? yield* Edits.missing : found
        })

        const accept = traced("Invitations.accept")(function* (
          token: string,
          user: { readonly id: string },
          actor: Actor
        ) {
          const { id, workspace_id } = yield* byToken(read, token)
          return yield* writer
            .writeLocked(
              workspace_id,
              { actor },
              Effect.fnUntraced(function* (draft: LockedDraft) {
                // Fails if the invitation was sent again meanwhile, with another token.
                const { inviter_role } = yield* byToken(draft.sql, token)
                return yield* Edits.accept(draft, id, user.id, inviter_role, ownedWorkspaces)
              })
              // No Idempotency-Key: a repetition returns the same, and a key of another workspace cannot be stored here.
            )
            .pipe(Effect.provideService(CurrentAttempt, undefined))
        })

        const prune = Effect.flatMap(ago(invitationLife), (cutoff) =>
          orUnavailable(pruneRows(sql, "invitations", "expires_at < $1", cutoff))
        )

        return Invitations.of({ list, get, create, delete: remove, resend, find, show, accept, prune })
      })
    )
}
