import { describe, expect, it } from "vitest"
import { EventStream } from "../../support/EventStream.ts"
import { password } from "../../support/people/People.ts"
import { Team } from "../../support/people/Team.ts"
import { epoch } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const grant = (id: string, access = "read", include_subnotebooks = false) => ({ id, access, include_subnotebooks })

/** A workspace with notebooks, and the operations of its owner on keys. */
const start = async () => {
  const team = await Team.start(app)
  const notebook = async (name: string, parent_id: string | null = null) =>
    (await team.post("/notebooks", { name, parent_id })).id as string
  const home = await notebook("Home")
  const below = await notebook("Below", home)
  const deepest = await notebook("Deepest", below)
  const other = await notebook("Other")
  const make = (input: object = {}) => team.post("/api-keys", { name: "Key", ...input })
  const change = (id: string, input: object, headers: Record<string, string> = {}) =>
    app.call("PATCH", `/api-keys/${id}`, input, { ...team.owner.headers, ...headers })
  return { team, home, below, deepest, other, make, change }
}

const later = async () => {
  await app.advance("15 minutes")
  await app.advance("1 second")
}

describe("PATCH /api-keys/{id}", () => {
  it("lets a key reach less without a recent sign-in, at once and in open streams", async () => {
    const { change, home, make, other, team } = await start()
    const { id, secret } = await make()
    const headers = { authorization: `Bearer ${secret}` }
    await later()
    const stream = await EventStream.open(app, { headers })
    await stream.until(() => stream.events.length > 0)
    const { body, status } = await change(id, { notebooks: [grant(home)] })
    expect([status, body.notebooks, body.name]).toEqual([200, [grant(home)], "Key"])
    const seen = await app.call("GET", "/notebooks", undefined, headers)
    expect(seen.body.data.map(({ id }: any) => id)).toEqual([home])
    expect((await app.call("GET", `/notebooks/${other}`, undefined, headers)).status).toBe(404)
    await stream.until(() => stream.events.at(-1)?.event === "bye")
    expect((await team.get(`/api-keys/${id}`)).notebooks).toEqual([grant(home)])
  })

  it("needs a recent sign-in for every notebook and right that the key does not have", async () => {
    const { below, change, deepest, home, make, other } = await start()
    type Grants = ReadonlyArray<object> | null
    const cases: ReadonlyArray<readonly [before: Grants, after: Grants, isNarrower: boolean]> = [
      [[grant(home, "write", true)], [grant(home, "read", true)], true],
      [[grant(home, "write", true)], [grant(home, "write")], true],
      [[grant(home, "read", true)], [grant(below, "read", true)], true],
      [[grant(home, "write", true)], [grant(deepest, "write"), grant(below)], true],
      [[grant(home), grant(other, "write")], [grant(other)], true],
      [[grant(home)], [grant(home)], true],
      [[grant(home)], null, false],
      [[grant(home)], [grant(other)], false],
      [[grant(home)], [grant(home, "write")], false],
      [[grant(home)], [grant(home, "read", true)], false],
      [[grant(home)], [grant(below)], false],
      [[grant(below, "write", true)], [grant(home)], false],
      [[grant(home, "read", true)], [grant(below, "write")], false],
      [[grant(home, "read", true), grant(other, "write")], [grant(below, "read"), grant(home, "write")], false]
    ]
    const ids: Array<string> = []
    for (const [notebooks] of cases) ids.push((await make({ notebooks })).id)
    await later()
    for (const [index, [before, after, isNarrower]] of cases.entries()) {
      const { body, status } = await change(ids[index]!, { notebooks: after })
      const expected = isNarrower ? [200, after] : [403, "reauthentication_required"]
      expect([before, after, status, body.notebooks === undefined ? body.code : body.notebooks]).toEqual([
        before,
        after,
        ...expected
      ])
    }
    const wide = { notebooks: null, current_password: "not the password" }
    expect((await change(ids.at(-1)!, wide)).body.code).toBe("invalid_credentials")
    const widened = await change(ids.at(-1)!, { ...wide, current_password: password })
    expect([widened.status, widened.body.notebooks]).toEqual([200, null])
  })

  it("decides by the place of a notebook at that moment", async () => {
    const { below, change, home, make, team } = await start()
    const { id } = await make({ notebooks: [grant(home, "write", true)] })
    await team.post(`/notebooks/${below}/move`, { parent_id: null })
    await later()
    expect((await change(id, { notebooks: [grant(below)] })).body.code).toBe("reauthentication_required")
  })

  it("keeps a deleted notebook of the key, and refuses others that do not exist", async () => {
    const { change, home, make, other, team } = await start()
    const { id } = await make({ notebooks: [grant(home), grant(other, "write")] })
    await app.call("DELETE", `/notebooks/${other}`, undefined, team.owner.headers)
    expect((await change(id, { notebooks: [grant(other)] })).status).toBe(200)
    const unknown = await change(id, { notebooks: [grant(other), grant("nb_0123456789abcdefghij")] })
    expect([unknown.status, unknown.body.code, unknown.body.errors[0].field]).toEqual([
      422,
      "unresolved_reference",
      "notebooks.1.id"
    ])
  })

  it("changes the name without a recent sign-in, logs a change once, and keeps If-Match", async () => {
    const { change, home, make, team } = await start()
    const { id } = await make()
    const { headers } = await app.call("GET", `/api-keys/${id}`, undefined, team.owner.headers)
    await later()
    const ifMatch = { "if-match": headers.get("etag")! }
    const renamed = await change(id, { name: "Renamed" }, ifMatch)
    expect([renamed.status, renamed.body.name]).toEqual([200, "Renamed"])
    expect((await change(id, { name: "Again" }, ifMatch)).status).toBe(412)
    expect((await change(id, { name: "Renamed", notebooks: null })).headers.get("etag")).toBe(
      renamed.headers.get("etag")
    )
    await change(id, { notebooks: [grant(home)] })
    const filter = encodeURIComponent(`resource_id=${id} AND action=api_key.updated`)
    const { data } = await team.get(`/audit-log?filter=${filter}&sort=occurred_at`)
    expect(data.map(({ metadata }: any) => [metadata.name, metadata.changed, metadata.notebooks])).toEqual([
      ["Renamed", ["name"], null],
      ["Renamed", ["notebooks"], [grant(home)]]
    ])
  })

  it("is for the creator, and widens a key only with all its scopes", async () => {
    const { change, home, make, team } = await start()
    const { id } = await make({ notebooks: [grant(home)] })
    const [admin, editor] = [await team.member("admin"), await team.member("editor")]
    expect((await change(id, { name: "Mine" }, admin.headers)).body.code).toBe("insufficient_role")
    expect((await change(id, { name: "Mine" }, editor.headers)).status).toBe(404)
    const { secret } = await make({ scopes: ["keys:write"] })
    const headers = { authorization: `Bearer ${secret}` }
    expect((await change(id, { notebooks: null }, headers)).body.code).toBe("scope_not_grantable")
    expect((await change(id, { name: "Renamed" }, headers)).status).toBe(200)
    const expires_at = new Date(epoch + 30 * 86_400_000).toISOString()
    const ending = await make({ expires_at })
    const byEnding = { authorization: `Bearer ${ending.secret}` }
    expect((await change(id, { notebooks: null }, byEnding)).body.code).toBe("scope_not_grantable")
    const limited = await make({ notebooks: [grant(home, "write")] })
    const byLimited = { authorization: `Bearer ${limited.secret}` }
    expect((await change(limited.id, { notebooks: null }, byLimited)).body.code).toBe("insufficient_scope")
    const { secret: rotated } = await team.post(`/api-keys/${ending.id}/rotate`, {})
    expect((await change(ending.id, { name: "x" }, byEnding)).body.code).toBe("forbidden")
    expect((await change(ending.id, { name: "x" }, { authorization: `Bearer ${rotated}` })).status).toBe(200)
  })
})
