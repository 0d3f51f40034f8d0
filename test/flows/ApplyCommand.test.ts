import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { done, type Environment, refused, sheaf, startCommand } from "../support/servers/Command.ts"
import { endPrograms, Program, sheaf as command, sqlOf } from "../support/servers/Program.ts"
import { usedDataDir } from "../support/servers/UsedDataDir.ts"
import { call, type Server } from "../support/flows/Wire.ts"
import { rounds } from "../support/Slow.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-apply-"))
const env: Environment = { DATA_DIR: join(place, "data"), ANNA_PASSWORD: "staple battery horse" }
const sql = sqlOf(env["DATA_DIR"]!)
let server: Server

beforeAll(async () => {
  await usedDataDir(env["DATA_DIR"]!)
  server = await new Program({ DATA_DIR: env["DATA_DIR"]!, PORT: "0" }, false, [...command, "serve"]).server()
})
afterAll(async () => {
  await endPrograms()
  rmSync(place, { recursive: true, force: true })
})

const declaration = (name: string) => ({
  users: [
    { email: `anna@${name}.org`, name: "Anna", initial_password: { env: "ANNA_PASSWORD" }, operator: true },
    { email: `ben@${name}.org`, plan: "plus" }
  ],
  workspaces: [
    {
      slug: name,
      name: "Team",
      plan: "team",
      seats: 3,
      members: [
        { email: `anna@${name}.org`, role: "owner" },
        { email: `ben@${name}.org`, role: "editor" }
      ],
      webhooks: [{ url: `https://example.com/${name}`, events: ["note.created"], secret_file: "secrets/hook" }]
    }
  ],
  api_keys: [
    { name: "ci", user: `ben@${name}.org`, workspace: name, scopes: ["notes:read"], secret_file: "secrets/ci" }
  ]
})

/** Writes a declaration, each in a folder of its own. */
const written = (name: string, declared: object = declaration(name)): string => {
  mkdirSync(join(place, name), { recursive: true })
  const file = join(place, name, "sheaf.json")
  writeFileSync(file, JSON.stringify(declared, null, 1))
  return file
}

const statuses = (steps: { readonly data: ReadonlyArray<{ readonly status: string; readonly kind: string }> }) =>
  steps.data.map(({ kind, status }) => `${status} ${kind}`)
const made = ["user", "user", "workspace", "member", "member", "webhook", "api_key"]
const all = (status: string) => made.map((kind) => `${status} ${kind}`)
const secret = (name: string, file = "ci") => readFileSync(join(place, name, "secrets", file), "utf8").trim()
const statusOf = async (key: string) => (await call({ ...server, key }, "GET", "/notes")).status

it("makes what a file declares next to a running server, and changes nothing in a second run", async () => {
  const file = written("first")
  const { code, errors, output } = await sheaf(env, `apply ${file} --dry-run --json`)
  expect({ code, errors }).toEqual({ code: 3, errors: "sheaf: There is something to change\n" })
  expect(await sql("SELECT 1 AS found FROM users WHERE email LIKE '%@first.org'")).toEqual([])
  const steps = await done(env, `apply ${file}`)
  // A dry run prints the plan that the run follows.
  expect(JSON.parse(output)).toEqual(steps)
  expect(statuses(steps)).toEqual(all("created"))
  expect(await statusOf(secret("first"))).toBe(200)
  for (const name of ["ci", "hook"]) {
    expect(statSync(join(place, "first", "secrets", name)).mode & 0o777).toBe(0o600)
    expect(JSON.stringify(steps)).not.toContain(secret("first", name))
  }
  const login = await call(server, "POST", "/auth/login", { email: "anna@first.org", password: env["ANNA_PASSWORD"] })
  expect(login.status).toBe(200)
  const entries = () => sql("SELECT count(*)::int AS count FROM audit_entries")
  const before = await entries()
  expect(statuses(await done(env, `apply ${file}`))).toEqual(all("unchanged"))
  expect(await done(env, `apply ${file} --dry-run`)).toMatchObject({ data: expect.anything() })
  expect(await entries()).toEqual(before)
  expect(
    await sql(`SELECT DISTINCT action, metadata ->> 'by' AS by FROM audit_entries
      WHERE workspace_id = (SELECT workspace_id FROM workspaces WHERE slug = 'first') ORDER BY 1`)
  ).toEqual(
    ["api_key.created", "member.added", "webhook.created", "workspace.created"].map((action) => ({
      action,
      by: "operator"
    }))
  )
})

it("changes what differs, ends what is declared absent, and leaves the rest", async () => {
  const declared = declaration("second")
  await done(env, `apply ${written("second", declared)}`)
  const [anna, ben] = declared.users
  const [team] = declared.workspaces
  const changed = {
    users: [{ ...anna!, name: "Anne" }],
    workspaces: [
      {
        ...team!,
        plan: "plus",
        seats: 1,
        members: [{ email: ben!.email, state: "absent" }],
        webhooks: [{ ...team!.webhooks[0]!, events: ["note.*"] }]
      }
    ],
    api_keys: [{ name: "ci", user: ben!.email, workspace: "second", state: "absent" }]
  }
  const steps = await done(env, `apply ${written("second", changed)}`)
  expect(steps.data).toMatchObject([
    { kind: "user", status: "changed", detail: "name: Anna → Anne" },
    { kind: "member", status: "removed" },
    { kind: "workspace", status: "changed", detail: "plan: team → plus; seats: 3 → 1" },
    { kind: "webhook", status: "changed", detail: "events: note.created → note.*" },
    { kind: "api_key", status: "removed" }
  ])
  expect(
    await sql(`SELECT plan FROM users u JOIN workspaces w USING (workspace_id) WHERE email = '${ben!.email}'`)
  ).toEqual([{ plan: "plus" }])
  expect(new Set(statuses(await done(env, `apply ${written("second", changed)}`)))).toEqual(
    new Set(["unchanged user", "unchanged member", "unchanged workspace", "unchanged webhook", "unchanged api_key"])
  )
})

