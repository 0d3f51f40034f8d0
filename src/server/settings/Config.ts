import { type AlarmSettings, alarmSettings } from "./AlarmSettings.ts"
import { Effect, Redacted } from "effect"
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { checkRecipients } from "../../../services/backup/BackupEncryption.ts"
import { isInBucket, parseBucketPath } from "../../../services/backup/BackupPlaces.ts"
import { type AuditDestination, parseDestination } from "../../../services/activity/audit/AuditDestination.ts"
import { isEmail } from "../../../services/Email.ts"
import type { Access, Place } from "../../../services/files/S3Place.ts"
import { isAllowed } from "../../../services/outgoing/AllowList.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { planDefaults, type Policies } from "../../../services/workspaces/Plans.ts"
import { bootstrapPassword, breachedPasswords } from "./PasswordSettings.ts"
import { parsePlanLimits, planLimitsShape } from "./PlanLimits.ts"
import {
  baseUrl,
  interval,
  isHost,
  isNetwork,
  oneOf,
  parseKey,
  parseList,
  parsePairs,
  plainUrl,
  publicUrlOf,
  reachableHost,
  redis,
  smtp,
  text,
  url,
  whole,
  workers
} from "./SettingParsers.ts"
import { loadProviders, type SignInSettings } from "./ProviderSettings.ts"
import { s3 } from "./S3Settings.ts"
import { ConfigError, secretVariable, variable } from "./Variables.ts"

export { ConfigError, type ReadVariable, VariableReader } from "./Variables.ts"

/** The address of the first user if BOOTSTRAP_EMAIL is not set. */
export const defaultBootstrapEmail = "owner@localhost"

export interface Settings extends SignInSettings {
  readonly port: number
  readonly host: string
  /** Without a trailing slash and without `/v2`. */
  readonly publicUrl: string
  readonly dataDir: string
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly secretKey: Redacted.Redacted<Uint8Array> | undefined
  readonly secretKeyPrevious: Redacted.Redacted<Uint8Array> | undefined
  readonly streamsPerCredential: number
  /** Maximum bytes of memory of all search indexes together. */
  readonly searchMemory: number
  readonly bootstrapEmail: string | undefined
  readonly bootstrapApiKey: Redacted.Redacted | undefined
  readonly bootstrapPassword: Redacted.Redacted | undefined
  /** The Redis through which nodes share rate limits; without it each node counts alone. */
  readonly redisUrl: Redacted.Redacted | undefined
  /** The store of buckets. */
  readonly s3Access: Access | undefined
  /** The bucket in which files are stored; without it they are in DATA_DIR. */
  readonly s3: Place | undefined
  /** The directory or the s3:// URL in which backups are stored by default. */
  readonly backupTo: string | undefined
  /** The age recipients for whom backups are encrypted by default. */
  readonly backupRecipients: ReadonlyArray<string>
  /** Milliseconds between scheduled backups; without it none are made. */
  readonly backupEvery: number | undefined
  /** Number of scheduled backups that are kept. */
  readonly backupKeep: number
  /** Milliseconds between restore drills of the newest backup; without it none are made. */
  readonly backupVerifyEvery: number | undefined
  /** Without it, mail is written to DATA_DIR/outbox. */
  readonly smtpUrl: Redacted.Redacted | undefined
  readonly mailFrom: string | undefined
  readonly policies: Policies
  /** Networks whose Forwarded and X-Forwarded-For headers are trusted, in CIDR notation. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Hosts and networks exempt from the checks of webhook addresses. */
  readonly webhookAllow: ReadonlyArray<string>
  /** The folder with the hashes of breached passwords. */
  readonly breachedPasswords: string | undefined
  /** Requests per minute and credential, instead of the plan's limit; 0 for no limit. */
  readonly rateLimit: number | undefined
  /** Seconds from a signal until the server stops listening, in which load balancers switch to other nodes. */
  readonly shutdownDelay: number
  /** Number of processes that serve requests. */
  readonly workers: number
  /** log2 of scrypt's N. */
  readonly passwordCost: number
  /** Whether the last requests of API keys are kept. */
  readonly keyRequests: boolean
  /** The token that `/metrics` requires; without it, only this machine can read `/metrics`. */
  readonly metricsToken: Redacted.Redacted | undefined
  /** The collector to which spans, metrics and logs are sent. */
  readonly otlp:
    | {
        readonly endpoint: string
        readonly headers: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
        readonly protocol: "http/protobuf" | "http/json"
        readonly serviceName: string
      }
    | undefined
  readonly alarms: AlarmSettings
  readonly logLevel: LogLevel
  readonly logFormat: "json" | "pretty"
  /** Where the entries of all audit logs are written too. */
  readonly auditLog: AuditDestination | undefined
  /** Whether the server checks itself once a day, as `sheaf doctor --quick` does. */
  readonly dailyChecks: boolean
  /** Prints nothing but log lines, for use inside another program. */
  readonly quiet: boolean
}

