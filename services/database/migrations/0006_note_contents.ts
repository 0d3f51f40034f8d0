import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Names by which links find notes, and the rows that are read from the texts of notes (contract 5, Contents of notes). */
const statements = [
  // Titles that notes had, with the notebook in which they had them.
  `CREATE TABLE former_names (
    workspace_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    notebook_id text COLLATE "C" NOT NULL,
    until text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, name_key, note_id, notebook_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes ON DELETE CASCADE
  )`,
  `CREATE INDEX former_names_age ON former_names (until)`,
  `CREATE INDEX former_names_note ON former_names (workspace_id, note_id)`,
  // Up to which place of the log the rows below are complete. \`turn\` counts their changes. \`tree\`: a hash of the
  // names and places of all notebooks.
  `CREATE TABLE content_places (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES heads,
    epoch text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    turn bigint NOT NULL,
    tree text COLLATE "C" NOT NULL,
    read_at text COLLATE "C" NOT NULL
  )`,
  // \`version\`: the version that was read. \`body_hash\`: of its text. \`identity\`: all that links find the note by. \`anchors\`: the places in it
  // that links can lead to. \`resolve_at\`: when its links are to be resolved again; empty for at once.
  `CREATE TABLE note_contents (
    workspace_id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    version int NOT NULL,
    body_hash text COLLATE "C" NOT NULL,
    identity text COLLATE "C" NOT NULL,
    anchors text[] NOT NULL,
    has_paths boolean NOT NULL,
    resolve_at text COLLATE "C",
    PRIMARY KEY (workspace_id, note_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes ON DELETE CASCADE
  )`,
  `CREATE INDEX note_contents_due ON note_contents (workspace_id, resolve_at) WHERE resolve_at IS NOT NULL`,
  `CREATE INDEX note_contents_paths ON note_contents (workspace_id) WHERE has_paths`,
  // \`start_at\`, \`end_at\`: where the link is in the body, in UTF-16 code units.
  `CREATE TABLE note_links (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    target text NOT NULL,
    start_at int NOT NULL,
    end_at int NOT NULL,
    line int NOT NULL,
    text text NOT NULL,
    context text NOT NULL,
    status text COLLATE "C" NOT NULL,
    resolved_by text COLLATE "C",
    target_id text COLLATE "C",
    anchor text NOT NULL,
    candidates text[] NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES note_contents ON DELETE CASCADE,
    CHECK ((status = 'resolved') = (target_id IS NOT NULL))
  )`,
  `CREATE INDEX note_links_from ON note_links (workspace_id, note_id, id)`,
  `CREATE INDEX note_links_to ON note_links (workspace_id, target_id, id)`,
  `CREATE INDEX note_links_status ON note_links (workspace_id, status, id)`,
  `CREATE INDEX note_links_broken ON note_links (workspace_id, (status IN ('missing', 'ambiguous')), id)`,
  // Names and ids of notes on which the links of a note depend.
  `CREATE TABLE note_link_keys (
    workspace_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, key, note_id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES note_contents ON DELETE CASCADE
  )`,
  `CREATE INDEX note_link_keys_from ON note_link_keys (workspace_id, note_id)`,
  // Dates without a value are `~`, which sorts last.
  `CREATE TABLE note_tasks (
    workspace_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    notebook_id text COLLATE "C" NOT NULL,
    archived boolean NOT NULL,
    line int NOT NULL,
    done boolean NOT NULL,
    source text NOT NULL,
    text text NOT NULL,
    due text COLLATE "C" NOT NULL,
    scheduled text COLLATE "C" NOT NULL,
    start text COLLATE "C" NOT NULL,
    completed text COLLATE "C" NOT NULL,
    priority text COLLATE "C",
    tags text[] NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, note_id) REFERENCES note_contents ON DELETE CASCADE
  )`,
  `CREATE INDEX note_tasks_of_note ON note_tasks (workspace_id, note_id, line)`,
  `CREATE INDEX note_tasks_due ON note_tasks (workspace_id, archived, done, due, id)`,
  `CREATE INDEX note_tasks_of_notebook ON note_tasks (workspace_id, notebook_id, archived, done, due, id)`,
  // A row for each value; one without a value for a property without one. \`value\`: in an order of all types.
  `CREATE TABLE note_properties (
    workspace_id text COLLATE "C" NOT NULL,
    name_key text COLLATE "C" NOT NULL,
    note_id text COLLATE "C" NOT NULL,
    ordinal int NOT NULL,
    name text NOT NULL,
    type text COLLATE "C",
    value text COLLATE "C" NOT NULL,
    text text NOT NULL,
    is_list boolean NOT NULL,
    PRIMARY KEY (workspace_id, name_key, note_id, ordinal),
    FOREIGN KEY (workspace_id, note_id) REFERENCES note_contents ON DELETE CASCADE
  )`,
  `CREATE INDEX note_properties_of_note ON note_properties (workspace_id, note_id)`,
  `CREATE INDEX note_properties_value ON note_properties (workspace_id, name_key, value, note_id)`
]

export const noteContents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
