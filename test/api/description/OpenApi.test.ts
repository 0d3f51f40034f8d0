import SwaggerParser from "@apidevtools/swagger-parser"
import { Validator } from "@seriousme/openapi-schema-validator"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let document: any
let text: string
const folder = mkdtempSync(join(tmpdir(), "sheaf-openapi-"))

beforeAll(async () => {
  // The first user is an operator, whose key may then read the lists of the server too.
  await app.sql("UPDATE api_keys SET scopes = scopes || ARRAY['admin:read']")
  text = await (await fetch(`${app.url}/openapi.json`)).text()
  document = JSON.parse(text)
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

interface Each {
  readonly path: string
  readonly method: string
  readonly operation: any
}

const operations = (): ReadonlyArray<Each> =>
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, operation]) => ({ path, method, operation }))
  )

const resolved = (each: any): any =>
  each.$ref === undefined
    ? each
    : each.$ref
        .slice(2)
        .split("/")
        .reduce((found: any, key: string) => found[key], document)

describe("openapi.json", () => {
  it("is valid OpenAPI 3.1", async () => {
    const { errors, valid } = await new Validator().validate(JSON.parse(text))
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it("can be parsed and dereferenced by swagger-parser", async () => {
    const parsed: any = await SwaggerParser.validate(JSON.parse(text))
    expect(parsed.info).toMatchObject({ title: "Sheaf", version: "2.15.0" })
  })

  it("passes the recommended rules of Redocly without warnings", async () => {
    const file = join(folder, "openapi.json")
    writeFileSync(file, text)
    const root = join(import.meta.dirname, "../../..")
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(root, "node_modules/@redocly/cli/bin/cli.js"),
        "lint",
        "--config",
        join(root, "redocly.yaml"),
        "--format",
        "github-actions",
        file
      ],
      { env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } }
    ).catch((error: { stdout: string; stderr: string }) => {
      throw new Error(error.stdout + error.stderr)
    })
    expect(stdout).toBe("")
  })

  it("contains no URL of a server except this one and reserved example domains", () => {
    const hosts = new Set([...text.matchAll(/https?:\/\/([a-z0-9.:-]+)/g)].map(([, host]) => host))
    expect([...hosts].sort()).toEqual(["example.com", "push.example.com", "sheaf.test"])
  })

  it("contains every operation once, with a stable id", () => {
    const ids = operations().map(
      ({ method, operation, path }) => `${operation.operationId}: ${method.toUpperCase()} ${path}`
    )
    expect(new Set(operations().map(({ operation }) => operation.operationId)).size).toBe(ids.length)
    expect(ids.sort()).toMatchSnapshot()
  })

  it("describes every operation, its scopes and role, and its errors", () => {
    for (const { operation } of operations()) {
      const name = operation.operationId
      expect(name).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/)
      expect(operation.summary, name).toMatch(/^[A-Z].{4,60}[^.]$/)
      expect(operation.description.length, name).toBeGreaterThan(20)
      expect(
        document.tags.map((tag: any) => tag.name),
        name
      ).toContain(operation.tags[0])
      const always = operation.servers === undefined ? ["406", "429", "500", "503"] : ["500", "503"]
      expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(always))
      if (operation.security.length > 0) {
        expect(operation.security, name).toEqual([{ bearer: [] }])
        expect(operation["x-required-scopes"].length, name).toBeGreaterThan(0)
        expect(operation.description, name).toContain(operation["x-required-role"])
        expect(Object.keys(operation.responses), name).toEqual(expect.arrayContaining(["400", "401", "403"]))
      }
    }
    for (const tag of document.tags) expect(tag.description, tag.name).toEqual(expect.any(String))
  })

  it("describes every parameter, and declares the type of numbers", () => {
    for (const { operation, path } of operations()) {
      for (const parameter of operation.parameters.map(resolved)) {
        const name = `${operation.operationId} ${parameter.name}`
        expect(parameter.description, name).toEqual(expect.any(String))
        expect(parameter.schema.type, name).toEqual(expect.any(String))
        if (/^(limit|page|per_page|version)$/.test(parameter.name)) {
          expect(parameter.schema, name).toMatchObject({ type: "integer", minimum: 1 })
        }
        // A job is an export or an import, and mails have ids without a prefix.
        const isOfOneKind = !/^\/admin\/(jobs|mails)\//.test(path)
        if (parameter.in === "path" && parameter.name.endsWith("id") && isOfOneKind) {
          expect(parameter.schema.pattern, name).toMatch(/^\^[a-z]{2}_/)
        }
      }
    }
  })

  it("allows unknown members in every object, because requests ignore them and responses may gain some", () => {
    expect(text).not.toContain('"additionalProperties":false')
  })

  it("declares Idempotency-Key for writing POSTs, If-Match for changes of resources with an ETag, If-None-Match for their GET", () => {
    const headersOf = (id: string) =>
      operations()
        .find(({ operation }) => operation.operationId === id)!
        .operation.parameters.map(resolved)
        .filter((each: any) => each.in === "header")
        .map((each: any) => each.name)
    for (const id of ["createNote", "archiveNote", "pushChanges", "mergeTags"]) {
      expect(headersOf(id), id).toContain("Idempotency-Key")
    }
    for (const id of ["pullChanges", "searchNotes", "listNotes"])
      expect(headersOf(id), id).not.toContain("Idempotency-Key")
    for (const id of ["updateNote", "deleteNote", "restoreNoteVersion", "moveNotebook", "updateTag", "deleteDevice"]) {
      expect(headersOf(id), id).toContain("If-Match")
    }
    for (const id of ["createNote", "mergeTags", "getNote"]) expect(headersOf(id), id).not.toContain("If-Match")
    for (const id of ["getNote", "getNoteVersion", "getNotebook", "getTag"])
      expect(headersOf(id), id).toContain("If-None-Match")
  })

  it("lists exactly the sort and filter fields that the lists accept", async () => {
    const described: Array<unknown> = []
    const known: Array<unknown> = []
    for (const { operation, path } of operations().filter(
      ({ method, path }) => method === "get" && !path.includes("{")
    )) {
      for (const [name, wrong] of [
        ["sort", "no_such_field"],
        ["filter", "no_such_field=1"]
      ] as const) {
        const parameter = operation.parameters.map(resolved).find((each: any) => each.name === name)
        if (parameter === undefined) continue
        const { body, status } = await app.call("GET", `${path}?${name}=${encodeURIComponent(wrong)}`)
        const fields: ReadonlyArray<string> | undefined =
          parameter.schema["x-fields"] ?? parameter.schema.items?.enum.filter((each: string) => !each.startsWith("-"))
        if (fields === undefined) {
          expect([path, name, status]).toEqual([path, name, 200])
          continue
        }
        described.push([path, `invalid_${name}`, [...fields].sort()])
        known.push([path, body.code, body.allowed_fields?.sort()])
      }
    }
    expect(described.length).toBeGreaterThan(8)
    expect(known).toEqual(described)
  })

  it("contains examples that the server accepts", async () => {
    const example = (id: string) => {
      const { operation, path } = operations().find(({ operation }) => operation.operationId === id)!
      return [path, operation.requestBody.content["application/json"].example] as const
    }
    const notebook = await app.call("POST", ...example("createNotebook"))
    expect(notebook.status).toBe(201)
    const [path, note] = example("createNote")
    const made = await app.call("POST", path, { ...note, notebook_id: notebook.body.id })
    expect(made.status).toBe(201)
    const shown = resolved(document.paths[path].post.responses[201]).content["application/json"].example
    expect(made.body.word_count).toBe(shown.word_count)
    expect(Object.keys(made.body).sort()).toEqual(Object.keys(shown).sort())
    for (const id of ["createTag", "pushChanges", "searchNotes"]) {
      const { body, status } = await app.call("POST", ...example(id))
      // The note of the previous example created this tag.
      expect([id, status, body.code]).toEqual(id === "createTag" ? [id, 409, "already_exists"] : [id, 201, undefined])
    }
  })

  it("contains sort values that the lists accept, alone and separated by commas", async () => {
    let lists = 0
    for (const { operation, path } of operations().filter(({ path }) => !path.includes("{"))) {
      const sort = operation.parameters.map(resolved).find((each: any) => each.name === "sort")
      if (sort?.schema.type !== "array") continue
      lists++
      expect([sort.style, sort.explode]).toEqual(["form", false])
      const each: ReadonlyArray<string> = sort.schema.items.enum ?? sort.schema.items.anyOf[0].enum
      const asked = [...each, each.filter((field) => field.startsWith("-")).join(), ...sort.schema.default]
      const statuses = await Promise.all(
        asked.map(async (text) => (await app.call("GET", `${path}?sort=${text}`)).status)
      )
      expect(statuses, path).toEqual(asked.map(() => 200))
    }
    expect(lists).toBeGreaterThan(6)
  })

  it("contains a filter example for each list that the list accepts", async () => {
    const [{ id: notebook_id }] = (await app.call("GET", "/notebooks")).body.data
    const { body: note } = await app.call("POST", "/notes", { notebook_id, title: "Meeting" })
    const { body: webhook } = await app.call("POST", "/webhooks", { url: "https://example.org", events: ["*"] })
    const [workspace] = (await app.call("GET", "/workspaces")).body.data
    const [key] = (await app.call("GET", "/api-keys")).body.data
    const set = "cs_0123456789abcdefghij"
    await app.call("POST", "/notes", { notebook_id, title: "Grouped" }, { "change-set": set })
    const { body: revert } = await app.call("POST", `/change-sets/${set}/revert`, { preview: true })
    const found: Array<string> = []
    for (const { operation, path } of operations().filter(({ method }) => method === "get")) {
      const filter = operation.parameters.map(resolved).find((each: any) => each.name === "filter")
      if (filter?.schema["x-fields"] === undefined) continue
      const [, example] = /^An expression such as `([^`]+)` over /.exec(filter.description)!
      const place = path
        .replace("{workspace_id}", workspace.id)
        .replace("{note_id}", note.id)
        .replace("/api-keys/{id}", `/api-keys/${key.id}`)
        .replace("/notes/{id}", `/notes/${note.id}`)
        .replace(/^\/webhooks\/\{\w+\}/, `/webhooks/${webhook.id}`)
        .replace("/reverts/{id}", `/reverts/${revert.id}`)
      const { body, status } = await app.call("GET", `${place}?filter=${encodeURIComponent(example!)}`)
      expect([path, example, status, body.detail]).toEqual([path, example, 200, undefined])
      found.push(path)
    }
    expect(found.filter((path) => path.includes("{"))).toHaveLength(7)
    expect(found.length).toBeGreaterThan(15)
  })

  it("states the need for an access token for exactly the operations that reject API keys", async () => {
    const stated: Array<string> = []
    const refused: Array<string> = []
    for (const { method, operation, path } of operations().filter(({ operation }) => operation.security.length > 0)) {
      if (operation.description.includes("Needs an access token;")) stated.push(operation.operationId)
      // No operation returns an image, so none of them is executed.
      const { body } = await app.call(method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, "none"), undefined, {
        authorization: `Bearer ${app.key}`,
        accept: "image/png"
      })
      if (body.detail === "This operation needs a sign-in: API keys and connected apps cannot do it")
        refused.push(operation.operationId)
    }
    expect(stated).toEqual(refused)
    expect(stated).toContain("changePassword")
    expect(document.components.securitySchemes.bearer.description).toMatch(/`sfa_…`.*`sfk_…`/)
  })

  it("describes the webhook body of each event type", () => {
    expect(Object.keys(document.webhooks)).toEqual(document.components.schemas.EventType.enum)
    for (const [type, { post }] of Object.entries<any>(document.webhooks)) {
      expect(post.parameters.map((each: any) => each.name)).toEqual([
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature"
      ])
      const { properties } = resolved(post.requestBody.content["application/json"].schema)
      expect(Object.keys(properties)).toEqual(["type", "timestamp", "data"])
      expect(properties.type.const).toBe(type)
      const { resource, resource_id, resource_type } = properties.data.properties
      if (type === "sync.conflict") continue
      const kind = type === "ping" ? "webhook" : type.split(".")[0]
      expect(resource_type.const).toBe(kind)
      // The record is of the type that the pattern of resource_id belongs to.
      if (resource.type !== "null") {
        expect(
          resource.anyOf.map((each: any) => resolved(each).properties?.id.pattern ?? each.type),
          type
        ).toEqual([resource_id.pattern, "null"])
      }
      expect(resource.type === "null", type).toBe(/\.(deleted|purged|merged|removed|revoked)$/.test(type))
    }
  })

  it("contains no unused component, except one that programs use by name", () => {
    const { components, ...rest } = document
    const named = (value: unknown) =>
      [...JSON.stringify(value).matchAll(/"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name)
    const used = new Set([...named(rest), ...named(components)])
    const unused = Object.entries<object>(components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind}/${name}`))
      .filter((name) => !used.has(name))
    expect(unused).toEqual(["schemas/WebhookEvent"])
    expect(document.paths["/sync/stream"].get.responses[200].content["text/event-stream"]).toEqual({
      schema: { $ref: "#/components/schemas/StreamData" },
      "x-itemSchema": { $ref: "#/components/schemas/StreamEvent" }
    })
  })
})
