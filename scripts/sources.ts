import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { guideFiles, skillSource } from "../src/server/reference/GuideFiles.ts"
import { dataFiles, root } from "./bundle.ts"
import { patchesOf } from "./patches.mjs"
import { licenseFiles } from "./release/licenses.ts"

/** The sources of the guides at /docs, and of the skill. */
const guides = [...guideFiles.map(({ file }) => file), skillSource].map((file) => join("docs", file))

/** Everything that a build is made from, relative to the root; packages are covered by the lock file and the patches. */
export const sourceFiles = (): ReadonlyArray<string> => {
  const files = ["src", "services"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter(
        (file) =>
          /\.(?:tsx?|css|svg|png)$/.test(file) && !file.startsWith(join("src", "clients", "client", "generated"))
      )
  )
  return [
    "package.json",
    "package-lock.json",
    ...patchesOf(root),
    "scripts/build.ts",
    "scripts/bundle.ts",
    "scripts/release/licenses.ts",
    ...licenseFiles(root),
    ...guides,
    ...dataFiles,
    ...files.sort()
  ]
}

/** A hash of everything that a build is made from. */
export const sourceHash = (): string => {
  const hash = createHash("sha256")
  for (const file of sourceFiles()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0")
  }
  return hash.digest("hex")
}
