import type { ComponentChildren } from "preact"
import { useRef } from "preact/hooks"

interface FormProps {
  readonly children: ComponentChildren
  readonly class?: string
  readonly onSubmit: () => unknown
}

/** A form whose fields a script sends. While it sends them, as after a double click, it is not submitted again. */
export const Form = ({ onSubmit, ...form }: FormProps) => {
  const isBusy = useRef(false)
  const submit = async () => {
    if (isBusy.current) return
    isBusy.current = true
    try {
      await onSubmit()
    } finally {
      isBusy.current = false
    }
  }
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    />
  )
}
