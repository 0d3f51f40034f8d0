import { Effect, Redacted } from "effect"
import type { WorkspaceId } from "../../services/Ids.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { scopes as allScopes } from "../../services/identity/Scopes.ts"
import type { Role } from "../../services/Principal.ts"
import * as Tokens from "../../services/Tokens.ts"
import type { Resource } from "./Resources.ts"
import { register, type SignedIn } from "./SignIn.ts"
import { epoch, type TestApp } from "./TestApp.ts"

let made = 0

/** Somebody in a crew, and what they send. */
export interface Caller extends SignedIn {
  readonly kind: "session" | "key"
  readonly role: Role
  readonly scopes: ReadonlyArray<string>
  /** The id of the membership. */
  readonly member_id: string
  readonly key_id: string | undefined
}

/** A workspace that is nobody's personal one, with an owner who has signed in, and whoever else is wanted. */
export class Crew {
  readonly app: TestApp
  readonly id: WorkspaceId
  readonly slug: string
  readonly owner: Caller

  private constructor(app: TestApp, workspace: { readonly id: WorkspaceId; readonly slug: string }, owner: Caller) {
    this.app = app
    this.id = workspace.id
    this.slug = workspace.slug
    this.owner = owner
  }

  static async start(app: TestApp, name = "Crew"): Promise<Crew> {
    const owner = await register(app)
    const workspace = { name, plan: "team", slug: `crew-${++made}` }
    const { body } = await app.call("POST", "/workspaces", workspace, owner.headers)
    const [member] = await app.sql("SELECT id FROM members WHERE workspace_id = $1", [body.id])
    return new Crew(app, body, {
      ...owner,
      headers: { ...owner.headers, "workspace-id": body.id },
      kind: "session",
      role: "owner",
      scopes: allScopes,
      member_id: member.id,
      key_id: undefined
    })
  }

  /** A new member, who has signed in. */
  async session(role: Role, input: object = {}): Promise<Caller> {
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

  /** A new member, with an API key. */
  async key(role: Role, scopes: ReadonlyArray<string> = allScopes): Promise<Caller> {
    const person = await this.session(role)
    return { ...person, kind: "key", scopes, ...(await this.issue(person.user_id, scopes)) }
  }

  /** Another one of the same kind, in this crew. */
  like({ kind, role, scopes }: Caller): Promise<Caller> {
    return kind === "key" ? this.key(role, scopes) : this.session(role)
  }

  async join(user_id: string, role: Role): Promise<string> {
    const id = `mb_${String(++made).padStart(20, "0")}`
    await this.app.sql(
      "INSERT INTO members (workspace_id, id, user_id, role, created_at) VALUES ($1, $2, $3, $4, $5)",
      [this.id, id, user_id, role, new Date(epoch).toISOString()]
    )
    return id
  }

  /** A key of a member, whatever their role. */
  async issue(user_id: string, scopes: ReadonlyArray<string>) {
    const secret = Tokens.make("sfk")
    const workspace_id = this.id
    const key = { workspace_id, user_id, name: `key-${++made}`, scopes, secret, now: epoch }
    const key_id = await this.app.run(Effect.flatMap(Effect.service(ApiKeys), (keys) => keys.issue(key)))
    return { key_id, headers: { authorization: `Bearer ${Redacted.value(secret)}` } }
  }

  /** A path with the id of this workspace in it. */
  at(path: string): string {
    return path.replace("{workspace_id}", this.id)
  }

  /** Another one of a resource, made for somebody here; answers its id. */
  async make(resource: Resource, more: object = {}, caller: Caller = this.owner): Promise<string> {
    const { body, make, path } = resource
    if (make !== undefined) return make(this, caller, more)
    return (await this.post(path, { ...(await body?.(this)), ...more })).id
  }

  /** What the owner asks for, which must be answered as it is meant to be. */
  private async does(method: string, path: string, body?: object): Promise<any> {
    const answer = await this.app.call(method, this.at(path), body, this.owner.headers)
    if (answer.status >= 300) throw new Error(answer.text)
    return answer.body
  }

  get(path: string): Promise<any> {
    return this.does("GET", path)
  }

  post(path: string, body?: object): Promise<any> {
    return this.does("POST", path, body)
  }

  patch(path: string, body: object): Promise<any> {
    return this.does("PATCH", path, body)
  }
}
