import { readFileSync } from "node:fs"
import { join } from "node:path"

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"))
const [, environment, flags] = /exec env (.+) node (.+) dist\/main\.js$/.exec(scripts.start)!

/** What `npm start` gives to the allocator and to V8. */
export const startOptions: {
  readonly env: Readonly<Record<string, string>>
  readonly flags: ReadonlyArray<string>
} = {
  env: Object.fromEntries(environment!.split(" ").map((each) => /^(\w+)=(.*)$/.exec(each)!.slice(1))),
  flags: flags!.split(" ")
}
