import { Effect, Layer } from "effect"
import { CheckRuns } from "../../services/admin/CheckRuns.ts"
import { Nodes } from "../../services/admin/Nodes.ts"
import { RateCounters } from "../../services/limits/RateCounters.ts"
import { Markdown } from "../../services/markdown/Markdown.ts"
import { SearchThread } from "../../services/search/SearchThread.ts"
import { BackupSchedule } from "../../services/backup/BackupSchedule.ts"
import { RestoreDrills } from "../../services/backup/RestoreDrills.ts"
import { BlobWatch } from "../../services/files/BlobWatch.ts"
import { Committer } from "../../services/writer/Committer.ts"
import { poolSizes } from "../../services/database/Database.ts"
import { DiskSpace } from "../../services/files/DiskSpace.ts"
import { Writer } from "../../services/writer/Writer.ts"
import { Feeds } from "../../services/sync/Feeds.ts"
import { Streams } from "../../services/sync/Streams.ts"
import { Admission } from "./http/server/Admission.ts"
import { Connections } from "./http/server/Connections.ts"
import { LargeBodies } from "./http/server/LargeBodies.ts"
import { Registry } from "./metrics/Registry.ts"
import { build } from "./Version.ts"

/** Gauges and counters of the services, read when metrics are requested. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const readings = new Registry(yield* Effect.context<never>())
    const writer = yield* Writer
    const committer = yield* Committer
    const streams = yield* Streams
    const feeds = yield* Feeds
    const searches = yield* SearchThread
    const markdown = yield* Markdown
    const connections = yield* Connections
    const admission = yield* Admission
    const bodies = yield* LargeBodies
    const files = yield* BlobWatch
    const nodes = yield* Nodes
    const checks = yield* CheckRuns
    const { isShared } = yield* RateCounters
    const gauge = (name: string, description: string, read: () => number) => readings.gauge({ name, description }, read)

    readings.gauge(
      {
        name: "sheaf_build_info",
        description: "1, with the version of Sheaf, and the time of its commit",
        attributes: { version: build.version, date: build.date ?? "" }
      },
      () => 1
    )
    gauge(
      "sheaf_clock_skew_seconds",
      "Seconds by which the clock of this machine is ahead of the database's clock; negative if it is behind",
      () => nodes.skew() / 1000
    )
    gauge("sheaf_files_up", "1 while files can be reached, in the bucket or in DATA_DIR", () =>
      files.outage() === undefined ? 1 : 0
    )
    gauge(
      "sheaf_checks_faulty",
      "Checks that found faults in the last run on any node, which each node reads once an hour",
      () => checks.faulty().length
    )
    const backups = yield* BackupSchedule
    if (backups.isOn) {
      gauge("sheaf_backups_up", "1 while scheduled backups succeed on time", () =>
        backups.alarm() === undefined ? 1 : 0
      )
      gauge(
        "sheaf_backup_last_success_timestamp_seconds",
        "When the last successful backup in BACKUP_TO began, in Unix seconds; 0 if there is none",
        () => (backups.succeededAt() ?? 0) / 1000
      )
    }
    const drills = yield* RestoreDrills
    if (drills.isOn) {
      gauge("sheaf_backup_drills_up", "1 while restore drills succeed on time", () =>
        drills.alarm() === undefined ? 1 : 0
      )
      gauge(
        "sheaf_backup_drill_last_success_timestamp_seconds",
        "When the last successful restore drill began, in Unix seconds; 0 if there is none",
        () => (drills.succeededAt() ?? 0) / 1000
      )
    }
    const disk = yield* DiskSpace
    gauge("sheaf_disk_free_bytes", "Free bytes on the disk of DATA_DIR", () => disk.space().free)
    gauge("sheaf_disk_size_bytes", "Size of the disk of DATA_DIR in bytes", () => disk.space().size)
    gauge("sheaf_disk_full", "1 while the disk of DATA_DIR is full and only reads and deletions are accepted", () =>
      disk.isFull() ? 1 : 0
    )
    gauge("sheaf_http_requests_in_flight", "Requests in progress, including open streams", connections.inProgress)
    gauge("sheaf_http_requests_waiting", "Requests that wait in the fair queue of callers", admission.waiting)
    gauge("sheaf_http_connections", "Open connections", connections.open)
    for (const why of ["dropped", "stalled", "unread", "pipelined"] as const) {
      readings.counter(
        {
          name: "sheaf_http_connections_ended_total",
          description:
            "Connections that were closed because there were too many, or because the client stopped reading or sending",
          attributes: { why }
        },
        () => connections.ended()[why]
      )
    }
    gauge("sheaf_http_large_body_bytes", "Bytes of large bodies of requests in progress", bodies.held)
    gauge("sheaf_streams_open", "Open event streams", streams.count)
    gauge("sheaf_feeds_open", "Workspaces whose changes are sent to live clients", feeds.count)
    gauge(
      "sheaf_stream_lag_seconds",
      "For how long the feed that is furthest behind has missed committed changes; 0 if none has",
      () => feeds.lag() / 1000
    )
    gauge("sheaf_writer_workspaces", "Workspaces whose state the writer has in memory", () => writer.held().workspaces)
    gauge("sheaf_writer_workspaces_active", "Workspaces that are being written to", () => writer.held().active)
    gauge("sheaf_writer_rows_held", "Rows that the writer has in memory", () => writer.held().rows)
    gauge("sheaf_writer_waiting", "Writes that wait for the writer of their workspace", () => writer.held().waiting)
    gauge("sheaf_committer_waiting", "Drafts that wait for a flush", committer.waiting)
    gauge("sheaf_search_indexes", "Workspaces whose search index is in memory", () => searches.held().workspaces)
    gauge("sheaf_search_index_bytes", "Approximate memory of the search indexes in bytes", () => searches.held().bytes)
    gauge("sheaf_search_index_files", "Files of the search indexes", () => searches.held().files)
    gauge(
      "sheaf_search_index_file_bytes",
      "Size of the files of the search indexes in bytes",
      () => searches.held().fileBytes
    )
    gauge(
      "sheaf_search_lag_seconds",
      "Seconds since all search indexes in memory had every change: up to 2 is usual; 0 if none is in memory",
      () => searches.lag() / 1000
    )
    gauge("sheaf_markdown_cache_bytes", "Approximate memory of cached rendered notes in bytes", () => markdown.held())
    if (isShared !== undefined)
      gauge("sheaf_redis_up", "1 while rate limits use Redis, 0 while they are counted in memory", () =>
        isShared() ? 1 : 0
      )
    for (const [pool, size] of Object.entries(poolSizes)) {
      readings.gauge(
        {
          name: "sheaf_database_pool_size",
          description: "Maximum number of connections of a pool",
          attributes: { pool }
        },
        () => size
      )
    }
  })
)
