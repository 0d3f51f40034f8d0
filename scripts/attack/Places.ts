import { once } from "node:events"
import { createServer, type AddressInfo, type Server as Listener } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { PASSWORD, type Workspace } from "../bench/Target.ts"
import { attack } from "./Attack.ts"
import { type Client, flood, nextNetwork, statuses, times } from "./Client.ts"
import { ordinaryText, store, unique } from "./Content.ts"
import type { Lab } from "./Lab.ts"

/** Maximum milliseconds for other users while one user occupies shared slots. */
const MOST_IMPORT = 5_000
const MOST_PAGE = 1_000
const MOST_LOG_IN = 5_000
const MOST_PUSH = 2_000
const MOST_HOOK = 2_000
/** Maximum number of wrong passwords for a share that are checked within 15 minutes (contract 5). */
const MOST_GUESSES = 100

/** Milliseconds until the condition is true; Infinity if it is not within `most`. */
const timeUntil = async (lab: Lab, most: number, isSo: () => boolean | Promise<boolean>): Promise<number> => {
  const began = performance.now()
  while (performance.now() - began < most && !lab.signal.aborted) {
    if (await isSo()) return performance.now() - began
    await sleep(25)
  }
  return Infinity
}

const shown = (ms: number): string => (ms === Infinity ? "never" : `${Math.round(ms)} ms`)

const late = (ms: number, most: number, what: string): ReadonlyArray<string> =>
  ms <= most ? [] : [`${what} took ${ms === Infinity ? "too long" : `${Math.round(ms)} ms`} instead of ${most} ms`]

/** Sends text to an upload address, at the node under attack. */
const upload = (lab: Lab, { upload_url }: { readonly upload_url: string }, text: string): Promise<Response> => {
  const { pathname, search } = new URL(upload_url)
  return fetch(`http://127.0.0.1:${lab.server.port}${pathname}${search}`, {
    method: "PUT",
    body: text,
    signal: lab.signal
  })
}

const beginImport = async (
  lab: Lab,
  client: Client,
  [source, filename, text]: readonly [source: string, filename: string, text: string],
  headers: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const begun = await client.need(201, "POST", "/v2/imports", { body: { source, filename }, headers })
  await upload(lab, begun, text)
  return begun.id
}

/** Creates further workspaces of a user: the header that names each, and a notebook in it. */
const workspacesOf = (owner: Client, count: number) =>
  Promise.all(
    times(count, async (index) => {
      const { id } = await owner.need(201, "POST", "/v2/workspaces", { body: { name: `heavy ${index}` } })
      const headers = { "workspace-id": id }
      const { data } = await owner.need(200, "GET", "/v2/notebooks", { headers })
      return { headers, notebook_id: data[0].id }
    })
  )

const heavyEnex = (notes: number): string => {
  const table = `<table><tr>${"<td colspan='1000' rowspan='1000'>x</td>".repeat(1_000)}</tr></table>`
  const note = (index: number) =>
    `<note><title>t${index}</title><content><![CDATA[<?xml version="1.0"?><en-note>${table}</en-note>]]></content></note>`
  return `<?xml version="1.0"?><en-export>${times(notes, note).join("")}</en-export>`
}

/** Imports of notes that take the maximum time per note, on both nodes. */
export const importPlaces = attack({
  name: "import-places",
  finding: "two imports of one user took both slots of a node: another user's of 7 bytes waited for more than 50 s",
  measured: false,
  seconds: 90,
  run: async (lab) => {
    await lab.server.secondNode()
    const attacker = lab.client(lab.server.takeAttacker().token)
    const text = heavyEnex(40)
    for (const { headers } of await workspacesOf(attacker, 6)) {
      await beginImport(lab, attacker, ["enex", "heavy.enex", text], headers)
    }
    await sleep(2_000)
    const other = lab.client(lab.server.takeAttacker().key)
    const id = await beginImport(lab, other, ["markdown", "small.md", "# Small"])
    return timeUntil(lab, 20_000, async () => {
      const { status, text } = await other.get(`/v2/imports/${id}`)
      return status === 200 && JSON.parse(text).status !== "queued"
    })
  },
  judge: (ms) => ({ figures: `another's import began after ${shown(ms)}`, failures: late(ms, MOST_IMPORT, "it") })
})

const share = async (client: Client, workspace: Workspace, body: string, more: object = {}): Promise<string> => {
  const [note_id] = await store(client, workspace, [{ title: "shared", body }])
  const { url } = await client.need(201, "POST", "/v2/shares", { body: { note_id, ...more } })
  return new URL(url).pathname
}

