import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer } from "node:tls"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { databaseChecks } from "../../services/doctor/Doctor.ts"
import { sheaf as commands } from "../../src/program/cli/Cli.ts"
import * as Tokens from "../../services/Tokens.ts"
import { certificateFor } from "../support/servers/Certificate.ts"
import { done, type Environment, refused, sheaf } from "../support/servers/Command.ts"
import { databaseUrl, dropDatabase, emptyDatabase, sqlOn } from "../support/servers/Databases.ts"
import { eventually } from "../support/flows/eventually.ts"
import {
  endPrograms,
  normalLog,
  postmasterOf,
  Program,
  runs,
  sheaf as command,
  sqlOf
} from "../support/servers/Program.ts"
import type { StreamEvent } from "../support/EventStream.ts"
import { unzip } from "../support/Unzip.ts"
import { sampled } from "../support/Slow.ts"
import { call, openStream, type Server } from "../support/flows/Wire.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"

const root = join(import.meta.dirname, "..", "..")
const place = mkdtempSync(join(tmpdir(), "sheaf-commands-"))
const [node, main] = command
let number = 0
const emptyDir = () => join(place, String(++number))

afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

/**
 * Seconds, half of the minute after which the server reads a cached credential again. A shorter time shows that it
 * received the notification, which takes far less than a second when nothing else runs.
 */
const notificationSeconds = 30

const statusOf = async ({ url }: Server, key: string) => (await call({ url, key }, "GET", "/notebooks")).status
const logIn = (server: Server, email: string, password: string) =>
  call(server, "POST", "/auth/login", { email, password })

const hasScript = (() => {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux")
  } catch {
    return false
  }
})()

