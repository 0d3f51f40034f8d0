import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The change of an address or a name by an operator is recorded with the old value and the new one. The erasure of the
 * user removes both from the entry.
 */
export const erasedChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_jsonb(NEW) - 'metadata' = to_jsonb(OLD) - 'metadata' AND (
      (
        NEW.metadata::jsonb - 'email' - 'name' = OLD.metadata::jsonb - 'email' - 'name'
        AND (NEW.metadata ->> 'email' IS NOT DISTINCT FROM OLD.metadata ->> 'email'
          OR NEW.metadata ->> 'email' LIKE 'us\\_%@erased.invalid')
        AND (NEW.metadata ->> 'name' IS NOT DISTINCT FROM OLD.metadata ->> 'name'
          OR NEW.resource_type = 'workspace' AND NEW.metadata ->> 'name' = 'Personal')
      )
      OR NEW.action IN ('auth.email_changed', 'auth.name_changed')
        AND NEW.metadata::jsonb = OLD.metadata::jsonb - 'from' - 'to'
    )
    THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'audit entries are never changed' USING ERRCODE = '23514', CONSTRAINT = 'audit_entries_unchanged';
  END $$`)
})
