import { beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openApiDocument } from "../../../src/server/openapi/OpenApiDocument.ts"
import { logIn, password, register } from "../../support/people/People.ts"
import { adminOperations } from "../../support/rights/AdminOperations.ts"
import { fresh } from "../../support/rights/Operation.ts"
import { rounds } from "../../support/Slow.ts"
import { type Member, Team } from "../../support/people/Team.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

type Effect = "none" | "lasting access" | "destroys" | "erases" | "takes data"

/** The effects of each change of the whole server (contract 11), with the body that has it. */
const effects: Readonly<Record<string, ReadonlyArray<readonly [Effect, (() => object)?]>>> = {
  adminCreateUser: [["lasting access"]],
  adminUpdateUser: [
    ["none", () => ({ name: "Other" })],
    ["lasting access", () => ({ operator: true })],
    ["lasting access", () => ({ name: "Other", email: `${fresh("other")}@sheaf.test` })],
    ["destroys", () => ({ suspended: true })],
    ["destroys", () => ({ suspended: false })]
  ],
  adminDeleteUser: [["destroys"]],
  adminMakePasswordLink: [["lasting access"]],
  adminEndSessions: [["none"]],
  adminResetFactors: [["lasting access"]],
  adminEndApps: [["destroys"]],
  adminUpdateWorkspace: [["none"]],
  adminDeleteWorkspace: [["destroys"]],
  adminRestoreWorkspace: [["none"], ["lasting access", () => ({ owner: stranger })]],
  adminPurgeWorkspace: [["erases"]],
  adminReindexWorkspace: [["none"]],
  adminCancelJob: [["none"]],
  adminRetryJob: [["none"]],
  adminResendMail: [["none"]],
  adminTestMail: [["none"]],
  adminBeginBackup: [["none"]],
  adminBeginDrill: [["none"]],
  adminDownloadBackup: [["takes data"]],
  adminBeginCheck: [["none"]]
}

const passing = "403 forbidden"
const noKey = "403 insufficient_scope"
const proof = "403 reauthentication_required"

/** What refuses each credential; absent if it is accepted. */
const refusals: Readonly<Record<Effect, Readonly<Record<string, string>>>> = {
  none: {},
  "lasting access": { idleSession: proof, endingKey: passing, replacedSecret: passing },
  destroys: { idleSession: proof, endingKey: passing, replacedSecret: passing },
  erases: { idleSession: proof, key: noKey, endingKey: noKey, replacedSecret: noKey },
  "takes data": { idleSession: proof, key: noKey, endingKey: noKey, replacedSecret: noKey }
}

let team: Team
let operator: Member
let stranger: string
let callers: Readonly<Record<string, Record<string, string>>>

beforeAll(async () => {
  team = await Team.start(app)
  operator = await team.operator("session")
  stranger = (await register(app)).email
  await app.advance("16 minutes")
  const recent = (await logIn(app, operator.email)).headers
  const keyOf = async (input: object = {}) => {
    const { body } = await app.call(
      "POST",
      "/api-keys",
      { name: fresh("key"), scopes: ["admin:write"], ...input },
      recent
    )
    return body as { readonly id: string; readonly secret: string }
  }
  const bearer = ({ secret }: { readonly secret: string }) => ({ authorization: `Bearer ${secret}` })
  const replaced = await keyOf()
  await app.call("POST", `/api-keys/${replaced.id}/rotate`, undefined, recent)
  callers = {
    recentSession: recent,
    idleSession: operator.headers,
    key: bearer(await keyOf()),
    endingKey: bearer(await keyOf({ expires_at: new Date(epoch + 3_600_000).toISOString() })),
    replacedSecret: bearer(replaced)
  }
})

beforeEach(async () => {
  const at = (minutes: number) => new Date(epoch + minutes * 60_000).toISOString()
  await app.sql("UPDATE sessions SET authenticated_at = CASE WHEN id = $1 THEN $2 ELSE $3 END", [
    operator.session_id,
    at(0),
    at(16)
  ])
})

const written = async () => (await app.sql("SELECT sum(seq)::float8 AS seq FROM heads"))[0]!["seq"]

describe("a change of the whole server", () => {
  it("has an entry in this test", () => {
    const changes = Object.values<Record<string, any>>(openApiDocument("https://sheaf.test")["paths"])
      .flatMap((item) => Object.values<any>(item))
      .filter((operation) => operation["x-required-scopes"]?.includes("admin:write"))
    expect(changes.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(effects).toSorted())
  })

  const rows = Object.entries(effects).flatMap(([id, all]) => all.map(([effect, body]) => [id, effect, body] as const))
  it.each(rows)("%s with the effect %s needs a credential that suffices for it", async (id, effect, body) => {
    const { prepare } = adminOperations[id]!
    for (const [caller, headers] of Object.entries(callers)) {
      const call = await prepare(team, operator, true)
      const sent = body?.() ?? call.body
      // Jobs of earlier calls write when they end.
      await app.idle()
      const before = await written()
      const answer = await app.call(call.method, call.path, sent, headers)
      const refusal = refusals[effect][caller]
      if (refusal === undefined) expect([401, 403], `${caller}: ${answer.body.code}`).not.toContain(answer.status)
      else {
        expect(`${answer.status} ${answer.body.code}`, caller).toBe(refusal)
        expect(await written(), caller).toBe(before)
      }
    }
    if (effect === "none") return
    const call = await prepare(team, operator, true)
    // Another owner waits for a day.
    await app.sql("UPDATE workspaces SET deleted_at = $1 WHERE deleted_at IS NOT NULL", [
      new Date(epoch - 48 * 3_600_000).toISOString()
    ])
    const proved = { ...(body?.() ?? (call.body as object | undefined)), current_password: password }
    expect((await app.call(call.method, call.path, proved, operator.headers)).status).toBeLessThan(300)
  })
})

describe("the last operator", () => {
  const operators = async () =>
    (await app.sql("SELECT id FROM users WHERE is_operator AND suspended_at IS NULL")).map(({ id }) => id)
  const alone = async (...kept: ReadonlyArray<Member>) => {
    await app.sql("UPDATE users SET is_operator = (id = ANY($1)), suspended_at = NULL", [
      kept.map(({ user_id }) => user_id)
    ])
    const people = await Promise.all(kept.map(({ email }) => logIn(app, email)))
    return people.map(({ headers }) => headers)
  }

  it("stays, also when two operators end the rights of each other at once", async () => {
    const one = await team.operator("session")
    const two = await team.operator("session")
    for (const change of [{ operator: false }, { suspended: true }]) {
      for (let round = 0; round < rounds(2, 20); round++) {
        const [ofOne, ofTwo] = await alone(one, two)
        const answers = await Promise.all([
          app.call("PATCH", `/admin/users/${two.user_id}`, change, ofOne),
          app.call("PATCH", `/admin/users/${one.user_id}`, change, ofTwo)
        ])
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
        expect(await operators()).toHaveLength(1)
      }
    }
  })

  it("is not deleted by an operator who has lost the right meanwhile, or by two at once", async () => {
    const one = await team.operator("session")
    const two = await team.operator("session")
    const [ofOne, ofTwo] = await alone(one, two)
    const answers = await Promise.all([
      app.call("DELETE", `/admin/users/${two.user_id}`, undefined, ofOne),
      app.call("DELETE", `/admin/users/${one.user_id}`, undefined, ofTwo)
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await operators()).toHaveLength(1)
  })
})
