import { aboutUsers } from "./0001_workspaces.ts"

/** The log of each workspace, sync, and stored responses. */
export const log: ReadonlyArray<string> = [
  // The log. `note_id`: the note that the record is or belongs to. `with_note`: the record followed its note into the
  // trash, or out of it. `via`: `Via` of services/writer/Actor.ts; null if the server made the change by itself.
  `CREATE TABLE changes (
    workspace_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    resource_id text COLLATE "C" NOT NULL,
    version int,
    actor_id text COLLATE "C",
    device_id text COLLATE "C",
    ip text,
    data json,
    occurred_at text COLLATE "C" NOT NULL,
    note_id text COLLATE "C",
    with_note boolean NOT NULL DEFAULT false,
    via json,
    conflict_of text COLLATE "C",
    PRIMARY KEY (workspace_id, seq)
  )`,
  // The changes of a note and of its parts: for its activity, and for its erasure.
  `CREATE INDEX changes_of_note ON changes (workspace_id, note_id, with_note, seq) WHERE note_id IS NOT NULL`,
  // The changes that settled a conflict of a note: few.
  `CREATE INDEX changes_of_conflict ON changes (workspace_id, conflict_of, seq) WHERE conflict_of IS NOT NULL`,
  `CREATE INDEX changes_people ON changes (workspace_id, seq) WHERE resource IN ${aboutUsers}`,
  `CREATE TABLE records (
    workspace_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    revision int NOT NULL CHECK (revision >= 1),
    deleted boolean NOT NULL,
    bytes int NOT NULL,
    changed_at text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C",
    device_id text COLLATE "C",
    PRIMARY KEY (workspace_id, type, id)
  )`,
  `CREATE INDEX records_tombstones ON records (changed_at) WHERE deleted`,
  // The only index on the order of a workspace's records: beside one on the order of all types, the planner took that
  // and read what a pull does not return. That no two records share a seq follows from `changes`, which their seqs come
  // from.
  `CREATE INDEX records_type ON records (workspace_id, type, deleted, seq)`,
  `CREATE TABLE devices (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    credential_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    platform text NOT NULL,
    last_sync_at text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  // Finds whose a device is.
  `CREATE INDEX devices_id ON devices (id)`,
  `CREATE TABLE mutations (
    workspace_id text COLLATE "C" NOT NULL,
    source_id text COLLATE "C" NOT NULL,
    mutation_id text COLLATE "C" NOT NULL,
    result json,
    created_at text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, source_id, mutation_id)
  )`,
  `CREATE INDEX mutations_age ON mutations (created_at)`,
  // Stored responses, for 24 hours. `result` is written with the change that it is the result of. `holder`: the number
  // that the `Presence` of the process that carries the request out holds.
  `CREATE TABLE idempotency_keys (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    claimed_at text COLLATE "C" NOT NULL,
    result text,
    answer text,
    resource_ids text[] NOT NULL DEFAULT '{}',
    erased boolean NOT NULL DEFAULT false,
    created_at text COLLATE "C" NOT NULL,
    holder int,
    PRIMARY KEY (workspace_id, id)
  )`,
  `CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`,
  // Finds the keys about a note. It adds some 500 bytes of PostgreSQL's log to a keyed write; a link table adds half of
  // that, and as much again when its rows end. The list of entries that are not sorted in yet stays short.
  `CREATE INDEX idempotency_keys_resources ON idempotency_keys USING gin (resource_ids) WITH (gin_pending_list_limit = 64)`
]
