import { once } from "node:events"
import { createServer } from "node:http"
import type { TestProject } from "vitest/node"
import { CephGateway } from "../../../scripts/s3/CephGateway.ts"
import { find } from "../../../scripts/s3/CephPackages.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The URL from which `S3Server.ts` requests an account. */
    s3: string
  }
}

const start = async (): Promise<CephGateway | { readonly missing: string }> => {
  if (process.platform !== "linux") return { missing: "Ceph's packages are for Linux" }
  const found = await find()
  if ("missing" in found) return found
  return CephGateway.start(found).catch((error: Error) => ({ missing: `Ceph does not start: ${error.message}` }))
}

/**
 * Provides one S3 server for the whole run. It needs about 15 seconds to start, so it starts when the first test file
 * requests it and only such files wait for it.
 */
export default async (project: TestProject) => {
  let starting: ReturnType<typeof start> | undefined
  let accounts = 0
  const give = async () => {
    const gateway = await (starting ??= start())
    return "missing" in gateway
      ? gateway
      : { endpoint: gateway.url, ...(await gateway.account(`tests-${(accounts += 1)}`)) }
  }
  const server = createServer((_, response) => {
    give().then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: Error) => response.writeHead(500).end(error.message)
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the S3 setup server has no port")
  project.provide("s3", `http://127.0.0.1:${address.port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    const gateway = await starting
    if (gateway !== undefined && !("missing" in gateway)) await gateway.stop()
  }
}
