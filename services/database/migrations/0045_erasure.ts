import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const aboutPeople = "('member', 'invitation', 'workspace')"

const statements = [
  // A deleted account whose end is not complete. `email_key`: null if the address was not confirmed.
  `CREATE TABLE account_deletions (
    user_id text COLLATE "C" PRIMARY KEY,
    home_id text COLLATE "C" NOT NULL,
    email_key text COLLATE "C",
    name text NOT NULL,
    by_operator boolean NOT NULL,
    deleted_at text COLLATE "C" NOT NULL
  )`,
  // The membership of a deleted account ends a moment after the account: it no longer counts as an owner.
  `CREATE OR REPLACE FUNCTION keep_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT 1 FROM workspaces WHERE workspace_id = OLD.workspace_id AND deleted_at IS NULL)
      AND NOT EXISTS (
        SELECT 1 FROM members m WHERE m.workspace_id = OLD.workspace_id AND m.role = 'owner'
          AND NOT EXISTS (SELECT 1 FROM account_deletions d WHERE d.user_id = m.user_id)
      )
    THEN
      RAISE EXCEPTION 'a workspace keeps an owner' USING ERRCODE = '23514', CONSTRAINT = 'members_last_owner';
    END IF;
    RETURN NULL;
  END $$`,
  // An entry may change in one way: a pseudonym replaces the address or the name of an erased person.
  `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_jsonb(NEW) - 'metadata' = to_jsonb(OLD) - 'metadata'
      AND NEW.metadata::jsonb - 'email' - 'name' = OLD.metadata::jsonb - 'email' - 'name'
      AND (NEW.metadata ->> 'email' IS NOT DISTINCT FROM OLD.metadata ->> 'email'
        OR NEW.metadata ->> 'email' LIKE 'us\\_%@erased.invalid')
      AND (NEW.metadata ->> 'name' IS NOT DISTINCT FROM OLD.metadata ->> 'name'
        OR NEW.resource_type = 'workspace' AND NEW.metadata ->> 'name' = 'Personal')
    THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit entries are never changed' USING ERRCODE = '23514', CONSTRAINT = 'audit_entries_unchanged';
  END $$`,
  // When the operator asked for the erasure of a deleted workspace, before its 31 days.
  `ALTER TABLE workspaces ADD COLUMN purge_at text COLLATE "C" CHECK (purge_at IS NULL OR deleted_at IS NOT NULL)`,
  // The entries that can have the address or the name of a person.
  `CREATE INDEX audit_entries_people ON audit_entries (workspace_id, id) WHERE resource_type IN ${aboutPeople}`,
  `CREATE INDEX changes_people ON changes (workspace_id, seq) WHERE resource IN ${aboutPeople}`
]

/** Deleted accounts, the erasure of their addresses and names, and the erasure of workspaces before their time. */
export const erasure = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
