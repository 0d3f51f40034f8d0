import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, it } from "vitest"
import { fieldCodes } from "../../../services/Errors.ts"
import { eventTypes } from "../../../services/EventTypes.ts"
import { problemCodes } from "../../../src/server/api/ProblemExplanations.ts"
import { openApiDocument } from "../../../src/server/openapi/OpenApiDocument.ts"
import { syncedResources } from "../../support/Resources.ts"

/** Tests of the schemas of the OpenAPI document, as client generators read them. */

const document = openApiDocument("http://sheaf.test")
const { schemas } = document["components"]

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false })
ajv.addSchema(document, "openapi")
const takes = (name: string, value: unknown) => ajv.validate({ $ref: `openapi#/components/schemas/${name}` }, value)

/** Yields every schema in the document, with its JSON pointer. */
const all = function* (value: unknown, place = "#"): Generator<readonly [place: string, schema: any]> {
  if (typeof value !== "object" || value === null) return
  yield [place, value]
  for (const [key, each] of Object.entries(value)) {
    if (key === "properties") {
      // A member may have this name too.
      for (const [name, member] of Object.entries(each as object)) yield* all(member, `${place}/${key}/${name}`)
    } else if (!/^examples?$/.test(key)) yield* all(each, `${place}/${key}`)
  }
}

const syncTypes = syncedResources.map(({ synced }) => synced.type).toSorted()

const note = "nt_0123456789abcdef"
const notebook = "nb_0123456789abcdef"

const fullNote = {
  id: note,
  notebook_id: notebook,
  title: "x",
  body: "",
  tags: [],
  pinned: false,
  archived: false,
  version: 1,
  word_count: 0,
  created_at: "2026-03-01T12:00:00.000Z",
  updated_at: "2026-03-01T12:00:00.000Z"
}

it("schemas of objects without known members declare additionalProperties", () => {
  const empty = [...all(document)].filter(
    ([, schema]) =>
      schema.type === "object" && schema.properties === undefined && schema.additionalProperties === undefined
  )
  expect(empty.map(([place]) => place)).toEqual([])
  expect(schemas.AuditEntry.properties.metadata.additionalProperties).toBe(true)
})

it("schemas describe every member, directly or by its type", () => {
  const members = [...all(document)].flatMap(([place, schema]) =>
    Object.entries<any>(schema.properties ?? {}).map(([name, member]) => [`${place}.${name}`, member] as const)
  )
  expect(members.length).toBeGreaterThan(500)
  const silent = members.filter(([, { description }]) => typeof description !== "string" || description === "")
  expect(silent.map(([place]) => place)).toEqual([])
})

it("schemas contain valid examples", () => {
  let examples = 0
  for (const [place, schema] of all(schemas)) {
    for (const example of Array.isArray(schema.examples) ? schema.examples : []) {
      examples++
      const at = place.replace("#", "openapi#/components/schemas")
      expect(ajv.validate({ $ref: at }, example), `${at}: ${JSON.stringify(example)}`).toBe(true)
    }
  }
  expect(examples).toBeGreaterThan(300)
})

it("schemas accept the examples of request and response bodies, with ids of the right type for deletions", () => {
  let deletions = 0
  for (const [path, item] of Object.entries<any>(document["paths"])) {
    for (const [method, { operationId, parameters, requestBody, responses }] of Object.entries<any>(item)) {
      for (const body of [requestBody, responses[200], responses[201]]) {
        const { example, schema } = body?.content?.["application/json"] ?? {}
        const name = schema?.$ref?.split("/").at(-1)
        if (name !== undefined) expect(takes(name, example), `${operationId}: ${ajv.errorsText()}`).toBe(true)
        if (name !== "Deleted") continue
        const named = parameters.filter((each: any) => each.in === "path").at(-1)
        expect(example.id, `${method} ${path}`).toMatch(
          named === undefined ? (path === "/me" ? /^us_/ : /^se_/) : new RegExp(named.schema.pattern)
        )
        deletions++
      }
    }
  }
  expect(deletions).toBe(22)
})

