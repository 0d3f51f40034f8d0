import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"

/**
 * Deletes the directory once the process that started it has ended, also by kill -9: the kernel then closes the pipe
 * that is its input. A PostgreSQL in the directory and its initdb stop for the same reason, and get ten seconds for it;
 * the deletion is repeated because initdb may have written a file during it.
 */
const cleaner = `
trap '' INT TERM HUP
read -r _
waited=0
while [ -e "$0/postgres/cluster/postmaster.pid" ] && [ $waited -lt 100 ]; do sleep 0.1; waited=$((waited + 1)); done
until rm -rf "$0" || [ $waited -ge 100 ]; do sleep 0.1; waited=$((waited + 1)); done
`

/** Lets this process end while a child runs, if nothing else keeps it. */
export const release = (child: ChildProcess): void => {
  child.unref()
  // A pipe of a child is a socket.
  if (child.stdin instanceof Socket) child.stdin.unref()
}

/** Creates a directory in `folder` that is deleted when this process ends, however it ends. */
export const makeTemporaryDirectory = (folder: string, prefix: string, mode: number): string => {
  const directory = fs.mkdtempSync(join(folder, prefix))
  // PostgreSQL may run as another user.
  fs.chmodSync(directory, mode)
  release(
    spawn("/bin/sh", ["-c", cleaner, directory], {
      cwd: "/",
      detached: true,
      env: { PATH: process.env["PATH"] || "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"]
    })
  )
  return directory
}
