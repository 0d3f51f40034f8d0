import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const variables = new Set([...read("src/Config.ts").matchAll(/variable\(\s*"([A-Z0-9_]+)"/g)].map(([, name]) => name))

describe("the container", () => {
  it("of compose.yaml has only variables that Sheaf reads", () => {
    const { environment } = parse(read("compose.yaml")).services.sheaf
    expect(Object.keys(environment).length).toBeGreaterThan(0)
    for (const name of Object.keys(environment)) expect(variables, name).toContain(name)
  })

  it("has a health check that follows /readyz", async () => {
    let status = 200
    const server = createServer((request, response) =>
      response.writeHead(request.url === "/readyz" ? status : 404).end()
    )
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const PORT = String((server.address() as AddressInfo).port)
    const check = async () => {
      const child = spawn(process.execPath, [join(root, "scripts/deploy/healthy.mjs")], {
        env: { PORT },
        stdio: "ignore"
      })
      const [code] = await once(child, "close")
      return code
    }
    expect(await check()).toBe(0)
    status = 503
    expect(await check()).toBe(1)
    server.close()
    await once(server, "close")
    expect(await check()).toBe(1)
  })
})

const analyzes = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("the service of systemd", () => {
  const check = (command: string, ...args: ReadonlyArray<string>) => {
    const folder = mkdtempSync(join(tmpdir(), "sheaf-service-"))
    try {
      const file = join(folder, "sheaf.service")
      // The executable and its user are installed where the service runs, not here.
      const text = read("scripts/deploy/sheaf.service").replace(/^ExecStart=.*$/m, "ExecStart=/bin/true")
      writeFileSync(file, text.replaceAll(/^(User|Group)=.*$/gm, "$1=daemon"))
      return spawnSync("systemd-analyze", [command, ...args, file], { encoding: "utf8" })
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it.runIf(analyzes)("is valid (skipped without systemd-analyze)", () => {
    const { status, stderr } = check("verify")
    expect([status, stderr]).toEqual([0, ""])
  })

  it.runIf(analyzes)("has an exposure below 2 of 10 (skipped without systemd-analyze)", () => {
    const { status, stdout } = check("security", "--offline=true", "--threshold=20", "--no-pager")
    expect(stdout).toMatch(/Overall exposure level for sheaf.service: [01]\.\d/)
    expect(status).toBe(0)
  })
})