describe("a command next to a running server", () => {
  const env = { DATA_DIR: emptyDir() }
  let server: Server
  let program: Program
  beforeAll(async () => {
    await usedDataDir(env.DATA_DIR)
    program = new Program({ ...env, PORT: "0" }, false, [...command, "serve"])
    server = await program.server()
    // The checks of this day are done, so that they do not find the failed backup of a test.
    const now = new Date().toISOString()
    await sqlOf(env.DATA_DIR)(
      `INSERT INTO check_runs (id, started_at, seen_at, ended_at, results) VALUES ('cr_1', '${now}', '${now}', '${now}', '[]')`
    )
  })

  it("adds a user with a password that is shown once", async () => {
    const added = await done(env, "user add anna@example.org --plan plus")
    const { body, status } = await logIn(server, "anna@example.org", added.password)
    expect({ status, workspace: body.workspace_id }).toEqual({ status: 200, workspace: added.workspace_id })
    const again = await sheaf(env, "user add ANNA@example.org")
    expect(again).toEqual(refused(/account with this e-mail/))
  })

  it("reads a password from standard input, shows none, and ends the user's sessions", async () => {
    await done(env, "user add ben@example.org --password-stdin", "first password\n")
    const { body } = await logIn(server, "ben@example.org", "first password")
    expect(await statusOf(server, body.access_token)).toBe(200)
    const { code, output } = await sheaf(env, "user password ben@example.org --password-stdin", "second password\n")
    expect({ code, output }).toEqual({ code: 0, output: expect.not.stringContaining("password") })
    await eventually(
      "the session is refused",
      async () => (await statusOf(server, body.access_token)) === 401,
      notificationSeconds
    )
    expect((await logIn(server, "ben@example.org", "first password")).status).toBe(401)
    expect((await logIn(server, "ben@example.org", "second password")).status).toBe(200)
    expect(await sheaf(env, "user password ben@example.org --password-stdin", "short\n")).toEqual(refused(/10 to 200/))
    expect(await sheaf(env, "user password nobody@example.org")).toEqual(refused(/nobody@example\.org/))
  })

  it("creates and revokes a key; the server is notified, rejects the key and ends its streams", async () => {
    await done(env, "user add cleo@example.org")
    const { id, secret } = await done(env, "key add cleo@example.org --name laptop --expires 90d")
    expect(await statusOf(server, secret)).toBe(200)
    const events: Array<StreamEvent> = []
    const stream = await openStream({ url: server.url, key: secret }, undefined, (event) => events.push(event))
    expect((await done(env, "key list cleo@example.org")).data).toMatchObject([{ id, name: "laptop" }])
    expect((await sheaf(env, "key list")).output).not.toContain(secret)
    await done(env, `key revoke ${id}`)
    await eventually("the key is refused", async () => (await statusOf(server, secret)) === 401, notificationSeconds)
    await eventually("the stream has ended", () => !stream.isOpen(), notificationSeconds)
    expect(events.at(-1)).toMatchObject({ event: "bye", data: { reason: "revoked" } })
    expect(await sheaf(env, `key revoke ${id}`)).toEqual(refused(new RegExp(id)))
  })

  it("renames a user, who signs in with the new address", async () => {
    const { password } = await done(env, "user add rena@example.org")
    await done(env, "user add taken@example.org")
    const again = "user rename rena@example.org --email"
    expect(await sheaf(env, `${again} TAKEN@example.org`)).toEqual(refused(/account with this e-mail/))
    expect(await sheaf(env, "user rename rena@example.org")).toEqual(refused(/Nothing to change/))
    expect(await done(env, `${again} rena@example.net --name Rena`)).toMatchObject({
      email: "rena@example.net",
      name: "Rena"
    })
    expect((await logIn(server, "rena@example.org", password)).status).toBe(401)
    expect((await logIn(server, "rena@example.net", password)).status).toBe(200)
    expect(await sheaf(env, `${again} other@example.net`)).toEqual(refused(/rena@example.org/))
  })

  it("deletes a user, and restores the workspace with another owner", async () => {
    const { id: user_id, workspace_id } = await done(env, "user add dora@example.org")
    await done(env, "user add emil@example.org")
    const { secret } = await done(env, "key add dora@example.org --name tablet")
    const { body: notebook } = await call({ url: server.url, key: secret }, "POST", "/notebooks", { name: "Kept" })
    expect(await sheaf(env, "user delete dora@example.org")).toEqual(refused(/--yes/))
    expect(await statusOf(server, secret)).toBe(200)

    const { deleted, id } = await done(env, "user delete dora@example.org --yes")
    expect({ id, deleted }).toMatchObject({ id: user_id, deleted: [{ workspace_id }] })
    await eventually("the key is refused", async () => (await statusOf(server, secret)) === 401, notificationSeconds)
    expect((await done(env, "workspace list --deleted")).data).toMatchObject([{ id: workspace_id }])
    expect((await done(env, "workspace list")).data.map((each: any) => each.id)).not.toContain(workspace_id)

    expect(await sheaf(env, `workspace restore ${workspace_id}`)).toEqual(
      refused(/no owner any more: name a user with --owner EMAIL/)
    )
    await done(env, `workspace restore ${workspace_id} --owner emil@example.org`)
    const { secret: next } = await done(env, `key add emil@example.org --name new --workspace ${workspace_id}`)
    const { body } = await call({ url: server.url, key: next }, "GET", "/notebooks")
    expect(body.data).toMatchObject([{ name: "Inbox" }, { id: notebook.id, name: "Kept" }])
    expect(await done(env, "user add dora@example.org")).not.toMatchObject({ id: user_id })
  })

  it("deletes a workspace, and purges a deleted one, which cannot be restored then", async () => {
    await done(env, "user add paul@example.org")
    const { secret } = await done(env, "key add paul@example.org --name cli")
    const { body: made } = await call({ url: server.url, key: secret }, "POST", "/workspaces", { name: "Old" })
    expect(await sheaf(env, `workspace delete ${made.slug}`)).toEqual(refused(/--yes/))
    expect(await done(env, `workspace delete ${made.slug} --yes`)).toMatchObject({ id: made.id, purge_at: null })
    expect(await sheaf(env, `workspace delete ${made.slug} --yes`)).toEqual(refused(/No such workspace/))
    expect(await done(env, `workspace delete ${made.slug} --purge --yes`)).toMatchObject({
      id: made.id,
      purge_at: expect.any(String)
    })
    expect(await sheaf(env, `workspace restore ${made.slug}`)).toEqual(refused(/without a time to restore/))
    const { data } = await done(env, "workspace list")
    const personal = data.find(({ slug }: any) => slug.startsWith("personal-"))
    expect(await sheaf(env, `workspace delete ${personal.slug} --yes`)).toEqual(refused(/personal workspace/))
  })

  it("exports a workspace to a new file only", async () => {
    const [{ slug }] = await sqlOf(env.DATA_DIR)("SELECT slug FROM workspaces WHERE plan = 'team'")
    const file = join(place, "out.zip")
    const made = await done(env, `export --workspace ${slug} --out ${file} --format json`)
    const bytes = readFileSync(file)
    expect(made).toEqual({ file, format: "json", bytes: bytes.length, files_left_out: 0 })
    const { files } = await unzip(bytes)
    expect(JSON.parse(String(files.get("manifest.json")))).toMatchObject({ scope: "workspace", version: 1 })
    const audited = "SELECT actor_id, metadata FROM audit_entries WHERE action = 'export.requested'"
    expect(await sqlOf(env.DATA_DIR)(audited)).toEqual([
      { actor_id: null, metadata: { scope: "workspace", format: "json", by: "operator" } }
    ])
    expect(await sheaf(env, `export --workspace ${slug} --out ${file}`)).toEqual(
      refused(/out\.zip exists: name a new file, or delete/)
    )
    expect(readFileSync(file)).toEqual(bytes)
    const other = join(place, "other.zip")
    expect(await sheaf(env, `export --workspace no-such --out ${other}`)).toEqual(refused(/no-such/))
    expect(existsSync(other)).toBe(false)
    const nowhere = join(place, "nowhere", "out.zip")
    expect(await sheaf(env, `export --workspace ${slug} --out ${nowhere}`)).toEqual(
      refused(/no such file or directory/)
    )
  })

  it("checks all files, and reports missing and damaged ones", async () => {
    const notebook_id = (await call(server, "GET", "/notebooks")).body.data[0].id
    const note = (await call(server, "POST", "/notes", { notebook_id, title: "With a file" })).body
    const made = (await call(server, "POST", "/attachments/uploads", { note_id: note.id, filename: "a.bin" })).body
    const body = new Uint8Array(randomBytes(100))
    const { pathname, search } = new URL(made.upload_url)
    const sent = await fetch(new URL(pathname + search, server.url), { method: "PUT", body })
    const { id, sha256 } = (await sent.json()) as any
    const whole = await sheaf(env, "files check")
    expect([whole.code, whole.errors, whole.output.split("\n").at(-2)]).toEqual([
      0,
      "",
      "Checked files: 1. All are intact."
    ])
    const [{ workspace_id }] = await sqlOf(env.DATA_DIR)("SELECT workspace_id FROM attachments")
    const path = join(env.DATA_DIR, "files", workspace_id, sha256.slice(0, 2), sha256)
    writeFileSync(path, new Uint8Array(100))
    const fault = { workspace_id, sha256, attachments: [id], exports: [], imports: [] }
    for (const problem of ["damaged", "missing"]) {
      const found = await sheaf(env, "files check --json")
      expect(found).toMatchObject({ code: 1, errors: "sheaf: Checked files: 1. Missing or damaged: 1.\n" })
      expect(JSON.parse(found.output)).toEqual({ data: [{ ...fault, problem }] })
      rmSync(path, { force: true })
    }
    writeFileSync(path, new Uint8Array(100))
    const [{ slug }] = await sqlOf(env.DATA_DIR)("SELECT slug FROM workspaces WHERE plan = 'team'")
    const exported = (name: string, more: Environment) =>
      sheaf({ ...env, ...more }, `export --workspace ${slug} --out ${join(place, name)}`)
    const damaged = "the bytes of a file do not match its hash"
    const json = await exported("json.zip", {})
    expect(json).toMatchObject({ code: 0, output: expect.stringMatching(/files_left_out +1/) })
    expect(JSON.parse(json.errors)).toMatchObject({ level: "ERROR", message: damaged, annotations: { sha256 } })
    const pretty = await exported("pretty.zip", { LOG_FORMAT: "pretty" })
    expect(pretty.errors).toMatch(new RegExp(`^\\[[\\d:.]+\\] ERROR .*${damaged}`))

    const away = {
      S3_ENDPOINT: "http://127.0.0.1:1",
      S3_BUCKET: "away",
      S3_ACCESS_KEY_ID: "id",
      S3_SECRET_ACCESS_KEY: "secret"
    }
    const failed = await exported("away.zip", away)
    expect(failed).toEqual({ code: 1, output: "", errors: "sheaf: The file store cannot be reached\n" })
    expect(existsSync(join(place, "away.zip"))).toBe(false)
    writeFileSync(path, body)
    expect((await call(server, "DELETE", `/notes/${note.id}?permanent=true`)).status).toBe(200)
  })

  it("imports files into a workspace, and reports skipped and failed ones", async () => {
    const [{ slug, workspace_id }] = await sqlOf(env.DATA_DIR)(
      "SELECT slug, workspace_id FROM workspaces WHERE plan = 'team'"
    )
    const markdown = join(place, "One.md")
    const enex = join(place, "Two.enex")
    const broken = join(place, "broken.zip")
    writeFileSync(markdown, "# One\n\n[[Nowhere]]")
    writeFileSync(
      enex,
      "<en-export><note><title>Two</title><content><![CDATA[<en-note>x</en-note>]]></content></note></en-export>"
    )
    writeFileSync(broken, "no ZIP")
    expect(await done(env, `import ${markdown} --workspace ${slug} --dry-run`)).toMatchObject({
      data: [{ file: markdown, preview: true, status: "done", imported: 1, errors: [{ code: "link_not_found" }] }]
    })
    expect(await sheaf(env, `import ${broken} --workspace ${slug} --dry-run`)).toMatchObject({
      code: 1,
      errors: expect.stringContaining("1 of 1 files would not be imported")
    })
    expect(await done(env, `import ${markdown} ${enex} --workspace ${slug}`)).toMatchObject({
      data: [
        { file: markdown, source: "auto", status: "done", imported: 1 },
        { file: enex, source: "auto", status: "done", imported: 1, total: 1, errors: [] }
      ]
    })
    expect(await done(env, `import ${markdown} --workspace ${slug}`)).toMatchObject({
      data: [{ status: "done", imported: 0, skipped: 1, updated: 0 }]
    })
    writeFileSync(markdown, "# One\n\nchanged")
    expect(await done(env, `import ${markdown} --workspace ${slug} --on-existing update`)).toMatchObject({
      data: [{ status: "done", imported: 0, skipped: 0, updated: 1 }]
    })
    const made = await sqlOf(env.DATA_DIR)(
      `SELECT title, author_id = (SELECT user_id FROM members m WHERE m.workspace_id = n.workspace_id LIMIT 1) AS is_owners
      FROM notes n WHERE workspace_id = '${workspace_id}' AND title IN ('One', 'Two') ORDER BY title`
    )
    expect(made).toEqual([
      { title: "One", is_owners: true },
      { title: "Two", is_owners: true }
    ])
    const failed = await sheaf(env, `import ${broken} --workspace ${slug}`)
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringContaining("failed"),
      errors: expect.stringContaining("1 of 1")
    })
    expect(await sheaf(env, `import ${join(place, "no-such.md")} --workspace ${slug}`)).toEqual(refused(/no-such\.md/))
  })

  it("lists, cancels and repeats exports and imports that the server runs", async () => {
    const [{ slug }] = (await call(server, "GET", "/workspaces")).body.data
    const form = new FormData()
    form.append("source", "markdown")
    form.append("file", new Blob(["no ZIP"]), "broken.zip")
    const headers = { authorization: `Bearer ${server.key}` }
    const { id } = (await (await fetch(`${server.url}/imports`, { method: "POST", body: form, headers })).json()) as any
    const hasFailed = async () => (await call(server, "GET", `/imports/${id}`)).body.status === "failed"
    await eventually("the import has failed", hasFailed)
    const { data } = await done(env, `job list --workspace ${slug}`)
    expect(data.at(-1)).toMatchObject({
      id,
      kind: "import",
      workspace: slug,
      state: "failed",
      error: expect.any(String)
    })
    const { body: waiting } = await call(server, "POST", "/imports", { source: "markdown" })
    expect(await done(env, `job cancel ${waiting.id}`)).toEqual({ id: waiting.id, cancelled: true })
    expect((await call(server, "GET", `/imports/${waiting.id}`)).body).toMatchObject({ status: "failed" })
    expect(await sheaf(env, `job retry ${waiting.id}`)).toEqual(refused(/never arrived/))
    expect(await done(env, `job retry ${id}`)).toEqual({ id, queued: true })
    await eventually("the import has failed again", hasFailed)
    const { output } = await sheaf(env, "job list --all")
    expect(output.split("\n")[0]).toMatch(/^ID +KIND +WORKSPACE +STATE +PROGRESS +AGE +ATTEMPTS +NEXT AT +ERROR$/)
    expect(output).toMatch(/^im_\w+ +import +\S+ +failed /m)
  })

  it("sets a plan, which applies to the next request", async () => {
    const [{ slug }] = await sqlOf(env.DATA_DIR)("SELECT slug FROM workspaces WHERE plan = 'team'")
    expect(await done(env, `workspace plan ${slug} free --seats 7`)).toMatchObject({ slug, plan: "free", seats: 7 })
    const seen = async () => (await call(server, "GET", "/workspaces")).body.data
    expect(await seen()).toMatchObject([{ slug, plan: "free", seats: 7 }])
    expect(await sheaf(env, "workspace plan no-such team")).toEqual(refused(/no-such/))
  })

  it("shows what a workspace stores, with the limits of its plan", async () => {
    const [{ slug }] = (await call(server, "GET", "/workspaces")).body.data
    const { body } = await call(server, "GET", "/usage")
    expect(await done(env, `workspace usage ${slug}`)).toMatchObject({
      slug,
      plan: "free",
      members: 1,
      notes: body.notes,
      text_bytes: body.text_bytes,
      file_bytes: body.storage_bytes,
      notes_limit: body.limits.notes,
      storage_bytes_limit: body.limits.storage_bytes
    })
    expect(await sheaf(env, "workspace usage no-such")).toEqual(refused(/no-such/))
  })

  it("examines the server, and reports faults with what to do about them", async () => {
    const doctor = async (args = "", more: Environment = {}) => {
      // Node itself reads NODE_EXTRA_CA_CERTS.
      const input = "NODE_EXTRA_CA_CERTS" in more ? "" : undefined
      const { code, errors, output } = await sheaf({ ...env, ...more }, `doctor --json${args}`, input)
      const { data, ok } = JSON.parse(output)
      // The disk of the test's machine may be nearly full.
      const checks = data.filter(({ check }: any) => check !== "disk space")
      return {
        code,
        errors,
        ok,
        statuses: Object.fromEntries(checks.map((each: any) => [each.check, each.status])),
        checks
      }
    }
    const healthy = {
      configuration: "ok",
      "data directory": "ok",
      database: "ok",
      "database settings": "ok",
      clock: "ok",
      backups: "skipped",
      "backup target": "skipped",
      "audit log": "skipped",
      counters: "ok",
      log: "ok",
      records: "ok",
      texts: "ok",
      files: "ok",
      "stored files": "ok",
      search: expect.stringMatching(/ok|skipped/),
      certificate: "skipped",
      mail: "skipped",
      redis: "skipped"
    }
    expect((await doctor()).statuses).toEqual(healthy)
    const sql = sqlOf(env.DATA_DIR)
    await sql("UPDATE heads SET notes = notes + 1")
    const found = await doctor(" --quick")
    expect(found).toMatchObject({
      code: 1,
      ok: false,
      errors: expect.stringMatching(/^sheaf: Faults were found: .*counters/)
    })
    expect(found.statuses).toEqual({ ...healthy, counters: "faulty", search: "skipped", texts: "skipped" })
    const text = await sheaf(env, "doctor --quick")
    expect(text.output).toMatch(/^counters +faulty\n {2}ws_\w+: The head .*\n {4}Run sheaf doctor --repair/m)
    expect((await doctor(" --repair")).statuses).toEqual({ ...healthy, counters: "repaired" })
    expect((await doctor(" --quick")).statuses).toEqual({ ...healthy, search: "skipped", texts: "skipped" })

    const { cert, key } = certificateFor(["localhost"])
    const certificates = join(place, "authority.pem")
    writeFileSync(certificates, cert)
    const listener = createServer({ cert, key }).listen(0, "127.0.0.1")
    await once(listener, "listening")
    const { port } = listener.address() as AddressInfo
    const away = await doctor(" --quick", {
      NODE_EXTRA_CA_CERTS: certificates,
      PUBLIC_URL: `https://localhost:${port}`,
      SMTP_URL: "smtp://127.0.0.1:1"
    })
    listener.close()
    expect(away.statuses).toEqual({
      ...healthy,
      search: "skipped",
      texts: "skipped",
      certificate: "faulty",
      mail: "faulty"
    })
    expect(away.checks.at(-3).faults).toMatchObject([
      { problem: expect.stringMatching(/^The certificate of localhost:\d+ ends in 0 days/) }
    ])
  })

  it("lists users and sessions, and ends a session", async () => {
    await done(env, "user add iris@example.org --password-stdin", "iris has a password\n")
    const { body } = await logIn(server, "iris@example.org", "iris has a password")
    expect((await done(env, "user list")).data).toContainEqual(
      expect.objectContaining({
        email: "iris@example.org",
        name: "iris",
        operator: false,
        suspended_at: null,
        has_password: true,
        last_active_at: expect.any(String)
      })
    )
    const listed = async (command: string) => {
      await done(env, `user ${command} iris@example.org`)
      const { data } = await done(env, "user list")
      const { operator, suspended_at } = data.find(({ email }: any) => email === "iris@example.org")
      return [operator, suspended_at]
    }
    expect(await listed("make-operator")).toEqual([true, null])
    expect(await listed("end-operator")).toEqual([false, null])
    const { data } = await done(env, "session list iris@example.org")
    expect(data).toMatchObject([{ id: body.session_id, email: "iris@example.org" }])
    expect((await done(env, "session list")).data).toContainEqual(data[0])
    expect(JSON.stringify(data)).not.toContain(body.access_token)
    expect(await done(env, `session revoke ${body.session_id}`)).toEqual({ id: body.session_id, revoked: true })
    await eventually(
      "the session is refused",
      async () => (await statusOf(server, body.access_token)) === 401,
      notificationSeconds
    )
    expect(await sheaf(env, `session revoke ${body.session_id}`)).toEqual(refused(/No such session/))
    const { body: app } = await logIn(server, "iris@example.org", "iris has a password")
    const client = {
      client_id: "https://app.example/client",
      name: "App",
      scopes: ["notes:read"],
      workspace_id: app.workspace_id
    }
    await sqlOf(env.DATA_DIR)(
      `UPDATE sessions SET device_id = NULL, app = '${JSON.stringify(client)}' WHERE id = '${app.session_id}'`
    )
    expect(await done(env, `client end-apps ${client.client_id}`)).toEqual({ id: client.client_id, ended: 1 })
    expect(await statusOf(server, app.access_token)).toBe(401)
    expect(await sheaf(env, "session list nobody@example.org")).toEqual(refused(/nobody@example\.org/))
    await done(env, "user delete iris@example.org --yes")
  })

  it("shows the state of the server and of its schema, and does not touch what the server uses", async () => {
    const { port } = new URL(server.url)
    await sqlOf(env.DATA_DIR)(
      `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, error)
      VALUES ('bk_1', 'scheduled', '/backup/sheaf.tar.zst', false, '2026-01-01', '2026-01-02', 'The disk is full')`
    )
    expect(await done({ ...env, PORT: port, HOST: "0.0.0.0" }, "status")).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+\+[0-9a-z.]+$/),
      responds: true,
      response: "ready",
      running: true,
      processes: 1,
      running_since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      database: "embedded",
      schema: "current",
      database_bytes: expect.any(Number),
      files: expect.any(Number),
      last_backup_at: "2026-01-02",
      last_backup: "/backup/sheaf.tar.zst",
      last_backup_bytes: null,
      last_backup_error: "The disk is full",
      last_drill_at: null,
      last_drill: null,
      last_drill_error: null
    })
    const { data } = await done(env, "migrate status")
    expect(data[0]).toMatchObject({ id: 1, name: "schema", applied_at: expect.stringMatching(/Z$/) })
    expect(data.filter(({ applied_at }: any) => applied_at === null)).toEqual([])
    expect(await done(env, "migrate up")).toEqual({ applied: [], backup: null })
    expect(await sheaf(env, "reindex")).toEqual(refused(/Sheaf is running on this database/))
  })

  it("shows a table, without terminal control characters from names", async () => {
    await done(env, "user add fritz@example.org")
    await sqlOf(env.DATA_DIR)(
      `UPDATE workspaces SET name = E'\\x1b[2Jgone'
      WHERE workspace_id = (SELECT workspace_id FROM users WHERE email = 'fritz@example.org')`
    )
    const { code, output } = await sheaf(env, "workspace list")
    expect(code).toBe(0)
    expect(output.split("\n")[0]).toMatch(/^ID +SLUG +NAME +PLAN +SEATS +CREATED AT$/)
    expect(output).toContain("\uFFFD[2Jgone")
    expect(output).not.toContain("\x1b")
  })

  describe.skipIf(!hasScript)("on a terminal", () => {
    /** Types a reply to each question when it is shown. */
    const typed = async (args: string, ...answers: ReadonlyArray<readonly [question: string, answer: string]>) => {
      const child = spawn("script", ["-qefc", `exec ${node} ${main} ${args}`, "/dev/null"], {
        cwd: root,
        env: { PATH: process.env["PATH"]!, TERM: "xterm", ...env }
      })
      let shown = ""
      child.stdout.on("data", (text) => (shown += text))
      const ended = once(child, "close")
      for (const [question, answer] of answers) {
        await eventually(`it asks: ${question}`, () => shown.includes(question))
        child.stdin.write(`${answer}\r`)
      }
      const [code] = await ended
      return { code, shown }
    }

    it("prompts for a password twice, and never shows it", async () => {
      const password = "correct horse"
      const { code, shown } = await typed("user add gerda@example.org", ["Password", password], ["again", password])
      expect(code).toBe(0)
      expect(shown).not.toContain("correct")
      expect((await logIn(server, "gerda@example.org", "correct horse")).status).toBe(200)
      const differing = [
        ["Password", "battery staple"],
        ["again", "other staple"]
      ] as const
      const other = await typed("user password gerda@example.org", ...differing)
      expect(other).toEqual({ code: 1, shown: expect.stringContaining("The passwords differ") })
      expect((await logIn(server, "gerda@example.org", "correct horse")).status).toBe(200)
    })

    it("shows the progress in a line that it removes before it prints, and none with --json", async () => {
      const backup = await typed(`backup ${emptyDir()}`)
      expect(backup.code).toBe(0)
      const [before, progress, ...more] = backup.shown.split("\r\x1b[K")
      expect([before, progress]).toEqual(["", expect.stringMatching(/^Backing up (rows: |files [█░]{20} \d+ %, )\d/)])
      expect(more.at(-1)).toMatch(/^file /)
      expect((await typed("files check --json")).shown).not.toContain("\x1b")
    })

    it("asks for confirmation before it deletes a user", async () => {
      const no = await typed("user delete gerda@example.org", ["Delete gerda@example.org?", "n"])
      expect(no).toEqual({ code: 1, shown: expect.stringContaining("Nothing was done") })
      expect((await logIn(server, "gerda@example.org", "correct horse")).status).toBe(200)
      expect((await typed("user delete gerda@example.org", ["Delete gerda@example.org?", "y"])).code).toBe(0)
      expect((await logIn(server, "gerda@example.org", "correct horse")).status).toBe(401)
    })
  })

  it("makes the server log nothing", async () => {
    expect(await program.kill("SIGTERM")).toBe(0)
    expect(program.log.map(({ message }) => message)).toEqual(normalLog)
  })
})

