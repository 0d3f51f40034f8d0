import { cp, mkdir, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "../flows/eventually.ts"
import { Program } from "./Program.ts"

/** The DATA_DIR that all processes of a test run copy. `TemporaryFiles` removes it. */
const original = join(tmpdir(), "used-data-dir")
const isReady = () => existsSync(`${original}.ready`)

/** Starts and stops Sheaf once on the original: one process of the test run does so, and the others wait for it. */
const make = async (): Promise<void> => {
  const isFirst = await mkdir(`${original}.lock`).then(
    () => true,
    () => false
  )
  if (!isFirst) return void (await eventually("the DATA_DIR to copy is complete", isReady))
  const program = new Program({ DATA_DIR: original, PORT: "0" })
  await program.url()
  await program.kill("SIGTERM")
  await writeFile(`${original}.ready`, "")
}

/**
 * Fills a DATA_DIR as after a first start, with a database, a key and the first user, which takes a fraction of the time
 * of a first start.
 */
export const usedDataDir = async (dataDir: string): Promise<string> => {
  if (!isReady()) await make()
  await cp(original, dataDir, { recursive: true })
  return dataDir
}
