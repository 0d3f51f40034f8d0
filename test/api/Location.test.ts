import { beforeAll, describe, expect, it } from "vitest"
import { resources } from "../support/Resources.ts"
import { Team } from "../support/Team.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let team: Team
beforeAll(async () => {
  team = await Team.start(app)
})

/** Operations with 201 that make nothing to be found at an address. */
const makingNothing = new Set(["pullChanges", "pushChanges", "searchNotes", "registerUser"])

describe("a 201", () => {
  it.each(resources.filter(({ body, lacks = [] }) => body !== undefined && !lacks.includes("get")))(
    "of $path says where the resource is",
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

  it("has a Location in the description of each operation that makes a resource", async () => {
    const { paths } = (await app.call("GET", "/openapi.json")).body
    const without: Array<string> = []
    for (const operations of Object.values<any>(paths)) {
      const made = operations.post?.responses["201"]
      if (made !== undefined && made.headers["Location"] === undefined) without.push(operations.post.operationId)
    }
    expect(without.filter((id) => !makingNothing.has(id))).toEqual([])
  })

  it("of an upload that begins, and of a merge, says where the attachment and the tag are", async () => {
    const { headers } = team.owner
    const note_id = await team.note()
    const upload = await app.call("POST", "/attachments/uploads", { note_id, filename: "a.txt" }, headers)
    expect(new URL(upload.headers.get("location")!).pathname).toBe(`/v2/attachments/${upload.body.id}`)
    for (const name of ["l-from", "l-into"]) await team.post("/tags", { name })
    const merged = await app.call("POST", "/tags/merge", { sources: ["l-from"], target: "l-into" }, headers)
    expect(new URL(merged.headers.get("location")!).pathname).toBe(`/v2/tags/${merged.body.id}`)
  })

  it("stands with its Location again under its key", async () => {
    const headers = { ...team.owner.headers, "idempotency-key": "located" }
    const ask = () => app.call("POST", "/notebooks", { name: "Located" }, headers)
    const [first, second] = [await ask(), await ask()]
    expect(second.headers.get("location")).toBe(first.headers.get("location"))
    expect(second.headers.get("idempotent-replayed")).toBe("true")
  })

  it("of a registration leads to the user", async () => {
    const answer = await app.call("POST", "/auth/register", {
      email: "located@example.org",
      password: "a long enough passphrase 7"
    })
    expect(answer.status, answer.text).toBe(201)
    expect(new URL(answer.headers.get("location")!).pathname).toBe("/v2/me")
  })
})
