import { expect } from "vitest"
import type { TestApp } from "../TestApp.ts"
import { expectTruth } from "./Truth.ts"

/** Invariants of users, members, sessions and keys: each query returns the rows that violate one. */
const violations: Readonly<Record<string, string>> = {
  "workspaces have no owner": `SELECT workspace_id FROM workspaces w WHERE deleted_at IS NULL AND NOT EXISTS (
    SELECT FROM members m WHERE m.workspace_id = w.workspace_id AND m.role = 'owner')`,
  "users are a member twice": `SELECT workspace_id, user_id FROM members GROUP BY 1, 2 HAVING count(*) > 1`,
  "members have no user, or no workspace": `SELECT workspace_id, id FROM members m
    WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = m.user_id)
      OR NOT EXISTS (SELECT FROM workspaces w WHERE w.workspace_id = m.workspace_id)`,
  "users do not own their personal workspace": `SELECT u.id FROM users u WHERE NOT EXISTS (
    SELECT FROM members m JOIN workspaces w ON w.workspace_id = m.workspace_id AND w.deleted_at IS NULL
    WHERE m.workspace_id = u.workspace_id AND m.user_id = u.id AND m.role = 'owner')`,
  "users share an address": "SELECT email_key FROM users GROUP BY 1 HAVING count(*) > 1",
  "sessions have no user": `SELECT id FROM sessions s WHERE NOT EXISTS (
    SELECT FROM users u WHERE u.id = s.user_id AND u.workspace_id = s.workspace_id)`,
  "refresh tokens have no session": `SELECT hash FROM refresh_tokens r WHERE NOT EXISTS (
    SELECT FROM sessions s WHERE s.workspace_id = r.workspace_id AND s.id = r.session_id)`,
  "sessions do not have exactly one unused refresh token": `SELECT s.id FROM sessions s
    LEFT JOIN refresh_tokens r ON r.workspace_id = s.workspace_id AND r.session_id = s.id AND r.used_at IS NULL
    GROUP BY s.workspace_id, s.id HAVING count(r.hash) <> 1`,
  "keys belong to users who are not members": `SELECT id FROM api_keys k WHERE NOT EXISTS (
    SELECT FROM members m WHERE m.workspace_id = k.workspace_id AND m.user_id = k.user_id)`,
  "an invitation is open and accepted": "SELECT id FROM invitations WHERE open AND accepted_at IS NOT NULL",
  "an address has two open invitations": `SELECT workspace_id, email_key FROM invitations WHERE open
    GROUP BY 1, 2 HAVING count(*) > 1`,
  "logs have no workspace, or workspaces no log": `SELECT h.workspace_id, w.workspace_id FROM heads h
    FULL JOIN workspaces w ON w.workspace_id = h.workspace_id WHERE h.workspace_id IS NULL OR w.workspace_id IS NULL`
}

/** Checks the invariants of users, and those of each workspace. */
export const expectPeopleInOrder = async (app: TestApp): Promise<void> => {
  const found = await Promise.all(
    Object.entries(violations).map(async ([name, text]) => [name, await app.sql(text)] as const)
  )
  expect(Object.fromEntries(found.filter(([, rows]) => rows.length > 0))).toEqual({})
  for (const { workspace_id } of await app.sql("SELECT workspace_id FROM workspaces")) {
    await expectTruth({ ...app, workspace_id })
  }
}
