/**
 * Measures the search: the engine beside MiniSearch and SQLite FTS5 on the same notes, then Sheaf over HTTP.
 *   node scripts/bench/search.ts [--only engines,http] [--large] [--notes 14000]
 * `--large`: the engines with 100 000 notes as well. The collections lie in ../shared/data/search, or where SEARCH_DATA says.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { isThere, place } from "./search/Corpora.ts"
import { measureHttp } from "./search/Http.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "engines,http" },
    large: { type: "boolean", default: false },
    notes: { type: "string", default: "14000" }
  }
})
if (!isThere) throw new Error(`no collections in ${place}: SEARCH_DATA names another place`)
const only = options.only.split(",")

interface Measured {
  readonly name: string
  readonly notes: number
  readonly rows: ReadonlyArray<readonly [string, string]>
}

/** Each in a process of its own: none is warm, or crowded, by another. */
const measured = async (engine: string, notes: string): Promise<Measured> => {
  const script = join(import.meta.dirname, "search", "Engine.ts")
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--max-old-space-size=8192", script, engine, notes],
    { maxBuffer: 16 * 1024 * 1024 }
  )
  return JSON.parse(stdout) as Measured
}

const print = (all: ReadonlyArray<Measured>) => {
  console.log(`\n| ${all[0]!.notes} notes | ${all.map(({ name }) => name).join(" | ")} |`)
  console.log(`|---|${all.map(() => "---").join("|")}|`)
  for (const [row] of all[0]!.rows) {
    const cells = all.map(({ rows }) => rows.find(([name]) => name === row)?.[1] ?? "–")
    console.log(`| ${row} | ${cells.join(" | ")} |`)
  }
}

if (only.includes("engines")) {
  for (const notes of [options.notes, ...(options.large ? ["100000"] : [])]) {
    const all: Array<Measured> = []
    for (const engine of ["sheaf", "miniSearch", "fts5"]) all.push(await measured(engine, notes))
    print(all)
  }
}
if (only.includes("http")) {
  console.log("\n| over HTTP | |\n|---|---|")
  for await (const [row, figure] of measureHttp(Number(options.notes))) console.log(`| ${row} | ${figure} |`)
}
