import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { once } from "node:events"
import { type AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import * as Check from "../../../services/doctor/Check.ts"
import { backupCheck } from "../../../services/doctor/BackupCheck.ts"
import { backupTargetCheck } from "../../../services/doctor/BackupTargetCheck.ts"
import { counterCheck } from "../../../services/doctor/CounterCheck.ts"
import { clockCheck, settingsCheck } from "../../../services/doctor/DatabaseChecks.ts"
import { DiskSpace } from "../../../services/files/DiskSpace.ts"
import { directoryCheck, diskCheck } from "../../../services/doctor/DirectoryCheck.ts"
import { checkDatabase, type DoctorOptions } from "../../../services/doctor/Doctor.ts"
import { fileCheck } from "../../../services/doctor/FileCheck.ts"
import { logCheck } from "../../../services/doctor/LogCheck.ts"
import { certificateCheck, mailCheck, redisCheck } from "../../../services/doctor/OutsideChecks.ts"
import { recordCheck } from "../../../services/doctor/RecordCheck.ts"
import { storedFilesCheck } from "../../../services/doctor/StoredFilesCheck.ts"
import { textCheck } from "../../../services/doctor/TextCheck.ts"
import { searchCheck } from "../../../services/doctor/SearchCheck.ts"
import { inSnapshot } from "../../../services/doctor/Snapshot.ts"
import { Mailer } from "../../../services/mail/Mailer.ts"
import { counters } from "../../../services/tables/Counters.ts"
import { Files, someBytes } from "../../support/Files.ts"
import { RedisServer } from "../../support/servers/RedisServer.ts"
import { s3Server } from "../../support/servers/S3Server.ts"
import { SmtpSink } from "../../support/servers/SmtpSink.ts"
import { certificateFor } from "../../support/servers/Certificate.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { expectTruth } from "../../support/people/Truth.ts"
import { useApp } from "../../support/useApp.ts"

const s3 = await s3Server()
const noBucket = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""
afterAll(() => {
  if (!("missing" in s3)) s3.client.destroy()
})

const asSuperuser = (text: string) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(
        PgConnection.make({
          ...inject("postgres"),
          host: inject("postgres").socketDirectory,
          username: "sheaf",
          database: app.database
        }),
        (connection) => connection.query(text)
      )
    )
  )

let free = 10 ** 12
const { app, given } = useApp({
  layers: DiskSpace.layer({ directory: "", reserve: false, measure: Effect.sync(() => ({ free, size: 10 ** 12 })) })
})
let inbox: string
let note: string
let file: any

beforeAll(async () => {
  inbox = (await app.call("GET", "/notebooks")).body.data[0].id
  const make = (more: object = {}) =>
    given("POST", "/notes", { notebook_id: inbox, title: "A note", body: "harbour", ...more })
  note = (await make({ tags: ["kept", "red"] })).id
  await given("PATCH", `/notes/${note}`, { body: "harbour and river" })
  file = await new Files(app).make(note, someBytes())
  await given("POST", `/notes/${note}/comments`, { body: "first" })
  await given("POST", "/reminders", { note_id: note, remind_at: "2026-04-01T12:00:00.000Z", channel: "push" })
  await given("POST", "/templates", { name: "Daily", body: "## Today" })
  const trashed = (await make({ tags: ["red"] })).id
  await new Files(app).make(trashed, someBytes())
  await app.call("DELETE", `/notes/${trashed}`)
  const purged = (await make()).id
  await app.call("DELETE", `/notes/${purged}?permanent=true`)
  for (let each = 0; each < 30; each++) await make()
})

const on = async (node: TestApp, options: Partial<DoctorOptions> = {}) => {
  const results = new Map<string, Check.Result>()
  await node.run(
    checkDatabase({
      isQuick: false,
      isRepair: false,
      searchDirectory: join(app.dataDir, "search"),
      searchMemory: 64 * 1024 * 1024,
      filesDirectory: join(app.dataDir, "files"),
      auditLog: undefined,
      backupTo: undefined,
      s3Access: undefined,
      report: (result) => Effect.sync(() => void results.set(result.check, result)),
      ...options
    })
  )
  return results
}

