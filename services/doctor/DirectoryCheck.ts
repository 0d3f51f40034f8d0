import { Effect } from "effect"
import { constants } from "node:fs"
import { access, readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { DiskSpace } from "../files/DiskSpace.ts"
import type { Faults } from "./Check.ts"

/** The permissions of the group and of all other users. */
const others = 0o077

const mayUse = (path: string, isDirectory: boolean): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK | (isDirectory ? constants.X_OK : 0)).then(
    () => true,
    () => false
  )

/** Checks that this user can use DATA_DIR and each entry in it, and that other users cannot. */
export const directoryCheck = (directory: string) => ({
  name: "data directory",
  run: Effect.fnUntraced(function* (faults: Faults) {
    yield* Effect.promise(async () => {
      const top = await stat(directory)
      const isOpen = (top.mode & others) !== 0
      for (const name of ["", ...(await readdir(directory))]) {
        if (faults.isFull) return
        const path = join(directory, name)
        const { mode, uid } = await stat(path)
        if (uid !== top.uid) {
          faults.add({
            problem: `${path} belongs to the user ${uid}, and DATA_DIR to ${top.uid}.`,
            remedy: `Run chown -R ${top.uid}:${top.gid} ${path}, and run commands as the user of the server.`
          })
        } else if (!(await mayUse(path, (mode & constants.S_IFMT) === constants.S_IFDIR))) {
          faults.add({
            problem: `This user may not read and write ${path}.`,
            remedy: `Run sheaf as the user ${uid}, or run chmod u+rwX ${path}.`
          })
        }
        // A closed DATA_DIR protects everything in it.
        if (isOpen && name !== "" && (mode & others) !== 0) {
          faults.add({
            problem: `Other users of this machine can open ${path}.`,
            remedy: `Run chmod -R go= ${path}.`
          })
        }
      }
    })
  })
})

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`

const remedy = "Free space on the disk of DATA_DIR, or move DATA_DIR to a larger one."

/** Checks that the disk of DATA_DIR has space, by the limits of the server. */
export const diskCheck = {
  name: "disk space",
  run: Effect.fnUntraced(function* (faults: Faults) {
    const disk = yield* DiskSpace
    const { free, size } = disk.space()
    const left = `${mebibytes(free)} of ${mebibytes(size)} are free on the disk of DATA_DIR`
    if (disk.isFull()) {
      faults.add({ problem: `The disk is full, and writes are refused: ${left}.`, remedy })
    } else if (!(yield* Effect.isSuccess(disk.roomForFiles))) {
      faults.add({ problem: `Uploads, imports and exports are refused: ${left}.`, remedy })
    } else if (disk.isLow()) {
      faults.add({ problem: `The disk is nearly full: ${left}.`, remedy })
    }
  })
}
