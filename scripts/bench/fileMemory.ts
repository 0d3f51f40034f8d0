import { once } from "node:events"
import { get, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { FileClient } from "./FileClient.ts"
import { memory } from "./processes.ts"
import { fill, seed, startSheaf } from "./Target.ts"

const size = 1024 ** 3
/** MB above idle. */
const most = 64

/** The highest resident memory of a process while something runs. */
const peakOf = async (pid: number, work: () => Promise<void>): Promise<number> => {
  let peak = memory(pid)
  const watch = setInterval(() => (peak = Math.max(peak, memory(pid))), 20)
  await work().finally(() => clearInterval(watch))
  return Math.max(peak, memory(pid))
}

const upload = async (port: number, path: string): Promise<string> => {
  const put = request({ host: "127.0.0.1", port, path, method: "PUT", headers: { "content-length": size } })
  const answered = once(put, "response")
  const chunk = Buffer.alloc(1024 ** 2, "one GiB of this ")
  for (let sent = 0; sent < size; sent += chunk.length) if (!put.write(chunk)) await once(put, "drain")
  put.end()
  const [answer] = await answered
  let text = ""
  for await (const part of answer.setEncoding("utf8")) text += part
  if (answer.statusCode !== 200) throw new Error(text)
  return JSON.parse(text).url.replace(/^https?:\/\/[^/]+/, "")
}

/** Read to its end; or, by a client that takes nothing for three seconds, begun and given up. */
const download = async (port: number, path: string, isSlow = false): Promise<void> => {
  const asked = get({ host: "127.0.0.1", port, path, agent: false })
  const [answer] = await once(asked, "response")
  if (isSlow) {
    await sleep(3_000)
    asked.on("error", () => {}).destroy()
    return
  }
  let length = 0
  for await (const chunk of answer) length += chunk.length
  if (length !== size) throw new Error(`${length} bytes came back`)
}

/** How much more memory Sheaf takes for a file of 1 GiB that comes and goes, than when it is idle. */
export const measureFileMemory = async (
  directory: string
): Promise<{ readonly lines: string[]; readonly missed: string[] }> => {
  const limits = { team: { attachment_bytes: 2 * size, storage_bytes: 8 * size } }
  const sheaf = await startSheaf(directory, { env: { PLAN_LIMITS: JSON.stringify(limits) } })
  try {
    const [workspace] = await fill({ ...sheaf, workspaces: await seed(directory, 1) })
    const client = new FileClient(sheaf.port, 1024, 1)
    await client.get(await client.put(await client.begin(workspace!)))
    const path = await client.begin(workspace!)
    client.close()
    await sleep(2_000)
    const idle = memory(sheaf.pid)
    let url = ""
    const peaks = {
      upload: await peakOf(sheaf.pid, async () => void (url = await upload(sheaf.port, path))),
      download: await peakOf(sheaf.pid, () => download(sheaf.port, url)),
      "eight downloads that nobody reads": await peakOf(sheaf.pid, async () => {
        await Promise.all(Array.from({ length: 8 }, () => download(sheaf.port, url, true)))
      })
    }
    const told = Object.entries(peaks).map(([what, peak]) => `${what} +${(peak - idle).toFixed(0)}`)
    const highest = Math.max(...Object.values(peaks)) - idle
    const isGood = highest <= most
    return {
      lines: [
        `memory at 1 GiB: ${idle.toFixed(0)} MB idle; ${told.join(", ")} MB, at most +${most}: ${isGood ? "ok" : "OVER"}`
      ],
      missed: isGood ? [] : [`memory of files +${highest.toFixed(0)} > +${most} MB`]
    }
  } finally {
    await sheaf.stop()
  }
}
