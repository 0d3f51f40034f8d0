import { expect, it } from "vitest"
import { appOf, connectApp, refreshApp, someRequest } from "../../support/oauth/OAuthFlow.ts"
import { register } from "../../support/people/People.ts"
import { Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

/** A workspace with notebooks, and an app that reads one of them and writes another with those in it. */
const start = async () => {
  const team = await Team.start(app)
  const notebook = async (name: string, parent_id: string | null = null) =>
    (await team.post("/notebooks", { name, parent_id })).id as string
  const [home, closed, secret] = [await notebook("Home"), await notebook("Closed"), await notebook("Secret")]
  const below = await notebook("Below", home)
  const note = async (notebook_id: string) => (await team.post("/notes", { notebook_id, title: "Note" })).id as string
  const notes = {
    home: await note(home),
    below: await note(below),
    closed: await note(closed),
    secret: await note(secret)
  }
  const notebooks = [
    { id: home, access: "write", include_subnotebooks: true },
    { id: closed, access: "read", include_subnotebooks: false }
  ]
  const assistant = await connectApp(app, team.owner, { workspace_id: team.id, notebooks })
  return { team, assistant, notebooks, notes, secret }
}

it("an app reaches the notebooks that its user has chosen, also after a refresh", async () => {
  const { assistant, notes, secret } = await start()
  const refreshed = appOf(assistant.client_id, (await refreshApp(app, assistant)).body)
  for (const { headers } of [assistant, refreshed]) {
    const ask = (method: string, path: string, body?: unknown) => app.call(method, path, body, headers)
    const { data } = (await ask("GET", "/notes")).body
    expect(data.map(({ id }: any) => id).toSorted()).toEqual([notes.home, notes.below, notes.closed].toSorted())
    expect((await ask("GET", "/notebooks")).body.data.map(({ name }: any) => name).toSorted()).toEqual([
      "Below",
      "Closed",
      "Home"
    ])
    expect((await ask("POST", "/search", { query: "note" })).body.total).toBe(3)
    for (const [method, path, body, status] of [
      ["GET", `/notes/${notes.secret}`, undefined, 404],
      ["PATCH", `/notes/${notes.below}`, { title: "Note, changed" }, 200],
      ["PATCH", `/notes/${notes.closed}`, { title: "Changed" }, 404],
      ["PATCH", `/notes/${notes.secret}`, { title: "Changed" }, 404],
      ["POST", "/notes", { notebook_id: secret, title: "Made" }, 422],
      ["GET", "/sync/devices", undefined, 403],
      ["GET", "/webhooks", undefined, 403]
    ] as const) {
      expect([path, (await ask(method, path, body)).status]).toEqual([path, status])
    }
  }
})

it("the list of apps and the audit log have the notebooks", async () => {
  const { notebooks, team } = await start()
  const { data } = await team.get("/me/connected-apps")
  expect(data.map((each: any) => each.notebooks)).toEqual([notebooks])
  const filter = encodeURIComponent("action=session.created")
  expect((await team.get(`/audit-log?filter=${filter}`)).data[0].metadata.notebooks).toEqual(notebooks)
})

it("a consent names notebooks of the chosen workspace only", async () => {
  const { notebooks, team } = await start()
  const outsider = await register(app)
  const request = await someRequest(app)
  const allow = async (body: object, headers: Record<string, string>) => {
    const response = await app.call("POST", "/me/connected-apps", { request, ...body }, headers)
    return [response.status, response.body.code, response.body.errors?.[0].field]
  }
  const unknown = [422, "unresolved_reference", "notebooks.0.id"]
  expect(await allow({ notebooks, workspace_id: team.owner.workspace_id }, team.owner.headers)).toEqual(unknown)
  expect(await allow({ notebooks }, outsider.headers)).toEqual(unknown)
  expect(await allow({ notebooks, workspace_id: team.id }, outsider.headers)).toEqual([
    422,
    "validation_failed",
    "workspace_id"
  ])
  expect((await allow({ notebooks: [], workspace_id: team.id }, team.owner.headers))[0]).toBe(422)
  expect(await allow({ notebooks, workspace_id: team.id }, team.owner.headers)).toEqual([200, undefined, undefined])
})
