import * as module from "node:module"
import { join } from "node:path"

// An older one fails somewhere in the middle, with a page of code.
if (process.versions["deno"] === undefined && Number.parseInt(process.versions.node) < 24) {
  console.error(`sheaf: this is Node ${process.versions.node}, and it takes 24 or later: node_modules/.bin/node is one`)
  process.exit(1)
}

// Compiled code is kept from start to start. Deno has its own way, and no such function.
module.enableCompileCache?.(join(import.meta.dirname, "..", "node_modules", ".cache", "compiled"))

// Only now: what is set here counts for all that is loaded.
const args = process.argv.slice(2)
if (args.length === 0) (await import("./Program.ts")).run()
else (await import("./cli/Cli.ts")).run(args)
