import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fieldCodes } from "../../../services/Errors.ts"
import { problemCodes } from "../../../src/server/api/ProblemExplanations.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"

const root = join(import.meta.dirname, "../../..")

const source = ["services", "src"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(root, folder, file))
  )
  .filter((file) => file.endsWith(".ts") && !file.endsWith("ProblemCodes.ts"))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n")

/** Codes in the places that create a problem: errors of services/Errors.ts and responses of the HTTP edge. */
const made = [
  ...source.matchAll(
    /(?:new (?:Errors\.)?(?:BadRequest|Unauthorized|Forbidden|NotFound|Conflict|Expired|Stale|TooLarge|Invalid|RateLimited|Unavailable)|[pP]roblem)\(\{[^}]*?\bcode: "([a-z_]+)"/g
  ),
  ...source.matchAll(/Invalid\.field\([^()]*(?:\([^()]*\)[^()]*)*, "([a-z_]+)"\s*\)/g),
  ...source.matchAll(/bareProblem\([^,]+, "([a-z_]+)"/g)
].map(([, code]) => code!)

/** Codes of the contract that may be missing in the source. */
const withoutSource = new Set([
  "token_reused",
  "invalid_credentials",
  "scope_not_grantable",
  "sign_up_closed",
  "password_sign_in_off",
  "attachment_not_ready",
  "share_expired",
  "upload_expired",
  "checksum_mismatch",
  "size_mismatch"
])

describe("registry of problem codes", () => {
  it("contains every code that the source uses", () => {
    expect(made.length).toBeGreaterThan(30)
    expect([...new Set(made)].filter((code) => !Object.hasOwn(problemCodes, code))).toEqual([])
  })

  it("contains no unused code", () => {
    const unused = Object.keys(problemCodes).filter((code) => !source.includes(`"${code}"`))
    expect(unused.filter((code) => !withoutSource.has(code))).toEqual([])
  })

  it("contains no unused field code", () => {
    // The list itself contains each code once.
    expect(fieldCodes.filter((code) => source.split(`"${code}"`).length <= 2)).toEqual([])
  })

  it("explains each code with title, cause and remedy", () => {
    for (const [code, { cause, remedy, status, title }] of Object.entries(problemCodes)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(status).toBeGreaterThanOrEqual(400)
      for (const text of [title, cause, remedy]) expect(text, code).toMatch(/^[A-Z].*\S$/)
      for (const text of [cause, remedy]) expect(text, code).toMatch(/\.$/)
    }
  })
})

describe("GET /errors/{code}", () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startApp()
  })
  afterAll(() => app.stop())

  it("explains a code without a credential, as JSON by default", async () => {
    for (const [code, known] of Object.entries(problemCodes)) {
      const response = await fetch(`${app.url}/errors/${code}`)
      expect([response.status, response.headers.get("content-type")], code).toEqual([200, "application/json"])
      expect(await response.json()).toEqual({ type: `http://sheaf.test/v2/errors/${code}`, code, ...known })
    }
  })

  it("is the target of the type of a problem, with the same title", async () => {
    const problem = (await app.call("GET", "/notes/nt_unknown")).body
    const path = new URL(problem.type).pathname
    const explained: any = await (await fetch(new URL(path, app.url))).json()
    expect(explained).toMatchObject({
      type: problem.type,
      title: problem.title,
      status: problem.status,
      code: problem.code
    })
  })

  it("returns a page to a browser", async () => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    const response = await fetch(`${app.url}/errors/invalid_token`, { headers: { accept } })
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(response.headers.get("vary")).toContain("Accept")
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
    const page = await response.text()
    for (const part of [
      "<h1>Invalid token</h1>",
      "invalid_token",
      "401",
      "Bearer &lt;token&gt;",
      `href="/docs/problems#invalid_token"`
    ]) {
      expect(page).toContain(part)
    }
    for (const json of ["application/json, text/html;q=0.5", "*/*", "text/html;q=0, */*"]) {
      const other = await fetch(`${app.url}/errors/invalid_token`, { headers: { accept: json } })
      expect(other.headers.get("content-type"), json).toBe("application/json")
      await other.body?.cancel()
    }
  })

  it("returns 404 for an unknown code, and 406 for an unsupported media type", async () => {
    for (const code of ["nothing", "__proto__", "toString", "%3Cscript%3E"]) {
      expect((await app.call("GET", `/errors/${code}`)).body, code).toMatchObject({ status: 404, code: "not_found" })
    }
    const image = await app.call("GET", "/errors/not_found", undefined, { accept: "image/png" })
    expect(image.body).toMatchObject({ status: 406, code: "not_acceptable" })
  })
})