/** The result of one check of the database. */
const resultOf = (name: string, { isQuick = false }: { readonly isQuick?: boolean } = {}) => {
  const checks = [
    settingsCheck,
    clockCheck,
    backupCheck,
    counterCheck(undefined),
    logCheck,
    recordCheck,
    textCheck,
    fileCheck({ isQuick }),
    storedFilesCheck(join(app.dataDir, "files")),
    searchCheck({ directory: join(app.dataDir, "search"), maxBytes: 64 * 1024 * 1024 })
  ]
  const check: Check.Check<any> = checks.find((each) => each.name === name)!
  const made = Check.run(check)
  return app.run(["counters", "log", "records", "texts"].includes(name) ? inSnapshot(made) : made)
}
/** The faults of the tests' PostgreSQL, which waits for no disk. */
const unflushed = ["fsync", "full_page_writes", "synchronous_commit"].map((name) => expect.stringContaining(name))

const problemsOf = async (check: string) => (await resultOf(check)).faults.map(({ problem }) => problem)
const repaired = async (node: TestApp = app) =>
  (await on(node, { isRepair: true, repairsBytes: true, isQuick: true })).get("counters")!

/** Plants a fault by a statement, expects a check to find it, and removes the fault by another statement. */
const planted = async (check: string, plant: string, undo: string, problem: RegExp) => {
  await app.sql(plant)
  try {
    const { faults, status } = await resultOf(check)
    expect({ status, problems: faults.map((fault) => fault.problem) }).toEqual({
      status: "faulty",
      problems: expect.arrayContaining([expect.stringMatching(problem)])
    })
    for (const fault of faults) expect(fault.remedy).toMatch(/^[A-Z].+\.$/)
  } finally {
    await app.sql(undo)
  }
  expect(await problemsOf(check)).not.toContainEqual(expect.stringMatching(problem))
}

it("finds no fault in the data of a server that runs", async () => {
  expect((await app.call("POST", "/search", { query: "harbour" })).body.total).toBe(31)
  const results = await on(app)
  expect([...results].map(([check, { status }]) => [check, status])).toEqual([
    ["database settings", "faulty"],
    ["clock", "faulty"],
    ["backups", "skipped"],
    ["backup target", "skipped"],
    ["audit log", "skipped"],
    ["counters", "ok"],
    ["log", "ok"],
    ["records", "ok"],
    ["texts", "ok"],
    ["files", "ok"],
    ["stored files", "ok"],
    ["search", "ok"]
  ])
  // The tests' PostgreSQL waits for no disk, and their clock stays in the past.
  expect(results.get("database settings")!.faults.map(({ problem }) => problem)).toEqual(unflushed)
  expect(results.get("clock")!.faults).toMatchObject([{ problem: expect.stringMatching(/\d s behind the database/) }])
})

