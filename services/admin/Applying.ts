import { Data, Effect, Redacted, Schema } from "effect"
import { emailKey } from "../Email.ts"
import { messageOf } from "../ErrorCause.ts"
import { type Conflict, type Forbidden, type Invalid, NotFound, Unavailable } from "../Errors.ts"
import { Operator } from "../identity/operators/Operator.ts"
import { OperatorKeys } from "../identity/operators/OperatorKeys.ts"
import { Passwords } from "../identity/Passwords.ts"
import { scopes as allScopes } from "../identity/Scopes.ts"
import { nameOf, NewPassword } from "../identity/User.ts"
import { Outgoing } from "../outgoing/Outgoing.ts"
import { Randomness } from "../Randomness.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Tokens from "../Tokens.ts"
import { keyOf, makeSecret } from "../webhooks/Signature.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { openAll } from "../webhooks/WebhookSecrets.ts"
import { Members } from "../workspaces/Members.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import type {
  Declaration,
  DeclaredKey,
  DeclaredMember,
  DeclaredUser,
  DeclaredWebhook,
  DeclaredWorkspace,
  Reference
} from "./Declaration.ts"
import * as DeclaredState from "./DeclaredState.ts"

export interface Step {
  readonly status: "created" | "changed" | "removed" | "unchanged" | "refused"
  readonly kind: "user" | "workspace" | "member" | "webhook" | "api_key"
  readonly name: string
  /** What changes, or why it is refused. */
  readonly detail: string | null
}

/** What cannot be made as it is declared. */
export class NotApplicable extends Data.TaggedError("NotApplicable")<{ readonly message: string }> {}

type Refusal = Conflict | Forbidden | Invalid | NotFound | NotApplicable
type Failure = Refusal | Unavailable

/** The secrets of a declaration, outside of the database. */
export interface SecretPlaces {
  readonly read: (reference: Reference) => Effect.Effect<string, NotApplicable>
  /** The secret in a file; undefined without the file. */
  readonly kept: (file: string) => Effect.Effect<string | undefined, NotApplicable>
  /** Writes a new file, which survives a crash. */
  readonly keep: (file: string, secret: string) => Effect.Effect<void, NotApplicable>
}

/** What a step would do, and the effect that does it. */
interface Change {
  readonly status: Step["status"]
  readonly detail?: string
  readonly act?: Effect.Effect<unknown, Failure>
}
type Planned = Pick<Step, "kind" | "name"> & Change

const refuse = (message: string) => new NotApplicable({ message })
const unchanged: Change = { status: "unchanged" }
const isPassword = Schema.is(NewPassword)

/** A change of the declared members that differ; members that are not declared stay. */
const changeOf = (before: object, to: object, act: Effect.Effect<unknown, Failure>): Change => {
  const now = new Map<string, unknown>(Object.entries(before))
  const shown = (value: unknown) => (Array.isArray(value) ? value.toSorted().join(",") : String(value))
  const differing = Object.entries(to).filter(
    ([name, value]) => value !== undefined && shown(now.get(name)) !== shown(value)
  )
  if (differing.length === 0) return unchanged
  return {
    status: "changed",
    detail: differing.map(([name, value]) => `${name}: ${shown(now.get(name))} → ${shown(value)}`).join("; "),
    act
  }
}

const orRefused = <A>(step: Pick<Step, "kind" | "name">, effect: Effect.Effect<A, Failure>) =>
  Effect.catchIf(
    effect,
    (error): error is Refusal => !(error instanceof Unavailable),
    (error) => Effect.succeed({ ...step, status: "refused" as const, detail: messageOf(error) })
  )

/**
 * Makes users, workspaces, members, webhooks and API keys as they are declared, each by the operation of its command, in one
 * commit. All of it is compared with the database first, so that a dry run has the same steps. What is not declared stays.
 */
