import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

/** Ceph's programs, unpacked in a folder, or the reason why there are none. */
export type CephPackages = { readonly root: string; readonly libraries: string } | { readonly missing: string }

const cache = join(import.meta.dirname, "../..", "node_modules", ".cache", "ceph")
const wanted = ["ceph-mon", "ceph-osd", "radosgw", "ceph-common"]
/** Milliseconds for the download: tests that can be skipped do not wait longer. */
const downloadTimeout = 60_000

const unpacked = (): CephPackages | undefined => {
  if (!existsSync(join(cache, "usr", "bin", "radosgw"))) return undefined
  const folder = readdirSync(join(cache, "usr", "lib")).find((name) => name.endsWith("-linux-gnu"))
  return folder === undefined ? undefined : { root: cache, libraries: join(cache, "usr", "lib", folder) }
}

/** Downloads Debian's packages and unpacks them without installing: no privileges needed. Apt checks signatures. */
const download = async (): Promise<void> => {
  const signal = AbortSignal.timeout(downloadTimeout)
  mkdirSync(join(cache, ".."), { recursive: true })
  const place = mkdtempSync(`${cache}-`)
  const run = async (command: string, args: ReadonlyArray<string>) =>
    (await promisify(execFile)(command, args, { cwd: place, signal, maxBuffer: 2 ** 24 })).stdout
  try {
    // Their dependencies that this machine lacks.
    const plan = await run("apt-get", ["install", "--simulate", "--no-install-recommends", ...wanted])
    const lacking = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!)
    await run("apt-get", ["download", ...new Set([...wanted, ...lacking])])
    for (const file of readdirSync(place).filter((file) => file.endsWith(".deb"))) {
      await run("dpkg", ["-x", file, "tree"])
    }
    // Another run may have been faster.
    if (unpacked() === undefined) {
      rmSync(cache, { recursive: true, force: true })
      renameSync(join(place, "tree"), cache)
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** The programs of an earlier run, or Debian's. */
export const find = async (): Promise<CephPackages> => {
  const before = unpacked()
  if (before !== undefined) return before
  try {
    await download()
    return unpacked() ?? { missing: "Debian's Ceph packages contain no gateway" }
  } catch (error) {
    const [why] = String((error as { readonly stderr?: unknown }).stderr || error).split("\n")
    return { missing: `Debian's Ceph packages cannot be downloaded: ${why}` }
  }
}