describe("counters", () => {
  const wrong = [
    ...counters.map(
      (counter) => [`UPDATE heads SET ${counter} = ${counter} + 3`, new RegExp(` as ${counter}, and `)] as const
    ),
    ["UPDATE notebooks SET note_count = note_count + 2", /The notebook nb_\w+ has 33 .* 31 exist/] as const,
    ["UPDATE tags SET note_count = 5 WHERE name = 'red'", /The tag tg_\w+ has 5 .* 1 exist/] as const,
    ["UPDATE blobs SET refs = 7 WHERE refs = 1", /The file \w{64} has 7 .* 1 records use it/] as const
  ]

  it("finds each count that differs from its rows, and repairs all of them with one event", async () => {
    const seq = await app.seq()
    for (const [plant] of wrong) await app.sql(plant)
    const found = await problemsOf("counters")
    for (const [, problem] of wrong) expect(found).toContainEqual(expect.stringMatching(problem))
    expect(await app.seq()).toBe(seq)
    const { faults, status } = await repaired()
    expect(status).toBe("repaired")
    expect(faults.map(({ problem }) => problem)).toEqual(found)
    expect(faults).toEqual(found.map(() => expect.objectContaining({ repaired: true })))
    expect(await app.changesAfter(seq)).toMatchObject([
      { type: "workspace.updated", resource_id: app.workspace_id, data: { recounted: true, by: "operator" } }
    ])
    await expectTruth(app)
    expect((await repaired()).status).toBe("ok")
    expect(await app.seq()).toBe(seq + 1)
  })

  it("repairs on one node while another node writes with cached counters", async () => {
    const other = await startApp({ databaseOf: app })
    try {
      for (const [plant] of wrong) await app.sql(plant)
      const make = (node: TestApp) =>
        node.call("POST", "/notes", { notebook_id: inbox, title: "Meanwhile", tags: ["red"] })
      const writes = Array.from({ length: 30 }, (_, each) => make(each % 2 === 0 ? app : other))
      await repaired(other)
      for (const { status } of await Promise.all(writes)) expect(status).toBe(201)
      // A write between the two may have read the wrong counts: the next run finds none of them.
      await repaired(other)
      expect((await make(app)).status).toBe(201)
      await expectTruth(app)
    } finally {
      await other.stop()
    }
  })

  it("does not repair counts of bytes by the way, which may be the only trace of a changed text", async () => {
    await app.sql(`UPDATE notes SET body = body || ' ' WHERE id = '${note}'`)
    await app.sql("UPDATE heads SET notes = notes + 3")
    const { faults, status } = (await on(app, { isRepair: true, isQuick: true })).get("counters")!
    expect(status).toBe("faulty")
    expect(faults).toMatchObject([
      { problem: expect.stringMatching(/ as notes, and /), repaired: true },
      { problem: expect.stringMatching(/ as text_bytes, and /), remedy: expect.stringMatching(/--repair-bytes/) }
    ])
    expect(await problemsOf("counters")).toEqual([expect.stringMatching(/ as text_bytes, and /)])
    await app.sql(`UPDATE notes SET body = 'harbour and river' WHERE id = '${note}'`)
    expect(await problemsOf("counters")).toEqual([])
    await expectTruth(app)
  })

  it("shows 20 faults of a check, and repairs more", async () => {
    for (let each = 0; each < 25; each++) await given("POST", "/notebooks", { name: `Empty ${each}` })
    await app.sql("UPDATE notebooks SET note_count = 9 WHERE name LIKE 'Empty %'")
    const { faults, has_more } = await resultOf("counters")
    expect([faults.length, has_more]).toEqual([20, true])
    expect((await repaired()).status).toBe("repaired")
    expect((await resultOf("counters")).status).toBe("ok")
    await expectTruth(app)
  })
})

describe("log", () => {
  const park = "UPDATE changes SET workspace_id = 'parked' WHERE seq"
  const unpark = "UPDATE changes SET workspace_id = (SELECT workspace_id FROM workspaces) WHERE workspace_id = 'parked'"

  it("finds missing entries, with the first of them", () =>
    planted("log", `${park} IN (7, 8)`, unpark, /2 are missing, the first at 7\./))

  it("finds a head that is not at the end of the log", () =>
    planted(
      "log",
      "UPDATE heads SET seq = seq + 5",
      "UPDATE heads SET seq = seq - 5",
      /log of the workspace ends at \d+, and its head is at \d+/
    ))

  it("does not report entries that have ended after 90 days", async () => {
    await app.sql("UPDATE changes SET occurred_at = '2025-11-01T00:00:00.000Z' WHERE seq <= 6")
    await app.sql(`${park} IN (1, 2, 4)`)
    expect((await resultOf("log")).status).toBe("ok")
    await app.sql(unpark)
    await app.sql("UPDATE changes SET occurred_at = '2026-03-01T12:00:00.000Z' WHERE seq <= 6")
  })
})