it("refuses what it cannot make, with the reason, and makes the rest", async () => {
  const declared = declaration("third")
  await done(env, `apply ${written("third", declared)}`)
  rmSync(join(place, "third", "secrets", "ci"))
  const kept = await done(env, `apply ${written("third", declared)}`)
  expect(kept.data.at(-1)).toMatchObject({ status: "unchanged", detail: "its secret is not in secrets/ci" })
  writeFileSync(join(place, "third", "secrets", "ci"), secret("first"))
  const [anna] = declared.users
  const wrong = {
    users: [
      { email: "weak@third.org", initial_password: { env: "WEAK" } },
      { email: "no@third.org", initial_password: { env: "NONE" } }
    ],
    workspaces: [
      {
        slug: "third",
        members: [
          { email: anna!.email, state: "absent" },
          { email: "nobody@third.org", role: "viewer" }
        ]
      },
      { slug: "third-2" },
      { slug: "third-3", members: [{ email: anna!.email, role: "owner" }] }
    ],
    api_keys: declared.api_keys
  }
  const { code, errors, output } = await sheaf(
    { ...env, WEAK: "password12" },
    `apply ${written("third", wrong)} --json`
  )
  expect({ code, errors }).toEqual({ code: 1, errors: "sheaf: 6 refused\n" })
  expect(JSON.parse(output).data.map(({ detail, status }: any) => [status, detail])).toEqual([
    ["refused", expect.stringContaining("easy to guess")],
    ["refused", "NONE has no secret"],
    ["refused", expect.stringContaining("without an owner")],
    ["unchanged", null],
    ["refused", "No such user: nobody@third.org"],
    ["refused", expect.stringContaining("member with the role owner")],
    ["created", null],
    ["created", "role: owner"],
    ["refused", expect.stringContaining("another secret")]
  ])
  // The file of an existing key is not overwritten.
  expect(secret("third")).toBe(secret("first"))
})

it("refuses a file with unknown fields or wrong values before any change, with the lines", async () => {
  const file = join(place, "wrong.yaml")
  writeFileSync(
    file,
    `users:
  - email: wrong@example.org
    password: secret
workspaces:
  - slug: wrong
    seats: 0
    members:
      - email: wrong@example.org
`
  )
  const { code, errors } = await sheaf(env, `apply ${file}`)
  expect(code).toBe(1)
  for (const part of [
    /wrong\.yaml:3: users\.0\.password is not a known field/,
    /wrong\.yaml:6: workspaces\.0\.seats must be a whole number/,
    /wrong\.yaml:8: workspaces\.0\.members\.0 must have a role, or the state absent/
  ]) {
    expect(errors).toMatch(part)
  }
  expect(await sheaf(env, "apply -", "users:\n  - [\n")).toEqual(refused(/-:3: /))
  expect(await sheaf(env, "apply -", "users: [{email: a@b.org}, {email: A@B.org}]\n")).toEqual(
    refused(/-:1: users must not name one twice/)
  )
  expect(await sheaf(env, `apply ${join(place, "missing")}`)).toEqual(refused(/no such file/))
})

it("two runs at once make everything once", async () => {
  const file = written("both")
  const [one, other] = await Promise.all([0, 1].map(() => startCommand(env, `apply ${file} --json`).ended))
  expect([one!.code, other!.code]).toEqual([0, 0])
  expect([one!, other!].map(({ output }) => statuses(JSON.parse(output))).toSorted()).toEqual([
    all("created"),
    all("unchanged")
  ])
  expect(await statusOf(secret("both"))).toBe(200)
})

it("the run after a killed one completes it, with the secret of the file", async () => {
  for (let round = 0; round < rounds(2, 12); round++) {
    const name = `killed-${round}`
    const file = written(name)
    const { child, ended } = startCommand(env, `apply ${file}`)
    // The number of rows shows how far the run is: each round kills it one step later.
    const count = `SELECT (SELECT count(*) FROM users WHERE email LIKE '%@${name}.org') + (SELECT count(*) FROM members m
      JOIN workspaces w USING (workspace_id) WHERE w.slug = '${name}') AS count`
    while (child.exitCode === null && Number((await sql(count))[0]!.count) <= round % 5);
    child.kill("SIGKILL")
    await ended
    await done(env, `apply ${file}`)
    expect(await statusOf(secret(name))).toBe(200)
    expect(statuses(await done(env, `apply ${file}`))).toEqual(all("unchanged"))
  }
  // Killed after the secret was written, and before the key was made.
  const left = written("left")
  mkdirSync(join(place, "left", "secrets"))
  const { secret: prepared } = await done(env, "key make")
  writeFileSync(join(place, "left", "secrets", "ci"), `${prepared}\n`)
  await done(env, `apply ${left}`)
  expect(await statusOf(prepared)).toBe(200)
})
