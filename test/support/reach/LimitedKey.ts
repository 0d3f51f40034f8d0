import { Team } from "../people/Team.ts"
import type { TestApp } from "../TestApp.ts"

/** A workspace with a key that reads one notebook and writes another with those in it. */
export const limitedKey = async (app: TestApp) => {
  const team = await Team.start(app)
  const given = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await app.call(method, path, body, team.owner.headers)
    if (response.status >= 300) throw new Error(response.text)
    return response.body
  }
  const notebook = async (name: string, parent_id: string | null = null) =>
    (await given("POST", "/notebooks", { name, parent_id })).id
  const around = await notebook("Around")
  const [home, closed, secret] = [await notebook("Home", around), await notebook("Closed"), await notebook("Secret")]
  const below = await notebook("Below", home)
  const note = async (notebook_id: string, title: string, more: object = {}) =>
    (await given("POST", "/notes", { notebook_id, title, ...more })).id
  const notebooks = [
    { id: home, access: "write", include_subnotebooks: true },
    { id: closed, access: "read", include_subnotebooks: false }
  ]
  const key = await given("POST", "/api-keys", { name: "limited", notebooks })
  const headers = { authorization: `Bearer ${key.secret}` }
  const ask = (method: string, path: string, body?: unknown) => app.call(method, path, body, headers)
  return { team, given, note, ask, key, notebooks, around, home, below, closed, secret, headers }
}