it("schemas accept the examples of parameters, headers, problems and webhooks", () => {
  let examples = 0
  const look = (value: any, place: string): void => {
    if (typeof value !== "object" || value === null) return
    if (value.schema !== undefined && value.example !== undefined) {
      examples++
      const at = `openapi${place}/schema`
      expect(ajv.validate({ $ref: at }, value.example), `${at}: ${ajv.errorsText()}`).toBe(true)
    }
    for (const [key, each] of Object.entries(value))
      if (key !== "schemas" && key !== "example")
        look(each, `${place}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`)
  }
  look(document, "#")
  expect(examples).toBeGreaterThan(150)
})

it("schemas declare no defaults, because generators would treat optional members as always present", () => {
  expect([...all(schemas)].filter(([, schema]) => schema.default !== undefined).map(([place]) => place)).toEqual([])
})

it("schemas use no allOf or not, and use const for a single value", () => {
  const found = [...all(schemas)].filter(
    ([, schema]) => schema.allOf !== undefined || schema.not !== undefined || schema.enum?.length === 1
  )
  expect(found.map(([place]) => place)).toEqual([])
})

it("unions have a discriminator", () => {
  const byOf = (name: string) => [
    schemas[name].discriminator?.propertyName,
    Object.keys(schemas[name].discriminator?.mapping ?? {})
  ]
  for (const kind of syncedResources.flatMap(({ name }) => [`${name}Change`, `Push${name}`])) {
    expect(byOf(kind), kind).toEqual(["op", ["upsert", "delete"]])
  }
  const [member, types] = byOf("SyncConflict")
  expect([member, types.toSorted()]).toEqual(["type", syncTypes])
  expect(byOf("PushResult")).toEqual(["status", ["applied", "duplicate", "conflict", "rejected"]])
  expect(byOf("StreamEvent")).toEqual(["event", ["ready", "change", "cursor", "reminder", "bye"]])
  expect(byOf("WebhookEvent")).toEqual(["type", [...eventTypes]])
  // These are unions of unions; a discriminator can refer to objects only.
  for (const name of ["ChangeEntry", "PushEntry"]) {
    expect(schemas[name].oneOf.length, name).toBe(syncTypes.length)
    expect(schemas[name].discriminator, name).toBeUndefined()
  }
  const discriminators = [...all(schemas)].filter(([, schema]) => schema.discriminator?.mapping !== undefined)
  for (const [place, { discriminator, oneOf }] of discriminators) {
    expect(Object.values(discriminator.mapping), place).toEqual(oneOf.map((each: any) => each.$ref))
    for (const [value, ref] of Object.entries<string>(discriminator.mapping)) {
      const branch = schemas[ref.split("/").at(-1)!]
      expect(branch.properties[discriminator.propertyName].const, place).toBe(value)
      expect(branch.required, place).toContain(discriminator.propertyName)
    }
  }
})

it("type and op of a change determine its data", () => {
  const entry = {
    type: "note",
    id: note,
    op: "upsert",
    revision: 1,
    data: fullNote,
    changed_at: "x",
    actor_id: null,
    device_id: null
  }
  expect(takes("ChangeEntry", entry)).toBe(true)
  expect(takes("ChangeEntry", { ...entry, op: "delete", data: null })).toBe(true)
  for (const wrong of [
    { data: null },
    { op: "delete" },
    { type: "notebook" },
    { type: "tag", data: null },
    { id: notebook },
    { data: {} }
  ]) {
    expect(takes("ChangeEntry", { ...entry, ...wrong }), JSON.stringify(wrong)).toBe(false)
  }
})

