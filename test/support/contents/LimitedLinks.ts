import type { Team } from "../people/Team.ts"

/** All links as a caller lists them, in any order. */
const linksFor = async ({ app }: Team, headers: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
  const all: Array<string> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const path = `/links?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`
    const { body }: { readonly body: any } = await app.call("GET", path, undefined, headers)
    for (const link of body.data) all.push(JSON.stringify({ ...link, candidates: link.candidates.toSorted() }))
    cursor = body.next_cursor
  }
  return all.toSorted()
}

/** The links as the owner lists them, and as a limited key that reaches all notebooks does. */
export const linksOfBoth = async (team: Team) => {
  const { headers } = team.owner
  const { body } = await team.app.call("GET", "/notebooks?filter=parent_id = null&limit=50", undefined, headers)
  const notebooks = body.data.map(({ id }: any) => ({ id, access: "read", include_subnotebooks: true }))
  const key = (await team.app.call("POST", "/api-keys", { name: "limited", notebooks }, headers)).body
  const limited = await linksFor(team, { authorization: `Bearer ${key.secret}` })
  await team.app.call("DELETE", `/api-keys/${key.id}`, undefined, headers)
  return { whole: await linksFor(team, headers), limited }
}
