import { beforeAll, describe, expect, it } from "vitest"
import { explanationOf } from "../../../src/server/api/ProblemExplanations.ts"
import { guideFiles } from "../../../src/server/reference/GuideFiles.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()
let origin: string
let document: any
/** The pages by their paths, as linked from `/docs`. */
const pages = new Map<string, string>()

const unescaped = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const linksOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => unescaped(href!))

const idsOf = (html: string): ReadonlyArray<string> => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)

const page = async (path: string): Promise<string> => {
  const response = await fetch(origin + path)
  expect([response.status, response.headers.get("content-type")], path).toEqual([200, "text/html; charset=utf-8"])
  return response.text()
}

beforeAll(async () => {
  origin = new URL(app.url).origin
  document = await (await fetch(`${app.url}/openapi.json`)).json()
  const waiting = ["/docs"]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    pages.set(path, await page(path))
    for (const link of linksOf(pages.get(path)!)) if (link.startsWith("/docs/")) waiting.push(link.split("#", 1)[0]!)
  }
})

const methods = new Set(["get", "post", "put", "patch", "delete"])

const operations = (): ReadonlyArray<{ readonly method: string; readonly path: string; readonly operation: any }> =>
  Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({ method, path, operation }))
  )

/** Returns the HTML of one article. */
const articleOf = (id: string): string => {
  const html = [...pages.values()].find((each) => each.includes(`<article id="${id}">`))!
  const start = html.indexOf(`<article id="${id}">`)
  return html.slice(start, html.indexOf("</article>", start))
}

const everywhere = () => [...pages.values()].join("\n")