describe("a command without a server", () => {
  const env = { DATA_DIR: emptyDir() }
  beforeAll(() => usedDataDir(env.DATA_DIR))

  it("starts the database while it runs, and stops it", async () => {
    await done(env, "user add anna@example.org")
    expect((await done(env, "key list")).data).toMatchObject([{ name: "Bootstrap key", email: "owner@localhost" }])
    expect(postmasterOf(env.DATA_DIR)).toBeUndefined()
  })

  it("shows a stopped server, and deletes the search indexes", async () => {
    const index = join(env.DATA_DIR, "search", "local", "ws_1")
    mkdirSync(index, { recursive: true })
    // The first entry has no target, like a file that a server deletes meanwhile.
    symlinkSync("gone", join(index, "a"))
    writeFileSync(join(index, "b"), "12345")
    expect(await done({ ...env, PORT: "1" }, "status")).toMatchObject({
      search_index_bytes: 9,
      responds: false,
      response: expect.stringContaining("ECONNREFUSED"),
      running: false,
      processes: 0,
      running_since: null,
      last_backup: null,
      workspaces: 2,
      users: 2
    })
    expect(await done(env, "reindex")).toEqual({ removed: 1 })
    expect(existsSync(index)).toBe(false)
    expect(await done(env, "reindex")).toEqual({ removed: 0 })
  })

  it("invalidates all cursors after a restored backup, so that clients pull everything again", async () => {
    const { DATA_DIR } = env
    const pull = async (body: object) => {
      const program = new Program({ ...env, PORT: "0" })
      const server = await program.server()
      const inbox = (await call(server, "GET", "/notebooks")).body.data[0].id
      const written = await call(server, "POST", "/notes", { notebook_id: inbox, title: "written" })
      const answer = await call(server, "POST", "/sync/pull", body)
      expect(await program.kill("SIGTERM")).toBe(0)
      return { ...answer, written: written.body.id }
    }
    const backup = emptyDir()
    cpSync(DATA_DIR, backup, { recursive: true })
    const { cursor } = (await pull({})).body
    rmSync(DATA_DIR, { recursive: true })
    cpSync(backup, DATA_DIR, { recursive: true })
    expect((await done(env, "sync reset")).workspaces).toBeGreaterThan(0)
    const { body, status } = await pull({ cursor })
    expect([status, body.code, body.resync_cursor]).toEqual([410, "cursor_expired", null])
    const pulled = await pull({})
    expect(pulled.body.changes.map(({ id }: any) => id)).toContain(pulled.written)
  })

  it("succeeds when other commands and the server start at the same time", async () => {
    const names = ["one", "two", "three"]
    const commands = names.map((name) => sheaf(env, `user add ${name}@example.org`))
    const program = new Program({ ...env, PORT: "0" })
    const server = await program.server()
    expect((await Promise.all(commands)).map(({ code, errors }) => ({ code, errors }))).toEqual(
      names.map(() => ({ code: 0, errors: "" }))
    )
    expect(await statusOf(server, server.key)).toBe(200)
    expect(await sqlOf(env.DATA_DIR)("SELECT email FROM users WHERE name IN ('one', 'two', 'three')")).toHaveLength(3)
    expect(await program.kill("SIGTERM")).toBe(0)
  })

  it("leaves no database running when it is killed", async () => {
    const child = spawn(node, [main, "key", "list"], {
      cwd: root,
      env: { PATH: process.env["PATH"]!, ...env },
      stdio: "ignore"
    })
    const ended = once(child, "close")
    const pid = await eventually("the database of the command runs", () => postmasterOf(env.DATA_DIR))
    child.kill("SIGKILL")
    await ended
    await eventually("the database of the command has stopped", () => !runs(pid))
    await done(env, "workspace list")
  })
})

