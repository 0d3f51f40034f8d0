import { bundle, type Bundle } from "../bundle.ts"
import { modules, peers } from "./modules.ts"

/** Bundle options of all modules of the package. */
export const options = { isShort: false, hasMaps: false }

/** The sources of the modules that run everywhere, or of the others, by their names. */
export const sources = (isPortable: boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(modules).flatMap(([name, module]) =>
      module.isPortable === isPortable ? [[name, module.source] as const] : []
    )
  )

/** The modules that also run in browsers and in older versions of Node. */
export const bundlePortable = (): Promise<Bundle> =>
  bundle(sources(true), {
    ...options,
    isPortable: true,
    external: ["node:*", ...peers.flatMap((name) => [name, `${name}/*`])]
  })