describe("/docs", () => {
  it("links to a page for each resource, with each of its operations", () => {
    const overview = pages.get("/docs")!
    for (const { operation } of operations()) {
      const link = linksOf(overview).find((each) => each.endsWith(`#${operation.operationId}`))
      expect(link, operation.operationId).toBeDefined()
      expect(pages.get(link!.split("#")[0]!)).toContain(`<article id="${operation.operationId}">`)
    }
    for (const path of [
      "/docs/notes",
      "/docs/sync",
      "/docs/problems",
      "/docs/headers",
      "/docs/webhooks",
      "/docs/schemas",
      ...guideFiles.map(({ slug }) => `/docs/${slug}`)
    ]) {
      expect([...pages.keys()]).toContain(path)
    }
  })

  it("has exactly one target for every link between its pages", () => {
    for (const [path, html] of pages) {
      const ids = idsOf(html)
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        path
      ).toEqual([])
      for (const link of linksOf(html)) {
        const { hash, pathname } = new URL(link, `http://x${path}`)
        if (/^(data|https):/.test(link) || pathname === "/v2/openapi.json") continue
        expect([...pages.keys()], `${link} on ${path}`).toContain(pathname)
        if (hash !== "")
          expect(idsOf(pages.get(pathname)!), `${link} on ${path}`).toContain(decodeURIComponent(hash.slice(1)))
      }
    }
  })

  it("shows every value of every enumeration, and every pattern, of the OpenAPI document", () => {
    const html = everywhere()
    const values = new Set<string>()
    const prefixes = new Set<string>()
    const patterns = new Set<string>()
    const look = (value: any): void => {
      if (typeof value !== "object" || value === null) return
      for (const each of [...(Array.isArray(value.enum) ? value.enum : []), value.const]) {
        if (typeof each === "string") values.add(each)
      }
      if (typeof value.pattern === "string") {
        const [, prefix] = /^\^([a-z]+_)\[0-9A-Za-z_-\]\{16,40\}\$$/.exec(value.pattern) ?? []
        prefix === undefined ? patterns.add(value.pattern) : prefixes.add(prefix)
      }
      for (const [key, each] of Object.entries(value)) if (!key.startsWith("example")) look(each)
    }
    look(document.components.schemas)
    expect(values.size).toBeGreaterThan(80)
    for (const value of ["wrench", "deleted_on_server"]) expect(values).toContain(value)
    const shown = new Set([...html.matchAll(/<code>([^<]*)<\/code>/g)].map(([, text]) => unescaped(text!)))
    expect([...values, ...patterns].filter((each) => !shown.has(each))).toEqual([])
    expect(prefixes.size).toBeGreaterThan(5)
    for (const prefix of prefixes)
      expect(html).toContain(`<code>${prefix}</code> and 16 to 40 of <code>[0-9A-Za-z_-]</code>`)
    expect(html).not.toMatch(/and \d+ more/)
  })

  it("explains every problem code, including those of no operation, under its own anchor", () => {
    const html = pages.get("/docs/problems")!
    const used = new Set<string>(operations().flatMap(({ operation }) => operation["x-problem-codes"]))
    for (const code of [
      ...used,
      "route_not_found",
      "method_not_allowed",
      "malformed_request",
      "request_timeout",
      "headers_too_large"
    ]) {
      const start = html.indexOf(`<div id="${code}">`)
      const shown = unescaped(html.slice(start, html.indexOf("</dd>", start)))
      expect(start, code).toBeGreaterThan(0)
      const { cause, remedy, title } = explanationOf(code)!
      for (const text of [cause, remedy, title]) expect(shown).toContain(text)
    }
  })

  it("shows scopes, parameters, responses, problems and a sample request of every operation", () => {
    for (const { method, operation, path } of operations()) {
      const id = operation.operationId
      const html = unescaped(articleOf(id))
      expect(html, id).toContain(path)
      for (const scope of operation["x-required-scopes"] ?? []) expect(html, id).toContain(`<code>${scope}</code>`)
      for (const status of Object.keys(operation.responses)) {
        if (Number(status) < 400) expect(html, `${id} ${status}`).toContain(`<strong>${status}</strong>`)
      }
      for (const code of operation["x-problem-codes"]) expect(html, id).toContain(`/docs/problems#${code}`)
      const [, sample] = /<figcaption>Request<\/figcaption><pre[^>]*><code>([\s\S]*?)<\/code>/.exec(html)!
      // Lines break elsewhere, because addresses have other lengths.
      const words = (text: string) =>
        text
          .replaceAll(origin, "")
          .replaceAll("http://sheaf.test", "")
          .split(/[\s\\]+/)
      const [{ label, lang, source }] = operation["x-codeSamples"]
      expect([lang, label, words(source)], id).toEqual(["Shell", "curl", words(sample!)])
      const { body, url, verb } = parsed(sample!)
      expect(verb, id).toBe(method.toUpperCase())
      const base = operation.servers === undefined ? "/v2" : ""
      expect(url.pathname, id).toMatch(new RegExp(`^${base}${path.replaceAll(/\{[^}]+\}/g, "[^/{}]+")}$`))
      expect(sample!.includes("Bearer $KEY"), id).toBe(operation.security.length > 0)
      const media = Object.values<any>(operation.requestBody?.content ?? {})[0]
      if (media?.example !== undefined) expect(body, id).toEqual(media.example)
    }
  })

  it("has a sample request for each operation that the server understands", async () => {
    for (const { operation } of operations()) {
      const [, sample] = /<figcaption>Request<\/figcaption><pre[^>]*><code>([\s\S]*?)<\/code>/.exec(
        unescaped(articleOf(operation.operationId))
      )!
      const { body, isForm, url, verb } = parsed(sample!)
      const response = await fetch(origin + url.pathname + url.search, {
        method: verb,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${app.key}`,
          ...(body === undefined || isForm ? {} : { "content-type": "application/json" })
        },
        ...(body === undefined ? {} : { body: isForm ? new URLSearchParams(body) : JSON.stringify(body) })
      })
      const isStream = response.headers.get("content-type") === "text/event-stream"
      const text = isStream ? "" : await response.text()
      if (isStream) await response.body!.cancel()
      // The records and passwords of the samples do not exist.
      if (isUnknown(text)) continue
      expect([400, 405, 406, 415, 500], `${operation.operationId}: ${text}`).not.toContain(response.status)
      if (!response.ok) expect(text).not.toContain("route_not_found")
      expect(text, operation.operationId).not.toMatch(/"code":"(required|invalid|too_short)"/)
    }
  })

  it("loads no external resource, runs no script, and submits the search form to itself only", async () => {
    for (const [path, html] of pages) expect(html, path).not.toMatch(/<script|<iframe|\ssrc=|@import|url\(|\son[a-z]+=/)
    const { headers } = await fetch(`${origin}/docs/notes`)
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/
    )
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })

  it("is accessible: one main heading, landmarks, labelled controls, and no skipped heading level", () => {
    for (const [path, html] of pages) {
      expect(html.match(/<h1/g), path).toHaveLength(1)
      for (const part of [
        '<html lang="en">',
        '<a class="skip" href="#main">',
        '<main id="main">',
        '<nav id="contents"',
        'role="search"',
        'aria-label="Search the reference"'
      ]) {
        expect(html, path).toContain(part)
      }
      const levels = [...html.slice(html.indexOf("<main")).matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
      for (const [index, level] of levels.entries())
        expect(level - (levels[index - 1] ?? 0), path).toBeLessThanOrEqual(1)
      if (path !== "/docs") expect(html, path).toContain(`href="${path}" aria-current="page"`)
      expect(html).toMatch(/<title>[^<]+ · Sheaf API<\/title>/)
    }
  })

  it("returns a problem for a page that does not exist", async () => {
    for (const slug of [
      "nothing",
      "__proto__",
      "constructor",
      "Notes",
      "%00",
      "guides",
      "guides/nothing",
      "guides/%00"
    ]) {
      const response = await fetch(`${origin}/docs/${slug}`)
      expect([response.status, ((await response.json()) as any).code], slug).toEqual([404, "route_not_found"])
    }
  })
})

/** Whether a response of OAuth says that the client or the code of a sample does not exist. */
const isUnknown = (text: string): boolean => /"error":"invalid_(client|grant)"/.test(text)

/** Returns the parts of a curl command. */
const parsed = (sample: string) => {
  const [, verb = "GET"] = / -X (\w+)/.exec(sample) ?? []
  const [, url] = /(http:[^\s']+)/.exec(sample)!
  const [, body] = / -d '([\s\S]*)'$/.exec(sample) ?? []
  const fields = [...sample.matchAll(/--data-urlencode '([^=]+)=([^']*)'/g)].map(([, name, value]) => [name, value])
  const isForm = fields.length > 0
  const json = body === undefined ? undefined : JSON.parse(body.replaceAll(`'\\''`, "'"))
  return { verb, url: new URL(url!), isForm, body: isForm ? Object.fromEntries(fields) : json }
}

describe("search of /docs", () => {
  const found = async (query: string) => {
    const html = await page(`/docs?q=${encodeURIComponent(query)}`)
    return [...html.matchAll(/<li><p><a href="([^"]+)">([^<]*)<\/a>/g)].map(([, place, name]) => ({
      place: unescaped(place!),
      name: unescaped(name!)
    }))
  }

  /** The best result for each query as users type them: names, questions, partial words, typing errors. */
  const expected: ReadonlyArray<readonly [query: string, place: string]> = [
    // Names.
    ["create note", "/docs/notes#createNote"],
    ["createNote", "/docs/notes#createNote"],
    ["CREATENOTE", "/docs/notes#createNote"],
    ["POST /notes", "/docs/notes#createNote"],
    ["delete /notes/{id}", "/docs/notes#deleteNote"],
    ["word_count", "/docs/notes#Note.word_count"],
    ["cursor_expired", "/docs/problems#cursor_expired"],
    ["If-Match", "/docs/headers#if-match"],
    ["retry-after", "/docs/headers#retry-after"],
    ["updated_at", "/docs/notes#Note.updated_at"],
    ["NoteVersion", "/docs/notes#schema-NoteVersion"],
    ["quota_exceeded", "/docs/problems#quota_exceeded"],
    ["tag.merged", "/docs/webhook-events#event-tag.merged"],
    // Questions and subjects.
    ["how to paginate", "/docs/guides/lists#pagination"],
    ["pagination", "/docs/guides/lists#pagination"],
    ["webhook signature", "/docs/guides/webhooks#verify-the-signature"],
    ["verify webhook signatures in python", "/docs/guides/webhooks#verify-the-signature"],
    ["rate limiting", "/docs/guides/errors#rate-limits"],
    ["upload a file", "/docs/guides/files#upload-a-file"],
    ["how do I upload files?", "/docs/guides/files#upload-a-file"],
    ["refresh token", "/docs/authentication#refreshTokens"],
    ["stay signed in", "/docs/guides/sign-in"],
    ["idempotent requests", "/docs/guides/errors#idempotency-keys"],
    ["idempotency key", "/docs/guides/errors#idempotency-keys"],
    ["filter notes by tag", "/docs/guides/lists#filters"],
    ["sorting", "/docs/guides/lists#sorting"],
    ["what should I do about conflicts", "/docs/clients#how-a-conflict-ends"],
    ["import from evernote", "/docs/guides/import-export#import-notes"],
    ["share with a password", "/docs/guides/sharing#passwords-and-expiry"],
    ["write a client", "/docs/clients"],
    ["quota", "/docs/problems#quota_exceeded"],
    // Typing errors.
    ["attachement", "/docs/attachments"],
    ["conflcit", "/docs/clients#how-a-conflict-ends"],
    ["webook", "/docs/webhooks"],
    ["idempotancy", "/docs/guides/errors#idempotency-keys"],
    ["pagniation", "/docs/guides/lists#pagination"]
  ]

  it.for(expected)("returns for '%s' first %s", async ([query, place]) => {
    const [first] = await found(query)
    // Where a page is expected, any place on it is accepted.
    expect(place.includes("#") ? first?.place : first?.place.split("#")[0]).toBe(place)
  })

  it("returns only places that exist", async () => {
    const places = new Set<string>()
    for (const query of ["the", "event", "note", "id", "sync", "revision", "device", "error", "password"]) {
      for (const { place } of await found(query)) places.add(place)
    }
    expect(places.size).toBeGreaterThan(100)
    for (const place of places) {
      const [path, id] = place.split("#") as [string, string?]
      expect(idsOf(pages.get(path) ?? ""), place).toContain(id ?? "main")
    }
  })

  it("escapes the query, shows it again in the field, and limits query and results", async () => {
    const html = await page(`/docs?q=${encodeURIComponent(`"><script>alert(1)</script>`)}`)
    expect(html).not.toContain("<script")
    expect(html).toContain(`value="&quot;&gt;&lt;script&gt;`)
    const long = await page(`/docs?q=${"a".repeat(5000)}`)
    expect(long).not.toContain("a".repeat(201))
    expect((await found("note")).length).toBe(60)
    expect(await found("qqqqqqqq xyzzyxyzzy")).toEqual([])
    expect(await found("?!")).toEqual([])
  })

  it("shows the overview for an empty query", async () => {
    for (const path of ["/docs?q=", "/docs?q=%20", "/docs?other=1", "/docs/"])
      expect(await page(path)).toBe(pages.get("/docs"))
  })
})
