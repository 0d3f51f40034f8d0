import { type Duration, Effect, Redacted } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest"
import { invitation, type Letter, passwordReset } from "../../../services/mail/MailTemplates.ts"
import { backoff, Outbox } from "../../../services/mail/Outbox.ts"
import { systemActor } from "../../../services/writer/Actor.ts"
import { Writer } from "../../../services/writer/Writer.ts"
import { freePort } from "../../support/servers/freePort.ts"
import { parse, SmtpSink } from "../../support/servers/SmtpSink.ts"
import { epoch, startApp, type TestApp, type TestAppOptions } from "../../support/TestApp.ts"

const lines: Array<string> = []
const collect = (...parts: ReadonlyArray<unknown>) =>
  void lines.push(parts.map((part) => (typeof part === "string" ? part : inspect(part, { depth: 20 }))).join(" "))

const letter: Letter = { subject: "A letter", text: "Hello\n" }

/** Writes a change with a mail; `then` runs before its commit. */
const commit = (app: TestApp, to: string, content: Letter = letter, then: Effect.Effect<void, string> = Effect.void) =>
  app.run(
    Effect.gen(function* () {
      const writer = yield* Writer
      const mails = yield* Outbox
      yield* writer.write(app.workspace_id, { actor: systemActor }, (draft) => {
        mails.put(draft, to, content)
        return then
      })
    })
  )

const wake = (app: TestApp) => app.run(Effect.flatMap(Effect.service(Outbox), (mails) => mails.wake))

const write = async (app: TestApp, to: string, content: Letter = letter) => {
  await commit(app, to, content)
  await wake(app)
}

/** Moves the clock, and then wakes the outbox: its own check may still use an earlier time. */
const later = async (app: TestApp, duration: Duration.Input) => {
  await app.advance(duration)
  await wake(app)
}

const rows = (app: TestApp) =>
  app.sql("SELECT id, recipient, sealed, attempts, next_at, created_at FROM mails ORDER BY id")
const at = (millis: number) => new Date(epoch + millis).toISOString()
const allGone = (app: TestApp) => expect.poll(() => rows(app)).toEqual([])
const metric = async (app: TestApp, name: string) => {
  const text = await (await fetch(new URL("/metrics", app.url))).text()
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length) ?? 0
  )
}

let sink: SmtpSink
const smtp = ({ host = "127.0.0.1", scheme = "smtp", user = "" } = {}) =>
  Redacted.make(`${scheme}://${user}${user === "" ? "" : "@"}${host}:${sink.port}`)

beforeAll(() => {
  for (const way of ["log", "error", "warn", "info", "debug", "group", "trace"] as const) {
    vi.spyOn(console, way).mockImplementation(collect)
  }
})
afterAll(() => void vi.restoreAllMocks())
beforeEach(async () => void (sink = await SmtpSink.start()))
afterEach(async () => {
  await sink.stop()
  lines.splice(0)
})

const using = async (options: TestAppOptions, act: (app: TestApp) => Promise<void>) => {
  const settings = { logLevel: "debug", ...options.settings } as const
  const app = await startApp({
    ...options,
    settings: "smtpUrl" in settings ? settings : { smtpUrl: smtp(), ...settings }
  })
  try {
    await act(app)
  } finally {
    await app.stop()
  }
}

