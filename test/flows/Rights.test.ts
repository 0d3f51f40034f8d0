import { Context, Effect, Layer, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { beforeAll, describe, expect, it } from "vitest"
import { policyDefaults } from "../../services/workspaces/Plans.ts"
import { Api } from "../../src/server/api/Api.ts"
import { Access, Authorization, reads } from "../../src/server/api/Authorization.ts"
import * as DeclaredRights from "../../src/server/http/pipeline/DeclaredRights.ts"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"
import { EventStream } from "../support/EventStream.ts"
import type { Call, Operation } from "../support/rights/Operation.ts"
import { openOperations, operations } from "../support/rights/Operations.ts"
import { register } from "../support/people/People.ts"
import { isSlow, rounds, sampled } from "../support/Slow.ts"
import { type Member, Team } from "../support/people/Team.ts"
import { planLimits } from "../support/TestApp.ts"
import { useApp } from "../support/useApp.ts"
import { variants } from "../support/rights/Variants.ts"

const scopes = [
  "notes:read",
  "notes:write",
  "files:read",
  "files:write",
  "keys:read",
  "keys:write",
  "members:read",
  "members:write",
  "export:read",
  "export:write",
  "audit:read",
  "audit",
  "webhooks:read",
  "webhooks:write",
  "profile"
] as const
const roles = ["viewer", "editor", "admin", "owner"] as const

/** Contract 4: `x:write` implies `x:read`, and `audit` is an alias of `audit:read`. */
const holds = (granted: ReadonlyArray<string>, scope: string) =>
  granted.some(
    (each) =>
      each === scope ||
      (each === "audit" && scope === "audit:read") ||
      (each.endsWith(":write") && scope === each.replace("write", "read"))
  )

const mayAs = ({ refusesKeys = false, role, scopes }: Operation, caller: Member) =>
  (!refusesKeys || caller.kind === "session") &&
  scopes.some((scope) => holds(caller.scopes, scope)) &&
  roles.indexOf(caller.role) >= roles.indexOf(role)

const { app } = useApp({ settings: { policies: { ...policyDefaults, signUp: "open", limits: planLimits } } })
let team: Team
let callers: ReadonlyArray<Member>

beforeAll(async () => {
  team = await Team.start(app)
  // One after the other, because the number of sign-ups that may wait per network is limited.
  const made: Array<Member> = []
  for (const scope of scopes) made.push(await team.key("owner", [scope]))
  for (const role of roles) made.push(await team.key(role), await team.member(role))
  for (const scope of ["admin:read", "admin:write"]) made.push(await team.operator("key", [scope]))
  made.push(await team.operator("session"))
  // The scopes of the server have no effect in the key of a user who is no operator.
  made.push({ ...(await team.key("owner", ["admin:read", "admin:write"])), scopes: [] })
  callers = made
})

const send = async ({ body, headers, method, path }: Call, own: Record<string, string>) => {
  if (path !== "/sync/stream") return app.call(method, path, body, headers ?? own)
  const stream = await EventStream.open(app, { headers: headers ?? own })
  if (stream.status === 200) stream.close()
  else await stream.ended()
  return { status: stream.status, body: stream.status === 200 ? undefined : JSON.parse(stream.text) }
}

const titleOf = ({ kind, role, scopes }: Member) =>
  `${kind} of ${role} with ${scopes.length > 2 ? "all scopes" : scopes.join()}`

let last: Promise<unknown> = Promise.resolve()
/** Runs exports one after the other: only a few are kept, and those of one caller would replace those of another. */
const alone = <A>(attempt: () => Promise<A>): Promise<A> => {
  const done = last.then(attempt)
  last = done.catch(() => {})
  return done
}

/** Everything that a request can change: the logs of all workspaces, and the number of audit entries. */
const state = async () => [
  await app.sql("SELECT workspace_id, seq::text FROM heads ORDER BY 1"),
  await app.sql("SELECT count(*)::int AS n FROM audit_entries")
]

/** Runs the tasks of all callers in parallel, and returns the unexpected results. */
const wrong = async (tasks: ReadonlyArray<() => Promise<ReadonlyArray<string>>>) =>
  (await Promise.all(tasks.map((task) => task()))).flat()

describe("the table of rights", () => {
  /** Whether an operation needs no credential, by operation id. */
  const reflected = new Map<string, boolean>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      const unnamed = `${group.identifier}.${endpoint.identifier}`
      const id = Context.getOrElse(endpoint.annotations, OpenApi.Identifier, () => unnamed)
      reflected.set(id, ![...middleware].some(({ key }) => key === Authorization.key))
    }
  })
  const documented = new Map(
    Object.values<any>(openApiDocument("http://sheaf.test").paths)
      .flatMap((item) => Object.values<any>(item))
      .map((each) => [each.operationId as string, each])
  )

  it("contains exactly the operations of the API", () => {
    const known = [...reflected.keys()]
    const where = "test/support/Resources.ts (operations of resources) or test/support/rights/Operations.ts"
    const missing = known.filter((id) => !(id in operations) && !(id in openOperations))
    expect(missing, `operations without an entry in ${where}`).toEqual([])
    const gone = [...Object.keys(operations), ...Object.keys(openOperations)].filter((id) => !reflected.has(id))
    expect(gone, `entries without an operation in ${where}`).toEqual([])
    expect(known.filter((id) => reflected.get(id)).toSorted()).toEqual(Object.keys(openOperations).toSorted())
  })

  it("matches the API description", () => {
    const described = Object.keys(operations).map((id) => {
      const each = documented.get(id)
      return [id, each["x-required-scopes"].toSorted(), each["x-required-role"]]
    })
    // Every member may leave, although only admins may remove others.
    const role = (id: string) => (id === "deleteMember" ? "viewer" : operations[id]!.role)
    expect(described).toEqual(Object.entries(operations).map(([id, { scopes }]) => [id, scopes.toSorted(), role(id)]))
    for (const id of Object.keys(openOperations)) expect(documented.get(id)).not.toHaveProperty("x-required-scopes")
  })

  it("refuses all other callers, names the missing right, and changes nothing", async () => {
    const foreign = await Team.start(app)
    const foreignKey = await foreign.key("owner")
    const calls = new Map<string, Call>()
    for (const [id, { prepare }] of Object.entries(operations)) calls.set(id, await prepare(team, team.owner, false))
    const before = await state()

    const refusals = (id: string, { refusesKeys, role, scopes }: Operation) => {
      // Operations on the whole server are about no workspace.
      const isOfServer = scopes.every((scope) => scope.startsWith("admin:"))
      const lacking = sampled(
        callers.filter((caller) => !mayAs(operations[id]!, caller)),
        3
      ).map((caller) => {
        const hasScope = scopes.some((scope) => holds(caller.scopes, scope))
        const isScope = refusesKeys || !hasScope
        // The effect of an operation on the server is checked after its scope.
        const isForKeys = refusesKeys && (hasScope || !isOfServer)
        const expected = isScope
          ? { code: "insufficient_scope", required_scopes: isForKeys ? [] : scopes }
          : { code: "insufficient_role", required_role: role }
        return { caller: titleOf(caller), headers: caller.headers, expected: { status: 403, ...expected } }
      })
      const there = { "workspace-id": team.id }
      const noScope = { status: 403, code: "insufficient_scope", required_scopes: scopes }
      return [
        ...lacking,
        {
          caller: "a caller without a credential",
          headers: { authorization: "" },
          expected: { status: 401, code: "authentication_required" }
        },
        {
          caller: "a key of another workspace",
          headers: { ...foreignKey.headers, ...there },
          expected: isOfServer ? noScope : { status: 403, code: "workspace_mismatch" }
        },
        {
          caller: "the owner of another workspace",
          headers: { ...foreign.owner.headers, ...there },
          expected: isOfServer ? noScope : { status: 404, code: "not_found" }
        }
      ]
    }
    const found = await wrong(
      Object.entries(operations).map(([id, operation]) => async () => {
        const faults: Array<string> = []
        for (const { expected, headers, caller } of refusals(id, operation)) {
          const { headers: _, ...call } = calls.get(id)!
          const { body, status } = await send(call, headers)
          const { code, required_role, required_scopes } = body ?? {}
          const got = { status, code, required_role, required_scopes: required_scopes?.toSorted() }
          const wanted = { required_role: undefined, required_scopes: undefined, ...expected }
          const sorted = {
            ...wanted,
            required_scopes: (wanted.required_scopes as Array<string> | undefined)?.toSorted()
          }
          const keys = ["status", "code", "required_role", "required_scopes"] as const
          if (keys.some((each) => JSON.stringify(got[each]) !== JSON.stringify(sorted[each]))) {
            faults.push(`${id} by ${caller}: ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`)
          }
        }
        return faults
      })
    )
    expect(found).toEqual([])
    expect(await state()).toEqual(before)
  })

  it("allows every caller with the right", async () => {
    let count = 0
    const found = await wrong(
      callers.map((caller) => async () => {
        const faults: Array<string> = []
        for (const [at, [id, operation]] of Object.entries(operations).entries()) {
          if (!mayAs(operation, caller)) continue
          // A higher role than the required one behaves the same, so only the slow tests use it. A key with all scopes
          // and a session take turns.
          const hasTurn = operation.refusesKeys === true || (caller.kind === "key") === (at % 2 === 0)
          if (!isSlow && caller.scopes.length > 1 && (caller.role !== operation.role || !hasTurn)) continue
          // That a scope to write includes the one to read.
          const isImplied = caller.scopes.length === 1 && !operation.scopes.includes(caller.scopes[0]!)
          if (!isSlow && isImplied && at % 4 !== 0) continue
          const expected = typeof operation.status === "number" ? operation.status : operation.status(caller)
          const attempt = async () => send(await operation.prepare(team, caller, true), caller.headers)
          const { body, status } = await (id.endsWith("Export") ? alone(attempt) : attempt())
          const got = `${status} ${body?.code}`
          if (status !== expected) faults.push(`${id} by ${titleOf(caller)}: ${got} instead of ${expected}`)
          count++
        }
        return faults
      })
    )
    expect(found).toEqual([])
    expect(count).toBeGreaterThan(rounds(200, 400))
  })

  it.each(Object.entries(openOperations))("allows %s with any credential and without one", async (_, each) => {
    for (const headers of [{ authorization: "" }, { authorization: "Bearer nonsense" }, team.owner.headers]) {
      const { body, method, path } = await each.prepare(team)
      expect((await app.call(method, path, body, headers)).status).toBe(each.status)
    }
  })

  describe("for special uses of an operation", () => {
    const newCallers = async (role: (typeof roles)[number]) => [await team.member(role), await team.key(role)]
    const shared: Record<string, ReadonlyArray<Member>> = {}
    beforeAll(async () => {
      for (const role of roles) shared[role] = await newCallers(role)
    })

    it.each(variants)("$title needs the role $role", async ({ endsCaller, prepare, role, status }) => {
      for (const each of roles) {
        for (const caller of endsCaller ? await newCallers(each) : shared[each]!) {
          const { body, method, path } = await prepare(team, caller)
          const answer = await app.call(method, path, body, caller.headers)
          const isAllowed = roles.indexOf(each) >= roles.indexOf(role)
          if (isAllowed) expect([answer.status, answer.body.code], titleOf(caller)).toEqual([status ?? 200, undefined])
          else {
            // The role of the operation itself is checked first.
            const required_role = each === "admin" ? role : "admin"
            expect(answer.body, titleOf(caller)).toMatchObject({
              status: 403,
              code: "insufficient_role",
              required_role
            })
          }
        }
      }
    })
  })

  it("requires both the scope and the role", async () => {
    const reader = await team.key("viewer", ["notes:write"])
    const { body, method, path } = await operations["createTag"]!.prepare(team, reader, true)
    expect((await app.call(method, path, body, reader.headers)).body).toMatchObject({ code: "insufficient_role" })
    // A caller without both gets the error about the scope.
    const neither = await team.key("viewer", ["profile"])
    expect((await app.call(method, path, body, neither.headers)).body).toMatchObject({ code: "insufficient_scope" })
  })

  it("returns 404 to editors for keys of other users", async () => {
    const editor = await team.key("editor")
    const other = (await team.key("editor")).key_id
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/rotate"]
    ] as const) {
      const answer = await app.call(method, `/api-keys/${other}${path}`, undefined, editor.headers)
      expect([answer.status, answer.body.code]).toEqual([404, "not_found"])
    }
  })

  it("grants a key only rights of its creator", async () => {
    const maker = await team.key("editor", ["keys:write", "notes:read"])
    const refused = await app.call("POST", "/api-keys", { name: "more", scopes: ["notes:write"] }, maker.headers)
    expect(refused.body).toMatchObject({ status: 403, code: "scope_not_grantable", required_scopes: ["notes:write"] })
    const { body } = await app.call("POST", "/api-keys", { name: "as much" }, maker.headers)
    expect(body.scopes.toSorted()).toEqual(["keys:read", "keys:write", "notes:read"])
  })

  it("applies the role of a signed-in user in the workspace that the request names", async () => {
    const person = await register(app)
    await team.join(person.user_id, "viewer")
    const there = { ...person.headers, "workspace-id": team.id }
    expect((await app.call("POST", "/tags", { name: "there" }, there)).body.code).toBe("insufficient_role")
    expect((await app.call("POST", "/tags", { name: "here" }, person.headers)).status).toBe(201)
  })
})

