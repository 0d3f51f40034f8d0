import { createHash } from "node:crypto"
import { expect } from "vitest"
import { call, type Server } from "./Wire.ts"

/** Uploads a file to a note, and returns its hash. */
export const upload = async (server: Server, note_id: string, bytes: Buffer): Promise<string> => {
  const form = new FormData()
  form.set("note_id", note_id)
  form.set("file", new Blob([new Uint8Array(bytes)]), "file.bin")
  const headers = { authorization: `Bearer ${server.key}` }
  const response = await fetch(`${server.url}/attachments`, { method: "POST", headers, body: form })
  expect(response.status).toBe(201)
  return createHash("sha256").update(bytes).digest("hex")
}

/** The id of the first notebook. */
export const inboxOf = async (server: Server): Promise<string> =>
  (await call(server, "GET", "/notebooks")).body.data[0].id
