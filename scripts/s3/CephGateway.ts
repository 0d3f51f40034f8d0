import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { appendFileSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { eventually } from "../../test/support/flows/eventually.ts"
import { freePort } from "../../test/support/servers/freePort.ts"
import type { CephPackages } from "./CephPackages.ts"

export interface S3Account {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

type Programs = Exclude<CephPackages, { readonly missing: string }>

const configuration = (at: {
  readonly directory: string
  readonly libraries: string
  readonly monitor: number
  readonly gateway: number
}) => `[global]
fsid = ${randomUUID()}
mon host = [v2:127.0.0.1:${at.monitor}/0]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
ms bind port min = ${at.monitor + 1}
ms bind port max = ${at.monitor + 40}
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 2000
plugin dir = ${at.libraries}/ceph
erasure code dir = ${at.libraries}/ceph/erasure-code
osd class dir = ${at.libraries}/rados-classes
run dir = ${at.directory}
admin socket =
log file = ${at.directory}/$name.log
crash dir = ${at.directory}
keyring = ${at.directory}/keyring
[mon]
mon data = ${at.directory}/mon
mon cluster log file = ${at.directory}/cluster.log
mgr initial modules =
auth allow insecure global id reclaim = false
[osd]
osd objectstore = memstore
memstore device bytes = 4294967296
osd data = ${at.directory}/osd
osd journal = ${at.directory}/osd/journal
[client.rgw]
rgw data = ${at.directory}/rgw
rgw frontends = beast endpoint=127.0.0.1:${at.gateway}
rgw enable usage log = false
`

/**
 * A real, strict S3: Ceph's gateway with a monitor and a store in memory, for this machine only. Nothing remains after
 * its end.
 */
export class CephGateway {
  readonly url: string
  private readonly programs: Programs
  private readonly directory = mkdtempSync(join(tmpdir(), "sheaf-ceph-"))
  private readonly running: Array<ChildProcess> = []
  /** Kills the processes if this one exits without `stop`. */
  private readonly abandon = () => {
    for (const child of this.running) child.kill("SIGKILL")
  }
  private readonly environment: NodeJS.ProcessEnv

  private constructor(programs: Programs, port: number) {
    const { libraries, root } = programs
    this.programs = programs
    this.url = `http://127.0.0.1:${port}`
    this.environment = {
      ...process.env,
      LD_LIBRARY_PATH: [libraries, `${libraries}/ceph`, libraries.replace("/usr/lib/", "/lib/")].join(delimiter),
      PATH: [`${root}/usr/bin`, `${root}/usr/sbin`, process.env["PATH"]].join(delimiter),
      PYTHONPATH: `${root}/usr/lib/python3/dist-packages`,
      CEPH_CONF: join(this.directory, "ceph.conf")
    }
  }

  static async start(programs: Programs): Promise<CephGateway> {
    const port = await freePort()
    const gateway = new CephGateway(programs, port)
    process.once("exit", gateway.abandon)
    try {
      await gateway.begin(port)
      return gateway
    } catch (error) {
      await gateway.stop()
      throw error
    }
  }

  /** Creates a user with buckets that no other user can access. */
  async account(name: string): Promise<S3Account> {
    const account = { accessKeyId: `${name}-access`, secretAccessKey: `${name}-secret-0123456789` }
    const keys = [`--access-key=${account.accessKeyId}`, `--secret-key=${account.secretAccessKey}`]
    await this.run("radosgw-admin", ["user", "create", `--uid=${name}`, `--display-name=${name}`, ...keys])
    return account
  }

  async stop(): Promise<void> {
    process.off("exit", this.abandon)
    for (const child of this.running.splice(0).toReversed()) await ended(child)
    rmSync(this.directory, { recursive: true, force: true })
  }

  private async begin(port: number): Promise<void> {
    const at = (name: string) => join(this.directory, name)
    for (const name of ["mon", "osd", "rgw"]) mkdirSync(at(name))
    const monitor = await freePort()
    const { libraries } = this.programs
    writeFileSync(at("ceph.conf"), configuration({ directory: this.directory, libraries, monitor, gateway: port }))
    for (const name of ["mon.", "client.admin", "client.rgw"]) {
      const caps = name === "mon." ? ["mon"] : ["mon", "osd"]
      await this.run("ceph-authtool", [
        ...(name === "mon." ? ["--create-keyring"] : []),
        at("keyring"),
        "--gen-key",
        "-n",
        name,
        ...caps.flatMap((of) => ["--cap", of, "allow *"])
      ])
    }
    const fsid = await this.run("ceph-conf", ["--lookup", "fsid"])
    const address = `[v2:127.0.0.1:${monitor}]`
    await this.run("monmaptool", ["--create", "--fsid", fsid.trim(), "--addv", "a", address, at("monmap")])
    await this.run("ceph-mon", ["--mkfs", "-i", "a", "--monmap", at("monmap"), "--keyring", at("keyring")])
    this.running.push(this.spawn("ceph-mon", ["-f", "-i", "a"]))
    // It retries until the monitor responds.
    const osd = randomUUID()
    await this.run("ceph", ["osd", "new", osd])
    const caps = ["mon", "allow profile osd", "osd", "allow *", "mgr", "allow profile osd"]
    appendFileSync(at("keyring"), await this.run("ceph", ["auth", "get-or-create", "osd.0", ...caps]))
    await this.run("ceph-osd", ["-i", "0", "--mkfs", "--osd-uuid", osd])
    this.running.push(this.spawn("ceph-osd", ["-f", "-i", "0"]))
    this.running.push(this.spawn("radosgw", ["-f", "-n", "client.rgw"]))
    await eventually("the gateway responds", () =>
      fetch(this.url).then(
        ({ ok }) => ok,
        () => this.look()
      )
    )
  }

  private async run(program: string, args: ReadonlyArray<string>): Promise<string> {
    const { stdout } = await promisify(execFile)(program, args, { env: this.environment, timeout: 120_000 })
    return stdout
  }

  private spawn(program: string, args: ReadonlyArray<string>): ChildProcess {
    const output = openSync(join(this.directory, `${program}.out`), "a")
    const child = spawn(program, args, { env: this.environment, stdio: ["ignore", output, output] })
    closeSync(output)
    return child
  }

  /** Returns false while the gateway starts; throws if one of its processes has ended. */
  private look(): false {
    const gone = this.running.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
    if (gone !== undefined) throw new Error(`${gone.spawnfile} ended`)
    return false
  }
}

/** Kills a process: there are no data to save. */
const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exit = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGKILL")
  await exit
}