export const apply = Effect.fnUntraced(function* (declared: Declaration, places: SecretPlaces, isDry: boolean) {
  const operator = yield* Operator
  const keys = yield* OperatorKeys
  const passwords = yield* Passwords
  const workspaces = yield* Workspaces
  const members = yield* Members
  const webhooks = yield* Webhooks
  const outgoing = yield* Outgoing
  const sealed = yield* Secrets
  const randomness = yield* Randomness
  const state = yield* DeclaredState.make
  const { api_keys = [], users = [], workspaces: declaredWorkspaces = [] } = declared

  const isUser = Effect.fnUntraced(function* (email: string) {
    if (users.some((user) => emailKey(user.email) === emailKey(email))) return
    if ((yield* state.user(email)) === undefined) return yield* NotFound.of(`user: ${email}`)
  })

  /** The secret that is given or kept; undefined if a new one is needed. */
  const givenSecret = Effect.fnUntraced(function* (
    { secret, secret_file = "" }: Pick<DeclaredKey, "secret" | "secret_file">,
    isValid: (secret: string) => boolean
  ) {
    const given = yield* secret === undefined ? places.kept(secret_file) : places.read(secret)
    if (given === undefined || isValid(given)) return given
    return yield* refuse(`${secret?.env ?? secret?.file ?? secret_file} has no secret of this kind`)
  })

  /** A new secret is in its file before it is in the database: the next run uses what a killed one has left. */
  const newSecret = (file: string | undefined, secret: string) =>
    file === undefined ? Effect.succeed(secret) : Effect.as(places.keep(file, secret), secret)

  const planUser = Effect.fnUntraced(function* ({ email, initial_password, ...to }: DeclaredUser) {
    const found = yield* state.user(email)
    const { name, operator: isOperator, plan = "free", suspended } = to
    const flags = { operator: isOperator, suspended }
    if (found === undefined) {
      const password = initial_password === undefined ? undefined : yield* places.read(initial_password)
      if (password !== undefined) {
        if (!isPassword(password))
          return yield* refuse("A password must have 10 to 200 characters, and must not be easy to guess")
        yield* passwords.checkNew("initial_password", password, { email, name: name ?? nameOf(email) })
      }
      const act = Effect.andThen(operator.addUser({ email, name, password, plan }), operator.updateUser(email, flags))
      return { status: "created", act } satisfies Change
    }
    return changeOf(
      found,
      to,
      Effect.andThen(
        operator.updateUser(email, { name, ...flags }),
        to.plan === undefined || to.plan === found.plan ? Effect.void : workspaces.setPlan(found.workspace_id, { plan })
      )
    )
  })

  const planWorkspace = Effect.fnUntraced(function* (to: DeclaredWorkspace) {
    const { members = [], name, plan, seats, slug } = to
    const found = yield* state.workspace(slug)
    if (to.state === "absent") {
      if (found === undefined || found.deleted_at !== null) return unchanged
      return { status: "removed", act: workspaces.deleteAny(found.id, false) } satisfies Change
    }
    if (found === undefined) {
      const owner = members.find(({ role }) => role === "owner")
      if (owner === undefined) return yield* refuse("A new workspace needs a member with the role owner")
      yield* isUser(owner.email)
      const made = { name: name ?? slug, slug, plan: plan ?? "free", seats: seats ?? 1 }
      const act = Effect.flatMap(operator.find(owner.email), ({ id }) => workspaces.add(made, id))
      return { status: "created", act } satisfies Change
    }
    if (found.deleted_at !== null) return yield* refuse(`It is deleted: sheaf workspace restore ${slug}`)
    const given = { ...(name && { name }), ...(plan && { plan }), ...(seats && { seats }) }
    return changeOf(found, given, workspaces.setPlan(found.id, given))
  })

  const planMember = Effect.fnUntraced(function* (slug: string, { email, role, state: wanted }: DeclaredMember) {
    const found = yield* state.workspace(slug)
    const before = found === undefined ? undefined : yield* state.role(found.id, email)
    const act = Effect.gen(function* () {
      yield* members.assign(yield* operator.workspace(slug), yield* operator.find(email), role)
    })
    if (wanted === "absent") return before === undefined ? unchanged : ({ status: "removed", act } satisfies Change)
    if (before !== undefined) return changeOf({ role: before }, { role }, act)
    yield* isUser(email)
    return { status: "created", detail: `role: ${role}`, act } satisfies Change
  })

  const planWebhook = Effect.fnUntraced(function* (slug: string, to: DeclaredWebhook) {
    const { active, events, url } = to
    const found = yield* state.workspace(slug)
    const hook = found === undefined ? undefined : yield* state.webhook(found.id, url)
    if (to.state === "absent") {
      if (found === undefined || hook === undefined) return unchanged
      return { status: "removed", act: webhooks.revoke(found.id, hook.id) } satisfies Change
    }
    const given = yield* givenSecret(to, (secret) => keyOf(secret) !== undefined)
    if (found !== undefined && hook !== undefined) {
      const isOther = given !== undefined && openAll(sealed, hook)[0] !== given
      const change = {
        ...(active === undefined ? {} : { active }),
        ...(events && { events }),
        ...(isOther && { secret: given })
      }
      return changeOf(
        { ...hook, secret: "previous" },
        { active, events, secret: isOther ? "new" : undefined },
        webhooks.reissue(found.id, hook.id, change)
      )
    }
    if (events === undefined) return yield* refuse("A new webhook needs events")
    yield* outgoing.check("url", url)
    const act = Effect.gen(function* () {
      const secret = given ?? (yield* newSecret(to.secret_file, makeSecret(randomness)))
      yield* webhooks.issue(yield* operator.workspace(slug), { url, events, secret, active: active ?? true })
    })
    return { status: "created", act } satisfies Change
  })

  const planKey = Effect.fnUntraced(function* (to: DeclaredKey) {
    const { expires_at = null, name, scopes = allScopes, user, workspace } = to
    const owner = yield* state.user(user)
    const found = workspace === undefined ? owner?.workspace_id : (yield* state.workspace(workspace))?.id
    const key = found === undefined ? undefined : yield* state.key(found, user, name)
    if (to.state === "absent") {
      if (key === undefined) return unchanged
      // It may have ended with a membership that this run has ended.
      const act = Effect.catchTag(keys.revoke(key.id), "NotFound", () => Effect.void)
      return { status: "removed", act } satisfies Change
    }
    const given = yield* givenSecret(to, (secret) => Tokens.isWellFormed("sfk", secret))
    if (key !== undefined) {
      const { detail } = changeOf(key, { scopes: to.scopes, expires_at: to.expires_at }, Effect.void)
      const differing = given !== undefined && Tokens.digestOf(given) !== key.secret_hash ? "another secret" : detail
      if (differing !== undefined) {
        return yield* refuse(
          `A key of this name exists (${differing}): choose another name, or end it by state: absent`
        )
      }
      return given === undefined ? { ...unchanged, detail: `its secret is not in ${to.secret_file}` } : unchanged
    }
    yield* isUser(user)
    const act = Effect.gen(function* () {
      const secret = given ?? (yield* newSecret(to.secret_file, Redacted.value(Tokens.make(randomness, "sfk"))))
      yield* keys.add({ email: user, workspace, name, scopes, expires_at, secret: Redacted.make(secret) })
    })
    return { status: "created", act } satisfies Change
  })

  const planned: Array<Planned | Step> = []
  const plan = (kind: Step["kind"], name: string, change: Effect.Effect<Change, Failure>) =>
    Effect.map(orRefused({ kind, name }, change), (change) => {
      planned.push({ kind, name, ...change })
    })

  for (const user of users) yield* plan("user", user.email, planUser(user))
  for (const each of declaredWorkspaces) {
    const { members = [], slug, webhooks = [] } = each
    const planMembers = (isAbsent: boolean) =>
      Effect.forEach(
        members.filter(({ state }) => (state === "absent") === isAbsent),
        (member) => plan("member", `${slug} ${member.email}`, planMember(slug, member)),
        { discard: true }
      )
    // Before the seats, of which there must be as many as members.
    yield* planMembers(true)
    yield* plan("workspace", slug, planWorkspace(each))
    if (each.state === "absent") continue
    yield* planMembers(false)
    for (const webhook of webhooks) yield* plan("webhook", `${slug} ${webhook.url}`, planWebhook(slug, webhook))
  }
  for (const key of api_keys) {
    yield* plan("api_key", `${key.user} ${key.workspace ?? "personal"} ${key.name}`, planKey(key))
  }

  return yield* Effect.forEach(planned, (step) => {
    const { detail = null, kind, name, status } = step
    const done: Step = { status, kind, name, detail }
    if (isDry || !("act" in step)) return Effect.succeed(done)
    return orRefused({ kind, name }, Effect.as(step.act, done))
  })
})
