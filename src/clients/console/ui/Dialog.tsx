import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { texts } from "../Messages.ts"
import { IconButton } from "./Button.tsx"
import { Notices } from "./Notices.tsx"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
  /** Without a way to close it, the dialog has to be completed. */
  readonly isModalOnly?: boolean
  readonly isWide?: boolean
  /** Returns whether the dialog may close now. It asks the user if something would be lost. */
  readonly guard?: () => boolean
}

/** A modal dialog. The browser keeps the focus inside, and gives it back at the end. */
export const Dialog = ({ children, guard, isModalOnly = false, isWide = false, onClose, title }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const mayClose = useRef(false)
  const id = useId()
  const ask = () => (mayClose.current = !isModalOnly && guard?.() !== false)
  const close = () => ask() && dialog.current?.close()
  useLayoutEffect(() => {
    const element = dialog.current!
    element.showModal()
    // The browser gives the focus back when a dialog is closed, and not when it is only removed. This is the last time before that.
    return () => element.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? "wide" : ""}
      aria-labelledby={id}
      onCancel={(event) => {
        // Inputs of files have such an event too.
        if (event.target === dialog.current && !ask()) event.preventDefault()
      }}
      onClose={({ currentTarget }) => {
        if (!currentTarget.isConnected) return
        // Browsers close it at the second Escape, without asking.
        if (mayClose.current) onClose()
        else currentTarget.showModal()
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div class="dialog">
        <header>
          <h2 id={id}>{title}</h2>
          {!isModalOnly && <IconButton icon="close" label={texts.close} onClick={close} />}
        </header>
        {children}
      </div>
      <Notices />
    </dialog>
  )
}