describe("a command with DATABASE_URL", () => {
  let database: string
  let env: { readonly SECRET_KEY: string; readonly DATABASE_URL: string }
  beforeAll(async () => {
    database = await emptyDatabase()
    env = { SECRET_KEY: randomBytes(32).toString("base64"), DATABASE_URL: databaseUrl(database) }
  })
  afterAll(async () => {
    await endPrograms()
    await dropDatabase(database)
  })

  it("does not migrate, and refuses the schema of another version", async () => {
    const DATA_DIR = emptyDir()
    expect(await sheaf({ ...env, DATA_DIR }, "key list")).toEqual(refused(/Sheaf has not run/))
    expect(await sqlOn(database, "SELECT 1 FROM pg_class WHERE relname IN ('users', 'migrations')")).toEqual([])
    const program = new Program({ ...env, DATA_DIR, PORT: "0" })
    const server = await program.server()
    const { secret } = await done({ ...env, DATA_DIR: emptyDir() }, "key add owner@localhost --name shared")
    expect(await statusOf(server, secret)).toBe(200)
    expect(await program.kill("SIGTERM")).toBe(0)
    await sqlOn(database, "INSERT INTO migrations (migration_id, name) VALUES (9999, 'of a later version')")
    expect(await sheaf({ ...env, DATA_DIR }, "key list")).toEqual(refused(/newer version of Sheaf/))
    await sqlOn(database, "UPDATE migrations SET name = 'ground' WHERE migration_id = 1")
    expect(await sheaf({ ...env, DATA_DIR }, "key list")).toEqual(refused(/from before 0\.1\.0/))
  })
})