/** Notes that take the maximum time to render, in several workspaces of one user. */
export const renderPlaces = attack({
  name: "render-places",
  finding: "120 reads of one user's heavy notes: another user's share of five words got 503 after 15.8 s",
  measured: false,
  seconds: 30,
  prepare: async (lab) => {
    const attacker = lab.server.takeAttacker()
    const paths: Array<string> = []
    const owner = lab.client(attacker.token)
    for (const { headers, notebook_id } of await workspacesOf(owner, 4)) {
      for (let note = 0; note < 8; note++) {
        const body = { notebook_id, title: "heavy", body: `${note}\n${"# a\n".repeat(15_000)}` }
        const { id } = await owner.need(201, "POST", "/v2/notes", { body, headers })
        const { url } = await owner.need(201, "POST", "/v2/shares", { body: { note_id: id }, headers })
        paths.push(new URL(url).pathname)
      }
    }
    const other = lab.server.takeAttacker()
    return { paths, small: await share(lab.client(other.key), other, "five words and no more") }
  },
  run: async (lab, { paths, small }) => {
    // Each page is read from a different address.
    const reads = Promise.all(paths.map((path) => lab.client(undefined, { patience: 30_000 }).get(path)))
    await sleep(1_000)
    const page = await lab.client(undefined, { patience: 30_000 }).get(small)
    lab.end()
    return { page, reads: await reads }
  },
  judge: ({ page, reads }) => ({
    figures: `another's page ${page.status} after ${Math.round(page.ms)} ms; heavy pages ${statuses(reads)}`,
    failures: page.status === 200 ? late(page.ms, MOST_PAGE, "another's page") : [`another's page got ${page.status}`]
  })
})

/** Password guesses from a hundred networks, at both nodes. */
export const logInNetworks = attack({
  name: "log-in-networks",
  finding: "one connection of each of 100 networks: a correct password from elsewhere got 503 after 16.7 s",
  measured: false,
  seconds: 40,
  run: async (lab) => {
    const ports = [lab.server.port, await lab.server.secondNode()]
    // The user has signed in from this address before.
    const known = { address: nextNetwork(), patience: 30_000 }
    const { email } = lab.server.other
    const signIn = (port: number) =>
      lab.client(undefined, { ...known, port }).post("/v2/auth/login", { email, password: PASSWORD })
    await signIn(ports[0]!)
    const guesses = Promise.all(
      times(100, async (index) => {
        const client = lab.client(undefined, { address: nextNetwork(), port: ports[index % 2]!, patience: 30_000 })
        return flood(lab.signal, { atOnce: 1, most: 50 }, async () => {
          const reply = await client.post("/v2/auth/login", { email: `${unique()}@example.org`, password: "guess" })
          if (reply.status !== 401) await sleep(100)
          return reply
        })
      })
    )
    await sleep(3_000)
    const logIns = await Promise.all(ports.map(signIn))
    lab.end()
    return { logIns, guesses: (await guesses).flat() }
  },
  judge: ({ guesses, logIns }) => ({
    figures: `correct password ${logIns.map(({ ms, status }) => `${status} after ${Math.round(ms)} ms`).join(", ")}; guesses ${statuses(guesses)}`,
    failures: logIns.flatMap(({ ms, status }) =>
      status === 200 ? late(ms, MOST_LOG_IN, "a correct password") : [`a correct password got ${status}`]
    )
  })
})

/** An endpoint on this machine, and the paths that it received; without `respond`, it never responds. */
const endpoint = async (lab: Lab, respond: boolean) => {
  const received: Array<string> = []
  const listener: Listener = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    lab.signal.addEventListener("abort", () => socket.destroy(), { once: true })
    socket.once("data", (chunk) => {
      received.push(chunk.toString("latin1").split(" ", 2)[1] ?? "")
      if (respond) socket.end("HTTP/1.1 201 Created\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    })
  }).listen(0, "127.0.0.1")
  lab.signal.addEventListener("abort", () => listener.close(), { once: true })
  await once(listener, "listening")
  return { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, received }
}

/** The keys of a browser, from RFC 8291, appendix A. */
const keys = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg"
}

/** Creates devices of a user, each with a push subscription, and returns the id of a note for reminders. */
const subscribe = async (client: Client, workspace: Workspace, devices: number, url: string): Promise<string> => {
  for (let index = 0; index < devices; index++) {
    const { device_id } = await client.need(201, "POST", "/v2/sync/pull", {
      body: { device: { name: `device ${index}`, platform: "attack" }, limit: 1 }
    })
    await client.need(200, "PUT", `/v2/sync/devices/${device_id}/push`, { body: { endpoint: `${url}/${index}`, keys } })
  }
  const [note_id] = await store(client, workspace, [{ title: "reminded" }])
  return note_id!
}

const remind = (client: Client, note_id: string) =>
  client.need(201, "POST", "/v2/reminders", { body: { note_id, remind_at: new Date().toISOString() } })

