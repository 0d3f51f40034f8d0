import { createHash } from "node:crypto"
import { call, type Server } from "./Wire.ts"

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** File contents that all clients attach repeatedly. */
export const contents = [0, 1, 700, 65_536].map((size) => {
  const bytes = Buffer.alloc(size, `${size} bytes `)
  return { bytes, claimed: { size, sha256: sha256Of(bytes) } }
})

/** Translates a signed URL to a node: its own host is not reachable. */
const at = (server: Server, url: string): string => {
  const { pathname, search } = new URL(url)
  return new URL(pathname + search, server.url).href
}

/** Uploads bytes to a signed URL and returns the status. */
export const sendFile = async (server: Server, url: string, bytes: Buffer): Promise<number> => {
  const response = await fetch(at(server, url), { method: "PUT", body: new Uint8Array(bytes) })
  await response.arrayBuffer()
  return response.status
}

/** Downloads an attachment and returns its SHA-256. */
export const fetchedHash = async (server: Server, id: string): Promise<string> => {
  const { body } = await call(server, "GET", `/attachments/${id}/download`)
  return sha256Of(new Uint8Array(await (await fetch(at(server, body.url))).arrayBuffer()))
}
