#!/usr/bin/env node
import * as module from "node:module"
import { join } from "node:path"
import { isWanted, lineOf } from "./program/VersionLine.ts"

// An older Node fails later, with an error that does not name the cause.
if (process.versions["deno"] === undefined && Number.parseInt(process.versions.node) < 24) {
  console.error(
    `sheaf: this is Node ${process.versions.node}, and Sheaf needs 24 or later (in a clone, npm start has its own)`
  )
  process.exit(1)
}

// Caches compiled code between starts. Deno has its own cache, and no such function.
module.enableCompileCache?.(join(import.meta.dirname, "..", "node_modules", ".cache", "compiled"))

// Imported only now: the compile cache applies to modules that are loaded after it is enabled.
const args = process.argv.slice(2)
if (args.join(" ") === "serve --test") (await import("./program/testing/TestServer.ts")).run()
else if (isWanted(args)) console.log(lineOf((await import("./server/Version.ts")).build))
else if (args.length === 0 || (args.length === 1 && args[0] === "serve")) (await import("./program/Program.ts")).run()
else (await import("./program/cli/Cli.ts")).run(args)