describe("records", () => {
  const ofNote = () => `type = 'note' AND id = '${note}'`
  const back = "UPDATE records SET workspace_id = (SELECT workspace_id FROM workspaces) WHERE workspace_id = 'parked'"
  const types = ["note", "notebook", "tag", "template", "attachment", "comment", "reminder"]

  it.each(types)("finds that the record of a row is missing: %s", (type) =>
    planted(
      "records",
      `UPDATE records SET workspace_id = 'parked'
      WHERE id = (SELECT id FROM records WHERE type = '${type}' AND NOT deleted LIMIT 1)`,
      back,
      /^\w+ is missing in the records that clients pull\.$/
    )
  )

  it.each(types)("finds a record without its row: %s", (type) =>
    planted(
      "records",
      `INSERT INTO records SELECT workspace_id, type, id || 'x', seq, revision, deleted, bytes, changed_at, actor_id, device_id
      FROM records WHERE type = '${type}' AND NOT deleted LIMIT 1`,
      "DELETE FROM records WHERE id LIKE '%x' AND id NOT IN (SELECT resource_id FROM changes)",
      /x is missing, and is not deleted in the records/
    )
  )

  it("finds a record with another revision than its note, and with another change than the log", async () => {
    const change = (difference: string) => `UPDATE records SET revision = revision ${difference} WHERE ${ofNote()}`
    await planted("records", change("+ 1"), change("- 1"), /has revision 2, and revision 3 in the records/)
    await planted("records", change("+ 1"), change("- 1"), /where the entry is about another change/)
  })

  it("finds a record that is deleted although its note exists, and the reverse", async () => {
    const set = (deleted: boolean) => `UPDATE records SET deleted = ${deleted} WHERE ${ofNote()}`
    await planted("records", set(true), set(false), /exists, and is deleted in the records/)
    const trashed = "type = 'note' AND id = (SELECT id FROM notes WHERE deleted_at IS NOT NULL)"
    await planted(
      "records",
      `UPDATE records SET deleted = false WHERE ${trashed}`,
      `UPDATE records SET deleted = true WHERE ${trashed}`,
      /is in the trash, and is not deleted in the records/
    )
  })

  it("finds a record beyond the end of the log, and one without its entry", async () => {
    const move = (difference: string) => `UPDATE records SET seq = seq ${difference} WHERE ${ofNote()}`
    await planted("records", move("+ 100000"), move("- 100000"), /in the log, which ends at \d+/)
    await planted(
      "records",
      `UPDATE changes SET workspace_id = 'parked' WHERE seq = (SELECT seq FROM records WHERE ${ofNote()})`,
      "UPDATE changes SET workspace_id = (SELECT workspace_id FROM workspaces) WHERE workspace_id = 'parked'",
      /in the log, which has no such entry/
    )
  })

  it("finds a record of an unknown type", () =>
    planted(
      "records",
      "UPDATE records SET type = 'sticker' WHERE type = 'template'",
      "UPDATE records SET type = 'template' WHERE type = 'sticker'",
      /has the unknown type sticker/
    ))

  it.each(["attachments", "comments", "reminders"])("finds %s that are in the trash without their note", (table) =>
    planted(
      "records",
      `UPDATE ${table} SET trashed = true WHERE note_id = '${note}'`,
      `UPDATE ${table} SET trashed = false WHERE note_id = '${note}'`,
      /is in the trash, and its note is not/
    )
  )

  it("finds a link to a tag that the note does not have, and a tag without its link", async () => {
    await planted(
      "records",
      "INSERT INTO note_tags SELECT n.workspace_id, t.id, n.id FROM notes n, tags t WHERE n.tags = '{}' AND t.name = 'kept' LIMIT 1",
      "DELETE FROM note_tags l USING tags t, notes n WHERE t.id = l.tag_id AND n.id = l.note_id AND t.name <> ALL(n.tags)",
      /is linked to the tag tg_\w+, which it does not have/
    )
    await planted(
      "records",
      `UPDATE note_tags SET workspace_id = 'parked' WHERE note_id = '${note}'`,
      "UPDATE note_tags SET workspace_id = (SELECT workspace_id FROM workspaces) WHERE workspace_id = 'parked'",
      /has \d+ tags on notes, and \d+ links/
    )
  })
})

