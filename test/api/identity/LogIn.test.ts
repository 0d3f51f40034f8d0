import { Effect } from "effect"
import { describe, expect, it, vi } from "vitest"
import { Passwords } from "../../../services/identity/Passwords.ts"
import { logIn, password, register, unsigned } from "../../support/people/People.ts"
import { statementsOf } from "../../support/Statements.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { trustedProxies: ["127.0.0.1"] } })

const from = (ip: string) => ({ "x-forwarded-for": ip })

const works = async (token: string) =>
  (await app.call("GET", "/me", undefined, { authorization: `Bearer ${token}` })).status

const actions = async (workspace_id: string): Promise<ReadonlyArray<string>> =>
  (await app.sql("SELECT action FROM audit_entries WHERE workspace_id = $1 ORDER BY id", [workspace_id])).map(
    ({ action }) => action
  )

describe("POST /auth/login", () => {
  it("creates a session for the password, with the address in any case, and records it in the audit log", async () => {
    const known = await register(app)
    const again = await logIn(app, known.email.toUpperCase(), { device: { name: "Desk", platform: "linux" } })
    expect(again.user_id).toBe(known.user_id)
    expect(again.workspace_id).toBe(known.workspace_id)
    expect(again.session_id).not.toBe(known.session_id)
    expect(await works(again.access)).toBe(200)
    expect(await works(known.access)).toBe(200)
    expect((await actions(known.workspace_id)).slice(-3)).toEqual([
      "device.registered",
      "session.created",
      "auth.logged_in"
    ])
  })

  it("accepts the password in another Unicode normal form", async () => {
    const { email } = await register(app, { password: "passwörter sind gut" })
    expect(
      (await unsigned(app, "/auth/login", { email, password: "passwörter sind gut".normalize("NFD") })).status
    ).toBe(200)
  })

  it("uses the known device, and rejects an invalid device id", async () => {
    const known = await register(app, { device: { name: "Phone", platform: "ios" } })
    const again = await logIn(app, known.email, { device: { id: known.device_id } })
    expect(again.device_id).toBe(known.device_id)
    const { body } = await app.call("GET", "/sync/devices", undefined, again.headers)
    expect(body.data).toMatchObject([{ id: known.device_id, name: "Phone", platform: "ios", current: true }])
    const nonsense = await unsigned(app, "/auth/login", { email: known.email, password, device: { id: "phone" } })
    expect([nonsense.status, nonsense.body.errors[0].field]).toEqual([422, "device.id"])
  })

  it("gives priority to users who signed in within 90 days from the same device or network", async () => {
    const verify = vi.spyOn(await app.run(Effect.service(Passwords)), "verify")
    const known = await unsigned(app, "/auth/register", { email: "known@sheaf.test", password }, from("198.51.100.7"))
    const priorityOf = async (email: string, ip: string, device: object = {}) => {
      await unsigned(app, "/auth/login", { email, password: "a wrong password", device }, from(ip))
      const { key, priority } = verify.mock.lastCall![2]
      expect(Array.isArray(key) && key[0] === known.body.user.id).toBe(priority === "first")
      return priority
    }
    expect(await priorityOf("known@sheaf.test", "198.51.100.8")).toBe("first")
    expect(await priorityOf("known@sheaf.test", "203.0.113.1")).toBe("normal")
    expect(await priorityOf("known@sheaf.test", "203.0.113.2", { id: known.body.device_id })).toBe("first")
    expect(await priorityOf("unknown@sheaf.test", "198.51.100.9")).toBe("normal")
    for (let wrong = 0; wrong < 21; wrong++) {
      await unsigned(app, "/auth/login", { email: `guess-${wrong}@sheaf.test`, password }, from("203.0.113.9"))
    }
    expect(await priorityOf("unknown@sheaf.test", "203.0.113.9")).toBe("low")
    await app.sql("UPDATE sessions SET last_active_at = '2025-11-01T00:00:00.000Z' WHERE ip = '198.51.100.7'")
    expect(await priorityOf("known@sheaf.test", "198.51.100.8")).toBe("normal")
    verify.mockRestore()
  })

  it("returns the same error for a wrong password and an unknown address, with the same SQL statements", async () => {
    const { email, workspace_id } = await register(app)
    const tried = (address: string) =>
      statementsOf(app, /users|audit/, () =>
        unsigned(app, "/auth/login", { email: address, password: "not the password" })
      )
    const wrong = await tried(email)
    const unknown = await tried("nobody@sheaf.test")
    expect(wrong.statements.length).toBeGreaterThan(1)
    expect(unknown.statements).toEqual(wrong.statements)
    for (const { answer } of [wrong, unknown]) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /)
    }
    const { request_id: _, ...first } = wrong.answer.body
    const { request_id: __, ...second } = unknown.answer.body
    expect(first).toEqual(second)
    expect(first.code).toBe("invalid_credentials")
    const [entry] = await app.sql(
      "SELECT action, actor_id, ip FROM audit_entries WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1",
      [workspace_id]
    )
    expect(entry).toEqual({ action: "auth.login_failed", actor_id: null, ip: "127.0.0.1" })
  })

  it("keeps at most a hundred sessions per user, and ends the one that was idle longest", async () => {
    const { email, session_id, workspace_id } = await register(app)
    await app.sql(
      `INSERT INTO sessions SELECT workspace_id, id || n, user_id, device_id, device_name, platform, access_hash || n,
        access_expires_at, NULL, NULL, user_agent, ip, '2026-03-02', created_at, expires_at, authenticated_at
      FROM sessions, generate_series(1, 99) n WHERE workspace_id = $1`,
      [workspace_id]
    )
    await logIn(app, email)
    const left = await app.sql("SELECT id FROM sessions WHERE workspace_id = $1", [workspace_id])
    expect(left).toHaveLength(100)
    expect(left.map(({ id }) => id)).not.toContain(session_id)
  })
})
