import { gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { peers } from "../../scripts/package/modules.ts"
import { PackagedModules } from "../support/browser/PackagedModules.ts"

it("modules for browsers are small, and a page has only the parts that it imports", async () => {
  using packaged = await PackagedModules.install()
  const sizeOf = async (code: string) => {
    const contents = await packaged.bundle(code, [...peers, ...peers.map((name) => `${name}/*`)])
    return { bytes: gzipSync(contents).length, text: Buffer.from(contents).toString() }
  }

  const client = await sizeOf(`export { createClient } from "sheaf/client"`)
  const files = await sizeOf(`export { createClient, follow, upload } from "sheaf/client"`)
  const offline = await sizeOf(`export * from "sheaf/client"; export * from "sheaf/sync"`)
  const indexeddb = await sizeOf(`export * from "sheaf/indexeddb"`)
  expect(indexeddb.bytes).toBeLessThan(1_500)
  expect(client.bytes).toBeLessThan(5_000)
  expect(files.bytes).toBeLessThan(7_000)
  expect(offline.bytes).toBeLessThan(18_500)
  for (const part of ["last-event-id", "SHA-256"]) {
    expect([part, client.text.includes(part), files.text.includes(part)]).toEqual([part, false, true])
  }
})
