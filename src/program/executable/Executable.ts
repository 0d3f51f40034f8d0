import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { getAsset, getRawAsset } from "node:sea"
import { gunzipSync } from "node:zlib"
import { fileFailure } from "../../../services/FileFailure.ts"
import { makeDirectory } from "../MakeDirectory.ts"
import { makeTemporaryDirectory } from "../TemporaryDirectory.ts"
import type { Build } from "../../server/Version.ts"
import { isWanted, lineOf } from "../VersionLine.ts"
import { startVariable } from "../workers/WorkerMessages.ts"
import { DamagedExecutable, install, type Manifest } from "./Runtime.ts"

/**
 * The entry point of the single executable (`npm run release`): unpacks the program and PostgreSQL once, and runs the
 * program from there, with the same arguments and environment.
 */

// `node:cluster` starts a worker with options of Node and the path of the program, which are none of the executable.
if (process.env[startVariable] !== undefined) process.argv.length = 2
const args = process.argv.slice(2)
const isServer = args.length === 0 || (args.length === 1 && args[0] === "serve")
const dataDir = resolve(process.env["DATA_DIR"] || "./data")
const runtimes = join(dataDir, "runtime")
/** A command with a wrong DATA_DIR, or for its help, must not create files there. */
const isTemporary = !isServer && !existsSync(runtimes)

const readFiles = (): Uint8Array => {
  try {
    return gunzipSync(getRawAsset("files.gz"))
  } catch (cause) {
    throw new DamagedExecutable("files.gz", { cause })
  }
}

/** Returns the folder of the program. */
const unpacked = (): string => {
  if (isServer) makeDirectory(dataDir)
  const manifest = JSON.parse(getAsset("manifest.json", "utf8")) as Manifest
  return install(isTemporary ? makeTemporaryDirectory(tmpdir(), "sheaf-", 0o755) : runtimes, manifest, readFiles)
}

const messageOf = (error: unknown): string => {
  if (error instanceof DamagedExecutable) return `${process.execPath} is damaged: copy it again`
  const failure = fileFailure(error, isTemporary ? tmpdir() : runtimes)
  if (failure === undefined) throw error
  return `${isTemporary ? "TMPDIR" : "DATA_DIR"} cannot be used: ${failure}`
}

const start = (): void => {
  let main: string
  try {
    main = join(unpacked(), "dist", "main.js")
  } catch (error) {
    console.error(`sheaf: ${messageOf(error)}`)
    process.exitCode = 1
    return
  }
  process.argv[1] = main
  createRequire(main)("./launch.cjs")
}

// The version needs nothing that is unpacked.
if (isWanted(args)) console.log(lineOf(JSON.parse(getAsset("build.json", "utf8")) as Build))
else start()
