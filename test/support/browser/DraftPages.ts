import { build } from "esbuild"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { serveSite } from "./SiteServer.ts"

/** What a tab shows of its draft. */
export interface ShownDraft {
  readonly title: string
  readonly body: string
  readonly result: { readonly title: string; readonly body: string } | undefined
  readonly refusal: "gone" | "refused" | undefined
  readonly isSaved: boolean
  readonly isUnstored: boolean
}

/** How requests of a tab end: "lost" ones are processed, and their responses do not arrive. */
export type Network = "ok" | "offline" | "lost"

/** Where the drafts of a tab are saved. */
export interface DraftServer {
  readonly url: string
  readonly key: string
  readonly notebook_id: string
}

/** The drafts of the console without its pages. `Network` and the room of the browser are those that a test sets. */
const script = `
import { createClient, SheafError } from "./client/SheafClient.ts"
import { NoteDraft } from "./console/drafts/NoteDraft.ts"
import { leftDrafts } from "./console/drafts/DraftStore.ts"
import { identityOf } from "./console/drafts/StoredDraft.ts"
import { WaitingTexts } from "./console/drafts/WaitingTexts.ts"

let network = "ok"
let parts
let notebook_id
let draft
let waiting

const sent = async (...request) => {
  if (network === "offline") throw new TypeError("offline")
  const response = await fetch(...request)
  if (network === "lost") throw new TypeError("lost")
  return response
}
const shown = () => ({
  ...draft.content.value,
  result: draft.conflict.value?.result,
  refusal: draft.trouble.value?.problem && draft.trouble.value.kind,
  isSaved: draft.isSaved.value,
  isUnstored: draft.isUnstored.value
})
const put = IDBObjectStore.prototype.put

globalThis.drafts = {
  start: (server) => {
    notebook_id = server.notebook_id
    const client = createClient({ url: server.url, key: server.key, retries: 0, fetch: sent })
    parts = { client, account: "account", workspace: "workspace", untitled: "Untitled" }
    waiting = new WaitingTexts({ ...parts, isShownHere: () => true, partsOf: () => parts, isConnected: () => true })
  },
  network: (next) => void (network = next),
  full: (isFull) => {
    IDBObjectStore.prototype.put = isFull
      ? () => { throw new DOMException("full", "QuotaExceededError") }
      : put
  },
  left: async () => (await leftDrafts("account")).map((each) => ({
    texts: [each.content, ...(each.edited ? [each.edited.result] : [])].flatMap(({ body, title }) => [title, body])
  })),
  begin: () => (draft = new NoteDraft(parts, notebook_id), shown()),
  open: async (id) => {
    const note = await parts.client.getNote({ id })
    draft = new NoteDraft(parts, note.notebook_id, note)
    return shown()
  },
  /** Continues a draft that was left; false if there is none. */
  resume: async () => {
    const [left] = await leftDrafts("account")
    const continued = left && (await NoteDraft.continued(parts, left.key))
    draft = continued ?? draft
    return continued !== undefined
  },
  type: (change) => (draft.type(change), shown()),
  /** Resolves when this device has the text. */
  stored: () => draft.stored(),
  edit: (result) => (draft.edit(result), shown()),
  save: async () => (await draft.save(), shown()),
  resolve: async (result) => {
    const conflict = draft.conflict.value
    const chosen = { theirs: conflict.theirs, yours: conflict.yours, result: conflict.result }[result]
    await draft.resolve(chosen).catch((error) => { if (!(error instanceof SheafError)) throw error })
    return shown()
  },
  /** Begins to save. */
  begun: () => (draft.save(), shown()),
  discard: async () => (await draft.discard(), shown()),
  saveAsNew: async () => (await draft.saveAsNew(notebook_id), shown()),
  close: async () => (await draft.close(), shown()),
  /** Sends the texts that no tab has open. Returns how many wait then. */
  send: async () => (await waiting.send(true), waiting.waiting.value.length),
  /** Opens the text that waits, or is being sent; false if there is none. */
  attend: async () => {
    const [stored] = waiting.waiting.value
    const opened = await waiting.open(stored ? identityOf(stored) : draft.note.value.id)
    draft = opened ?? draft
    return opened !== undefined
  },
  shown,
  id: () => draft.note.value?.id
}
`

/** Tabs that write one draft each. They share the storage of their browser context. */
export class DraftPages {
  private readonly site: Awaited<ReturnType<typeof serveSite>>
  private readonly server: DraftServer

  private constructor(site: Awaited<ReturnType<typeof serveSite>>, server: DraftServer) {
    this.site = site
    this.server = server
  }

  static async start(server: DraftServer): Promise<DraftPages> {
    const { outputFiles } = await build({
      stdin: { contents: script, resolveDir: join(import.meta.dirname, "../../../src/clients") },
      bundle: true,
      format: "esm",
      platform: "browser",
      logLevel: "warning",
      write: false
    })
    const site = await serveSite({
      "/": `<!doctype html><script type="module" src="app.js"></script>`,
      "/app.js": outputFiles[0]!.contents
    })
    return new DraftPages(site, server)
  }

  async open(context: BrowserContext): Promise<DraftTab> {
    const page = await context.newPage()
    await page.goto(this.site.url)
    const tab = new DraftTab(page, this.server)
    await tab.call("start", this.server)
    return tab
  }

  stop(): Promise<void> {
    return this.site.stop()
  }
}

interface Lock {
  readonly clientId: string
  readonly name: string
}

/** The locks of a page. */
const ownLocks = `navigator.locks.request("own", async () => {
  const { held } = await navigator.locks.query()
  const { clientId } = held.find(({ name }) => name === "own")
  return held.filter((lock) => lock.clientId === clientId && lock.name !== "own")
})`

/** A tab with a draft. */
export class DraftTab {
  readonly page: Page
  private readonly server: DraftServer

  constructor(page: Page, server: DraftServer) {
    this.page = page
    this.server = server
  }

  /** Calls a function of the page. */
  call<Result = ShownDraft>(name: string, argument?: unknown): Promise<Result> {
    return this.page.evaluate<Result>(`drafts.${name}(${JSON.stringify(argument)})`)
  }

  network(next: Network): Promise<void> {
    return this.call("network", next)
  }

  shown(): Promise<ShownDraft> {
    return this.call("shown")
  }

  /** Loads the page again, without any time to end what it does, and waits until its locks are released. */
  async reload(): Promise<void> {
    const held = await this.ownLocks()
    await this.page.reload()
    await this.untilReleased(held)
    await this.call("start", this.server)
  }

  /** Closes the tab when its text is stored, and waits until another tab no longer sees its locks. */
  async close(other: DraftTab): Promise<void> {
    await this.call("stored")
    const held = await this.ownLocks()
    await this.page.close()
    await other.untilReleased(held)
  }

  private ownLocks(): Promise<ReadonlyArray<Lock>> {
    return this.page.evaluate(ownLocks)
  }

  private async untilReleased(locks: ReadonlyArray<Lock>): Promise<void> {
    const isHeld = `navigator.locks.query().then(({ held }) => {
      const earlier = ${JSON.stringify(locks)}
      return held.some(({ clientId, name }) => earlier.some((lock) => lock.clientId === clientId && lock.name === name))
    })`
    while (await this.page.evaluate<boolean>(isHeld));
  }
}
