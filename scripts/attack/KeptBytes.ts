import { randomBytes } from "node:crypto"
import { lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { postgresOf, type Workspace } from "../bench/Target.ts"
import { attack, type Runnable } from "./Attack.ts"
import { type Reply, type Client, flood, statuses, times } from "./Client.ts"
import { store } from "./Content.ts"
import { FREE_STORAGE_MB, type Lab } from "./Lab.ts"

/** Seven ways to store bytes that no quota counted. Each may store its quota, twice that with files, and no more. */

const MB = 1024 * 1024
/** Allowed in addition: indexes, dead rows, and writes of other users during the attack. */
const SLACK_MB = 24

/** Text that does not compress. */
const noise = (bytes: number): string =>
  randomBytes(Math.ceil((bytes * 3) / 4))
    .toString("base64")
    .slice(0, bytes)

const filesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sum + (path.endsWith("/postgres") ? 0 : filesIn(path))
    // Files appear and disappear.
    return sum + (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0)
  }, 0)

/** MB in the tables of the database, and in files outside of it. */
const keptMegabytes = async ({ server: { dataDir } }: Lab): Promise<number> => {
  const pool = new pg.Pool({ ...postgresOf(dataDir), database: "sheaf", max: 1 })
  try {
    const sizes = await pool.query<{ bytes: number }>("SELECT pg_database_size(current_database())::float8 AS bytes")
    return (sizes.rows[0]!.bytes + filesIn(dataDir)) / MB
  } finally {
    await pool.end()
  }
}

interface Way {
  readonly name: string
  readonly finding: string
  /** Whether it stores files, which may take the quota once more (contract 4): uploads, imports, exports, deletions. */
  readonly keepsFiles?: boolean
  readonly run: (lab: Lab, client: Client, workspace: Workspace) => Promise<ReadonlyArray<Reply>>
}

const keptBytes = ({ finding, keepsFiles = false, name, run }: Way): Runnable =>
  attack({
    name: `disk-${name}`,
    finding,
    measured: false,
    seconds: 60,
    run: async (lab) => {
      const workspace = lab.server.takeAttacker()
      const before = await keptMegabytes(lab)
      const replies = await run(lab, lab.client(workspace.key, { patience: 30_000 }), workspace)
      return { replies, grown: (await keptMegabytes(lab)) - before }
    },
    judge: ({ replies, grown }) => {
      const allowed = FREE_STORAGE_MB * (keepsFiles ? 2 : 1)
      return {
        figures: `${statuses(replies)}, ${Math.round(grown)} MB kept`,
        failures: grown > allowed + SLACK_MB ? [`${Math.round(grown)} MB are kept where ${allowed} MB are allowed`] : []
      }
    }
  })

/** A note of 1 MB that was changed once. */
const largeNote = async (client: Client, workspace: Workspace): Promise<string> => {
  const [id] = await store(client, workspace, [{ title: "large", body: noise(1_000_000) }])
  await client.need(200, "PATCH", `/v2/notes/${id}`, { body: { body: noise(1_000_000) } })
  return id!
}