it("schemas accept push entries of every type, with ids of that type and with references", () => {
  for (const entry of [
    { type: "note", op: "upsert", id: note, data: { notebook_id: "$one", title: "x" } },
    { type: "note", op: "upsert", id: "$two", revision: 1, data: {} },
    { type: "note", op: "upsert", id: null, data: { notebook_id: notebook, title: "x" } },
    { type: "notebook", op: "upsert", id: notebook, client_ref: "one", data: { name: "x", parent_id: "$zero" } },
    { type: "notebook", op: "upsert", data: { parent_id: null } },
    { type: "tag", op: "upsert", id: "tg_0123456789abcdef", revision: 2, mutation_id: "m", data: { color: null } },
    { type: "note", op: "delete", id: note, revision: 3 },
    { type: "notebook", op: "delete", id: notebook, revision: 3, data: null }
  ]) {
    expect(takes("PushEntry", entry), JSON.stringify(entry)).toBe(true)
  }
  for (const entry of [
    { type: "note", op: "upsert", id: notebook, data: {} },
    { type: "notebook", op: "upsert", id: note, data: {} },
    { type: "note", op: "upsert", id: note, data: { title: 7 } },
    { type: "note", op: "upsert", id: note },
    { type: "note", op: "delete", revision: 3 },
    { type: "note", op: "delete", id: note, data: {} },
    { type: "letter", op: "upsert", data: {} }
  ]) {
    expect(takes("PushEntry", entry), JSON.stringify(entry)).toBe(false)
  }
})

it("rejected entries of a push require an error with a known code", () => {
  const result = { index: 0, mutation_id: null, type: "note", id: note, status: "applied", revision: 1 }
  const error = { type: "http://sheaf.test/x", title: "x", status: 422, detail: "x", code: "validation_failed" }
  expect(takes("PushResult", result)).toBe(true)
  expect(takes("PushResult", { ...result, status: "conflict", revision: null })).toBe(true)
  expect(takes("PushResult", { ...result, status: "rejected", type: null, id: null, revision: null, error })).toBe(true)
  expect(takes("PushResult", { ...result, status: "rejected", revision: null })).toBe(false)
  expect(takes("PushResult", { ...result, revision: null })).toBe(false)
  expect(takes("PushResult", { ...result, type: "letter" })).toBe(false)
  expect(
    takes("PushResult", { ...result, status: "rejected", revision: null, error: { ...error, code: "no_such_code" } })
  ).toBe(false)
})

it("schemas list the values of every enumeration", () => {
  expect(schemas.ProblemCode.enum).toEqual(Object.keys(problemCodes))
  expect(schemas.Problem.properties.code.$ref).toBe("#/components/schemas/ProblemCode")
  expect(schemas.FieldCode.enum).toEqual([...fieldCodes])
  expect(schemas.FieldIssue.properties.code.$ref).toBe("#/components/schemas/FieldCode")
  expect(schemas.EventType.enum).toEqual([...eventTypes])
  expect(schemas.Event.properties.type.$ref).toBe("#/components/schemas/EventType")
  expect(schemas.SyncType.enum.toSorted()).toEqual(syncTypes)
  expect(schemas.PullRequest.properties.types.items.$ref).toBe("#/components/schemas/SyncType")
  expect(schemas.SearchRequest.properties.sort.pattern).toContain("|-?(updated_at|")
})

it("pages and response bodies have named schemas, for generators", () => {
  const unnamed = Object.values<any>(document["paths"]).flatMap((item) =>
    Object.values<any>(item).flatMap(({ operationId, responses }) =>
      Object.entries<any>(responses)
        .filter(
          ([, answer]) =>
            answer.content?.["application/json"]?.schema.$ref === undefined && answer.content !== undefined
        )
        .filter(([, answer]) => answer.content["application/json"] !== undefined)
        .map(([status]) => `${operationId} ${status}`)
    )
  )
  // Returns the OpenAPI document itself.
  expect(unnamed).toEqual(["getDescription 200"])
  expect(document["paths"]["/notes"].get.responses[200].content["application/json"].schema.$ref).toBe(
    "#/components/schemas/NotePage"
  )
})
