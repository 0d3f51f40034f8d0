import { Buffer } from "node:buffer"
import { readdir, rm } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { join, relative } from "node:path"
import { StoreError } from "./SyncStore.ts"

/** The longest path of a socket on macOS; Linux has four bytes more. */
const longestPath = 103

/** The system closes a socket with its process, also after `kill -9`: a lock is a socket that accepts connections. */
const isAlive = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    const end = (isAlive: boolean) => {
      socket.destroy()
      resolve(isAlive)
    }
    socket.once("connect", () => end(true))
    // A process that cannot accept one more connection is alive.
    socket.once("error", ({ code }: NodeJS.ErrnoException) => end(code !== "ECONNREFUSED" && code !== "ENOENT"))
  })

/**
 * Locks a directory for this process, and returns the release. Each process opens a socket of its own before it looks for
 * those of others, so that at most one of them finds itself alone.
 */
export const lock = async (directory: string): Promise<() => Promise<void>> => {
  const name = `lock-${crypto.randomUUID().slice(0, 8)}`
  const pathOf = (name: string) => {
    const [short = ""] = [join(directory, name), relative("", join(directory, name))].sort(
      (a, b) => a.length - b.length
    )
    if (Buffer.byteLength(short) > longestPath) {
      throw new StoreError(`The path ${directory} is too long: its locks need a path of ${longestPath} bytes`)
    }
    return short
  }
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new StoreError(`${directory} cannot be locked: ${cause.message}`, { cause }))
    )
    server.listen(pathOf(name), resolve)
  })
  server.unref()
  const release = async () => {
    await new Promise((resolve) => server.close(resolve))
    await rm(join(directory, name), { force: true })
  }
  try {
    for (const other of await readdir(directory)) {
      if (!other.startsWith("lock-") || other === name) continue
      if (await isAlive(pathOf(other))) throw new StoreError(`Another process has ${directory} open`)
      await rm(join(directory, other), { force: true })
    }
  } catch (error) {
    await release()
    throw error
  }
  return release
}
