import { Effect } from "effect"
import { builtFile } from "../../../BuiltFile.ts"
import { consoleFiles, type ConsoleEntry } from "./ConsoleEntry.ts"

/** Defined in the bundle by scripts/bundle.ts, which makes the files next to it. */
declare const IS_BUNDLE: boolean | undefined

let made: Promise<ReadonlyMap<string, Uint8Array>> | undefined

/** Reads a file of the console; undefined if there is none. From the sources, the files are made when first read. */
export const consoleFile = async (name: string): Promise<Uint8Array | undefined> => {
  if (typeof IS_BUNDLE === "undefined") {
    made ??= import("./ConsoleBundle.ts").then(({ bundleConsole }) => bundleConsole(false)).then(({ files }) => files)
    return (await made).get(name)
  }
  return builtFile(`console/${name}`)
}

let entry: ConsoleEntry | undefined

/** The assets that the page loads. They are read once. */
export const consoleEntry = Effect.suspend(() =>
  entry === undefined
    ? Effect.promise(async () => {
        entry = JSON.parse(Buffer.from((await consoleFile(consoleFiles.entry))!).toString()) as ConsoleEntry
        return entry
      })
    : Effect.succeed(entry)
)
