/**
 * Files up and down, in a process of its own: reads a FileTask as JSON from stdin, prints a FileSpeed as JSON. Told to go
 * on `endless`, it sends files until it is killed, and prints a line once it does.
 */
import { text } from "node:stream/consumers"
import { FileClient, inLanes } from "./FileClient.ts"
import type { FilledWorkspace } from "./operations.ts"

export interface FileTask {
  readonly port: number
  readonly size: number
  readonly count: number
  readonly lanes: number
  /** Of Sheaf; the plain server has none. */
  readonly workspace?: FilledWorkspace
  readonly endless?: boolean
}

/** MiB a second. */
export interface FileSpeed {
  readonly upload: number
  readonly download: number
}

const { count, endless, lanes, port, size, workspace }: FileTask = JSON.parse(await text(process.stdin))
const client = new FileClient(port, size, lanes)
const begin = async (index: number) => (workspace ? client.begin(workspace) : `/${process.pid}-${index}`)

if (endless) {
  console.log("sending")
  const send = async () => {
    for (let index = 0; ; index++) await client.put(await begin(index))
  }
  await Promise.all(Array.from({ length: lanes }, send))
}

// The addresses are made before: what is measured is how bytes come and go.
const numbers = Array.from({ length: count }, (_, index) => index)
const addresses = await inLanes(lanes, numbers, begin)
const mebibytes = (count * size) / 1024 ** 2
const speed = async <A>(run: () => Promise<A>): Promise<readonly [number, A]> => {
  const started = performance.now()
  const made = await run()
  return [(mebibytes / (performance.now() - started)) * 1000, made]
}
const [upload, urls] = await speed(() => inLanes(lanes, addresses, (address) => client.put(address)))
const [download] = await speed(() => inLanes(lanes, urls, (url) => client.get(url)))
client.close()
console.log(JSON.stringify({ upload, download } satisfies FileSpeed))
