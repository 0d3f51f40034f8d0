import * as module from "node:module"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

// An older one fails somewhere in the middle, with a page of code.
if (process.versions["deno"] === undefined && Number.parseInt(process.versions.node) < 24) {
  console.error(`sheaf: this is Node ${process.versions.node}, and it takes 24 or later: node_modules/.bin/node is one`)
  process.exit(1)
}

// A burst in which much survives makes V8 allocate at the same places in old space from then on: what is short-lived is
// then garbage that holds more garbage. After a large push each create left 16 KB for the next full collection.
setFlagsFromString("--no-allocation-site-pretenuring")
// What `--max-semi-space-size` says is for the main loop, which has its heap by now. Threads have limits of their own, and the
// flag would go before them.
setFlagsFromString("--max-semi-space-size=0")
// Threads that collect young objects together wait for each other, and all but the main loop step back.
setFlagsFromString("--no-parallel-scavenge")
// Compiled code is kept from start to start. Deno has its own way, and no such function.
module.enableCompileCache?.(join(import.meta.dirname, "..", "node_modules", ".cache", "compiled"))

// Only now: what is set here counts for all that is loaded.
const args = process.argv.slice(2)
if (args.length === 0) (await import("./Program.ts")).run()
else (await import("./cli/Cli.ts")).run(args)
