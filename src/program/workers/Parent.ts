import { Effect, Layer } from "effect"
import { Database } from "../../../services/database/Database.ts"
import * as Passwords from "../../../services/identity/Passwords.ts"
import * as ParentCounters from "../../../services/limits/ParentCounters.ts"
import { makeSlowTurnHandler } from "../../../services/limits/PasswordGuesses.ts"
import { RateCounters } from "../../../services/limits/RateCounters.ts"
import { HeldLimits } from "../../../services/concurrency/HeldLimit.ts"
import * as SearchLink from "../../../services/search/SearchLink.ts"
import { SearchThread } from "../../../services/search/SearchThread.ts"
import { MergedMetrics } from "../../server/metrics/MergedMetrics.ts"
import { ConfigError, type Settings } from "../../server/settings/Config.ts"
import { version } from "../../server/Version.ts"
import * as Bootstrap from "../Bootstrap.ts"
import * as Ports from "../Ports.ts"
import * as Telemetry from "../Telemetry.ts"
import * as UpgradeBackups from "../UpgradeBackups.ts"
import * as Workers from "./Workers.ts"

/**
 * The parent of the workers of a server (WORKERS). It serves no request. It has once what they share: the database, the search
 * indexes, the counts of limits.
 */
export const run = (settings: Settings) =>
  Effect.gen(function* () {
    if (process.versions["deno"] !== undefined) {
      return yield* new ConfigError({ message: "WORKERS must be 1: Deno cannot share a port between processes" })
    }
    const { address } = yield* Database
    const limits = new HeldLimits()
    const metrics = new MergedMetrics()
    const counters = yield* RateCounters
    const thread = yield* SearchThread
    yield* Bootstrap.prepare(settings, UpgradeBackups.make(settings))
    const collect = (askAll: Workers.AskAll) =>
      Effect.map(askAll("metrics"), (texts) => {
        for (const [worker, text] of texts) metrics.take(worker, text as string)
      })
    return yield* Workers.run({
      count: settings.workers,
      start: { node: crypto.randomUUID(), version, ...("url" in address ? {} : { database: address }) },
      patience: (settings.shutdownDelay + 30) * 1_000,
      handlers: (askAll) => ({
        count: ParentCounters.handler(counters),
        hold: limits.handler,
        password: Passwords.makeHandler(),
        "slow turn": makeSlowTurnHandler(),
        metrics: () => Effect.map(collect(askAll), () => metrics.text),
        ...SearchLink.handlers(thread)
      }),
      // The counters of the worker that ends are known until then.
      onReplace: collect,
      onEnd: (worker) => {
        limits.end(worker)
        metrics.end(worker)
      }
    })
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        SearchThread.layer({ directory: Ports.searchFolder(settings), maxBytes: settings.searchMemory }),
        RateCounters.layerMemory
      ).pipe(Layer.provideMerge(Ports.forParent(settings)), Layer.provideMerge(Telemetry.layer(settings)))
    )
  )
