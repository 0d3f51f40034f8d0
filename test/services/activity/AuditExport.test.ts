import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { createSocket } from "node:dgram"
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { type AddressInfo, createServer, type Server as TcpServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import type { AuditDestination } from "../../../services/activity/audit/AuditDestination.ts"
import { auditLogCheck } from "../../../services/doctor/AuditLogCheck.ts"
import * as Check from "../../../services/doctor/Check.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const place = mkdtempSync(join(tmpdir(), "sheaf-audit-"))
afterAll(() => rmSync(place, { recursive: true }))

let number = 0
/** Makes entries by API keys, one after the other. */
const makeEntries = async (app: TestApp, count: number): Promise<void> => {
  for (let each = 0; each < count; each++) {
    const made = await app.call("POST", "/api-keys", { name: `Key "${++number}" – ü` })
    expect(made.status).toBe(201)
  }
}
const idsIn = async (app: TestApp): Promise<ReadonlyArray<string>> =>
  (await app.sql("SELECT id FROM audit_entries ORDER BY id")).map(({ id }) => id)
const linesOf = (text: string): ReadonlyArray<any> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

/** Each line follows the one before it. */
const expectChain = (lines: ReadonlyArray<any>) => {
  for (const [index, line] of lines.entries()) {
    expect(line.n).toBe(index + 1)
    expect(line.prev).toBe(index === 0 ? "0".repeat(64) : lines[index - 1].hash)
  }
}

describe("AUDIT_LOG as a file", () => {
  const path = join(place, "audit.log")
  const { app } = useApp({ settings: { auditLog: { kind: "file", path } } })
  const text = () => readFileSync(path, "utf8")

  const faults = async (): Promise<ReadonlyArray<string>> => {
    const checked = auditLogCheck({ auditLog: { kind: "file", path }, isQuick: false })
    return (await app.run(Check.run(checked))).faults.map(({ problem }) => problem.replace(`${path}: `, ""))
  }

  it("has each entry once within seconds, readable only by its owner", async () => {
    await makeEntries(app, 3)
    await app.advance("3 seconds")
    const lines = linesOf(text())
    expectChain(lines)
    expect(lines.map(({ id }) => id)).toEqual(await idsIn(app))
    const [stored] = (await app.call("GET", "/audit-log?limit=1")).body.data
    const { hash: _, n: __, prev: ___, workspace_id, ...entry } = lines.at(-1)
    expect({ entry, workspace_id }).toEqual({ entry: stored, workspace_id: app.workspace_id })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await app.sql("SELECT * FROM audit_unsent")).toEqual([])
    expect(await faults()).toEqual([])
  })

  it("is a chain that sha256sum checks", () => {
    const script = `prev=; while IFS= read -r line; do
      hash=$(printf %s "\${line%,\\"hash\\":*}" | sha256sum | cut -d ' ' -f 1)
      [ "$line" = "\${line%,\\"hash\\":*},\\"hash\\":\\"$hash\\"}" ] || exit 1
      case "$prev" in '') ;; *) case "$line" in *"\\"prev\\":\\"$prev\\""*) ;; *) exit 2 ;; esac ;; esac
      prev=$hash
    done < ${path}; echo intact`
    expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe("intact\n")
  })

  it("has no line twice, and loses none, when a process was killed before it stored what it had written", async () => {
    await makeEntries(app, 2)
    const [before] = await app.sql("SELECT * FROM audit_chains")
    await app.advance("3 seconds")
    const written = text()
    // The transaction of the killed process was rolled back; the lines are in the file, and more entries wait.
    const back = async () => {
      await app.sql("UPDATE audit_chains SET n = $1, hash = $2", [before.n, before.hash])
      await app.sql(`INSERT INTO audit_unsent (workspace_id, id)
        SELECT workspace_id, id FROM audit_entries ORDER BY id DESC LIMIT 2`)
    }
    await back()
    await app.advance("3 seconds")
    expect(text()).toBe(written)
    await back()
    await makeEntries(app, 2)
    // A crash of the machine has left a part of a line.
    appendFileSync(path, `{"n":99,"prev"`)
    await app.advance("3 seconds")
    const lines = linesOf(text())
    expectChain(lines)
    expect(lines.map(({ id }) => id)).toEqual(await idsIn(app))
    // Before the first end was stored, only the file has it.
    await app.sql("DELETE FROM audit_chains")
    await app.sql(`INSERT INTO audit_unsent (workspace_id, id) SELECT workspace_id, id FROM audit_entries
      ORDER BY id DESC LIMIT 3`)
    await makeEntries(app, 1)
    await app.advance("3 seconds")
    expect(linesOf(text()).map(({ id }) => id)).toEqual(await idsIn(app))
    expect(await faults()).toEqual([])
  })

  it("shows each line that was changed, removed or put elsewhere", async () => {
    const whole = text()
    const lines = whole.trimEnd().split("\n")
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [lines.with(2, lines[2]!.replace("api_key", "session")), /^line 3 was changed/],
      [lines.toSpliced(3, 1), /^line 4 \(n 5\) does not follow line 3 \(n 3\)/],
      [lines.toSpliced(2, 2, lines[3]!, lines[2]!), /^line 3 \(n 4\) does not follow line 2/],
      [lines.toSpliced(4, 0, lines[4]!), /^line 6 \(n 5\) does not follow line 5/],
      [lines.toSpliced(4, 1, "{}"), /^line 5 is no line/],
      [lines.slice(1), /^line 1 is not the first one/],
      [lines.slice(0, -1), /lines at its end were removed/]
    ]
    for (const [changed, message] of cases) {
      writeFileSync(path, `${changed.join("\n")}\n`)
      expect((await faults())[0]).toMatch(message)
    }
    // What is written afterwards does not hide it.
    await makeEntries(app, 1)
    await app.advance("3 seconds")
    expect((await faults())[0]).toMatch(/does not follow line/)
    writeFileSync(path, whole + text().trimEnd().split("\n").at(-1) + "\n")
    expect(await faults()).toEqual([])
  })

  it("continues in a new file after a rotation, by a rename or a truncation", async () => {
    const last = linesOf(text()).at(-1)
    renameSync(path, `${path}.1`)
    await makeEntries(app, 2)
    await app.advance("3 seconds")
    expect(linesOf(text())[0]).toMatchObject({ n: last.n + 1, prev: last.hash })
    expect(await faults()).toEqual([])
    const next = linesOf(text()).at(-1)
    writeFileSync(path, "")
    expect(await faults()).toEqual([])
    await makeEntries(app, 1)
    await app.advance("3 seconds")
    expect(linesOf(text())).toMatchObject([{ n: next.n + 1, prev: next.hash }])
    expect(await faults()).toEqual([])
  })

  it("is written by one of several nodes at a time", async () => {
    const other = await startApp({ databaseOf: app, settings: { auditLog: { kind: "file", path } } })
    try {
      const earlier = await idsIn(app)
      await Promise.all([makeEntries(app, 10), makeEntries(other, 10)])
      await Promise.all([app.advance("3 seconds"), other.advance("3 seconds")])
      const lines = linesOf(text())
      const added = (await idsIn(app)).filter((id) => !earlier.includes(id))
      expect(
        lines
          .map(({ id }) => id)
          .slice(-added.length)
          .toSorted()
      ).toEqual(added)
      expect(lines.length).toBe(added.length + 1)
      expect(await faults()).toEqual([])
    } finally {
      await other.stop()
    }
  })

  it("loses an entry that waits only with the entry, and has nothing of a dry run", async () => {
    const before = text()
    const path = `/workspaces/${app.workspace_id}`
    expect((await app.call("PATCH", path, { name: "dry" }, { prefer: "dry-run" })).status).toBe(200)
    await app.advance("3 seconds")
    expect(text()).toBe(before)
    await makeEntries(app, 1)
    await app.sql("DELETE FROM audit_entries WHERE id IN (SELECT id FROM audit_unsent)")
    expect(await app.sql("SELECT * FROM audit_unsent")).toEqual([])
  })
})