/** Push services that never respond. */
export const pushPlaces = attack({
  name: "push-places",
  finding: "24 devices of one user with endpoints that hang: another user's push arrived after 11.5 s instead of 0.1 s",
  measured: false,
  seconds: 40,
  run: async (lab) => {
    const [hanging, good] = [await endpoint(lab, false), await endpoint(lab, true)]
    const [attacker, other] = [lab.server.takeAttacker(), lab.server.takeAttacker()]
    const [mine, theirs] = [lab.client(attacker.key), lab.client(other.key)]
    const heavy = await subscribe(mine, attacker, 24, hanging.url)
    const note = await subscribe(theirs, other, 1, good.url)
    for (let index = 0; index < 6; index++) await remind(mine, heavy)
    await timeUntil(lab, 5_000, () => hanging.received.length > 0)
    await remind(theirs, note)
    return timeUntil(lab, 15_000, () => good.received.length > 0)
  },
  judge: (ms) => ({ figures: `another's push after ${shown(ms)}`, failures: late(ms, MOST_PUSH, "another's push") })
})

/** Webhooks of one workspace at an origin that hangs and that another workspace uses too. */
export const hookOrigins = attack({
  name: "hook-origins",
  finding: "150 webhooks on an origin that hangs: another workspace's delivery to the same origin arrived after 10 s",
  measured: false,
  seconds: 40,
  run: async (lab) => {
    const origin = await endpoint(lab, false)
    const [attacker, other] = [lab.server.takeAttacker(), lab.server.takeAttacker()]
    const [mine, theirs] = [lab.client(attacker.key), lab.client(other.key)]
    const hook = (url: string) => ({ url, events: ["tag.created"] })
    await flood(lab.signal, { atOnce: 4, most: 150 }, (index) =>
      mine.post("/v2/webhooks", hook(`${origin.url}/mine/${index}`))
    )
    for (let index = 0; index < 10; index++) await mine.need(201, "POST", "/v2/tags", { body: { name: `t${index}` } })
    // Until it occupies all connections that it may have.
    await sleep(3_000)
    const listening = await endpoint(lab, true)
    await theirs.need(201, "POST", "/v2/webhooks", { body: hook(`${origin.url}/theirs`) })
    await theirs.need(201, "POST", "/v2/webhooks", { body: hook(listening.url) })
    await theirs.need(201, "POST", "/v2/tags", { body: { name: "theirs" } })
    const ms = await timeUntil(lab, 15_000, () => origin.received.includes("/theirs"))
    return { ms, elsewhere: await timeUntil(lab, 15_000, () => listening.received.length > 0) }
  },
  judge: ({ elsewhere, ms }) => ({
    figures: `another's delivery to the origin after ${shown(ms)}, elsewhere after ${shown(elsewhere)}`,
    failures: [...late(ms, MOST_HOOK, "another's delivery"), ...late(elsewhere, MOST_HOOK, "a delivery elsewhere")]
  })
})

/** The password of a share; each guess costs a password check. */
export const sharePasswords = attack({
  name: "share-passwords",
  finding: "120 guesses from 12 addresses at the password of one share, all of them checked",
  measured: false,
  seconds: 130,
  run: async (lab) => {
    // A busy machine checks few guesses: the reader requests the share nevertheless.
    const guessing = AbortSignal.any([lab.signal, AbortSignal.timeout(90_000)])
    const owner = lab.server.takeAttacker()
    const path = await share(lab.client(owner.key), owner, ordinaryText(100), { password: PASSWORD })
    const client = () => lab.client(undefined, { address: nextNetwork(), patience: 30_000 })
    const read = (by: Client, password: string) => by.get(path, { headers: { "share-password": password } })
    const guesses = await Promise.all(
      times(12, () => {
        const guesser = client()
        // A guess that was refused for lack of capacity is repeated.
        return flood(guessing, { atOnce: 1, most: 10 }, async (guess) => {
          while (true) {
            const reply = await read(guesser, `wrong guess ${guess}`)
            if (reply.status !== 503 || guessing.aborted) return reply
            await sleep(200)
          }
        })
      })
    )
    return { guesses: guesses.flat(), reader: await read(client(), PASSWORD) }
  },
  judge: ({ guesses, reader }) => {
    const checked = guesses.filter(({ status }) => status === 401).length
    return {
      figures: `guesses ${statuses(guesses)}, a reader ${reader.status} after ${Math.round(reader.ms)} ms`,
      failures: [
        ...(checked > MOST_GUESSES ? [`${checked} guesses were checked`] : []),
        ...(reader.status === 200 ? [] : ["a reader with the password was refused"])
      ]
    }
  }
})
