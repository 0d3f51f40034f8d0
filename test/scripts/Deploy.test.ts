import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { declaredVariables } from "../support/DeclaredVariables.ts"
import { blocksOf } from "../support/GuideBlocks.ts"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const variables = new Set(
  declaredVariables.flatMap(({ isSecret, name }) => (isSecret ? [name, `${name}_FILE`] : [name]))
)

/** Lines without comments and indentation. */
const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.replace(/\s*#.*$/, "").trim())
    .filter((line) => line !== "")

describe.each(["compose.yaml", "compose.nodes.yaml"])("%s", (file) => {
  const text = read(file)
  const { networks, secrets = {}, services, volumes } = parse(text, { merge: true })
  const all = Object.values<any>(services)
  const nodes = all.filter(({ image }) => image === "sheaf")

  it("has only variables that Sheaf reads", () => {
    expect(nodes.length).toBeGreaterThan(0)
    for (const { environment } of nodes)
      for (const name of Object.keys(environment)) expect(variables, name).toContain(name)
  })

  it("refers only to services, volumes, files and addresses that exist", () => {
    const aliases = all.flatMap((each) => each.networks?.default?.aliases ?? [])
    const hosts = new Set([...Object.keys(services), ...aliases, "127.0.0.1"])
    for (const { depends_on = {}, environment = {}, volumes: mounts = [] } of all) {
      for (const name of Object.keys(depends_on)) expect(services).toHaveProperty(name)
      for (const mount of mounts) {
        const [source] = mount.split(":")
        if (source.startsWith("./")) expect(existsSync(join(root, source)), source).toBe(true)
        else expect(volumes).toHaveProperty(source)
      }
      for (const name of ["PUBLIC_URL", "DATABASE_URL", "REDIS_URL", "S3_ENDPOINT"]) {
        const url = environment[name]?.replace(/\$\{\w+:-(.*?)\}/, "$1").replace(/\$\{\w+:\?\}/, "secret")
        if (url !== undefined) expect(hosts, url).toContain(new URL(url).hostname)
      }
      const { subnet } = networks?.default.ipam.config[0] ?? {}
      expect(environment.TRUSTED_PROXIES ?? subnet).toBe(subnet)
    }
  })

  it("needs no variable, and the secrets that the page for operators writes", () => {
    expect(text).not.toMatch(/\$\{\w+:?\?/)
    const block = blocksOf("operating.md").find(({ code }) => code.includes(`-f ${file} up`))?.code ?? ""
    const written = [...block.matchAll(/> (secrets\/\w+)$/gm)].map(([, name]) => name)
    const named = Object.entries<any>(secrets).map(([name, { file }]) => [name, file])
    expect(named.toSorted()).toEqual(written.map((name) => [name!.slice("secrets/".length), name]).toSorted())
    for (const { environment = {}, secrets: used = [] } of all) {
      const files = Object.entries<string>(environment).filter(([name]) => name.endsWith("_FILE"))
      expect(files.map(([, path]) => path).toSorted()).toEqual(
        used.map((name: string) => `/run/secrets/${name}`).toSorted()
      )
      for (const name of used) expect(secrets).toHaveProperty(name)
    }
  })

  it("limits the logs of each container", () => {
    for (const { logging } of all) {
      expect(logging).toEqual({ driver: "json-file", options: { "max-size": "10m", "max-file": "5" } })
    }
  })
})

it("HAProxy of compose.nodes.yaml has the configuration in the page for operators, and the addresses of the containers", () => {
  const used = linesOf(read("scripts/deploy/haproxy.cfg"))
  const documented = linesOf(blocksOf("operating.md").find(({ language }) => language === "haproxy")!.code)
  const isPlace = (line: string) => /^(server|bind|resolvers|parse-resolv-conf)\b/.test(line)
  expect(used.filter((line) => !isPlace(line))).toEqual(documented.filter((line) => !isPlace(line)))
  const { services } = parse(read("compose.nodes.yaml"), { merge: true })
  const [, port] = /^bind "\$\{BIND-:(\d+)\}"$/m.exec(used.join("\n"))!
  expect(services.balancer.ports).toEqual([`127.0.0.1:4000:${port}`])
  const targets = used.flatMap((line) => /^server \w+ "\$\{\w+-(\S+)\}"/.exec(line)?.[1] ?? [])
  const [, inside] = /PORT=(\d+)/.exec(read("Dockerfile"))!
  const names = Object.keys(services).filter((name) => services[name].image === "sheaf")
  expect(targets).toEqual(names.map((name) => `${name}:${inside}`))
})

describe("the container", () => {
  it("installs the packages from all that the set-up reads, before the sources are copied", () => {
    const [before] = read("Dockerfile").split("COPY . .")
    const copied = [...before!.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, files]) => files!.split(" "))
    expect(before).toContain("RUN node scripts/setup.mjs --production")
    const imported = [...read("scripts/setup.mjs").matchAll(/from "\.\/(.+)"/g)].map(([, file]) => `scripts/${file}`)
    const workspaces = JSON.parse(read("package.json")).workspaces.map((each: string) => `${each}/package.json`)
    const needed = ["package.json", "package-lock.json", "patches", "scripts/setup.mjs", ...imported, ...workspaces]
    expect(copied.toSorted()).toEqual(needed.toSorted())
  })

  it("is built of files that are there, and that the context of the build has", () => {
    const [, build] = /^FROM \S+ AS build$([^]+?)^FROM /m.exec(read("Dockerfile"))!
    const copied = [...build!.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, files]) => files!.split(" "))
    const used = [...build!.matchAll(/(?<= )(?:scripts\/[\w./-]+|LICENSE|package\.json)(?= |$)/gm)].map(
      ([file]) => file
    )
    expect(used).toContain("scripts/deploy/healthy.mjs")
    const ignored = read(".dockerignore").split("\n")
    for (const file of [...copied, ...used]) {
      expect([file, existsSync(join(root, file))]).toEqual([file, true])
      expect(ignored).not.toContain(file.split("/")[0])
    }
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