describe("AUDIT_LOG as a collector", () => {
  let received = ""
  const collector = async (): Promise<TcpServer> => {
    const server = createServer((socket) => socket.on("data", (text) => (received += text)))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }
  beforeEach(() => {
    received = ""
  })

  /** The messages of a stream with octet counting. */
  const messages = (): ReadonlyArray<string> => {
    const all: Array<string> = []
    for (let rest = Buffer.from(received); rest.length > 0;) {
      const space = rest.indexOf(" ")
      const length = Number(rest.subarray(0, space))
      all.push(rest.subarray(space + 1, space + 1 + length).toString())
      rest = rest.subarray(space + 1 + length)
    }
    return all
  }
  const bodies = (all: ReadonlyArray<string>) =>
    all.map((message) => {
      const [, body] = /^<110>1 \d{4}-\S+Z \S+ sheaf \d+ audit - (\{.*\})$/.exec(message)!
      return JSON.parse(body!)
    })

  it("gets entries by TCP; while it is away they wait, and /readyz reports it", async () => {
    const first = await collector()
    const { port } = first.address() as AddressInfo
    const auditLog: AuditDestination = { kind: "syslog", transport: "tcp", host: "127.0.0.1", port }
    const app = await startApp({ settings: { auditLog } })
    const ready = async () => (await fetch(app.url.replace(/v2$/, "readyz"))).text()
    try {
      await makeEntries(app, 2)
      await app.advance("3 seconds")
      expect(bodies(messages()).map(({ id }) => id)).toEqual(await idsIn(app))
      first.close()
      await once(first, "close")
      await makeEntries(app, 2)
      // More than a batch.
      await app.sql(`INSERT INTO audit_entries SELECT workspace_id, id || n, action, actor_id, resource_type, resource_id, ip,
        user_agent, metadata, occurred_at FROM audit_entries, generate_series(100, 349) n
        WHERE id = (SELECT max(id) FROM audit_entries)`)
      await app.advance("3 seconds")
      expect(await ready()).toBe("ready, the audit log is not written\n")
      const checked = await app.run(Check.run(auditLogCheck({ auditLog, isQuick: true })))
      expect(checked.status).toBe("ok")
      await app.advance("6 minutes")
      const later = await app.run(Check.run(auditLogCheck({ auditLog, isQuick: true })))
      expect(later.faults[0]!.problem).toMatch(/^Entries have waited for AUDIT_LOG since 20/)
      const second = createServer((socket) => socket.on("data", (text) => (received += text)))
      second.listen(port, "127.0.0.1")
      await once(second, "listening")
      await app.advance("3 seconds")
      expect(await ready()).toBe("ready\n")
      const lines = bodies(messages())
      expect(lines.map(({ id }) => id)).toEqual(await idsIn(app))
      expectChain(lines)
      second.close()
    } finally {
      await app.stop()
    }
  })

  it("gets each entry as a datagram by UDP", async () => {
    const socket = createSocket("udp4")
    const got: Array<string> = []
    const all = new Promise<void>((resolve) => {
      socket.on("message", (message) => {
        got.push(message.toString())
        if (got.length === 3) resolve()
      })
    })
    socket.bind(0, "127.0.0.1")
    await once(socket, "listening")
    const app = await startApp({
      settings: { auditLog: { kind: "syslog", transport: "udp", host: "127.0.0.1", port: socket.address().port } }
    })
    try {
      await makeEntries(app, 3)
      await app.advance("3 seconds")
      await all
      expectChain(bodies(got))
    } finally {
      await app.stop()
      socket.close()
    }
  })
})

it("nothing is queued without AUDIT_LOG, and its code is not loaded", async () => {
  const app = await startApp()
  try {
    await makeEntries(app, 1)
    expect(await app.sql("SELECT * FROM audit_unsent")).toEqual([])
    expect(existsSync(join(app.dataDir, "audit.log"))).toBe(false)
  } finally {
    await app.stop()
  }
})
