import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { eventually } from "../flows/eventually.ts"
import { blocksOf } from "../GuideBlocks.ts"

export type Kind = "nginx" | "haproxy"

/** Returns the path of an installed program. Debian installs both outside the PATH of users. */
const find = (program: string): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"]
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file))

/** A suffix for the names of tests that need this proxy: the reason why they are skipped, or empty. */
export const skipReason = (kind: Kind): string =>
  find(kind) === undefined ? ` (skipped: ${kind} is not installed)` : ""

type Nodes = readonly [number, number]

/** The block of nginx in docs/operating.md, with other addresses. */
const documented = (port: number, nodes: Nodes): string => {
  const [block] = blocksOf("operating.md").filter(({ language }) => language === "nginx")
  if (block === undefined) throw new Error("docs/operating.md has no block of nginx")
  const places: ReadonlyArray<readonly [string, string]> = [
    ["listen 80;", `listen 127.0.0.1:${port};`],
    ["10.0.0.11:4000", `127.0.0.1:${nodes[0]}`],
    ["10.0.0.12:4000", `127.0.0.1:${nodes[1]}`]
  ]
  return places.reduce((text, [shown, used]) => {
    if (text.split(shown).length !== 2) throw new Error(`the block of nginx does not have ${shown} once`)
    return text.replace(shown, used)
  }, block.code)
}

/** Adds the settings that nginx needs to run in its own folder. */
const nginxAround = (block: string): string => `daemon off;
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`).join("\n  ")}
${block}
}
`

/** The configuration of compose.nodes.yaml; `test/scripts/Deploy.test.ts` compares it with the page. */
const haproxyFile = join(import.meta.dirname, "../../../scripts/deploy/haproxy.cfg")

/** nginx or HAProxy in front of two nodes, configured as in docs/operating.md. */
export class Balancer {
  readonly port: number
  private readonly folder: string
  private readonly child: ChildProcess
  private output = ""

  private constructor(kind: Kind, port: number, nodes: Nodes) {
    this.port = port
    this.folder = mkdtempSync(join(tmpdir(), `sheaf-${kind}-`))
    const nginxFile = join(this.folder, "nginx.conf")
    if (kind === "nginx") writeFileSync(nginxFile, nginxAround(documented(port, nodes)))
    const args = kind === "nginx" ? ["-p", this.folder, "-e", "stderr", "-c", nginxFile] : ["-db", "-f", haproxyFile]
    const [NODE_A, NODE_B] = nodes.map((node) => `127.0.0.1:${node}`)
    const env = { ...process.env, BIND: `127.0.0.1:${port}`, NODE_A, NODE_B }
    this.child = spawn(find(kind)!, args, { env, stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [this.child.stdout!, this.child.stderr!]) stream.on("data", (text) => (this.output += text))
  }

  /** Starts a proxy, and waits until a node responds through it. */
  static async start(kind: Kind, port: number, nodes: Nodes): Promise<Balancer> {
    const balancer = new Balancer(kind, port, nodes)
    await eventually(`${kind} forwards requests`, async () => {
      if (balancer.child.exitCode !== null) throw new Error(`${kind} ended: ${balancer.output}`)
      return fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ status }) => status === 200,
        () => false
      )
    })
    return balancer
  }

  /** Its log so far. */
  get log(): string {
    return this.output
  }

  async stop(): Promise<void> {
    const ended = once(this.child, "close")
    if (this.child.exitCode === null) this.child.kill("SIGTERM")
    await ended
    rmSync(this.folder, { recursive: true, force: true })
  }
}
