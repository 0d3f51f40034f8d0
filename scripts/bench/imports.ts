import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Source } from "../../services/transfers/Item.ts"
import { read } from "../../services/transfers/Read.ts"
import { pack, ZipWriter } from "../../services/transfers/ZipWriter.ts"
import { median } from "./median.ts"
import type { FilledWorkspace } from "./operations.ts"
import { memory } from "./processes.ts"
import type { Target } from "./Target.ts"

const notes = 10_000
/** Of what a bare loop imports in a second. */
const least = 0.5
/** The notes that a bare loop inserts at once. */
const page = 100

type Rows = <Row>(sql: string) => Promise<Row[]>

const words = (number: number) =>
  Array.from({ length: 60 }, (_, at) => `word${(number * 7 + at * 13) % 5000}`).join(" ")

/** Notes of about half a kilobyte, in folders, of which each links to the one before. */
const vaultOf = async (): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  const zip = new ZipWriter(async (piece) => void pieces.push(Buffer.from(piece)))
  for (let number = 0; number < notes; number++) {
    const body = `---\ntags: [t${number % 50}]\n---\n# Note ${number}\n\n${words(number)} [[Note ${number - 1}]] and **more**.\n`
    await zip.add(`Folder ${number % 20}/Note ${number}.md`, "2026-01-01T00:00:00.000Z", pack(body))
  }
  await zip.end()
  return Buffer.concat(pieces)
}

const enexOf = (): Buffer => {
  const all = Array.from({ length: notes }, (_, number) => {
    const lines = `<div>${words(number)}</div>`.repeat(3)
    return `<note><title>Note ${number}</title><created>20200102T030405Z</created><tag>t${number % 50}</tag><content><![CDATA[<en-note>${lines}</en-note>]]></content></note>`
  })
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><en-export>${all.join("\n")}</en-export>`)
}

/** Parses the same file with the same libraries, and inserts the notes: what an import cannot do without. */
const bareLoop = async (rowsOf: Rows, path: string, source: Source, scratch: string): Promise<number> => {
  await rowsOf("CREATE TABLE IF NOT EXISTS bare_imports (LIKE notes INCLUDING INDEXES)")
  await rowsOf("TRUNCATE bare_imports")
  const began = performance.now()
  let rows: Array<object> = []
  const insert = async () => {
    await rowsOf(`INSERT INTO bare_imports (workspace_id, id, notebook_id, title, body, tags, pinned, archived, version,
        word_count, created_at, updated_at)
      SELECT 'ws_bare', id, 'nb_bare', title, body, tags, false, false, 1, 0, at, at
      FROM json_to_recordset($json$${JSON.stringify(rows)}$json$) r(id text, title text, body text, tags text[], at text)`)
    rows = []
  }
  const names = { note: (key: string) => `nt_${key}`, file: (key: string) => `at_${key}` }
  for await (const item of read(path, { source, filename: "bench", names, scratch, now: new Date() })) {
    if (item.type !== "note") continue
    const { body, key, tags, title, updated_at } = item
    rows.push({ id: `nt_${key}`, title, body, tags, at: updated_at ?? "2026-01-01T00:00:00.000Z" })
    if (rows.length === page) await insert()
  }
  if (rows.length > 0) await insert()
  return performance.now() - began
}

/** How fast a vault and an export of Evernote come in, beside a bare loop, and what that takes. */
export const measureImports = async ({
  filled,
  rounds,
  rowsOf,
  target
}: {
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly rowsOf: Rows
}): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const [{ key }] = filled as [FilledWorkspace]
  const headers = { authorization: `Bearer ${key}` }
  const url = `http://127.0.0.1:${target.port}/v2/imports`
  const server = target.pid
  const before = memory(server)
  let highest = before
  /** Until it is done; answers for how many milliseconds. */
  const imported = async (source: Source, filename: string, bytes: Buffer): Promise<number> => {
    const form = new FormData()
    form.append("source", source)
    // Each round imports the same file.
    form.append("on_existing", "duplicate")
    form.append("file", new Blob([new Uint8Array(bytes)]), filename)
    const began = performance.now()
    const { id } = (await (await fetch(url, { method: "POST", headers, body: form })).json()) as { id: string }
    while (true) {
      const found = (await (await fetch(`${url}/${id}`, { headers })).json()) as { status: string; imported: number }
      highest = Math.max(highest, memory(server))
      if (found.status === "done" && found.imported === notes) return performance.now() - began
      if (found.status === "done" || found.status === "failed") throw new Error(`imports: ${JSON.stringify(found)}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  const scratch = mkdtempSync(join(tmpdir(), "sheaf-bench-imports-"))
  try {
    const files = [
      { what: "a vault", source: "markdown", filename: "vault.zip", bytes: await vaultOf() },
      { what: "an export of Evernote", source: "enex", filename: "notes.enex", bytes: enexOf() }
    ] as const
    const lines: Array<string> = []
    const missed: Array<string> = []
    for (const { bytes, filename, source, what } of files) {
      const path = join(scratch, filename)
      writeFileSync(path, bytes)
      const own: Array<number> = []
      const bare: Array<number> = []
      for (let round = 0; round < rounds; round++) {
        bare.push(await bareLoop(rowsOf, path, source, scratch))
        own.push(await imported(source, filename, readFileSync(path)))
        console.error(`round ${round + 1}/${rounds} imports of ${what}`)
      }
      const perSecond = (millis: ReadonlyArray<number>) => ((notes * 1000) / median(millis)).toFixed(0)
      const share = median(bare.map((millis, round) => millis / own[round]!))
      lines.push(
        `an import of ${notes} notes of ${what}: ${perSecond(own)} a second, a bare loop ${perSecond(bare)}, ratio ${share.toFixed(
          2
        )}, at least ${least}: ${share < least ? "UNDER" : "ok"}`
      )
      if (share < least) missed.push(`imports of ${what} ${share.toFixed(2)} < ${least}`)
    }
    lines.push(`imports: resident memory ${before.toFixed(0)} MB before, ${highest.toFixed(0)} MB at most`)
    return { lines, missed }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