describe("a command that is invalid or cannot start", () => {
  const env = { DATA_DIR: emptyDir() }

  const misunderstood = [
    "nonsense",
    "user add anna@example.org --password secret",
    "user add nobody",
    "key add anna@example.org --name x --expires soon",
    "workspace plan personal free --seats 0"
  ]
  it.concurrent.each(sampled(misunderstood, 2))("prints its usage in one line: %s", async (args) => {
    const { code, errors, output } = await sheaf(env, args)
    expect({ code, output }).toEqual({ code: 2, output: "" })
    expect(errors).toMatch(/^sheaf: [^\n]+ \(see sheaf[a-z ]* --help\)\n$/)
  })

  it.concurrent("starts no server with arguments that serve does not have", async () => {
    expect(await sheaf(env, "serve --json")).toEqual(refused(/serve has no options/))
    expect(await sheaf(env, "serve now")).toMatchObject({ code: 2, output: "" })
    expect(existsSync(env.DATA_DIR)).toBe(false)
  })

  it.concurrent.each(["--help", "key add --help", "serve --help", "doctor --help"])("prints help: %s", async (args) => {
    const { code, errors, output } = await sheaf(env, args)
    expect({ code, errors }).toEqual({ code: 0, errors: "" })
    expect(output).toMatch(/USAGE\n {2}sheaf /)
  })

  it("has a description and examples in its help", () => {
    interface Node {
      readonly name: string
      readonly description: string | undefined
      readonly examples: ReadonlyArray<{ readonly command: string }>
      readonly subcommands: ReadonlyArray<{ readonly commands: ReadonlyArray<Node> }>
    }
    const leaves = ({ subcommands, ...node }: Node, path: string): ReadonlyArray<readonly [string, typeof node]> =>
      subcommands.length === 0
        ? [[path, node]]
        : subcommands.flatMap(({ commands }) => commands.flatMap((each) => leaves(each, `${path} ${each.name}`)))
    const found = leaves(commands, "sheaf")
    expect(found.length).toBeGreaterThan(30)
    for (const [path, { description, examples }] of found) {
      expect([path, description]).toEqual([path, expect.any(String)])
      expect(
        examples.map(({ command }) => command),
        path
      ).toContainEqual(expect.stringContaining(path))
    }
  })

  it.concurrent("shows each variable with its source, and no secret", async () => {
    const secrets = {
      SECRET_KEY: "A".repeat(43),
      DATABASE_URL: "postgres://sheaf:hunter2@127.0.0.1:1/x",
      METRICS_TOKEN: "hunter3"
    }
    const SMTP_URL_FILE = join(place, "smtp-url")
    writeFileSync(SMTP_URL_FILE, "smtps://sheaf:hunter4@mail.example.org\n")
    const { data } = await done({ ...env, ...secrets, SMTP_URL_FILE, PORT: "4100" }, "config")
    const of = (name: string) => data.find((each: any) => each.name === name)
    expect(of("PORT")).toEqual({ name: "PORT", value: "4100", source: "environment" })
    expect(of("HOST")).toEqual({ name: "HOST", value: "127.0.0.1", source: "default" })
    expect(of("PUBLIC_URL")).toMatchObject({ value: "http://127.0.0.1:4100", source: "default" })
    expect(of("REDIS_URL")).toEqual({ name: "REDIS_URL", value: null, source: "default" })
    for (const name of Object.keys(secrets))
      expect(of(name)).toEqual({ name, value: "(hidden)", source: "environment" })
    expect(of("SMTP_URL")).toEqual({ name: "SMTP_URL", value: "(hidden)", source: SMTP_URL_FILE })
    expect(JSON.stringify(data)).not.toMatch(/hunter|AAAA/)
    expect(data.map(({ name }: any) => name)).toEqual(
      expect.arrayContaining(["SMTP_URL", "S3_SECRET_ACCESS_KEY", "LOG_FORMAT"])
    )
    expect(await sheaf({ ...env, PORT: "abc" }, "config")).toEqual(refused(/PORT must be/))
  })

  it.concurrent("makes a valid secret key without a DATA_DIR", async () => {
    const one = await sheaf(env, "key make")
    const { secret: other } = await done(env, "key make")
    expect(one).toEqual({ code: 0, output: expect.stringMatching(/^sfk_\w{36}\n$/), errors: "" })
    expect(other).not.toBe(one.output.trim())
    for (const key of [one.output.trim(), other]) expect(Tokens.isWellFormed("sfk", key)).toBe(true)
    expect(existsSync(env.DATA_DIR)).toBe(false)
  })

  it.concurrent("reports a DATA_DIR where no Sheaf has run, and creates nothing in it", async () => {
    expect(await sheaf(env, "key list")).toEqual(refused(/DATA_DIR/))
    expect(existsSync(env.DATA_DIR)).toBe(false)
  })

  it.concurrent("examines what it can without a database, or without a valid configuration", async () => {
    const doctor = async (more: Environment) => {
      const { code, output } = await sheaf({ ...env, ...more }, "doctor --json")
      const { data } = JSON.parse(output)
      return { code, data: data.filter(({ check }: any) => check !== "disk space") }
    }
    expect(await doctor({ PORT: "abc" })).toMatchObject({
      code: 1,
      data: [
        { check: "configuration", status: "faulty", faults: [{ problem: expect.stringContaining("PORT must be") }] }
      ]
    })
    const unreached = { SECRET_KEY: "A".repeat(43), DATABASE_URL: "postgres://sheaf@127.0.0.1:1/x" }
    const { code, data } = await doctor(unreached)
    expect(code).toBe(1)
    expect(data).toMatchObject([
      { check: "configuration", status: "ok" },
      { check: "data directory", status: "faulty" },
      { check: "database", status: "faulty", faults: [{ problem: expect.stringContaining("ECONNREFUSED") }] },
      ...databaseChecks.map((check) => ({
        check,
        status: "skipped",
        reason: "the database cannot be used"
      })),
      { check: "certificate", status: "skipped" },
      { check: "mail", status: "skipped" },
      { check: "redis", status: "skipped" }
    ])
    expect(existsSync(env.DATA_DIR)).toBe(false)
  })

  it.concurrent("sends a test mail without the database, and shows why it was not sent", async () => {
    const own = { ...env, DATA_DIR: join(place, "mail-test") }
    expect((await done(own, "mail test anna@example.org")).sent).toBe(false)
    expect(readdirSync(join(own.DATA_DIR, "outbox"))).toEqual([expect.stringMatching(/\.eml$/)])
    const away = { ...own, SMTP_URL: "smtp://127.0.0.1:1" }
    expect(await sheaf(away, "mail test anna@example.org")).toEqual(refused(/was not sent: ECONNREFUSED/))
  })

  it.concurrent("reports an invalid environment variable, as the server does", async () => {
    expect(await sheaf({ ...env, PORT: "abc" }, "key list")).toEqual(refused(/PORT must be/))
    const unreached = { ...env, SECRET_KEY: "A".repeat(43), DATABASE_URL: "postgres://sheaf@127.0.0.1:1/x" }
    expect(await sheaf(unreached, "key list")).toEqual(refused(/ECONNREFUSED/))
  })
})
