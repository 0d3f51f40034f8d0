/** The settings of the embedded PostgreSQL: a small server on one machine that loses no data. */
const settings = {
  // Only a socket in a directory that other users cannot open, so that no password is needed.
  listen_addresses: "",
  unix_socket_permissions: "0700",
  // Allocated page by page when used: an idle server needs about 25 MB in total.
  shared_buffers: "128MB",
  // Commits survive a power loss.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // Without replication the log contains only data for recovery. pglz, the only compression in this build, costs more than
  // it saves.
  wal_level: "minimal",
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  wal_compression: "off",
  // Rare checkpoints write fewer full pages, and a recovery reads at most 1 GB. Between checkpoints the log grows to 1 GB at
  // most; an idle server keeps about 80 MB.
  checkpoint_timeout: "15min",
  max_wal_size: "1GB",
  min_wal_size: "80MB",
  wal_keep_size: 0,
  // For short queries on a small machine, compiling or parallelizing them costs more than it gains, and three reader
  // processes are not worth their memory.
  jit: "off",
  max_parallel_workers_per_gather: 0,
  io_method: "sync",
  // Small tables with counters are updated all the time.
  autovacuum: "on",
  autovacuum_naptime: "30s",
  // The same on every machine, instead of what initdb detects.
  timezone: "UTC",
  log_timezone: "UTC",
  // Sheaf receives and reports errors. Statements and values may contain notes of users, so the log omits them.
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off"
}

/** The arguments of the program: these settings, and those that differ between servers. */
export const argumentsOf = (own: {
  readonly socketDirectory: string
  readonly port: number
  readonly connections: number
  /** An id of this start: a connection can check that it reached the server of this start. */
  readonly start: string
}): ReadonlyArray<string> =>
  Object.entries({
    ...settings,
    max_connections: own.connections,
    unix_socket_directories: quoted(own.socketDirectory),
    port: own.port,
    "sheaf.start": own.start
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** PostgreSQL expects a list of directories: quotes protect a comma in the path. */
const quoted = (directory: string) => `"${directory.replaceAll(`"`, `""`)}"`
