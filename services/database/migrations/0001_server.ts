/** The installation. */
export const server: ReadonlyArray<string> = [
  // The fingerprint of the SECRET_KEY that seals what this database holds: one row.
  `CREATE TABLE secret_key (
    id int PRIMARY KEY CHECK (id = 1),
    fingerprint text NOT NULL
  )`,
  // Attempts to back up this database. A backup does not contain them, because they are about one installation.
  `CREATE TABLE backups (
    id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('scheduled', 'manual')),
    target text NOT NULL,
    encrypted boolean NOT NULL,
    started_at text COLLATE "C" NOT NULL,
    ended_at text COLLATE "C",
    bytes bigint CHECK (bytes >= 0),
    error text,
    CHECK (num_nonnulls(bytes, error) = num_nonnulls(ended_at))
  )`,
  // One attempt runs at a time.
  `CREATE UNIQUE INDEX backups_running ON backups ((true)) WHERE ended_at IS NULL`,
  // When operators last received a mail about each kind of alarm. A backup does not contain it.
  `CREATE TABLE alarms (
    kind text COLLATE "C" PRIMARY KEY,
    mailed_at text COLLATE "C" NOT NULL
  )`,
  // The running nodes, each with the time at which it last wrote its row.
  `CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    host text NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    memory_bytes bigint NOT NULL,
    started_at text COLLATE "C" NOT NULL,
    seen_at text COLLATE "C" NOT NULL
  )`,
  // The last runs of the checks of the whole server. One runs at a time.
  `CREATE TABLE check_runs (
    id text COLLATE "C" PRIMARY KEY,
    started_at text COLLATE "C" NOT NULL,
    seen_at text COLLATE "C" NOT NULL,
    ended_at text COLLATE "C",
    results json NOT NULL
  )`,
  `CREATE UNIQUE INDEX check_runs_running ON check_runs ((true)) WHERE ended_at IS NULL`,
  // Measurements of all nodes in a minute, an hour or a day, one row for each. `at`: when it begins. `latency`: counts
  // of requests by duration.
  `CREATE TABLE series_points (
    resolution text COLLATE "C" NOT NULL CHECK (resolution IN ('minute', 'hour', 'day')),
    at text COLLATE "C" NOT NULL,
    requests float8,
    refused float8,
    errors float8,
    open_streams float8,
    stream_lag float8,
    search_lag float8,
    mails_waiting float8,
    transfers_waiting float8,
    webhook_deliveries_waiting float8,
    reminder_pushes_waiting float8,
    mails_overdue float8,
    transfers_overdue float8,
    webhook_deliveries_overdue float8,
    reminder_pushes_overdue float8,
    file_bytes float8,
    text_bytes float8,
    database_bytes float8,
    memory_bytes float8,
    latency float8[] NOT NULL,
    PRIMARY KEY (resolution, at)
  )`
]
