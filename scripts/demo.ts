/**
 * npm run demo -- <vault.zip>
 *
 * Against a running server: device A pushes a Markdown vault, device B pulls all of it and compares every note, a
 * listener counts the changes on the stream, both edit one note offline, other files become attachments, ten searches
 * run. Exits with 1 if anything differs. Environment: SHEAF_URL (with /v2) and SHEAF_KEY.
 */
import { readFile } from "node:fs/promises"
import { basename } from "node:path"
import { Client, DemoError, readKey } from "./demo/client.ts"
import { compareFiles, uploadFiles } from "./demo/files.ts"
import { conflictOnBoth, noteToEdit } from "./demo/conflict.ts"
import { planPush } from "./demo/plan.ts"
import { oneLine, plural, Report, timed } from "./demo/report.ts"
import { chooseQueries, runSearches } from "./demo/search.ts"
import { changeKey, Listener } from "./demo/stream.ts"
import { compareNote, comparePulled, openDevice, pushAll, syncAll, tagNames } from "./demo/sync.ts"
import { cut, readVault, type Vault } from "./demo/vault.ts"

const print = (line: string): void => console.log(line)

async function loadVault(path: string): Promise<Vault> {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new DemoError(`The vault cannot be read: ${error.message}`)
  })
  const vault = await readVault(bytes).catch((error: Error) => {
    throw new DemoError(`${path} is not a readable ZIP: ${error.message}`)
  })
  if (vault.notes.length === 0) throw new DemoError(`${path} contains no Markdown file that can become a note`)
  return vault
}

async function demo(path: string): Promise<Report> {
  const base = process.env["SHEAF_URL"] || `http://127.0.0.1:${process.env["PORT"] || 4000}/v2`
  const vault = await loadVault(path)
  const key = await readKey(process.env)
  const report = new Report()
  const stamp = new Date().toISOString().slice(0, 19).replace("T", " ")
  const plan = planPush(vault, `${cut(basename(path).replace(/\.zip$/i, ""), 70)} ${stamp}`)
  const bytes = vault.notes.reduce((sum, note) => sum + note.bytes.length, 0)

  const client = new Client(base, key)
  const { cursor: start } = await client.get<{ readonly cursor: string }>("/sync/cursor")
  const a = await openDevice(base, key, "Demo A")
  const b = await openDevice(base, key, "Demo B")
  await a.engine.sync()
  print(`${plural(plan.notes.length, "note")} → ${base}, notebook "${plan.rootName}"`)

  const created = [...plan.notebooks.keys(), ...plan.notes.map(({ id }) => id)]
  const listener = new Listener(client, start, new Set(created))
  try {
    await listener.open()
    const pushStart = performance.now()
    const [, pushTime] = await timed(() => pushAll(a, plan, report))
    const expected = plan.batches.flat().map(({ id }) => changeKey(id, 1))
    const missing = await listener.until(expected, 20_000)
    missing.forEach((each) => report.check(false, `stream: ${each} did not arrive within 20 s`))
    const order = listener.seen.filter((each) => each.endsWith("@1"))
    const pushed = expected.filter((each) => listener.times.has(each))
    report.check(
      order.join() === pushed.join(),
      "stream: the changes did not arrive in the order in which they were pushed"
    )
    const streamTime = Math.max(pushStart, ...listener.times.values()) - pushStart

    const [, pullTime] = await timed(() => syncAll(b, report))
    const pulled = ["notebook", "note", "tag"].flatMap((type) => b.engine.all(type)).length
    comparePulled(b, plan, report)

    const longest = plan.notes.reduce((x, y) => (y.source.bytes.length > x.source.bytes.length ? y : x))
    compareNote(await client.get(`/notes/${longest.id}`), longest, "GET", report)

    const edited = noteToEdit(plan) ?? longest
    const [, conflictTime] = await timed(() => conflictOnBoth(a, b, client, edited, report))
    // After a reconnect the server sends a record once, in its newest state.
    const edits = listener.reconnects > 0 ? [3] : [2, 3]
    const late = await listener.until(
      edits.map((revision) => changeKey(edited.id, revision)),
      20_000
    )
    late.forEach((each) => report.check(false, `stream: ${each} did not arrive within 20 s`))

    const [attached, uploadTime] = await timed(() => uploadFiles(a, vault.files, plan, report))
    const [, downloadTime] = await timed(() => compareFiles(b, attached, report))

    const queries = chooseQueries(plan.notes)
    print(`\n${plural(queries.length, "search", "searches")}`)
    const [took, searchTime] = await timed(() => runSearches(client, plan, queries, report, print))

    listener.problems.forEach((problem) => report.check(false, `stream: ${problem}`))
    report.check(listener.failure === undefined, `stream: ${listener.failure?.message}`)
    const extra = listener.seen.length - created.length - 2
    report.check(extra <= 0, `stream: ${extra} more changes than were made`)

    const entries = plan.batches.flat().length
    report.row("notes", plan.notes.length)
    report.row("notebooks", plan.notebooks.size)
    report.row("tags", tagNames(plan).size)
    report.row("bytes of text", bytes)
    report.row(
      "pushed",
      entries,
      pushTime,
      `${plural(plan.batches.length, "batch", "batches")}, ${Math.round((entries / pushTime) * 1000)} a second`
    )
    report.row(
      "on the stream",
      listener.seen.length,
      streamTime,
      `first push to last change; ${listener.others} of other records, ${plural(listener.reconnects, "reconnect")}`
    )
    report.row("pulled", pulled, pullTime, "notebooks, notes and tags of the whole workspace")
    report.row("conflicts", 1, conflictTime, "with a lost response, the merge and its history")
    const fileBytes = vault.files.reduce((sum, file) => sum + file.bytes.length, 0)
    report.row("files uploaded", attached.length, uploadTime, `${fileBytes} bytes, each to a separate address`)
    report.row("files fetched", attached.length, downloadTime, "by the other device, and compared")
    report.row("searches", queries.length, searchTime, `slowest ${Math.max(0, ...took)} ms by the server's clock`)
    vault.leftOut.forEach(({ path: file, why }) => print(`left out: ${oneLine(file)} (${why})`))
    return report
  } finally {
    listener.close()
  }
}

const [path] = process.argv.slice(2)
if (path === undefined || path === "--help") {
  print("Usage: npm run demo -- <vault.zip>     environment: SHEAF_URL, SHEAF_KEY, DATA_DIR")
  process.exitCode = path === undefined ? 2 : 0
} else {
  try {
    const report = await demo(path)
    print(`\n${report.table()}\n\n${report.verdict()}`)
    process.exitCode = report.differences.length === 0 ? 0 : 1
  } catch (error) {
    const known = error instanceof DemoError || process.env["DEBUG"] === undefined
    console.error(known ? `demo: ${(error as Error).message}` : error)
    process.exitCode = 1
  }
}