describe("texts", () => {
  it("finds a changed text of a note and of an earlier version, and an attachment of another size than its file", async () => {
    const set = (text: string) => `UPDATE notes SET body = '${text}' WHERE id = '${note}'`
    await planted(
      "texts",
      set("a harbour and a river"),
      set("harbour and river"),
      /The text of version 2 of nt_\w+ has 5/
    )
    const version = (text: string) => `UPDATE note_versions SET body = '${text}' WHERE note_id = '${note}'`
    await planted(
      "texts",
      version("two words"),
      version("harbour"),
      /The text of version 1 of nt_\w+ has 2 words, and 1/
    )
    const resize = (difference: string) => `UPDATE attachments SET size = size ${difference} WHERE id = '${file.id}'`
    await planted("records", resize("+ 7"), resize("- 7"), /^at_\w+ has \d+ as its size, and its file has \d+ bytes\.$/)
  })
})

describe("stored files", () => {
  it("finds files without a row, entries that are not of Sheaf, and entries of another user", async () => {
    const files = join(app.dataDir, "files")
    const unused = join(files, app.workspace_id, "ff", "f".repeat(64))
    mkdirSync(join(unused, ".."), { recursive: true })
    writeFileSync(unused, "unused")
    mkdirSync(join(files, "folder"))
    writeFileSync(join(files, "folder", "inside"), "")
    writeFileSync(join(files, "junk.txt"), "junk")
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(join(files, app.workspace_id, "ff"), 65_534, 65_534)
    const found = await problemsOf("stored files")
    const expected = [
      /\/files\/folder \(\d+ bytes\) is not of Sheaf\.$/,
      /\/files\/junk\.txt \(4 bytes\) is not of Sheaf\.$/,
      /\/ff\/f{64} \(6 bytes\) belongs to no file that Sheaf has: /,
      ...(isRoot ? [/\/ff \(\d+ bytes\) belongs to another user than the directory/] : [])
    ]
    expect(found).toHaveLength(expected.length)
    for (const problem of expected) expect(found).toContainEqual(expect.stringMatching(problem))
    for (const path of [join(unused, ".."), join(files, "folder")]) rmSync(path, { recursive: true })
    rmSync(join(files, "junk.txt"))
    expect(await problemsOf("stored files")).toEqual([])
  })
})

describe("files", () => {
  const path = () => join(app.dataDir, "files", app.workspace_id, file.sha256.slice(0, 2), file.sha256)
  const check = async (isQuick: boolean) => (await resultOf("files", { isQuick })).faults.map(({ problem }) => problem)

  it("finds a file that is missing, and one with other bytes; without reading it, one with another length", async () => {
    const bytes = readFileSync(path())
    const damaged = expect.stringMatching(new RegExp(`${file.sha256}, which ${file.id} need, has other bytes`))
    try {
      writeFileSync(path(), someBytes())
      expect([await check(false), await check(true)]).toEqual([[damaged], []])
      writeFileSync(path(), bytes.subarray(1))
      expect([await check(false), await check(true)]).toEqual([[damaged], [damaged]])
      rmSync(path())
      const missing = expect.stringMatching(new RegExp(`${file.sha256} is missing, which ${file.id} need`))
      expect([await check(false), await check(true)]).toEqual([[missing], [missing]])
    } finally {
      writeFileSync(path(), bytes)
    }
    expect(await check(false)).toEqual([])
  })

  it("finds that files cannot be stored", async () => {
    const folder = join(app.dataDir, "files")
    renameSync(folder, `${folder}.away`)
    writeFileSync(folder, "")
    try {
      expect(await check(true)).toEqual([expect.stringMatching(/^Files cannot be stored or read: /)])
    } finally {
      rmSync(folder)
      renameSync(`${folder}.away`, folder)
    }
  })
})

