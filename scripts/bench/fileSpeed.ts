import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { FileSpeed, FileTask } from "./fileLoad.ts"
import type { Measure } from "./load.ts"
import { median } from "./median.ts"
import type { FilledWorkspace } from "./operations.ts"
import { stopping, type Target } from "./Target.ts"

const sizes = [
  { name: "8 MiB", size: 8 * 1024 ** 2, count: 24 },
  { name: "64 KiB", size: 64 * 1024, count: 400 }
]
const lanes = 8
/** The least ratio to the plain pipeline. */
const must = 0.7
/** How often the quiet p99 of gets it may be beside uploads. */
const most = 3

interface Judged {
  readonly lines: string[]
  readonly missed: string[]
}

const range = (ratios: readonly number[]): string =>
  `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`

/** How fast files come and go, to a plain pipeline on the same disk that hashes and syncs too; eight at a time, in turns. */
export const measureFileSpeed = async ({
  dataDir,
  filled,
  rounds,
  run,
  target
}: {
  readonly dataDir: string
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly run: (task: FileTask, what: string) => Promise<FileSpeed>
}): Promise<Judged> => {
  const directory = mkdtempSync(join(dataDir, "plain-"))
  const plain = spawn(process.execPath, [join(import.meta.dirname, "plainFiles.ts"), directory], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const lines: string[] = []
  const missed: string[] = []
  try {
    const [line] = await once(createInterface(plain.stdout), "line")
    for (const { count, name, size } of sizes) {
      const ours: FileSpeed[] = []
      const theirs: FileSpeed[] = []
      const task = { size, count, lanes }
      for (let round = 0; round < rounds; round++) {
        const measureOurs = async () =>
          ours.push(
            await run({ ...task, port: target.port, workspace: filled[round % filled.length]! }, `files of ${name}`)
          )
        const measureTheirs = async () =>
          theirs.push(await run({ ...task, port: Number(line) }, `plain files of ${name}`))
        for (const measure of round % 2 === 0 ? [measureOurs, measureTheirs] : [measureTheirs, measureOurs]) {
          await measure()
        }
        console.error(`round ${round + 1}/${rounds} files of ${name}`)
      }
      for (const way of ["upload", "download"] as const) {
        const ratios = ours.map((it, round) => it[way] / theirs[round]![way])
        const isGood = median(ratios) >= must
        const of = (all: readonly FileSpeed[]) => median(all.map((it) => it[way])).toFixed(0)
        lines.push(
          `${way} of ${name}: ${of(ours)} MiB/s to ${of(theirs)} of a plain pipeline, ratio ${range(ratios)}, at least ${must}: ${
            isGood ? "ok" : "UNDER"
          }`
        )
        if (!isGood) missed.push(`${way} of ${name} ${median(ratios).toFixed(2)} < ${must}`)
      }
    }
  } finally {
    await stopping(plain)()
    rmSync(directory, { recursive: true, force: true })
  }
  return { lines, missed }
}

/** Whether those who send files of 8 MiB, eight at a time and all the time, hold up those who read notes. */
export const measureUploads = async ({
  filled,
  measure,
  rounds,
  target
}: {
  readonly target: Omit<Target, "workspaces">
  readonly filled: ReadonlyArray<FilledWorkspace>
  readonly rounds: number
  readonly measure: Measure
}): Promise<Judged> => {
  const [sender, ...readers] = filled as readonly [FilledWorkspace, ...FilledWorkspace[]]
  const quiet: number[] = []
  const busy: number[] = []
  const measureBusy = async () => {
    const child = spawn(process.execPath, [join(import.meta.dirname, "fileLoad.ts")], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    const task: FileTask = { port: target.port, size: 8 * 1024 ** 2, count: 0, lanes, workspace: sender, endless: true }
    child.stdin.end(JSON.stringify(task))
    await once(child.stdout, "data")
    busy.push((await measure(target, "get", readers)).p99)
    if (child.exitCode !== null) throw new Error("the uploads ended before the measurement did")
    await stopping(child)()
  }
  const measureQuiet = async () => quiet.push((await measure(target, "get", readers)).p99)
  for (let round = 0; round < rounds; round++) {
    // In turns: what one leaves behind does not always fall on the other.
    for (const one of round % 2 === 0 ? [measureQuiet, measureBusy] : [measureBusy, measureQuiet]) await one()
    console.error(
      `round ${round + 1}/${rounds} uploads p99 ${quiet[round]!.toFixed(1)} ms alone, ${busy[round]!.toFixed(1)} ms beside`
    )
  }
  const ratios = busy.map((p99, round) => p99 / quiet[round]!)
  const isGood = median(ratios) <= most
  return {
    lines: [
      `gets beside ${lanes} uploads of 8 MiB all the time: p99 ${median(busy).toFixed(1)} ms to ${median(quiet).toFixed(
        1
      )} ms alone, ratio ${range(ratios)}, at most ${most}: ${isGood ? "ok" : "OVER"}`
    ],
    missed: isGood ? [] : [`uploads ${median(ratios).toFixed(2)} > ${most}`]
  }
}
