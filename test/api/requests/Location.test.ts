import { beforeAll, describe, expect, it } from "vitest"
import { resources } from "../../support/Resources.ts"
import { Team } from "../../support/people/Team.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let team: Team
beforeAll(async () => {
  team = await Team.start(app)
})

/** Operations that return 201 without creating a resource with a URL. */
const withoutUrl = new Set(["pullChanges", "pushChanges", "searchNotes", "registerUser", "registerClient"])

describe("Location of a 201", () => {
  it.each(resources.filter(({ body, lacks = [] }) => body !== undefined && !lacks.includes("get")))(
    "of $path is the URL of the new resource",
    async ({ body, path }) => {
      const collection = await team.at(path)
      const made = await app.call("POST", `${collection}?x=1`, await body!(team), team.owner.headers)
      expect(made.status, made.text).toBe(201)
      const location = made.headers.get("location")!
      expect(new URL(location).pathname).toBe(`/v2${collection}/${made.body.id}`)
      const found = await app.call("GET", `${collection}/${made.body.id}`, undefined, team.owner.headers)
      expect([found.status, found.body.id]).toEqual([200, made.body.id])
    }
  )

  it("is documented for each operation that creates a resource", async () => {
    const { paths } = (await app.call("GET", "/openapi.json")).body
    const without: Array<string> = []
    for (const operations of Object.values<any>(paths)) {
      const made = operations.post?.responses["201"]
      if (made !== undefined && made.headers["Location"] === undefined) without.push(operations.post.operationId)
    }
    expect(without.filter((id) => !withoutUrl.has(id))).toEqual([])
  })

  it("of an upload or a merge is the URL of the attachment or tag", async () => {
    const { headers } = team.owner
    const note_id = await team.note()
    const upload = await app.call("POST", "/attachments/uploads", { note_id, filename: "a.txt" }, headers)
    expect(new URL(upload.headers.get("location")!).pathname).toBe(`/v2/attachments/${upload.body.id}`)
    for (const name of ["l-from", "l-into"]) await team.post("/tags", { name })
    const merged = await app.call("POST", "/tags/merge", { sources: ["l-from"], target: "l-into" }, headers)
    expect(new URL(merged.headers.get("location")!).pathname).toBe(`/v2/tags/${merged.body.id}`)
  })

  it("is returned again under the same Idempotency-Key", async () => {
    const headers = { ...team.owner.headers, "idempotency-key": "located" }
    const ask = () => app.call("POST", "/notebooks", { name: "Located" }, headers)
    const [first, second] = [await ask(), await ask()]
    expect(second.headers.get("location")).toBe(first.headers.get("location"))
    expect(second.headers.get("idempotent-replayed")).toBe("true")
  })

  it("of a registration is the URL of the user", async () => {
    const answer = await app.call("POST", "/auth/register", {
      email: "located@example.org",
      password: "a long enough passphrase 7"
    })
    expect(answer.status, answer.text).toBe(201)
    expect(new URL(answer.headers.get("location")!).pathname).toBe("/v2/me")
  })
})