/** Sends bytes with their own content type; responses have the form that attacks use. */
const sendBytes = async (
  lab: Lab,
  method: string,
  url: string,
  body: Buffer,
  type: string,
  key?: string
): Promise<Reply> => {
  const began = performance.now()
  const headers = { "content-type": type, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
  try {
    const response = await fetch(url, { method, body: new Uint8Array(body), headers, signal: lab.signal })
    return { status: response.status, head: "", text: await response.text(), ms: performance.now() - began }
  } catch {
    return { status: 0, head: "", text: "", ms: performance.now() - began }
  }
}

const here = (lab: Lab, url: string): string => {
  const { pathname, search } = new URL(url)
  return `http://127.0.0.1:${lab.server.port}${pathname}${search}`
}

/** Runs requests one after another, until the time of the attack is up. */
const inTurn = (lab: Lab, most: number, one: (index: number) => Promise<Reply>) =>
  flood(lab.signal, { atOnce: 1, most }, one)

export const keptByteAttacks: ReadonlyArray<Runnable> = [
  keptBytes({
    name: "push-keys",
    finding: "20 KB of pushes that conflict, each under a new Idempotency-Key, kept 461 MB of responses",
    run: async (lab, client, workspace) => {
      const id = await largeNote(client, workspace)
      const changes = times(5, (index) => ({
        type: "note",
        op: "upsert",
        id,
        revision: 1,
        data: { title: `t${index}` }
      }))
      return inTurn(lab, 10, (index) =>
        client.post("/v2/sync/push", { changes }, { headers: { "idempotency-key": `push-${index}` } })
      )
    }
  }),
  keptBytes({
    name: "action-keys",
    finding: "240 Idempotency-Keys on an action that responds with a note of 1 MB kept 650 MB",
    run: async (lab, client, workspace) => {
      const id = await largeNote(client, workspace)
      return inTurn(lab, 90, (index) =>
        client.post(`/v2/notes/${id}/archive`, {}, { headers: { "idempotency-key": `archive-${index}` } })
      )
    }
  }),
  keptBytes({
    name: "deliveries",
    finding: "100 webhooks and 8 changes of a note of 1 MB kept a copy of the note for each delivery: 1.1 GB",
    run: async (lab, client, workspace) => {
      const id = await largeNote(client, workspace)
      const made = await flood(lab.signal, { atOnce: 4, most: 80 }, (index) =>
        client.post("/v2/webhooks", { url: `http://127.0.0.1:47999/${index}`, events: ["note.*"] })
      )
      const patches = await inTurn(lab, 3, (index) =>
        client.send("PATCH", `/v2/notes/${id}`, { body: { pinned: index % 2 === 0 } })
      )
      // Deliveries are created and attempted one after another; nothing listens on that port.
      await sleep(20_000)
      return [...made, ...patches]
    }
  }),
  keptBytes({
    name: "import-files",
    keepsFiles: true,
    finding: "30 files of noise of 24 MB each, sent as imports, stayed on the disk for an hour and did not count",
    run: (lab, client) =>
      inTurn(lab, 4, async (index) => {
        const begun = await client.post("/v2/imports", { source: "markdown", filename: `noise-${index}.md` })
        if (begun.status !== 201) return begun
        const url = here(lab, JSON.parse(begun.text).upload_url)
        return sendBytes(lab, "PUT", url, randomBytes(20 * MB), "text/markdown")
      })
  }),
  keptBytes({
    name: "deleted-files",
    keepsFiles: true,
    finding: "50 attachments of 24 MB, each deleted at once, left 1.2 GB on the disk with a usage of 0",
    run: async (lab, client, workspace) => {
      const [note_id] = await store(client, workspace, [{ title: "files" }])
      return inTurn(lab, 6, async (index) => {
        const made = await client.post("/v2/attachments", { note_id, filename: `noise-${index}.bin` })
        if (made.status !== 201) return made
        const { id, upload_url } = JSON.parse(made.text)
        const put = await sendBytes(lab, "PUT", here(lab, upload_url), randomBytes(16 * MB), "application/octet-stream")
        await client.send("DELETE", `/v2/attachments/${id}`)
        return put
      })
    }
  }),
  keptBytes({
    name: "open-uploads",
    keepsFiles: true,
    finding: "40 uploads that stopped after 20 MB kept 801 MB for as long as their connections were open",
    run: async (lab, _, { key }) => {
      const head =
        '--b\r\ncontent-disposition: form-data; name="source"\r\n\r\nmarkdown\r\n' +
        '--b\r\ncontent-disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
      const bytes = randomBytes(12 * MB)
      for (let index = 0; index < 6; index++) {
        const socket = lab.client().socket()
        socket.resume()
        socket.write(
          `POST /v2/imports HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n` +
            `content-type: multipart/form-data; boundary=b\r\ncontent-length: ${40 * MB}\r\n\r\n${head}`
        )
        socket.write(bytes)
      }
      await sleep(6_000)
      return []
    }
  }),
  keptBytes({
    name: "exports",
    keepsFiles: true,
    finding: "12 requests of 40 bytes made exports of 60 MB each, of which five are listed and none counted",
    run: async (lab, client, workspace) => {
      await store(
        client,
        workspace,
        times(12, (index) => ({ title: `t${index}`, body: noise(1_000_000) }))
      )
      const asked = await inTurn(lab, 8, async () => {
        const begun = await client.post("/v2/exports", { scope: "workspace" })
        if (begun.status !== 201) return begun
        const { id } = JSON.parse(begun.text)
        for (let wait = 0; wait < 60 && !lab.signal.aborted; wait++) {
          const { status, text } = await client.get(`/v2/exports/${id}`)
          if (status !== 200 || ["ready", "failed"].includes(JSON.parse(text).status)) break
          await sleep(100)
        }
        return begun
      })
      return asked
    }
  })
]
