import { Effect, Redacted } from "effect"
import { systemRandomness } from "../../../services/Randomness.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { ApiKeys } from "../../../services/identity/ApiKeys.ts"
import { adminScopes, scopes as allScopes } from "../../../services/identity/Scopes.ts"
import type { Role } from "../../../services/Principal.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { notes, type Resource } from "../Resources.ts"
import { join, register, type Person, workspaceOf } from "./People.ts"
import { epoch, type TestApp } from "../TestApp.ts"

let made = 0

/** A member of a team, with the headers of their requests. */
export interface Member extends Person {
  readonly kind: "session" | "key"
  readonly role: Role
  readonly scopes: ReadonlyArray<string>
  /** The id of the membership. */
  readonly member_id: string
  readonly key_id: string | undefined
}

/** A workspace that is not a personal one, with an owner who has signed in and any other members. */
export class Team {
  readonly app: TestApp
  readonly id: WorkspaceId
  readonly slug: string
  readonly owner: Member
  private noted: Promise<string> | undefined

  private constructor(app: TestApp, workspace: { readonly id: WorkspaceId; readonly slug: string }, owner: Member) {
    this.app = app
    this.id = workspace.id
    this.slug = workspace.slug
    this.owner = owner
  }

  /** Creates a workspace of the largest plan with a new owner. */
  static async start(app: TestApp, name = "Team"): Promise<Team> {
    const owner = await register(app)
    const workspace = { name, plan: "team", slug: `team-${++made}` }
    const { body } = await app.call("POST", "/workspaces", workspace, owner.headers)
    return Team.known(app, body, owner)
  }

  /** Creates another workspace of a user. */
  static async of(app: TestApp, owner: Person, name?: string): Promise<Team> {
    const id = await workspaceOf(app, owner, name)
    const { body } = await app.call("GET", `/workspaces/${id}`, undefined, owner.headers)
    return Team.known(app, body, owner)
  }

  private static async known(app: TestApp, body: { readonly id: WorkspaceId; readonly slug: string }, owner: Person) {
    const [member] = await app.sql("SELECT id FROM members WHERE workspace_id = $1", [body.id])
    return new Team(app, body, {
      ...owner,
      headers: { ...owner.headers, "workspace-id": body.id },
      kind: "session",
      role: "owner",
      scopes: allScopes,
      member_id: member.id,
      key_id: undefined
    })
  }

  /** The path of its members. */
  get members(): string {
    return `/workspaces/${this.id}/members`
  }

  /** The entries of its log, from an index on. */
  async changes(from: number): Promise<ReadonlyArray<any>> {
    const all = await this.app.sql(
      "SELECT type, resource_id, actor_id, data FROM changes WHERE workspace_id = $1 ORDER BY seq",
      [this.id]
    )
    return all.slice(from)
  }

  /** Registers a user who is invited and accepts; their requests name no workspace. */
  async invited(role: Role): Promise<Person & { readonly member_id: string }> {
    const person = await register(this.app)
    return { ...person, member_id: await join(this.app, this.owner, this.id, person, role) }
  }

  /** Registers a user and adds them to the workspace without an invitation. */
  async member(role: Role, input: object = {}): Promise<Member> {
    const person = await register(this.app, input)
    return {
      ...person,
      headers: { ...person.headers, "workspace-id": this.id },
      kind: "session",
      role,
      scopes: allScopes,
      member_id: await this.join(person.user_id, role),
      key_id: undefined
    }
  }

  /** Like `member`, but the requests use an API key. */
  async key(role: Role, scopes: ReadonlyArray<string> = allScopes): Promise<Member> {
    const person = await this.member(role)
    return { ...person, kind: "key", scopes, ...(await this.issue(person.user_id, scopes)) }
  }

  /** Like `member` or `key`, for an operator of the server. */
  async operator(
    kind: Member["kind"],
    scopes: ReadonlyArray<string> = [...allScopes, ...adminScopes]
  ): Promise<Member> {
    const person = await this.member("viewer")
    await this.app.sql("UPDATE users SET is_operator = true WHERE id = $1", [person.user_id])
    if (kind === "session") return { ...person, scopes }
    return { ...person, kind, scopes, ...(await this.issue(person.user_id, scopes)) }
  }

  /** Creates another member of the same kind, role and scopes. */
  like({ kind, role, scopes }: Member): Promise<Member> {
    return kind === "key" ? this.key(role, scopes) : this.member(role)
  }

  /** Adds a user to the workspace and returns the id of the membership. */
  async join(user_id: string, role: Role): Promise<string> {
    const id = `mb_${String(++made).padStart(20, "0")}`
    await this.app.sql(
      "INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)",
      [this.id, id, user_id, role, new Date(epoch).toISOString()]
    )
    return id
  }

  /** Creates an API key of a member, whatever their role. */
  async issue(user_id: string, scopes: ReadonlyArray<string>) {
    const secret = Tokens.make(systemRandomness, "sfk")
    const workspace_id = this.id
    const key = { workspace_id, user_id, name: `key-${++made}`, scopes, secret, now: epoch }
    const key_id = await this.app.run(Effect.flatMap(Effect.service(ApiKeys), (keys) => keys.issue(key)))
    return { key_id, headers: { authorization: `Bearer ${Redacted.value(secret)}` } }
  }

  /** The note that `at` inserts into paths; it is created on first use. */
  async note(): Promise<string> {
    return (this.noted ??= this.make(notes))
  }

  /** Replaces the workspace and note placeholders of a path with the ids of this team. */
  async at(path: string): Promise<string> {
    return path
      .replace("{workspace_id}", this.id)
      .replace("{note_id}", path.includes("{note_id}") ? await this.note() : "")
  }

  /** Creates a record of a resource for a caller and returns its id. `more` adds to the body. */
  async make(resource: Resource, more: object = {}, caller: Member = this.owner): Promise<string> {
    const { body, make, path } = resource
    if (make !== undefined) return make(this, caller, more)
    return (await this.post(path, { ...(await body?.(this)), ...more })).id
  }

  /** Sends a request of the owner that must succeed, and returns the body. */
  private async send(method: string, path: string, body?: object): Promise<any> {
    const answer = await this.app.call(method, await this.at(path), body, this.owner.headers)
    if (answer.status >= 300) throw new Error(answer.text)
    return answer.body
  }

  /** Reads as the owner; must succeed. Returns the body, as do `post` and `patch`. */
  get(path: string): Promise<any> {
    return this.send("GET", path)
  }

  post(path: string, body?: object): Promise<any> {
    return this.send("POST", path, body)
  }

  patch(path: string, body: object): Promise<any> {
    return this.send("PATCH", path, body)
  }
}
