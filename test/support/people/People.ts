import { Effect, Redacted } from "effect"
import { systemRandomness } from "../../../services/Randomness.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { ApiKeys } from "../../../services/identity/ApiKeys.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { scopes as allScopes } from "../../../services/identity/Scopes.ts"
import { systemActor } from "../../../services/writer/Actor.ts"
import { Users } from "../../../services/identity/Users.ts"
import type { Role } from "../../../services/Principal.ts"
import { type ApiResponse, epoch, type TestApp } from "../TestApp.ts"

/** The password of all users that `register` creates. */
export const password = "correct horse battery"

// Numbers of equal width, so that addresses sort the same as text and as numbers.
let made = 10_000

/** A user who has signed in. */
export interface Person {
  readonly email: string
  readonly access: string
  readonly refresh: string
  /** Headers for `call`. */
  readonly headers: Record<string, string>
  readonly user_id: string
  readonly session_id: string
  readonly device_id: string
  /** The user's personal workspace. */
  readonly workspace_id: WorkspaceId
}

/** Reads the response of a sign-up or sign-in. */
export const personOf = (answer: ApiResponse): Person => {
  const { access_token, device_id, refresh_token, session_id, user, workspace_id } = answer.body
  return {
    email: user.email,
    access: access_token,
    refresh: refresh_token,
    headers: { authorization: `Bearer ${access_token}` },
    user_id: user.id,
    session_id,
    device_id,
    workspace_id
  }
}

/** A POST without a credential. */
export const unsigned = (app: TestApp, path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call("POST", path, body, { authorization: "", ...headers })

/** Registers a user with a new address; `input` adds to the body. */
export const register = async (app: TestApp, input: object = {}): Promise<Person> => {
  const answer = await unsigned(app, "/auth/register", { email: `person-${++made}@sheaf.test`, password, ...input })
  if (answer.status !== 201) throw new Error(answer.text)
  return personOf(answer)
}

/** Signs in with the default password. */
export const logIn = async (app: TestApp, email: string, input: object = {}): Promise<Person> => {
  const answer = await unsigned(app, "/auth/login", { email, password, ...input })
  if (answer.status !== 200) throw new Error(answer.text)
  return personOf(answer)
}

/** The token in the link of an invitation. */
export const tokenOf = (answer: Pick<ApiResponse, "body">): string =>
  new URL(answer.body.accept_url).searchParams.get("token")!

/** Creates another workspace of a user and returns its id. */
export const workspaceOf = async (app: TestApp, owner: Person, name = "Team"): Promise<WorkspaceId> => {
  const answer = await app.call("POST", "/workspaces", { name }, owner.headers)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.id
}

/** Invites a user, who accepts. Returns the id of the membership. */
export const join = async (
  app: TestApp,
  owner: Person,
  workspace: string,
  invitee: Person,
  role: Role
): Promise<string> => {
  const { email } = invitee
  const invited = await app.call("POST", `/workspaces/${workspace}/invitations`, { email, role }, owner.headers)
  if (invited.status !== 201) throw new Error(invited.text)
  const token = tokenOf(invited)
  const accepted = await app.call("POST", "/invitations/accept", { token }, invitee.headers)
  if (accepted.status !== 200) throw new Error(accepted.text)
  const [member] = await app.sql("SELECT id FROM members WHERE workspace_id = $1 AND user_id = $2", [
    workspace,
    invitee.user_id
  ])
  return member.id
}

/** A user with an API key who never signed in. */
export interface Guest {
  readonly key: string
  /** Headers for `call`. */
  readonly headers: { readonly authorization: string }
  readonly key_id: string
  readonly user_id: string
  readonly workspace_id: WorkspaceId
}

/**
 * Creates a user with an API key: in the App's workspace with a role, or (`elsewhere`) as the owner of their own
 * workspace.
 */
export const guest = (
  app: TestApp,
  options: { readonly role?: string; readonly scopes?: ReadonlyArray<string>; readonly elsewhere?: boolean } = {}
): Promise<Guest> =>
  app.run(
    Effect.gen(function* () {
      const name = `guest-${++made}`
      const { user, workspace_id: own } = yield* (yield* Users).create(
        {
          email: `${name}@sheaf.test`,
          email_proven: true,
          name,
          locale: "en",
          timezone: "UTC",
          password_hash: null,
          workspace: { name, slug: name, plan: "free", seats: 1 }
        },
        systemActor
      )
      const user_id = user.id
      const workspace_id = options.elsewhere === true ? own : app.workspace_id
      if (options.elsewhere !== true) {
        yield* Effect.promise(() =>
          app.sql("INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)", [
            workspace_id,
            `mb_${name}`,
            user_id,
            options.role ?? "editor",
            new Date(epoch).toISOString()
          ])
        )
      }
      const secret = Tokens.make(systemRandomness, "sfk")
      const key_id = yield* (yield* ApiKeys).issue({
        workspace_id,
        user_id,
        name,
        scopes: options.scopes ?? allScopes,
        secret,
        now: epoch
      })
      const key = Redacted.value(secret)
      return { key, headers: { authorization: `Bearer ${key}` }, key_id, user_id, workspace_id }
    })
  )
