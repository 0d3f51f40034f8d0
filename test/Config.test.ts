import { ConfigProvider, Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { planDefaults } from "../services/workspaces/Plans.ts"
import * as Config from "../src/server/settings/Config.ts"
import { misspelt, type ReadVariable } from "../src/server/settings/Variables.ts"

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

describe("WORKERS", () => {
  it("is a number of processes, or one for each processor", async () => {
    expect((await load({})).workers).toBe(1)
    expect((await load({ WORKERS: "3" })).workers).toBe(3)
    expect((await load({ WORKERS: "auto" })).workers).toBe(Math.max(1, availableParallelism() - 1))
    for (const bad of ["0", "65", "2.5", "all"]) {
      expect(await refusal({ WORKERS: bad })).toBe("WORKERS must be auto, or a whole number from 1 to 64")
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

  it.each<[limits: string, why: string]>([
    ["{", `must be JSON such as {"free":{"notes":1000}}: Expected property name`],
    ["{\n!", `must be JSON such as {"free":{"notes":1000}}: Expected property name`],
    ["[500]", `must be JSON such as {"free":{"notes":1000}}`],
    [`{"free":{},"gold":{"notes":500}}`, `has "gold", which is not a plan: plans are free, plus, team`],
    [`{"free":500}`, "must have an object of limits at free"],
    [`{"free":[500]}`, "must have an object of limits at free"],
    [
      `{"free":{"notes":1},"team":{"nots":500}}`,
      `has "team.nots", which is not a limit: limits are requests_per_minute`
    ],
    [`{"free":{"__proto__":1}}`, `has "free.__proto__", which is not a limit`],
    [`{"free":{"comments":"500"}}`, "must have a whole number at free.comments, 0 for no limit"],
    [`{"free":{"templates":1.5}}`, "must have a whole number at free.templates, 0 for no limit"],
    [`{"free":{"shares":-1}}`, "must have a whole number at free.shares, 0 for no limit"],
    [`{"free":{"attachments":null}}`, "must have a whole number at free.attachments, 0 for no limit"]
  ])("stops the start with the wrong member and its path: %s", async (PLAN_LIMITS, why) => {
    const line = await refusal({ PLAN_LIMITS })
    expect(line?.slice(0, "PLAN_LIMITS ".length + why.length)).toBe(`PLAN_LIMITS ${why}`)
    expect(line).not.toContain("\n")
  })
})

describe("BOOTSTRAP_PASSWORD", () => {
  it.each<[password: string, why: string]>([
    ["short", "must be a password of 10 to 200 characters"],
    ["p".repeat(201), "must be a password of 10 to 200 characters"],
    ["password1234", "is easily guessed: choose another password"],
    ["anna.smith1", "is easily guessed: choose another password"]
  ])("has the rules of every password: %s", async (BOOTSTRAP_PASSWORD, why) => {
    const line = await refusal({ BOOTSTRAP_EMAIL: "anna.smith@example.org", BOOTSTRAP_PASSWORD })
    expect(line).toBe(`BOOTSTRAP_PASSWORD ${why}`)
  })
})

describe("the providers", () => {
  const one = { OIDC_ISSUER: "https://login.example.org/realms/a", OIDC_CLIENT_ID: "notes" }
  const two = { OIDC_2_ISSUER: "http://127.0.0.1:4001", OIDC_2_CLIENT_ID: "sheaf", OIDC_2_NAME: "Here" }

  it("are none by default, and have numbers without a gap", async () => {
    expect(await load({})).toMatchObject({ providers: [], linkByEmail: false, passwordSignIn: true })
    const { linkByEmail, providers } = await load({ ...one, ...two, OIDC_LINK_BY_EMAIL: "on" })
    expect(linkByEmail).toBe(true)
    expect(providers).toEqual([
      { number: 1, issuer: one.OIDC_ISSUER, client_id: "notes", client_secret: undefined, name: "login.example.org" },
      { number: 2, issuer: two.OIDC_2_ISSUER, client_id: "sheaf", client_secret: undefined, name: "Here" }
    ])
    expect((await load({ ...one, OIDC_3_ISSUER: "https://three.example" })).providers.length).toBe(1)
  })

  it.each<[env: Record<string, string>, line: string]>([
    [{ OIDC_CLIENT_ID: "notes" }, "OIDC_ISSUER is required with the other OIDC_ variables"],
    [{ OIDC_ISSUER: "https://login.example.org" }, "OIDC_CLIENT_ID is required with OIDC_ISSUER"],
    [{ ...one, OIDC_2_NAME: "Two" }, "OIDC_2_ISSUER is required with the other OIDC_2_ variables"],
    [
      { ...one, OIDC_ISSUER: "http://login.example.org" },
      "OIDC_ISSUER must be an https URL without user, password, query and fragment; http is allowed for this machine"
    ],
    [{ ...one, ...two, OIDC_2_ISSUER: one.OIDC_ISSUER }, "OIDC_2_ISSUER is already the issuer of another provider"],
    [{ ...one, OIDC_NAME: " " }, "OIDC_NAME must be a name of 1 to 40 characters"],
    [{ ...one, OIDC_LINK_BY_EMAIL: "yes" }, "OIDC_LINK_BY_EMAIL must be on or off"],
    [{ PASSWORD_SIGN_IN: "off" }, "OIDC_ISSUER is required with PASSWORD_SIGN_IN=off"]
  ])("stop the start with one line: %j", async (env, line) => {
    expect(await refusal(env)).toBe(line)
  })
})

describe("a secret", () => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-secrets-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const written = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const key = Buffer.alloc(32, 7).toString("base64")

  it("can be in a file, whose last line break does not count", async () => {
    const values: Readonly<Record<string, string>> = {
      DATABASE_URL: "postgres://user:password@host/sheaf",
      SECRET_KEY: key,
      SECRET_KEY_PREVIOUS: Buffer.alloc(32, 8).toString("base64"),
      SMTP_URL: "smtps://user:password@mail.example.org",
      REDIS_URL: "redis://:password@host",
      METRICS_TOKEN: "to-scrape",
      OIDC_CLIENT_SECRET: "of-the-client",
      S3_ACCESS_KEY_ID: "access",
      S3_SECRET_ACCESS_KEY: "secret",
      BOOTSTRAP_PASSWORD: "staple battery horse",
      ALARM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=secret"
    }
    const others = {
      ALARM_WEBHOOK: "http://chat.internal/hook",
      S3_ENDPOINT: "https://s3.test",
      S3_BUCKET: "notes",
      OIDC_ISSUER: "https://login.example.org",
      OIDC_CLIENT_ID: "notes",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.test"
    }
    const files = Object.entries(values).map(
      ([name, value], index) => [`${name}_FILE`, written(name, `${value}${["", "\n", "\r\n"][index % 3]}`)] as const
    )
    const read: Array<ReadVariable> = []
    const fromFiles = await Effect.runPromise(
      Config.load.pipe(
        Effect.provideService(
          ConfigProvider.ConfigProvider,
          ConfigProvider.fromEnv({ env: { ...others, ...Object.fromEntries(files) } })
        ),
        Effect.provideService(Config.VariableReader, (variable) => void read.push(variable))
      )
    )
    expect(fromFiles).toEqual(await load({ ...others, ...values }))
    for (const { file, name, value } of read.filter(({ isSecret }) => isSecret)) {
      // That of a second provider is read too.
      if (name === "BOOTSTRAP_API_KEY" || name === "OIDC_2_CLIENT_SECRET") continue
      expect([name, file, Redacted.isRedacted(value)]).toEqual([name, join(folder, name), true])
    }
    const twoLines = written("two-lines", "staple battery horse\n\n")
    expect(Redacted.value((await load({ BOOTSTRAP_PASSWORD_FILE: twoLines })).bootstrapPassword!)).toBe(
      "staple battery horse\n"
    )
  })

  it("stops the start with one line if its file cannot be used, or if it is set twice", async () => {
    const bad: ReadonlyArray<[file: string, why: string]> = [
      [join(folder, "none"), "there is no such file or directory"],
      [folder, "it is not a file"],
      ["/dev/zero", "it is not a file"],
      [written("empty", "\n"), "it is empty"],
      [written("large", "x".repeat(65_537)), "it is larger than 65536 bytes"],
      [written("bytes", new Uint8Array([0xff, 0xfe])), "it is not text in UTF-8"]
    ]
    for (const [file, why] of bad) {
      expect(await refusal({ METRICS_TOKEN_FILE: file })).toBe(`METRICS_TOKEN_FILE cannot be used: ${file}: ${why}`)
    }
    const token = written("token", "a token")
    expect(await refusal({ METRICS_TOKEN_FILE: token })).toBe("METRICS_TOKEN must be visible ASCII characters")
    expect(await refusal({ METRICS_TOKEN: "token", METRICS_TOKEN_FILE: token })).toBe(
      "METRICS_TOKEN and METRICS_TOKEN_FILE are both set: set only one of them"
    )
    // An empty variable counts as absent.
    const METRICS_TOKEN_FILE = written("good", "token")
    expect(Redacted.value((await load({ METRICS_TOKEN: "", METRICS_TOKEN_FILE })).metricsToken!)).toBe("token")
  })
})

describe("a variable that Sheaf does not read", () => {
  const warnings = async (...names: ReadonlyArray<string>) => {
    const read: Array<ReadVariable> = []
    await Effect.runPromise(
      Config.load.pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} })),
        Effect.provideService(Config.VariableReader, (variable) => void read.push(variable))
      )
    )
    return misspelt(names, read)
  }

  it("gets a warning if it is one edit away from one of Sheaf, or has the same first word", async () => {
    expect(
      await warnings(
        "PORTT",
        "BACKUP_EVRY",
        "S3_ENDPIONT",
        "SMTP_PASSWORD",
        "DATABSE_URL",
        "SECRET_KEY_FIL",
        "PORT_FILE"
      )
    ).toEqual([
      "BACKUP_EVRY is not a variable of Sheaf: is BACKUP_EVERY meant?",
      "DATABSE_URL is not a variable of Sheaf: is DATABASE_URL meant?",
      "PORTT is not a variable of Sheaf: is PORT meant?",
      "PORT_FILE has no effect: only secrets are read from files",
      "S3_ENDPIONT is not a variable of Sheaf: is S3_ENDPOINT meant?",
      "SECRET_KEY_FIL is not a variable of Sheaf: is SECRET_KEY_FILE meant?",
      "SMTP_PASSWORD is not a variable of Sheaf"
    ])
  })

  it("gets none if it is of the system, of a tool or of a container", async () => {
    const others = `PATH PWD HOME USER HOSTNAME HOSTTYPE LANG LC_ALL SHELL SHLVL TERM TZ TMPDIR MAIL EDITOR OLDPWD LOGNAME
      DISPLAY XDG_DATA_DIRS XDG_DATA_HOME SSH_AUTH_SOCK JOURNAL_STREAM INVOCATION_ID NODE_ENV NODE_OPTIONS NODE_VERSION
      OTEL_TRACES_SAMPLER AWS_SECRET_ACCESS_KEY POSTGRES_PASSWORD DATABASE_NAME REDIS_PASSWORD LOG_DIR PUBLIC_KEY
      S3_PORT S3_SERVICE_HOST S3_PORT_9000_TCP_ADDR SEARCH_SERVICE_PORT_HTTP http_proxy npm_config_cache _`
    expect(await warnings(...others.split(/\s+/), "PORT", "SMTP_URL", "SMTP_URL_FILE")).toEqual([])
    expect(await warnings(...Array.from({ length: 100 }, (_, index) => `BACKUP_X${index}`))).toHaveLength(20)
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
    expect(await load({})).toMatchObject({ auditLog: undefined })
    for (const [text, auditLog] of [
      ["stdout", { kind: "stdout" }],
      ["file:/var/log/sheaf.log", { kind: "file", path: "/var/log/sheaf.log" }],
      ["syslog+udp://logs.example.org", { kind: "syslog", transport: "udp", host: "logs.example.org", port: 514 }],
      ["syslog+tls://[::1]:6515", { kind: "syslog", transport: "tls", host: "::1", port: 6515 }]
    ] as const) {
      expect(await load({ AUDIT_LOG: text })).toMatchObject({ auditLog })
    }
    for (const text of [
      "audit.log",
      "file:",
      "file:/var/log/",
      "syslog://host",
      "syslog+tcp://",
      "syslog+tcp://host/x"
    ]) {
      expect(await refusal({ AUDIT_LOG: text })).toMatch(/^AUDIT_LOG must be file:PATH/)
    }
    expect(await load({})).toMatchObject({ backupEvery: undefined, backupVerifyEvery: undefined, backupKeep: 7 })
    expect(await load({ BACKUP_TO: "/backup", BACKUP_VERIFY_EVERY: "30 days" })).toMatchObject({
      backupEvery: undefined,
      backupVerifyEvery: 30 * 86_400_000
    })
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
    expect(await refusal({ BACKUP_VERIFY_EVERY: "30 days" })).toBe("BACKUP_TO is required with BACKUP_VERIFY_EVERY")
    expect(await refusal({ BACKUP_TO: "/backup", BACKUP_VERIFY_EVERY: "1" })).toMatch(/^BACKUP_VERIFY_EVERY must be/)
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
    ["ALARM_WEBHOOK", ["chat.internal/hook", "ftp://chat.internal"]],
    ["ALARM_WEBHOOK_SECRET", ["secret", "whsec_c2hvcnQ="]],
    ["RELEASES_URL", ["git.example.org"]],
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
    const SMTP_URL =
      "smtps://user%40example.org:p%25ss@mail.example.org:465?pool=false&tls.rejectUnauthorized=false&maxConnections=2"
    expect(Redacted.value((await load({ SMTP_URL })).smtpUrl!)).toBe(SMTP_URL)
    for (const REDIS_URL of ["redis://host", "rediss://:password@host:6380/3", "redis://host/"]) {
      expect(Redacted.value((await load({ REDIS_URL })).redisUrl!)).toBe(REDIS_URL)
    }
  })
})

describe("the query of SMTP_URL", () => {
  it.each<[query: string, why: string]>([
    ["x=secret", "has an unknown option in its query: options are name, requireTLS, "],
    ["host=other", "has an unknown option in its query: options are "],
    ["requireTLS=yes", "has the option requireTLS with a wrong value, or twice"],
    ["maxConnections=0", "has the option maxConnections with a wrong value, or twice"],
    ["pool=true&pool=true", "has the option pool with a wrong value, or twice"]
  ])("has options of nodemailer: %s", async (query, why) => {
    const line = await refusal({ SMTP_URL: `smtp://mail.example.org?${query}` })
    expect(line?.slice(0, "SMTP_URL ".length + why.length)).toBe(`SMTP_URL ${why}`)
    expect(line).not.toContain("secret")
  })
})
