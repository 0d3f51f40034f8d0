import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openApiDocument } from "../../src/server/openapi/OpenApiDocument.ts"
import { register } from "../support/people/People.ts"
import { type Resource, resources } from "../support/Resources.ts"
import { Team } from "../support/people/Team.ts"
import { type ApiResponse, startApp, type TestApp } from "../support/TestApp.ts"

let app: TestApp
/** A second node on the same database. */
let second: TestApp

beforeAll(async () => {
  app = await startApp()
  second = await startApp({ databaseOf: app })
})
afterAll(async () => {
  await second.stop()
  await app.stop()
})

/** The operations that accept If-Match, from the API description. */
const conditional = new Set(
  Object.values<any>(openApiDocument("http://sheaf.test").paths)
    .flatMap((item) => Object.values<any>(item))
    .filter(({ parameters = [] }) => parameters.some(({ $ref }: any) => $ref === "#/components/parameters/IfMatch"))
    .map(({ operationId }) => operationId as string)
)

/** Operations that do not change the resource, so that its ETag remains valid for all requests. */
const keeping = new Set(["duplicateNote", "applyTemplate", "completeAttachment", "testWebhook"])

interface Change {
  readonly operation: string
  readonly method: string
  readonly rest: string
  readonly body?: (team: Team) => Promise<object>
  readonly before?: (team: Team, id: string) => Promise<unknown>
  /** Whether it changes a subresource at this path, which may have its own ETag. */
  readonly isBelow: boolean
}

const changesOf = ({ actions = {}, change, name }: Resource): ReadonlyArray<Change> => {
  const all: ReadonlyArray<Change> = [
    ...(change === undefined
      ? []
      : [{ operation: `update${name}`, method: "PATCH", rest: "", body: async () => change(), isBelow: false }]),
    { operation: `delete${name}`, method: "DELETE", rest: "", isBelow: false },
    ...Object.entries(actions).map(([operation, { before, method = "POST", ...action }]): Change => ({
      operation,
      method,
      ...action,
      ...(before === undefined ? {} : { before: (team, id) => before(team, id, team.owner) }),
      isBelow: method === "DELETE"
    }))
  ]
  // A revert runs in the background, and changes the set once it has begun.
  return all.filter(({ operation }) => conditional.has(operation) && operation !== "revertChangeSet")
}

const cases = resources.flatMap((resource) => changesOf(resource).map((change) => ({ resource, change })))

const etagAt = async (team: Team, path: string): Promise<string | undefined> => {
  const answer = await app.call("GET", path, undefined, team.owner.headers)
  return answer.status === 200 ? (answer.headers.get("etag") ?? undefined) : undefined
}

interface Prepared {
  readonly team: Team
  /** The path of the resource. */
  readonly at: string
  readonly etag: string
}

/** Creates a resource in a new team, ready for the change, and returns its ETag. */
const prepare = async (resource: Resource, { before, body, isBelow, method, rest }: Change): Promise<Prepared> => {
  const team = await Team.start(app)
  const id = await team.make(resource)
  const at = `${await team.at(resource.path)}/${id}`
  const first = await etagAt(team, at)
  await before?.(team, id)
  // The changes get a later time than the creation.
  for (const node of [app, second]) await node.advance("1 millis")
  const input = await body?.(team)
  const seq = (await team.changes(0)).length
  const refused = await app.call(method, at + rest, input, { ...team.owner.headers, "if-match": '"no"' })
  expect([refused.status, refused.body.code]).toEqual([412, "precondition_failed"])
  expect(await team.changes(seq)).toEqual([])
  const { current_version } = refused.body
  const etag = (await etagAt(team, isBelow ? at + rest : at)) ?? (isBelow ? undefined : first) ?? current_version
  expect(etag).toMatch(/^"/)
  return { team, at, etag }
}

/** Sends six requests at the same time, to two nodes in turn. */
const race =
  (requests: (round: number) => Promise<readonly [method: string, path: string, body: object | undefined]>) =>
  async ({ etag, team }: Prepared): Promise<ReadonlyArray<ApiResponse>> => {
    const headers = { ...team.owner.headers, "if-match": etag }
    const all = await Promise.all([0, 1, 2, 3, 4, 5].map(requests))
    return Promise.all(
      all.map(([method, path, body], round) => (round % 2 === 0 ? app : second).call(method, path, body, headers))
    )
  }

const expectOneWinner = (answers: ReadonlyArray<ApiResponse>, refusals: ReadonlyArray<number>) => {
  const statuses = answers.map(({ status }) => status)
  expect(
    statuses.filter((status) => status < 300),
    String(statuses)
  ).toHaveLength(1)
  for (const status of statuses) if (status >= 300) expect(refusals).toContain(status)
}

describe("six simultaneous requests with one ETag", () => {
  const answersTo = async ({ change, resource }: (typeof cases)[number]) => {
    const prepared = await prepare(resource, change)
    const { body, method, rest } = change
    return race(async () => [method, prepared.at + rest, await body?.(prepared.team)] as const)(prepared)
  }

  it.each(cases.filter(({ change }) => !keeping.has(change.operation)))(
    "$change.operation: one request changes the resource",
    async (each) => expectOneWinner(await answersTo(each), each.change.method === "DELETE" ? [404, 412] : [412])
  )

  it.each(cases.filter(({ change }) => keeping.has(change.operation)))(
    "$change.operation: all succeed, because none changes the resource",
    async (each) => {
      const answers = await answersTo(each)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    }
  )

  it("updateMe: one request changes the user", async () => {
    const { headers } = await register(app)
    const etag = (await app.call("GET", "/me", undefined, headers)).headers.get("etag")!
    const answers = await Promise.all(
      [app, second, app, second, app, second].map((node, round) =>
        node.call("PATCH", "/me", { name: `Name ${round}` }, { ...headers, "if-match": etag })
      )
    )
    expectOneWinner(answers, [412])
  })

  const mixed = resources
    .map((resource) => ({
      resource,
      changes: changesOf(resource).filter(
        ({ before, isBelow, operation }) => !keeping.has(operation) && before === undefined && !isBelow
      )
    }))
    .filter(({ changes }) => changes.length > 1)

  it.each(mixed)("$resource.name: one of different changes and deletions succeeds", async ({ changes, resource }) => {
    const prepared = await prepare(resource, changes[0]!)
    const answers = await race(async (round) => {
      const { body, method, rest } = changes[round % changes.length]!
      return [method, prepared.at + rest, await body?.(prepared.team)] as const
    })(prepared)
    expectOneWinner(answers, [404, 412])
  })
})
