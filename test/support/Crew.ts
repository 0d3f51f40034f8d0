import { Effect, Redacted } from "effect"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { scopes as allScopes } from "../../services/identity/Scopes.ts"
import type { Role } from "../../services/Principal.ts"
import * as Tokens from "../../services/Tokens.ts"
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
  readonly id: string
  readonly slug: string
  readonly owner: Caller

  private constructor(app: TestApp, workspace: { readonly id: string; readonly slug: string }, owner: Caller) {
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

  /** What the owner makes; answers its id. */
  async make(path: string, body: object): Promise<string> {
    const answer = await this.app.call("POST", path, body, this.owner.headers)
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body.id
  }

  notebook(): Promise<string> {
    return this.make("/notebooks", { name: `notebook ${++made}` })
  }

  async note(more: object = {}): Promise<string> {
    return this.make("/notes", { notebook_id: await this.notebook(), title: `note ${++made}`, ...more })
  }

  tag(): Promise<string> {
    return this.make("/tags", { name: `tag-${++made}` })
  }

  template(): Promise<string> {
    return this.make("/templates", { name: `template ${++made}`, body: "{{date}}" })
  }

  invitation(email = `invitee-${++made}@sheaf.test`, role: Role = "editor"): Promise<string> {
    return this.make(`/workspaces/${this.id}/invitations`, { email, role })
  }
}