const levels = ["trace", "debug", "info", "warn", "error"] as const
type LogLevel = (typeof levels)[number]

/** The variables are those of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const otlp = Effect.gen(function* () {
  const endpoint = yield* variable("OTEL_EXPORTER_OTLP_ENDPOINT", plainUrl, baseUrl)
  const headers = yield* secretVariable(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "name=value pairs separated by commas",
    parsePairs
  )
  const protocols = ["http/protobuf", "http/json"] as const
  const protocol = yield* variable("OTEL_EXPORTER_OTLP_PROTOCOL", protocols.join(" or "), oneOf(protocols))
  const serviceName = (yield* variable("OTEL_SERVICE_NAME", "a name", text(/^(?=.*\S)[^\p{Cc}]{1,255}$/u))) ?? "sheaf"
  return endpoint === undefined ? undefined : { endpoint, headers, protocol: protocol ?? "http/protobuf", serviceName }
})

/** The recipients of backups, each checked as a backup would use it. */
const backupRecipients = Effect.gen(function* () {
  const recipients = yield* variable(
    "BACKUP_RECIPIENT",
    "age recipients, separated by commas",
    parseList(() => true)
  )
  if (recipients === undefined) return []
  yield* Effect.mapError(
    checkRecipients(recipients),
    () => new ConfigError({ message: `BACKUP_RECIPIENT must be age recipients (age1...), separated by commas` })
  )
  return recipients
})

const policies = Effect.gen(function* () {
  const signUp = (yield* variable("SIGN_UP", "open or invite", oneOf(["open", "invite"]))) ?? "invite"
  const planChanges = yield* variable("PLAN_CHANGES", "owner or operator", oneOf(["owner", "operator"]))
  const limits = yield* variable("PLAN_LIMITS", planLimitsShape, parsePlanLimits)
  return {
    signUp,
    planChanges: planChanges ?? (signUp === "open" ? "operator" : "owner"),
    limits: limits ?? planDefaults,
    // With open sign-up a user owns at most ten workspaces (contract 4, Plans).
    ownedWorkspaces: signUp === "open" ? 10 : 0
  } satisfies Policies
})

/** Checked here, because Node ignores a file that it cannot use, and TLS connections would fail later. */
const isCertificateFile = (file: string): boolean => {
  try {
    return new X509Certificate(readFileSync(file)).subject !== undefined
  } catch {
    return false
  }
}

