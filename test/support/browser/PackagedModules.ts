import { build } from "esbuild"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { manifest } from "../../../scripts/package/manifest.ts"
import { peers } from "../../../scripts/package/modules.ts"
import { bundlePortable } from "../../../scripts/package/portable.ts"

const packages = join(import.meta.dirname, "../../../node_modules")

/** An empty folder with the modules of the npm package that run in browsers, and the packages that these need. */
export class PackagedModules implements Disposable {
  private readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Installs them without npm. */
  static async install(): Promise<PackagedModules> {
    const { files } = await bundlePortable()
    const folder = mkdtempSync(join(tmpdir(), "sheaf-browser-"))
    const write = (path: string, contents: string | Uint8Array) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), contents)
    }
    write("node_modules/sheaf/package.json", JSON.stringify(manifest))
    for (const { contents, path } of files) write(join("node_modules/sheaf/dist", path), contents)
    for (const name of peers) {
      mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true })
      symlinkSync(join(packages, name), join(folder, "node_modules", name))
    }
    return new PackagedModules(folder)
  }

  /** Returns a script for browsers with all modules that `code` imports, except those that are `external`. */
  async bundle(code: string, external: ReadonlyArray<string> = []): Promise<Uint8Array> {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: this.folder },
      bundle: true,
      external: [...external],
      format: "esm",
      platform: "browser",
      minify: true,
      logLevel: "warning",
      write: false
    })
    return outputFiles[0]!.contents
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
