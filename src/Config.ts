import { Config, Data, Effect, Redacted, Schema } from "effect"
import { resolve } from "node:path"
import { isWellFormed } from "../services/identity/ApiKeySecret.ts"

/** A value of the environment that cannot be used: the start stops with this one line. */
export class ConfigError extends Data.TaggedError("ConfigError")<{ readonly message: string }> {}

export interface Settings {
  readonly port: number
  readonly host: string
  /** Without a trailing slash and without `/v2`. */
  readonly publicUrl: string
  readonly dataDir: string
  readonly databaseUrl: Redacted.Redacted | undefined
  readonly secretKey: Redacted.Redacted<Uint8Array> | undefined
  readonly secretKeyPrevious: Redacted.Redacted<Uint8Array> | undefined
  readonly streamsPerCredential: number
  readonly bootstrapEmail: string
  readonly bootstrapApiKey: Redacted.Redacted | undefined
  /** What `/metrics` asks for; without it, it answers this machine only. */
  readonly metricsToken: Redacted.Redacted | undefined
  /** Where spans, metrics and logs are sent. */
  readonly otlp: {
    readonly endpoint: string
    readonly headers: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
    readonly protocol: "http/protobuf" | "http/json"
    readonly serviceName: string
  } | undefined
  readonly logLevel: LogLevel
  readonly logFormat: "json" | "pretty"
  /** Says nothing on its output but what it logs: inside another program. */
  readonly quiet: boolean
}

const levels = ["trace", "debug", "info", "warn", "error"] as const
type LogLevel = (typeof levels)[number]

/** One variable: read, checked, and named when it is wrong. An empty value counts as absent. */
const variable = <A>(name: string, what: string, parse: (text: string) => A | undefined) =>
  Effect.gen(function*() {
    const text = yield* Config.String(name).pipe(Config.withDefault(""))
    if (text === "") return undefined
    const value = parse(text)
    // The value itself is not repeated: it may be a secret.
    return value ?? (yield* new ConfigError({ message: `${name} must be ${what}` }))
  }).pipe(Effect.catchTag("ConfigError", (error) => Effect.fail(new ConfigError({ message: error.message }))))

const whole = (min: number, max: number) => (text: string) =>
  /^[0-9]{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : undefined

const oneOf = <const A extends ReadonlyArray<string>>(values: A) => (text: string): A[number] | undefined =>
  values.find((value) => value === text.toLowerCase())

const url = (...protocols: ReadonlyArray<string>) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) ? text : undefined

/** 32 bytes in base64 or base64url. */
export const parseKey = (text: string): Redacted.Redacted<Uint8Array> | undefined => {
  if (!/^[0-9A-Za-z+/_-]{43}=?$/.test(text.trim())) return undefined
  const bytes = new Uint8Array(Buffer.from(text.trim(), "base64"))
  return bytes.length === 32 ? Redacted.make(bytes) : undefined
}

/** `name=value` pairs, percent-encoded, as OpenTelemetry has them. */
const parsePairs = (text: string): Redacted.Redacted<Readonly<Record<string, string>>> | undefined => {
  const pairs = text.split(",").map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair))
  try {
    return Redacted.make(Object.fromEntries(pairs.map((pair) => [pair![1]!, decodeURIComponent(pair![2]!)])))
  } catch {
    return undefined
  }
}

/** The variables are those of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const otlp = Effect.gen(function*() {
  const endpoint = yield* variable("OTEL_EXPORTER_OTLP_ENDPOINT", "an http or https URL", url("http:", "https:"))
  const headers = yield* variable("OTEL_EXPORTER_OTLP_HEADERS", "name=value pairs with commas between", parsePairs)
  const protocols = ["http/protobuf", "http/json"] as const
  const protocol = yield* variable("OTEL_EXPORTER_OTLP_PROTOCOL", protocols.join(" or "), oneOf(protocols))
  const serviceName = (yield* variable("OTEL_SERVICE_NAME", "a name", (text) => text)) ?? "sheaf"
  return endpoint === undefined ? undefined : { endpoint, headers, protocol: protocol ?? "http/protobuf", serviceName }
})

const isEmail = Schema.is(Schema.String.check(Schema.isPattern(/^[^\s@]+@[^\s@]+$/)))

/** Every environment variable, once (contract 1). */
export const load: Effect.Effect<Settings, ConfigError> = Effect.gen(function*() {
  const port = (yield* variable("PORT", "a port number from 0 to 65535", whole(0, 65535))) ?? 4000
  const host = (yield* variable("HOST", "a host name or address", (text) => /^[^\s/]+$/.test(text) ? text : undefined)) ??
    "127.0.0.1"
  const publicUrl = yield* variable("PUBLIC_URL", "an http or https URL", url("http:", "https:"))
  const databaseUrl = yield* variable("DATABASE_URL", "a postgres:// URL", url("postgres:", "postgresql:"))
  const key = "32 bytes in base64, such as from: openssl rand -base64 32"
  const secretKey = yield* variable("SECRET_KEY", key, parseKey)
  if (databaseUrl !== undefined && secretKey === undefined) {
    return yield* new ConfigError({ message: `SECRET_KEY is required with DATABASE_URL: ${key}` })
  }
  return {
    port,
    host,
    publicUrl: (publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`).replace(/\/+$/, ""),
    dataDir: resolve((yield* variable("DATA_DIR", "a directory", (text) => text)) ?? "./data"),
    databaseUrl: databaseUrl === undefined ? undefined : Redacted.make(databaseUrl),
    secretKey,
    secretKeyPrevious: yield* variable("SECRET_KEY_PREVIOUS", key, parseKey),
    streamsPerCredential:
      (yield* variable("STREAMS_PER_CREDENTIAL", "a whole number from 1 to 100000", whole(1, 100_000))) ?? 10,
    bootstrapEmail:
      (yield* variable("BOOTSTRAP_EMAIL", "an e-mail address", (text) => isEmail(text) ? text : undefined)) ??
        "owner@localhost",
    bootstrapApiKey: yield* variable(
      "BOOTSTRAP_API_KEY",
      "a key such as Sheaf makes them: sfk_, 30 letters or digits, and their checksum",
      (text) => isWellFormed(text) ? Redacted.make(text) : undefined
    ),
    metricsToken: yield* variable(
      "METRICS_TOKEN",
      "visible ASCII characters",
      (text) => /^[\x21-\x7e]{1,1024}$/.test(text) ? Redacted.make(text) : undefined
    ),
    otlp: yield* otlp,
    logLevel: (yield* variable("LOG_LEVEL", `one of ${levels.join(", ")}`, oneOf(levels))) ?? "info",
    logFormat: (yield* variable("LOG_FORMAT", "json or pretty", oneOf(["json", "pretty"]))) ??
      (process.stderr.isTTY ? "pretty" : "json"),
    quiet: false
  }
})