/** Reads every environment variable, once (contract 1). */
export const load: Effect.Effect<Settings, ConfigError> = Effect.gen(function* () {
  yield* variable("NODE_EXTRA_CA_CERTS", "a PEM file with certificates that this user may read", (file) =>
    isCertificateFile(file) ? file : undefined
  )
  const port = (yield* variable("PORT", "a port number from 0 to 65535", whole(0, 65535))) ?? 4000
  const host =
    (yield* variable("HOST", "a host name or address", (text) => (isHost(text) ? text : undefined))) ?? "127.0.0.1"
  const publicUrl = yield* variable("PUBLIC_URL", `${plainUrl}, and without /v2, which is added to it`, publicUrlOf)
  const databaseUrl = yield* secretVariable("DATABASE_URL", "a postgres:// URL", (text) =>
    url("postgres:", "postgresql:")(text) === undefined ? undefined : Redacted.make(text)
  )
  const key = "32 bytes in base64, such as from: openssl rand -base64 32"
  const secretKey = yield* secretVariable("SECRET_KEY", key, parseKey)
  if (databaseUrl !== undefined && secretKey === undefined) {
    return yield* new ConfigError({ message: `SECRET_KEY is required with DATABASE_URL: ${key}` })
  }
  const backupTo = yield* variable("BACKUP_TO", "a directory, or a bucket such as s3://bucket/folder/", (text) =>
    !isInBucket(text) ? resolve(text) : parseBucketPath(text) === undefined ? undefined : text.replace(/\/+$/, "")
  )
  const anInterval = "minutes, hours, days or weeks, such as 1 day: at least 5 minutes, and at most 366 days"
  const backupEvery = yield* variable("BACKUP_EVERY", anInterval, interval)
  const backupVerifyEvery = yield* variable("BACKUP_VERIFY_EVERY", anInterval, interval)
  if (backupTo === undefined && (backupEvery ?? backupVerifyEvery) !== undefined) {
    const name = backupEvery === undefined ? "BACKUP_VERIFY_EVERY" : "BACKUP_EVERY"
    return yield* new ConfigError({ message: `BACKUP_TO is required with ${name}` })
  }
  const bootstrapEmail = yield* variable("BOOTSTRAP_EMAIL", "an e-mail address", (text) =>
    isEmail(text) ? text : undefined
  )
  return {
    port,
    host,
    publicUrl: (publicUrl ?? `http://${reachableHost(host)}:${port}`).replace(/\/+$/, ""),
    dataDir: resolve((yield* variable("DATA_DIR", "a directory", (text) => text)) ?? "./data"),
    databaseUrl,
    secretKey,
    secretKeyPrevious: yield* secretVariable("SECRET_KEY_PREVIOUS", key, parseKey),
    streamsPerCredential:
      (yield* variable("STREAMS_PER_CREDENTIAL", "a whole number from 1 to 100000", whole(1, 100_000))) ?? 10,
    searchMemory:
      ((yield* variable("SEARCH_MEMORY", "a whole number of megabytes from 32 to 1000000", whole(32, 1_000_000))) ??
        256) *
      1024 *
      1024,
    bootstrapEmail,
    bootstrapApiKey: yield* secretVariable(
      "BOOTSTRAP_API_KEY",
      "a key from the command `key make`: sfk_, 30 letters or digits, and a checksum",
      (text) => (Tokens.isWellFormed("sfk", text) ? Redacted.make(text) : undefined)
    ),
    bootstrapPassword: yield* bootstrapPassword(bootstrapEmail ?? defaultBootstrapEmail),
    redisUrl: yield* secretVariable(
      "REDIS_URL",
      "a redis:// or rediss:// URL with a host, whose path is the number of a database or empty",
      redis
    ),
    ...(yield* s3(backupTo)),
    backupTo,
    backupRecipients: yield* backupRecipients,
    backupEvery,
    backupVerifyEvery,
    backupKeep: (yield* variable("BACKUP_KEEP", "a whole number from 1 to 1000", whole(1, 1000))) ?? 7,
    smtpUrl: yield* secretVariable(
      "SMTP_URL",
      "an smtp:// or smtps:// URL with a host; in user and password, characters other than letters and digits must be " +
        "percent-encoded",
      smtp
    ),
    mailFrom: yield* variable("MAIL_FROM", "an e-mail address, or a name and an address in angle brackets", (text) =>
      isEmail(/^[^<>\r\n]*<([^<>]+)>$/.exec(text)?.[1] ?? text) ? text : undefined
    ),
    policies: yield* policies,
    ...(yield* loadProviders),
    trustedProxies:
      (yield* variable("TRUSTED_PROXIES", "networks such as 10.0.0.0/8, separated by commas", parseList(isNetwork))) ??
      [],
    webhookAllow:
      (yield* variable("WEBHOOK_ALLOW", "hosts or networks, separated by commas", parseList(isAllowed))) ?? [],
    rateLimit: yield* variable(
      "RATE_LIMIT",
      "a whole number of requests a minute, 0 for no limit",
      whole(0, 1_000_000_000_000)
    ),
    shutdownDelay: (yield* variable("SHUTDOWN_DELAY", "a whole number of seconds from 0 to 3600", whole(0, 3600))) ?? 0,
    workers: (yield* variable("WORKERS", "auto, or a whole number from 1 to 64", workers)) ?? 1,
    passwordCost: 15,
    breachedPasswords: yield* breachedPasswords,
    keyRequests: (yield* variable("KEY_REQUESTS", "on or off", oneOf(["on", "off"]))) !== "off",
    metricsToken: yield* secretVariable("METRICS_TOKEN", "visible ASCII characters", (text) =>
      /^[\x21-\x7e]{1,1024}$/.test(text) ? Redacted.make(text) : undefined
    ),
    otlp: yield* otlp,
    alarms: yield* alarmSettings,
    logLevel: (yield* variable("LOG_LEVEL", `one of ${levels.join(", ")}`, oneOf(levels))) ?? "info",
    logFormat:
      (yield* variable("LOG_FORMAT", "json or pretty", oneOf(["json", "pretty"]))) ??
      (process.stderr.isTTY ? "pretty" : "json"),
    auditLog: yield* variable(
      "AUDIT_LOG",
      "file:PATH, stdout, or syslog+udp://host:port, also with tcp or tls",
      parseDestination
    ),
    dailyChecks: true,
    quiet: false
  }
})
