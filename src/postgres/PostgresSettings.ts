/** The settings that the embedded PostgreSQL is started with: a small server, on one machine, that loses nothing. */
const settings = {
  // Reached by the socket alone, which lies in a directory closed to others: no password is needed.
  listen_addresses: "",
  unix_socket_permissions: "0700",
  // Taken page by page as it is used: an idle server stays at some 25 MB in all.
  shared_buffers: "128MB",
  // What is committed survives a power loss.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // Nobody replicates from it, so the log carries only what recovery needs; pglz, all that this build has, costs more than it saves.
  wal_level: "minimal",
  max_wal_senders: 0,
  max_logical_replication_workers: 0,
  wal_compression: "off",
  // Rare checkpoints write fewer full pages; a recovery still has at most 1 GB to read. Between checkpoints the log takes up
  // to that, and idle about 80 MB; nothing else keeps it.
  checkpoint_timeout: "15min",
  max_wal_size: "1GB",
  min_wal_size: "80MB",
  wal_keep_size: 0,
  // Short queries on a small machine: compiling them or spreading one over the cores costs more than it gains,
  // and three reader processes are not worth their memory.
  jit: "off",
  max_parallel_workers_per_gather: 0,
  io_method: "sync",
  // Counters are rewritten all the time in small tables.
  autovacuum: "on",
  autovacuum_naptime: "30s",
  // The same on every machine, whatever initdb found there.
  timezone: "UTC",
  log_timezone: "UTC",
  // Errors reach Sheaf, which reports them; their statements and values may be somebody's notes and stay out of the log.
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_checkpoints: "off"
}

/** The arguments of the program: these settings, and those that differ from server to server. */
export const argumentsOf = (own: {
  readonly socketDirectory: string
  readonly port: number
  readonly connections: number
}): ReadonlyArray<string> =>
  Object.entries({
    ...settings,
    max_connections: own.connections,
    unix_socket_directories: quoted(own.socketDirectory),
    port: own.port
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** A list of directories is what PostgreSQL expects: quotes keep a comma in the path from parting it. */
const quoted = (directory: string) => `"${directory.replaceAll(`"`, `""`)}"`
