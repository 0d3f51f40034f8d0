import { beforeAll, describe, expect, it } from "vitest"
import { expectTruth } from "../support/people/Truth.ts"
import { each, send } from "../support/hostile/Sound.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()
let notebook: string
let note: string

beforeAll(async () => {
  notebook = (await app.call("GET", "/notebooks")).body.data[0].id
  note = (await app.call("POST", "/notes", { notebook_id: notebook, title: "target" })).body.id
})

describe("values that no field accepts", () => {
  const values = [
    "null",
    "true",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e400",
    "-1e400",
    "9007199254740993",
    "2147483648",
    "1e-400",
    `""`,
    `"1"`,
    "[]",
    "[[]]",
    "{}",
    `{"a":1}`,
    `[null]`,
    `"\\u0000"`,
    `"\\ud800"`,
    `"\\udc00\\ud800"`
  ]
  const bodies: ReadonlyArray<readonly [method: string, path: string, fields: ReadonlyArray<string>, rest: string]> = [
    [
      "POST",
      "/notes",
      ["notebook_id", "title", "body", "tags", "pinned", "archived", "version"],
      `"notebook_id":"NB","title":"t"`
    ],
    ["PATCH", "/notes/NT", ["notebook_id", "title", "body", "tags", "pinned", "archived", "version"], ""],
    ["POST", "/notes/NT/duplicate", ["notebook_id", "title", "tags", "version"], ""],
    [
      "POST",
      "/notes/NT/edits",
      ["version", "tasks", "replacements", "under_heading", "prepend", "append", "properties"],
      `"append":"x"`
    ],
    ["POST", "/notes/NT/archive", ["version"], ""],
    ["POST", "/notes/NT/restore", ["notebook_id", "version"], ""],
    ["POST", "/notebooks", ["name", "color", "icon", "parent_id"], `"name":"n"`],
    ["PATCH", "/notebooks/NB", ["color", "icon", "parent_id"], ""],
    ["POST", "/notebooks/NB/move", ["parent_id"], ""],
    ["POST", "/tags", ["name", "color"], ""],
    ["POST", "/tags/merge", ["source_ids", "target_id", "sources", "target"], ""],
    ["POST", "/sync/pull", ["cursor", "limit", "types", "device", "wait"], ""],
    ["POST", "/sync/push", ["changes", "device"], `"changes":[]`],
    [
      "POST",
      "/search",
      [
        "query",
        "notebook_id",
        "include_subnotebooks",
        "tags",
        "tags_match",
        "created_after",
        "updated_before",
        "archived",
        "limit",
        "cursor",
        "sort",
        "filters"
      ],
      `"query":"t"`
    ]
  ]

  it.each(bodies)("%s %s handles each value without an error", async (method, path, fields, rest) => {
    const address = path.replace("NT", note).replace("NB", notebook)
    await each(
      fields.flatMap((field) => values.map((value) => [field, value] as const)),
      async ([field, value]) => {
        // The last of two members with the same name counts.
        const body = `{${rest.replace("NB", notebook)}${rest === "" ? "" : ","}"${field}":${value}}`
        const { status } = await send(app, method, address, body)
        expect([200, 201, 400, 412, 409, 404, 422], body).toContain(status)
      }
    )
    for (const value of [...values, `{"__proto__":{"title":"x","name":"x"}}`]) await send(app, method, address, value)
  })

  it("reject only the entry of a push that contains them", async () => {
    const id = "nt_0123456789abcdefXYZ"
    const good = { type: "note", op: "upsert", id, data: { notebook_id: notebook, title: "good" } }
    await app.call("POST", "/sync/push", { changes: [good] })
    const fields = ["mutation_id", "type", "op", "id", "client_ref", "revision", "base_revision", "data"]
    const entries = fields.flatMap((field) =>
      values.map((value) => {
        const { [field as "id"]: _, ...rest } = { ...good, revision: 1 }
        return `{${JSON.stringify(rest).slice(1, -1)},"${field}":${value}}`
      })
    )
    const { body, status } = await send(
      app,
      "POST",
      "/sync/push",
      `{"changes":[${entries.join(",")},${JSON.stringify({ ...good, id: undefined })}]}`
    )
    expect(status).toBe(201)
    expect(body.results).toHaveLength(entries.length + 1)
    expect(body.results.at(-1).status).toBe("applied")
    const data = ["notebook_id", "title", "body", "tags", "pinned", "version", "__proto__", "constructor"].flatMap(
      (field) =>
        values.map((value) => `{"type":"note","op":"upsert","id":"${id}","revision":1,"data":{"${field}":${value}}}`)
    )
    expect((await send(app, "POST", "/sync/push", `{"changes":[${data.join(",")}]}`)).body.results).toHaveLength(
      data.length
    )
  })

  it("names of JavaScript's built-in members are ordinary names", async () => {
    const { id } = (await app.call("POST", "/notes", { notebook_id: notebook, title: "target" })).body
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "__defineGetter__"]) {
      const value = `{"title":"polluted","notebook_id":"${notebook}","isAdmin":true}`
      expect((await send(app, "POST", "/notes", `{"${name}":${value}}`)).status).toBe(422)
      expect((await send(app, "PATCH", `/notes/${id}`, `{"${name}":${value}}`)).body.title).toBe("target")
      for (const list of ["/notes", "/notebooks", "/tags", "/sync/devices"]) {
        expect((await send(app, "GET", `${list}?sort=${name}`, undefined)).body.code).toBe("invalid_sort")
        expect((await send(app, "GET", `${list}?sort=-${name}`, undefined)).body.code).toBe("invalid_sort")
        expect((await send(app, "GET", `${list}?filter=${name}%3D1`, undefined)).body.code).toBe("invalid_filter")
        expect((await send(app, "GET", `${list}?${name}=1&${name}[x]=2`, undefined)).status).toBe(200)
      }
      expect((await send(app, "POST", "/search", JSON.stringify({ query: name, sort: name }))).body.code).toBe(
        "invalid_sort"
      )
      for (const kind of ["notes", "notebooks", "tags"])
        expect((await send(app, "GET", `/${kind}/${name}`, undefined)).status).toBe(404)
      const { body } = await send(
        app,
        "POST",
        "/sync/push",
        `{"changes":[
        {"type":"${name}","op":"upsert","data":{}},
        {"type":"note","op":"${name}","data":{}},
        {"type":"note","op":"upsert","id":"${name}","data":{"notebook_id":"${notebook}","title":"t"}},
        {"type":"note","op":"upsert","client_ref":"${name}","data":{"notebook_id":"$${name}","title":"t"}},
        {"type":"note","op":"upsert","data":{"${name}":${value}}}]}`
      )
      expect(body.results.map((result: any) => result.status)).toEqual(Array.from({ length: 5 }, () => "rejected"))
      expect((await send(app, "POST", "/sync/pull", JSON.stringify({ types: [name] }))).status).toBe(422)
    }
    expect(({} as any).isAdmin).toBeUndefined()
  })

  it("leave the workspace consistent", () => expectTruth(app))
})