describe("search", () => {
  const folder = () => join(app.dataDir, "search", "local", app.workspace_id)
  const indexed = (type = "note") =>
    `(SELECT id FROM records WHERE type = '${type}' AND NOT deleted AND id <> '${note}' ORDER BY seq LIMIT 1)`

  it("finds notes that the index does not have, has with an earlier text, or has although they were deleted", async () => {
    const time = (difference: string) =>
      `UPDATE notes SET updated_at = '2026-03-0${difference}T12:00:00.000Z' WHERE id = ${indexed()}`
    await planted("search", time("2"), time("1"), /has an earlier text of the note nt_/)
    const remove = (value: string) => `UPDATE notes SET deleted_at = ${value} WHERE id = ${indexed()}`
    await planted(
      "search",
      remove("'2026-03-01T12:00:00.000Z'"),
      remove("NULL"),
      /has the note nt_\w+, which was deleted/
    )
    const made = (await given("POST", "/notes", { notebook_id: inbox, title: "Late" })).id
    const { seq } = (await app.sql("SELECT seq::float8 AS seq FROM records WHERE id = $1", [made]))[0]
    const move = (to: number) => `UPDATE records SET seq = ${to} WHERE id = '${made}'`
    await planted("search", move(1), move(seq), /does not have the note nt_/)
  })

  it("finds a file of the index with another byte, and a manifest that cannot be read", async () => {
    for (const [end, problem] of [
      [".segment", /is damaged or cannot be read: /],
      ["manifest", /is damaged or cannot be read: /]
    ] as const) {
      const path = join(
        folder(),
        readdirSync(folder()).find((name) => name.endsWith(end))!
      )
      const bytes = readFileSync(path)
      for (const share of [0, 0.5, 1]) {
        const changed = Buffer.from(bytes)
        const place = Math.floor((bytes.length - 1) * share)
        changed[place] = 255 - changed[place]!
        writeFileSync(path, changed)
        expect(await problemsOf("search"), `${end} at ${share}`).toEqual([expect.stringMatching(problem)])
      }
      writeFileSync(path, bytes)
    }
    expect((await resultOf("search")).status).toBe("ok")
  })

  it("is skipped without an index, and by a quick run", async () => {
    const nowhere = await on(app, { searchDirectory: join(app.dataDir, "nowhere") })
    expect(nowhere.get("search")).toMatchObject({ status: "skipped" })
    expect((await on(app, { isQuick: true })).get("search")).toMatchObject({ status: "skipped" })
  })
})

