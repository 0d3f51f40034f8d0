import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { prefixes } from "../../services/Ids.ts"
import { Randomness, type RandomnessShape, systemRandomness } from "../../services/Randomness.ts"
import { seededRandomness as seeded } from "../../src/program/testing/SeededRandomness.ts"
import { type ApiResponse, startApp, type TestApp, type TestAppOptions } from "../support/TestApp.ts"

describe("randomness of a source of bytes", () => {
  it("is the same for the same bytes", () => {
    const values = ({ bytes, id, text, uuid }: RandomnessShape) => [
      bytes(20).toString("hex"),
      id("nt", 1_800_000_000_000),
      text(10_000),
      uuid()
    ]
    expect(values(seeded(1))).toEqual(values(seeded(1)))
    for (const [index, value] of values(seeded(2)).entries()) expect(value).not.toBe(values(seeded(1))[index])
  })

  it("has all letters and digits equally often", () => {
    const counts = new Map<string, number>()
    for (const letter of seeded(1).text(62_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
    expect([...counts.keys()].toSorted().join("")).toMatch(/^[0-9]{10}[A-Z]{26}[a-z]{26}$/)
    // Five standard deviations.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(160)
  })

  it("makes UUIDs of version 4", () => {
    for (let count = 0; count < 100; count++) {
      expect(systemRandomness.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })
})

describe("randomness of an App", () => {
  const apps: Array<TestApp> = []
  const made: Array<ReadonlyArray<Pick<ApiResponse, "body"> & { readonly request_id: string | null }>> = []

  /** Responses with ids and secrets of many kinds. */
  const responsesOf = async ({ call }: TestApp) => {
    const responses: Array<ApiResponse> = []
    const given = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const response = await call(method, path, body, headers)
      expect(response.status).toBeLessThan(300)
      responses.push(response)
      return response.body
    }
    const notebook = await given("POST", "/notebooks", { name: "One" })
    const note = await given("POST", "/notes", { notebook_id: notebook.id, title: "One", tags: ["a"] })
    const template = await given("POST", "/templates", { name: "Two", body: "{{uuid}}" })
    await given("POST", `/templates/${template.id}/apply`, {})
    await given("POST", "/shares", { note_id: note.id, password: "a long password" })
    await given("POST", "/webhooks", { url: "https://hooks.example/x", events: ["comment.*"] })
    await given("POST", "/api-keys", { name: "Three", scopes: ["notes:read"] })
    await given("POST", "/workspaces", { name: "Four" })
    await given("POST", "/workspaces", { name: "Four" })
    const { access_token, device_id } = await given("POST", "/auth/register", {
      email: "anna@sheaf.test",
      password: "another long password"
    })
    const headers = { authorization: `Bearer ${access_token}` }
    await given("GET", `/sync/devices/${device_id}/push`, undefined, headers)
    await given("GET", "/workspaces", undefined, headers)
    await given("POST", "/sync/pull", {})
    await given("GET", "/events")
    await given("GET", "/audit-log")
    return responses.map(({ body, headers }) => ({ body, request_id: headers.get("request-id") }))
  }

  beforeAll(async () => {
    const layer = () => Layer.succeed(Randomness, seeded(1))
    const options: ReadonlyArray<TestAppOptions> = [{ layers: layer() }, { layers: layer() }, {}]
    for (const each of options) {
      const app = await startApp(each)
      apps.push(app)
      made.push(await responsesOf(app))
    }
  })
  afterAll(() => Promise.all(apps.map((app) => app.stop())))

  it("gives the same ids and secrets for the same bytes and calls", () => {
    expect(made[1]).toEqual(made[0])
    expect(apps[1]!.workspace_id).toBe(apps[0]!.workspace_id)
  })

  const found = (index: number, form: RegExp): ReadonlySet<string> =>
    new Set([...JSON.stringify(made[index]).matchAll(form)].map(([text]) => text))
  const ids = new RegExp(`\\b(?:${Object.values(prefixes).join("|")})_[0-9A-Za-z]+`, "g")
  /** Tokens, API keys, their prefixes, secrets of webhooks, links of shares, UUIDs and the public key of Web Push. */
  const others = /\bsf[a-z]_\w+|whsec_[^"]+|\/s\/[\w-]+|[\da-f]{8}-[\da-f-]{27}|"public_key":"[^"]+/g

  it("gives other ids and secrets by default", () => {
    expect(apps[2]!.key).not.toBe(apps[0]!.key)
    for (const form of [ids, others]) {
      expect(found(2, form).size).toBe(found(0, form).size)
      expect(found(2, form).intersection(found(0, form))).toEqual(new Set())
    }
    expect(found(0, others).size).toBe(8)
  })

  it("makes ids that have the form of each kind", () => {
    for (const id of found(0, ids)) expect(id).toMatch(/^req_[0-9A-Za-z]{20}$|^[a-z]{2}_[0-9A-Za-z]{22}$/)
  })
})
