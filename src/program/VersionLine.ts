import type { Build } from "../server/Version.ts"

/** Whether the arguments ask for the version, which is shown before the program is loaded. */
export const isWanted = (args: ReadonlyArray<string>): boolean =>
  args.length === 1 && ["--version", "-v"].includes(args[0]!)

/** The output of `sheaf --version`, such as `sheaf 0.1.0+89288c7 (2026-11-28T17:02:11.000Z)`. */
export const lineOf = ({ date, version }: Build): string => `sheaf ${version}${date === null ? "" : ` (${date})`}`
