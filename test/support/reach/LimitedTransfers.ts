import { expect } from "vitest"
import { Files, someBytes } from "../Files.ts"
import { eventually } from "../flows/eventually.ts"
import type { TestApp } from "../TestApp.ts"
import { unzip } from "../Unzip.ts"
import { limitedKey } from "./LimitedKey.ts"

/** A workspace with a limited key, and exports and imports by a caller. */
export const limitedTransfers = async (app: TestApp) => {
  const world = await limitedKey(app)
  const files = new Files(app)
  const asOf = (headers: Record<string, string>, node: TestApp = app) => {
    const ask = (method: string, path: string, body?: unknown) => node.call(method, path, body, headers)
    const ended = (path: string): Promise<any> =>
      eventually("the transfer has ended", async () => {
        const { body } = await ask("GET", path)
        return ["ready", "done", "failed"].includes(body.status) && body
      })
    return {
      ask,
      ended,
      /** Exports, and returns the export with the contents of its files. */
      exported: async (body: object) => {
        const made = await ask("POST", "/exports", { scope: "notebook", ...body })
        expect(made.status).toBe(201)
        const ready = await ended(`/exports/${made.body.id}`)
        expect(ready).toMatchObject({ status: "ready" })
        const { bytes } = await files.call("GET", ready.download_url)
        return { ready, bytes, files: (await unzip(bytes)).files }
      },
      imported: async (bytes: Uint8Array, body: object) => {
        const made = await ask("POST", "/imports", { source: "auto", filename: "vault.zip", ...body })
        expect(made.status).toBe(201)
        expect((await files.put(made.body, bytes)).status).toBe(200)
        return ended(`/imports/${made.body.id}`)
      }
    }
  }
  const attach = async (note_id: string, filename: string, bytes = someBytes()) => {
    const made = await world.given("POST", "/attachments/uploads", { note_id, filename })
    return (await files.put(made, bytes)).body
  }
  /** The titles of the notes of a notebook. */
  const titles = async (notebook_id: string): Promise<ReadonlyArray<string>> =>
    (await world.given("GET", `/notes?filter=notebook_id = ${notebook_id}&sort=title`)).data.map(
      (note: { readonly title: string }) => note.title
    )
  return { ...world, ...asOf(world.headers), asOf, owner: asOf(world.team.owner.headers), files, attach, titles }
}
