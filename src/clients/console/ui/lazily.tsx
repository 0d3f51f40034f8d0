import type { FunctionComponent } from "preact"
import { useEffect, useState } from "preact/hooks"
import { texts } from "../Messages.ts"
import { notify } from "./Notices.tsx"

/** A dialog whose module is loaded when it is first opened. Without it the dialog is closed, and a notice says why. */
export const lazily = <Props extends object>(load: () => Promise<FunctionComponent<Props>>) => {
  /** Opened again, it is there at once: what is typed then must not go elsewhere. */
  let last: { readonly Content: FunctionComponent<Props> } | undefined
  return (props: Props & { readonly onClose?: () => void }) => {
    const [loaded, setLoaded] = useState(last)
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (Content) => setLoaded((last = { Content })),
        () => {
          // The file is that of an earlier version of the server, or there is no network.
          notify(navigator.onLine ? texts.newVersionOfServer : texts.offline)
          props.onClose?.()
        }
      )
    }, [])
    return loaded === undefined ? null : <loaded.Content {...props} />
  }
}

type OnDemand = typeof import("../OnDemand.ts")

/** A dialog of those that are one file. */
export const onDemand = <Props extends { readonly onClose: () => void }>(
  dialogOf: (all: OnDemand) => FunctionComponent<Props>
) => lazily(async () => dialogOf(await import("../OnDemand.ts")))

/** Calls `begin` when the module is loaded. Returns a function that stops it. Without the file nothing happens. */
export const whenLoaded = <Module,>(loading: Promise<Module>, begin: (module: Module) => () => void): (() => void) => {
  let stop = (): void => undefined
  let isLeft = false
  loading.then(
    (module) => {
      if (!isLeft) stop = begin(module)
    },
    () => undefined
  )
  return () => {
    isLeft = true
    stop()
  }
}
