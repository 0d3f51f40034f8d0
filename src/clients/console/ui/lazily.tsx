import type { FunctionComponent } from "preact"
import { useEffect, useState } from "preact/hooks"
import { loaded } from "./Notices.tsx"

/** A dialog whose module is loaded when it is first opened. Without it the dialog is closed. */
export const lazily = <Props extends object>(load: () => Promise<FunctionComponent<Props>>) => {
  /** Opened again, it is there at once: what is typed then must not go elsewhere. */
  let last: { readonly Content: FunctionComponent<Props> } | undefined
  return (props: Props & { readonly onClose?: () => void }) => {
    const [shown, setShown] = useState(last)
    useEffect(() => {
      if (shown !== undefined) return
      void loaded(load).then((Content) => {
        if (Content === undefined) props.onClose?.()
        else setShown((last = { Content }))
      })
    }, [])
    return shown === undefined ? null : <shown.Content {...props} />
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
