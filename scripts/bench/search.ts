/**
 * Measures the search.
 *   node scripts/bench/search.ts [--only quality,engines,http,scale] [--notes 14000]
 * quality: what is found, compared with MiniSearch and SQLite FTS5. Sheaf's mean must not fall below the baseline.
 *   --rows cranfield,xquad,typos,rare,titles,typed   --update
 * engines: their speed on the same notes, with --large on 100 000 notes as well.
 *   For both: --engines sheaf,miniSearch,fts5Porter,fts5Trigram
 * http: Sheaf over HTTP.
 * scale: one workspace of many notes of 1 KB over HTTP, for example --notes 1000000; --against ../other also measures
 *   that checkout, which must be built. Only on request.
 * The collections are in ../shared/data/search, or in SEARCH_DATA.
 */
import { execFile } from "node:child_process"
import { join, resolve } from "node:path"
import { parseArgs, promisify } from "node:util"
import { baseline, refusal, update } from "./search/Baseline.ts"
import { isThere, place } from "./search/Corpora.ts"
import { engines, enginesOf } from "./search/Engines.ts"
import { measureHttp } from "./search/Http.ts"
import { measure, rowsOf } from "./search/Relevance.ts"
import { measureScale } from "./search/Scale.ts"
import { HERE } from "./Target.ts"

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "quality,engines,http" },
    engines: { type: "string", default: Object.keys(engines).join(",") },
    rows: { type: "string", default: "" },
    update: { type: "boolean", default: false },
    against: { type: "string" },
    large: { type: "boolean", default: false },
    notes: { type: "string", default: "14000" }
  }
})
if (!isThere) throw new Error(`no collections in ${place}: set SEARCH_DATA to their folder`)
const only = options.only.split(",")
const list = (value: string) => value.split(",").filter((each) => each !== "")

const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  console.log(`\n| ${heads.join(" | ")} |\n|${heads.map(() => "---|").join("")}`)
  for (const row of rows) console.log(`| ${row.join(" | ")} |`)
}

const compareQuality = () => {
  const rows = rowsOf(list(options.rows))
  const all = enginesOf(list(options.engines)).map(([name, make]) => {
    const begun = performance.now()
    const figures = measure(make, rows)
    return { name, title: make().name, figures, seconds: (performance.now() - begun) / 1000 }
  })
  const sheaf = all.find(({ name }) => name === "sheaf")?.figures
  const known = sheaf === undefined ? {} : baseline()
  const mean = (figures: Readonly<Record<string, number>>): string =>
    rows.every(({ key }) => key in figures)
      ? (rows.reduce((sum, { key }) => sum + figures[key]!, 0) / rows.length).toFixed(4)
      : "–"
  table(
    ["", ...all.map(({ title }) => title), "Sheaf's baseline"],
    [
      ...rows.map(({ key, title }) => [
        title,
        ...all.map(({ figures }) => figures[key]!.toFixed(3)),
        known[key]?.toFixed(3) ?? "–"
      ]),
      ["mean", ...all.map(({ figures }) => mean(figures)), mean(known)],
      ["seconds", ...all.map(({ seconds }) => seconds.toFixed(0)), "–"]
    ]
  )
  if (sheaf === undefined) return
  if (options.update) update(sheaf)
  const refused = refusal(sheaf)
  if (refused === undefined) return
  console.error(`\nRefused: ${refused}`)
  process.exitCode = 1
}

interface Measured {
  readonly name: string
  readonly notes: number
  readonly rows: ReadonlyArray<readonly [string, string]>
}

/** Measures each engine in a separate process, so that none affects another. */
const measured = async (engine: string, notes: string): Promise<Measured> => {
  const script = join(import.meta.dirname, "search", "Engine.ts")
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--expose-gc", "--max-old-space-size=8192", script, engine, notes],
    { maxBuffer: 16 * 1024 * 1024 }
  )
  return JSON.parse(stdout) as Measured
}

if (only.includes("quality")) compareQuality()
if (only.includes("engines")) {
  for (const notes of [options.notes, ...(options.large ? ["100000"] : [])]) {
    const all: Array<Measured> = []
    for (const [engine] of enginesOf(list(options.engines))) all.push(await measured(engine, notes))
    const [first] = all
    table(
      [`${first!.notes} notes`, ...all.map(({ name }) => name)],
      first!.rows.map(([row]) => [row, ...all.map(({ rows }) => rows.find(([name]) => name === row)?.[1] ?? "–")])
    )
  }
}
if (only.includes("http")) {
  console.log("\n| over HTTP | |\n|---|---|")
  for await (const [row, figure] of measureHttp(Number(options.notes))) console.log(`| ${row} | ${figure} |`)
}

/** A failure ends the measurement of one checkout, not that of the other. */
const scaleOf = async (checkout: string): Promise<Map<string, string>> => {
  const figures = new Map<string, string>()
  try {
    for await (const [row, figure] of measureScale(Number(options.notes), checkout)) {
      figures.set(row, figure)
      console.error(`${row}: ${figure}`)
    }
  } catch (error) {
    figures.set("failed", String(error))
    process.exitCode = 1
  }
  return figures
}

if (only.includes("scale")) {
  const checkouts = [HERE, ...(options.against === undefined ? [] : [resolve(options.against)])]
  const all: Array<Map<string, string>> = []
  for (const checkout of checkouts) all.push(await scaleOf(checkout))
  const rows = new Set(all.flatMap((figures) => [...figures.keys()]))
  table(
    [`${options.notes} notes`, ...checkouts],
    [...rows].map((row) => [row, ...all.map((figures) => figures.get(row) ?? "–")])
  )
}
