import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { find } from "../../test/support/servers/RedisSetup.ts"
import { freePort, stopping } from "./Target.ts"

export interface Redis {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** A Redis of the bench's own, which keeps nothing; or why there is none. It is found as the tests find theirs. */
export const startRedis = async (): Promise<Redis | { readonly missing: string }> => {
  const found = await find()
  if ("missing" in found) return found
  const port = await freePort()
  const child = spawn(found.path, ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], {
    argv0: "redis-server",
    env: { ...process.env, LD_LIBRARY_PATH: found.libraries },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const failed = once(child, "exit").then(() => {
    throw new Error("redis-server did not start")
  })
  const ready = new Promise<void>((resolve) =>
    createInterface(child.stdout).on("line", (line) => line.includes("Ready to accept connections") && resolve())
  )
  await Promise.race([ready, failed])
  // From now on its end is not news.
  failed.catch(() => {})
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid as number, stop: stopping(child) }
}
