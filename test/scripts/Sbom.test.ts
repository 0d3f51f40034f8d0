import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { programs } from "../../scripts/release/licenses.ts"
import { sbom } from "../../scripts/release/sbom.ts"

const root = join(import.meta.dirname, "../..")
const dist = join(root, "dist")
const text = readFileSync(join(dist, "sbom.cdx.json"), "utf8")
const bom = JSON.parse(text)

/** The packages in the maps of the bundle, from which it was not made. */
const mapped = new Set(
  readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".map"))
    .flatMap((file) => JSON.parse(readFileSync(join(dist, file), "utf8")).sources as ReadonlyArray<string>)
    .flatMap(
      (source) =>
        /node_modules\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+|node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source) ?? []
    )
)

it("the bill of materials of a build lists each package that is in it, and no other", () => {
  expect(mapped.size).toBeGreaterThan(50)
  const refs = bom.components.map((each: any) => each["bom-ref"])
  expect(new Set(refs)).toEqual(new Set([...mapped, ...programs]))
  expect(new Set(refs).size).toBe(refs.length)
  for (const { "bom-ref": home, licenses, name, purl, version } of bom.components) {
    const installed = JSON.parse(readFileSync(join(root, home, "package.json"), "utf8"))
    expect({ name, version }).toEqual({ name: installed.name, version: installed.version })
    expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`)
    expect(licenses, name).toMatchObject([{ expression: expect.any(String) }])
  }
})

it("names the programs and libraries inside of packages as lists of vulnerabilities do", () => {
  const [node, postgres] = programs.map((home) => bom.components.find((each: any) => each["bom-ref"] === home))
  expect(node.cpe).toMatch(/^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:\*/)
  expect(postgres.cpe).toMatch(/^cpe:2\.3:a:postgresql:postgresql:18\.\d+:\*/)
  expect(postgres.components.map(({ name }: any) => name)).toEqual(
    expect.arrayContaining(["libssl", "libxml2", "libicuuc"])
  )
})

it("has the form of CycloneDX 1.6, no path of the machine, and the same bytes for the same sources", () => {
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 })
  expect(Object.keys(bom).toSorted()).toEqual(
    [
      "$schema",
      "bomFormat",
      "components",
      "compositions",
      "dependencies",
      "metadata",
      "specVersion",
      "version"
    ].toSorted()
  )
  const known = ["type", "bom-ref", "name", "version", "cpe", "purl", "licenses", "hashes", "components"]
  const every = bom.components.flatMap((each: any) => [each, ...(each.components ?? [])])
  for (const each of every) {
    for (const member of Object.keys(each)) expect(known).toContain(member)
    expect(["library", "application"]).toContain(each.type)
    for (const { alg, content } of each.hashes ?? []) {
      expect(content).toMatch(alg === "SHA-512" ? /^[0-9a-f]{128}$/ : /^[0-9a-f]{64}$/)
    }
  }
  const refs = new Set(["sheaf", ...bom.components.map((each: any) => each["bom-ref"])])
  for (const { dependsOn, ref } of bom.dependencies)
    for (const each of [ref, ...dependsOn]) expect(refs).toContain(each)
  expect(text).not.toContain(root)
  const build = { version: bom.metadata.component.version, date: bom.metadata.timestamp ?? null }
  expect(Buffer.from(sbom(root, [...mapped].map((home) => `${home}/x.js`).reverse(), programs, build)).toString()).toBe(
    text
  )
})
