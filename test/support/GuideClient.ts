import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { vi } from "vitest"
import { startApp, type TestApp } from "./TestApp.ts"

const { fetch } = globalThis

/** The client of docs/sync-client.md, unchanged, connected to an App. */
export interface GuideClient {
  readonly app: TestApp
  /** The path of the code, as one TypeScript file. */
  readonly file: string
  /** The exports of the code. */
  readonly guide: any
  /** The id of the notebook "Inbox". */
  readonly notebook: string
  readonly newClient: () => any
  /** Creates two devices that both have one note. */
  readonly shared: (data?: object) => Promise<{ readonly one: any; readonly other: any; readonly id: string }>
  /** Reads a note from the server. */
  readonly onServer: (id: string) => Promise<any>
  readonly push: (...changes: Array<object>) => Promise<any>
  readonly stop: () => Promise<void>
}

export const startGuideClient = async (): Promise<GuideClient> => {
  const folder = mkdtempSync(join(tmpdir(), "sheaf-guide-"))
  const file = join(folder, "client.ts")
  const text = readFileSync(join(import.meta.dirname, "../../docs/sync-client.md"), "utf8")
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
  writeFileSync(file, blocks.join("\n"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const guide = await import(pathToFileURL(file).href)
  const app = await startApp()
  const notebook: string = (await app.call("GET", "/notebooks")).body.data[0].id
  const newClient = () => new guide.SyncClient(app.url, app.key)
  return {
    app,
    file,
    guide,
    notebook,
    newClient,
    shared: async (data = {}) => {
      const [one, other] = [newClient(), newClient()]
      const id: string = guide.newId("nt_")
      one.edit("note", id, { notebook_id: notebook, title: "Shared", body: "First.", ...data })
      await one.sync()
      await other.sync()
      return { one, other, id }
    },
    onServer: async (id) => (await app.call("GET", `/notes/${id}`)).body,
    push: async (...changes) => (await app.call("POST", "/sync/push", { changes })).body,
    stop: async () => {
      await app.stop()
      rmSync(folder, { recursive: true })
    }
  }
}

/** Runs a sync whose first request reaches the server, but whose response is lost. */
export const syncWithLostResponse = async (client: any): Promise<void> => {
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    await (await fetch(...asked)).text()
    throw new TypeError("the network is gone")
  })
  await client.sync().then(
    () => Promise.reject(new Error("the sync succeeded")),
    () => undefined
  )
  spy.mockRestore()
}

/** Records the responses of all requests to a path. */
export const watched = (path: string): Array<any> => {
  const answers: Array<any> = []
  vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    const response = await fetch(...asked)
    if (String(asked[0]).endsWith(path)) answers.push(await response.clone().json())
    return response
  })
  return answers
}
