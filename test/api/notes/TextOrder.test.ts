import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { PageCursors } from "../../../services/lists/PageCursors.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import { useApp } from "../../support/useApp.ts"

const { app, given, refuse } = useApp()

/** In collation order: letters first, then accents, then case; numbers by value. */
const inOrder = ["2 pages", "10 pages", "apple", "Apple", "Ärger", "banana", "Éclair", "resume", "résumé"].concat([
  "Week 2",
  "Week 10",
  "Zebra",
  "Я",
  "검색"
])
const shuffled = inOrder.toSorted(
  (one, other) => ((one.length * 7919) % 13) - ((other.length * 7919) % 13) || (one < other ? 1 : -1)
)

/** Each list with names, the member that contains the name, and (in `ours`) a filter for the records of this test. */
const lists = [
  ["/notes", "title"],
  ["/notebooks", "name"],
  ["/templates", "name"],
  ["/attachments", "filename"],
  ["/api-keys", "name"]
] as const
const ours: Record<string, string> = {}

beforeAll(async () => {
  const parent = await given("POST", "/notebooks", { name: "parent" })
  for (const name of shuffled) {
    const note = await given("POST", "/notes", { notebook_id: parent.id, title: name, body: "sequence" })
    await given("POST", "/notebooks", { name, parent_id: parent.id })
    await given("POST", "/templates", { name })
    await given("POST", "/attachments", { note_id: note.id, filename: name })
    await given("POST", "/api-keys", { name, scopes: ["notes:read"] })
  }
  Object.assign(ours, {
    "/notes": `notebook_id = ${parent.id}`,
    "/notebooks": `parent_id = ${parent.id}`,
    "/api-keys": 'name != "Bootstrap key"'
  })
})

const ownFilter = (path: string, more = ""): string => {
  const filter = [ours[path], more].filter((each) => each !== undefined && each !== "").join(" AND ")
  return filter === "" ? "" : `&filter=${encodeURIComponent(filter)}`
}
const names = async (path: string, member: string, query: string): Promise<ReadonlyArray<string>> =>
  (await given("GET", `${path}?${query}`)).data.map((each: any) => each[member])

describe.each(lists)("%s by %s", (path, member) => {
  it("sorts in collation order, in both directions", async () => {
    expect(await names(path, member, `limit=100&sort=${member}${ownFilter(path)}`)).toEqual(inOrder)
    expect(await names(path, member, `limit=100&sort=-${member}${ownFilter(path)}`)).toEqual(inOrder.toReversed())
  })

  it.each(["", "-"])("pages one by one in the same order, with sort=%j", async (sign) => {
    const found: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const next = cursor === "" ? "" : `&cursor=${cursor}`
      const { data, next_cursor }: any = await given(
        "GET",
        `${path}?limit=1&sort=${sign}${member}${ownFilter(path)}${next}`
      )
      found.push(...data.map((each: any) => each[member]))
      cursor = next_cursor
    }
    expect(found).toEqual(sign === "" ? inOrder : inOrder.toReversed())
  })

  it.each(["apple", "Week 3", "a", "resume", "zz"])("compares ranges with %j in the same order", async (bound) => {
    const less = await names(path, member, `limit=100&sort=${member}${ownFilter(path, `${member} < "${bound}"`)}`)
    const rest = await names(path, member, `limit=100&sort=${member}${ownFilter(path, `${member} >= "${bound}"`)}`)
    expect([...less, ...rest]).toEqual(inOrder)
    if (inOrder.includes(bound)) expect(rest[0]).toBe(bound)
  })
})

it("tags sort in collation order", async () => {
  const tags = ["z10", "Éa", "z2", "b", "A"]
  for (const name of tags) await given("POST", "/tags", { name })
  expect(await names("/tags", "name", "sort=name")).toEqual(["A", "b", "Éa", "z2", "z10"])
})

it("searches sorted by title use the same order", async () => {
  const titles = async (sort: string) =>
    (await given("POST", "/search", { query: "sequence", limit: 100, sort })).hits.map(({ title }: any) => title)
  expect(await titles("title")).toEqual(inOrder)
  expect(await titles("-title")).toEqual(inOrder.toReversed())
})

it("a cursor of an earlier collation is rejected", async () => {
  const cursors = new PageCursors(await app.run(Effect.service(Secrets)))
  const earlier = cursors.make({ path: "/notes", defaultSort: "-updated_at" }, { sort: "title" }, app.workspace_id, [
    "false",
    "Week 10",
    "nt_0000000000000000"
  ])
  await refuse({ status: 400, code: "cursor_mismatch" }, "GET", `/notes?sort=title&cursor=${earlier}`)
  // Cursors of lists with another sort stay valid.
  const { next_cursor } = await given("GET", "/notes?sort=created_at&limit=1")
  const made = cursors.make({ path: "/notes", defaultSort: "-updated_at" }, { sort: "created_at" }, app.workspace_id, [
    ...JSON.parse(
      Buffer.from(next_cursor, "base64url")
        .toString("latin1")
        .replace(/^[\s\S]*\[/, "[")
    )
  ])
  expect(made).toBe(next_cursor)
})