describe("a route without a declared right", () => {
  const silent = HttpApiEndpoint.get("silent", "/silent", { success: Schema.String })
  const declared = silent.annotate(Access, reads("notes:read"))
  const group = (endpoint: typeof silent | typeof declared) => HttpApiGroup.make("things").add(endpoint).prefix("/v2")
  const starts = (layer: Layer.Layer<never>) => Effect.runPromise(Effect.scoped(Layer.build(layer)))

  it("prevents the start of the server", async () => {
    const api = HttpApi.make("test").add(group(silent)).middleware(Authorization)
    await expect(starts(DeclaredRights.layer(api))).rejects.toThrow("No right is declared by GET /v2/silent")
    await starts(DeclaredRights.layer(HttpApi.make("test").add(group(declared)).middleware(Authorization)))
  })

  it("is reported also without the Authorization middleware, except below /auth", () => {
    expect(DeclaredRights.undeclared(HttpApi.make("test").add(group(silent)))).toEqual(["GET /v2/silent"])
    const auth = HttpApiGroup.make("things").add(silent).prefix("/v2/auth")
    expect(DeclaredRights.undeclared(HttpApi.make("test").add(auth))).toEqual([])
  })

  it("is also any route that declares a right but lacks the Authorization middleware", () => {
    expect(DeclaredRights.undeclared(HttpApi.make("test").add(group(declared)))).toEqual(["GET /v2/silent"])
  })

  it("does not exist in the API", () => {
    expect(DeclaredRights.undeclared(Api)).toEqual([])
  })
})
