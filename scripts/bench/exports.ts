import { linksOf } from "../../services/markdown/Links.ts"
import { pack, ZipWriter } from "../../services/transfers/ZipWriter.ts"
import { Connection, requestText } from "./Connection.ts"
import type { Measure } from "./load.ts"
import { median } from "./median.ts"
import { type FilledWorkspace, jsonOf } from "./operations.ts"
import { memory } from "./processes.ts"
import type { Target } from "./Target.ts"

const notes = 100_000
/** How often the quiet p99 of gets it may be while an export is made. */
const most = 3
/** Of what a bare loop exports in a second. */
const least = 0.5
/** The notes that a bare loop reads at once. */
const page = 1_000

type Rows = <Row>(sql: string) => Promise<Row[]>

/** Notes of about 2 KB, of which a fifth link to another; answers how many there are now. */
const fillNotes = async (rowsOf: Rows, { id, notebook }: { readonly id: string; readonly notebook: string }) => {
  const text = `'# Note ' || g || E'\\n\\n' || (SELECT string_agg(md5((g * 50 + i)::text), ' ') FROM generate_series(1, 55) i)`
  const idOf = (number: string) => `'nt_' || lpad((${number})::text, 22, '0')`
  await rowsOf(`INSERT INTO notes (workspace_id, id, notebook_id, title, body, tags, pinned, archived, version, word_count,
      created_at, updated_at)
    SELECT '${id}', ${idOf("g")}, '${notebook}', 'Note ' || (g % 5000),
      ${text} || CASE WHEN g % 5 = 0 THEN E'\\n\\nSee [another](note:' || ${idOf("g - 1")} || ')' ELSE '' END, '{}', false,
      false, 1, 60, at, at
    FROM generate_series(1, ${notes}) g, LATERAL (
      SELECT to_char(timestamp '2026-01-01' + g * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
    ) t`)
  await rowsOf(
    `UPDATE notebooks SET note_count = note_count + ${notes} WHERE workspace_id = '${id}' AND id = '${notebook}'`
  )
  await rowsOf("ANALYZE notes")
  const [{ count }] = (await rowsOf<{ count: number }>(
    `SELECT count(*)::int AS count FROM notes WHERE workspace_id = '${id}' AND deleted_at IS NULL`
  )) as [{ count: number }]
  return count
}

/**
 * Reads the same rows, parses the bodies that link to notes, and packs them, with the same libraries: what an export cannot
 * do without.
 */
const bareLoop = async (rowsOf: Rows, id: string, parses: boolean): Promise<number> => {
  const began = performance.now()
  let bytes = 0
  const zip = new ZipWriter(async (piece) => {
    bytes += piece.length
  })
  let after = ""
  while (true) {
    const rows = await rowsOf<{ id: string; title: string; body: string; tags: string[]; updated_at: string }>(
      `SELECT id, title, body, tags, pinned, archived, created_at, updated_at FROM notes
      WHERE workspace_id = '${id}' AND id > '${after}' AND deleted_at IS NULL ORDER BY id LIMIT ${page}`
    )
    for (const { body, id, updated_at } of rows) {
      if (parses && body.includes("note:nt_") && linksOf({ body, files: [] }).length === 0) {
        throw new Error("exports: a link was not found")
      }
      await zip.add(`${id}.md`, updated_at, pack(body))
    }
    if (rows.length < page) break
    after = rows.at(-1)!.id
  }
  await zip.end()
  if (bytes === 0) throw new Error("exports: nothing was packed")
  return performance.now() - began
}

/** How fast 100 000 notes are exported, beside a bare loop; what that takes, and whether it holds up those who read. */
export const measureExports = async ({
  filled,
  measure,
  rounds,
  rowsOf,
  target
}: {
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly measure: Measure
  readonly rowsOf: Rows
}): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const [large, ...others] = filled as [FilledWorkspace, ...FilledWorkspace[]]
  const connection = new Connection(target.port)
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await connection.exchange(requestText(large.key, method, path, body))
    if (answer.status >= 300) throw new Error(`exports: ${answer.head}\n\n${answer.body}`)
    return jsonOf(answer)
  }
  const [{ id: notebook }] = (await ask("GET", "/v2/notebooks")).data
  const [{ workspace_id }] = (await rowsOf<{ workspace_id: string }>(
    `SELECT workspace_id FROM notebooks WHERE id = '${notebook}'`
  )) as [{ workspace_id: string }]
  const count = await fillNotes(rowsOf, { id: workspace_id, notebook })

  const server = target.pid
  const before = memory(server)
  let highest = before
  /** Until it is ready; answers for how many milliseconds. */
  const exported = async (): Promise<number> => {
    const began = performance.now()
    const { id } = await ask("POST", "/v2/exports", { scope: "workspace" })
    while (true) {
      const { error, status } = await ask("GET", `/v2/exports/${id}`)
      highest = Math.max(highest, memory(server))
      if (status === "ready") return performance.now() - began
      if (status === "failed") throw new Error(`exports: ${error}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  const alone: number[] = []
  const bare: number[] = []
  const unparsed: number[] = []
  const quiet: number[] = []
  const busy: number[] = []
  for (let round = 0; round < rounds; round++) {
    unparsed.push(await bareLoop(rowsOf, workspace_id, false))
    bare.push(await bareLoop(rowsOf, workspace_id, true))
    alone.push(await exported())
    quiet.push((await measure(target, "get", others)).p99)
    const done = exported()
    busy.push((await measure(target, "get", others)).p99)
    await done
    console.error(`round ${round + 1}/${rounds} exports`)
  }
  connection.close()
  const perSecond = (millis: ReadonlyArray<number>) => (count * 1000) / median(millis)
  const share = median(bare.map((millis, round) => millis / alone[round]!))
  const ratio = median(busy.map((p99, round) => p99 / quiet[round]!))
  return {
    lines: [
      `an export of ${count} notes: ${perSecond(alone).toFixed(0)} a second, a bare loop ${perSecond(bare).toFixed(
        0
      )} (${perSecond(unparsed).toFixed(0)} without parsing), ratio ${share.toFixed(2)}, at least ${least}: ${share < least ? "UNDER" : "ok"}; resident memory ${before.toFixed(
        0
      )} MB before, ${highest.toFixed(0)} MB at most`,
      `gets while it is made: p99 ${median(busy).toFixed(1)} ms to ${median(quiet).toFixed(1)} ms, ratio ${ratio.toFixed(
        2
      )}, at most ${most}: ${ratio > most ? "OVER" : "ok"}`
    ],
    missed: [
      ...(share < least ? [`exports ${share.toFixed(2)} < ${least}`] : []),
      ...(ratio > most ? [`gets during an export ${ratio.toFixed(2)} > ${most}`] : [])
    ]
  }
}