describe("mail", () => {
  it("is sent once its change is stored, as one message to one address, and then deleted", () =>
    using({}, async (app) => {
      const text = `Zeile eins\n\n${"ä".repeat(90)}\n.\nEnde\n`
      await write(app, "ada@example.org", { subject: "Grüße — 你好", text })
      const [mail] = await sink.mail()
      expect(mail).toMatchObject({ from: "sheaf@sheaf.test", to: ["ada@example.org"], isUtf8: false, text })
      const headers = Object.fromEntries(mail!.headers)
      expect(headers).toMatchObject({
        from: "Sheaf <sheaf@sheaf.test>",
        to: "ada@example.org",
        subject: "Grüße — 你好",
        date: "Sun, 01 Mar 2026 12:00:00 +0000",
        "auto-submitted": "auto-generated",
        "content-type": "text/plain; charset=utf-8"
      })
      expect(headers["message-id"]).toMatch(/^<\w{22}@sheaf\.test>$/)
      await allGone(app)
      await app.advance("1 hour")
      expect(sink.tried).toEqual(["ada@example.org"])
      await expect.poll(() => metric(app, `sheaf_mails_total{outcome="sent"}`)).toBe(1)
    }))

  it("is not stored when its change fails", () =>
    using({}, async (app) => {
      await expect(commit(app, "ada@example.org", letter, Effect.fail("refused"))).rejects.toThrow("refused")
      expect(await rows(app)).toEqual([])
    }))

  it("is sent within five seconds without a wake-up", () =>
    using({}, async (app) => {
      await commit(app, "ada@example.org")
      await app.advance("5 seconds")
      await sink.mail()
      await allGone(app)
    }))

  it("is retried after ten seconds, a minute and five minutes, as the same message, when the server defers it (451)", () =>
    using({}, async (app) => {
      sink.faults.set("ada@example.org", [451, 451])
      await write(app, "ada@example.org")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000), created_at: at(0) }])
      await later(app, "9 seconds")
      await later(app, "1 second")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 2, next_at: at(70_000) }])
      const [{ id }] = (await rows(app)) as [{ id: string }]
      await later(app, "1 minute")
      const [mail] = await sink.mail()
      expect(mail!.headers.get("message-id")).toBe(`<${id}@sheaf.test>`)
      expect(mail!.headers.get("date")).toBe("Sun, 01 Mar 2026 12:00:00 +0000")
      await allGone(app)
      expect(sink.tried).toHaveLength(3)
      await expect.poll(() => metric(app, `sheaf_mails_total{outcome="retried"}`)).toBe(2)
    }))

  it("is retried when its connection breaks", () =>
    using({}, async (app) => {
      sink.faults.set("ada@example.org", ["drop"])
      await write(app, "ada@example.org")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
      await later(app, "10 seconds")
      await sink.mail()
      await allGone(app)
    }))

  it("is dropped and logged when the server refuses it permanently (550), and delays no other mail", () =>
    using({}, async (app) => {
      sink.always.set("nobody@example.org", 550)
      await commit(app, "nobody@example.org")
      const [{ id }] = (await rows(app)) as [{ id: string }]
      await write(app, "ada@example.org")
      expect((await sink.mail())[0]!.to).toEqual(["ada@example.org"])
      await allGone(app)
      const warnings = lines.map((line) => JSON.parse(line)).filter((line) => line.level === "WARN")
      expect(warnings.map((line) => line.message)).toEqual([`mail ${id} was permanently refused (550); it is dropped`])
      expect(lines.join("\n")).not.toMatch(/nobody|ada@/)
      await expect.poll(() => metric(app, `sheaf_mails_total{outcome="refused"}`)).toBe(1)
    }))

  it("is given up when no attempt succeeds for three days", () =>
    using({}, async (app) => {
      sink.always.set("ada@example.org", 451)
      await write(app, "ada@example.org")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
      // Made so old that the next attempt but one comes at the end of the three days. (If the clock jumped during an
      // attempt, the claim would expire, and the mail would be tried and given up twice.)
      await app.sql("UPDATE mails SET created_at = $1", [at(70_000 - 72 * 3600_000)])
      await later(app, "10 seconds")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 2, next_at: at(70_000) }])
      await later(app, "1 minute")
      await allGone(app)
      expect(lines.join("\n")).toContain("could not be sent for three days (451); it is dropped")
      await expect.poll(() => metric(app, `sheaf_mails_total{outcome="expired"}`)).toBe(1)
    }))

  it("is counted while it waits", () =>
    using({}, async (app) => {
      sink.always.set("ada@example.org", 451)
      for (let n = 0; n < 3; n++) await write(app, "ada@example.org")
      await app.advance("5 seconds")
      await expect.poll(() => metric(app, "sheaf_mails_waiting")).toBe(3)
    }))

  it("is sent after a restart between its commit and its delivery, even if the SMTP server was down meanwhile", async () => {
    const port = await freePort()
    await using({ settings: { smtpUrl: undefined } }, async (first) => {
      const down = Redacted.make(`smtp://127.0.0.1:${port}`)
      await using({ databaseOf: first, settings: { smtpUrl: down } }, async (app) => {
        await write(app, "tried@example.org")
        await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
        // And a mail that was not attempted yet.
        await commit(app, "new@example.org")
      })
      expect(await rows(first)).toHaveLength(2)
      expect(lines.join("\n")).toContain("could not be sent (ECONNREFUSED)")
      await using({ databaseOf: first }, async (app) => {
        await later(app, "10 seconds")
        await sink.mail(2)
        expect(sink.tried.sort()).toEqual(["new@example.org", "tried@example.org"])
        await allGone(app)
      })
    })
  })

  it("is sent by another node when the claim of a dead node expires", () =>
    using({}, async (app) => {
      await commit(app, "ada@example.org")
      await app.sql("UPDATE mails SET attempts = 1, next_at = $1", [at(120_000)])
      await app.advance("119 seconds")
      await write(app, "bob@example.org")
      await sink.mail()
      await later(app, "1 second")
      await sink.mail(2)
      expect(sink.tried).toEqual(["bob@example.org", "ada@example.org"])
      await allGone(app)
    }))

  it("is sent once when two nodes serve one database", () =>
    using({}, (one) =>
      using({ databaseOf: one }, async (other) => {
        const wanted = Array.from({ length: 40 }, (_, n) => `reader${n}@example.org`).sort()
        await Promise.all(wanted.map((address, n) => commit(n % 2 === 0 ? one : other, address)))
        await Promise.all([wake(one), wake(other)])
        await sink.mail(40)
        await allGone(one)
        expect(sink.received.flatMap(({ to }) => to).sort()).toEqual(wanted)
        expect(sink.tried).toHaveLength(40)
        await expect
          .poll(async () => {
            const sent = await Promise.all([one, other].map((app) => metric(app, `sheaf_mails_total{outcome="sent"}`)))
            return sent[0]! + sent[1]!
          })
          .toBe(40)
      })
    ))

  it("completes its delivery when the service is stopped meanwhile", async () => {
    await using({ settings: { smtpUrl: undefined } }, async (first) => {
      let release = () => {}
      sink.held.set("ada@example.org", new Promise((resolve) => (release = resolve)))
      const app = await startApp({ databaseOf: first, settings: { smtpUrl: smtp() } })
      await write(app, "ada@example.org")
      await sink.until("a try", () => sink.tried.length === 1)
      // The claim lasts longer than a delivery may take.
      expect(await rows(first)).toMatchObject([{ attempts: 1, next_at: at(120_000) }])
      const stopped = app.stop()
      setImmediate(release)
      await stopped
      expect(sink.received).toHaveLength(1)
      expect(await rows(first)).toEqual([])
    })
  })

  it("is sent to addresses in other scripts, with the host in the form of the DNS", () =>
    using({}, async (app) => {
      await write(app, "zoë@exämple.org")
      const [mail] = await sink.mail()
      expect(mail!.isUtf8).toBe(true)
      expect(mail!.to[0]).toMatch(/^zoë@(exämple|xn--exmple-cua)\.org$/)
      await allGone(app)
    }))

  it("is refused for an address that the server cannot take, and no byte of the address is sent", async () => {
    await sink.stop()
    sink = await SmtpSink.start({ hideSMTPUTF8: true })
    await using({}, async (app) => {
      await write(app, "ünal@example.org")
      await write(app, "unal@exämple.org")
      const [mail] = await sink.mail()
      expect([mail!.headers.get("to"), mail!.isUtf8]).toEqual(["unal@xn--exmple-cua.org", false])
      await allGone(app)
      expect(sink.tried).toEqual([expect.stringMatching(/^unal@/)])
      const reason = "the mail server has no SMTPUTF8, which the address needs"
      expect(await app.sql("SELECT recipient, error FROM failed_mails")).toEqual([
        { recipient: "ünal@example.org", error: reason }
      ])
      expect(lines.join("\n")).toContain(`was permanently refused (${reason}); it is dropped`)
    })
    // The sender is an address, too.
    await using({ settings: { mailFrom: "Öffice <bürö@our.example>" } }, async (app) => {
      await write(app, "ada@example.org")
      await allGone(app)
      expect(sink.tried).toHaveLength(1)
    })
  })

  it("comes from MAIL_FROM, and logs in with the user and password of SMTP_URL", () =>
    using(
      {
        settings: { smtpUrl: smtp({ user: "post%40office:p%3Ass" }), mailFrom: "Our Notes <notes@our.example>" }
      },
      async (app) => {
        await write(app, "ada@example.org")
        const [mail] = await sink.mail()
        expect(mail!.from).toBe("notes@our.example")
        expect(mail!.headers.get("from")).toBe("Our Notes <notes@our.example>")
        expect(mail!.headers.get("message-id")).toMatch(/@our\.example>$/)
        expect(sink.logins).toEqual([["post@office", "p:ss"]])
      }
    ))

  it("sends no password to another machine without TLS", () =>
    // 0.0.0.0 leads to this machine, too, but is not recognised as loopback.
    using({ settings: { smtpUrl: smtp({ host: "0.0.0.0", user: "post:secret" }) } }, async (app) => {
      await write(app, "ada@example.org")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
      expect(sink.logins).toEqual([])
      expect(sink.tried).toEqual([])
    }))

  it("is not sent to a server with an untrusted certificate", async () => {
    await sink.stop()
    sink = await SmtpSink.start({ secure: true })
    const smtpUrl = smtp({ scheme: "smtps", user: "post:secret", host: "localhost" })
    await using({ settings: { smtpUrl } }, async (app) => {
      await write(app, "ada@example.org")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
      expect(sink.logins).toEqual([])
      expect(lines.join("\n")).toMatch(/could not be sent \(\w*CERT\w*\)/)
    })
  })

  it("has no header or line from line breaks in names", () =>
    using({}, async (app) => {
      await write(
        app,
        "ada@example.org",
        invitation({
          workspace: "Plans\r\nBcc: eve@example.org\r\n\r\nYou have won!",
          inviter: "Eve\r\nReply-To: eve",
          inviter_email: "eve@example.org",
          role: "editor",
          accept_url: "https://sheaf.test/invitations/accept?token=abc",
          expires_at: at(0),
          locale: "en"
        })
      )
      const [mail] = await sink.mail()
      expect(mail!.to).toEqual(["ada@example.org"])
      expect([...mail!.headers.keys()].sort()).toEqual([
        "auto-submitted",
        "content-transfer-encoding",
        "content-type",
        "date",
        "from",
        "message-id",
        "mime-version",
        "subject",
        "to"
      ])
      expect(mail!.headers.get("subject")).toMatch(/^Eve Reply-To: eve invites you to "Plans Bcc: /)
      expect(mail!.text).not.toMatch(/^(You have won|Bcc|Reply-To)/m)
    }))

  it("leaves no secrets in plain text in the database or the log", () =>
    using({ settings: { logLevel: "trace" } }, async (app) => {
      sink.faults.set("ada@example.org", [451])
      await write(
        app,
        "ada@example.org",
        passwordReset({ token: "hush-token-hush", publicUrl: "https://sheaf.test", locale: "en" })
      )
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
      const stored = await app.sql("SELECT row_to_json(m)::text AS row FROM mails m")
      expect(stored[0].row).toContain("ada@example.org")
      const decoded = Buffer.from((await rows(app))[0].sealed, "base64url").toString("latin1")
      for (const text of [stored[0].row, decoded, lines.join("\n")]) expect(text).not.toMatch(/hush|password/)
      await later(app, "10 seconds")
      expect((await sink.mail())[0]!.text).toContain("hush-token-hush")
      await allGone(app)
      expect(lines.join("\n")).not.toMatch(/hush|ada@example/)
    }))
})

