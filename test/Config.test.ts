import { ConfigProvider, Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { planDefaults } from "../services/workspaces/Plans.ts"
import * as Config from "../src/Config.ts"

const load = (env: Record<string, string>) =>
  Effect.runPromise(Effect.provideService(Config.load, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

/** The one line that stops the start. */
const refusal = (env: Record<string, string>) =>
  load(env).then(
    () => undefined,
    (error) => String(error.message)
  )

describe("the variables of observability", () => {
  it("default to metrics for this machine and no collector", async () => {
    expect(await load({})).toMatchObject({ metricsToken: undefined, otlp: undefined, logLevel: "info" })
    expect(
      await load({ METRICS_TOKEN: "", OTEL_EXPORTER_OTLP_ENDPOINT: "", OTEL_SERVICE_NAME: "unused" })
    ).toMatchObject({ metricsToken: undefined, otlp: undefined })
  })

  it("set a token, and a collector with the variables of OpenTelemetry", async () => {
    const { metricsToken, otlp } = await load({
      METRICS_TOKEN: "to-scrape",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x-tenant = c=d",
      OTEL_SERVICE_NAME: "notes"
    })
    expect(Redacted.value(metricsToken!)).toBe("to-scrape")
    expect(otlp).toMatchObject({
      endpoint: "https://collector.test:4318",
      protocol: "http/protobuf",
      serviceName: "notes"
    })
    expect(Redacted.value(otlp!.headers!)).toEqual({ "api-key": "a b", "x-tenant": "c=d" })
    expect(String(JSON.stringify({ metricsToken, otlp }))).not.toMatch(/to-scrape|a b/)
  })

  it("stop the start with a line that names a wrong variable without its value", async () => {
    const wrong = {
      METRICS_TOKEN: "with a space",
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "secret-without-a-name",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      LOG_LEVEL: "loud"
    }
    for (const [name, value] of Object.entries(wrong)) {
      const line = await refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.test", [name]: value })
      expect(line).toMatch(new RegExp(`^${name} must be `))
      expect(line).not.toContain(value)
    }
  })
})

describe("SHUTDOWN_DELAY", () => {
  it("is a whole number of seconds, 0 by default, and stops the start otherwise", async () => {
    expect((await load({})).shutdownDelay).toBe(0)
    expect((await load({ SHUTDOWN_DELAY: "15" })).shutdownDelay).toBe(15)
    for (const bad of ["-1", "1.5", "15s", "3601", "1e2"]) {
      expect(await refusal({ SHUTDOWN_DELAY: bad })).toBe(
        "SHUTDOWN_DELAY must be a whole number of seconds from 0 to 3600"
      )
    }
  })
})

describe("SEARCH_MEMORY", () => {
  it("is a whole number of megabytes, 256 by default and at least 32, and stops the start otherwise", async () => {
    expect((await load({})).searchMemory).toBe(256 * 1024 * 1024)
    expect((await load({ SEARCH_MEMORY: "32" })).searchMemory).toBe(32 * 1024 * 1024)
    for (const bad of ["0", "31", "-256", "64.5", "256MB", "1e3", "1000001"]) {
      expect(await refusal({ SEARCH_MEMORY: bad })).toBe(
        "SEARCH_MEMORY must be a whole number of megabytes from 32 to 1000000"
      )
    }
  })
})

describe("PLAN_LIMITS", () => {
  const limitsOf = async (limits: unknown) => (await load({ PLAN_LIMITS: JSON.stringify(limits) })).policies.limits

  it("sets any limit of a plan, and leaves the other limits unchanged", async () => {
    for (const name of Object.keys(planDefaults.free)) {
      expect(await limitsOf({ free: { [name]: 7 } })).toEqual({
        ...planDefaults,
        free: { ...planDefaults.free, [name]: 7 }
      })
    }
    expect((await limitsOf({ team: { shares: 0 } })).team.shares).toBe(0)
  })

  it.each([
    { free: { note: 500 } },
    { free: { comments: "500" } },
    { free: { templates: 1.5 } },
    { free: { shares: -1 } },
    { free: { attachments: null } },
    { free: 500 },
    { gold: { notes: 500 } },
    { free: [500] },
    [500]
  ])("stops the start with an unknown limit or an invalid value: %j", async (limits) => {
    const line = await refusal({ PLAN_LIMITS: JSON.stringify(limits) })
    expect(line).toMatch(/^PLAN_LIMITS must be JSON such as [^\n]*\bshares\b[^\n]*$/)
  })
})

describe("PUBLIC_URL", () => {
  it("may have a path, and loses a slash at its end", async () => {
    expect(await load({ PUBLIC_URL: "https://notes.example.org/" })).toMatchObject({
      publicUrl: "https://notes.example.org"
    })
    expect(await load({ PUBLIC_URL: "https://example.org/v2/notes" })).toMatchObject({
      publicUrl: "https://example.org/v2/notes"
    })
  })

  it.each([
    "https://example.org/v2",
    "https://example.org/notes/v2/",
    "https://example.org?a=b",
    "example.org",
    "https://a:b@example.org",
    "https://example.org "
  ])("stops the start if no path can be added to it: %s", async (PUBLIC_URL) => {
    expect(await refusal({ PUBLIC_URL })).toBe(
      "PUBLIC_URL must be an http or https URL without user, password, query and fragment, and without /v2, which is added to it"
    )
  })
})

describe("the variables of S3", () => {
  const bucket = {
    S3_ENDPOINT: "https://s3.example.org",
    S3_BUCKET: "notes",
    S3_ACCESS_KEY_ID: "the-key",
    S3_SECRET_ACCESS_KEY: "the-secret"
  }

  it("default to files in DATA_DIR", async () => {
    expect(await load({ S3_BUCKET: "" })).toMatchObject({ s3: undefined })
  })

  it("set a bucket, in the region us-east-1 by default", async () => {
    const { s3 } = await load(bucket)
    expect(s3).toMatchObject({ endpoint: bucket.S3_ENDPOINT, bucket: "notes", region: "us-east-1" })
    expect([Redacted.value(s3!.accessKeyId), Redacted.value(s3!.secretAccessKey)]).toEqual(["the-key", "the-secret"])
    expect((await load({ ...bucket, S3_REGION: "eu-west-2" })).s3).toMatchObject({ region: "eu-west-2" })
  })

  it("stop the start with a line that names all missing variables", async () => {
    const { S3_BUCKET, S3_SECRET_ACCESS_KEY, ...some } = bucket
    const others = "required with the other S3 variables"
    expect(await refusal({ ...some, S3_BUCKET })).toBe(`S3_SECRET_ACCESS_KEY is ${others}`)
    expect(await refusal(some)).toBe(`S3_BUCKET and S3_SECRET_ACCESS_KEY are ${others}`)
    expect(await refusal({ ...some, S3_SECRET_ACCESS_KEY })).toBe(
      `S3_BUCKET is ${others}, unless BACKUP_TO is a bucket`
    )
    expect(await refusal({ S3_REGION: "eu-west-2", S3_SECRET_ACCESS_KEY })).toBe(
      `S3_ENDPOINT, S3_BUCKET and S3_ACCESS_KEY_ID are ${others}`
    )
    expect(await refusal({ ...bucket, S3_BUCKET: "../x" })).toBe("S3_BUCKET must be the name of a bucket")
    expect(await refusal({ ...bucket, S3_ENDPOINT: "s3.example.org" })).toMatch(
      /^S3_ENDPOINT must be an http or https URL/
    )
  })
})

describe("the variables of backups", () => {
  const store = {
    S3_ENDPOINT: "https://s3.example.org",
    S3_ACCESS_KEY_ID: "the-key",
    S3_SECRET_ACCESS_KEY: "the-secret"
  }

  it("name a directory, or a bucket for backups alone", async () => {
    expect(await load({})).toMatchObject({ backupTo: undefined, backupRecipients: [] })
    expect(await load({ BACKUP_TO: "/backup/" })).toMatchObject({ backupTo: "/backup" })
    const { backupTo, s3, s3Access } = await load({ ...store, BACKUP_TO: "s3://my-backups/of/sheaf/" })
    expect([backupTo, s3, s3Access?.endpoint]).toEqual(["s3://my-backups/of/sheaf", undefined, store.S3_ENDPOINT])
    const others = await load({ ...store, S3_BUCKET: "files", BACKUP_TO: "s3://my-backups" })
    expect([others.s3?.bucket, others.backupTo]).toEqual(["files", "s3://my-backups"])
  })

  it("set a schedule", async () => {
    expect(await load({})).toMatchObject({ backupEvery: undefined, backupKeep: 7 })
    for (const [BACKUP_EVERY, backupEvery] of [
      ["5 minutes", 300_000],
      ["1 hour", 3_600_000],
      ["1day", 86_400_000],
      ["2 Weeks", 1_209_600_000]
    ] as const) {
      const settings = await load({ BACKUP_TO: "/backup", BACKUP_EVERY, BACKUP_KEEP: "30" })
      expect(settings).toMatchObject({ backupEvery, backupKeep: 30 })
    }
  })

  it("stop the start with a line that names the variable", async () => {
    for (const BACKUP_EVERY of ["4 minutes", "0 days", "1", "day", "1 month", "367 days", "-1 day", "1 day 2 hours"]) {
      expect(await refusal({ BACKUP_TO: "/backup", BACKUP_EVERY })).toMatch(/^BACKUP_EVERY must be minutes, hours/)
    }
    expect(await refusal({ BACKUP_EVERY: "1 day" })).toBe("BACKUP_TO is required with BACKUP_EVERY")
    for (const BACKUP_KEEP of ["0", "1001", "-1", "all"]) {
      expect(await refusal({ BACKUP_KEEP })).toMatch(/^BACKUP_KEEP must be a whole number from 1 to 1000/)
    }
    for (const BACKUP_TO of ["s3://", "s3://a", "s3://key:secret@bucket/", "s3://bucket//x", "s3://bucket/\n"]) {
      expect(await refusal({ ...store, BACKUP_TO })).toMatch(/^BACKUP_TO must be a directory, or a bucket/)
    }
    expect(await refusal({ BACKUP_TO: "s3://bucket/", S3_ENDPOINT: store.S3_ENDPOINT })).toBe(
      "S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with a bucket in BACKUP_TO"
    )
    expect(await refusal({ BACKUP_TO: "s3://bucket/" })).toBe(
      "S3_ENDPOINT, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with a bucket in BACKUP_TO"
    )
    for (const BACKUP_RECIPIENT of ["me", `age1${"q".repeat(58)}`, `age1${"q".repeat(52)}5cu47z`]) {
      expect(await refusal({ BACKUP_RECIPIENT })).toMatch(/^BACKUP_RECIPIENT must be age recipients/)
    }
  })
})

describe("WEBHOOK_ALLOW", () => {
  it("is a list of hosts and networks", async () => {
    expect(
      await load({ WEBHOOK_ALLOW: "hooks.internal, *.lab.internal:8080,10.0.0.0/8,::1,127.0.0.1:9000" })
    ).toMatchObject({
      webhookAllow: ["hooks.internal", "*.lab.internal:8080", "10.0.0.0/8", "::1", "127.0.0.1:9000"]
    })
  })

  it.each(["http://hooks.internal", "10.0.0.0/99", "a b", "*", "hooks.internal:99999", "1.2.3.4.5"])(
    "stops the start with an entry that is neither: %s",
    async (entry) => {
      expect(await refusal({ WEBHOOK_ALLOW: `example.com,${entry}` })).toMatch(/^WEBHOOK_ALLOW must be /)
    }
  )
})

describe("a value that a library would refuse only later stops the start with a line that names the variable", () => {
  const key = Buffer.alloc(32).toString("base64")
  it.each<[string, ReadonlyArray<string>]>([
    ["HOST", ["300.1.1.1", "a b", "127.0.0.1:4000", "[::1]", "user@host", "host/path", "%zz"]],
    ["SMTP_URL", ["smtp://a%zz:b@mail", "smtp://", "smtp://mail ", "smtp:// mail", "smtp://mail:99999", "mail"]],
    ["REDIS_URL", ["redis://a:%zz@host", "redis://", "redis://host/first", "redis://host ", "http://host"]],
    ["DATABASE_URL", ["postgres://a%zz@host/x", "postgres://host/x ", "mysql://host/x"]],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", ["http://a:b@host", "http://host?x", "http://host#x", "http://host "]],
    ["OTEL_EXPORTER_OTLP_HEADERS", ["a=%0a", "a=%zz", "a=%E2%82%AC"]],
    ["OTEL_SERVICE_NAME", [" ", "a\nb"]],
    ["S3_ENDPOINT", ["http://a:b@host", "http://host?x", "http://host "]],
    ["METRICS_TOKEN", ["token ", "\ttoken", "tøken"]],
    ["NODE_EXTRA_CA_CERTS", ["/nope", "/etc/hostname", "/"]]
  ])("%s", async (name, values) => {
    for (const value of values) {
      const line = await refusal({ SECRET_KEY: key, [name]: value })
      expect({ value, line }).toEqual({ value, line: expect.stringMatching(new RegExp(`^${name} must be [^\\n]+$`)) })
    }
  })

  it("accepts addresses of all kinds", async () => {
    for (const [HOST, publicUrl] of [
      ["::1", "http://[::1]:4000"],
      ["fe80::1%eth0", "http://[fe80::1]:4000"],
      ["notes.internal", "http://notes.internal:4000"],
      // This machine reaches a listener at all addresses by its own.
      ["0.0.0.0", "http://127.0.0.1:4000"],
      ["::", "http://[::1]:4000"]
    ] as const) {
      expect(await load({ HOST })).toMatchObject({ host: HOST, publicUrl })
    }
    const SMTP_URL = "smtps://user%40example.org:p%25ss@mail.example.org:465?pool=false"
    expect(Redacted.value((await load({ SMTP_URL })).smtpUrl!)).toBe(SMTP_URL)
    for (const REDIS_URL of ["redis://host", "rediss://:password@host:6380/3", "redis://host/"]) {
      expect(Redacted.value((await load({ REDIS_URL })).redisUrl!)).toBe(REDIS_URL)
    }
  })
})