describe("the database", () => {
  it("finds an index that PostgreSQL could not build, and a collation that has changed", async () => {
    await expect(app.sql("CREATE UNIQUE INDEX CONCURRENTLY not_unique ON notes (workspace_id)")).rejects.toThrow()
    expect(await problemsOf("database settings")).toContainEqual(expect.stringMatching(/index not_unique is invalid/))
    await app.sql("DROP INDEX not_unique")
    await asSuperuser("UPDATE pg_collation SET collversion = '1' WHERE collname = 'sheaf_text'")
    expect(await problemsOf("database settings")).toContainEqual(
      expect.stringMatching(
        /The collation sheaf_text has version .*, and its indexes were built with 1: .*notes_by_title/
      )
    )
    await app.sql("ALTER COLLATION sheaf_text REFRESH VERSION")
    expect(await problemsOf("database settings")).toEqual(unflushed)
  })

  it("finds a change in the future", () =>
    planted(
      "clock",
      "UPDATE changes SET occurred_at = '2026-03-02T12:00:00.000Z' WHERE seq = (SELECT seq FROM heads)",
      "UPDATE changes SET occurred_at = '2026-03-01T12:00:00.000Z' WHERE seq = (SELECT seq FROM heads)",
      /The newest change has the time 2026-03-02T12:00:00.000Z, which is 86400 s in the future/
    ))

  it("finds a node whose clock is ahead", () =>
    planted(
      "clock",
      `INSERT INTO nodes VALUES ('n1', 'notes-2', '10.0.0.2:4000', '0.1.0', 1, now()::text,
        to_char((now() + interval '10 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
      "DELETE FROM nodes WHERE id = 'n1'",
      /^The clock of the node notes-2 \(10\.0\.0\.2:4000\) is (600|599) s ahead of the database's clock\.$/
    ))

  it("finds that the last backup failed", () =>
    planted(
      "backups",
      `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, error)
      VALUES ('one', 'manual', '/full/one', false, '2026-03-01T11:00:00.000Z', '2026-03-01T11:01:00.000Z', 'the disk is full')`,
      "DELETE FROM backups",
      /^The last backup, to \/full\/one, failed at 2026-03-01T11:01:00.000Z: the disk is full\.$/
    ))

  it("reports a check that fails as a fault, and makes the others", async () => {
    await app.sql("ALTER TABLE blobs RENAME TO lost")
    try {
      const results = await on(app)
      expect(results.get("counters")!.faults).toMatchObject([
        { problem: expect.stringMatching(/could not be completed.*blobs/) }
      ])
      expect(results.size).toBe(12)
    } finally {
      await app.sql("ALTER TABLE lost RENAME TO blobs")
    }
  })
})

const run = <R>(check: Check.Check<R>) => app.run(Check.run(check))
const found = async <R>(check: Check.Check<R>) => (await run(check)).faults.map(({ problem }) => problem)

describe("the machine", () => {
  it.each([
    ["nearly full", 90 * 10 ** 9, /^The disk is nearly full: \d+ MiB of \d+ MiB are free/],
    ["without room for files", 40 * 10 ** 9, /^Uploads, imports and exports are refused/],
    ["full", 10 ** 6, /^The disk is full, and writes are refused/]
  ])("finds a disk that is %s", async (_, bytes, problem) => {
    free = bytes
    await expect.poll(() => found(diskCheck), { timeout: 60_000 }).toEqual([expect.stringMatching(problem)])
    free = 10 ** 12
    await expect.poll(() => found(diskCheck), { timeout: 60_000 }).toEqual([])
  })

  it("finds what other users can open in a DATA_DIR that is not closed, and what this user cannot use", async () => {
    const directory = mkdtempSync(join(tmpdir(), "sheaf-doctor-"))
    writeFileSync(join(directory, "secret.key"), "", { mode: 0o644 })
    mkdirSync(join(directory, "files"), { mode: 0o700 })
    expect((await run(directoryCheck(directory))).status).toBe("ok")
    chmodSync(directory, 0o755)
    expect(await found(directoryCheck(directory))).toEqual([expect.stringMatching(/Other users .*secret\.key/)])
    chmodSync(join(directory, "secret.key"), 0o600)
    expect((await run(directoryCheck(directory))).status).toBe("ok")
    expect(await found(directoryCheck(join(directory, "nowhere")))).toEqual([expect.stringMatching(/ENOENT/)])
    rmSync(directory, { recursive: true })
  })

  it("finds a certificate that clients refuse, and a server that cannot be reached", async () => {
    const { cert, key } = certificateFor(["localhost"])
    const server = createServer({ cert, key }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const url = `https://localhost:${(server.address() as AddressInfo).port}`
    expect(await found(certificateCheck(url))).toEqual([
      expect.stringMatching(/Clients refuse the certificate of localhost:\d+: DEPTH_ZERO/)
    ])
    server.close()
    await once(server, "close")
    expect(await found(certificateCheck(url))).toEqual([expect.stringMatching(/cannot be reached .*ECONNREFUSED/)])
    expect(await run(certificateCheck("http://localhost"))).toMatchObject({ status: "skipped" })
  })

  it("writes to the place of backups, and finds one that is missing, relative, closed or too small", async () => {
    const backupTo = mkdtempSync(join(tmpdir(), "sheaf-doctor-"))
    const check = (to: string | undefined) => backupTargetCheck({ backupTo: to, s3Access: undefined })
    expect((await run(check(backupTo))).status).toBe("ok")
    expect(readdirSync(backupTo)).toEqual([])
    await app.sql(
      `INSERT INTO backups (id, kind, target, encrypted, started_at, ended_at, bytes)
      VALUES ('one', 'manual', '/backup/one', false, '2026-03-01T11:00:00.000Z', '2026-03-01T11:01:00.000Z', 1e18)`
    )
    expect(await found(check(backupTo))).toEqual([expect.stringMatching(/BACKUP_TO has \d+ MiB free, and the last/)])
    await app.sql("DELETE FROM backups")
    expect(await found(check(`${backupTo}/none`))).toEqual([expect.stringMatching(/BACKUP_TO cannot be used: .*none/)])
    const [relative] = await found(check("nowhere"))
    expect(relative).toMatch(/^BACKUP_TO is relative to the directory in which Sheaf starts: \//)
    writeFileSync(join(backupTo, "file"), "")
    expect(await found(check(join(backupTo, "file")))).toEqual([expect.stringMatching(/is not a directory/)])
    // Root may write everywhere except here.
    expect(await found(check("/proc"))).toEqual([expect.stringMatching(/^Backups cannot be written to BACKUP_TO: /)])
    expect(await found(check("s3://bucket"))).toEqual([expect.stringMatching(/set S3_ENDPOINT/)])
    expect(await run(check(undefined))).toMatchObject({ status: "skipped" })
    rmSync(backupTo, { recursive: true })
  })

  it.skipIf("missing" in s3)(`writes to a bucket for backups, and finds one that is missing${noBucket}`, async () => {
    if ("missing" in s3) return
    const check = (bucket: string) => backupTargetCheck({ backupTo: `s3://${bucket}/backups`, s3Access: s3 })
    expect(await run(check(s3.bucket))).toMatchObject({ status: "ok", faults: [] })
    expect(await found(check("no-such-bucket-of-sheaf"))).toEqual([expect.stringMatching(/does not exist/)])
  })

  it("counts in Redis, and finds one that cannot be used", async () => {
    const redis = await RedisServer.start()
    expect(await run(redisCheck(Redacted.make(redis.url)))).toMatchObject({ status: "ok" })
    await redis.stop()
    expect(await found(redisCheck(Redacted.make("redis://127.0.0.1:1")))).toEqual([
      expect.stringMatching(/^The Redis of REDIS_URL cannot be used: .*ECONNREFUSED/)
    ])
    expect(await run(redisCheck(undefined))).toMatchObject({ status: "skipped" })
  })

  it("logs in to the mail server, and finds one that cannot be used", async () => {
    const sink = await SmtpSink.start()
    const { port } = sink
    const check = (user: string) =>
      Check.run(mailCheck).pipe(
        Effect.provide(
          Mailer.layerSmtp({
            url: Redacted.make(`smtp://${user}127.0.0.1:${port}`),
            from: "a@b.example",
            outbox: app.dataDir
          })
        ),
        Effect.runPromise
      )
    expect(await check("anna:secret@")).toMatchObject({ status: "ok" })
    expect([sink.logins, sink.received]).toEqual([[["anna", "secret"]], []])
    await sink.stop()
    const { faults, status } = await check("")
    expect({ status, faults }).toMatchObject({
      status: "faulty",
      faults: [{ problem: "The mail server of SMTP_URL cannot be used: ECONNREFUSED." }]
    })
    expect(await run(mailCheck)).toMatchObject({ status: "skipped" })
  })
})