describe("the delay after a failed attempt", () => {
  const [second, minute, hour] = [1_000, 60_000, 3_600_000]
  it.each([
    [1, 0, 10 * second],
    [2, 10 * second, minute],
    [3, 70 * second, 5 * minute],
    [4, 6 * minute, 30 * minute],
    [5, 36 * minute, 2 * hour],
    [6, 2 * hour, 6 * hour],
    [7, 9 * hour, 6 * hour],
    [99, 66 * hour, 6 * hour],
    [7, 66 * hour + 1, undefined],
    [1, 72 * hour - 10 * second, 10 * second],
    [1, 72 * hour, undefined]
  ])("after attempt %d of a mail that is %d ms old is %d ms", (attempt, age, delay) => {
    expect(backoff(attempt, age)).toBe(delay)
  })
})

describe("the outbox directory", () => {
  let dataDir: string
  beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), "sheaf-outbox-"))))
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
  const mode = (...path: ReadonlyArray<string>) => statSync(join(dataDir, ...path)).mode & 0o777

  it("has a complete file for each mail, named in order of time, readable only by its owner", () =>
    using({ settings: { smtpUrl: undefined, dataDir } }, async (app) => {
      const link = `https://sheaf.test/?${"t=a&".repeat(40)}`
      await write(app, "ada@example.org", { subject: "Zoë", text: `Hallo Zoë\n    ${link}\n` })
      await allGone(app)
      await app.advance("1 minute")
      await write(app, "zoë@example.org")
      await allGone(app)
      const files = readdirSync(join(dataDir, "outbox")).sort()
      expect(files).toEqual([
        expect.stringMatching(/^2026-03-01T12-00-00\.000Z-\w{22}\.eml$/),
        expect.stringMatching(/^2026-03-01T12-01-00\.000Z-\w{22}\.eml$/)
      ])
      expect(mode("outbox")).toBe(0o700)
      expect(files.map((file) => mode("outbox", file))).toEqual([0o600, 0o600])
      const [first, second] = files.map((file) => parse(readFileSync(join(dataDir, "outbox", file), "utf8")))
      expect(Object.fromEntries(first!.headers)).toMatchObject({
        to: "ada@example.org",
        from: "Sheaf <sheaf@sheaf.test>",
        subject: "Zoë"
      })
      // Readable with any program.
      expect(first!.raw).toContain(`Hallo Zoë\r\n    ${link}\r\n`)
      expect(second!.headers.get("to")).toBe("zoë@example.org")
      expect(second!.text).toBe("Hello\n")
    }))

  it("keeps mail waiting when it cannot be written", () =>
    using({ settings: { smtpUrl: undefined, dataDir: "/dev/null" } }, async (app) => {
      await write(app, "ada@example.org")
      await expect.poll(() => rows(app)).toMatchObject([{ attempts: 1, next_at: at(10_000) }])
      expect(lines.join("\n")).toContain("could not be sent (ENOTDIR)")
    }))
})
